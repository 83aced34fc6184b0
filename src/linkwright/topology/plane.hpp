#pragma once
// Which loops move in a plane, as far as the joints alone tell.

#include "linkwright/topology/topology.hpp"

namespace linkwright::topology {

/// Whether every joint of the loop only turns about one direction and slides across it, that direction being the same
/// all the way round. Decided from the fixed frames, before any coordinate has a value.
bool is_planar(const model::Model& model, const Loop& loop);

}  // namespace linkwright::topology
