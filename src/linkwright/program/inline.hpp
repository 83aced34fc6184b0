#pragma once
// Programs with calls made into programs without.

#include "linkwright/program/program.hpp"

namespace linkwright::program {

/// Every call replaced by the lines of its routine, however deep: the same operations on the same numbers in the same order. A
/// program without calls comes back as it is. Throws std::invalid_argument when a call names no routine before it in the
/// library, passes another number of values, or its results do not stand in a row.
Program inlined(Program program);

/// The routines that a program calls, directly or through others, in ascending order: inner ones first.
std::vector<std::size_t> routines_of(const Program& program);

}  // namespace linkwright::program
