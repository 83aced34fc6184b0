#pragma once
// Six speeds for each body against the speeds of the joints.

#include "linkwright/proof/judge.hpp"

namespace linkwright::proof {

/// What the maximal equations say in terms of the joints' speeds, u = B s + b being their `reduction`:
///
///     M ← Bᵀ M_max B        f ← Bᵀ (f_max − M_max (Ḃ s + ḃ)), f_max at u = B s + b
///     G ← G_max B           γ ← γ_max − G_max (Ḃ s + ḃ)
///
/// Products of matrices are written by their action on the symbols ṡ, M ṡ for M: that says the same and takes n² terms, not n³.
struct Balance;  ///< at_solution.cpp: the maximal side solved, once for all partners
struct Projection {
    const EquationsOfMotion* maximal;
    std::vector<Expr> velocity{};      ///< B s + b, for each u
    std::vector<Expr> acceleration{};  ///< B ṡ + Ḃ s + ḃ
    std::vector<Expr> left{};          ///< Ḃ s + ḃ
    std::vector<Entry> entries{};      ///< "M u'[hip']", "f[hip']", "G u'[row]", "gamma[row]", rates, energies, momenta
    std::vector<Entry> values{};       ///< power, outputs, events: they may use u̇ and λ
    std::shared_ptr<const Balance> balance{};
};
/// `maximal` must outlive the result.
Projection project(const EquationsOfMotion& maximal);

/// Two pairs. First, entry by entry: M, f, rows of chords, rods, wheels and gears, q̇, energies; and that rows of hinges say
/// nothing about s, G_max B = 0 and γ_max = G_max (Ḃ s + ḃ).
///
/// Second, where both systems are solved: M_max u̇ + G_maxᵀ λ = f_max holds with u̇ = B ṡ + Ḃ s + ḃ, and outputs, wrenches of
/// joints among them, are the same: never raw multipliers. Both systems are solved in the prime fields.
std::vector<Pair> maximal_pairs(const std::string& maximal_name, const Projection& projection, const std::string& relative_name,
                                const EquationsOfMotion& relative, const sym::Rational& division);

}  // namespace linkwright::proof
