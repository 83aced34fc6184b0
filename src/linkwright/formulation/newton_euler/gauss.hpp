#pragma once
// Gauss's principle of least constraint, with a penalty in place of the constraints.
//
// Of all accelerations that the constraints allow, the true ones come nearest to those that the bodies would have if they
// were free, measured by mass [mufti83 (39)]:
//
//     min ½ (u̇ − M⁻¹f)ᵀ M (u̇ − M⁻¹f)   subject to  G u̇ = γ
//
// Instead of holding G u̇ = γ exactly, ½ W |G u̇ − γ|² may be added to what is minimised. Then nothing is left to hold:
//
//     (M + W GᵀG) u̇ = f + W Gᵀγ,        λ ≈ W (G u̇ − γ)
//
// As W grows, u̇ comes near the true one, and the error falls as 1/W; the condition of the matrix grows as W. So about half of
// the digits are to be had, with W near 1e8 for bodies of ordinary size; the method asks nothing of the rank of G.

#include "linkwright/eom/equations.hpp"

namespace linkwright::formulation::newton_euler {

/// The same equations without constraints: mass form, with a further parameter for the weight W, called `name` (or that with
/// underscores behind it, when the name is taken). Multipliers in outputs and in the power become W (G u̇ − γ). Rows are kept in
/// accelerations only: begin at a state that fulfils the constraints of `equations`, and do not expect it to stay for long.
eom::EquationsOfMotion least_constraint(const eom::EquationsOfMotion& equations, double weight = 1e8, std::string name = "penalty");

}  // namespace linkwright::formulation::newton_euler
