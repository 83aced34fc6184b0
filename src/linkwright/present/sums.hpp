#pragma once
// Names for long sums that a page repeats, and for long sums that are multiplied by others.
//
// A sum is recognised in any order of its terms and up to a factor: a − b and b − a, 2·x + y and x + y/2 are one. Outer sums come first: what
// stands only inside a sum that has a name is on the page once, and needs none of its own.

#include <span>
#include <string>
#include <vector>

#include "linkwright/present/recursive.hpp"

namespace linkwright::present {

/// Names sums (and calls, such as max and if) of the formulas and of the values of `steps` where that makes the page shorter by some words, and long
/// sums that are factors beside other long sums. What has a name is a step; all steps are numbered anew, each after those it uses: prefix1, prefix2, ….
void name_sums(std::span<sym::Formula* const> formulas, std::vector<StraightLine::Step>& steps, const std::string& prefix);

}  // namespace linkwright::present
