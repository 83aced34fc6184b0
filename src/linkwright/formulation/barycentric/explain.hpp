#pragma once
// The barycentric formulation step by step, as one would follow it with the report beside [mufti83 §2, §3].

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::barycentric {

/// Incidence and paths, hinges, barycentric vectors, augmented bodies, couplings, the floating form where the root is free,
/// right-hand sides, relative coordinates, constraints, given motions, the equations. `equations` must be those of this model.
eom::Derivation explain(const model::Model& model, const topology::Topology& topology, const eom::EquationsOfMotion& equations);

/// Pᵀ T K Tᵀ P and its right-hand side as the formulas stand: ground axes, every K_ij = −Σ_k m_k d̃_ik d̃_jk summed over all
/// bodies, accelerations by differentiating positions twice. Slow, and without a step in common with derive(): it is what
/// the tests hold derive() against.
struct Literal {
    Matrix M;
    std::vector<Expr> f;
};
Literal multiply_out(const System& system);

}  // namespace linkwright::formulation::barycentric
