#pragma once
// How every speed moves every body.

#include "linkwright/kinematics/mechanism.hpp"

namespace linkwright::kinematics {

/// Of each body: the motion of its frame in the ground, its own axes and origin, for a unit rate of each freedom that moves it; inner freedoms first, each
/// once.
std::vector<std::vector<Column>> jacobians(const Mechanism& mechanism);

}  // namespace linkwright::kinematics
