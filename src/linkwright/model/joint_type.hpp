#pragma once
// The joint types and what they are called. What they do, and all of this, is read off the table in joint_steps.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linkwright::model {

/// Child relative to parent, in the joint axes; each line: coordinates; speeds where they are not the rates.
enum class JointType : std::uint8_t {
    weld,         ///< none
    revolute,     ///< J: angle about the axis
    prismatic,    ///< J: travel along the axis
    screw,        ///< J: angle; travel = pitch·J
    cylindrical,  ///< J.angle, J.travel along one axis
    universal,    ///< J.1, J.2: two turns in a row about the axes
    planar,       ///< J.x, J.y, J.angle: in the plane normal to the axis; (x, y, axis) cyclic
    gimbal,       ///< J.1, J.2, J.3: three turns in a row
    translation,  ///< J.x, J.y, J.z, or fewer
    spherical,    ///< J.e0 … J.e3; speeds J.wx J.wy J.wz in the axes fixed in the child
    free,         ///< J.x J.y J.z in the parent, J.e0 … J.e3; speeds J.wx J.wy J.wz J.vx J.vy J.vz in the child
    free_axes,    ///< free with turns instead of Euler parameters: J.x J.y J.z J.1 J.2 J.3; written "free" with `axes`
    point_on_line,  ///< J.travel of the child's point along the axis, which is fixed in the parent, J.e0 … J.e3; speeds J.travel' J.wx J.wy J.wz
};

std::string_view to_string(JointType type);
std::optional<JointType> joint_type(std::string_view name);  ///< "free" is `free`
std::vector<std::string> joint_type_names();

/// How many speeds a joint of this type has; `translation` has as many as axes.
std::size_t freedoms(JointType type, std::size_t axes);

/// The last parts of the names of coordinates and speeds: "" for a joint with one freedom (the coordinate is J), ".angle"
/// and the like otherwise; the speed of a coordinate is its name with a prime. `axes` are the names of a translation's.
struct JointNames {
    std::vector<std::string> coordinates, speeds;
};
JointNames joint_names(JointType type, const std::string& joint, std::span<const std::string> axes = {});

/// Where Euler parameters begin among the coordinates.
std::optional<std::size_t> quaternion_at(JointType type);

}  // namespace linkwright::model
