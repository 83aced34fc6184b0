#pragma once
// Steady motions of a slow flow: Ḃ = i s∘B with turning rates s that the relations leave free.

#include "linkwright/perturb/modulation.hpp"
#include "linkwright/perturb/slow_flow.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// B and s.
struct SteadyPoint {
    Eigen::VectorXcd B;
    VectorXd spin;
};

/// Free turns of the modes that move in B: an orthonormal basis, zero in modes at rest.
MatrixXd turns_of(const SlowFlow& flow, const Eigen::VectorXcd& B);

/// Newton's method with the shortest steps. False when it does not arrive.
bool settle(const SlowFlow& flow, SteadyPoint& at);
/// No neighbour is steady but those that differ by a free turn.
bool is_isolated(const SlowFlow& flow, const SteadyPoint& at);
/// Whether higher orders of η stay below the first: otherwise the series says nothing.
bool is_within_series(const MultipleScales<double>& scales, const Eigen::VectorXcd& B);

SteadyState describe(const MultipleScales<double>& scales, const SlowFlow& flow, const SteadyPoint& at);
/// The same motion, perhaps begun at another time.
bool are_alike(const SlowFlow& flow, const SteadyState& a, const SteadyState& b);

/// From many starts; at rest first, if that is steady. Deterministic. Stopped: those found so far.
std::vector<SteadyPoint> search(const MultipleScales<double>& scales, const SlowFlow& flow, const GoesOn& goes_on = {});

}  // namespace linkwright::perturb
