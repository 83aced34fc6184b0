#pragma once
// Roberson and Schwertassek's method step by step, in the order of Forehand, Cartmell and Khanin's worked example.

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::roberson_schwertassek {

/// The steps that lead to `equations`, which must be those of this model: graph, free modes, directions, attachment vectors, K, J,
/// the parts of Q, χ, λ, the equations; chords where there are loops. Every line has its definition with the terms that are not
/// zero written out, and says why what is zero is zero. Vectors are in ground axes unless the line says otherwise, as in the
/// paper, and come from the literal sums (literal.hpp), not from the recursion that derive() uses.
eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::formulation::roberson_schwertassek
