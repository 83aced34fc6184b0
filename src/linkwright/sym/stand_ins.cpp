#include "linkwright/sym/stand_ins.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "linkwright/sym/arrangement.hpp"
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
        const auto digits =
            f[base].kind == Formula::Kind::number && power_of_base.is_integer() ? power_of_base.small_numerator() : std::nullopt;
        if (digits)
            number *= power(f[base].number, *digits);
        else
            factors.push_back(f.power(base, power_of_base));
    }
    if (!number.is_one() || factors.empty()) factors.insert(factors.begin(), f.number(number));
    return f.product(std::move(factors));
}

bool is_negative(const Formula& f, Formula::Part p) {
    const Formula::Node& n = f[p];
    const Formula::Node& first = n.kind == Formula::Kind::product ? f[n.args[0]] : n;
    return first.kind == Formula::Kind::number && first.number.sign() < 0;
}

/// Sums within a sum are one sum, which begins with a minus only if it must.
Formula::Part sum(Formula& f, const std::vector<Formula::Part>& args) {
    std::vector<Formula::Part> terms;
    for (const Formula::Part arg : args) {
        const std::vector<Formula::Part> inside = f[arg].kind == Formula::Kind::sum ? f[arg].args : std::vector{arg};
        terms.insert(terms.end(), inside.begin(), inside.end());
    }
    const auto positive = std::ranges::find_if(terms, [&](Formula::Part p) { return !is_negative(f, p); });
    if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
    return f.sum(std::move(terms));
}

/// Products within a product are one product with one number in front, and a minus there turns the signs of a sum that has
/// some: z - x, not -(x - z).
Formula::Part product(Formula& f, const std::vector<Formula::Part>& args) {
    std::vector<Formula::Part> factors;
    Rational number(1);
    for (const Formula::Part arg : args) {
        const std::vector<Formula::Part> inside = f[arg].kind == Formula::Kind::product ? f[arg].args : std::vector{arg};
        for (const Formula::Part p : inside) {
            if (f[p].kind == Formula::Kind::number)
                number *= f[p].number;
            else
                factors.push_back(p);
        }
    }
    const auto has_minus = [&](Formula::Part p) {
        return f[p].kind == Formula::Kind::sum && std::ranges::any_of(f[p].args, [&](Formula::Part t) { return is_negative(f, t); });
    };
    if (const auto turned = std::ranges::find_if(factors, has_minus); number.sign() < 0 && turned != factors.end()) {
        std::vector<Formula::Part> terms = f[*turned].args;
        const Formula::Part minus = f.number(-1);
        for (Formula::Part& t : terms) t = product(f, {minus, t});
        *turned = sum(f, terms);
        number = -number;
    }
    if (!number.is_one() || factors.empty()) factors.insert(factors.begin(), f.number(number));
    return f.product(std::move(factors));
}

Formula::Part added(Formula& f, const Formula::Node& n) {
    switch (n.kind) {
        case Formula::Kind::undefined: return f.undefined();
        case Formula::Kind::number: return f.number(n.number);
        case Formula::Kind::pi: return f.pi();
        case Formula::Kind::name: return f.name(n.name);
        case Formula::Kind::sum: return sum(f, n.args);
        case Formula::Kind::product: return product(f, n.args);
        case Formula::Kind::power: return f.power(n.args[0], n.number);
        case Formula::Kind::call: return f.call(n.function, n.args);
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
        const bool is_multiple = x.op() == Op::mul && (x.arg(0).is_number() || x.arg(1).is_number());  // 2·(x + y) is a sum too
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
    const auto is_taken = [&] {
        return std::ranges::any_of(pool.symbols(), [&](const SymbolInfo& s) { return s.name.starts_with(prefix_); });
    };
    while (is_taken()) prefix_ += "_";
    for (Place i = 0; i < all_.size(); ++i) {
        StandIn& s = all_[i];
        const std::string name = prefix_ + std::to_string(i), inverse = prefix_ + "i" + std::to_string(i);
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
        for (std::size_t i = 1; i < operands.size(); ++i)
            made = x.op() == Op::add ? made + made_of(operands[i]) : made * made_of(operands[i]);
        memo.insert(x.id(), made.id());
    }
    return {pool, memo.at(root.id())};
}

namespace {

using Monomial = std::map<NodeId, std::int64_t>;

Monomial monomial_of(const Term& t) {
    Monomial m;
    for (const Factor& f : t.factors) m.emplace(f.generator.id(), f.exponent);
    return m;
}

/// a/b, when that is a monomial.
std::optional<Term> quotient(Term a, const Term& b) {
    for (const Factor& f : b.factors) {
        const auto own = std::ranges::find(a.factors, f.generator, &Factor::generator);
        if (own == a.factors.end() || own->exponent < f.exponent) return std::nullopt;
        own->exponent -= f.exponent;
    }
    std::erase_if(a.factors, [](const Factor& f) { return f.exponent == 0; });
    a.coefficient = a.coefficient / b.coefficient;
    return a;
}

}  // namespace

/// C/ℓ + D = C/σ·(σ/ℓ − 1) + (D + C/σ), with a σ of parameters for which D + C/σ has none but terms of D, and fewer.
bool StandIns::stretch(Terms& terms, const StandIn& of) {
    constexpr std::size_t many = 200, a_few = 4;
    Terms over, rest;
    for (Term& t : Terms(terms)) {
        const auto own = std::ranges::find(t.factors, of.inverse, &Factor::generator);
        if (own != t.factors.end() && own->exponent > 1) return false;
        const bool is_over = own != t.factors.end();
        if (is_over) t.factors.erase(own);
        (is_over ? over : rest).push_back(std::move(t));
    }
    if (over.size() < 2 || terms.size() > many) return false;
    std::map<Monomial, Rational> known;
    for (const Term& t : rest) known.emplace(monomial_of(t), t.coefficient);
    std::size_t most = 0;
    Term best;
    Terms best_shares;
    for (std::size_t c = 0; c < std::min(a_few, over.size()); ++c) {
        for (const Term& d : rest) {
            auto sigma = quotient(over[c], d);
            if (!sigma) continue;
            sigma->coefficient = -sigma->coefficient;
            if (std::ranges::any_of(sigma->factors, [](const Factor& f) { return class_of(f.generator) != Class::parameter; })) continue;
            std::size_t gone = 0;
            Terms shares;
            for (const Term& t : over) {
                const auto share = quotient(t, *sigma);
                const auto same = share ? known.find(monomial_of(*share)) : known.end();
                if (same == known.end()) break;
                gone += (same->second + share->coefficient).is_zero() ? 1 : 0;
                shares.push_back(*share);
            }
            if (shares.size() < over.size() || gone <= most) continue;
            most = gone;
            best = *sigma;
            best_shares = std::move(shares);
        }
    }
    if (most == 0) return false;
    Pool& pool = of.base.pool();
    const std::string name = prefix_ + "s" + std::to_string(all_.size());
    const Expr letter = pool.symbol(name, Role::auxiliary), inverse = pool.symbol(name + "i", Role::auxiliary);
    for (const Term& share : best_shares) known.at(monomial_of(share)) += share.coefficient;
    for (Term& t : rest) t.coefficient = known.at(monomial_of(t));
    std::erase_if(rest, [](const Term& t) { return t.coefficient.is_zero(); });
    for (Term& share : best_shares) share.factors.push_back({letter, 1});
    terms = std::move(rest);
    std::ranges::move(best_shares, std::back_inserter(terms));
    by_name_.emplace(name, Spelling{all_.size(), 1});
    all_.push_back(
        {to_expr(Terms{best}, pool) * pow(of.base, Rational(-1) / of.degree) - Expr(pool, Pool::one_id), Rational(1), letter, inverse});
    return true;
}

std::optional<Terms> StandIns::with_stretches(const Terms& reduced) {
    Terms terms = reduced;
    bool is_changed = false;
    const std::vector<StandIn> before = all_;
    for (const StandIn& s : before) {
        if (!s.degree.is_one() && stretch(terms, s)) is_changed = true;
    }
    return is_changed ? std::optional(std::move(terms)) : std::nullopt;
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
        if (is_new)
            out.push_back(std::move(t));
        else
            out[at->second].coefficient += t.coefficient;
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
        if (n.kind == Formula::Kind::power && formula[n.args[0]].kind == Formula::Kind::name)
            letter = spelled(formula[n.args[0]].name, n.number);
        for (Formula::Part& arg : n.args) arg = at[arg];
        at.push_back(letter ? *letter : added(f, n));
    }
    f.root = at[formula.root];
    return f;
}

}  // namespace linkwright::sym
