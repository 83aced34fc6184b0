#pragma once
// Scales that round nothing. ilogb and ldexp are calls; these are a shift each, for numbers that are neither 0 nor denormal nor infinite.

#include <algorithm>
#include <bit>
#include <cstdint>

namespace linkwright::solve {

/// The e with 2^e ≤ |x| < 2^(e+1).
constexpr int exponent(double x) { return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023; }
/// 2^e, the nearest that is a number without loss.
constexpr double power_of_two(int e) { return std::bit_cast<double>(static_cast<std::uint64_t>(std::clamp(e, -1022, 1023) + 1023) << 52); }

}  // namespace linkwright::solve
