#pragma once
// Momentum that a mechanism keeps, and how well a motion kept it.
//
// A component p(t, q, u) of linear momentum, or of angular momentum about the ground's origin, is kept when nothing outside pushes or turns that
// way: a satellite keeps all six, a spherical pendulum what turns about the vertical. The equations tell which, at states of the motion:
//
//     ṗ = ∂p/∂t + ∂p/∂q q̇ + ∂p/∂u u̇ = 0        M u̇ + Gᵀλ = f
//
// where the terms, not their sum, are the measure of zero. They are asked at closed states beside the motion, too, and with inputs that nobody meant:
// neither a motion that happens to be symmetric nor a force that happens to be zero is a law.

#include <string>
#include <vector>

#include "linkwright/session/simulate.hpp"

namespace linkwright::report {

struct KeptMomentum {
    std::string name;                     ///< "linear momentum", "angular momentum about the origin"
    std::vector<std::string> components;  ///< "x", "y", "z": those that are kept
    double drift = 0;                     ///< the largest distance from the value at the start, in N·s or N·m·s
    double promise = 0;                   ///< what the tolerance of a step allows for the whole motion
};

/// Nothing where nothing is kept, or where the accelerations at a state of the motion are not to be had.
std::vector<KeptMomentum> kept_momenta(const session::Session& session, const session::Simulation& motion,
                                       const session::SimulateOptions& how);

}  // namespace linkwright::report
