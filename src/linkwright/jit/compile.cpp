#include "linkwright/jit/compile.hpp"

#include "linkwright/program/interpreter.hpp"

namespace linkwright::jit {

std::string why_not() { return "native code is not there yet"; }

std::unique_ptr<program::Evaluator> compile(program::Program program) {
    return std::make_unique<program::Interpreter>(std::move(program));
}

}  // namespace linkwright::jit
