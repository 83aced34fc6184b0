#pragma once
// Wheels, balls and blades on a plane.

#include "linkwright/kinematics/closure.hpp"

namespace linkwright::kinematics {

/// Where it touches and which rows that gives: touch (holonomic), and the velocity of the body's point of contact along and
/// across the heading (nonholonomic). A knife-edge is held across only.
struct Contact {
    Vec3 point;                   ///< ground axes
    Vec3 normal, along, across;   ///< unit vectors, ground axes
    std::vector<Row> rows;        ///< NAME.normal, NAME.along, NAME.across
    std::optional<Expr> upright;  ///< of a disk: the cosine of its lean, positive as long as it stands on the right side
};
Contact roll(const Mechanism& mechanism, const model::Rolling& rolling);

}  // namespace linkwright::kinematics
