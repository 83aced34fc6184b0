#pragma once
// Numbers and formulas for people.

#include <cmath>
#include <cstddef>

namespace linkwright::session {

/// What rounding has left of zero beside numbers of this size is zero. Positions are found to 1e-13, beside 1.
inline double without_dust(double x, double size) { return std::abs(x) <= 1e-13 * size || std::abs(x) < 1e-15 ? 0.0 : x; }

/// Nobody reads a formula of more terms than this; pages write it with intermediates instead.
constexpr std::size_t longest_to_read = 600;

}  // namespace linkwright::session
