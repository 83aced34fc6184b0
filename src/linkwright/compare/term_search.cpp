#include "linkwright/compare/term_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "linkwright/base/text.hpp"

namespace linkwright::compare {

using sym::Residue;

namespace {

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

// ---------------------------------------------------------------------------------------------------- effort and names

Effort::Effort(std::chrono::milliseconds patience)
    : most_(static_cast<std::size_t>(std::max<std::int64_t>(1, patience.count())) * units_per_millisecond),
      last_resort_(std::chrono::steady_clock::now() + 20 * patience + std::chrono::seconds(1)) {}

bool Effort::is_over() const { return spent_ >= most_ || std::chrono::steady_clock::now() > last_resort_; }

Lexicon::Lexicon(const Binder& binder) : atoms_(binder.atoms()) {
    const auto is_usable = [](const Atom& a) { return TermSearch::has_residue(a.value); };
    const auto key = [](Residue r) { return Key{r.r1, r.r2}; };
    for (std::size_t i = 0; i < atoms_.size(); ++i) {
        if (is_usable(atoms_[i])) atom_at_.emplace(key(atoms_[i].value.node().residue), i);
    }
    const std::size_t most = std::min<std::size_t>(atoms_.size(), 120);
    for (std::size_t i = 0; i < most; ++i) {
        for (std::size_t j = i; j < most; ++j) {
            if (is_usable(atoms_[i]) && is_usable(atoms_[j]))
                pair_at_.emplace(key(atoms_[i].value.node().residue * atoms_[j].value.node().residue), std::pair{i, j});
        }
    }
}

const Atom* Lexicon::find(Residue r, std::size_t statement) const {
    const auto at = atom_at_.find({r.r1, r.r2});
    return at == atom_at_.end() || !is_known(atoms_[at->second], statement) ? nullptr : &atoms_[at->second];
}

std::optional<Lexicon::Pair> Lexicon::find_pair(Residue r, std::size_t statement) const {
    const auto at = pair_at_.find({r.r1, r.r2});
    if (at == pair_at_.end()) return std::nullopt;
    const Pair pair{&atoms_[at->second.first], &atoms_[at->second.second]};
    return is_known(*pair.a, statement) && is_known(*pair.b, statement) ? std::optional(pair) : std::nullopt;
}

// ------------------------------------------------------------------------------------------------------------ the cone

TermSearch::TermSearch(const Binder& binder, const Lexicon& lexicon, const std::vector<Bound>& statements, std::size_t s, Effort& effort)
    : lexicon_(lexicon),
      statements_(statements),
      atoms_(lexicon.atoms()),
      desk_(binder.ours().desk),
      language_(binder.language()),
      s_(s),
      effort_(effort) {
    values_.resize(statements.size());
    count_uses();
    for (const std::size_t i : cone_) values_[i] = statements[i].parts;
}

/// How often each statement's value is used below s.
void TermSearch::count_uses() {
    uses_.assign(statements_.size(), 0);
    std::vector<bool> seen(statements_.size(), false);
    cone_ = {s_};
    seen[s_] = true;
    for (std::size_t k = 0; k < cone_.size(); ++k) {
        const Bound& b = statements_[cone_[k]];
        if (b.is_damaged) continue;
        for (Tree::Part p = 0; p < b.definition.size() && p <= b.root; ++p) {
            const int d = b.definition[p];
            if (d < 0) continue;
            const auto at = static_cast<std::size_t>(d);
            ++uses_[at];
            if (!seen[at]) seen[at] = true, cone_.push_back(at);
        }
    }
    std::ranges::sort(cone_);
}

void TermSearch::set_values(std::vector<std::vector<Expr>> values) {
    values_ = std::move(values);
    slopes_.clear();
    tried_.clear();
}

std::vector<std::vector<Expr>> TermSearch::changed_values(std::span<const Change> changed) const {
    std::vector<std::vector<Expr>> all = values_;
    effort_.spend(10 + cone_.size());
    for (const std::size_t i : cone_) {
        const Bound& b = statements_[i];
        if (b.is_damaged) continue;
        bool is_touched = std::ranges::any_of(changed, [&](const Change& c) { return c.statement == i; });
        for (Tree::Part p = 0; p < b.definition.size() && p <= b.root && !is_touched; ++p) {
            const int d = b.definition[p];
            is_touched = d >= 0 && all[d] != values_[d];
        }
        if (is_touched) all[i] = rebuilt(i, all, changed);
    }
    return all;
}

/// The parts of statement i from below, with changed ones and changed statements put in.
std::vector<Expr> TermSearch::rebuilt(std::size_t i, const std::vector<std::vector<Expr>>& all, std::span<const Change> changed) const {
    const Bound& b = statements_[i];
    std::vector<Expr> parts = values_[i];
    effort_.spend(b.root);
    for (Tree::Part p = 0; p <= b.root; ++p) {
        const int d = b.definition[p];
        const Tree::Node& node = b.tree[p];
        if (d >= 0) {
            parts[p] = all[d].empty() ? values_[i][p] : all[d][statements_[d].root];
        } else if (std::ranges::any_of(node.args, [&](Tree::Part a) { return parts[a] != values_[i][a]; })) {
            parts[p] = built(node, [&](Tree::Part a) { return parts[a]; });
        }
        for (const Change& c : changed) {
            if (c.statement == i && c.part == p) parts[p] = c.factor ? parts[p] * *c.factor : c.value;
        }
    }
    return parts;
}

/// A part alone, over what its arguments are.
Expr TermSearch::built(const Tree::Node& node, const std::function<Expr(Tree::Part)>& at) const {
    Tree one;
    for (std::size_t k = 0; k < node.args.size(); ++k) {
        one.nodes.emplace_back();
        one.nodes.back().kind = Tree::Kind::name;
    }
    one.nodes.push_back(node);
    for (std::size_t k = 0; k < node.args.size(); ++k) one.nodes.back().args[k] = static_cast<Tree::Part>(k);
    effort_.spend(1 + node.args.size() / 4);
    return build(one, static_cast<Tree::Part>(node.args.size()), desk_, [&](Tree::Part k) { return at(node.args[k]); });
}

Expr TermSearch::value_with(const Change& c, std::size_t s, Tree::Part p) {
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
    effort_.spend(below.size() / 8);
    return at(p);
}

// -------------------------------------------------------------------------------------------------------------- slopes

const std::vector<std::vector<TermSearch::Slope>>& TermSearch::slopes() {
    if (!slopes_.empty()) return slopes_;
    slopes_.resize(statements_.size());
    for (const std::size_t i : cone_) slopes_[i].resize(values_[i].size());
    if (!statements_[s_].is_damaged) slopes_[s_][statements_[s_].root].at = sym::residue_of(1);
    for (std::size_t k = cone_.size(); k-- > 0;) {
        if (!statements_[cone_[k]].is_damaged) find_slopes(cone_[k]);
    }
    return slopes_;
}

/// From the root down. The slope of a statement that is used several times is the sum over its uses; one use that is not affine leaves it
/// without.
void TermSearch::find_slopes(std::size_t s) {
    const Bound& b = statements_[s];
    std::vector<Slope>& slope = slopes_[s];
    slope[b.root].anchor = slope[b.root].at ? b.root : Tree::none;
    std::vector<bool> is_reached(slope.size(), false);
    is_reached[b.root] = true;
    for (Tree::Part p = b.root + 1; p-- > 0;) {
        if (!is_reached[p]) continue;
        const Tree::Node& node = b.tree[p];
        if (const int d = b.definition[p]; d >= 0 && !statements_[d].is_damaged) {
            Slope& whole = slopes_[d][statements_[d].root];
            const bool is_first = whole.parent == Tree::none;
            whole.parent = p;  // some use of it has been seen
            if (is_first)
                whole.at = slope[p].at;
            else if (whole.at && slope[p].at)
                whole.at = *whole.at + *slope[p].at;
            else
                whole.at = std::nullopt;
        }
        for (std::size_t t = 0; t < node.args.size(); ++t) {
            const Tree::Part a = node.args[t];
            is_reached[a] = true;
            slope[a].parent = p;
            if (slope[p].at && node.kind == Tree::Kind::sum) {
                slope[a].at = node.turned[t] ? -*slope[p].at : *slope[p].at;
            } else if (slope[p].at && node.kind == Tree::Kind::product && !node.turned[t]) {
                std::optional<Residue> product = slope[p].at;
                for (std::size_t k = 0; k < node.args.size() && product; ++k) {
                    if (k == t) continue;
                    const Expr& x = value(s, node.args[k]);
                    const auto factor = node.turned[k] ? sym::inverse(x.node().residue) : std::optional(x.node().residue);
                    product = factor && has_residue(x) ? std::optional(*product * *factor) : std::nullopt;
                }
                slope[a].at = product;
            }
            slope[a].anchor = slope[a].at ? a : slope[p].anchor;
        }
    }
    slope[b.root].parent = Tree::none;
}

std::optional<Residue> TermSearch::added(const Change& c) {
    const Slope& slope = slopes()[c.statement][c.part];
    if (slope.anchor == Tree::none) return std::nullopt;
    const Expr now = slope.anchor == c.part ? c.value : value_with(c, c.statement, slope.anchor);
    const Expr& before = value(c.statement, slope.anchor);
    if (!has_residue(now) || !has_residue(before)) return std::nullopt;
    return *slopes_[c.statement][slope.anchor].at * (now.node().residue - before.node().residue);
}

// ------------------------------------------------------------------------------------------------------ single changes

std::vector<Change> TermSearch::changes(std::size_t s, Tree::Part p, std::size_t most) {
    std::vector<Change> out;
    std::vector<Tree::Part> todo{p};
    if (p == statements_[s].root) changes_of_term(s, p, out);
    for (std::size_t k = 0; k < todo.size() && out.size() < most; ++k) {
        const Tree::Part i = todo[k];
        switch (tree(s)[i].kind) {
            case Tree::Kind::number: changes_of_number(s, i, out); break;
            case Tree::Kind::name: changes_of_name(s, i, out); break;
            case Tree::Kind::sum: changes_of_sum(s, i, out); break;
            case Tree::Kind::product: changes_of_product(s, i, out); break;
            case Tree::Kind::power: changes_of_power(s, i, out); break;
            case Tree::Kind::call: changes_of_call(s, i, out); break;
        }
        for (const Tree::Part a : tree(s)[i].args) todo.push_back(a);
    }
    effort_.spend(2 * out.size());
    return out;
}

void TermSearch::changes_of_number(std::size_t s, Tree::Part p, std::vector<Change>& out) const {
    const Rational& n = tree(s)[p].number;
    std::vector<Rational> others{n * Rational(2), n / Rational(2), n + Rational(1), n - Rational(1), -n};
    for (const Rational& r : {Rational(1), Rational(2), Rational(3), Rational(4), Rational(1, 2), Rational(1, 3), Rational(1, 4)}) {
        if (!(r == n) && std::ranges::find(others, r) == others.end()) others.push_back(r);
    }
    for (const Rational& r : others) {
        if (!r.is_zero()) out.push_back({s, p, number(r), told_number(s, p, r)});
    }
    for (const Atom& a : atoms_) {
        if (look_alike(written(s, p), a.spelling)) out.push_back({s, p, a.value, told_look_alike(s, p, a.spelling)});
    }
}

void TermSearch::changes_of_name(std::size_t s, Tree::Part p, std::vector<Change>& out) const {
    const std::string now = written(s, p);
    for (const Atom& a : atoms_) {
        if (a.value == value(s, p) || a.spelling == now || !Lexicon::is_known(a, s)) continue;
        if (a.definition >= 0 && edit_distance(a.spelling, now) > 3) continue;  // the writer's own names: those that are easily confused
        out.push_back({s, p, a.value, told_name(s, p, a)});
    }
    for (const int n : {2, 3}) out.push_back({s, p, sym::pow(value(s, p), n), told_power(s, p, n)});
}

void TermSearch::changes_of_sum(std::size_t s, Tree::Part p, std::vector<Change>& out) const {
    const Tree::Node& node = tree(s)[p];
    for (std::size_t t = 0; t < node.args.size(); ++t) {
        out.push_back({s, node.args[t], -value(s, node.args[t]), told_sign(s, p, t), number(-1)});
        if (node.args.size() > 1) out.push_back({s, node.args[t], number(0), told_extra_term(s, p, t)});
        changes_of_term(s, node.args[t], out);
    }
}

/// Factors that a term may lack.
void TermSearch::changes_of_term(std::size_t s, Tree::Part p, std::vector<Change>& out) const {
    const Expr& x = value(s, p);
    for (const auto& [n, d] : std::array<std::pair<int, int>, 6>{{{2, 1}, {3, 1}, {4, 1}, {1, 2}, {1, 3}, {1, 4}}}) {
        const Expr by = number(Rational(n, d));
        out.push_back({s, p, x * by, told_factor(s, p, std::to_string(n * d), d > 1, 1.5 + 0.05 * n * d), by});
    }
    for (const Atom& a : atoms_) {
        if (!Lexicon::is_known(a, s) || !has_residue(a.value)) continue;
        if (a.definition >= 0 && statements_[a.definition].tree[statements_[a.definition].root].kind != Tree::Kind::call) continue;
        const Expr inverse = number(1) / a.value;
        out.push_back({s, p, x * a.value, told_factor(s, p, a.spelling, false, 1.7), a.value});
        out.push_back({s, p, x * inverse, told_factor(s, p, a.spelling, true, 1.9), inverse});
    }
}

void TermSearch::changes_of_product(std::size_t s, Tree::Part p, std::vector<Change>& out) const {
    const Tree::Node& node = tree(s)[p];
    for (std::size_t t = 0; t < node.args.size(); ++t) {
        out.push_back({s, node.args[t], number(1), told_extra_factor(s, p, t)});
        if (t > 0) out.push_back({s, node.args[t], number(1) / value(s, node.args[t]), told_other_side(s, p, t)});
    }
}

void TermSearch::changes_of_power(std::size_t s, Tree::Part p, std::vector<Change>& out) const {
    const Tree::Part exponent = tree(s)[p].args[1];
    if (!value(s, exponent).is_number()) return;
    const Rational n = value(s, exponent).number();
    std::vector<Rational> others{n + Rational(1), n - Rational(1)};
    if (std::ranges::find(others, Rational(2)) == others.end()) others.emplace_back(2);
    for (const Rational& r : others) {
        if (!(r == n) && !r.is_zero()) out.push_back({s, exponent, number(r), told_number(s, exponent, r, RepairKind::power)});
    }
}

void TermSearch::changes_of_call(std::size_t s, Tree::Part p, std::vector<Change>& out) const {
    const Tree::Node& node = tree(s)[p];
    const Expr& x = value(s, node.args[0]);
    if (node.name == "sin") out.push_back({s, p, cos(x), told_function(s, p, "cos")});
    if (node.name == "cos") out.push_back({s, p, sin(x), told_function(s, p, "sin")});
    if (node.name == "sin" || node.name == "cos" || node.name == "tan") changes_of_angle(s, p, out);
}

void TermSearch::changes_of_angle(std::size_t s, Tree::Part call, std::vector<Change>& out) const {
    const Tree::Part part = tree(s)[call].args[0];
    const Tree::Node& arg = tree(s)[part];
    const Expr& x = value(s, part);
    const auto emit = [&](const Expr& e, RepairKind kind, const std::string& text) {
        out.push_back({s, part, e, told(s, arg.first, arg.last, kind, 1.8, fmt::format("{} instead of {}", text, written(s, part)))});
    };
    for (const Atom& a : atoms_) {
        if (!a.value.is_symbol() || a.value.symbol().role != sym::Role::coordinate || a.value == x) continue;
        emit(x + a.value, RepairKind::term, fmt::format("{} + {}", written(s, part), a.spelling));
        emit(x - a.value, RepairKind::term, fmt::format("{} - {}", written(s, part), a.spelling));
    }
    for (const int k : {2, 3}) emit(number(k) * x, RepairKind::factor, fmt::format("{}*{}", k, written(s, part)));
    emit(x / number(2), RepairKind::factor, fmt::format("{}/2", written(s, part)));
}

// -------------------------------------------------------------------------------------------------------- what to tell

Repair TermSearch::told(std::size_t s, std::size_t first, std::size_t last, RepairKind kind, double cost, std::string what) const {
    const auto& t = tokens(s);
    const Token& a = t[std::min(first, t.size() - 1)];
    const Token& b = t[std::min(last, t.size() - 1)];
    std::uint32_t width = a.width;
    if (b.where.line == a.where.line && b.where.column + b.width > a.where.column) width = b.where.column + b.width - a.where.column;
    if (s != s_ && statements_[s].role == Bound::Role::intermediate) cost += 0.25;  // others use it too
    return {std::move(what), kind, a.where, width, cost};
}

std::string TermSearch::written(std::size_t s, Tree::Part p) const {
    std::string text = write_tokens(tokens(s), tree(s)[p].first, tree(s)[p].last);
    return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string TermSearch::power_text(const std::string& base, int n) const { return write_power(base, std::to_string(n), language_); }

Repair TermSearch::told_sign(std::size_t s, Tree::Part sum, std::size_t t) const {
    const Tree::Node& node = tree(s)[sum];
    const std::uint32_t sign = node.signs[t];
    const bool minus = node.turned[t];
    if (sign == Tree::none) {
        const std::uint32_t first = tree(s)[node.args[t]].first;
        return told(s, first, first, RepairKind::sign, 1.15, fmt::format("'{}' before {}", minus ? "+" : "-", written(s, node.args[t])));
    }
    const std::string& old = tokens(s)[sign].text;
    return told(s, sign, sign, RepairKind::sign, 1,
                fmt::format("'{}' instead of '{}'", minus ? (old == "-=" ? "+=" : "+") : (old == "+=" ? "-=" : "-"), old));
}

Repair TermSearch::told_number(std::size_t s, Tree::Part p, const Rational& r, RepairKind kind) const {
    const double size = std::log2(1 + std::abs(r.numerator().to_double()) * r.denominator().to_double());
    const bool turns = r.sign() < 0 && tree(s)[p].number.sign() >= 0;  // rather a sign, where one stands
    return told(s, tree(s)[p].first, tree(s)[p].last, kind, 0.9 + 0.05 * size + (turns ? 0.3 : 0),
                fmt::format("{} instead of {}", r.to_string(), written(s, p)));
}

Repair TermSearch::told_name(std::size_t s, Tree::Part p, const Atom& a) const {
    const Tree::Node& node = tree(s)[p];
    const std::string old = write_name(node.name, node.indices, language_);
    const bool is_index = !node.indices.empty() && folded(node.name, language_) == a.name;
    const double cost = 1 + (is_index ? 0 : 0.05 * static_cast<double>(std::min<std::size_t>(edit_distance(old, a.spelling), 10)));
    return told(s, node.first, node.last, is_index ? RepairKind::index : RepairKind::name, cost,
                fmt::format("{} instead of {}", a.spelling, old));
}

Repair TermSearch::told_power(std::size_t s, Tree::Part p, int n) const {
    return told(s, tree(s)[p].first, tree(s)[p].last, RepairKind::power, 1.2,
                fmt::format("{} instead of {}", power_text(written(s, p), n), written(s, p)));
}

/// 12 where l2 was meant: the types of a printer, the eyes of a reader.
Repair TermSearch::told_look_alike(std::size_t s, Tree::Part p, const std::string& meant) const {
    return told(s, tree(s)[p].first, tree(s)[p].last, RepairKind::text, 0.95,
                fmt::format("{} instead of {}, which looks like it", meant, written(s, p)));
}

Repair TermSearch::told_extra_term(std::size_t s, Tree::Part sum, std::size_t t) const {
    const Tree::Node& node = tree(s)[sum];
    const Tree::Node& term = tree(s)[node.args[t]];
    const std::size_t first = node.signs[t] == Tree::none ? term.first : node.signs[t];
    return told(s, first, term.last, RepairKind::term, 1.6 + 0.01 * static_cast<double>(term.last - first),
                fmt::format("without the term {}{}", node.turned[t] ? "-" : "", written(s, node.args[t])));
}

Repair TermSearch::told_extra_factor(std::size_t s, Tree::Part product, std::size_t t) const {
    const Tree::Node& node = tree(s)[product];
    const Tree::Node& factor = tree(s)[node.args[t]];
    return told(s, factor.first, factor.last, RepairKind::factor, 1.3 + 0.01 * static_cast<double>(factor.last - factor.first),
                fmt::format("without the {} {}", node.turned[t] ? "divisor" : "factor", written(s, node.args[t])));
}

/// Multiplied where it should divide, or the other way.
Repair TermSearch::told_other_side(std::size_t s, Tree::Part product, std::size_t t) const {
    const Tree::Node& node = tree(s)[product];
    const Tree::Node& factor = tree(s)[node.args[t]];
    return told(s, factor.first, factor.last, RepairKind::factor, 1.1,
                fmt::format("{} by {}", node.turned[t] ? "multiplied" : "divided", written(s, node.args[t])));
}

Repair TermSearch::told_function(std::size_t s, Tree::Part p, const std::string& f) const {
    return told(s, tree(s)[p].first, tree(s)[p].first, RepairKind::function, 1,
                fmt::format("{} instead of {}", f, tokens(s)[tree(s)[p].first].text));
}

Repair TermSearch::told_factor(std::size_t s, Tree::Part p, const std::string& by, bool divides, double cost) const {
    return told(s, tree(s)[p].first, tree(s)[p].last, RepairKind::factor, cost,
                fmt::format("{} {} by {}", written(s, p), divides ? "divided" : "multiplied", by));
}

}  // namespace linkwright::compare
