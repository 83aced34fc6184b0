#pragma once
// Random numbers by counting: Philox 4×32 with ten rounds [salmon11]. A number is a function of a key and a counter, not of the numbers
// before it; so run 70 000 draws the same ones whoever draws them, and in whatever order.

#include <array>
#include <cstdint>

namespace linkwright::ensemble {

/// Ten rounds of the bijection.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// What numbers are drawn for: streams of one seed that have nothing to do with each other.
enum class Stream : std::uint32_t { values, shift, order, place, resampling };

/// 64 random bits, number `at` of a series, of a stream of a seed.
std::uint64_t bits(std::uint64_t seed, Stream stream, std::uint64_t at, std::uint32_t series);

/// Equally distributed in (0, 1), never an end of it: the upper 52 bits, and a half.
double unit(std::uint64_t bits);

/// One of 0 … size−1, each as likely as the others up to 2⁻⁶⁴·size.
std::uint64_t below(std::uint64_t size, std::uint64_t bits);

}  // namespace linkwright::ensemble
