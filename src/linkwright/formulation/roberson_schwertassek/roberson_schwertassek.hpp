#pragma once
// Roberson and Schwertassek's equations, as Forehand, Cartmell and Khanin tell them:
//
//     Σ_b J_I[a,b] ġ[b] = χ[a] + λ[a],   J_I = φᵀ J φ,   χ = φᵀ (Q − Σ_b J φ̇ g),   λ = φᵀ Λ      [forehand (28)–(31)]

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation::roberson_schwertassek {

/// Newton and Euler for each body in terms of what moves across the joints; free modes remove the forces inside joints. terms.hpp
/// has the quantities, chords.hpp what closes loops, state_space.hpp the reduction to independent speeds.
Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options = {});

}  // namespace linkwright::formulation::roberson_schwertassek
