#pragma once
// Sobol's sequence: points that fill the cube more evenly than chance does [sobol67], in the order of their numbers, with the polynomials and first
// direction numbers of [joe08]. Of a power of two of points every slab of that many equal ones holds one, in every direction.

#include <cstddef>
#include <cstdint>

namespace linkwright::ensemble {

constexpr std::size_t sobol_dimensions = 21;  ///< how many there are numbers for

/// 52 bits of coordinate `dimension` of point `at`, uppermost first, in the upper bits: as `unit` takes them.
std::uint64_t sobol_bits(std::uint64_t at, std::size_t dimension);

}  // namespace linkwright::ensemble
