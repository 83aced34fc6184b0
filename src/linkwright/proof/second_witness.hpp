#pragma once
// The normal form as the second witness: no probability in it, but it must be affordable.

#include <chrono>

#include "linkwright/proof/side.hpp"

namespace linkwright::proof {

/// For each entry of some equations, which of the others have exactly the same.
struct ExactEntries {
    std::vector<std::vector<bool>> is_equal;  ///< [other][entry]
    std::size_t count(std::size_t other) const;
    std::size_t count(std::size_t one, std::size_t other) const;  ///< both equal the first, and so each other
};

/// M, f, G, γ and the rest of `first` against each of `others`, the cheapest entries first. `patience` is turned into a number of nodes, so that a
/// proof can be repeated; the clock ends it only when it takes far longer than that.
ExactEntries exactly_equal(const EquationsOfMotion& first, std::span<const EquationsOfMotion* const> others,
                           std::chrono::milliseconds patience);

}  // namespace linkwright::proof
