#pragma once
// Two systems of equations solved at the point, and what they then say about accelerations and wrenches of joints.

#include "linkwright/proof/maximal.hpp"

namespace linkwright::proof {

/// The relative system M ṡ + Gᵀλ = f, G ṡ = γ is solved, in the prime fields. With u̇ = B ṡ + Ḃ s + ḃ and the multipliers of the
/// rows that both have, the rest of M_max u̇ + G_maxᵀ λ = f_max is one for the multipliers of hinges: it must have a solution.
/// Outputs and power, affine in accelerations and multipliers, are then compared.
///
/// Where the constraints leave the multipliers undetermined there is nothing to compare, and the note says so.
Pair at_solution(const std::string& relative_name, const EquationsOfMotion& relative, const std::string& maximal_name, const Projection& projection,
                 const sym::Rational& division);

}  // namespace linkwright::proof
