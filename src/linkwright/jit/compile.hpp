#pragma once
// Native code in memory: a program becomes machine instructions for this processor, one state at a time and four or eight at once.

#include <functional>
#include <memory>
#include <string>

#include "linkwright/program/evaluator.hpp"
#include "linkwright/program/program.hpp"

namespace linkwright::jit {

/// Empty when this processor can run what we emit (x86-64 with AVX2 and FMA), otherwise the reason, in one sentence.
std::string why_not();

/// What can be chosen; the defaults are right.
struct Options {
    unsigned registers =
        0;  ///< vector registers to use: 16, 32 (with AVX-512: VL and DQ; batches go in eight lanes then), or 0 for as many as there are
    bool packs = true;  ///< lines that are alike go side by side in the code for single states (packs.hpp); the numbers are the same
};

/// The program as native code, scalar for single calls, and for batches four AVX2 lanes, or eight of AVX-512 where the processor has it. Where `why_not()` has something to
/// say: the interpreter, which gives the same numbers up to rounding. The differences are two: products that only feed a sum
/// are fused with it, and sines and cosines are ours (see sincos.hpp), within 1 ulp. All else agrees with the interpreter to
/// the last bit, zeros and infinities included; and a batch agrees with single calls to the last bit, always.
///
/// Code for single calls is made here, code for batches by the first batch of four points or more. Both take less than a
/// microsecond a line. Calls may come from many threads. A program that refers to values not above them throws
/// std::invalid_argument, as the interpreter does.
std::unique_ptr<program::Evaluator> compile(program::Program program, const Options& options = {});

/// `compile` as a value, for whoever has programs run without knowing how: numeric::Compile is this type.
std::function<std::unique_ptr<program::Evaluator>(program::Program)> native(const Options& options = {});

/// Is it native code, and not the interpreter that stands in for it?
bool is_native(const program::Evaluator& evaluator);

}  // namespace linkwright::jit
