#pragma once
// A shorter program that means the same. A graph is built by whoever derives it, one node at a time, and a node that is right
// where it was made may be a detour where it is used: a·b + a·c with both products used nowhere else, 3x subtracted here and
// −3x added there, 2x + 6y when x + 3y is known. This pass looks at sums and products as wholes and rearranges them:
//
//     a·b + a·c        → a·(b + c)         products that nothing else needs
//     2·x·y, 2·x·z     → (2·x)·y, (2·x)·z  a number goes with the factor that shares it
//     x + y + z, x + y + w                 sums with two terms in common, the same up to a factor, share them
//     x·y·z, x·y·w                         products likewise
//     c·x and −c·x                         one of them, added or subtracted
//
// Terms are regrouped, never cancelled against what was not there: no x is replaced by y − z. Rounding may fall otherwise, in the
// last digits of the largest term, as in any other order of summation. Sums that gain nothing stay as they are, line by line.
// Time is n log n in the length of the program.

#include "linkwright/program/program.hpp"

namespace linkwright::program {

/// The same outputs from the same inputs with as many operations or fewer. Lines keep their order; what is new stands before
/// its first use. Every value of the result is used, no line is there twice, and pairs of sine and cosine stay together.
/// A program with calls is returned as it is.
///
/// Inputs from `first_fixed` on are worth nothing: what is made of them and constants alone is done once, by whoever splits the
/// program (hoist.hpp). Then numbers go with fixed factors, and fixed factors with each other.
Program factor(const Program& program, std::size_t first_fixed = static_cast<std::size_t>(-1));

}  // namespace linkwright::program
