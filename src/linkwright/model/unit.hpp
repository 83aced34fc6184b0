#pragma once
// Units of measurement, converted to SI at the door.
//
//     unit  =  term { ("*" | "/") term }                    N*m/rad  kg*m^2  m/s^2  1/s
//     term  =  name [ "^" integer ] | "1"                   integer may have a minus sign; "·" stands for "*", "²" for "^2", "³" for "^3"
//
// A name is one of the table in unit.cpp, or an SI prefix and one that takes prefixes (mm, kN, GPa, mH). Every factor
// is exact: an inch is 127/5000 m, a degree pi/180 rad, one rpm pi/30 rad/s.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::model {

/// What one such unit is in SI units; `unknown` names the word that is no unit when there is no factor.
struct UnitFactor {
    std::optional<sym::Expr> factor;
    std::string unknown;  ///< empty also when the grammar is wrong
    std::string si;       ///< the SI unit it becomes: rpm is rad/s, mm^2 is m^2
};
UnitFactor unit_factor(std::string_view unit);

/// "9.81 m/s^2" or "2kg".
struct NumberWithUnit {
    double number = 0;
    std::string_view digits, unit;  ///< as written
};
/// Nothing when it is anything else, nor of degrees and percents, for which expressions have other words.
std::optional<NumberWithUnit> number_with_unit(std::string_view text);
/// The same where a quantity is meant: "2*kg" too, "30 deg", "5 %".
std::optional<NumberWithUnit> quantity(std::string_view text);

/// Every name without a prefix, and the usual prefixed ones, for suggestions.
std::vector<std::string> unit_names();

}  // namespace linkwright::model
