#include "linkwright/sym/stand_ins.hpp"

#include <algorithm>
#include <map>

#include "linkwright/sym/node_map.hpp"

namespace linkwright::sym {

namespace {

/// base^exponent as powers of what it is a product of: (m·(x + y)²)^−1 is m^−1 · (x + y)^−2. Only whole exponents.
std::vector<std::pair<Expr, Rational>> factors_of(const Expr& base, const Rational& exponent) {
    std::vector<std::pair<Expr, Rational>> found, open{{base, exponent}};
    while (!open.empty()) {
        const auto [e, r] = open.back();
        open.pop_back();
        if (e.op() == Op::mul && r.is_integer()) {
            open.emplace_back(e.arg(1), r);
            open.emplace_back(e.arg(0), r);
        } else if (e.op() == Op::pow && r.is_integer()) {
            open.emplace_back(e.arg(0), e.exponent() * r);
        } else {
            found.emplace_back(e, r);
        }
    }
    return found;
}

bool leads_on(Op op) { return op == Op::add || op == Op::mul || op == Op::pow; }

Formula::Part added(Formula& f, Formula::Node n) {
    switch (n.kind) {
        case Formula::Kind::undefined: return f.undefined();
        case Formula::Kind::number: return f.number(n.number);
        case Formula::Kind::pi: return f.pi();
        case Formula::Kind::name: return f.name(std::move(n.name));
        case Formula::Kind::sum: return f.sum(std::move(n.args));
        case Formula::Kind::product: return f.product(std::move(n.args));
        case Formula::Kind::power: return f.power(n.args[0], n.number);
        case Formula::Kind::call: return f.call(n.function, std::move(n.args));
    }
    return f.undefined();
}

}  // namespace

bool has_sums(const Expr& e) {
    std::vector<Expr> open{e};
    NodeMap<char> seen;
    while (!open.empty()) {
        const Expr x = open.back();
        open.pop_back();
        if (x.op() == Op::add) return true;
        if (!leads_on(x.op()) || !seen.insert(x.id(), 0)) continue;
        for (std::size_t i = 0; i < x.arity(); ++i) open.push_back(x.arg(i));
    }
    return false;
}

StandIns::StandIns(const Expr& e) : lettered_(e) {
    collect(e);
    if (all_.empty()) return;
    name_letters(e.pool());
    lettered_ = rebuilt(e);
}

void StandIns::meet(const Expr& base, const Rational& exponent) {
    const bool is_inverse = exponent.sign() < 0, is_root = !exponent.is_integer();
    if (!(is_inverse || is_root) || !(base.is_symbol() || has_sums(base))) return;
    if (base.is_symbol() && base.symbol().quaternion >= 0) return;
    const auto [at, is_new] = by_base_.try_emplace(base.id(), all_.size());
    if (is_new) all_.push_back({base, Rational(1), base, base});
    StandIn& s = all_[at->second];
    s.degree = lcm(s.degree, exponent.denominator());
}

void StandIns::collect(const Expr& e) {
    std::vector<Expr> open{e};
    NodeMap<char> seen;
    while (!open.empty()) {
        const Expr x = open.back();
        open.pop_back();
        if (!leads_on(x.op()) || !seen.insert(x.id(), 0)) continue;
        if (x.op() == Op::pow) {
            for (const auto& [base, exponent] : factors_of(x.arg(0), x.exponent())) {
                meet(base, exponent);
                if (!by_base_.contains(base.id())) open.push_back(base);
            }
        } else {
            for (std::size_t i = 0; i < x.arity(); ++i) open.push_back(x.arg(i));
        }
    }
    // √x of a letter x is the normal form's business.
    std::erase_if(all_, [](const StandIn& s) { return s.base.is_symbol() && !s.degree.is_one(); });
    by_base_.clear();
    for (Place i = 0; i < all_.size(); ++i) by_base_.emplace(all_[i].base.id(), i);
}

void StandIns::name_letters(Pool& pool) {
    std::string prefix = "r";
    const auto is_taken = [&] {
        return std::ranges::any_of(pool.symbols(), [&](const SymbolInfo& s) { return s.name.starts_with(prefix); });
    };
    while (is_taken()) prefix += "_";
    for (Place i = 0; i < all_.size(); ++i) {
        StandIn& s = all_[i];
        const std::string name = prefix + std::to_string(i), inverse = prefix + "i" + std::to_string(i);
        if (!s.base.is_symbol()) {
            s.letter = pool.symbol(name, Role::auxiliary);
            by_name_.emplace(name, Spelling{i, 1});
        }
        s.inverse = pool.symbol(inverse, s.base.is_symbol() ? s.base.symbol().role : Role::auxiliary);
        by_name_.emplace(inverse, Spelling{i, -1});
    }
}

Expr StandIns::power(const Expr& base, const Rational& exponent, const Expr& as_it_is) const {
    const auto known = by_base_.find(base.id());
    const bool is_polynomial = exponent.sign() > 0 && exponent.is_integer();
    if (known == by_base_.end() || is_polynomial) return pow(as_it_is, exponent);
    const StandIn& s = all_[known->second];
    return pow(exponent.sign() < 0 ? s.inverse : s.letter, abs(exponent) * s.degree);
}

Expr StandIns::rebuilt(const Expr& root) const {
    Pool& pool = root.pool();
    NodeMap<NodeId> memo;
    std::vector<NodeId> open{root.id()};
    // Arguments first; what a letter stands for is not gone into unless it is met elsewhere.
    while (!open.empty()) {
        const Expr x(pool, open.back());
        if (memo.contains(x.id())) {
            open.pop_back();
            continue;
        }
        std::vector<std::pair<Expr, Rational>> operands;
        if (x.op() == Op::pow) {
            operands = factors_of(x.arg(0), x.exponent());
        } else if (leads_on(x.op())) {
            operands = {{x.arg(0), Rational(1)}, {x.arg(1), Rational(1)}};
        }
        bool is_ready = true;
        for (const auto& [base, exponent] : operands) {
            const bool is_letter = by_base_.contains(base.id()) && !(exponent.sign() > 0 && exponent.is_integer());
            if (is_letter || memo.contains(base.id())) continue;
            open.push_back(base.id());
            is_ready = false;
        }
        if (!is_ready) continue;
        open.pop_back();
        const auto at = [&](const Expr& e) {
            const NodeId* done = memo.find(e.id());
            return done == nullptr ? e : Expr(pool, *done);
        };
        Expr made = x;
        if (x.op() == Op::add) made = at(operands[0].first) + at(operands[1].first);
        if (x.op() == Op::mul) made = at(operands[0].first) * at(operands[1].first);
        if (x.op() == Op::pow) {
            made = Expr(pool, Pool::one_id);
            for (const auto& [base, exponent] : operands) made *= power(base, exponent, at(base));
        }
        memo.insert(x.id(), made.id());
    }
    return {pool, memo.at(root.id())};
}

Terms StandIns::reduced(const Terms& terms) const {
    std::unordered_map<NodeId, NodeId> letter_of;  // of an inverse
    for (const StandIn& s : all_) letter_of.emplace(s.inverse.id(), s.letter.id());
    Terms out;
    std::map<std::vector<std::pair<NodeId, std::int64_t>>, std::size_t> places;
    for (Term t : terms) {
        for (Factor& f : t.factors) {
            const auto known = letter_of.find(f.generator.id());
            if (known == letter_of.end()) continue;
            const auto letter = std::ranges::find(t.factors, known->second, [](const Factor& x) { return x.generator.id(); });
            if (letter == t.factors.end()) continue;
            const std::int64_t both = std::min(f.exponent, letter->exponent);
            f.exponent -= both;
            letter->exponent -= both;
        }
        std::erase_if(t.factors, [](const Factor& f) { return f.exponent == 0; });
        std::vector<std::pair<NodeId, std::int64_t>> key;
        for (const Factor& f : t.factors) key.emplace_back(f.generator.id(), f.exponent);
        const auto [at, is_new] = places.emplace(std::move(key), out.size());
        if (is_new) out.push_back(std::move(t));
        else out[at->second].coefficient += t.coefficient;
    }
    std::erase_if(out, [](const Term& t) { return t.coefficient.is_zero(); });
    return out;
}

Formula StandIns::opened(const Formula& formula, std::span<const Formula> bases) const {
    Formula f;
    std::unordered_map<Place, Formula::Part> base_parts;
    const auto spelled = [&](const std::string& name, const Rational& exponent) -> std::optional<Formula::Part> {
        const auto known = by_name_.find(name);
        if (known == by_name_.end()) return std::nullopt;
        const auto [place, sign] = known->second;
        const auto [at, is_new] = base_parts.try_emplace(place, 0);
        if (is_new) at->second = f.append(bases[place]);
        return f.power(at->second, exponent * Rational(sign) / all_[place].degree);
    };
    std::vector<Formula::Part> at;
    for (Formula::Part i = 0; i < formula.size(); ++i) {
        Formula::Node n = formula[i];
        std::optional<Formula::Part> letter;
        if (n.kind == Formula::Kind::name) letter = spelled(n.name, Rational(1));
        if (n.kind == Formula::Kind::power && formula[n.args[0]].kind == Formula::Kind::name) letter = spelled(formula[n.args[0]].name, n.number);
        for (Formula::Part& arg : n.args) arg = at[arg];
        at.push_back(letter ? *letter : added(f, std::move(n)));
    }
    f.root = at[formula.root];
    return f;
}

}  // namespace linkwright::sym
