#pragma once
// The recursions for mechanisms with beams.
//
// A freedom of a beam moves every section of it, so it stands at several bodies: at the sections, and inside the beam. Going inwards over
// the bodies, what lies outwards of a body is
//
//     F = IA·A + Σ U_k y_k + p              wrench on the body when it accelerates by A and the open freedoms by y_k
//     τ_k = U_kᵀA + Σ D_kl y_l + d_k         for every open freedom k
//
// where a freedom is *open* from the first place it moves until the body it belongs to is left. There it may be eliminated, which is one
// step of LDLᵀ: then IA is articulated and a tree costs what its bodies cost. Nothing eliminated, D is the mass matrix when the ground is
// reached, and τ − d is f. For a joint the place it moves and the body it belongs to are one: that is the recursion for rigid bodies
// [featherstone08 §7.3].

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation::recursive {

/// M, f, M u̇ − f, and for trees the accelerations.
FormulatedEquations elastic_equations(const System& system);

}  // namespace linkwright::formulation::recursive
