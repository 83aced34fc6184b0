#pragma once
// Lagrange's equations step by step, as a person would write them down [lee90 ch. 2, app. A].

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::lagrange {

/// The steps that lead to `equations`, which must be those of this model: coordinates, velocities, energies, the mass matrix,
/// the velocity coupling with its structure, generalized forces; for speeds that are no rates of coordinates the structure
/// coefficients, for held rotors their gyroscopic terms, for closed chains the rows of the constraints. Velocities are
/// in the axes of the body they belong to. Indices count the speeds, those of given motions and of rotors included.
eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::formulation::lagrange
