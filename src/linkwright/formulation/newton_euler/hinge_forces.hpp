#pragma once
// The reduction to hinge forces: accelerations leave first, because M is made of small blocks that are inverted once and for all.
//
//     u̇ = M⁻¹ (f − Gᵀλ)                    [mufti83 (12), (13)]
//     (G M⁻¹ Gᵀ) λ = G M⁻¹ f − γ           [mufti83 (14), (50)]
//
// As many unknowns as rows of constraints, instead of those and six for each body. The matrix has a block wherever two rows
// share a body. It is singular exactly when rows are redundant; in a tree they are not.

#include <optional>

#include "linkwright/eom/equations.hpp"

namespace linkwright::formulation::newton_euler {

using eom::Expr;
using eom::Matrix;

struct HingeForces {
    Matrix A;                ///< G M⁻¹ Gᵀ, symmetric
    std::vector<Expr> b;     ///< G M⁻¹ f − γ
    Matrix M_inverse;        ///< constant: parameters at most
    std::vector<Expr> udot;  ///< M⁻¹ (f − Gᵀλ), with the multipliers' symbols
};

/// Of equations whose M is made of blocks, as those of this formulation are. Empty when a body has no mass, or no inertia about some
/// axis: then its accelerations cannot be eliminated first, although the whole system has a solution.
std::optional<HingeForces> hinge_forces(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::formulation::newton_euler
