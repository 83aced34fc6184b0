#pragma once
// The recursive formulation: what a machine should run. Forces by the recursion of Newton and Euler, the mass matrix by
// composite inertias, accelerations of trees by articulated bodies [featherstone08], all written symbolically with frames
// and inertias arranged so that few operations are left.

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation::recursive {

/// The same M, f, G, γ as every other formulation, and for trees the explicit accelerations and the inverse as well.
Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options = {});

}  // namespace linkwright::formulation::recursive
