#pragma once
// What hangs on a beam, and where: what a component with loaded interfaces bears.
//
// Beyond each joint that leads away from the ground, everything is one rigid body: joints locked as they begin, beams straight. The joint itself
// keeps its freedoms, unless a motion drives them: what they let go is not borne. So a beam feels the articulated inertia
// I − I S (SᵀI S)⁻¹ SᵀI of what is beyond, S being the motions that the joint leaves free [featherstone08 §7.1]: all of it behind a weld, a
// mass without inertia about z behind a hinge about z at the centre of mass.

#include <map>

#include "linkwright/flex/component_shapes.hpp"
#include "linkwright/model/model.hpp"

namespace linkwright::model {

/// Of every beam, by its name: where joints are, and what they bear. A joint towards the ground bears nothing; it is listed unless it is the
/// frame that it holds.
std::map<std::string, std::vector<flex::InterfaceLoad>> interface_loads(const Model& model);

}  // namespace linkwright::model
