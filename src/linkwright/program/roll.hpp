#pragma once
// A long program made short where it does the same again and again: for each link of a long chain the same operations on other numbers.
//
// Code that is longer than the caches for instructions is as slow as the memory behind them, and takes its time to shorten and to compile.
// Written once and called for each link it is read once; what is read for each link is numbers. Who derived the lines knows which of them
// belong together: the lines of one link in one sweep are a *group*. Groups that are alike line by line are one routine, constants and
// values of other groups being its inputs.

#include "linkwright/program/program.hpp"

namespace linkwright::program {

/// Of a line: the group that it was made for. Groups run one after the other, in ascending order; memory goes with the largest number.
using Group = std::uint32_t;
inline constexpr Group no_group = ~Group{0};  ///< behind all groups

enum class Shorten : bool { no, yes };

/// The same outputs from the same inputs, with a call for each group that is like another one. `program` has no calls, and `group` has an entry
/// for each of its lines.
///
/// - A line that an earlier group needs is done by the earliest that does; so a group needs nothing of later ones, whatever was said.
/// - Alike are groups with the same operations on their own lines, the same places of what comes from elsewhere, whether a constant or a
///   value, equal ones at the same places, and the same lines that others want.
/// - Inputs of a routine: constants, then values. What is alone remains as it is.
/// - With Shorten::no these are the same operations on the same numbers; with Shorten::yes the routines went through `factor`, not the rest.
///
/// Time is linear in the length of the program.
Program rolled(const Program& program, std::vector<Group> group, Shorten shorten);

/// Whether compiled code should call the routines of a program: written out it would leave the caches, with calls it is much shorter, and
/// routines do more than it takes to call them.
bool is_worth_calling(const Program& program);

}  // namespace linkwright::program
