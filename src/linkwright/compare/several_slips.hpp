#pragma once
// Several slips in one line, and terms that are missing besides.
//
// A slip at a part on which the whole depends affinely adds something to the whole, whatever other slips there are elsewhere. So the
// differences of independent slips add up, and finding them is finding summands:
//
//   - two slips: each change that a person might make is tried once, what it adds is kept in a table, and for every change we look up
//     what is left of the difference. A slip that multiplies a product by r multiplies by r what another slip adds in that product.
//   - more: the difference is written as a sum of monomials. A slip accounts for some of them. Each subset of the monomials has its sum in
//     a table, so that one look tells what a change accounts for; then the cheapest changes are chosen that account for every monomial
//     once. What no change accounts for is a term that is missing.
//
// What comes out has not been verified yet: slips below one function, or a variable that stands on both sides of a product, need not add up.

#include <unordered_map>

#include "linkwright/compare/term_search.hpp"
#include "linkwright/sym/terms.hpp"

namespace linkwright::compare {

/// Changes that belong together.
struct SlipSet {
    std::vector<Change> changes;
    sym::Terms missing;  ///< to be added at the end
    double cost = 0;
};

/// Σ cost, and 1 for each change after the first: one slip is likelier than two.
double cost_of(std::span<const Repair> repairs);

class SeveralSlips {
public:
    /// `difference` is what the whole lacks: ours − theirs.
    SeveralSlips(TermSearch& search, const Expr& difference, sym::Pool& desk);

    /// Two slips, cheapest first.
    std::vector<SlipSet> pairs();
    /// As few slips and missing terms as account for the whole difference; empty when it is too long or takes too many.
    std::optional<SlipSet> cover();

private:
    struct Slip {
        Change change;
        sym::Residue adds;
    };
    void collect_slips();
    void add_pair(std::size_t first, sym::Residue left, std::vector<SlipSet>& out) const;
    void add_pairs_in_products(std::size_t first, std::vector<SlipSet>& out);
    std::vector<std::optional<Change>> find_parts(const sym::Terms& terms);

    TermSearch& search_;
    Expr difference_;
    sym::Pool& desk_;
    std::vector<Slip> slips_;  ///< by cost
    struct Hash {
        std::size_t operator()(const sym::Residue& r) const { return r.r1 ^ (r.r2 * 0x9E3779B97F4A7C15ULL); }
    };
    std::unordered_map<sym::Residue, std::size_t, Hash> slip_at_;  ///< by what it adds: the cheapest
};

}  // namespace linkwright::compare
