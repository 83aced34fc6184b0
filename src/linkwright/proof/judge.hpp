#pragma once
// The verdict over two sides, entry by entry.

#include "linkwright/proof/prove.hpp"
#include "linkwright/proof/side.hpp"

namespace linkwright::proof {

/// Entries of the same name are compared in the point that both pools share.
///
/// - Equal residues: equal, but for the probability that `log2_error` bounds.
/// - Unequal ones, and a real evaluation with a bound on its rounding shows it: different. Real numbers that differ by less than
///   `numeric_tolerance` of what went into them are the rounding of constants of many digits; the entry is then counted in
///   Pair::numeric and not in the proof.
/// - Unequal ones behind an opaque function, and no evaluation shows anything: the normal form is asked. If it does not know, numbers count
///   as above when every function in it is smooth (roots, nested sines, atan2); behind abs, sign, min, max or if a few states say
///   nothing about the others: unknown.
///
/// An entry that only one side has makes the verdict unknown.
Pair judge(const Side& a, const Side& b);

inline constexpr double numeric_tolerance = 1e-11;

/// A real number for a symbol, the same for the same name: the state of which a Difference tells. Even draws are positive.
double real_value(const Expr& symbol, std::uint64_t draw);

/// Whether a function without a value in a finite field stands in it and depends on a symbol. An opaque constant, the angle of a
/// rounded direction say, is only a number: numbers decide about it.
bool depends_opaquely(std::span<const Expr> functions);

/// Whether something below them decides between branches: abs, sign, min, max, if.
bool has_branches(std::span<const Expr> functions);

/// How many nodes are below e, counted no further than `most`.
std::size_t size_up_to(const Expr& e, std::size_t most);

/// Both verdicts together: another point, or another part of the same question.
Pair at_both_points(Pair first, const Pair& second);

}  // namespace linkwright::proof
