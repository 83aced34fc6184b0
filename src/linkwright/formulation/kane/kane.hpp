#pragma once
// Kane's equations [lynch88 (4.14), (4.19)]: [Bᵀ M B] u̇ = Bᵀ [f − M Ḃu − h] − Gᵀλ.

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation::kane {

/// M and f over all freedoms.
FormulatedEquations equations(const System& system);

/// The products are accumulated along the tree, never written out: Bᵀ M B through composite inertias, Bᵀ [f − M Ḃu − h]
/// through the wrenches of the joints at u̇ = 0. Cost: the size of M times a constant.
Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options = {});

}  // namespace linkwright::formulation::kane
