#include "linkwright/ensemble/sobol_sequence.hpp"

#include <array>
#include <cassert>

namespace linkwright::ensemble {

namespace {

constexpr std::size_t length = 52;  // of the fractions, and of the numbers of points that differ

/// A primitive polynomial x^degree + … + 1 (`inner`: the coefficients between, as bits) and the first direction numbers [joe08, table new-joe-kuo-6].
struct Start {
    unsigned degree, inner;
    std::array<std::uint32_t, 7> m;
};

constexpr std::array<Start, sobol_dimensions - 1> starts{{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

using Directions = std::array<std::uint64_t, length>;

/// v_k with its uppermost bit at 2⁻¹, in the upper bits of the word.
Directions directions(std::size_t dimension) {
    Directions v{};
    if (dimension == 0) {
        for (std::size_t k = 0; k < length; ++k) v[k] = std::uint64_t{1} << (63 - k);
        return v;
    }
    const Start& s = starts[dimension - 1];
    for (std::size_t k = 0; k < length; ++k) {
        if (k < s.degree) {
            v[k] = static_cast<std::uint64_t>(s.m[k]) << (63 - k);
            continue;
        }
        v[k] = v[k - s.degree] ^ (v[k - s.degree] >> s.degree);
        for (unsigned i = 1; i < s.degree; ++i) {
            if ((s.inner >> (s.degree - 1 - i) & 1) != 0) v[k] ^= v[k - i];
        }
    }
    return v;
}

}  // namespace

std::uint64_t sobol_bits(std::uint64_t at, std::size_t dimension) {
    static const auto all = [] {
        std::array<Directions, sobol_dimensions> table{};
        for (std::size_t j = 0; j < sobol_dimensions; ++j) table[j] = directions(j);
        return table;
    }();
    assert(dimension < sobol_dimensions);
    std::uint64_t x = 0;
    for (std::size_t k = 0; at != 0 && k < length; ++k, at >>= 1) {
        if ((at & 1) != 0) x ^= all[dimension][k];
    }
    return x;
}

}  // namespace linkwright::ensemble
