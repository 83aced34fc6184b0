// The builder: the local rewrites tabulated in expr.hpp, and the residues that go with each operation.

#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/pool.hpp"

namespace linkwright::sym {

namespace {

constexpr std::size_t largest_power_bits = std::size_t{1} << 16;   // a^n is worked out up to this size,
constexpr std::size_t largest_number_bits = std::size_t{1} << 18;  // sums and products of numbers up to this one
constexpr std::size_t largest_exponent_bits = 1024;                // (x^r)^n → x^(r·n) and a·(b·x) in angles up to this one
constexpr std::uint64_t function_key = 0x66756E6374696F6EULL, angle_key = 0x616E676C65ULL, root_key = 0x726F6F74ULL;

/// Angles are drawn as multiples: the atom q gets the exponent L·m, m random, so that q/d has one for every d that
/// divides L. Denominators prime to the circle's order need no such care.
constexpr std::int64_t angle_divisions = 64LL * 81 * 625 * 7;  // L = 2⁶·3⁴·5⁴·7

/// Bit k is set when the operation k is a function of that parity.
constexpr std::uint32_t functions_of(Parity parity) {
    std::uint32_t set = 0;
    for (const ElementaryFunction& f : elementary_functions) {
        if (f.parity == parity) set |= std::uint32_t{1} << static_cast<unsigned>(f.op);
    }
    return set;
}
constexpr std::uint32_t odd_functions = functions_of(Parity::odd), even_functions = functions_of(Parity::even);
static_assert(static_cast<unsigned>(Op::select) < 32);
bool is_odd_function(Op op) { return (odd_functions >> static_cast<unsigned>(op) & 1U) != 0; }
bool is_even_function(Op op) { return (even_functions >> static_cast<unsigned>(op) & 1U) != 0; }

std::uint8_t inherited(const Node& a) { return a.flags & (Node::opaque | Node::no_residue); }

/// Of x and −x, one is called canonical; odd and even functions hash that one.
bool is_canonical(Residue r) { return r.r1 <= Field1::p / 2; }

/// n / d modulo m, when d is invertible there.
std::optional<std::uint64_t> ratio_modulo(std::int64_t n, std::int64_t d, std::uint64_t m) {
    __int128 x = 0, next_x = 1, r = m, next_r = d;
    while (next_r != 0) {
        const __int128 q = r / next_r;
        std::tie(r, next_r) = std::pair(next_r, r - q * next_r);
        std::tie(x, next_x) = std::pair(next_x, x - q * next_x);
    }
    if (r != 1) return std::nullopt;
    const __int128 modulus = m;
    const __int128 inverse = ((x % modulus) + modulus) % modulus;
    return static_cast<std::uint64_t>(((n % modulus) * inverse % modulus + modulus) % modulus);
}

std::uint64_t mul_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t m) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(a) * b % m);
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------- sums

Pool::Scaled Pool::scaled(NodeId id) const {
    const Node& n = node(id);
    if (n.op == Op::mul && is_number(n.a)) return {n.a, n.b};
    return {one_id, id};
}

std::optional<NodeId> Pool::add_numbers(NodeId a, NodeId b) {
    const Rational x = number(a), y = number(b);
    if (x.bits() + y.bits() > largest_number_bits) return std::nullopt;
    return make_number(x + y);
}

NodeId Pool::add(NodeId a, NodeId b) {
    if (a == zero_id) return b;
    if (b == zero_id) return a;
    if (a == undefined_id || b == undefined_id) return undefined_id;
    const Node &x = node(a), &y = node(b);
    const bool a_number = x.op == Op::number, b_number = y.op == Op::number;
    if (a_number && b_number) {
        if (const auto sum = add_numbers(a, b)) return *sum;
    } else if (a_number || b_number) {
        // a + (b + x) → (a + b) + x; the number of a sum comes first.
        const auto [number, rest] = a_number ? std::pair(a, b) : std::pair(b, a);
        const Node& s = node(rest);
        if (s.op == Op::add && is_number(s.a) && !is_number(s.b)) {
            if (const auto sum = add_numbers(number, s.a)) return add(*sum, s.b);
        }
    } else {
        const Scaled p = scaled(a), q = scaled(b);
        if (p.rest == q.rest) {
            if (const auto sum = add_numbers(p.coefficient, q.coefficient)) return mul(*sum, p.rest);
        }
        if (p.coefficient == minus_one_id && q.coefficient == minus_one_id) return neg(add(p.rest, q.rest));
    }
    if (a_number ? b_number && b < a : (b_number || b < a)) std::swap(a, b);
    const Node &u = node(a), &v = node(b);
    return intern(Op::add, a, b, 0, u.residue + v.residue, inherited(u) | inherited(v));
}

// ------------------------------------------------------------------------------------------------------------ products

Pool::Powered Pool::powered(NodeId id) const {
    const Node& n = node(id);
    if (n.op == Op::pow) return {n.a, n.b};
    return {id, one_id};
}

std::optional<NodeId> Pool::mul_numbers(NodeId a, NodeId b) {
    if (a == one_id) return b;
    if (b == one_id) return a;
    const Rational x = number(a), y = number(b);
    if (x.bits() + y.bits() > largest_number_bits) return std::nullopt;
    return make_number(x * y);
}

NodeId Pool::mul(NodeId a, NodeId b) {
    if (a == undefined_id || b == undefined_id) return undefined_id;
    if (a == one_id) return b;
    if (b == one_id) return a;
    if (a == zero_id || b == zero_id) return zero_id;
    const Node &x = node(a), &y = node(b);
    const bool a_number = x.op == Op::number, b_number = y.op == Op::number;
    if (a_number && b_number) {
        if (const auto product = mul_numbers(a, b)) return *product;
    } else if (a_number || b_number) {
        const auto [number, rest] = a_number ? std::pair(a, b) : std::pair(b, a);
        const Scaled s = scaled(rest);
        if (s.coefficient != one_id && !is_number(s.rest)) {
            if (const auto product = mul_numbers(number, s.coefficient)) return mul(*product, s.rest);
        }
    } else {
        const Scaled p = scaled(a), q = scaled(b);
        if (p.coefficient != one_id || q.coefficient != one_id) {
            if (const auto product = mul_numbers(p.coefficient, q.coefficient)) return mul(*product, mul(p.rest, q.rest));
        }
        const Powered v = powered(a), w = powered(b);
        if (v.base == w.base) return pow(v.base, number(v.exponent) + number(w.exponent));
    }
    if (a_number ? b_number && b < a : (b_number || b < a)) std::swap(a, b);
    const Node &u = node(a), &v = node(b);
    const auto both_monomial = static_cast<std::uint8_t>(u.flags & v.flags & Node::monomial);
    return intern(Op::mul, a, b, 0, u.residue * v.residue, inherited(u) | inherited(v) | both_monomial);
}

// -------------------------------------------------------------------------------------------------------------- powers

NodeId Pool::pow(NodeId a, const Rational& r) {
    if (a == undefined_id) return undefined_id;
    if (r.is_zero()) return one_id;
    if (r.is_one()) return a;
    const Node& x = node(a);
    if (x.op == Op::number) return pow_number(number(a), r);
    if (x.op == Op::pow && r.is_integer()) {
        const Rational product = number(x.b) * r;
        const bool grows = r != Rational(-1);  // 1/x^r reads back as x^(−r), whatever its size
        if (!grows || product.bits() <= largest_exponent_bits) return pow(x.a, product);
    }
    if (x.op == Op::abs && r.is_integer() && (r / Rational(2)).is_integer()) return pow(x.a, r);
    if (x.op == Op::exp && r.is_integer()) return unary(Op::exp, mul(make_number(r), x.a));
    if (const Scaled s = scaled(a); s.coefficient != one_id && !is_number(s.rest)) {
        const Rational c = number(s.coefficient);
        if (r.is_integer() || c.sign() > 0) return mul(pow_number(c, r), pow(s.rest, r));
        if (s.coefficient != minus_one_id) return mul(pow_number(-c, r), pow(neg(s.rest), r));
    }
    return raw_pow(a, r);
}

NodeId Pool::raw_pow(NodeId a, const Rational& r) {
    const NodeId exponent = make_number(r);
    if (const auto found = find_shape(Op::pow, a, exponent, 0)) return *found;
    const Node& x = node(a);
    std::uint8_t flags = inherited(x);
    if (r.is_integer()) flags |= x.flags & Node::monomial;
    const Residue value = power_residue(a, r, flags);
    return intern(Op::pow, a, exponent, 0, value, flags);
}

Residue Pool::power_residue(NodeId a, const Rational& r, std::uint8_t& flags) const {
    if ((flags & Node::no_residue) != 0) return {};
    // x^r = x^⌊r⌋ · x^fraction; the fractional part is a principal root of a number or opaque.
    const Rational whole = r.floor(), fraction = r - whole;
    const Residue x = residue(a);
    if (whole.sign() < 0 && (x.r1 == 0 || x.r2 == 0)) {
        flags |= Node::no_residue | Node::opaque;
        return {};
    }
    if (constexpr std::int64_t largest = std::int64_t{1} << 40; Rational(largest) < abs(whole)) {
        flags |= Node::opaque;  // exponents count modulo p − 1 only: beyond this size that could show
        return hashed_residue(keyed_hash(options_.seed, root_key, r.hash()), x);
    }
    Residue value{Field1::pow(x.r1, *whole.residue(Field1::p - 1)), Field2::pow(x.r2, *whole.residue(Field2::p - 1))};
    if (fraction.is_zero()) return value;
    const bool has_root = is_number(a) && Field1::is_square(x.r1) && Field2::is_square(x.r2);
    if (has_root && fraction == Rational(1, 2)) {
        return value * Residue{Field1::principal_root(x.r1), Field2::principal_root(x.r2)};
    }
    flags |= Node::opaque;
    const std::uint64_t degree = fraction.denominator().hash();
    const Residue root = hashed_residue(keyed_hash(options_.seed, root_key, degree), x);
    const Rational steps = fraction.numerator();
    return value * Residue{Field1::pow(root.r1, *steps.residue(Field1::p - 1)), Field2::pow(root.r2, *steps.residue(Field2::p - 1))};
}

NodeId Pool::pow_number(const Rational& x, const Rational& r) {
    if (x.is_zero()) return r.sign() > 0 ? zero_id : undefined_id;
    if (x.is_one()) return one_id;
    if (x.sign() < 0 && !r.is_integer()) return undefined_id;
    const auto small_exponent = r.small_numerator();
    const bool is_affordable = small_exponent && std::abs(*small_exponent) <= static_cast<std::int64_t>(largest_power_bits) &&
                               x.bits() * static_cast<std::size_t>(std::abs(*small_exponent)) <= largest_power_bits;
    if (x == Rational(-1) && r.is_integer()) return (r / Rational(2)).is_integer() ? one_id : minus_one_id;
    if (!is_affordable) return raw_pow(make_number(x), r);
    if (r.is_integer()) return make_number(power(x, *small_exponent));

    // Prime by prime: p^(e·r) = p^⌊e·r⌋ · p^fraction. What trial division leaves over is treated as if it were prime.
    Rational outside(1);
    NodeId radicals = one_id;
    const auto take = [&](const Rational& prime, const Rational& exponent) {
        const Rational whole = exponent.floor(), fraction = exponent - whole;
        outside *= power(prime, *whole.small_numerator());
        if (!fraction.is_zero()) radicals = mul(radicals, raw_pow(make_number(prime), fraction));
    };
    const auto split = [&](Rational n, Rational exponent) {
        constexpr std::int64_t largest_trial = 1000;
        for (std::int64_t p = 2; p < largest_trial && !n.is_one(); p += p == 2 ? 1 : 2) {
            if (const std::int64_t e = remove_factor(n, p); e != 0) take(Rational(p), exponent * Rational(e));
        }
        for (const std::int64_t k : {2, 3, 5, 7}) {  // 1009² left over is 1009 to twice the exponent
            for (auto root = exact_root(n, k); root && !n.is_one(); root = exact_root(n, k)) {
                n = *root;
                exponent *= Rational(k);
            }
        }
        if (!n.is_one()) take(n, exponent);
    };
    split(x.numerator(), r);
    split(x.denominator(), -r);
    return mul(make_number(outside), radicals);
}

// ----------------------------------------------------------------------------------------------------------- functions

std::optional<NodeId> Pool::exact_sine(NodeId angle, bool cosine) {
    Rational turns;  // angle / π
    if (angle == zero_id) {
        turns = 0;
    } else if (angle == pi_id) {
        turns = 1;
    } else if (const Scaled s = scaled(angle); s.rest == pi_id) {
        turns = number(s.coefficient);
    } else {
        return std::nullopt;
    }
    Rational twelfths = turns * Rational(12);
    if (!twelfths.is_integer()) return std::nullopt;
    if (cosine) twelfths += Rational(6);
    const auto k = static_cast<int>(*twelfths.residue(24));  // sin(k·π/12)
    const int quadrant_sign = k >= 12 ? -1 : 1;
    const int half_turn = k % 12, first_quadrant = half_turn <= 6 ? half_turn : 12 - half_turn;
    const auto root = [&](int n) { return pow_number(Rational(n), Rational(1, 2)); };
    const auto quarter = [&](NodeId x) { return mul(make_number(Rational(1, 4)), x); };
    NodeId value = zero_id;
    switch (first_quadrant) {
        case 1: value = quarter(add(root(6), neg(root(2)))); break;
        case 2: value = make_number(Rational(1, 2)); break;
        case 3: value = mul(make_number(Rational(1, 2)), root(2)); break;
        case 4: value = mul(make_number(Rational(1, 2)), root(3)); break;
        case 5: value = quarter(add(root(6), root(2))); break;
        case 6: value = one_id; break;
        default: break;
    }
    return quadrant_sign < 0 ? neg(value) : value;
}

std::optional<NodeId> Pool::rewrite_unary(Op op, NodeId a) {
    // f(−x) → ∓f(x)
    if (const Scaled s = scaled(a); is_odd_function(op) || is_even_function(op)) {
        const bool negative = is_number(a) ? number(a).sign() < 0 : number(s.coefficient).sign() < 0;
        if (negative) {
            const NodeId mirrored = unary(op, neg(a));
            return is_odd_function(op) ? neg(mirrored) : mirrored;
        }
    }
    const Node& x = node(a);
    const auto half_pi = [&] { return mul(make_number(Rational(1, 2)), pi_id); };
    const auto number_is = [&](int n) { return x.op == Op::number && number(a) == Rational(n); };
    switch (op) {
        case Op::sin:
            if (x.op == Op::asin) return x.a;
            return exact_sine(a, false);
        case Op::cos:
            if (x.op == Op::acos) return x.a;
            return exact_sine(a, true);
        case Op::tan: {
            if (x.op == Op::atan) return x.a;
            const auto s = exact_sine(a, false), c = exact_sine(a, true);
            if (s && c) return *c == zero_id ? undefined_id : mul(*s, pow(*c, -1));
            return std::nullopt;
        }
        case Op::asin:
        case Op::acos:
            if (x.op == Op::number && Rational(1) < abs(number(a))) return undefined_id;
            if (number_is(0)) return op == Op::asin ? zero_id : half_pi();
            if (number_is(1)) return op == Op::asin ? half_pi() : zero_id;
            if (number_is(-1)) return pi_id;  // acos; asin is odd
            return std::nullopt;
        case Op::atan:
            if (number_is(0)) return zero_id;
            if (number_is(1)) return mul(make_number(Rational(1, 4)), pi_id);
            return std::nullopt;
        case Op::exp:
            if (number_is(0)) return one_id;
            if (x.op == Op::log) return x.a;
            return std::nullopt;
        case Op::log:
            if (number_is(1)) return zero_id;
            if (x.op == Op::number && number(a).sign() <= 0) return undefined_id;
            if (x.op == Op::exp) return x.a;
            return std::nullopt;
        case Op::abs:
            if (x.op == Op::number || a == pi_id) return a;  // not negative: see above
            if (x.op == Op::abs || x.op == Op::exp) return a;
            return std::nullopt;
        case Op::sign:
            if (x.op == Op::number) return a == zero_id ? zero_id : one_id;
            if (a == pi_id || x.op == Op::exp) return one_id;
            return std::nullopt;
        default: return is_odd_function(op) && number_is(0) ? std::optional(zero_id) : std::nullopt;
    }
}

NodeId Pool::unary(Op op, NodeId a) {
    if (a == undefined_id) return undefined_id;
    if (const auto rewritten = rewrite_unary(op, a)) return *rewritten;
    if (const auto found = find_shape(op, a, 0, 0)) return *found;
    std::uint8_t flags = inherited(node(a));
    const Residue r = unary_residue(op, a, flags);
    return intern(op, a, 0, 0, r, flags);
}

Residue Pool::unary_residue(Op op, NodeId a, std::uint8_t& flags) {
    if ((flags & Node::no_residue) != 0) {
        flags |= Node::opaque;
        return {};
    }
    if (op == Op::sin || op == Op::cos || op == Op::tan) {
        if (last_angle_ != a) {
            last_angle_value_ = angle_of(a);
            last_point_ = last_angle_value_.point();
            last_angle_ = a;
        }
        flags = last_angle_value_.flags;  // those of its atoms' points: of atan2 the point may be known and the value not
        if (op == Op::sin) return last_point_.sin;
        if (op == Op::cos) return last_point_.cos;
        if (const auto inv = inverse(last_point_.cos)) return last_point_.sin * *inv;
        flags |= Node::no_residue | Node::opaque;
        return {};
    }
    flags |= Node::opaque;
    const Residue x = residue(a);
    const auto hashed = [&](Op f, Residue at) {
        return hashed_residue(keyed_hash(options_.seed, function_key, static_cast<std::uint64_t>(f)), at);
    };
    const auto odd = [&](Op f) { return is_canonical(x) ? hashed(f, x) : -hashed(f, -x); };
    if (op == Op::acos) return *inverse(residue_of(2)) * residue(pi_id) - odd(Op::asin);  // acos x = π/2 − asin x
    if (is_odd_function(op)) return odd(op);
    if (is_even_function(op)) return hashed(op, is_canonical(x) ? x : -x);
    return hashed(op, x);
}

NodeId Pool::binary(Op op, NodeId a, NodeId b) {
    if (a == undefined_id || b == undefined_id) return undefined_id;
    if (op == Op::min || op == Op::max) {
        if (a == b) return a;
        if (is_number(a) && is_number(b)) return (number(a) < number(b)) == (op == Op::min) ? a : b;
        if (b < a) std::swap(a, b);
    } else if (is_number(a) && is_number(b)) {  // atan2(y, x) on the axes; the origin has no direction
        const Rational y = number(a), x = number(b);
        if (y.is_zero() && x.is_zero()) return undefined_id;
        if (y.is_zero()) return x.sign() > 0 ? zero_id : pi_id;
        if (x.is_zero()) return mul(make_number(Rational(y.sign(), 2)), pi_id);
    }
    if (const auto found = find_shape(op, a, b, 0)) return *found;
    const Node &x = node(a), &y = node(b);
    const std::uint8_t flags = inherited(x) | inherited(y) | Node::opaque;
    Residue r;
    if ((flags & Node::no_residue) == 0) {
        const std::uint64_t key = keyed_hash(options_.seed, function_key, static_cast<std::uint64_t>(op == Op::max ? Op::min : op));
        if (op == Op::atan2) {
            r = hashed_residue(key, x.residue, y.residue);
        } else {  // symmetric, and min + max = x + y
            const bool ordered = x.residue.r1 < y.residue.r1;
            const Residue minimum = hashed_residue(key, ordered ? x.residue : y.residue, ordered ? y.residue : x.residue);
            r = op == Op::min ? minimum : x.residue + y.residue - minimum;
        }
    }
    return intern(op, a, b, 0, r, flags);
}

NodeId Pool::select(NodeId condition, NodeId a, NodeId b) {
    if (condition == undefined_id || a == undefined_id || b == undefined_id) return undefined_id;
    if (a == b) return a;
    if (is_number(condition)) return number(condition).sign() > 0 ? a : b;
    // A positive factor does not change the condition.
    if (const Scaled s = scaled(condition); s.coefficient != one_id && s.coefficient != minus_one_id && !is_number(s.rest)) {
        return select(number(s.coefficient).sign() > 0 ? s.rest : neg(s.rest), a, b);
    }
    if (const auto found = find_shape(Op::select, condition, a, b)) return *found;
    const Node &c = node(condition), &x = node(a), &y = node(b);
    const std::uint8_t flags = inherited(c) | inherited(x) | inherited(y) | Node::opaque;
    Residue r;
    if ((flags & Node::no_residue) == 0) {
        r = hashed_residue(keyed_hash(options_.seed, function_key, static_cast<std::uint64_t>(Op::select)), c.residue, x.residue,
                           y.residue);
    }
    return intern(Op::select, condition, a, b, r, flags);
}

// -------------------------------------------------------------------------------------------------------------- angles

std::vector<Pool::AngleTerm> Pool::linear_terms(NodeId x) const {
    std::map<NodeId, Rational> open, atoms;
    open.emplace(x, 1);
    const auto give = [&](NodeId id, const Rational& factor) {
        auto& to = factor.bits() <= largest_exponent_bits ? open : atoms;
        const auto [place, is_new] = to.emplace(id, factor);
        if (!is_new) place->second += factor;
    };
    while (!open.empty()) {
        const auto last = std::prev(open.end());  // the largest: opened after all that use it
        const auto [id, factor] = *last;
        open.erase(last);
        const Node& n = node(id);
        if (n.op == Op::add) {
            give(n.a, factor);
            give(n.b, factor);
        } else if (n.op == Op::mul && is_number(n.a)) {
            give(n.b, factor * number(n.a));
        } else if (n.op == Op::number) {
            atoms[one_id] += factor * number(id);
        } else {
            atoms[id] += factor;
        }
    }
    std::vector<AngleTerm> terms;
    for (auto& [atom, factor] : atoms) {
        if (!factor.is_zero()) terms.push_back({atom, std::move(factor)});
    }
    return terms;
}

Pool::AngleValue Pool::AngleValue::operator+(const AngleValue& other) const {
    return {angle + other.angle, static_cast<std::uint8_t>(flags | other.flags), beside * other.beside};
}
Pool::AngleValue Pool::AngleValue::operator*(std::int64_t n) const { return {times(angle, n), flags, power(beside, n)}; }

/// (x, y) / √(x² + y²), when that root has a value: 1, or a root of a number.
std::optional<CosSin> Pool::direction(NodeId y, NodeId x) {
    const Residue c = residue(x), s = residue(y), square = c * c + s * s;
    if (square == residue_of(1)) return CosSin{c, s};
    if (!is_number(x) || !is_number(y)) return std::nullopt;
    const Rational a = number(x), b = number(y);
    const NodeId root = pow_number(a * a + b * b, Rational(1, 2));
    if ((node(root).flags & (Node::opaque | Node::no_residue)) != 0) return std::nullopt;
    const auto scale = inverse(residue(root));
    if (!scale) return std::nullopt;
    return CosSin{c * *scale, s * *scale};
}

Pool::AngleValue Pool::atom_angle(NodeId atom, const Rational& factor) {
    const auto n = factor.small_numerator(), d = factor.small_denominator();
    if (atom != pi_id && atom != one_id) {  // x·(π/x) in a pool that does not fold
        if (residue(atom) == residue(pi_id)) return atom_angle(pi_id, factor);
        if (residue(atom) == residue(one_id)) return atom_angle(one_id, factor);
    }
    const Node& x = node(atom);
    if (n && d && atom == pi_id && 60 % *d == 0) {
        const std::int64_t half_turns = *n % 120 * (60 / *d);
        return {.angle = times({Field1::circle_order / 120, Field2::circle_order / 120}, half_turns)};
    }
    if (x.op == Op::atan2 && factor.is_integer() && factor.is_inline()) {
        const std::uint8_t flags = inherited(node(x.a)) | inherited(node(x.b));
        const auto point = (flags & Node::no_residue) == 0 ? direction(x.a, x.b) : std::nullopt;
        if (point) return {{}, flags, power(*point, *n)};
    }
    const bool is_independent = atom == one_id || ((x.flags & Node::monomial) != 0 && atom != pi_id);
    const std::uint64_t key = keyed_hash(options_.seed, angle_key);
    if (n && d) {
        const std::int64_t common = std::gcd(*d, angle_divisions);
        const auto f1 = ratio_modulo(*n, *d / common, Field1::circle_order);
        const auto f2 = ratio_modulo(*n, *d / common, Field2::circle_order);
        if (f1 && f2 && atom != pi_id) {
            const Angle m = times(hashed_angle(key, x.residue), angle_divisions / common);
            const Angle angle{mul_modulo(m.e1, *f1, Field1::circle_order), mul_modulo(m.e2, *f2, Field2::circle_order)};
            return {.angle = angle, .flags = static_cast<std::uint8_t>(is_independent ? 0 : Node::opaque)};
        }
    }
    // Beyond what the circle divides: a point of its own, odd in the factor, and nothing is claimed about it.
    const Angle own = hashed_angle(keyed_hash(key, abs(factor).hash()), x.residue);
    return {.angle = factor.sign() < 0 ? times(own, -1) : own, .flags = Node::opaque};
}

Pool::AngleValue Pool::angle_of(NodeId x) {
    // Angles of sums are remembered; a stack of our own, for sums a million terms deep.
    std::vector<NodeId> open{x};
    const auto known = [&](NodeId id) -> std::optional<AngleValue> {
        const Node& n = node(id);
        if (n.op == Op::add) {
            const auto found = angles_.find(id);
            if (found == angles_.end()) return std::nullopt;
            return found->second;
        }
        if (n.op == Op::mul && is_number(n.a)) {
            const Rational factor = number(n.a);
            if (factor.is_integer() && factor.is_inline()) {
                if (node(n.b).op != Op::add) return atom_angle(n.b, factor);
                const auto found = angles_.find(n.b);
                if (found == angles_.end()) return std::nullopt;
                return found->second * *factor.small_numerator();
            }
            AngleValue sum{};
            for (const AngleTerm& term : linear_terms(id)) sum = sum + atom_angle(term.atom, term.factor);
            return sum;
        }
        if (n.op == Op::number) return atom_angle(one_id, number(id));
        return atom_angle(id, 1);
    };
    while (true) {
        const NodeId id = open.back();
        const Node& n = node(id);
        if (n.op == Op::add && !angles_.contains(id)) {
            const auto a = known(n.a), b = known(n.b);
            if (a && b) {
                angles_.emplace(id, *a + *b);
            } else {
                if (!a) open.push_back(n.a);
                if (!b) open.push_back(n.b);
                continue;
            }
        } else if (n.op == Op::mul && is_number(n.a) && !known(id)) {
            open.push_back(n.b);
            continue;
        }
        open.pop_back();
        if (open.empty()) return *known(x);
    }
}

}  // namespace linkwright::sym
