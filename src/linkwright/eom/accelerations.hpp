#pragma once
// Accelerations of a tree as expressions, ready to be lowered to straight-line code.

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

/// u̇ with M u̇ = f, M = LᵀDL factored without pivoting in an order that fills nothing in beyond the branches of the tree
/// [featherstone08 §6.5]. M must be positive definite, as the mass matrix of a tree is.
std::vector<Expr> factored_accelerations(const EquationsOfMotion& equations);

/// The shorter of the two ways, by the operations that depend on more than parameters: `equations.a`, where there is one,
/// and the factored M, where its size is not hopeless from the start. Only for equations without constraints.
std::vector<Expr> accelerations(const EquationsOfMotion& equations);

}  // namespace linkwright::eom
