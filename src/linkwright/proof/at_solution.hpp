#pragma once
// Two systems of equations solved at the point, and what they then say about accelerations and wrenches of joints.

#include "linkwright/proof/maximal.hpp"

namespace linkwright::proof {

/// The wrench of every joint becomes an output: what formulations with and without multipliers must agree on.
void ask_for_reactions(model::Model& model);

/// The maximal side's part of what follows, kept in Projection::balance: its derivatives are taken once, and it is solved once for
/// partners that come with the same numbers.
std::shared_ptr<const Balance> prepare(const Projection& projection);

/// Multipliers of the rows that both have (chords, rods, wheels, gears) are any numbers. The relative system M ṡ = f − Gᵀλ is solved for
/// them, in the prime fields; with u̇ = B ṡ + Ḃ s + ḃ the rest of M_max u̇ + G_maxᵀ λ = f_max is a system for the multipliers of
/// hinges: it must have a solution. Outputs and power, affine in accelerations and multipliers, are then compared. That this
/// holds for all λ, and not only for those that keep the loops closed, makes it independent of redundant constraints.
Pair at_solution(const std::string& relative_name, const EquationsOfMotion& relative, const std::string& maximal_name,
                 const Projection& projection, const sym::Rational& division);

}  // namespace linkwright::proof
