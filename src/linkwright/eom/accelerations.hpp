#pragma once
// Accelerations of a tree as expressions, ready to be lowered to straight-line code.

#include <span>

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

/// x with M x = f, M = LᵀDL eliminated without pivoting, the freedom with the fewest neighbours first: nothing fills in beyond
/// the branches of the tree [featherstone08 §6.5]. M must be positive definite, as the mass matrix of a tree is.
std::vector<Expr> factored_accelerations(const Matrix& M, const std::vector<Expr>& f);
std::vector<Expr> factored_accelerations(const EquationsOfMotion& equations);

/// `equations.a`, where there is one, and the factored M otherwise. Only for equations without constraints.
///
/// A formulation that knows two ways writes the shorter one into `a`. It could not be chosen here: a pool that folds finds
/// that both are equal and gives back what was built first.
std::vector<Expr> accelerations(const EquationsOfMotion& equations);

/// How much arithmetic a program of these expressions would be: sums, products and divisions that depend on more than
/// parameters, each once.
std::size_t arithmetic(std::span<const Expr> expressions);

}  // namespace linkwright::eom
