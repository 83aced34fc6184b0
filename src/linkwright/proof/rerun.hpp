#pragma once
// A program carried out with expressions for numbers: what it computes, as a graph.

#include <span>

#include "linkwright/program/program.hpp"
#include "linkwright/sym/expr.hpp"

namespace linkwright::proof {

/// The program's outputs as expressions of `pool`. It was lowered from `outputs` over the symbols `inputs`.
///
/// Lowering rounds numbers, here they are found again: a constant of the program stands for the exact constant of the graph (or
/// its opposite, its reciprocal, a product of two) that rounds to it, up to a few units in the last place. One that stands for none is
/// taken as it is, and the comparison will show it.
std::vector<sym::Expr> rerun(const program::Program& program, std::span<const sym::Expr> outputs, std::span<const sym::Expr> inputs,
                             sym::Pool& pool);

}  // namespace linkwright::proof
