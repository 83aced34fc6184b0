#pragma once
// The recursions over the moves of a linkage.

#include "linkwright/formulation/recursive/linkage.hpp"

namespace linkwright::formulation::recursive {

/// M u̇ − f of every freedom, by Newton and Euler: velocities and accelerations outwards, wrenches inwards.
std::vector<Expr> inverse_dynamics(const System& system, const Linkage& linkage, std::span<const Expr> udot);

/// Composite moments inwards; the momentum of each freedom's unit rate meets every freedom on the way to the ground.
std::vector<std::vector<Expr>> mass_matrix(const System& system, const Linkage& linkage);

/// u̇ of a tree's freedoms that are not given, by articulated bodies; those of given ones are their symbols.
std::vector<Expr> forward_dynamics(const System& system, const Linkage& linkage);

}  // namespace linkwright::formulation::recursive
