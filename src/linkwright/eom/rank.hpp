#pragma once
// Which constraints say nothing new, whatever the position: rank by fingerprint.

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

/// The rank of G as a matrix of functions, from the residues of its entries at the pool's random point. That point is no
/// position of the mechanism, so rows found here depend on each other everywhere, closed or not; what depends only where
/// loops are closed (a Bennett loop) is not seen. `is_known` is false when an entry has no residue to go by (roots and their
/// like): then nothing is claimed. When the rank reaches the number of speeds, further rows depend on the earlier ones for that
/// reason alone, and mean something only where the mechanism closes.
struct SymbolicRank {
    bool is_known = false;
    std::size_t rank = 0;
    std::vector<std::size_t> redundant;  ///< rows that earlier ones imply, ascending
};
SymbolicRank symbolic_rank(const EquationsOfMotion& equations);

}  // namespace linkwright::eom
