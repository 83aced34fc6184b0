#pragma once
// A formulation against itself: what it writes besides M and f, what is read of it, what is run of it.

#include "linkwright/proof/judge.hpp"

namespace linkwright::proof {

/// Explicit accelerations and the inverse, where there are some: M a = f, and inverse = M u̇ − f in the symbols u̇.
std::vector<Pair> own_forms(const std::string& name, const EquationsOfMotion& carried, const sym::Rational& division);

/// The lowered program of M, f, G, γ and (of a tree) the accelerations: its lines are carried out once more with expressions for
/// numbers, and what comes out is compared with what went in. Every constant of the program must round from a number of the
/// graph; that number takes its place.
Pair program_pair(const std::string& name, const EquationsOfMotion& shipped, const EquationsOfMotion& carried,
                  const sym::Rational& division);

/// M and f as they are printed: every entry that the readable form can afford is written as text, parsed, and compared. As with the second
/// witness, `patience` is turned into a number of nodes.
Pair readable_pair(const std::string& name, const EquationsOfMotion& shipped, const EquationsOfMotion& carried,
                   const sym::Rational& division, std::chrono::milliseconds patience);

}  // namespace linkwright::proof
