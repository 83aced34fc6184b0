#pragma once
// Lagrange's equations, d/dt ∂T/∂u_i − ∂T/∂q_i + ∂V/∂q_i = Q_i [lee90 (A.14)], and where speeds are no rates of
// coordinates those of Boltzmann and Hamel (quasi_speeds.hpp).
//
// Two ways lead to M and f, and the tests hold them together.
//
// By Christoffel's symbols: M is a sum of Jacobians' products; its derivatives, with the structure they have, make the velocity
// coupling (structure.hpp). That is what people write, and what `explain` shows. There are n³ symbols: a chain of 15 general
// axes is 100 000 operations this way and 15 000 the other.
//
// By gradients: the momenta p = ∂T/∂u come from T by one reverse pass, M as their derivatives by u, and ṗ − ∂T/∂q from a
// forward and another reverse pass. The graph of T grows like the number of bodies, and so does that of f.

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation::lagrange {

enum class VelocityTerms : std::uint8_t { symbols, gradients };

/// M and f over all freedoms of the mechanism, given ones as if they were free.
FormulatedEquations equations(const System& system, VelocityTerms by);

/// By symbols up to six freedoms, by gradients beyond.
VelocityTerms velocity_terms_for(std::size_t freedoms);

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options = {});

}  // namespace linkwright::formulation::lagrange
