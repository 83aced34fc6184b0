#pragma once
// Unit quaternions among the coordinates.

#include "linkwright/eom/equations.hpp"
#include "linkwright/solve/dense.hpp"

namespace linkwright::numeric {

using Eigen::VectorXd;

/// Puts unit quaternions back on their sphere.
void normalise_quaternions(const eom::EquationsOfMotion& equations, VectorXd& q);

}  // namespace linkwright::numeric
