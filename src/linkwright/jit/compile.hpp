#pragma once
// Native code in memory: a program becomes machine instructions for this processor, one state at a time and four at once.

#include <memory>
#include <string>

#include "linkwright/program/evaluator.hpp"
#include "linkwright/program/program.hpp"

namespace linkwright::jit {

/// Empty when this processor can run what we emit (x86-64 with AVX2 and FMA), otherwise the reason, in one sentence.
std::string why_not();

/// The program as native code, scalar for single calls and four AVX2 lanes for batches. Where `why_not()` has something to
/// say: the interpreter, which gives the same numbers up to rounding. Products that only feed a sum are fused with it.
std::unique_ptr<program::Evaluator> compile(program::Program program);

}  // namespace linkwright::jit
