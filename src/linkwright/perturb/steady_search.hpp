#pragma once
// Steady motions of a slow flow: where they are, and which of them are the same.

#include "linkwright/perturb/modulation.hpp"
#include "linkwright/perturb/steady_point.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Whether higher orders of η stay below the first: otherwise the series says nothing.
bool is_within_series(const MultipleScales<double>& scales, const Eigen::VectorXcd& B);

SteadyState describe(const MultipleScales<double>& scales, const SlowFlow& flow, const SteadyPoint& at);

/// B of two steady motions, with those at rest 0: the same motion, perhaps begun some periods of the excitation later, or another phase of what is free.
bool are_alike(const SlowFlow& flow, const Eigen::VectorXcd& a, const Eigen::VectorXcd& b);
/// Alike, or images of each other by a symmetry of the modulation equations: x and −x, a whirl to the left and one to the right.
bool are_images(const SlowFlow& flow, const Eigen::VectorXcd& a, const Eigen::VectorXcd& b);

/// From many starts, then beside each state that is known until nothing new turns up; at rest first, if that is steady. Deterministic. Stopped:
/// those found so far.
std::vector<SteadyPoint> search(const MultipleScales<double>& scales, const SlowFlow& flow, const GoesOn& goes_on = {});

}  // namespace linkwright::perturb
