#pragma once
// What read.cpp and build.cpp both do to a joint. Internal to the room.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// The axes a type has when none are given.
std::vector<Vec3> default_axes(JointType type);

/// x y z for coordinate axes of either sign, 1 2 3 when there is any other among them.
std::vector<std::string> axis_names(std::span<const Vec3> axes);

/// The names after renaming: given ones replace the defaults; a renamed coordinate renames its rate, too.
JointNames renamed(JointType type, JointNames defaults, const std::vector<std::string>& coordinates,
                   const std::vector<std::string>& speeds);

/// Makes the joint's symbols. The names must be new in the pool.
void make_symbols(Joint& joint, const JointNames& names, sym::Pool& pool);

/// Why these axes will not do for this type; nothing when they will. The number of axes is right already.
std::optional<std::string> problem_of_axes(JointType type, std::span<const Vec3> axes);

}  // namespace linkwright::model
