#include "linkwright/compare/term_repair.hpp"

#include <algorithm>
#include <array>

#include "linkwright/compare/monomials.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::compare {

using sym::Residue;

/// One statement that shall become `need`: guesses are brought here, verified, and kept when they are right.
class Repairer::Bench {
public:
    Bench(const Repairer& owner, const std::vector<Bound>& statements, std::size_t s, const Expr& need, Effort& effort)
        : owner_(owner),
          statements_(statements),
          s_(s),
          bound_(statements[s]),
          need_(need),
          effort_(effort),
          desk_(owner.binder_.ours().desk),
          search_(owner.binder_, owner.lexicon_, statements, s, effort) {}

    std::vector<Choice> out;

    double least() const {
        double cost = 1e9;
        for (const Choice& c : out) cost = std::min(cost, cost_of(c));
        return cost;
    }
    const Expr& theirs() const { return search_.whole(); }

    void find_one() {
        search_.solve_whole(need_.node().residue);
        for (const Change& c : search_.found) keep(std::span(&c, 1));
    }

    /// In an intermediate variable that is used more than once.
    void find_below() {
        for (const std::size_t d : search_.cone()) {
            if (d == s_ || search_.uses(d) < 2 || statements_[d].is_damaged) continue;
            for (const Change& c : search_.changes(d, statements_[d].root, 1500)) {
                if (effort_.is_over()) return;
                keep(std::span(&c, 1));
            }
        }
    }

    void find_several() {
        SeveralSlips slips(search_, need_ - theirs(), desk_);
        std::size_t judged = 0;
        for (const SlipSet& set : slips.pairs()) {
            if (++judged > 60 || set.cost > least() + 0.12) break;
            keep(set.changes);
        }
        if (const auto cover = slips.cover(); cover && leaves_something(*cover)) keep(*cover, need_, {});
    }

    /// As above, when the whole has the wrong sign besides.
    void find_several_turned() {
        const Bound& b = bound_;
        if (b.role != Bound::Role::target) return;
        const Tree::Node& root = b.tree[b.root];
        const Repair turned = search_.told(s_, root.first, root.last, RepairKind::sign, 1.2, "the whole with the opposite sign");
        SeveralSlips slips(search_, -need_ - theirs(), desk_);
        std::size_t judged = 0;
        for (const SlipSet& set : slips.pairs()) {
            if (++judged > 20) break;
            keep(set, -need_, turned);
        }
        if (const auto cover = slips.cover(); cover && leaves_something(*cover)) keep(*cover, -need_, turned);
    }

    /// Two changes that do not add up, below one function: one is made, the other solved for.
    void find_entangled() {
        for (const std::size_t d : search_.cone()) {
            if (statements_[d].is_damaged) continue;
            for (const Change& first : search_.changes(d, statements_[d].root, 3000)) {
                if (effort_.is_over() || out.size() > 40) return;
                TermSearch second(owner_.binder_, owner_.lexicon_, statements_, s_, effort_);
                second.set_values(search_.changed_values(std::span(&first, 1)));
                second.solve_whole(need_.node().residue);
                for (const Change& c : second.found) {
                    if (c.statement != first.statement || c.part != first.part) keep(std::array{first, c});
                }
            }
        }
    }

private:
    /// Terms that go and terms that come are a repair only where some stay: otherwise they would repair any formula.
    bool leaves_something(const SlipSet& set) const {
        const auto is_term = [](const Change& c) { return c.told.kind == RepairKind::term; };
        if (set.missing.empty() && std::ranges::none_of(set.changes, is_term)) return true;
        const auto count = [&](const Expr& e) {
            const auto terms = monomials(e, Angles::opened, desk_);
            return terms ? terms->size() : 0;
        };
        return count(need_ - theirs()) < count(theirs()) + count(need_);
    }
    Expr changed(std::span<const Change> changes) const { return search_.changed_values(changes)[s_][bound_.root]; }

    void keep(std::span<const Change> changes) {
        const Expr now = changed(changes);
        if (now.node().residue != need_.node().residue || sym::equal(now, need_) != sym::Verdict::equal) return;
        out.push_back(told(changes));
    }
    void keep(const SlipSet& set, const Expr& goal, const std::optional<Repair>& before) {
        const Expr now = changed(set.changes) + sym::to_expr(set.missing, desk_);
        if (sym::equal(now, goal) != sym::Verdict::equal) return;
        Choice choice = told(set.changes);
        if (before) choice.push_back(*before);
        if (!set.missing.empty()) choice.push_back(owner_.told_missing(bound_, set.missing, 2.0 * static_cast<double>(set.missing.size())));
        out.push_back(std::move(choice));
    }
    Choice told(std::span<const Change> changes) const {
        Choice choice;
        for (const Change& c : changes) choice.push_back(c.told);
        return choice;
    }

    const Repairer& owner_;
    const std::vector<Bound>& statements_;
    std::size_t s_;
    const Bound& bound_;
    Expr need_;
    Effort& effort_;
    sym::Pool& desk_;
    TermSearch search_;
};

namespace {

/// Best first, each once, without what is much less likely.
std::vector<Repairer::Choice> likely(std::vector<Repairer::Choice> all) {
    const auto cost = [](const Repairer::Choice& c) { return cost_of(c); };
    std::ranges::stable_sort(all, {}, cost);
    std::vector<Repairer::Choice> out;
    const double best = all.empty() ? 0 : cost(all.front());
    for (Repairer::Choice& c : all) {
        std::ranges::stable_sort(c, {}, [](const Repair& r) { return std::pair(r.where.line, r.where.column); });
        const bool is_known = std::ranges::any_of(out, [&](const Repairer::Choice& d) {
            return std::ranges::equal(c, d, [](const Repair& a, const Repair& b) { return a.what == b.what && a.where == b.where; });
        });
        const bool says_more = std::ranges::none_of(out, [&](const Repairer::Choice& d) {
            return d.size() == c.size() && d.front().kind == c.front().kind && d.front().where.line == c.front().where.line &&
                   d.front().kind == RepairKind::factor;
        });
        if (!is_known && cost(c) <= best + 0.12 && says_more) out.push_back(std::move(c));
    }
    return out;
}

}  // namespace

Repairer::Repairer(Binder& binder) : binder_(binder), lexicon_(binder) {}

std::vector<Repairer::Choice> Repairer::repair(const std::vector<Bound>& statements, std::size_t s, const Expr& need,
                                               std::chrono::milliseconds patience, bool tries_all) {
    if (statements[s].is_damaged || !TermSearch::has_residue(need)) return {};
    Effort effort(patience);
    Bench bench(*this, statements, s, need, effort);
    bench.find_one();
    tell_missing_terms(statements[s], bench.theirs(), need, bench.out);
    if (bench.least() > 1.2) tell_moved_brackets(statements, s, need, effort, bench.out);
    if (bench.least() > 1.9) bench.find_below();
    if (bench.least() > 3) bench.find_several();
    if (bench.least() > 5) bench.find_several_turned();
    if (bench.out.empty() && tries_all) bench.find_entangled();
    spent_ += effort.spent();
    return likely(std::move(bench.out));
}

}  // namespace linkwright::compare
