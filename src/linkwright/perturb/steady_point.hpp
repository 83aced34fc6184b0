#pragma once
// A steady motion of a slow flow: Ḃ = i s∘B, where every mode may go on turning at a rate s_k that the relations leave free.
//
// s is a combination of the flow's free turns: Σ m_j s_j = 0 for every relation, of modes at rest too. Modes at rest have a turning rate
// as well: that of the frame in which small disturbances of them see coefficients that stand still.

#include "linkwright/perturb/slow_flow.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// B and s.
struct SteadyPoint {
    Eigen::VectorXcd B;
    VectorXd spin;
};

/// Free turns that move a mode which moves in B: an orthonormal basis of them, each a combination of the flow's.
MatrixXd turns_of(const SlowFlow& flow, const Eigen::VectorXcd& B);

/// B with modes set to rest that have nearly come to it, and that nothing drives from there: smaller than `least`, or by nine digits than the largest.
Eigen::VectorXcd rested(const SlowFlow& flow, const Eigen::VectorXcd& B, double least);

/// Newton's method with the shortest steps. False when it does not arrive, or arrives where the equations do not hold (is_steady).
bool settle(const SlowFlow& flow, SteadyPoint& at);
/// Ḃ − i s∘B vanishes beside the terms it is the sum of, in every mode by itself, and s is a combination of free turns.
bool is_steady(const SlowFlow& flow, const SteadyPoint& at);
/// No neighbour is steady but those that differ by a free turn.
bool is_isolated(const SlowFlow& flow, const SteadyPoint& at);

/// ∂(Ḃ − i s∘B)/∂(X, Y): disturbances in the frame of the motion.
MatrixXd disturbance_of(const SlowFlow& flow, const SteadyPoint& at);

}  // namespace linkwright::perturb
