#pragma once
// Newton's and Euler's equations step by step, as a person would write them down [mufti83 §2–§4].

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::newton_euler {

/// The graph and its regular labelling; each body cut free; each joint and the directions it holds; closed chains; the assembled system;
/// how the multipliers, or the constraints, are got rid of. `equations` must be those of this model and formulation.
eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::formulation::newton_euler
