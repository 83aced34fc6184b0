#pragma once
// Entries of which the print is damaged: which mends, taken together, give what the entry should be.

#include "linkwright/compare/compare.hpp"

namespace linkwright::compare {

/// The statements that make an entry, first to last: x = …, x = x + …
std::vector<std::size_t> chain_of(const Binder& binder, std::size_t last);
bool uses_previous(const Binder& binder, std::size_t statement);
bool is_chain_damaged(const Binder& binder, std::size_t last);

/// Fills in outcome and repairs. Candidates of all damaged statements are put together by their residues, so that ten thousand
/// readings of one and ten thousand of another cost twenty thousand look-ups. False when nothing was found.
bool judge_damaged(Binder& binder, Repairer& repairer, std::size_t last, std::chrono::milliseconds patience, ComparedEntry& entry);

}  // namespace linkwright::compare
