#pragma once
// Freedoms that have no inertia, as far as the graph and the fixed numbers alone tell.

#include "linkwright/topology/topology.hpp"

namespace linkwright::topology {

/// How many speeds of a joint are given by [[motion]] entries.
std::size_t prescribed_speeds(const model::Model& model, std::size_t joint);

/// A joint of the tree moves what is outboard of it. When that resists some motion of the joint with no inertia in any
/// position, the mass matrix is singular and no formulation has an acceleration for it. Told here, for joints that are
/// neither prescribed nor reached by loops, rods, rolling or constraints, and have no armature that resists for them:
///
/// - everything outboard is massless, or
/// - one body carries all the mass outboard, and in the joint's motions its kinetic energy is not positive: a particle
///   that turns about itself, a rod as thin as a line on a spherical joint, a massless wheel that slides.
///
/// Inertia that is only zero for some values of parameters, or in some positions, is found when numbers are there.
Diagnostics find_massless(const model::Model& model, const Topology& t);

}  // namespace linkwright::topology
