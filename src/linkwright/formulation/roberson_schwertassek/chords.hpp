#pragma once
// Kinematic consistency: what moves across the chords follows from what moves across the arcs.
//
//     G[c] = Σ_a W[a,c]ᵀ G[a]                        and the forces in a chord enter the equations of the arcs of its loop as
//     Σ_b J[a,b] Ġ[b] = Q[a] + Λ[a] + Σ_c W[a,c] Λ[c]                                              [forehand (15), (16)]
//
// With U = T S_C, the loops of the graph (+1 where loop c passes arc a from parent to child), and r from P[a] to P[c],
//
//     Ω[c] = Σ_a U[a,c] A[f(c),f(a)] Ω[a],     V[c] = Σ_a U[a,c] A[f(c),f(a)] (V[a] + Ω[a] × r).

#include "linkwright/formulation/roberson_schwertassek/terms.hpp"

namespace linkwright::formulation::roberson_schwertassek {

/// W[a,c]ᵀ as the two things it does: turning by A, and moving from P[a] to P[c]. `U` is 0 when the loop does not pass the arc.
struct LoopTransfer {
    int U = 0;
    spatial::Mat3 A;  ///< A[f(c),f(a)]
    Vec3 r;           ///< from P[a] to P[c], axes of f(a)

    Twist across(const Twist& G_a) const;    ///< W[a,c]ᵀ G[a], axes of f(c)
    Wrench on_arc(const Wrench& L_c) const;  ///< W[a,c] Λ[c], axes of f(a)
};

/// One for each chord, in the order of the topology, and each arc, by the body it leads to; entry 0 is empty.
std::vector<std::vector<LoopTransfer>> loop_transfers(const System& system, const Terms& terms);

/// What moves across each chord, axes of f(c).   [forehand (16)]
std::vector<Twist> across_chords(const Terms& terms, const std::vector<std::vector<LoopTransfer>>& W);

/// φᵀ W[a,c] Λ[c] for every freedom: the generalized forces of a wrench in chord number c, on its child, at P[c], axes of f(c).
std::vector<Expr> forces_of_chord(const System& system, const Terms& terms, const std::vector<std::vector<LoopTransfer>>& W, std::size_t c,
                                  const Wrench& L_c);

}  // namespace linkwright::formulation::roberson_schwertassek
