#pragma once
// Closed chains in emitted code: the linear system by straight-line code, pivots chosen where the mechanism starts (program/elimination.hpp).

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen {

/// Adds after `dynamics`
///
///     elimination    t q u w c → udot lambda weakest growth     valid while weakest ≥ 1 and growth ≤ program::Elimination::most_growth
///
/// to a package of a closed chain whose start values and rank are known; backends that eliminate (Backend::eliminates) try it before their kernel. Where pivots are not good there, rows are redundant
/// (beside the constraints only the kernel finds their compromise) or the code would be very long, nothing is added. What stands against it; empty: it was added.
std::string put_in_elimination(Package& package);

/// Which speeds the constraints give, by which rows, and "valid while …": for pages and code. `quote` stands around names of speeds.
std::string in_words(const PivotChoice& choice, std::string_view quote = {});
/// "Solved by elimination, a', b' independent; valid while its pivots keep their size".
std::string in_short(const PivotChoice& choice, std::string_view quote = {});

/// The same without, for the others.
Package without_elimination(Package package);

}  // namespace linkwright::codegen
