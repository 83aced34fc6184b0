#include "linkwright/sym/normal_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "linkwright/sym/node_map.hpp"
#include "linkwright/sym/polynomial.hpp"

namespace linkwright::sym {

namespace {

constexpr int deepest_nesting = 16;  // of opaque functions that are compared by their arguments

struct Fraction {
    Polynomial numerator;
    std::map<std::size_t, std::uint64_t> denominators;  // index into the list of denominators → power
};

/// An angle as the normal form opens it: Σ factor · atom, and a phase k·π/12 with exact sine and cosine.
struct OpenedAngle {
    std::map<NodeId, Rational> terms;
    NodeId phase_sine = Pool::zero_id, phase_cosine = Pool::one_id;
};

/// Roots of different primes are independent; of other numbers they may not be.
bool is_small_prime(const Rational& r) {
    constexpr std::int64_t largest = 1'000'000;
    const auto n = r.small_numerator();
    if (!n || !r.is_integer() || *n < 2 || *n > largest) return false;
    for (std::int64_t d = 2; d * d <= *n; ++d) {
        if (*n % d == 0) return false;
    }
    return true;
}

bool is_circular(Op op) { return op == Op::sin || op == Op::cos || op == Op::tan; }

/// Turns expressions of one plain pool into fractions over one ring.
class Converter {
public:
    Converter(Pool& plain, std::span<const Expr> roots, Budget budget, int nesting) : pool_(plain), budget_(budget), nesting_(nesting) {
        collect_nodes(roots);
        order_generators();
        ring_ = std::make_unique<Ring>(generators_.size(), what_is_left());
        state_relations();
    }

    Fraction convert(const Expr& root);
    NormalForm to_form(const Fraction& f) const;
    Fraction subtract(const Fraction& a, const Fraction& b) { return add(a, scaled(b, Rational(-1))); }
    bool is_unique() const { return is_unique_; }
    bool is_undefined() const { return is_undefined_; }

private:
    enum Kind : std::uint8_t { root_kind, sine_kind, cosine_kind, quaternion_kind, opaque_kind, symbol_kind, pi_kind };
    using GeneratorKey = std::tuple<Kind, std::int64_t, NodeId>;

    void collect_nodes(std::span<const Expr> roots);
    void collect_angle(NodeId angle, std::vector<NodeId>& open);
    NodeId canonical_atom(NodeId atom);
    void settle_units();
    void order_generators();
    void state_relations();
    Budget what_is_left() const {
        const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started_);
        return {.terms = budget_.terms, .time = std::max(budget_.time - spent, std::chrono::milliseconds(0))};
    }
    std::size_t generator_of(Kind kind, NodeId id) const { return position_.at({kind, id}); }
    NodeId representative(NodeId opaque);

    Fraction from(Polynomial p) const { return {std::move(p), {}}; }
    Fraction constant(const Rational& r) const { return from(ring_->constant(r)); }
    Fraction generator(Kind kind, NodeId id) const { return from(ring_->generator(generator_of(kind, id))); }
    Fraction scaled(Fraction f, const Rational& r) const {
        f.numerator = ring_->scale(f.numerator, r);
        return f;
    }
    Fraction add(const Fraction& a, const Fraction& b);
    Fraction mul(const Fraction& a, const Fraction& b);
    Fraction inverse(const Fraction& f);
    Fraction power(const Fraction& f, const Rational& whole);
    Fraction simplified(Fraction f) const;
    std::size_t denominator_index(Polynomial p);
    std::pair<Fraction, Fraction> sine_cosine(NodeId angle);
    void relate_root(NodeId base, const Fraction& value);
    NodeId expression_of(std::size_t generator) const;
    Fraction convert_node(NodeId id, const NodeMap<std::size_t>& place, const std::vector<std::optional<Fraction>>& done);

    Pool& pool_;
    Budget budget_;
    int nesting_;
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    std::vector<NodeId> nodes_;                // visible to polynomials, ascending
    std::map<NodeId, Rational> root_degrees_;  // base → common denominator of its exponents
    std::map<NodeId, Rational> angle_units_;   // atom → the factor of which all its factors are multiples
    std::map<NodeId, OpenedAngle> angles_;
    std::map<std::vector<std::pair<NodeId, std::string>>, NodeId> atoms_;  // monomial, spelled out → its first node
    std::map<NodeId, NodeId> representative_;
    std::map<std::tuple<Op, std::uint64_t, std::uint64_t>, std::vector<NodeId>> alike_;  // opaque functions by residue
    std::vector<std::pair<Kind, NodeId>> generators_;
    std::map<std::pair<Kind, NodeId>, std::size_t> position_;
    std::unique_ptr<Ring> ring_;
    std::vector<Polynomial> denominators_;
    std::map<NodeId, std::pair<Fraction, Fraction>> sine_cosines_;
    NodeMap<char> related_roots_;
    bool is_unique_ = true, is_undefined_ = false;
};

/// One node for all groupings of a product: x·(y·z) and (x·y)·z are one atom of angles.
NodeId Converter::canonical_atom(NodeId atom) {
    if ((pool_.node(atom).flags & Node::monomial) == 0) return atom;
    std::map<NodeId, Rational> exponents;
    std::vector<std::pair<NodeId, Rational>> open{{atom, Rational(1)}};
    while (!open.empty()) {
        const auto [id, exponent] = open.back();
        open.pop_back();
        const Node& n = pool_.node(id);
        if (n.op == Op::mul) {
            open.emplace_back(n.a, exponent);
            open.emplace_back(n.b, exponent);
        } else if (n.op == Op::pow) {
            open.emplace_back(n.a, exponent * pool_.number(n.b));
        } else {
            exponents[id] += exponent;
        }
    }
    std::erase_if(exponents, [](const auto& entry) { return entry.second.is_zero(); });
    if (exponents.empty()) return Pool::one_id;
    if (exponents.size() == 1 && exponents.begin()->second.is_one()) return exponents.begin()->first;
    std::vector<std::pair<NodeId, std::string>> key;
    for (const auto& [id, exponent] : exponents) key.emplace_back(id, exponent.to_string());
    return atoms_.emplace(std::move(key), atom).first->second;
}

void Converter::collect_angle(NodeId angle, std::vector<NodeId>& open) {
    if (angles_.contains(angle)) return;
    OpenedAngle& opened = angles_[angle];
    for (const Pool::AngleTerm& term : pool_.linear_terms(angle)) opened.terms[canonical_atom(term.atom)] += term.factor;
    std::erase_if(opened.terms, [](const auto& term) { return term.second.is_zero(); });
    const auto turns = opened.terms.find(Pool::pi_id);
    if (turns != opened.terms.end() && (turns->second * Rational(12)).is_integer()) {
        const NodeId phase = pool_.mul(pool_.make_number(turns->second), Pool::pi_id);
        opened.phase_sine = pool_.unary(Op::sin, phase);
        opened.phase_cosine = pool_.unary(Op::cos, phase);
        open.push_back(opened.phase_sine);
        open.push_back(opened.phase_cosine);
        opened.terms.erase(turns);
    }
    for (const auto& [atom, factor] : opened.terms) {
        const bool is_monomial = (pool_.node(atom).flags & Node::monomial) != 0;
        is_unique_ = is_unique_ && (atom == Pool::one_id || (atom != Pool::pi_id && is_monomial));
    }
}

/// The largest angle of which both are whole multiples.
Rational common_unit(const Rational& a, const Rational& b) {
    const Rational common = gcd(a.numerator() * b.denominator(), b.numerator() * a.denominator());
    return common / (a.denominator() * b.denominator());
}

/// Each atom gets the largest unit of which all its factors are multiples: 0.3 for sin(q + 0.3), q/2 for sin(q/2), cos(q).
void Converter::settle_units() {
    const auto collect = [&] {
        angle_units_.clear();
        for (const auto& [angle, opened] : angles_) {
            for (const auto& [atom, factor] : opened.terms) {
                const auto [unit, is_new] = angle_units_.emplace(atom, abs(factor));
                if (!is_new) unit->second = common_unit(unit->second, factor);
            }
        }
    };
    collect();
    // Numbers without a handy common unit, 0.7854 and 0.123, are atoms of their own; what they share is then not seen.
    constexpr std::int64_t handy = 12;
    const auto one = angle_units_.find(Pool::one_id);
    const bool is_unhandy = one != angle_units_.end() && std::ranges::any_of(angles_, [&](const auto& entry) {
                                const auto own = entry.second.terms.find(Pool::one_id);
                                return own != entry.second.terms.end() && Rational(handy) < abs(own->second / one->second);
                            });
    if (!is_unhandy) return;
    is_unique_ = false;
    for (auto& [angle, opened] : angles_) {
        const auto own = opened.terms.find(Pool::one_id);
        if (own == opened.terms.end()) continue;
        const Rational size = abs(own->second);
        const int sign = own->second.sign();
        opened.terms.erase(own);
        opened.terms[pool_.make_number(size)] += Rational(sign);  // 1 itself is the atom 1
    }
    collect();
}

void Converter::collect_nodes(std::span<const Expr> roots) {
    NodeMap<char> seen;
    std::vector<NodeId> open;
    for (const Expr& root : roots) open.push_back(root.id());
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (!seen.insert(id, 0)) continue;
        nodes_.push_back(id);
        const Node& n = pool_.node(id);
        if (n.op == Op::add || n.op == Op::mul) {
            open.push_back(n.a);
            open.push_back(n.b);
        } else if (n.op == Op::pow) {
            open.push_back(n.a);
            const Rational exponent = pool_.number(n.b);
            if (!exponent.is_integer()) {
                Rational& degree = root_degrees_.emplace(n.a, 1).first->second;
                degree = lcm(degree, exponent.denominator());
            }
        } else if (is_circular(n.op)) {
            collect_angle(n.a, open);
        }
    }
    std::ranges::sort(nodes_);
    settle_units();
}

/// Opaque functions with equal arguments are one letter. Residues say where to look, the normal form decides.
NodeId Converter::representative(NodeId id) {
    const Node& n = pool_.node(id);
    if ((n.flags & Node::no_residue) != 0 || nesting_ >= deepest_nesting) return id;
    std::vector<NodeId>& alike = alike_[{n.op, n.residue.r1, n.residue.r2}];
    for (const NodeId other : alike) {
        const auto x = arguments(n), y = arguments(pool_.node(other));
        bool same = true;
        for (std::size_t i = 0; i < x.size() && same; ++i) {
            const std::array<Expr, 2> pair{Expr(pool_, x[i]), Expr(pool_, y[i])};
            Converter inner(pool_, pair, what_is_left(), nesting_ + 1);
            const Fraction difference = inner.subtract(inner.convert(pair[0]), inner.convert(pair[1]));
            same = !inner.is_undefined() && difference.numerator.is_zero();
        }
        if (same) return other;
    }
    alike.push_back(id);
    return id;
}

void Converter::order_generators() {
    std::vector<GeneratorKey> keys;
    for (const auto& [base, degree] : root_degrees_) keys.emplace_back(root_kind, -static_cast<std::int64_t>(base), base);
    for (const auto& [atom, unit] : angle_units_) {
        keys.emplace_back(sine_kind, 0, atom);
        keys.emplace_back(cosine_kind, 0, atom);
    }
    for (const NodeId id : nodes_) {
        const Node& n = pool_.node(id);
        if (n.op == Op::pi) keys.emplace_back(pi_kind, 0, id);
        if (n.op == Op::symbol) {
            const SymbolInfo& s = pool_.symbol_info(id);
            // What moves comes before what stays: accelerations, speeds, …, parameters last.
            constexpr std::array<int, 8> rank{7, 5, 1, 0, 3, 2, 4, 6};
            if (s.quaternion < 0) keys.emplace_back(symbol_kind, rank[static_cast<std::size_t>(s.role)], id);
            if (s.quaternion >= 0) {  // the relation speaks of all four
                for (const NodeId e : pool_.quaternions()[static_cast<std::size_t>(s.quaternion)].e) {
                    keys.emplace_back(quaternion_kind, s.quaternion, e);
                }
            }
        }
        if (n.op >= Op::add && n.op != Op::add && n.op != Op::mul && n.op != Op::pow && !is_circular(n.op)) {
            is_unique_ = false;
            const NodeId first = representative(id);
            representative_[id] = first;
            if (first == id) keys.emplace_back(opaque_kind, 0, id);
        }
    }
    if (keys.size() > budget_.terms) throw TooLarge(fmt::format("more than {} generators", budget_.terms));
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    for (const auto& [kind, rank, id] : keys) {
        position_[{kind, id}] = generators_.size();
        generators_.emplace_back(kind, id);
    }
}

void Converter::state_relations() {
    const Polynomial one = ring_->constant(1);
    const auto square = [&](Kind kind, NodeId id) {
        const Polynomial g = ring_->generator(generator_of(kind, id));
        return ring_->mul(g, g);
    };
    for (const auto& [atom, unit] : angle_units_) {
        ring_->relate(generator_of(sine_kind, atom), 2, ring_->sub(one, square(cosine_kind, atom)));
    }
    for (const Quaternion& q : pool_.quaternions()) {
        if (!position_.contains({quaternion_kind, q.e[0]})) continue;
        Polynomial rest = one;
        for (std::size_t i = 1; i < 4; ++i) rest = ring_->sub(rest, square(quaternion_kind, q.e[i]));
        ring_->relate(generator_of(quaternion_kind, q.e[0]), 2, rest);
    }
}

Fraction Converter::simplified(Fraction f) const {
    for (auto it = f.denominators.begin(); it != f.denominators.end();) {
        while (it->second > 0) {
            auto quotient = ring_->quotient(f.numerator, denominators_[it->first]);
            if (!quotient) break;
            f.numerator = std::move(*quotient);
            --it->second;
        }
        it = it->second == 0 || f.numerator.is_zero() ? f.denominators.erase(it) : std::next(it);
    }
    return f;
}

Fraction Converter::add(const Fraction& a, const Fraction& b) {
    Fraction sum{ring_->constant(0), a.denominators};
    for (const auto& [index, power] : b.denominators) sum.denominators[index] = std::max(sum.denominators[index], power);
    const auto lifted = [&](const Fraction& f) {
        Polynomial p = f.numerator;
        for (const auto& [index, power] : sum.denominators) {
            const auto own = f.denominators.find(index);
            const std::uint64_t missing = power - (own == f.denominators.end() ? 0 : own->second);
            if (missing != 0) p = ring_->mul(p, ring_->pow(denominators_[index], missing));
        }
        return p;
    };
    sum.numerator = ring_->add(lifted(a), lifted(b));
    return sum.denominators.empty() ? sum : simplified(std::move(sum));
}

Fraction Converter::mul(const Fraction& a, const Fraction& b) {
    Fraction product{ring_->mul(a.numerator, b.numerator), a.denominators};
    for (const auto& [index, power] : b.denominators) product.denominators[index] += power;
    return product.denominators.empty() ? product : simplified(std::move(product));
}

std::size_t Converter::denominator_index(Polynomial p) {
    for (std::size_t i = 0; i < denominators_.size(); ++i) {
        if (denominators_[i] == p) return i;
    }
    denominators_.push_back(std::move(p));
    return denominators_.size() - 1;
}

Fraction Converter::inverse(const Fraction& f) {
    if (f.numerator.is_zero()) {
        is_undefined_ = true;
        return constant(0);
    }
    Fraction result = constant(1);
    for (const auto& [index, power] : f.denominators) {
        result.numerator = ring_->mul(result.numerator, ring_->pow(denominators_[index], power));
    }
    // numerator = coefficient · Π generator^e · rest, the rest with leading coefficient 1.
    const auto* context = ring_->context();
    Polynomial content(*ring_), rest(*ring_);
    fmpq_mpoly_term_content(content.get(), f.numerator.get(), context);
    fmpq_mpoly_divides(rest.get(), f.numerator.get(), content.get(), context);
    Rational leading;
    fmpq_mpoly_get_term_coeff_fmpq(flint(leading), rest.get(), 0, context);
    Rational coefficient;
    fmpq_mpoly_get_term_coeff_fmpq(flint(coefficient), content.get(), 0, context);
    result.numerator = ring_->scale(result.numerator, Rational(1) / (leading * coefficient));
    rest = ring_->scale(rest, Rational(1) / leading);
    for (std::size_t g = 0; g < ring_->generators(); ++g) {
        const slong exponent = fmpq_mpoly_degree_si(content.get(), static_cast<slong>(g), context);
        if (exponent > 0) result.denominators[denominator_index(ring_->generator(g))] += static_cast<std::uint64_t>(exponent);
    }
    // What is left is kept by its factors, so that equal ones meet and (x + y)² stays a square.
    if (const auto factors = rest.size() > 1 ? factors_of(rest) : std::nullopt) {
        result.numerator = ring_->scale(result.numerator, Rational(1) / factors->constant);
        for (const auto& [base, power] : factors->factors) {
            result.denominators[denominator_index(base)] += static_cast<std::uint64_t>(power);
        }
    } else if (rest.size() > 1) {
        result.denominators[denominator_index(std::move(rest))] += 1;
    }
    return simplified(std::move(result));
}

Fraction Converter::power(const Fraction& f, const Rational& whole) {
    const auto n = whole.small_numerator();
    if (!n) throw TooLarge("a degree above 2^32");
    if (*n < 0) return power(inverse(f), -whole);
    const auto exponent = static_cast<std::uint64_t>(*n);
    Fraction result{ring_->pow(f.numerator, exponent), f.denominators};
    for (auto& [index, power] : result.denominators) power *= exponent;
    return result;
}

/// (cos + i sin) of Σ multiple·base + phase, by repeated multiplication of unit complex numbers.
std::pair<Fraction, Fraction> Converter::sine_cosine(NodeId angle) {
    if (const auto known = sine_cosines_.find(angle); known != sine_cosines_.end()) return known->second;
    using Unit = std::pair<Polynomial, Polynomial>;  // cosine, sine
    const auto turn = [&](const Unit& a, const Unit& b) {
        return Unit{ring_->sub(ring_->mul(a.first, b.first), ring_->mul(a.second, b.second)),
                    ring_->add(ring_->mul(a.second, b.first), ring_->mul(a.first, b.second))};
    };
    Unit sum{ring_->constant(1), ring_->constant(0)};
    const OpenedAngle& opened = angles_.at(angle);
    for (const auto& [atom, factor] : opened.terms) {
        const auto multiple = (factor / angle_units_.at(atom)).small_numerator();
        constexpr std::int64_t largest_multiple = 1000;
        if (!multiple || std::abs(*multiple) > largest_multiple) throw TooLarge("an angle times more than 1000");
        Unit base{ring_->generator(generator_of(cosine_kind, atom)), ring_->generator(generator_of(sine_kind, atom))};
        if (*multiple < 0) base.second = ring_->scale(base.second, Rational(-1));
        for (std::int64_t n = std::abs(*multiple); n != 0; n >>= 1) {
            if ((n & 1) != 0) sum = turn(sum, base);
            if (n > 1) base = turn(base, base);
        }
    }
    std::pair<Fraction, Fraction> result{from(std::move(sum.second)), from(std::move(sum.first))};
    if (opened.phase_sine != Pool::zero_id || opened.phase_cosine != Pool::one_id) {
        const Fraction s = convert(Expr(pool_, opened.phase_sine)), c = convert(Expr(pool_, opened.phase_cosine));
        result = {add(mul(result.first, c), mul(result.second, s)), subtract(mul(result.second, c), mul(result.first, s))};
    }
    sine_cosines_.emplace(angle, result);
    return result;
}

Fraction Converter::convert_node(NodeId id, const NodeMap<std::size_t>& place, const std::vector<std::optional<Fraction>>& done) {
    const Node& n = pool_.node(id);
    const auto at = [&](NodeId arg) -> const Fraction& { return *done[place.at(arg)]; };
    switch (n.op) {
        case Op::undefined: is_undefined_ = true; return constant(0);
        case Op::number: return constant(pool_.number(id));
        case Op::pi: return generator(pi_kind, id);
        case Op::symbol: return generator(pool_.symbol_info(id).quaternion < 0 ? symbol_kind : quaternion_kind, id);
        case Op::add: return add(at(n.a), at(n.b));
        case Op::mul: return mul(at(n.a), at(n.b));
        case Op::pow: {
            const Rational exponent = pool_.number(n.b);
            if (exponent.is_integer()) return power(at(n.a), exponent);
            // x^(k/d) = r^k with r = x^(1/d), r^d = x.
            const Rational whole = exponent.floor(), degree = root_degrees_.at(n.a);
            const Rational steps = (exponent - whole) * degree;
            return mul(power(at(n.a), whole), power(generator(root_kind, n.a), steps));
        }
        case Op::sin: return sine_cosine(n.a).first;
        case Op::cos: return sine_cosine(n.a).second;
        case Op::tan: {
            const auto [s, c] = sine_cosine(n.a);
            return mul(s, inverse(c));
        }
        default: return generator(opaque_kind, representative_.at(id));
    }
}

Fraction Converter::convert(const Expr& root) {
    // Only what this root needs, arguments first; values are let go after their last use.
    std::vector<NodeId> needed;
    NodeMap<std::size_t> place;
    std::vector<NodeId> open{root.id()};
    NodeMap<char> seen;
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (!seen.insert(id, 0)) continue;
        needed.push_back(id);
        const Node& n = pool_.node(id);
        if (n.op == Op::add || n.op == Op::mul) open.insert(open.end(), {n.a, n.b});
        if (n.op == Op::pow) open.push_back(n.a);
    }
    std::ranges::sort(needed);
    for (std::size_t i = 0; i < needed.size(); ++i) place.insert(needed[i], i);
    std::vector<std::size_t> last_use(needed.size(), 0);
    const auto visible = [&](NodeId id) {
        const Node& n = pool_.node(id);
        return n.op == Op::add || n.op == Op::mul || n.op == Op::pow ? arguments(n) : std::span<const NodeId>{};
    };
    for (std::size_t i = 0; i < needed.size(); ++i) {
        for (const NodeId arg : visible(needed[i])) last_use[place.at(arg)] = i;
    }
    std::vector<std::optional<Fraction>> done(needed.size());
    for (std::size_t i = 0; i < needed.size(); ++i) {
        const NodeId id = needed[i];
        if ((i & 63) == 0) ring_->check_time();
        done[i] = convert_node(id, place, done);
        if (root_degrees_.contains(id) && related_roots_.insert(id, 0)) relate_root(id, *done[i]);
        for (const NodeId arg : visible(id)) {
            if (last_use[place.at(arg)] == i) done[place.at(arg)].reset();
        }
    }
    return std::move(*done[place.at(root.id())]);
}

/// r^d = x, for r = x^(1/d): usable once x is known to be a polynomial.
void Converter::relate_root(NodeId base, const Fraction& value) {
    const auto degree = root_degrees_.at(base).small_numerator();
    is_unique_ = is_unique_ && pool_.is_number(base) && is_small_prime(pool_.number(base));
    if (value.denominators.empty() && degree) {
        ring_->relate(generator_of(root_kind, base), static_cast<std::uint64_t>(*degree), value.numerator);
    }
}

NodeId Converter::expression_of(std::size_t generator) const {
    const auto [kind, id] = generators_[generator];
    switch (kind) {
        case root_kind: return pool_.pow(id, Rational(1) / root_degrees_.at(id));
        case sine_kind:
        case cosine_kind: {
            const NodeId base = pool_.mul(pool_.make_number(angle_units_.at(id)), id);
            return pool_.unary(kind == sine_kind ? Op::sin : Op::cos, base);
        }
        default: return id;
    }
}

NormalForm Converter::to_form(const Fraction& f) const {
    std::vector<Expr> letters;
    for (std::size_t g = 0; g < generators_.size(); ++g) letters.emplace_back(pool_, expression_of(g));
    NormalForm form{
        .numerator = terms_of(f.numerator, letters), .denominators = {}, .is_unique = is_unique_, .is_undefined = is_undefined_};
    for (const auto& [index, power] : f.denominators) {
        form.denominators.push_back({terms_of(denominators_[index], letters), static_cast<std::int64_t>(power)});
    }
    return form;
}

template <class Work>
auto affordable(Work work) -> Affordable<decltype(work())> {
    try {
        return {work(), ""};
    } catch (const TooLarge& too_large) {
        return {std::nullopt, too_large.what()};
    }
}

/// e in a pool that does not fold.
Expr made_plain(const Expr& e, Pool& plain) {
    if (plain.options().fold) throw std::invalid_argument("the normal form needs a pool that does not fold");
    return &e.pool() == &plain ? e : transplant(std::span(&e, 1), plain).front();
}

}  // namespace

Affordable<NormalForm> normal_form(const Expr& e, Pool& plain, Budget budget) {
    const Expr copy = made_plain(e, plain);
    return affordable([&] {
        Converter converter(plain, std::span(&copy, 1), budget, 0);
        const Fraction f = converter.convert(copy);
        return converter.to_form(f);
    });
}

ExactVerdict equal_exactly(const Expr& a, const Expr& b, Budget budget) {
    Pool plain({.fold = false, .seed = a.pool().options().seed});
    const std::array<Expr, 2> pair{made_plain(a, plain), made_plain(b, plain)};
    ExactVerdict result;
    const auto verdict = affordable([&] {
        Converter converter(plain, pair, budget, 0);
        const Fraction f = converter.convert(pair[0]), g = converter.convert(pair[1]);
        if (converter.is_undefined()) return Verdict::unknown;
        if (converter.subtract(f, g).numerator.is_zero()) return Verdict::equal;
        return converter.is_unique() ? Verdict::different : Verdict::unknown;
    });
    if (verdict) result.verdict = *verdict;
    result.why_not = verdict.why_not;
    return result;
}

Expr to_expr(const NormalForm& form, Pool& pool) {
    if (form.is_undefined) return {pool, Pool::undefined_id};
    Expr fraction = to_expr(form.numerator, pool);
    for (const NormalForm::Denominator& d : form.denominators) fraction *= pow(to_expr(d.base, pool), Rational(-d.power));
    return fraction;
}

Affordable<Expr> expand(const Expr& e, Pool& plain, Budget budget) {
    const auto form = normal_form(e, plain, budget);
    if (!form) return {std::nullopt, form.why_not};
    return {to_expr(*form, plain), ""};
}

Affordable<Expr> merge_angles(const Expr& e, Pool& plain, Budget budget) {
    auto form = normal_form(e, plain, budget);
    if (!form) return {std::nullopt, form.why_not};
    form.value->numerator = merged_angles(form->numerator, plain);
    return {to_expr(*form, plain), ""};
}

Affordable<std::vector<Collected>> collect(const Expr& e, std::span<const Expr> symbols, Pool& plain, Budget budget) {
    const auto form = normal_form(e, plain, budget);
    if (!form) return {std::nullopt, form.why_not};
    if (form->is_undefined) return {std::nullopt, "the expression is undefined"};
    std::vector<Expr> chosen;
    for (const Expr& s : symbols) chosen.push_back(made_plain(s, plain));
    NodeMap<char> is_chosen;  // generators that contain a chosen symbol
    const auto contains_chosen = [&](const Expr& generator) {
        if (const char* known = is_chosen.find(generator.id())) return *known != 0;
        const std::vector<Expr> below = nodes_below(std::span(&generator, 1));
        const bool found = std::ranges::any_of(chosen, [&](const Expr& s) { return std::ranges::find(below, s) != below.end(); });
        is_chosen.insert(generator.id(), found ? 1 : 0);
        return found;
    };
    Expr denominator(plain, Pool::one_id);
    for (const NormalForm::Denominator& d : form->denominators) {
        for (const Term& term : d.base) {
            for (const Factor& f : term.factors) {
                if (contains_chosen(f.generator)) return {std::nullopt, "a chosen symbol stands in a denominator"};
            }
        }
        denominator *= pow(to_expr(d.base, plain), Rational(-d.power));
    }
    std::vector<std::pair<Expr, Terms>> groups;
    NodeMap<std::size_t> place;
    for (const Term& term : form->numerator) {
        Expr monomial(plain, Pool::one_id);
        Term rest{term.coefficient, {}};
        for (const Factor& f : term.factors) {
            if (contains_chosen(f.generator)) {
                monomial *= pow(f.generator, Rational(f.exponent));
            } else {
                rest.factors.push_back(f);
            }
        }
        if (place.insert(monomial.id(), groups.size())) groups.emplace_back(monomial, Terms{});
        groups[place.at(monomial.id())].second.push_back(std::move(rest));
    }
    std::vector<Collected> collected;
    for (const auto& [monomial, terms] : groups) collected.push_back({monomial, to_expr(terms, plain) * denominator});
    return {std::move(collected), ""};
}

}  // namespace linkwright::sym
