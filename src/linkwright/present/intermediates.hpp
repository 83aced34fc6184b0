#pragma once
// The intermediates of a page, whoever made them: in an order in which they can be read, with names in that order.

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "linkwright/present/recursive.hpp"

namespace linkwright::present {

using NewNames = std::unordered_map<std::string, std::string>;  ///< by old ones

/// All at once: z1 may become z2 and z2 z1.
void rename(sym::Formula& formula, const NewNames& names);

/// Each step after those it uses, otherwise in the order given, called prefix1, prefix2, …, in the formulas too.
void number(std::vector<StraightLine::Step>& steps, std::span<sym::Formula* const> formulas, const std::string& prefix);

}  // namespace linkwright::present
