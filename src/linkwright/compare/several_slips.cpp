#include "linkwright/compare/several_slips.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "linkwright/compare/monomials.hpp"

namespace linkwright::compare {

using sym::Residue;

namespace {

using Mask = std::uint32_t;
constexpr std::size_t most_monomials = 14;  ///< 2^14 subsets
constexpr std::size_t most_solved = 130;    ///< of them, the smallest
constexpr std::size_t most_slips = 6, most_missing = 4;
constexpr double missing_cost = 2;

}  // namespace

double cost_of(std::span<const Repair> repairs) {
    double sum = repairs.empty() ? 0 : static_cast<double>(repairs.size()) - 1;
    for (const Repair& r : repairs) sum += r.cost;
    return sum;
}

SeveralSlips::SeveralSlips(TermSearch& search, const Expr& difference, sym::Pool& desk)
    : search_(search), difference_(difference), desk_(desk) {
    collect_slips();
}

void SeveralSlips::collect_slips() {
    for (const std::size_t s : search_.cone()) {
        const Bound& b = search_.statements()[s];
        if (b.is_damaged || search_.effort().is_over()) continue;
        const auto& slope = search_.slopes()[s];
        if (!slope[b.root].at) continue;
        for (Change& c : search_.changes(s, b.root, 20'000)) {
            if (search_.effort().is_over()) break;
            const auto adds = search_.added(c);
            if (adds && !adds->is_zero()) slips_.push_back({std::move(c), *adds});
        }
    }
    std::ranges::stable_sort(slips_, {}, [](const Slip& s) { return s.change.told.cost; });
    for (std::size_t i = 0; i < slips_.size(); ++i) slip_at_.emplace(slips_[i].adds, i);
}

// --------------------------------------------------------------------------------------------------------------- pairs

std::vector<SlipSet> SeveralSlips::pairs() {
    std::vector<SlipSet> out;
    for (std::size_t i = 0; i < slips_.size(); ++i) {
        add_pair(i, difference_.node().residue - slips_[i].adds, out);
        add_pairs_in_products(i, out);
    }
    search_.effort().spend(slips_.size());
    std::ranges::stable_sort(out, {}, &SlipSet::cost);
    return out;
}

/// The first slip with another one that adds what is left, if there is one.
void SeveralSlips::add_pair(std::size_t first, Residue left, std::vector<SlipSet>& out) const {
    const auto other = slip_at_.find(left);
    if (other == slip_at_.end()) return;
    const Change &a = slips_[first].change, &b = slips_[other->second].change;
    if (a.statement == b.statement && a.part == b.part && !a.factor && !b.factor) return;
    out.push_back({{a, b}, {}, a.told.cost + b.told.cost + 1});
}

/// With x a product that the slip multiplies by r, and a its slope: D = a x (r − 1) + r Δ, when the other one adds Δ inside x.
void SeveralSlips::add_pairs_in_products(std::size_t first, std::vector<SlipSet>& out) {
    const Slip& slip = slips_[first];
    const std::size_t s = slip.change.statement;
    const auto& slopes = search_.slopes()[s];
    for (Tree::Part p = slip.change.part; p != Tree::none; p = slopes[p].parent) {
        const bool multiplies = search_.tree(s)[p].kind == Tree::Kind::product || (p == slip.change.part && slip.change.factor);
        const Expr& x = search_.value(s, p);
        if (!multiplies || !slopes[p].at || !TermSearch::has_residue(x)) continue;
        const auto unit = sym::inverse(*slopes[p].at * x.node().residue);
        const auto back = unit ? sym::inverse(sym::residue_of(1) + slip.adds * *unit) : std::nullopt;
        if (back) add_pair(first, (difference_.node().residue - slip.adds) * *back, out);
    }
}

// -------------------------------------------------------------------------------------------------------------- covers

namespace {

/// The cheapest way to account for the monomials of a mask, what accounts for the lowest of them being `last`.
struct Account {
    double cost = std::numeric_limits<double>::infinity();
    Mask last = 0;
    std::uint8_t slips = 0, missing = 0;
    bool is_missing = false;  ///< `last` is a term that is not there
};

std::size_t lowest(Mask m) { return static_cast<std::size_t>(std::countr_zero(m)); }

/// Of all masks, from the costs of what accounts for each at once; an infinite cost where nothing does.
std::vector<Account> find_accounts(std::size_t count, const std::vector<double>& cost) {
    const Mask full = (Mask{1} << count) - 1;
    std::vector<std::vector<Mask>> begins_at(count);
    for (Mask m = 1; m <= full; ++m) {
        if (cost[m] < std::numeric_limits<double>::infinity()) begins_at[lowest(m)].push_back(m);
    }
    std::vector<Account> best(full + 1);
    best[0].cost = -1;
    for (Mask m = 1; m <= full; ++m) {
        const auto take = [&](Mask part, double more, bool is_missing) {
            const Account& rest = best[m & ~part];
            if (rest.cost + more + 1 >= best[m].cost) return;
            if (is_missing ? rest.missing >= most_missing : rest.slips >= most_slips) return;
            best[m] = {rest.cost + more + 1, part, static_cast<std::uint8_t>(rest.slips + (is_missing ? 0 : 1)),
                       static_cast<std::uint8_t>(rest.missing + (is_missing ? 1 : 0)), is_missing};
        };
        take(Mask{1} << lowest(m), missing_cost, true);
        for (const Mask part : begins_at[lowest(m)]) {
            if ((part & ~m) == 0) take(part, cost[part], false);
        }
    }
    return best;
}

}  // namespace

/// What accounts for each subset of the monomials: the cheapest change that was tried, or, for the smaller subsets, solved for.
std::vector<std::optional<Change>> SeveralSlips::find_parts(const sym::Terms& terms) {
    const Mask full = (Mask{1} << terms.size()) - 1;
    std::vector<Residue> one, sum(full + 1);
    for (const sym::Term& t : terms) one.push_back(sym::to_expr(sym::Terms{t}, desk_).node().residue);
    std::unordered_map<Residue, Mask, Hash> subset_of;
    for (Mask m = 1; m <= full; ++m) {
        sum[m] = sum[m & (m - 1)] + one[lowest(m)];
        subset_of.emplace(sum[m], m);
    }
    search_.effort().spend(full / 4);
    std::vector<std::optional<Change>> part(full + 1);
    const auto offer = [&](Mask m, const Change& c) {
        if (!part[m] || c.told.cost < part[m]->told.cost) part[m] = c;
    };
    for (const Slip& s : slips_) {
        if (const auto at = subset_of.find(s.adds); at != subset_of.end()) offer(at->second, s.change);
    }
    std::vector<Mask> order(full);
    std::iota(order.begin(), order.end(), Mask{1});
    std::ranges::stable_sort(order, {}, [](Mask m) { return std::popcount(m); });
    order.resize(std::min(order.size(), most_solved));
    for (const Mask m : order) {
        if (search_.effort().is_over()) break;
        search_.found.clear();
        search_.solve_whole(search_.whole().node().residue + sum[m]);
        for (const Change& c : search_.found) offer(m, c);
    }
    return part;
}

std::optional<SlipSet> SeveralSlips::cover() {
    const auto terms = monomials(difference_, shorter_angles(difference_, desk_), desk_);
    if (!terms || terms->empty() || terms->size() > most_monomials) return std::nullopt;
    const std::vector<std::optional<Change>> part = find_parts(*terms);
    std::vector<double> cost;
    for (const auto& c : part) cost.push_back(c ? c->told.cost : std::numeric_limits<double>::infinity());
    const std::vector<Account> best = find_accounts(terms->size(), cost);
    if (best.back().last == 0) return std::nullopt;
    SlipSet out{.changes = {}, .missing = {}, .cost = best.back().cost};
    for (auto m = static_cast<Mask>(best.size() - 1); m != 0; m &= ~best[m].last) {
        if (best[m].is_missing)
            out.missing.push_back((*terms)[lowest(m)]);
        else
            out.changes.push_back(*part[best[m].last]);
    }
    return out;
}

}  // namespace linkwright::compare
