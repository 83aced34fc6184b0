#pragma once
// The way back from programs to expressions.

#include "linkwright/program/program.hpp"

namespace linkwright::program {

/// What the program computes, as expressions of `inputs`, in their pool; constants are the shortest decimals that read back. Calls must have been
/// inlined.
std::vector<sym::Expr> raise(const Program& program, std::span<const sym::Expr> inputs);

/// One line of it.
sym::Expr raise(Op op, const sym::Expr& a, const sym::Expr& b, const sym::Expr& c);

}  // namespace linkwright::program
