#include "linkwright/compare/term_repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "linkwright/base/text.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::compare {

using sym::Residue;
using Clock = std::chrono::steady_clock;

namespace {

std::pair<std::uint64_t, std::uint64_t> key(Residue r) { return {r.r1, r.r2}; }

/// Half of Euclid's algorithm: n/d ≡ r with both below `bound`.
template <class F>
std::optional<std::pair<std::int64_t, std::int64_t>> reconstruct(std::uint64_t r, std::int64_t bound) {
    auto a = static_cast<std::int64_t>(F::p), b = static_cast<std::int64_t>(r);
    std::int64_t x = 0, y = 1;
    while (b > bound) {
        const std::int64_t q = a / b;
        std::tie(a, b) = std::pair{b, a - q * b};
        std::tie(x, y) = std::pair{y, x - q * y};
    }
    if (y == 0 || std::abs(y) > bound) return std::nullopt;
    return y < 0 ? std::pair{-b, -y} : std::pair{b, y};
}

}  // namespace

std::string_view to_string(RepairKind kind) {
    switch (kind) {
        case RepairKind::sign: return "sign";
        case RepairKind::index: return "index";
        case RepairKind::name: return "name";
        case RepairKind::number: return "number";
        case RepairKind::power: return "power";
        case RepairKind::function: return "function";
        case RepairKind::factor: return "factor";
        case RepairKind::term: return "term";
        case RepairKind::bracket: return "bracket";
        case RepairKind::text: return "text";
    }
    return "";
}

std::optional<Rational> as_fraction(Residue r, std::int64_t bound) {
    const auto one = reconstruct<sym::Field1>(r.r1, bound);
    const auto two = one ? reconstruct<sym::Field2>(r.r2, bound) : std::nullopt;
    if (!two || *one != *two) return std::nullopt;
    return Rational(one->first, one->second);
}

/// A change at one part of one statement: the part becomes `value`.
struct Repairer::Candidate {
    std::size_t statement;
    Tree::Part part;
    Expr value;
    Repair told;
};

class Repairer::Search {
public:
    Search(const Repairer& owner, const std::vector<Bound>& statements, Clock::time_point deadline)
        : owner_(owner),
          statements_(statements),
          atoms_(owner.binder_.atoms()),
          desk_(owner.binder_.ours().desk),
          language_(owner.binder_.language()),
          deadline_(deadline) {
        values_.resize(statements.size());
        for (std::size_t i = 0; i < statements.size(); ++i) values_[i] = statements[i].parts;
    }

    std::vector<Candidate> found;

    /// Counts how often each statement's value is used below `s`.
    void count_uses(std::size_t s) {
        uses_.assign(statements_.size(), 0);
        std::vector<bool> seen(statements_.size(), false);
        cone_ = {s};
        seen[s] = true;
        for (std::size_t k = 0; k < cone_.size(); ++k) {
            const Bound& b = statements_[cone_[k]];
            if (b.is_damaged) continue;
            for (Tree::Part p = 0; p < b.definition.size(); ++p) {
                const int d = b.definition[p];
                if (d < 0 || !is_below(b, p)) continue;
                const auto at = static_cast<std::size_t>(d);
                ++uses_[at];
                if (!seen[at]) seen[at] = true, cone_.push_back(at);
            }
        }
        std::ranges::sort(cone_);
    }

    bool is_late() const { return Clock::now() > deadline_; }

    /// Everything that makes part p of statement s the residue `need`.
    void solve(std::size_t s, Tree::Part p, Residue need, bool is_term) {
        const Expr& now = value(s, p);
        if (!has_residue(now) || is_late()) return;
        const Residue v = now.node().residue;
        if (need == v) return;
        const Tree::Node& node = tree(s)[p];
        if (is_term) missing_factor(s, p, v, need);
        switch (node.kind) {
            case Tree::Kind::number: solve_number(s, p, need); break;
            case Tree::Kind::name: solve_name(s, p, v, need); break;
            case Tree::Kind::sum: solve_sum(s, p, v, need); break;
            case Tree::Kind::product: solve_product(s, p, need); break;
            case Tree::Kind::power: solve_power(s, p, need); break;
            case Tree::Kind::call:
                for (const Candidate& c : changes(s, p)) {
                    if (is_late()) return;
                    if (root_of(c, s, p).node().residue == need) found.push_back(c);
                }
                break;
        }
    }

    /// a*b where a + b was meant; `minus`: it is subtracted, which reaches a alone.
    void solve_split(std::size_t s, Tree::Part p, Residue need, bool minus) {
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
    }

    /// The values of all statements of the cone when these parts are changed.
    std::vector<std::vector<Expr>> changed_values(std::span<const Candidate> changed) const {
        std::vector<std::vector<Expr>> all = values_;
        for (const std::size_t i : cone_) {
            const Bound& b = statements_[i];
            if (b.is_damaged) continue;
            bool is_touched = std::ranges::any_of(changed, [&](const Candidate& c) { return c.statement == i; });
            for (Tree::Part p = 0; p < b.definition.size() && !is_touched; ++p) {
                const int d = b.definition[p];
                is_touched = d >= 0 && all[d] != values_[d];
            }
            if (is_touched) all[i] = rebuilt(i, all, changed);
        }
        return all;
    }

    /// Every single change below part p, tried rather than solved for.
    std::vector<Candidate> changes(std::size_t s, Tree::Part p, std::size_t most = 4000) {
        std::vector<Candidate> out;
        std::vector<Tree::Part> todo{p};
        for (std::size_t k = 0; k < todo.size() && out.size() < most; ++k) {
            const Tree::Part i = todo[k];
            const Tree::Node& node = tree(s)[i];
            const auto emit = [&](Tree::Part part, const Expr& e, Repair told) { out.push_back({s, part, e, std::move(told)}); };
            switch (node.kind) {
                case Tree::Kind::number:
                    for (const Rational& r : {node.number * Rational(2), node.number / Rational(2), node.number + Rational(1),
                                              node.number - Rational(1), -node.number}) {
                        emit(i, number(r), told_number(s, i, r));
                    }
                    for (const Atom& a : atoms_) {
                        if (look_alike(written(s, i), a.spelling)) emit(i, a.value, told_look_alike(s, i, a.spelling));
                    }
                    break;
                case Tree::Kind::name:
                    for (const Atom& a : atoms_) {
                        if (a.value != value(s, i) && a.spelling != written(s, i)) emit(i, a.value, told_name(s, i, a));
                    }
                    break;
                case Tree::Kind::sum:
                    for (std::size_t t = 0; t < node.args.size(); ++t) {
                        const Expr& term = value(s, node.args[t]);
                        emit(node.args[t], -term, told_sign(s, i, t));
                        if (node.args.size() > 1) emit(node.args[t], number(0), told_extra_term(s, i, t));
                    }
                    break;
                case Tree::Kind::product:
                    for (std::size_t t = 0; t < node.args.size(); ++t) emit(node.args[t], number(1), told_extra_factor(s, i, t));
                    break;
                case Tree::Kind::power:
                    if (value(s, node.args[1]).is_number()) {
                        const Rational n = value(s, node.args[1]).number();
                        for (const Rational& r : {n + Rational(1), n - Rational(1), Rational(2)}) {
                            if (!(r == n) && !r.is_zero())
                                emit(node.args[1], number(r), told_number(s, node.args[1], r, RepairKind::power));
                        }
                    }
                    break;
                case Tree::Kind::call: {
                    const Expr& x = value(s, node.args[0]);
                    if (node.name == "sin") emit(i, cos(x), told_function(s, i, "cos"));
                    if (node.name == "cos") emit(i, sin(x), told_function(s, i, "sin"));
                    if (node.name == "sin" || node.name == "cos" || node.name == "tan") missing_angle(s, i, x, out);
                    break;
                }
            }
            for (const Tree::Part a : node.args) todo.push_back(a);
        }
        return out;
    }

    const Expr& value(std::size_t s, Tree::Part p) const { return values_[s][p]; }
    const std::vector<std::size_t>& cone() const { return cone_; }
    std::size_t uses(std::size_t s) const { return uses_[s]; }
    void set_values(std::vector<std::vector<Expr>> values) { values_ = std::move(values); }

private:
    const Tree& tree(std::size_t s) const { return statements_[s].tree; }
    const std::vector<Token>& tokens(std::size_t s) const { return statements_[s].text->tokens; }
    Expr number(const Rational& r) const { return {desk_, desk_.make_number(r)}; }
    static bool has_residue(const Expr& e) { return (e.node().flags & sym::Node::no_residue) == 0 && !e.is_undefined(); }
    static bool is_below(const Bound& b, Tree::Part p) {
        return p <= b.root;  // parts of the left side of an assignment are no part of its value, and define nothing
    }

    std::vector<Expr> rebuilt(std::size_t i, const std::vector<std::vector<Expr>>& all, std::span<const Candidate> changed) const {
        const Bound& b = statements_[i];
        // build() asks for names only; other changed parts are put in by building from below, part by part
        std::vector<Expr> parts = values_[i];
        for (Tree::Part p = 0; p <= b.root; ++p) {
            const auto change = std::ranges::find_if(changed, [&](const Candidate& c) { return c.statement == i && c.part == p; });
            if (change != changed.end()) {
                parts[p] = change->value;
                continue;
            }
            const int d = b.definition[p];
            if (d >= 0) {
                parts[p] = all[d].empty() ? values_[i][p] : all[d][statements_[d].root];
                continue;
            }
            const Tree::Node& node = b.tree[p];
            const bool is_touched = std::ranges::any_of(node.args, [&](Tree::Part a) { return parts[a] != values_[i][a]; });
            if (!is_touched) {
                parts[p] = values_[i][p];
                continue;
            }
            parts[p] = built(node, [&](Tree::Part a) { return parts[a]; });
        }
        return parts;
    }

    /// What part p becomes when c is carried out somewhere below it.
    Expr root_of(const Candidate& c, std::size_t s, Tree::Part p) {
        // the way up from the change: of the parts below p, those that hold it
        std::vector<Tree::Part> below{p};
        for (std::size_t k = 0; k < below.size(); ++k) {
            for (const Tree::Part a : tree(s)[below[k]].args) below.push_back(a);
        }
        std::ranges::sort(below);
        std::map<Tree::Part, Expr> now;
        const auto at = [&](Tree::Part a) { return now.contains(a) ? now.at(a) : value(s, a); };
        for (const Tree::Part i : below) {
            if (i == c.part) {
                now.insert_or_assign(i, c.value);
                continue;
            }
            const Tree::Node& node = tree(s)[i];
            if (std::ranges::any_of(node.args, [&](Tree::Part a) { return now.contains(a); })) now.insert_or_assign(i, built(node, at));
        }
        return at(p);
    }
    /// A part alone, over what its arguments are.
    Expr built(const Tree::Node& node, const std::function<Expr(Tree::Part)>& at) const {
        Tree one;
        for (std::size_t k = 0; k < node.args.size(); ++k) {
            one.nodes.emplace_back();
            one.nodes.back().kind = Tree::Kind::name;
        }
        one.nodes.push_back(node);
        for (std::size_t k = 0; k < node.args.size(); ++k) one.nodes.back().args[k] = static_cast<Tree::Part>(k);
        return build(one, static_cast<Tree::Part>(node.args.size()), desk_, [&](Tree::Part k) { return at(node.args[k]); });
    }

    // ---------------------------------------------------------------------------------------------------- what to tell

    Repair told(std::size_t s, std::size_t first, std::size_t last, RepairKind kind, double cost, std::string what) const {
        const auto& t = tokens(s);
        const Token& a = t[std::min(first, t.size() - 1)];
        const Token& b = t[std::min(last, t.size() - 1)];
        std::uint32_t width = a.width;
        if (b.where.line == a.where.line && b.where.column + b.width > a.where.column) width = b.where.column + b.width - a.where.column;
        return {std::move(what), kind, a.where, width, cost};
    }
    std::string written(std::size_t s, Tree::Part p) const {
        std::string text = write_tokens(tokens(s), tree(s)[p].first, tree(s)[p].last);
        return text.size() <= 60 ? text : text.substr(0, 57) + "...";
    }
    Repair told_sign(std::size_t s, Tree::Part sum, std::size_t t) const {
        const Tree::Node& node = tree(s)[sum];
        const std::uint32_t sign = node.signs[t];
        const bool minus = node.turned[t];
        if (sign == Tree::none) {
            const std::uint32_t first = tree(s)[node.args[t]].first;
            return told(s, first, first, RepairKind::sign, 1.15,
                        fmt::format("'{}' before {}", minus ? "+" : "-", written(s, node.args[t])));
        }
        const std::string& old = tokens(s)[sign].text;
        return told(s, sign, sign, RepairKind::sign, 1,
                    fmt::format("'{}' instead of '{}'", minus ? (old == "-=" ? "+=" : "+") : (old == "+=" ? "-=" : "-"), old));
    }
    Repair told_number(std::size_t s, Tree::Part p, const Rational& r, RepairKind kind = RepairKind::number) const {
        const double size = std::log2(1 + std::abs(r.numerator().to_double()) * r.denominator().to_double());
        return told(s, tree(s)[p].first, tree(s)[p].last, kind, 0.9 + 0.05 * size,
                    fmt::format("{} instead of {}", r.to_string(), written(s, p)));
    }
    Repair told_name(std::size_t s, Tree::Part p, const Atom& a) const {
        const Tree::Node& node = tree(s)[p];
        const std::string old = write_name(node.name, node.indices, language_);
        const bool is_index = !node.indices.empty() && folded(node.name, language_) == a.name;
        const double cost = 1 + (is_index ? 0 : 0.05 * static_cast<double>(std::min<std::size_t>(edit_distance(old, a.spelling), 10)));
        return told(s, node.first, node.last, is_index ? RepairKind::index : RepairKind::name, cost,
                    fmt::format("{} instead of {}", a.spelling, old));
    }
    /// 12 where l2 was meant: the types of a printer, the eyes of a reader.
    Repair told_look_alike(std::size_t s, Tree::Part p, const std::string& meant) const {
        return told(s, tree(s)[p].first, tree(s)[p].last, RepairKind::text, 0.95,
                    fmt::format("{} instead of {}, which looks like it", meant, written(s, p)));
    }
    Repair told_extra_term(std::size_t s, Tree::Part sum, std::size_t t) const {
        const Tree::Node& node = tree(s)[sum];
        const Tree::Node& term = tree(s)[node.args[t]];
        const std::size_t first = node.signs[t] == Tree::none ? term.first : node.signs[t];
        return told(s, first, term.last, RepairKind::term, 1.6 + 0.01 * static_cast<double>(term.last - first),
                    fmt::format("without the term {}{}", node.turned[t] ? "-" : "", written(s, node.args[t])));
    }
    Repair told_extra_factor(std::size_t s, Tree::Part product, std::size_t t) const {
        const Tree::Node& node = tree(s)[product];
        const Tree::Node& factor = tree(s)[node.args[t]];
        return told(s, factor.first, factor.last, RepairKind::factor, 1.3 + 0.01 * static_cast<double>(factor.last - factor.first),
                    fmt::format("without the {} {}", node.turned[t] ? "divisor" : "factor", written(s, node.args[t])));
    }
    Repair told_function(std::size_t s, Tree::Part p, const std::string& f) const {
        return told(s, tree(s)[p].first, tree(s)[p].first, RepairKind::function, 1,
                    fmt::format("{} instead of {}", f, tokens(s)[tree(s)[p].first].text));
    }

    // ------------------------------------------------------------------------------------------------------- solving

    const Atom* find_atom(Residue r) const {
        const auto at = owner_.atom_at_.find(key(r));
        return at == owner_.atom_at_.end() ? nullptr : &atoms_[at->second];
    }
    std::string power_text(const std::string& base, int n) const {
        if (language_ == Language::c) return fmt::format("pow({}, {})", base, n);
        return fmt::format("{}{}{}", base, language_ == Language::fortran ? "**" : "^", n);
    }

    void missing_factor(std::size_t s, Tree::Part p, Residue v, Residue need) {
        const auto inverse = sym::inverse(v);
        if (!inverse || need.is_zero()) return;
        const Residue ratio = need * *inverse;
        const Tree::Node& node = tree(s)[p];
        const auto emit = [&](const Expr& by, double cost, const std::string& text, bool divides) {
            found.push_back({s, p, divides ? value(s, p) / by : value(s, p) * by,
                             told(s, node.first, node.last, RepairKind::factor, cost,
                                  fmt::format("{} {} by {}", written(s, p), divides ? "divided" : "multiplied", text))});
        };
        if (ratio == sym::residue_of(-1)) return;  // a sign, told as one
        if (const auto r = as_fraction(ratio, 4096)) {
            const double size = std::log2(std::abs(r->numerator().to_double()) * r->denominator().to_double());
            const bool inverts = r->numerator() == Rational(1);
            emit(number(inverts ? r->denominator() : *r), 1.5 + 0.05 * size, (inverts ? r->denominator() : *r).to_string(), inverts);
            return;
        }
        const auto back = sym::inverse(ratio);
        for (const bool divides : {false, true}) {
            if (divides && !back) continue;
            for (const int sign : {1, -1}) {
                const Residue r = (divides ? *back : ratio) * sym::residue_of(sign);
                if (const Atom* a = find_atom(r))
                    emit(sign > 0 ? a->value : -a->value, 1.7 + (divides ? 0.2 : 0) + (sign < 0 ? 0.5 : 0),
                         (sign > 0 ? "" : "-") + a->spelling, divides);
                for (const Atom& a : atoms_) {
                    if (has_residue(a.value) && a.value.node().residue * a.value.node().residue == r) {
                        emit(sign > 0 ? a.value * a.value : -a.value * a.value, 2 + (divides ? 0.2 : 0) + (sign < 0 ? 0.5 : 0),
                             (sign > 0 ? "" : "-") + power_text(a.spelling, 2), divides);
                    }
                }
            }
        }
    }

    void solve_number(std::size_t s, Tree::Part p, Residue need) {
        if (const Atom* a = find_atom(need); a != nullptr && look_alike(written(s, p), a->spelling)) {
            found.push_back({s, p, a->value, told_look_alike(s, p, a->spelling)});
        } else if (const auto r = as_fraction(need, 4096)) {
            found.push_back({s, p, number(*r), told_number(s, p, *r)});
        } else if (a != nullptr) {
            Repair t = told(s, tree(s)[p].first, tree(s)[p].last, RepairKind::name, 1.5,
                            fmt::format("{} instead of {}", a->spelling, written(s, p)));
            found.push_back({s, p, a->value, std::move(t)});
        }
    }

    void solve_name(std::size_t s, Tree::Part p, Residue v, Residue need) {
        const Tree::Node& node = tree(s)[p];
        const int defined = statements_[s].definition[p];
        if (defined >= 0) {
            const auto d = static_cast<std::size_t>(defined);
            if (uses_[d] == 1 && !statements_[d].is_damaged) solve(d, statements_[d].root, need, true);
            if (statements_[d].role == Bound::Role::target) return;  // x = x + …: x is no slip of the pen
        }
        if (const Atom* a = find_atom(need)) {
            if (a->spelling != written(s, p)) found.push_back({s, p, a->value, told_name(s, p, *a)});
            return;
        }
        if (const auto r = as_fraction(need, 4096); r && look_alike(written(s, p), r->to_string())) {
            found.push_back({s, p, number(*r), told_look_alike(s, p, r->to_string())});
        }
        Residue power = v;
        for (int n = 2; n <= 4; ++n) {
            power = power * v;
            if (power == need) {
                found.push_back({s, p, sym::pow(value(s, p), n),
                                 told(s, node.first, node.last, RepairKind::power, 1.2,
                                      fmt::format("{} instead of {}", power_text(written(s, p), n), written(s, p)))});
            }
        }
    }

    void solve_sum(std::size_t s, Tree::Part p, Residue v, Residue need) {
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
                found.push_back({s, node.args[t], -term, told_sign(s, p, t)});
                continue;
            }
            solve_split(s, node.args[t], wanted, node.turned[t]);
            solve(s, node.args[t], wanted, true);
            if (t > 0) solve_joined(s, p, t, v, need);
        }
        // a term that is not there: a name, a number, a product of two names
        const Residue missing = need - v;
        const auto emit = [&](const Expr& e, const std::string& text, double cost, bool minus) {
            found.push_back({s, p, minus ? value(s, p) - e : value(s, p) + e,
                             told(s, node.last, node.last, RepairKind::term, cost,
                                  fmt::format("{} {} after {}", minus ? "-" : "+", text, tokens(s)[node.last].text))});
        };
        if (p == statements_[s].root && statements_[s].role != Bound::Role::intermediate) return;  // told from the normal form
        static constexpr std::array<std::pair<int, int>, 7> factors{{{1, 1}, {2, 1}, {1, 2}, {3, 1}, {4, 1}, {1, 3}, {1, 4}}};
        for (const int sign : {1, -1}) {
            for (const auto& [n, d] : factors) {
                const Residue r = missing * sym::residue_of(sign * d) * sym::inverse(sym::residue_of(n)).value_or(Residue{});
                const std::string front = n == 1 && d == 1 ? "" : d == 1 ? fmt::format("{}*", n) : "";
                const std::string behind = d == 1 ? "" : fmt::format("/{}", d);
                const Expr by = number(Rational(n, d));
                if (const Atom* a = find_atom(r)) emit(by * a->value, front + a->spelling + behind, 2.2 + 0.2 * (n + d - 2), sign < 0);
                if (const auto at = owner_.pair_at_.find(key(r)); at != owner_.pair_at_.end()) {
                    const Atom &a = atoms_[at->second.first], &b = atoms_[at->second.second];
                    emit(by * a.value * b.value, front + (&a == &b ? power_text(a.spelling, 2) : a.spelling + "*" + b.spelling) + behind,
                         2.5 + 0.2 * (n + d - 2), sign < 0);
                }
            }
        }
        if (const auto r = as_fraction(missing, 64); r && !r->is_zero()) {
            const bool minus = r->sign() < 0;
            emit(number(minus ? -*r : *r), (minus ? -*r : *r).to_string(), 2.2, minus);
        }
    }

    void solve_product(std::size_t s, Tree::Part p, Residue need) {
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
            // multiplied where it should divide, or the other way
            if (const auto back = sym::inverse(wanted); back && *back == value(s, node.args[t]).node().residue && t > 0) {
                const Tree::Node& factor = tree(s)[node.args[t]];
                found.push_back({s, node.args[t], number(1) / value(s, node.args[t]),
                                 told(s, factor.first, factor.last, RepairKind::factor, 1.1,
                                      fmt::format("{} by {}", node.turned[t] ? "multiplied" : "divided", written(s, node.args[t])))});
                continue;
            }
            solve(s, node.args[t], wanted, false);
        }
    }

    /// The operator before a part.
    std::size_t operator_before(std::size_t s, Tree::Part p) const {
        std::size_t at = tree(s)[p].first;
        while (at > 0 && !tokens(s)[at].is("*") && !tokens(s)[at].is("+")) --at;
        return at;
    }
    /// a + b where a*b was meant.
    void solve_joined(std::size_t s, Tree::Part p, std::size_t t, Residue v, Residue need) {
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
    void solve_power(std::size_t s, Tree::Part p, Residue need) {
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
        if (tree(s)[node.args[0]].kind == Tree::Kind::name && statements_[s].definition[node.args[0]] < 0) {
            for (const Atom& a : atoms_) {
                const Expr other = sym::pow(a.value, n);
                if (has_residue(other) && other.node().residue == need)
                    found.push_back({s, node.args[0], a.value, told_name(s, node.args[0], a)});
            }
        } else {
            for (const Candidate& c : changes(s, node.args[0], 600)) {
                if (is_late()) return;
                const Expr other = sym::pow(root_of(c, s, node.args[0]), n);
                if (has_residue(other) && other.node().residue == need) found.push_back(c);
            }
        }
    }

    void missing_angle(std::size_t s, Tree::Part call, const Expr& x, std::vector<Candidate>& out) const {
        const Tree::Node& node = tree(s)[call];
        const Tree::Node& arg = tree(s)[node.args[0]];
        for (const Atom& a : atoms_) {
            if (!a.value.is_symbol() || a.value.symbol().role != sym::Role::coordinate || a.value == x) continue;
            out.push_back({s, node.args[0], x + a.value,
                           told(s, arg.first, arg.last, RepairKind::term, 1.8,
                                fmt::format("{} + {} instead of {}", written(s, node.args[0]), a.spelling, written(s, node.args[0])))});
            out.push_back({s, node.args[0], x - a.value,
                           told(s, arg.first, arg.last, RepairKind::term, 1.8,
                                fmt::format("{} - {} instead of {}", written(s, node.args[0]), a.spelling, written(s, node.args[0])))});
        }
        for (const int k : {2, 3}) {
            out.push_back({s, node.args[0], number(k) * x,
                           told(s, arg.first, arg.last, RepairKind::factor, 1.8,
                                fmt::format("{}*{} instead of {}", k, written(s, node.args[0]), written(s, node.args[0])))});
        }
        out.push_back({s, node.args[0], x / number(2),
                       told(s, arg.first, arg.last, RepairKind::factor, 1.8,
                            fmt::format("{}/2 instead of {}", written(s, node.args[0]), written(s, node.args[0])))});
    }

    const Repairer& owner_;
    const std::vector<Bound>& statements_;
    const std::vector<Atom>& atoms_;
    sym::Pool& desk_;
    Language language_;
    Clock::time_point deadline_;
    std::vector<std::vector<Expr>> values_;
    std::vector<std::size_t> uses_, cone_;
};

Repairer::Repairer(Binder& binder) : binder_(binder) {
    const auto& atoms = binder.atoms();
    const auto usable = [](const Atom& a) { return (a.value.node().flags & sym::Node::no_residue) == 0; };
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        if (usable(atoms[i])) atom_at_.emplace(key(atoms[i].value.node().residue), i);
    }
    const std::size_t most = std::min<std::size_t>(atoms.size(), 80);
    for (std::size_t i = 0; i < most; ++i) {
        for (std::size_t j = i; j < most; ++j) {
            if (usable(atoms[i]) && usable(atoms[j]))
                pair_at_.emplace(key(atoms[i].value.node().residue * atoms[j].value.node().residue), std::pair{i, j});
        }
    }
}

std::vector<Repairer::Choice> Repairer::repair(const std::vector<Bound>& statements, std::size_t s, const Expr& need,
                                               std::chrono::milliseconds patience) {
    const auto deadline = Clock::now() + patience;
    const Bound& bound = statements[s];
    std::vector<Choice> out;
    if (bound.is_damaged) return out;
    const Residue wanted = need.node().residue;
    if ((need.node().flags & sym::Node::no_residue) != 0) return out;
    Search search(*this, statements, deadline);
    search.count_uses(s);
    const auto is_right = [&](std::span<const Candidate> c) {
        const Expr e = search.changed_values(c)[s][bound.root];
        return sym::equal(e, need) == sym::Verdict::equal;
    };
    const auto keep = [&](std::vector<Candidate> c) {
        Choice choice;
        for (Candidate& x : c) {
            if (x.statement != s && statements[x.statement].role == Bound::Role::intermediate) x.told.cost += 0.25;  // others use it too
            choice.push_back(std::move(x.told));
        }
        out.push_back(std::move(choice));
    };
    const auto cost = [](const Choice& c) {
        double sum = c.size() > 1 ? 1 : 0;
        for (const Repair& r : c) sum += r.cost;
        return sum;
    };

    search.solve(s, bound.root, wanted, true);
    search.solve_split(s, bound.root, wanted, false);
    for (const Candidate& c : search.found) {
        if (is_right(std::span(&c, 1))) keep({c});
    }
    tell_missing_terms(bound, search.value(s, bound.root), need, out);
    // an intermediate variable that is used more than once
    const auto least = [&] { return out.empty() ? 1e9 : cost(*std::ranges::min_element(out, {}, cost)); };
    if (least() > 1.2) tell_moved_brackets(statements, s, need, deadline, out);
    if (least() > 1.9) {
        for (const std::size_t d : search.cone()) {
            if (d == s || search.uses(d) < 2 || statements[d].is_damaged) continue;
            for (const Candidate& c : search.changes(d, statements[d].root, 1500)) {
                if (search.is_late()) break;
                if (search.changed_values(std::span(&c, 1))[s][bound.root].node().residue == wanted && is_right(std::span(&c, 1)))
                    keep({c});
            }
        }
    }
    // two changes: one is made, the other solved for
    if (least() > 3) {
        for (const std::size_t d : search.cone()) {
            if (statements[d].is_damaged) continue;
            for (const Candidate& first : search.changes(d, statements[d].root, 3000)) {
                if (search.is_late() || out.size() > 40) break;
                Search second(*this, statements, deadline);
                second.count_uses(s);
                second.set_values(search.changed_values(std::span(&first, 1)));
                second.solve(s, bound.root, wanted, true);
                for (const Candidate& c : second.found) {
                    if (c.statement == first.statement && c.part == first.part) continue;
                    const std::array both{first, c};
                    if (is_right(both)) keep({first, c});
                }
            }
        }
    }
    std::ranges::stable_sort(out, {}, cost);
    // the same told twice, or what is much less likely
    std::vector<Choice> distinct;
    const double best = out.empty() ? 0 : cost(out.front());
    for (Choice& c : out) {
        std::ranges::sort(c, [](const Repair& a, const Repair& b) {
            return std::pair(a.where.line, a.where.column) < std::pair(b.where.line, b.where.column);
        });
        const bool is_known = std::ranges::any_of(distinct, [&](const Choice& d) {
            return std::ranges::equal(c, d, [](const Repair& a, const Repair& b) { return a.what == b.what && a.where == b.where; });
        });
        const bool is_likely = cost(c) <= best + 0.12;
        const bool says_more = std::ranges::none_of(distinct, [&](const Choice& d) {
            return d.size() == c.size() && d.front().kind == c.front().kind && d.front().where.line == c.front().where.line &&
                   d.front().kind == RepairKind::factor;
        });
        if (!is_known && is_likely && says_more) distinct.push_back(std::move(c));
    }
    return distinct;
}

}  // namespace linkwright::compare
