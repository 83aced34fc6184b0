#include "linkwright/jit/packs.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>

namespace linkwright::jit {
namespace {

using program::Op;
using program::Program;
using Lanes = std::array<Index, 4>;

// What is saved and lost, in quarters of an instruction.
constexpr int saved_by_pack = 12, cost_of_gather = 20, cost_of_store = 4, cost_of_common = 1;
constexpr std::size_t few = 48;       // so many lines are looked at as candidates
constexpr std::size_t trial = 200;    // so many packs are looked at to see what a candidate is worth
constexpr std::size_t most_shared = 8;
constexpr std::size_t deepest = 400;  // so far a tree of packs reaches

bool is_packable(Kind kind) {
    switch (kind) {
        case Kind::neg:
        case Kind::sqrt:
        case Kind::add:
        case Kind::sub:
        case Kind::mul:
        case Kind::div:
        case Kind::min:
        case Kind::max:
        case Kind::fma:
        case Kind::fms:
        case Kind::fnma:
        case Kind::fnms: return true;
        default: return false;
    }
}

/// Do the first two arguments change places freely?
bool commutes(Kind kind) {
    switch (kind) {
        case Kind::add:
        case Kind::mul:
        case Kind::fma:
        case Kind::fms:
        case Kind::fnma:
        case Kind::fnms: return true;
        default: return false;
    }
}

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15U;
    return x ^ (x >> 29);
}

struct LanesHash {
    std::size_t operator()(const Lanes& l) const {
        std::uint64_t h = 0;
        for (const Index v : l) h = mixed(h + v + 1);
        return static_cast<std::size_t>(h);
    }
};

/// Four steps that are one, and the lanes of their arguments.
struct Made {
    Lanes lanes;
    Kind kind;
    std::uint8_t arity;
    std::array<Lanes, 3> args;
};

class Finder {
public:
    Finder(const Plan& plan, const Program& program) : plan_(plan), program_(program) {
        values_ = static_cast<Index>(program.values());
        step_of_.assign(values_, none);
        pack_of_.assign(values_, none);
        for (std::size_t k = 0; k < plan.steps.size(); ++k) {
            if (plan.steps[k].kind == Kind::turn || plan.steps[k].kind == Kind::call) first_ = k + 1;
        }
        for (std::size_t k = 0; k < plan.steps.size(); ++k) {
            if (plan.steps[k].value != none) step_of_[plan.steps[k].value] = static_cast<Index>(k);
        }
        find_uses();
        find_shapes();
    }

    /// Were there any that pay?
    bool find() {
        for (std::size_t k = plan_.steps.size(); k-- > first_;) seed(plan_.steps[k].value);
        if (made_.empty()) return false;
        while (!order()) {}
        return true;
    }

    Plan packed() {
        new_ = plan_;
        new_.steps.resize(first_);
        for (const Index unit : order_) {
            const Step& s = plan_.steps[units_[unit]];
            if (pack_of_[s.value] == none) {
                for (std::size_t i = 0; i < s.arity; ++i) expose(s.args[i]);
                new_.steps.push_back(s);
                continue;
            }
            const Made& made = made_[pack_of_[s.value]];
            Step step{made.kind, s.op, made.arity, none, {}, {none, none, none}, none};
            for (std::size_t i = 0; i < made.arity; ++i) step.args[i] = resolve(made.args[i]);
            step.value = enter({Pack::Origin::made, made.lanes});
            new_.steps.push_back(step);
        }
        look_ahead(new_, values_);
        return std::move(new_);
    }

private:
    bool can_pack(Index v) const {
        return step_of_[v] != none && step_of_[v] >= first_ && pack_of_[v] == none && is_packable(plan_.steps[step_of_[v]].kind);
    }
    const Step& step(Index v) const { return plan_.steps[step_of_[v]]; }
    std::span<const Index> users(Index v) const { return {users_.data() + first_user_[v], first_user_[v + 1] - first_user_[v]}; }

    void find_uses() {
        first_user_.assign(values_ + 1, 0);
        const auto each = [&](auto f) {
            for (std::size_t k = first_; k < plan_.steps.size(); ++k) {
                const Step& s = plan_.steps[k];
                for (std::size_t i = 0; i < s.arity; ++i) f(s.args[i], s.value);
            }
        };
        each([&](Index v, Index) { ++first_user_[v + 1]; });
        for (std::size_t i = 1; i < first_user_.size(); ++i) first_user_[i] += first_user_[i - 1];
        users_.resize(first_user_.back());
        std::vector<Index> at(first_user_.begin(), first_user_.end() - 1);
        each([&](Index v, Index user) { users_[at[v]++] = user; });
    }

    /// What a value is made of, three operations deep.
    void find_shapes() {
        shape_.assign(values_, 1);
        for (std::size_t k = first_; k < plan_.steps.size(); ++k) shape_[plan_.steps[k].value] = 3 + static_cast<std::uint64_t>(plan_.steps[k].kind);
        kind_shape_ = shape_;
        for (int depth = 0; depth < 2; ++depth) {
            const std::vector<std::uint64_t> before = shape_;
            for (std::size_t k = first_; k < plan_.steps.size(); ++k) {
                const Step& s = plan_.steps[k];
                std::uint64_t h = 100 + static_cast<std::uint64_t>(s.kind);
                std::array<std::uint64_t, 3> a{};
                for (std::size_t i = 0; i < s.arity; ++i) a[i] = mixed(before[s.args[i]]);
                if (commutes(s.kind))
                    h = mixed(h + a[0] + a[1]);
                else
                    h = mixed(mixed(h + a[0]) + a[1]);
                shape_[s.value] = mixed(h + a[2]);
            }
        }
    }

    // Candidates -----------------------------------------------------------------------------------------------------

    void seed(Index v) {
        if (!can_pack(v)) return;
        const Step& s = step(v);
        std::vector<Lanes> candidates;
        const auto propose = [&](const Lanes& l) {
            if (std::ranges::find(candidates, l) == candidates.end()) candidates.push_back(l);
        };
        for (std::size_t i = 0; i < s.arity; ++i) {
            propose_beside(v, s.args[i], propose);
            propose_sharing(v, s.args[i], propose);
        }
        propose_outputs(v, propose);
        int best = 0;
        const Lanes* chosen = nullptr;
        for (const Lanes& l : candidates) {
            budget_ = trial;
            const std::size_t before = journal_.size();
            const int gain = build(l);
            undo(before);
            if (gain > best) best = gain, chosen = &l;
        }
        if (chosen == nullptr) return;
        budget_ = none;
        build(*chosen);
    }

    /// The other lanes of a pack that `argument` is in have users of the same kind, with another argument in common.
    template <class F>
    void propose_beside(Index v, Index argument, const F& propose) {
        if (pack_of_[argument] == none) return;
        const Lanes& p = made_[pack_of_[argument]].lanes;
        const Step& s = step(v);
        Lanes found{none, none, none, none};
        for (std::size_t k = 0; k < 4; ++k) {
            if (p[k] == argument) {
                found[k] = v;
                continue;
            }
            int best = -1;
            std::size_t seen = 0;
            for (const Index u : users(p[k])) {
                if (++seen > few) break;
                if (u == v || !can_pack(u) || step(u).kind != s.kind) continue;
                if (std::ranges::find(found, u) != found.end()) continue;
                int score = shape_[u] == shape_[v] ? 1 : 0;
                for (std::size_t i = 0; i < s.arity; ++i) {
                    for (std::size_t j = 0; j < s.arity; ++j) {
                        if (s.args[i] != argument && s.args[i] == step(u).args[j]) score += 4;
                        if (s.args[i] != argument && pack_of_[s.args[i]] != none && pack_of_[s.args[i]] == pack_of_[step(u).args[j]]) score += 2;
                    }
                }
                if (score > best) best = score, found[k] = u;
            }
            if (found[k] == none) return;
        }
        propose(found);
    }

    /// Lines of the same kind and shape that have this argument as well.
    template <class F>
    void propose_sharing(Index v, Index argument, const F& propose) {
        const Step& s = step(v);
        const auto all = users(argument);
        auto at = std::ranges::lower_bound(all, step_of_[v], {}, [&](Index u) { return step_of_[u]; });
        Lanes found{none, none, none, v};
        std::size_t k = 3;
        for (std::size_t seen = 0; k > 0 && at != all.begin() && seen < few; ++seen) {
            const Index u = *--at;
            if (u == found[k] || !can_pack(u) || step(u).kind != s.kind || shape_[u] != shape_[v]) continue;
            if (std::ranges::any_of(s.args, [&](Index a) { return a == u; })) continue;
            found[--k] = u;
        }
        if (k == 0) propose(found);
    }

    template <class F>
    void propose_outputs(Index v, const F& propose) {
        for (Index k = plan_.first_output[v]; k != none; k = plan_.next_output[k]) {
            if (k < 3) continue;
            Lanes l{};
            bool is_good = true;
            for (Index i = 0; i < 4; ++i) {
                l[i] = program_.outputs[k - 3 + i];
                is_good = is_good && can_pack(l[i]) && step(l[i]).kind == step(v).kind;
                for (Index j = 0; j < i; ++j) is_good = is_good && l[i] != l[j];
            }
            if (is_good) propose(l);
        }
    }

    // Trees of packs -------------------------------------------------------------------------------------------------

    bool is_all_constant(const Lanes& l) const {
        return std::ranges::all_of(l, [&](Index v) { return is_constant(v); });
    }
    bool is_constant(Index v) const { return v >= program_.inputs && v < program_.first_line(); }
    static bool is_common(const Lanes& l) { return l[0] == l[1] && l[0] == l[2] && l[0] == l[3]; }
    bool is_row(const Lanes& l) const {
        if (l[3] >= program_.first_line() || (l[0] < program_.inputs) != (l[3] < program_.inputs)) return false;
        return l[1] == l[0] + 1 && l[2] == l[0] + 2 && l[3] == l[0] + 3;
    }

    int likeness(Index a, Index b) const {
        if (a == b) return 8;
        if (pack_of_[a] != none && pack_of_[a] == pack_of_[b]) return 6;
        if (is_constant(a) && is_constant(b)) return 5;
        return shape_[a] == shape_[b] ? 4 : kind_shape_[a] == kind_shape_[b] ? 2 : 0;
    }

    /// What a pack of these lanes gains, with all that it brings about; it is made.
    int build(const Lanes& l, std::size_t depth = 0) {
        if (is_common(l)) return -cost_of_common;
        if (is_row(l) || is_all_constant(l) || by_lanes_.contains(l)) return 0;
        if (depth > deepest || !is_isomorphic(l)) return gather(l);
        if (budget_ == 0) return 0;
        --budget_;
        const Step& s = step(l[0]);
        Made made{l, s.kind, s.arity, {}};
        for (std::size_t k = 0; k < 4; ++k) {
            std::array<Index, 3> a = step(l[k]).args;
            if (k > 0 && commutes(s.kind) &&
                likeness(s.args[0], a[1]) + likeness(s.args[1], a[0]) > likeness(s.args[0], a[0]) + likeness(s.args[1], a[1])) {
                std::swap(a[0], a[1]);
            }
            for (std::size_t i = 0; i < s.arity; ++i) made.args[i][k] = a[i];
        }
        const std::size_t before = journal_.size();
        const auto at = static_cast<Index>(made_.size());
        made_.push_back(made);
        by_lanes_.emplace(l, at);
        journal_.push_back(l);
        bool is_exposed = false;
        for (const Index v : l) {
            pack_of_[v] = at;
            is_exposed = is_exposed || std::ranges::any_of(users(v), [&](Index u) { return pack_of_[u] == none; });
        }
        int gain = is_exposed ? saved_by_pack - cost_of_store : saved_by_pack;
        for (std::size_t i = 0; i < s.arity; ++i) {
            if (std::find(made.args.begin(), made.args.begin() + i, made.args[i]) == made.args.begin() + i) gain += build(made.args[i], depth + 1);
        }
        if (gain >= -cost(l)) return gain;
        undo(before);
        return gather(l);
    }
    int gather(const Lanes& l) {
        by_lanes_.emplace(l, none);
        journal_.push_back(l);
        return -cost(l);
    }
    /// What is gathered serves as often as each of it is wanted.
    int cost(const Lanes& l) const {
        std::size_t uses = most_shared;
        for (const Index v : l) uses = std::min(uses, users(v).size());
        return cost_of_gather / static_cast<int>(std::max<std::size_t>(uses, 1));
    }
    void undo(std::size_t size) {
        for (; journal_.size() > size; journal_.pop_back()) {
            const auto at = by_lanes_.find(journal_.back());
            if (at->second != none) {
                for (const Index v : at->first) pack_of_[v] = none;
                made_.pop_back();
            }
            by_lanes_.erase(at);
        }
    }

    /// Four different lines of one kind that are in no pack yet, none of them an argument of another.
    bool is_isomorphic(const Lanes& l) const {
        for (std::size_t k = 0; k < 4; ++k) {
            if (!can_pack(l[k]) || step(l[k]).kind != step(l[0]).kind) return false;
            for (std::size_t j = 0; j < k; ++j) {
                if (l[j] == l[k] || is_argument(l[j], l[k]) || is_argument(l[k], l[j])) return false;
            }
        }
        return true;
    }
    bool is_argument(Index a, Index of) const {
        const Step& s = step(of);
        return std::find(s.args.begin(), s.args.begin() + s.arity, a) != s.args.begin() + s.arity;
    }

    // Order ----------------------------------------------------------------------------------------------------------

    /// What is carried out at once: a step, or the four of a pack. Packs stand where the last of their lanes stood.
    void find_units() {
        units_.clear();
        unit_of_.assign(plan_.steps.size(), none);
        std::vector<Index> last(made_.size(), 0);
        for (std::size_t k = first_; k < plan_.steps.size(); ++k) {
            const Index p = pack_of_[plan_.steps[k].value];
            if (p != none) last[p] = static_cast<Index>(k);
        }
        for (std::size_t k = first_; k < plan_.steps.size(); ++k) {
            const Index p = pack_of_[plan_.steps[k].value];
            if (p != none && last[p] != k) continue;
            const auto unit = static_cast<Index>(units_.size());
            if (p == none) {
                unit_of_[k] = unit;
            } else {
                for (const Index v : made_[p].lanes) unit_of_[step_of_[v]] = unit;
            }
            units_.push_back(static_cast<Index>(k));
        }
    }
    template <class F>
    void for_each_argument(Index unit, const F& f) const {
        const auto of_step = [&](const Step& s) {
            for (std::size_t i = 0; i < s.arity; ++i) {
                const Index k = step_of_[s.args[i]];
                if (k != none && k >= first_) f(unit_of_[k]);
            }
        };
        const Step& s = plan_.steps[units_[unit]];
        if (pack_of_[s.value] == none) return of_step(s);
        for (const Index v : made_[pack_of_[s.value]].lanes) of_step(step(v));
    }

    /// Units in an order that has arguments first and is otherwise that of the plan. False: there is none, and packs that stood in the way are gone.
    bool order() {
        find_units();
        const std::size_t n = units_.size();
        std::vector<Index> first(n + 1, 0), missing(n, 0);
        for (Index u = 0; u < n; ++u) {
            for_each_argument(u, [&](Index a) { ++first[a + 1], ++missing[u]; });
        }
        for (std::size_t i = 1; i <= n; ++i) first[i] += first[i - 1];
        std::vector<Index> users(first.back()), at(first.begin(), first.end() - 1);
        for (Index u = 0; u < n; ++u) {
            for_each_argument(u, [&](Index a) { users[at[a]++] = u; });
        }
        std::priority_queue<Index, std::vector<Index>, std::greater<>> ready;
        for (Index u = 0; u < n; ++u) {
            if (missing[u] == 0) ready.push(u);
        }
        order_.clear();
        while (!ready.empty()) {
            const Index u = ready.top();
            ready.pop();
            order_.push_back(u);
            for (Index i = first[u]; i < first[u + 1]; ++i) {
                if (--missing[users[i]] == 0) ready.push(users[i]);
            }
        }
        if (order_.size() == n) return true;
        break_circles(missing);
        return false;
    }
    /// What waits for itself: whoever waits is followed to what it waits for, until one comes again. The widest pack on that circle goes.
    void break_circles(const std::vector<Index>& missing) {
        std::vector<Index> seen(units_.size(), 0);
        const auto awaited = [&](Index u) {
            Index a = none;
            for_each_argument(u, [&](Index x) {
                if (missing[x] != 0) a = x;
            });
            return a;
        };
        Index round = 0;
        for (Index start = 0; start < units_.size(); ++start) {
            if (missing[start] == 0 || seen[start] != 0) continue;
            ++round;
            Index u = start;
            for (; u != none && seen[u] == 0; u = awaited(u)) seen[u] = round;
            if (u == none || seen[u] != round) continue;
            Index widest = none, most = 0;
            const Index begin = u;
            do {
                const Index p = pack_of_[plan_.steps[units_[u]].value];
                if (p != none) {
                    Index low = none, high = 0;
                    for (const Index v : made_[p].lanes) low = std::min(low, step_of_[v]), high = std::max(high, step_of_[v]);
                    if (widest == none || high - low > most) widest = p, most = high - low;
                }
                u = awaited(u);
            } while (u != begin);
            if (widest != none) dissolve(widest);
        }
    }
    void dissolve(Index p) {
        by_lanes_.erase(made_[p].lanes);
        for (const Index v : made_[p].lanes) pack_of_[v] = none;
    }

    // The new plan ---------------------------------------------------------------------------------------------------

    /// The pack of these lanes in the new plan; what must be gathered for it is gathered here.
    Index resolve(const Lanes& l) {
        const auto found = ids_.find(l);
        if (found != ids_.end()) return found->second;
        Pack pack{Pack::Origin::gathered, l};
        if (is_common(l))
            pack.origin = Pack::Origin::common;
        else if (is_row(l))
            pack.origin = Pack::Origin::in_a_row;
        else if (is_all_constant(l)) {
            pack.origin = Pack::Origin::constants;
            pack.row = static_cast<Index>(new_.constants.size() / 4);
            for (const Index v : l) new_.constants.push_back(program_.constants[v - program_.inputs]);
        }
        const Index id = enter(pack);
        if (pack.origin == Pack::Origin::gathered) new_.steps.push_back({Kind::gather, Op::add, 0, id, {0, 0, 0}, {none, none, none}, none});
        if (pack.origin == Pack::Origin::gathered || pack.origin == Pack::Origin::common) {
            for (const Index v : l) expose(v);
        }
        return id;
    }
    Index enter(const Pack& pack) {
        const auto id = values_ + static_cast<Index>(new_.packs.size());
        new_.packs.push_back(pack);
        ids_.emplace(pack.lanes, id);
        return id;
    }
    void expose(Index v) {
        if (pack_of_[v] == none) return;
        const Lanes& l = made_[pack_of_[v]].lanes;
        const auto k = std::ranges::find(l, v) - l.begin();
        new_.packs[ids_.at(l) - values_].exposed |= static_cast<std::uint8_t>(1U << k);
    }

    const Plan& plan_;
    const Program& program_;
    Index values_ = 0;
    std::size_t first_ = 0;  ///< steps before this one are left alone: angles, calls
    std::vector<Index> step_of_, pack_of_, first_user_, users_;
    std::vector<std::uint64_t> shape_, kind_shape_;
    std::vector<Made> made_;
    std::unordered_map<Lanes, Index, LanesHash> by_lanes_;  ///< what is made, and none for what is gathered
    std::vector<Lanes> journal_;
    std::size_t budget_ = 0;
    std::vector<Index> units_, unit_of_, order_;
    Plan new_;
    std::unordered_map<Lanes, Index, LanesHash> ids_;
};

}  // namespace

Plan with_packs(Plan plan, const Program& program) {
    Finder finder(plan, program);
    return finder.find() ? finder.packed() : plan;
}

}  // namespace linkwright::jit
