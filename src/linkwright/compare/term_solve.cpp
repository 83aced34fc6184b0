// What a part would have to be for the whole to be right, and whether a person would have written that.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/compare/term_search.hpp"

namespace linkwright::compare {

using sym::Residue;

namespace {

constexpr std::array<std::pair<int, int>, 7> small_factors{{{1, 1}, {2, 1}, {1, 2}, {3, 1}, {4, 1}, {1, 3}, {1, 4}}};

/// r·d/n
Residue without(Residue r, int n, int d) { return r * sym::residue_of(d) * sym::inverse(sym::residue_of(n)).value_or(Residue{}); }

/// "2*" or "" before, "" or "/2" behind.
std::pair<std::string, std::string> around(int n, int d) {
    return {n == 1 ? "" : fmt::format("{}*", n), d == 1 ? "" : fmt::format("/{}", d)};
}

}  // namespace

void TermSearch::solve_whole(Residue need) {
    const Tree::Part root = statements_[s_].root;
    const Tree::Node& node = tree(s_)[root];
    if (has_residue(whole()) && need == -whole().node().residue) {
        const bool is_sum = node.kind == Tree::Kind::sum && node.args.size() > 1;
        const std::string what = is_sum ? "the whole with the opposite sign" : fmt::format("'-' before {}", written(s_, root));
        if (is_sum || node.kind != Tree::Kind::sum)
            found.push_back({s_, root, -whole(), told(s_, node.first, node.last, RepairKind::sign, 1.05, what), number(-1)});
    }
    solve(s_, root, need, true);
    solve_split(s_, root, need, false);
}

void TermSearch::solve(std::size_t s, Tree::Part p, Residue need, bool is_term) {
    const Expr& now = value(s, p);
    effort_.spend(2);
    if (!has_residue(now) || effort_.is_over()) return;
    const Residue v = now.node().residue;
    if (need == v) return;
    const Tree::Node& node = tree(s)[p];
    if (is_term) solve_missing_factor(s, p, v, need);
    switch (node.kind) {
        case Tree::Kind::number: solve_number(s, p, need); break;
        case Tree::Kind::name: solve_name(s, p, v, need); break;
        case Tree::Kind::sum: solve_sum(s, p, v, need); break;
        case Tree::Kind::product: solve_product(s, p, need); break;
        case Tree::Kind::power: solve_power(s, p, need); break;
        case Tree::Kind::call: solve_tried(s, p, need, 4000); break;
    }
}

/// Where the whole is not affine: each change below p, tried once for every need.
void TermSearch::solve_tried(std::size_t s, Tree::Part p, Residue need, std::size_t most) {
    const auto [at, is_new] = tried_.try_emplace({s, p});
    if (is_new) {
        for (Change& c : changes(s, p, most)) {
            if (effort_.is_over()) return;
            const Expr other = value_with(c, s, p);
            if (has_residue(other)) at->second.emplace_back(std::move(c), other.node().residue);
        }
    }
    effort_.spend(at->second.size() / 64);
    for (const auto& [change, makes] : at->second) {
        if (makes == need) found.push_back(change);
    }
}

void TermSearch::solve_missing_factor(std::size_t s, Tree::Part p, Residue v, Residue need) {
    const auto inverse = sym::inverse(v);
    if (!inverse || need.is_zero()) return;
    const Residue ratio = need * *inverse;
    if (ratio == sym::residue_of(-1)) return;  // a sign, told as one
    const auto emit = [&](const Expr& by, double cost, const std::string& text, bool divides) {
        const Expr factor = divides ? number(1) / by : by;
        found.push_back({s, p, value(s, p) * factor, told_factor(s, p, text, divides, cost), factor});
    };
    if (const auto r = as_fraction(ratio, 4096)) {
        const double size = std::log2(std::abs(r->numerator().to_double()) * r->denominator().to_double());
        const bool inverts = r->numerator() == Rational(1);
        const Rational by = inverts ? r->denominator() : *r;
        return emit(number(by), 1.5 + 0.05 * size, by.to_string(), inverts);
    }
    const auto back = sym::inverse(ratio);
    for (const bool divides : {false, true}) {
        if (divides && !back) continue;
        for (const int sign : {1, -1}) {
            for (const auto& [n, d] : small_factors) {
                if (divides && n + d > 2) break;
                const Residue r = without((divides ? *back : ratio) * sym::residue_of(sign), n, d);
                const double extra = (divides ? 0.2 : 0) + (sign < 0 ? 0.5 : 0) + (n + d > 2 ? 0.3 : 0);
                const auto [front, behind] = around(n, d);
                const Expr by = number(Rational(sign * n, d));
                const std::string start = (sign > 0 ? "" : "-") + front;
                if (const Atom* a = lexicon_.find(r, s)) emit(by * a->value, 1.7 + extra, start + a->spelling + behind, divides);
                if (const auto pair = lexicon_.find_pair(r, s); pair && (!divides || pair->a == pair->b)) {
                    const bool is_square = pair->a == pair->b;
                    emit(by * pair->a->value * pair->b->value, (is_square ? 2 : 2.2) + extra,
                         start + (is_square ? power_text(pair->a->spelling, 2) : pair->a->spelling + "*" + pair->b->spelling) + behind,
                         divides);
                }
            }
        }
    }
}

void TermSearch::solve_number(std::size_t s, Tree::Part p, Residue need) {
    if (const Atom* a = lexicon_.find(need, s); a != nullptr && look_alike(written(s, p), a->spelling)) {
        found.push_back({s, p, a->value, told_look_alike(s, p, a->spelling)});
    } else if (const auto r = as_fraction(need, 4096); r && !r->is_zero()) {
        found.push_back({s, p, number(*r), told_number(s, p, *r)});
    } else if (a != nullptr) {
        Repair t =
            told(s, tree(s)[p].first, tree(s)[p].last, RepairKind::name, 1.5, fmt::format("{} instead of {}", a->spelling, written(s, p)));
        found.push_back({s, p, a->value, std::move(t)});
    }
}

void TermSearch::solve_name(std::size_t s, Tree::Part p, Residue v, Residue need) {
    if (const int defined = statements_[s].definition[p]; defined >= 0) {
        const auto d = static_cast<std::size_t>(defined);
        if (uses_[d] == 1 && !statements_[d].is_damaged) solve(d, statements_[d].root, need, true);
        if (statements_[d].role == Bound::Role::target) return;  // x = x + …: x is no slip of the pen
    }
    if (const Atom* a = lexicon_.find(need, s)) {
        if (a->spelling != written(s, p)) found.push_back({s, p, a->value, told_name(s, p, *a)});
        return;
    }
    if (const auto r = as_fraction(need, 4096); r && look_alike(written(s, p), r->to_string())) {
        found.push_back({s, p, number(*r), told_look_alike(s, p, r->to_string())});
    }
    Residue power = v;
    for (int n = 2; n <= 4; ++n) {
        power = power * v;
        if (power == need) found.push_back({s, p, sym::pow(value(s, p), n), told_power(s, p, n)});
    }
}

void TermSearch::solve_sum(std::size_t s, Tree::Part p, Residue v, Residue need) {
    const Tree::Node& node = tree(s)[p];
    for (std::size_t t = 0; t < node.args.size(); ++t) {
        const Expr& term = value(s, node.args[t]);
        if (!has_residue(term)) continue;
        const Residue x = term.node().residue;
        const Residue rest = node.turned[t] ? v + x : v - x;
        const Residue wanted = node.turned[t] ? rest - need : need - rest;
        if (wanted.is_zero() && node.args.size() > 1) {
            found.push_back({s, node.args[t], number(0), told_extra_term(s, p, t)});
            continue;
        }
        if (wanted == -x) {
            found.push_back({s, node.args[t], -term, told_sign(s, p, t), number(-1)});
            continue;
        }
        solve_split(s, node.args[t], wanted, node.turned[t]);
        solve(s, node.args[t], wanted, true);
        if (t > 0) solve_joined(s, p, t, v, need);
    }
    if (p == statements_[s].root && statements_[s].role != Bound::Role::intermediate) return;  // told from the normal form
    solve_missing_term(s, p, need - v);
}

/// A term that is not there: a name, a number, a product of two names.
void TermSearch::solve_missing_term(std::size_t s, Tree::Part p, Residue missing) {
    const Tree::Node& node = tree(s)[p];
    const auto emit = [&](const Expr& e, const std::string& text, double cost, bool minus) {
        found.push_back({s, p, minus ? value(s, p) - e : value(s, p) + e,
                         told(s, node.last, node.last, RepairKind::term, cost,
                              fmt::format("{} {} after {}", minus ? "-" : "+", text, tokens(s)[node.last].text))});
    };
    for (const int sign : {1, -1}) {
        for (const auto& [n, d] : small_factors) {
            const Residue r = without(missing * sym::residue_of(sign), n, d);
            const auto [front, behind] = around(n, d);
            const Expr by = number(Rational(n, d));
            const double extra = 0.2 * (n + d - 2);
            if (const Atom* a = lexicon_.find(r, s)) emit(by * a->value, front + a->spelling + behind, 2.2 + extra, sign < 0);
            if (const auto pair = lexicon_.find_pair(r, s)) {
                const std::string text =
                    pair->a == pair->b ? power_text(pair->a->spelling, 2) : pair->a->spelling + "*" + pair->b->spelling;
                emit(by * pair->a->value * pair->b->value, front + text + behind, 2.5 + extra, sign < 0);
            }
        }
    }
    if (const auto r = as_fraction(missing, 64); r && !r->is_zero()) {
        const bool minus = r->sign() < 0;
        emit(number(minus ? -*r : *r), (minus ? -*r : *r).to_string(), 2.2, minus);
    }
}

void TermSearch::solve_product(std::size_t s, Tree::Part p, Residue need) {
    const Tree::Node& node = tree(s)[p];
    std::vector<Residue> x;
    for (std::size_t t = 0; t < node.args.size(); ++t) {
        const Expr& factor = value(s, node.args[t]);
        const auto inverse = node.turned[t] ? sym::inverse(factor.node().residue) : std::optional(factor.node().residue);
        if (!has_residue(factor) || !inverse) return;
        x.push_back(*inverse);
    }
    for (std::size_t t = 0; t < node.args.size(); ++t) {
        Residue others = sym::residue_of(1);
        for (std::size_t k = 0; k < x.size(); ++k) {
            if (k != t) others = others * x[k];
        }
        const auto inverse = sym::inverse(others);
        if (!inverse) continue;
        Residue wanted = need * *inverse;
        if (node.turned[t]) {
            const auto back = sym::inverse(wanted);
            if (!back) continue;
            wanted = *back;
        }
        if (wanted == sym::residue_of(1)) {
            found.push_back({s, node.args[t], number(1), told_extra_factor(s, p, t)});
            continue;
        }
        if (const auto back = sym::inverse(wanted); back && *back == value(s, node.args[t]).node().residue && t > 0) {
            found.push_back({s, node.args[t], number(1) / value(s, node.args[t]), told_other_side(s, p, t)});
            continue;
        }
        solve(s, node.args[t], wanted, false);
    }
}

void TermSearch::solve_power(std::size_t s, Tree::Part p, Residue need) {
    const Tree::Node& node = tree(s)[p];
    const Expr &base = value(s, node.args[0]), &exponent = value(s, node.args[1]);
    if (!exponent.is_number()) return;
    const Rational n = exponent.number();
    for (const int k : {1, 2, 3, 4, 5, 6, -1, -2, -3}) {
        if (n == Rational(k)) continue;
        const Expr other = sym::pow(base, k);
        if (has_residue(other) && other.node().residue == need)
            found.push_back({s, node.args[1], number(k), told_number(s, node.args[1], k, RepairKind::power)});
    }
    solve_tried(s, p, need, 600);
}

/// The operator before a part.
std::size_t TermSearch::operator_before(std::size_t s, Tree::Part p) const {
    std::size_t at = tree(s)[p].first;
    while (at > 0 && !tokens(s)[at].is("*") && !tokens(s)[at].is("+")) --at;
    return at;
}

/// a*b where a + b was meant; `minus`: it is subtracted, which reaches a alone.
void TermSearch::solve_split(std::size_t s, Tree::Part p, Residue need, bool minus) {
    const Tree::Node& node = tree(s)[p];
    if (node.kind != Tree::Kind::product || !has_residue(value(s, p))) return;
    Expr left = value(s, node.args[0]);
    for (std::size_t t = 1; t < node.args.size(); ++t) {
        if (!node.turned[t]) {
            Expr right = value(s, node.args[t]);
            for (std::size_t k = t + 1; k < node.args.size(); ++k)
                right = node.turned[k] ? right / value(s, node.args[k]) : right * value(s, node.args[k]);
            const Expr sum = minus ? left - right : left + right;
            const std::size_t at = operator_before(s, node.args[t]);
            if (has_residue(sum) && sum.node().residue == need && tokens(s)[at].is("*"))
                found.push_back({s, p, sum, told(s, at, at, RepairKind::sign, 1.05, "'+' instead of '*'")});
        }
        left = node.turned[t] ? left / value(s, node.args[t]) : left * value(s, node.args[t]);
    }
    effort_.spend(node.args.size());
}

/// a + b where a*b was meant.
void TermSearch::solve_joined(std::size_t s, Tree::Part p, std::size_t t, Residue v, Residue need) {
    const Tree::Node& node = tree(s)[p];
    if (node.turned[t] || node.signs[t] == Tree::none || !tokens(s)[node.signs[t]].is("+")) return;
    const Expr &a = value(s, node.args[t - 1]), &b = value(s, node.args[t]);
    if (!has_residue(a) || !has_residue(b)) return;
    const Residue x = a.node().residue, y = b.node().residue;
    const bool minus = node.turned[t - 1];
    if ((minus ? v + x - y - x * y : v - x - y + x * y) != need) return;
    const Expr product = a * b;
    found.push_back({s, p, minus ? value(s, p) + a - b - product : value(s, p) - a - b + product,
                     told(s, node.signs[t], node.signs[t], RepairKind::sign, 1.05, "'*' instead of '+'")});
}

}  // namespace linkwright::compare
