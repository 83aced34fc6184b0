#pragma once
// Shapes of the family `component`: from the finite elements of the beam. Internal to the room.

#include "linkwright/flex/component_shapes.hpp"
#include "linkwright/model/beam.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::model {

/// Fills in the shapes, from 20 elements unless they or the beam say otherwise; what hangs on the beam counts as their interface says. What went
/// wrong, or nothing.
std::string find_component_shapes(BeamShapes& shapes, const Beam& beam, const ParameterValues& value,
                                  const std::vector<flex::InterfaceLoad>& loads);

}  // namespace linkwright::model
