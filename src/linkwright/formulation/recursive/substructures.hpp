#pragma once
// The recursions of a mechanism in which chains repeat, each chain derived once [lynch88 §4.7, §6.4].
//
// A chain meets the rest of the world at its carrier only. For inverse dynamics it is told how the carrier moves (ω, ω̇, a) and
// answers with the wrench it needs and the forces of its joints. For forward dynamics there are two turns: inwards it is told the
// carrier's motion at u̇ = 0 and answers with its articulated inertia and bias wrench; outwards it is told by how much the carrier
// accelerates beyond that, and answers with its own accelerations. What the second turn needs of the first is handed over.
//
// Chains on chains are routines that call routines. Derivation and code are one chain's, whatever their number; of each instance
// there is a call.

#include "linkwright/eom/substructures.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::recursive {

/// Nothing when no chain is there twice, or the mechanism has loops or speeds of the user's own.
std::optional<eom::Substructures> substructures(const model::Model& model, const topology::Topology& topology);

}  // namespace linkwright::formulation::recursive
