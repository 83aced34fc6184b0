#pragma once
// `springdamper`: the spring and damper of a joint by a time constant T and a damping ratio ζ. They are made for the inertia m that the joint moves where the
// file shows the bodies, all other joints free: k = m/(Tζ)², d = 2m/T, with 1/m the mean of its diagonal entries of M⁻¹.

#include <vector>

#include "linkwright/exchange/mjcf_tree.hpp"

namespace linkwright::exchange::mjcf {

/// Sets stiffness and damping of the joints that have a `springdamper`. Those in trees of more than 600 freedoms are left out and counted.
void apply_spring_dampers(Tree& tree, const std::vector<Inertia>& inertias);

}  // namespace linkwright::exchange::mjcf
