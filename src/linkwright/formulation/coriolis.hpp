#pragma once
// The matrix of the velocity forces, C in M u̇ + C(q, u) u + g(q) = …
//
// Centrifugal, Coriolis and gyroscopic forces are C u, and many matrices give the same C u. Control laws want the one with
//
//     Ṁ − 2C skew-symmetric
//
// for then uᵀ(Ṁ − 2C)u = 0, which says that these forces do no work beyond the change of the kinetic energy, and the same holds with any
// other vector in place of u. Where u = q̇ it is made of Christoffel's symbols [murray94 ch. 4]
//
//     C_ij = Σ_k ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_kj/∂q_i) u_k
//
// Where q̇ = N(q) u with other columns than unit vectors (Euler parameters, translations in turning axes), derivatives are taken along the
// columns, X_i = Σ_r N_ri ∂/∂q_r, and two of them do not commute: [X_i, X_j] = Σ_l c^l_ij X_l (quasi_speeds.hpp). M is a metric, C u the
// derivative of u along itself, and of all connections the one without torsion that keeps M is unique. Koszul's formula [docarmo92 ch. 2] gives it
// in any frame,
//
//     2 C_ij = Σ_k (X_k M_ij + X_j M_ik − X_i M_kj) u_k + Σ_kl (c^l_kj M_li − c^l_ki M_lj − c^l_ji M_lk) u_k
//
// The first term is Ṁ_ij, all others together are skew in i and j; and in C u they are the terms of Boltzmann and Hamel [hamel04].
//
// A wheel that a motor holds at its speed has the momentum h a(q)·u in the kinetic energy, linear in u. Its forces are Γ(q) u with
// Γ_ij = h (X_j a_i − X_i a_j) + Σ_l c^l_ij h a_l, which is skew; Γ is a part of C here.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

struct VelocityForces {
    Matrix C;                   ///< over all freedoms, given ones as if they were free
    std::vector<Expr> spin_up;  ///< on each freedom: what changing the speeds of wheels takes, where these are given functions of t
};

/// `M` is the mass matrix over all freedoms.
VelocityForces velocity_forces(const Mechanism& mechanism, const Matrix& M);

}  // namespace linkwright::formulation
