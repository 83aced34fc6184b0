#include "linkwright/jit/packs.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace linkwright::jit {
namespace {

using program::Op;
using program::Program;
using Lanes = std::array<Index, 4>;

// What is saved and lost, in quarters of an instruction.
constexpr int one = 4, cost_of_store = 4, cost_of_common = 1;
constexpr std::size_t few = 48;         // so many lines are looked at as candidates
constexpr std::size_t trial = 200;      // so many packs are looked at to see what a candidate is worth
constexpr std::size_t most = 20000;     // and so many are made from one
constexpr std::size_t deepest = 400;    // a tree of packs is no deeper
constexpr std::size_t most_shared = 2;  // what is gathered is expected to serve no oftener
constexpr std::size_t few_lines = 64;   // with fewer lines for an output there may be columns
constexpr int big = 1 << 20;

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

/// Steps that are one, and the lanes of their arguments. Lanes that are none are nobody's.
struct Made {
    Lanes lanes;
    Kind kind;
    std::uint8_t arity, size;
    std::array<Lanes, 3> args;
};

std::size_t size(const Lanes& l) { return static_cast<std::size_t>(4 - std::ranges::count(l, none)); }
Index any_of(const Lanes& l) {
    return *std::ranges::find_if(l, [](Index v) { return v != none; });
}
template <class F>
bool is_all(const Lanes& l, const F& f) {
    return std::ranges::all_of(l, [&](Index v) { return v == none || f(v); });
}

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
    bool find(double least) {
        for (std::size_t k = plan_.steps.size(); k-- > first_;) {
            if (plan_.first_output[plan_.steps[k].value] != none) seed(plan_.steps[k].value);
        }
        if (made_.empty()) return false;
        order();
        for (int pass = 0; pass < 4; ++pass) prune();
        order();
        return pays(least);
    }

    Plan packed() {
        new_ = plan_;
        new_.steps.resize(first_);
        id_of_made_.assign(made_.size(), none);
        for (const Index k : order_) {
            const Step& s = plan_.steps[k];
            if (pack_of_[s.value] == none) {
                for (std::size_t i = 0; i < s.arity; ++i) expose(s.args[i]);
                new_.steps.push_back(s);
                continue;
            }
            const Made& made = made_[pack_of_[s.value]];
            Step step{made.kind, s.op, made.arity, none, {}, {none, none, none}, none};
            for (std::size_t i = 0; i < made.arity; ++i) step.args[i] = resolve(made.args[i]);
            step.value = enter({Pack::Origin::made, made.lanes});
            id_of_made_[pack_of_[s.value]] = step.value;
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
        for (std::size_t k = first_; k < plan_.steps.size(); ++k)
            shape_[plan_.steps[k].value] = 3 + static_cast<std::uint64_t>(plan_.steps[k].kind);
        kind_shape_ = shape_;
        find_roles();
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

    /// What is made of a value, one operation deep.
    void find_roles() {
        role_.assign(values_, 0);
        for (std::size_t k = first_; k < plan_.steps.size(); ++k) {
            const Step& s = plan_.steps[k];
            for (std::size_t i = 0; i < s.arity; ++i) {
                std::uint64_t other = 0;
                for (std::size_t j = 0; j < s.arity; ++j) other += j == i ? 0 : kind_shape_[s.args[j]];
                role_[s.args[i]] += mixed(1000 * static_cast<std::uint64_t>(s.kind) + (i == 2 ? 500 : 0) + other);
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
            if (is_constant(s.args[i])) continue;  // many lines have it that have nothing else to do with each other
            propose_beside(v, s.args[i], propose);
            propose_sharing(v, s.args[i], propose);
        }
        propose_outputs(v, propose);
        int best = 0;
        const Lanes* chosen = nullptr;
        for (const Lanes& l : candidates) {
            if (failed_.contains(l)) continue;
            budget_ = trial;
            is_trial_ = true;
            const std::size_t before = journal_.size();
            const int gain = build(l);
            undo(before);
            if (gain > best) best = gain, chosen = &l;
            if (gain <= 0) failed_.insert(l);
        }
        if (chosen == nullptr) return;
        budget_ = most;
        is_trial_ = false;
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
            if (p[k] == argument) found[k] = v;
            if (p[k] == argument || p[k] == none) continue;
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
                        if (s.args[i] != argument && pack_of_[s.args[i]] != none && pack_of_[s.args[i]] == pack_of_[step(u).args[j]])
                            score += 2;
                    }
                }
                if (score > best) best = score, found[k] = u;
            }
        }
        if (size(found) > 1) propose(found);
    }

    /// Lines of the same kind and shape that have this argument as well: the nearest before, best those that are used alike.
    template <class F>
    void propose_sharing(Index v, Index argument, const F& propose) {
        const Step& s = step(v);
        const auto all = users(argument);
        const auto end = std::ranges::lower_bound(all, step_of_[v], {}, [&](Index u) { return step_of_[u]; });
        Lanes found{none, none, none, v};
        std::size_t k = 3;
        for (const bool alike : {true, false}) {
            auto at = end;
            for (std::size_t seen = 0; k > 0 && at != all.begin() && seen < few; ++seen) {
                const Index u = *--at;
                if ((role_[u] == role_[v]) != alike || !can_pack(u) || step(u).kind != s.kind || shape_[u] != shape_[v]) continue;
                if (std::ranges::find(found, u) != found.end() || is_argument(u, v)) continue;
                found[--k] = u;
            }
            if (alike && k == 2) break;
        }
        std::sort(found.begin() + static_cast<std::ptrdiff_t>(k), found.end(), [&](Index a, Index b) { return step_of_[a] < step_of_[b]; });
        if (k < 3) propose(found);
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

    bool is_constant(Index v) const { return v >= program_.inputs && v < program_.first_line(); }
    static bool is_common(const Lanes& l) {
        return is_all(l, [v = any_of(l)](Index w) { return v == w; });
    }
    bool is_all_constant(const Lanes& l) const {
        return is_all(l, [&](Index v) { return is_constant(v); });
    }
    /// Inputs, or constants, that stand in a row: the first, or none.
    Index row_of(const Lanes& l) const {
        std::size_t k = 0;
        while (l[k] == none) ++k;
        if (l[k] >= program_.first_line() || l[k] < k) return none;
        const Index first = l[k] - static_cast<Index>(k);
        for (Index i = 0; i < 4; ++i) {
            if (l[i] != none && l[i] != first + i) return none;
        }
        const bool is_input = first + 3 < program_.inputs, is_constant_row = first >= program_.inputs && first + 3 < program_.first_line();
        return is_input || is_constant_row ? first : none;
    }
    /// The pack that has these lanes, or none.
    Index find_made(const Lanes& l) const {
        const Index p = pack_of_[any_of(l)];
        if (p == none) return none;
        for (std::size_t k = 0; k < 4; ++k) {
            if (l[k] != none && l[k] != made_[p].lanes[k]) return none;
        }
        return p;
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
        if (row_of(l) != none || is_all_constant(l) || find_made(l) != none || gathered_.contains(l)) return 0;
        const Lanes part = depth > deepest || failed_.contains(l) ? Lanes{none, none, none, none} : alike(l);
        if (size(part) < 2) return gather(l);
        const std::size_t before = journal_.size();
        int gain = 0;
        if (part == l) {
            if (budget_ == 0) return is_trial_ ? 0 : gather(l);
            --budget_;
            gain = make(l, depth);
        } else {  // the others are put in
            gain = build(part, depth);
            const int rest = gather(l);
            if (find_made(part) != none) {
                gain += rest;
            } else {
                gain = -big;
            }
        }
        if (gain >= -cost(l)) return gain;
        undo(before);
        failed_.insert(l);
        return gather(l);
    }
    int make(const Lanes& l, std::size_t depth) {
        std::size_t lead = 0;
        while (l[lead] == none) ++lead;
        const Step& s = step(l[lead]);
        Made made{l, s.kind, s.arity, static_cast<std::uint8_t>(size(l)), {}};
        for (std::size_t k = 0; k < 4; ++k) {
            std::array<Index, 3> a{none, none, none};
            if (l[k] != none) a = step(l[k]).args;
            if (l[k] != none && k != lead && commutes(s.kind) &&
                likeness(s.args[0], a[1]) + likeness(s.args[1], a[0]) > likeness(s.args[0], a[0]) + likeness(s.args[1], a[1])) {
                std::swap(a[0], a[1]);
            }
            for (std::size_t i = 0; i < s.arity; ++i) made.args[i][k] = a[i];
        }
        const auto at = static_cast<Index>(made_.size());
        made_.push_back(made);
        journal_.push_back({l, true});
        bool is_exposed = false;
        for (const Index v : l) {
            if (v == none) continue;
            pack_of_[v] = at;
            is_exposed = is_exposed || std::ranges::any_of(users(v), [&](Index u) { return pack_of_[u] == none; });
        }
        int gain = one * (made.size - 1) - (is_exposed ? cost_of_store : 0);
        for (std::size_t i = 0; i < s.arity; ++i) {
            if (std::find(made.args.begin(), made.args.begin() + i, made.args[i]) == made.args.begin() + i)
                gain += build(made.args[i], depth + 1);
        }
        return gain;
    }
    int gather(const Lanes& l) {
        gathered_.insert(l);
        journal_.push_back({l, false});
        return -cost(l);
    }
    /// What is gathered serves as often as each of it is wanted.
    int cost(const Lanes& l) const {
        std::size_t uses = most_shared;
        for (const Index v : l) uses = v == none ? uses : std::min(uses, users(v).size());
        return std::min(cost_of_singles(l), cost_of_blending(l)) / static_cast<int>(std::max<std::size_t>(uses, 1));
    }
    static int cost_of_singles(const Lanes& l) {
        const bool upper = l[2] != none || l[3] != none;
        return one * (static_cast<int>(size(l)) + (upper ? 1 : 0));
    }
    /// Lanes that packs have in the right place, and the others put in.
    int cost_of_blending(const Lanes& l) const {
        int total = -one;
        bool is_good = false;
        for (std::size_t k = 0; k < 4; ++k) {
            if (l[k] == none) continue;
            const Index p = in_place(l, k);
            if (p == none) {
                total += 2 * one;
                continue;
            }
            bool is_first = true;
            for (std::size_t j = 0; j < k; ++j) {
                if (l[j] != none && in_place(l, j) == p) is_first = false, is_good = true;
            }
            if (is_first) total += one;
        }
        return is_good ? total : big;
    }
    Index in_place(const Lanes& l, std::size_t k) const {
        const Index p = pack_of_[l[k]];
        return p != none && made_[p].lanes[k] == l[k] ? p : none;
    }
    void undo(std::size_t size) {
        for (; journal_.size() > size; journal_.pop_back()) {
            const auto& [lanes, is_made] = journal_.back();
            if (!is_made) {
                gathered_.erase(lanes);
                continue;
            }
            for (const Index v : lanes) {
                if (v != none) pack_of_[v] = none;
            }
            made_.pop_back();
        }
    }

    /// Those lanes that are different lines of one kind, in no pack yet, none of them an argument of another: as many as there are.
    Lanes alike(const Lanes& l) const {
        Lanes best{none, none, none, none};
        for (std::size_t lead = 0; lead < 4; ++lead) {
            if (l[lead] == none || !can_pack(l[lead])) continue;
            Lanes part{none, none, none, none};
            for (std::size_t k = 0; k < 4; ++k) {
                if (l[k] == none || !can_pack(l[k]) || step(l[k]).kind != step(l[lead]).kind) continue;
                bool fits = true;
                for (std::size_t j = 0; j < k; ++j) {
                    if (part[j] != none && (part[j] == l[k] || is_argument(part[j], l[k]) || is_argument(l[k], part[j]))) fits = false;
                }
                if (fits) part[k] = l[k];
            }
            if (size(part) > size(best)) best = part;
        }
        const bool is_whole = size(best) == 4;
        if (!is_whole && size(best) > 0) {
            const Kind kind = step(any_of(best)).kind;
            if (kind == Kind::div || kind == Kind::sqrt) return {none, none, none, none};  // of what is nobody's
        }
        return best;
    }
    bool is_argument(Index a, Index of) const {
        const Step& s = step(of);
        return std::find(s.args.begin(), s.args.begin() + s.arity, a) != s.args.begin() + s.arity;
    }

    // Order ----------------------------------------------------------------------------------------------------------

    bool is_inside(Index v) const { return step_of_[v] != none && step_of_[v] >= first_; }

    /// The order of the plan, but for packs, which wait for all their lanes, and for what waits for them. Packs that wait for themselves are dissolved.
    void order() {
        const std::size_t n = plan_.steps.size();
        missing_.assign(n, 0);
        for (std::size_t k = first_; k < n; ++k) {
            const Step& s = plan_.steps[k];
            for (std::size_t i = 0; i < s.arity; ++i) missing_[k] += is_inside(s.args[i]) ? 1 : 0;
        }
        lanes_ready_.assign(made_.size(), 0);
        for (Index k = static_cast<Index>(first_); k < n; ++k) {
            if (missing_[k] == 0) is_complete(k);
        }
        order_.clear();
        is_done_.assign(n, false);
        std::size_t done = first_;
        Index stalled = static_cast<Index>(first_);
        const auto finish = [&](Index k) {
            ++done;
            is_done_[k] = true;
            for (const Index u : users(plan_.steps[k].value)) {
                if (--missing_[step_of_[u]] == 0) is_complete(step_of_[u]);
            }
        };
        while (done < n) {
            if (ready_.empty()) {
                while (is_done_[stalled]) ++stalled;
                dissolve(widest_of_circle(stalled));
                continue;
            }
            const Index k = ready_.top();
            ready_.pop();
            order_.push_back(k);
            const Index p = pack_of_[plan_.steps[k].value];
            if (p == none) {
                finish(k);
            } else {
                for (const Index v : made_[p].lanes) {
                    if (v != none) finish(step_of_[v]);
                }
            }
        }
    }
    /// All arguments of step k are there. A pack stands where the last of its lanes stood.
    void is_complete(Index k) {
        const Index p = pack_of_[plan_.steps[k].value];
        if (p == none) return ready_.push(k);
        if (++lanes_ready_[p] == made_[p].size) ready_.push(span_of(p).second);
    }
    /// The first and the last step of a pack.
    std::pair<Index, Index> span_of(Index p) const {
        std::pair<Index, Index> span{none, 0};
        for (const Index v : made_[p].lanes) {
            if (v != none) span = {std::min(span.first, step_of_[v]), std::max(span.second, step_of_[v])};
        }
        return span;
    }
    /// A step waits for an argument, or with its pack for another lane's: followed until one comes again.
    Index widest_of_circle(Index start) {
        const auto awaited = [&](Index k) {
            Index a = none;
            const auto look = [&](Index step) {
                const Step& s = plan_.steps[step];
                for (std::size_t i = 0; i < s.arity && a == none; ++i) {
                    if (is_inside(s.args[i]) && !is_done_[step_of_[s.args[i]]]) a = step_of_[s.args[i]];
                }
            };
            const Index p = pack_of_[plan_.steps[k].value];
            if (p == none) {
                look(k);
            } else {
                for (const Index v : made_[p].lanes) {
                    if (v != none) look(step_of_[v]);
                }
            }
            if (a == none) return a;
            const Index q = pack_of_[plan_.steps[a].value];
            return q == none ? a : span_of(q).first;
        };
        std::unordered_map<Index, bool> seen;
        Index k = pack_of_[plan_.steps[start].value] == none ? start : span_of(pack_of_[plan_.steps[start].value]).first;
        while (seen.emplace(k, true).second) k = awaited(k);
        Index widest = none, length = 0;
        const Index begin = k;
        do {
            const Index p = pack_of_[plan_.steps[k].value];
            if (p != none) {
                const auto [first, last] = span_of(p);
                if (widest == none || last - first > length) widest = p, length = last - first;
            }
            k = awaited(k);
        } while (k != begin);
        return widest;
    }
    void dissolve(Index p) {
        for (const Index v : made_[p].lanes) {
            if (v == none) continue;
            pack_of_[v] = none;
            if (missing_[step_of_[v]] == 0) ready_.push(step_of_[v]);
        }
    }

    // What was hoped for and is not ----------------------------------------------------------------------------------

    bool is_kept(Index p) const { return pack_of_[any_of(made_[p].lanes)] == p; }
    bool is_gathered(const Lanes& l) const { return !is_common(l) && row_of(l) == none && !is_all_constant(l) && find_made(l) == none; }
    int true_cost(const Lanes& l) const { return std::min(cost_of_singles(l), cost_of_blending(l)); }
    bool is_exposed(Index p) const {
        return !is_all(made_[p].lanes,
                       [&](Index v) { return std::ranges::all_of(users(v), [&](Index u) { return pack_of_[u] != none; }); });
    }
    /// How many packs want what is gathered, and each pack.
    void count_users(std::unordered_map<Lanes, int, LanesHash>& of_gathered, std::vector<int>& of_made) const {
        of_made.assign(made_.size(), 0);
        for (Index p = 0; p < made_.size(); ++p) {
            if (!is_kept(p)) continue;
            for (std::size_t i = 0; i < made_[p].arity; ++i) {
                const Lanes& l = made_[p].args[i];
                if (is_gathered(l))
                    ++of_gathered[l];
                else if (const Index q = find_made(l); q != none)
                    ++of_made[q];
            }
        }
    }
    /// Packs go whose operands take more to gather than they save.
    void prune() {
        std::unordered_map<Lanes, int, LanesHash> of_gathered;
        std::vector<int> of_made;
        count_users(of_gathered, of_made);
        for (auto p = static_cast<Index>(made_.size()); p-- > 0;) {
            if (!is_kept(p)) continue;
            const Made& m = made_[p];
            int lost = is_exposed(p) ? cost_of_store : 0;
            for (std::size_t i = 0; i < m.arity; ++i) {
                if (is_gathered(m.args[i])) lost += true_cost(m.args[i]) / std::max(1, of_gathered[m.args[i]]);
            }
            const int kept = one * (m.size - 1) + (of_made[p] > 0 ? cost_of_singles(m.lanes) : 0);
            if (lost <= kept) continue;
            for (const Index v : m.lanes) {
                if (v != none) pack_of_[v] = none;
            }
        }
    }
    /// Does the whole save enough for what waiting for lanes takes?
    bool pays(double least) const {
        int now = 0;
        std::unordered_map<Lanes, int, LanesHash> of_gathered;
        std::vector<int> of_made;
        count_users(of_gathered, of_made);
        for (Index p = 0; p < made_.size(); ++p) {
            if (is_kept(p)) now += one * (made_[p].size - 1) - (is_exposed(p) ? cost_of_store : 0);
        }
        for (const auto& [lanes, count] : of_gathered) now -= true_cost(lanes);
        return static_cast<double>(now) / one >= least * static_cast<double>(plan_.steps.size());
    }

    // The new plan ---------------------------------------------------------------------------------------------------

    /// The pack of these lanes in the new plan; what must be gathered for it is gathered here.
    Index resolve(const Lanes& l) {
        if (const Index made = find_made(l); made != none && size(l) > 1) return id_of_made_[made];
        const auto found = ids_.find(l);
        if (found != ids_.end()) return found->second;
        Pack pack{Pack::Origin::gathered, l};
        const Index any = any_of(l);
        if (is_common(l)) {
            pack.origin = Pack::Origin::common;
            pack.lanes.fill(any);
            if (const auto there = ids_.find(pack.lanes); there != ids_.end()) return there->second;
        } else if (const Index first = row_of(l); first != none) {
            pack.origin = Pack::Origin::in_a_row;
            pack.lanes = {first, first + 1, first + 2, first + 3};
        } else if (is_all_constant(l)) {
            pack.origin = Pack::Origin::constants;
            pack.row = static_cast<Index>(new_.constants.size() / 4);
            for (const Index v : l) new_.constants.push_back(program_.constants[(v == none ? any : v) - program_.inputs]);
        }
        if (pack.origin == Pack::Origin::common) expose(any);
        if (pack.origin == Pack::Origin::gathered) {
            const bool is_blended = cost_of_blending(l) < cost_of_singles(l);
            for (std::size_t k = 0; k < 4; ++k) {
                if (l[k] == none) continue;
                const Index p = is_blended ? in_place(l, k) : none;
                if (p == none)
                    expose(l[k]);
                else
                    pack.from[k] = id_of_made_[p];
            }
        }
        const Index id = enter(pack);
        if (pack.origin == Pack::Origin::gathered)
            new_.steps.push_back({Kind::gather, Op::add, 0, id, {0, 0, 0}, {none, none, none}, none});
        return id;
    }
    Index enter(const Pack& pack) {
        const auto id = values_ + static_cast<Index>(new_.packs.size());
        new_.packs.push_back(pack);
        if (pack.origin != Pack::Origin::made) ids_.emplace(pack.lanes, id);
        return id;
    }
    void expose(Index v) {
        if (pack_of_[v] == none) return;
        const Lanes& l = made_[pack_of_[v]].lanes;
        const auto k = std::ranges::find(l, v) - l.begin();
        new_.packs[id_of_made_[pack_of_[v]] - values_].exposed |= static_cast<std::uint8_t>(1U << k);
    }

    const Plan& plan_;
    const Program& program_;
    Index values_ = 0;
    std::size_t first_ = 0;  ///< steps before this one are left alone: angles, calls
    std::vector<Index> step_of_, pack_of_, first_user_, users_;
    std::vector<std::uint64_t> shape_, kind_shape_, role_;
    std::vector<Made> made_;
    std::unordered_set<Lanes, LanesHash> gathered_, failed_;
    struct Entry {
        Lanes lanes;
        bool is_made;
    };
    std::vector<Entry> journal_;
    std::size_t budget_ = 0;
    bool is_trial_ = false;
    std::vector<Index> missing_, order_;
    std::vector<std::uint8_t> lanes_ready_;
    std::vector<bool> is_done_;
    std::priority_queue<Index, std::vector<Index>, std::greater<>> ready_;
    Plan new_;
    std::unordered_map<Lanes, Index, LanesHash> ids_;  ///< of packs that no step makes, or a gather
    std::vector<Index> id_of_made_;
};

}  // namespace

Plan with_packs(Plan plan, const Program& program, double least) {
    if (program.outputs.size() * few_lines < plan.steps.size()) return plan;
    Finder finder(plan, program);
    return finder.find(least) ? finder.packed() : plan;
}

}  // namespace linkwright::jit
