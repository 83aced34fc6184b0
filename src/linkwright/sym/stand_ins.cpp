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

/// part^exponent; of a product (2·√3·(x + y))² it is 12·(x + y)².
Formula::Part raised(Formula& f, Formula::Part part, const Rational& exponent) {
    const auto whole = exponent.is_integer() ? exponent.small_numerator() : std::nullopt;
    if (f[part].kind != Formula::Kind::product || !whole || exponent.is_one()) return f.power(part, exponent);
    Rational number(1);
    std::vector<Formula::Part> factors;
    for (const Formula::Part arg : std::vector(f[part].args)) {
        const Formula::Node n = f[arg];
        const bool is_power = n.kind == Formula::Kind::power;
        const Formula::Part base = is_power ? n.args[0] : arg;
        const Rational power_of_base = is_power ? n.number * exponent : exponent;
        const auto digits = f[base].kind == Formula::Kind::number && power_of_base.is_integer() ? power_of_base.small_numerator() : std::nullopt;
        if (digits) number *= power(f[base].number, *digits);
        else factors.push_back(f.power(base, power_of_base));
    }
    if (!number.is_one() || factors.empty()) factors.insert(factors.begin(), f.number(number));
    return f.product(std::move(factors));
}

/// Products within a product are one product, with one number in front; sums within a sum are one sum.
std::vector<Formula::Part> flattened(Formula& f, Formula::Kind kind, const std::vector<Formula::Part>& args) {
    std::vector<Formula::Part> out;
    Rational number(1);
    for (const Formula::Part arg : args) {
        const std::vector<Formula::Part> inside = f[arg].kind == kind ? f[arg].args : std::vector{arg};
        for (const Formula::Part p : inside) {
            if (kind == Formula::Kind::product && f[p].kind == Formula::Kind::number) number *= f[p].number;
            else out.push_back(p);
        }
    }
    if (kind == Formula::Kind::product && (!number.is_one() || out.empty())) out.insert(out.begin(), f.number(number));
    return out;
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

StandIns::StandIns(const Expr& e, For what) : what_(what), lettered_(e) {
    collect(e);
    if (all_.empty()) return;
    name_letters(e.pool());
    lettered_ = rebuilt(e);
}

void StandIns::meet(const Expr& base, const Rational& exponent) {
    const bool is_polynomial = exponent.sign() > 0 && exponent.is_integer();
    const bool is_sum = base.op() == Op::add && what_ == For::all_sums;
    if ((is_polynomial && !is_sum) || !(base.is_symbol() || has_sums(base))) return;
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
        const bool is_multiple = x.op() == Op::mul && x.arg(0).is_number();  // 2·(x + y) is a sum too
        if (x.op() == Op::add || is_multiple) {
            for (std::size_t i = 0; i < x.arity(); ++i) open.push_back(x.arg(i));
            continue;
        }
        for (const auto& [base, exponent] : factors_of(x, Rational(1))) {
            meet(base, exponent);
            if (!by_base_.contains(base.id())) open.push_back(base);
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

bool StandIns::is_replaced(const Expr& base, const Rational& exponent, Op around) const {
    if (!by_base_.contains(base.id())) return false;
    const bool is_polynomial = exponent.sign() > 0 && exponent.is_integer();
    return !is_polynomial || (what_ == For::all_sums && around != Op::add && !base.is_symbol());
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
            if (is_replaced(base, exponent, x.op()) || memo.contains(base.id())) continue;
            open.push_back(base.id());
            is_ready = false;
        }
        if (!is_ready) continue;
        open.pop_back();
        const auto made_of = [&](const std::pair<Expr, Rational>& operand) {
            const auto& [base, exponent] = operand;
            if (!is_replaced(base, exponent, x.op())) return pow(Expr(pool, memo.at(base.id())), exponent);
            const StandIn& s = all_[by_base_.at(base.id())];
            return pow(exponent.sign() < 0 ? s.inverse : s.letter, abs(exponent) * s.degree);
        };
        Expr made = x;
        if (!operands.empty()) made = made_of(operands[0]);
        for (std::size_t i = 1; i < operands.size(); ++i) made = x.op() == Op::add ? made + made_of(operands[i]) : made * made_of(operands[i]);
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
        return raised(f, at->second, exponent * Rational(sign) / all_[place].degree);
    };
    std::vector<Formula::Part> at;
    for (Formula::Part i = 0; i < formula.size(); ++i) {
        Formula::Node n = formula[i];
        std::optional<Formula::Part> letter;
        if (n.kind == Formula::Kind::name) letter = spelled(n.name, Rational(1));
        if (n.kind == Formula::Kind::power && formula[n.args[0]].kind == Formula::Kind::name) letter = spelled(formula[n.args[0]].name, n.number);
        for (Formula::Part& arg : n.args) arg = at[arg];
        if (n.kind == Formula::Kind::sum || n.kind == Formula::Kind::product) n.args = flattened(f, n.kind, n.args);
        at.push_back(letter ? *letter : added(f, std::move(n)));
    }
    f.root = at[formula.root];
    return f;
}

}  // namespace linkwright::sym
