#pragma once
// Programs that call routines, run as such. Code is written once for each routine; what is read for each call is numbers: where its arguments
// stand, and its constants. For programs of which the code, written out, would be longer than the caches for instructions.
//
// Values that pass from call to call stand in a row, results of one call side by side, so that routines write them where they stay. Lines
// between calls are routines too, called once.

#include <memory>

#include "linkwright/program/evaluator.hpp"
#include "linkwright/program/program.hpp"

namespace linkwright::jit {

/// Nothing when the system gives no memory for code. `registers` as in emit.hpp.
std::unique_ptr<program::Evaluator> compile_calls(const program::Program& program, unsigned registers);

/// Is it made by compile_calls?
bool is_calling(const program::Evaluator& evaluator);

}  // namespace linkwright::jit
