#pragma once
// What the model says of its bodies, for which way round a mode goes.

#include "linkwright/linear/design/whirl.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::session {

/// In the pool of the equations. A wheel whose speed is made of what the equations do not have is taken to stand still.
std::vector<linear::SpinningBody> spinning_bodies(const model::Model& model, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::session
