#pragma once
// A model as a robot in numbers, where it is a rigid tree: what write_urdf and write_sdf begin with.

#include <optional>

#include "linkwright/base/diagnostic.hpp"
#include "linkwright/exchange/robot.hpp"
#include "linkwright/exchange/written.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::exchange {

/// Parameters have their values. A joint of several freedoms becomes a row of joints of one, between links without mass; a ball stays one, and so does a
/// free joint. Each link's frame is the frame of the joint that holds it, as URDF wants it. Joints stand in the order of the model, and every joint points
/// outwards: one that the tree passes backwards is turned round, its axis too, so that its coordinate stays what it was.
///
/// Empty, with errors, when the model is no rigid tree. Warnings tell what acts in the model and is left out.
std::optional<Robot> robot_of(const model::Model& model, Diagnostics& problems);

/// The same where the format has words for loops: joints that are cut become closures, rods distances, gears and linear constraints couplings.
std::optional<Robot> robot_with_loops(const model::Model& model, const Assembled& assembled, Diagnostics& problems);

/// Warns of drives (`armature`), for which the format has no word.
void warn_of_armature(const model::Model& model, std::string_view format, Diagnostics& problems);

}  // namespace linkwright::exchange
