#pragma once
// Small motions about any state, as expressions. Every matrix is a function of t, q, x, u, w, u̇, λ and parameters, exact: the
// derivatives are those of the graph.
//
//     δ(q, x) = S δs                   s: one for each ordinary coordinate, three turns (body axes) for each unit quaternion; then x
//     δṡ = N δu + H δs + W δw          W: what inputs do to the rates of auxiliary states
//     M δu̇ + C δu + K δs + Gᵀδλ = B δw
//     Φ δs + Φ_w δw = 0                holonomic rows
//     G δu + D δs + D_w δw = 0         all rows: their rates
//     G δu̇ + E δu + F δs + F_w δw = 0  and the rates of these
//     δo = O_s δs + O_u δu + O_a δu̇ + O_λ δλ + O_w δw      outputs
//
// with r = M u̇ + Gᵀλ − f: C = ∂r/∂u, K = ∂r/∂q S, B = −∂r/∂w. Forces among the inputs leave constraints alone; deviations of given motions
// (linearize.hpp) are in Φ_w, D_w, F_w and in B by way of M and G too. The part of K that is ∂(Gᵀλ)/∂q S, the geometric stiffness of the constraint
// forces, stands apart as well: [lynch88 (6.6)] leaves it out.

#include "linkwright/eom/equations.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::linear {

using sym::Expr;
using sym::Matrix;

struct LinearForm {
    std::shared_ptr<sym::Pool> pool;
    std::vector<std::string> s;      ///< names: those of coordinates, "base.turn.x" of a quaternion's turns; then of auxiliary states
    std::vector<std::string> units;  ///< of s: "rad" or "m" where that is known, else empty
    Matrix S, N, H, W;
    Matrix M, C, K, geometric, B;  ///< `geometric` is contained in K
    Matrix Phi, G, D, E, F;        ///< Phi has a row for each constraint; those of nonholonomic ones are zero
    Matrix Phi_w, D_w, F_w;
    Matrix O_s, O_u, O_a, O_lambda, O_w;
    bool depends_on_time = false;  ///< t stands in the equations themselves: given motions, moving loads
};

/// Of equations without a reduction (those of `newton_euler` have one): otherwise std::invalid_argument.
LinearForm linear_form(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::linear
