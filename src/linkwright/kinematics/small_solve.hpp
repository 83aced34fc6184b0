#pragma once
// Small symbolic linear algebra.

#include <utility>
#include <vector>

#include "linkwright/spatial/exact.hpp"

namespace linkwright::kinematics {

using spatial::Expr;
using spatial::plane_axes;
using spatial::Vec3;

/// x with A x = b for a few unknowns. A singular matrix gives undefined entries.
std::vector<Expr> solve(const std::vector<std::vector<Expr>>& A, const std::vector<Expr>& b);

/// A⁻¹, or nothing when A is singular by fingerprint. Rows and columns that have nothing to do with each other are inverted
/// apart. Blocks of up to four are the adjugate over the determinant, so that nothing but the determinant is divided by;
/// larger ones are eliminated.
std::optional<std::vector<std::vector<Expr>>> inverse(const std::vector<std::vector<Expr>>& A);

}  // namespace linkwright::kinematics
