#pragma once
// Names for long roots that a page repeats: lengths of springs and rods, above all.

#include <span>
#include <string>
#include <vector>

#include "linkwright/present/recursive.hpp"

namespace linkwright::present {

/// Roots that stand in the formulas more than once and are long enough for a name to be worth it are named prefix1, prefix2,
/// …, each in terms of earlier ones; the formulas then use the names. x^(-3/2) is the third power of 1/√x.
std::vector<StraightLine::Step> name_roots(std::span<sym::Formula* const> formulas, const std::string& prefix);

}  // namespace linkwright::present
