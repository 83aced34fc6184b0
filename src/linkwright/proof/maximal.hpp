#pragma once
// Six speeds for each body against the speeds of the joints.

#include "linkwright/proof/judge.hpp"

namespace linkwright::proof {

/// With u = B s + b of the maximal equations' `reduction`:
///
///     Bᵀ M_max B = M        Bᵀ (f_max − M_max (Ḃ s + ḃ)) = f        f_max at u = B s + b
///     G_max B = 0, and G_max (Ḃ s + ḃ) = γ_max                    for rows of hinges
///     G_max B = G, and γ_max − G_max (Ḃ s + ḃ) = γ                  for rows of chords, rods, wheels and gears
///
/// Products of matrices are compared by their action on the symbols ṡ: M ṡ for M, which says the same and takes n² terms, not n³.
/// Then q̇, energies and outputs at u = B s + b, and wrenches of joints where both systems have solved.
std::vector<Pair> maximal_pairs(const std::string& maximal_name, const EquationsOfMotion& maximal, const std::string& relative_name,
                                const EquationsOfMotion& relative, const sym::Rational& division);

}  // namespace linkwright::proof
