#pragma once
// Which nodes of a graph were made for which link. A recursion over a long chain does the same for every link; who lowers it can then write
// that once and call it (program/roll.hpp).

#include <cstdint>
#include <vector>

#include "linkwright/sym/pool.hpp"

namespace linkwright::eom {

/// Nodes from `first` on, up to the next strand, were made for this group: for one link in one sweep over the tree. What a group needs comes
/// from lower ones.
struct Strand {
    static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< for no link
    sym::NodeId first;
    std::uint32_t group;
};
using Strands = std::vector<Strand>;  ///< in ascending order

}  // namespace linkwright::eom
