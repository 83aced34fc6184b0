#pragma once
// Kane's method step by step, as a person would write it down [lynch88 §4.5].

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::kane {

/// The seven steps that lead to `equations`, which must be those of this model: A and u, d, B, Ḃ, f and h, the equations, each
/// on one line; for closed chains the rows of the constraints as well. Vectors are in the axes of the body they belong to. Here the products
/// are written out; that they give the same M and f as the recursion of derive() is a test, not an assumption.
eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& equations);

/// Bᵀ M B and Bᵀ [f − M Ḃu − h] + τ multiplied out literally, over all freedoms of the joints.
struct Literal {
    Matrix M;
    std::vector<Expr> f;
};
Literal multiply_out(const System& system);

}  // namespace linkwright::formulation::kane
