#include "linkwright/proof/judge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "linkwright/sym/approximate.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/long_real.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::proof {

namespace {

using sym::Approximate;
using sym::Node;

constexpr std::uint64_t draws = 6;

/// A real number for a symbol, of ordinary size; the same for the same name. Masses and roots like positive ones: even draws have
/// no others.
double raw(std::string_view name, std::uint64_t draw) {
    std::uint64_t h = draw + 0x9E37;
    for (const char c : name) h = sym::keyed_hash(h, static_cast<unsigned char>(c));
    const double size = 0.25 + static_cast<double>(h >> 11) * 0x1p-53 * 1.5;
    return draw % 2 != 0 && (h & 1) != 0 ? -size : size;
}
Approximate drawn(const Expr& symbol, std::uint64_t draw) {
    const std::int32_t group = symbol.symbol().quaternion;
    const double x = raw(symbol.symbol().name, draw);
    if (group < 0) return x;
    double square = 0;
    for (const sym::NodeId e : symbol.pool().quaternions()[group].e) {
        square += std::pow(raw(symbol.pool().symbol_info(e).name, draw), 2);
    }
    return {x / std::sqrt(square), 0.0};
}

/// Two entries of one name with unequal residues.
struct Doubt {
    const Entry *a, *b;
    bool is_shown = false;    ///< some numbers differ beyond rounding
    bool is_settled = false;  ///< some numbers are known on both sides
    double ratio = 0;         ///< the largest difference, in terms of what went into the numbers
    double resolution = 0;    ///< how closely the numbers were known, in terms of the largest of their kind
    std::uint64_t draw = 0;
    double x = 0, y = 0;
};

/// What went into a number: its own size, or that of the terms that cancelled in it.
double size_of(const Approximate& x) { return std::max(std::abs(x.value), x.error / Approximate::rounding); }

/// Nothing on one side and 1e-19 on the other is rounding too, where the other entries of the matrix are of ordinary size.
void forgive_small_ones(std::span<Doubt> doubts, std::span<const Entry> all) {
    constexpr double of_the_largest = 1e-14;
    for (Doubt& d : doubts) {
        if (!d.is_shown || std::abs(d.x - d.y) > 1e-9) continue;
        std::vector<Expr> neighbours;
        for (const Entry& e : all) {
            if (e.kind == d.a->kind) neighbours.push_back(e.value);
        }
        double largest = 0;
        for (const double x : sym::evaluate<double>(neighbours, [&](const Expr& s) { return drawn(s, d.draw).value; })) {
            largest = std::isfinite(x) ? std::max(largest, std::abs(x)) : largest;
        }
        const double gap = std::abs(d.x - d.y);
        if (gap <= of_the_largest * largest) d.is_shown = false, d.ratio = gap / largest;
    }
}

/// The largest number of each kind.
std::unordered_map<EntryKind, double> scales(std::span<const Entry> all, std::uint64_t draw) {
    std::vector<Expr> values;
    for (const Entry& e : all) values.push_back(e.value);
    std::unordered_map<EntryKind, double> largest;
    const auto numbers = sym::evaluate<double>(values, [&](const Expr& s) { return drawn(s, draw).value; });
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (std::isfinite(numbers[i])) largest[all[i].kind] = std::max(largest[all[i].kind], std::abs(numbers[i]));
    }
    return largest;
}

/// Numbers that are known to less than this of the largest of their kind decide nothing.
constexpr double finest = 1e-10;

void look_at_numbers(std::span<Doubt> doubts, std::span<const Entry> all) {
    std::vector<Expr> a, b;
    for (const Doubt& d : doubts) a.push_back(d.a->value), b.push_back(d.b->value);
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const auto at = [&](const Expr& s) { return drawn(s, draw); };
        const auto x = sym::evaluate<Approximate>(a, at), y = sym::evaluate<Approximate>(b, at);
        const auto largest = scales(all, draw);
        for (std::size_t i = 0; i < doubts.size(); ++i) {
            if (!x[i].is_known() || !y[i].is_known()) continue;
            Doubt& d = doubts[i];
            const double gap = std::abs(x[i].value - y[i].value), size = std::max(size_of(x[i]), size_of(y[i]));
            const double error = x[i].error + y[i].error;
            const auto scale = largest.find(d.a->kind);
            if (scale != largest.end() && error <= finest * scale->second) {
                d.is_settled = true;
                d.resolution = std::max(d.resolution, error / scale->second);
            }
            if (gap <= error || !(gap > d.ratio * size)) continue;
            const bool is_shown = gap > numeric_tolerance * size;
            d = {d.a, d.b, is_shown, d.is_settled || is_shown, gap / size, d.resolution, draw, x[i].value, y[i].value};
        }
    }
}

/// A running error bound over a long recursion knows nothing in the end. Plain numbers show no difference for certain, but that
/// there is none to be seen, at a precision that leaves room for what long recursions lose.
void look_without_bounds(std::span<Doubt> doubts) {
    constexpr long double close = finest;
    std::vector<Doubt*> open;
    std::vector<Expr> a, b;
    for (Doubt& d : doubts) {
        if (!d.is_settled) open.push_back(&d), a.push_back(d.a->value), b.push_back(d.b->value);
    }
    if (open.empty()) return;
    std::vector<bool> is_close(open.size(), true);
    for (std::uint64_t draw = 0; draw < 2; ++draw) {
        const auto at = [&](const Expr& s) { return static_cast<long double>(drawn(s, draw).value); };
        const auto x = sym::evaluate<long double>(a, at), y = sym::evaluate<long double>(b, at);
        long double largest = 0;
        for (const long double v : x) largest = std::isfinite(v) ? std::max(largest, std::abs(v)) : largest;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const long double gap = std::abs(x[i] - y[i]);
            is_close[i] = is_close[i] && gap <= close * largest;
            if (is_close[i] && largest > 0) open[i]->ratio = std::max(open[i]->ratio, static_cast<double>(gap / largest));
        }
    }
    for (std::size_t i = 0; i < open.size(); ++i) open[i]->is_settled = is_close[i];
}

std::vector<std::pair<std::string, double>> state_of(const Doubt& d) {
    std::vector<std::pair<std::string, double>> state;
    for (const Entry* side : {d.a, d.b}) {
        for (const Expr& s : symbols_in(side->value)) {
            const std::string& name = s.symbol().name;
            if (std::ranges::none_of(state, [&](const auto& known) { return known.first == name; })) {
                state.emplace_back(name, drawn(s, d.draw).value);
            }
        }
    }
    return state;
}

bool is_opaque(const Expr& e) { return (e.node().flags & (Node::opaque | Node::no_residue)) != 0; }

/// "atan2, sqrt": functions without a value in a finite field below e.
std::string opaque_functions(const Entry& a, const Entry& b) {
    std::vector<std::string> names;
    for (const Entry* side : {&a, &b}) {
        for (const Expr& e : sym::nodes_below(std::span(&side->value, 1))) {
            const bool begins = is_opaque(e) && (e.arity() == 0 || !is_opaque(e.arg(0)));
            if (!begins || e.op() == sym::Op::add || e.op() == sym::Op::mul) continue;
            std::string name = e.op() == sym::Op::pow ? "a root or a vanishing denominator" : std::string(function_name(e.op()));
            if (name == "sin" || name == "cos" || name == "tan") name += " of what is no sum of multiples of coordinates";
            if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

bool have_equal_residues(const Expr& a, const Expr& b) {
    if (a.is_number() && b.is_number()) return a.number() == b.number();
    if (((a.node().flags | b.node().flags) & Node::no_residue) != 0) return false;
    return a.node().residue == b.node().residue;
}

void add_reason(Pair& pair, const std::string& reason) {
    constexpr std::size_t longest = 400;
    if (pair.why.size() > longest) {
        if (!pair.why.ends_with("…")) pair.why += "; …";
        return;
    }
    pair.why += (pair.why.empty() ? "" : "; ") + reason;
}

void settle(Pair& pair, std::span<Doubt> doubts, std::span<const Entry> all) {
    look_at_numbers(doubts, all);
    forgive_small_ones(doubts, all);
    look_without_bounds(doubts);
    std::size_t patience = 20'000;  // of the normal form, for what is opaque, in nodes: the answer must not follow the clock
    for (const Doubt& d : doubts) {
        const bool opaque = depends_opaquely(std::span(&d.a->value, 1)) || depends_opaquely(std::span(&d.b->value, 1));
        if (d.is_shown) {
            if (!pair.difference || pair.verdict != Verdict::different) pair.difference = Difference{d.a->name, d.x, d.y, state_of(d)};
            pair.verdict = Verdict::different;
            ++pair.differing;
            continue;
        }
        if (!opaque && d.is_settled) {
            ++pair.numeric;
            pair.numeric_gap = std::max({pair.numeric_gap, d.ratio, d.resolution});
            continue;
        }
        sym::ExactVerdict exact;
        constexpr std::size_t too_large = 1500;
        const std::size_t cost = size_up_to(d.a->value, too_large) + size_up_to(d.b->value, too_large);
        if (cost < too_large && cost <= patience) {
            patience -= cost;
            exact = sym::equal_exactly(d.a->value, d.b->value, {.terms = 1'000, .time = std::chrono::seconds(2)});
            if (exact.verdict != Verdict::equal) patience -= std::min(patience, 3 * cost);
        }
        if (exact.verdict == Verdict::equal) {
            ++pair.only_exact;
        } else if (d.is_settled && !has_branches(std::span(&d.a->value, 1)) && !has_branches(std::span(&d.b->value, 1))) {
            ++pair.numeric;
            pair.numeric_gap = std::max({pair.numeric_gap, d.ratio, d.resolution});
        } else {
            ++pair.unknown;
            add_reason(pair, fmt::format("{}: {}", d.a->name, opaque_functions(*d.a, *d.b)));
            if (pair.verdict == Verdict::equal) pair.verdict = Verdict::unknown;
        }
    }
}

}  // namespace

Pair judge(const Side& a, const Side& b) {
    const auto start = std::chrono::steady_clock::now();
    Pair pair{.a = a.name, .b = b.name, .verdict = Verdict::equal, .witness = "fingerprint, two 61-bit primes"};
    std::unordered_map<std::string_view, std::size_t> place;
    for (std::size_t i = 0; i < b.entries.size(); ++i) place.emplace(b.entries[i].name, i);
    std::vector<Doubt> doubts;
    sym::ErrorBound worst{.degree = 0, .log2_error = -1e9};
    for (std::size_t i = 0; i < a.entries.size(); ++i) {
        const std::size_t j = i < b.entries.size() && b.entries[i].name == a.entries[i].name ? i
                              : place.contains(a.entries[i].name)                            ? place.at(a.entries[i].name)
                                                                                             : b.entries.size();
        if (j == b.entries.size()) {
            pair.verdict = Verdict::unknown;
            ++pair.unknown;
            add_reason(pair, fmt::format("{} has no {}", b.name, a.entries[i].name));
            continue;
        }
        ++pair.entries;
        if (!have_equal_residues(a.entries[i].value, b.entries[j].value)) {
            doubts.push_back({&a.entries[i], &b.entries[j]});
            continue;
        }
        if (a.entries[i].value.is_number() && b.entries[j].value.is_number()) continue;  // no chance in that
        const sym::ErrorBound bound = sym::error_bound(a.degrees[i], b.degrees[j]);
        if (bound.log2_error > worst.log2_error || bound.degree > worst.degree) {
            worst = {std::max(worst.degree, bound.degree), std::max(worst.log2_error, bound.log2_error)};
        }
    }
    for (const Entry& e : b.entries) {
        if (pair.entries == b.entries.size()) break;
        if (std::ranges::any_of(a.entries, [&](const Entry& x) { return x.name == e.name; })) continue;
        pair.verdict = Verdict::unknown;
        ++pair.unknown;
        add_reason(pair, fmt::format("{} has no {}", a.name, e.name));
    }
    pair.degree = worst.degree;
    pair.log2_error = std::min(0.0, worst.log2_error + std::log2(std::max<double>(1.0, static_cast<double>(pair.entries))));
    if (!doubts.empty()) settle(pair, doubts, a.entries);
    pair.time = std::chrono::steady_clock::now() - start;
    return pair;
}

bool depends_opaquely(std::span<const Expr> functions) {
    if (functions.empty()) return false;
    const sym::Pool& pool = functions.front().pool();
    const sym::Sweep s = sym::sweep(functions);
    std::vector<bool> has_symbol(s.steps.size());
    const auto moves = [&](sym::NodeId id) {
        return has_symbol[std::ranges::lower_bound(s.steps, id, {}, &sym::Sweep::Step::id) - s.steps.begin()];
    };
    for (std::size_t i = 0; i < s.steps.size(); ++i) {
        const sym::Sweep::Step& step = s.steps[i];
        const sym::Op op = pool.op(step.id);
        has_symbol[i] = op == sym::Op::symbol;
        for (std::size_t k = 0; k < step.arity; ++k) has_symbol[i] = has_symbol[i] || has_symbol[step.args[k]];
        if (!has_symbol[i] || (pool.node(step.id).flags & (Node::opaque | Node::no_residue)) == 0) continue;
        switch (op) {
            case sym::Op::symbol:
            case sym::Op::add:
            case sym::Op::mul: break;
            case sym::Op::pow:
                if (!pool.number(pool.node(step.id).b).is_integer() || (pool.node(step.id).flags & Node::no_residue) != 0) return true;
                break;
            case sym::Op::sin:
            case sym::Op::cos:
            case sym::Op::tan:
                for (const sym::Pool::AngleTerm& term : pool.linear_terms(pool.node(step.id).a)) {
                    if ((pool.node(term.atom).flags & Node::monomial) == 0 && moves(term.atom)) return true;
                }
                break;
            default: return true;
        }
    }
    return false;
}

bool has_branches(std::span<const Expr> functions) {
    if (functions.empty()) return false;
    return std::ranges::any_of(sym::nodes_below(functions), [](const Expr& e) {
        switch (e.op()) {
            case sym::Op::abs:
            case sym::Op::sign:
            case sym::Op::min:
            case sym::Op::max:
            case sym::Op::select: return true;
            default: return false;
        }
    });
}

std::size_t size_up_to(const Expr& e, std::size_t most) {
    std::unordered_set<sym::NodeId> seen{e.id()};
    std::vector<Expr> open{e};
    while (!open.empty() && seen.size() < most) {
        const Expr next = open.back();
        open.pop_back();
        for (std::size_t k = 0; k < next.arity(); ++k) {
            if (seen.insert(next.arg(k).id()).second) open.push_back(next.arg(k));
        }
    }
    return std::min(most, seen.size());
}

double real_value(const Expr& symbol, std::uint64_t draw) { return drawn(symbol, draw).value; }

Pair at_both_points(Pair first, const Pair& second) {
    first.points += second.points;
    first.log2_error += second.log2_error;
    first.time += second.time;
    if (second.verdict != Verdict::equal && first.verdict == Verdict::equal) {
        Pair result = second;
        result.points = first.points;
        result.time = first.time;
        return result;
    }
    return first;
}

}  // namespace linkwright::proof
