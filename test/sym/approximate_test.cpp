// Certainty: the truth lies within the error that is claimed, near kinks and cuts nothing is claimed, and verdicts and
// bounds on probabilities keep to that.

#include "linkwright/sym/approximate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/formula.hpp"
#include "support/print.hpp"
#include "support/random_expr.hpp"

namespace linkwright::sym {

/// More digits than a double has: what counts as the truth where exact numbers cannot go.
struct Wide {
    long double v = 0;
    Wide() = default;
    explicit Wide(long double x) : v(x) {}
};
Wide operator+(Wide x, Wide y) { return Wide(x.v + y.v); }
Wide operator*(Wide x, Wide y) { return Wide(x.v * y.v); }

template <>
struct Scalar<Wide> {
    static Wide undefined() { return Wide(std::nanl("")); }
    static long double wide(const Rational& r) {
        const auto n = r.small_numerator(), d = r.small_denominator();
        return n && d ? static_cast<long double>(*n) / static_cast<long double>(*d) : std::nanl("");
    }
    static Wide number(const Rational& r) { return Wide(wide(r)); }
    static Wide pi() { return Wide(3.14159265358979323846264338327950288L); }
    static Wide power(Wide x, const Rational& r) { return Wide(std::pow(x.v, wide(r))); }
    static Wide apply(Op f, Wide x) {
        switch (f) {
            case Op::sin: return Wide(std::sin(x.v));
            case Op::cos: return Wide(std::cos(x.v));
            case Op::tan: return Wide(std::tan(x.v));
            case Op::asin: return Wide(std::asin(x.v));
            case Op::acos: return Wide(std::acos(x.v));
            case Op::atan: return Wide(std::atan(x.v));
            case Op::exp: return Wide(std::exp(x.v));
            case Op::log: return Wide(std::log(x.v));
            case Op::tanh: return Wide(std::tanh(x.v));
            case Op::abs: return Wide(std::abs(x.v));
            case Op::sign: return Wide(x.v > 0 ? 1 : x.v < 0 ? -1 : 0);
            default: return undefined();
        }
    }
    static Wide apply(Op f, Wide x, Wide y) {
        switch (f) {
            case Op::min: return Wide(std::min(x.v, y.v));
            case Op::max: return Wide(std::max(x.v, y.v));
            case Op::atan2: return Wide(std::atan2(x.v, y.v));
            default: return undefined();
        }
    }
    static Wide select(Wide condition, Wide a, Wide b) { return condition.v > 0 ? a : b; }
};

/// Rational arithmetic: the truth itself, for expressions without sines. Empty where undefined.
struct Exact {
    std::optional<Rational> v;
    Exact() = default;
    explicit Exact(Rational x) : v(std::move(x)) {}
};
Exact operator+(const Exact& x, const Exact& y) { return x.v && y.v ? Exact(*x.v + *y.v) : Exact(); }
Exact operator*(const Exact& x, const Exact& y) { return x.v && y.v ? Exact(*x.v * *y.v) : Exact(); }

template <>
struct Scalar<Exact> {
    static Exact undefined() { return {}; }
    static Exact number(const Rational& r) { return Exact(r); }
    static Exact pi() { return {}; }
    static Exact power(const Exact& x, const Rational& r) {
        if (!x.v || !r.is_integer() || (x.v->is_zero() && r.sign() < 0)) return {};
        return Exact(linkwright::sym::power(*x.v, *r.small_numerator()));
    }
    static Exact apply(Op f, const Exact& x) {
        if (!x.v) return {};
        if (f == Op::abs) return Exact(abs(*x.v));
        if (f == Op::sign) return Exact(Rational(x.v->sign()));
        return {};
    }
    static Exact apply(Op f, const Exact& x, const Exact& y) {
        if (!x.v || !y.v || f == Op::atan2) return {};
        return (*x.v < *y.v) == (f == Op::min) ? x : y;
    }
    static Exact select(const Exact& condition, const Exact& a, const Exact& b) {
        if (!condition.v) return {};
        return condition.v->sign() > 0 ? a : b;
    }
};

namespace test {
namespace {

/// The double itself, not a short decimal for it.
Rational exact(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    return Rational(static_cast<std::int64_t>(std::ldexp(mantissa, 53))) * power(Rational(2), exponent - 53);
}

bool is_certain(const Approximate& x) { return x.is_known() && (x.is_positive() || x.is_negative()); }

// --------------------------------------------------------------------------------------------------- the truth is inside

TEST(Approximates, ContainExactRationals) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Pool pool({.fold = false});
        PoolScope scope(pool);
        std::mt19937_64 random(seed);
        std::vector<std::pair<Expr, double>> symbols;
        for (int i = 0; i < 4; ++i) {
            const double value = (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 3;
            symbols.emplace_back(symbol("s" + std::to_string(i)), value);
        }
        std::vector<Expr> heap{Expr(Rational(1, 3)), Expr(Rational(-7, 5))};
        for (const auto& s : symbols) heap.push_back(s.first);
        for (std::size_t i = 0; i < 4 + seed % 6; ++i) {
            const Expr a = heap[random() % heap.size()], b = heap[heap.size() - 1 - random() % 3];
            switch (random() % 9) {
                case 0:
                case 1: heap.push_back(a + b); break;
                case 2: heap.push_back(a - b); break;
                case 3: heap.push_back(a * b); break;
                case 4: heap.push_back(a / b); break;
                case 5: heap.push_back(pow(b, static_cast<int>(random() % 7) - 3)); break;
                case 6: heap.push_back(abs(a) - sign(b)); break;
                case 7: heap.push_back(min(a, b) * max(a, b + 1)); break;
                default: heap.push_back(select(a - b, a, b)); break;
            }
        }
        const Expr e = heap.back();
        const auto value = [&](const Expr& s) {
            for (const auto& known : symbols)
                if (known.first == s) return known.second;
            return 0.0;
        };
        const Approximate got = evaluate<Approximate>(e, value);
        const Exact truth = evaluate<Exact>(e, [&](const Expr& s) { return exact(value(s)); });
        if (!got.is_known()) continue;
        ASSERT_TRUE(truth.v) << print(e);
        ++compared;
        const Rational off = abs(exact(got.value) - *truth.v);
        EXPECT_FALSE(exact(got.error) < off) << "seed " << seed << ": " << print(e) << " off by " << off.to_double() << ", claimed "
                                             << got.error;
        EXPECT_TRUE(!got.is_positive() || truth.v->sign() > 0) << print(e);
        EXPECT_TRUE(!got.is_negative() || truth.v->sign() < 0) << print(e);
    }
    EXPECT_GT(compared, 2000);
}

TEST(Approximates, ContainMorePreciseValues) {
    Pool pool({.fold = false});
    int compared = 0, sharp = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = seed % 2 == 0});
        const Shadowed s = random(3 + seed % 15);
        for (std::size_t i = 0; i < points; ++i) {
            const Approximate got = evaluate<Approximate>(s.e, random.at(i));
            if (!got.is_known() || got.error > 1) continue;
            const Wide truth = evaluate<Wide>(s.e, [&](const Expr& x) { return static_cast<long double>(random.at(i)(x)); });
            ++compared;
            sharp += got.error <= 1e-9 * (1 + std::abs(got.value)) ? 1 : 0;
            EXPECT_LE(std::abs(truth.v - got.value), 1.01L * got.error) << "seed " << seed << ": " << print(s.e);
        }
    }
    EXPECT_GT(compared, 6000);
    EXPECT_GT(sharp, compared * 9 / 10);  // and the bound is worth having
}

/// An argument known up to ±error: wherever in there it is, the result is where it is said to be.
TEST(Approximates, PassErrorsOn) {
    std::mt19937_64 random(3);
    const auto uniform = [&](double low, double high) { return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53); };
    const auto vague = [&](double size) { return Approximate(uniform(-size, size), std::pow(10.0, uniform(-12, -0.3))); };
    const Op unary[]{Op::sin, Op::cos, Op::tan, Op::asin, Op::acos, Op::atan, Op::exp, Op::log, Op::tanh, Op::abs, Op::sign};
    const Op binary[]{Op::min, Op::max, Op::atan2};
    const Rational exponents[]{2, 3, -1, -4, {1, 2}, {-3, 2}, {5, 4}};
    int known = 0;
    const auto check = [&](const Approximate& got, const char* what, auto truth) {
        if (!got.is_known()) return;
        ++known;
        for (int i = 0; i < 20; ++i) {
            const long double value = truth(i == 0 ? -1.0 : i == 1 ? 1.0 : uniform(-1, 1), i == 0 ? 1.0 : i == 2 ? -1.0 : uniform(-1, 1));
            ASSERT_LE(std::abs(value - static_cast<long double>(got.value)), got.error * 1.000001L) << what;
        }
    };
    for (int n = 0; n < 3000; ++n) {
        const Approximate x = vague(n % 3 == 0 ? 0.5 : 3), y = vague(2);
        const auto at = [](const Approximate& a, double t) { return Wide(a.value + static_cast<long double>(t) * a.error * 0.9999L); };
        for (const Op f : unary) {
            check(Scalar<Approximate>::apply(f, x), std::string(function_name(f)).c_str(),
                  [&](double t, double) { return Scalar<Wide>::apply(f, at(x, t)).v; });
        }
        for (const Op f : binary) {
            check(Scalar<Approximate>::apply(f, x, y), std::string(function_name(f)).c_str(),
                  [&](double t, double s) { return Scalar<Wide>::apply(f, at(x, t), at(y, s)).v; });
        }
        for (const Rational& r : exponents) {
            check(Scalar<Approximate>::power(x, r), "power", [&](double t, double) { return Scalar<Wide>::power(at(x, t), r).v; });
        }
        check(x + y, "+", [&](double t, double s) { return at(x, t).v + at(y, s).v; });
        check(x - y, "-", [&](double t, double s) { return at(x, t).v - at(y, s).v; });
        check(x * y, "*", [&](double t, double s) { return at(x, t).v * at(y, s).v; });
        check(x / y, "/", [&](double t, double s) { return at(x, t).v / at(y, s).v; });
        const Approximate z = vague(1);
        check(Scalar<Approximate>::select(z, x, y), "if", [&](double t, double s) { return at(z, s).v > 0 ? at(x, t).v : at(y, t).v; });
    }
    EXPECT_GT(known, 40'000);
}

TEST(Approximates, CoverNumbersThatAreNoDoubles) {
    for (const Rational& r : {Rational(1, 3), Rational(981, 100), Rational(-22, 7), Rational(1, 1'000'000'007)}) {
        const Approximate x = Scalar<Approximate>::number(r);
        EXPECT_FALSE(exact(x.error) < abs(exact(x.value) - r));
        EXPECT_LT(x.error, 1e-15 * std::abs(x.value));
    }
    EXPECT_FALSE(Scalar<Approximate>::number(power(Rational(10), 400)).is_known());
    EXPECT_GT(Scalar<Approximate>::pi().error, 0);
    EXPECT_EQ(Approximate(0.1).error, 0);  // a double is what it is
}

// ------------------------------------------------------------------------------------------------------- kinks and cuts

TEST(Approximates, ClaimNothingAtKinksAndCuts) {
    using A = Scalar<Approximate>;
    const Approximate near_zero(1e-17, 1e-16), positive(1, 1e-10), negative(-1, 1e-10), near_one(1, 1e-12), two(2, 1e-12);
    EXPECT_FALSE((positive / near_zero).is_known());
    EXPECT_FALSE(A::power(near_zero, -1).is_known());
    EXPECT_FALSE(A::power(near_zero, -2).is_known());
    EXPECT_FALSE(A::power(near_zero, Rational(1, 2)).is_known());
    EXPECT_FALSE(A::power(negative, Rational(1, 2)).is_known());
    EXPECT_FALSE(A::power(negative, Rational(1, 3)).is_known());
    EXPECT_FALSE(A::apply(Op::log, near_zero).is_known());
    EXPECT_FALSE(A::apply(Op::log, negative).is_known());
    EXPECT_FALSE(A::apply(Op::asin, near_one).is_known());
    EXPECT_FALSE(A::apply(Op::acos, -near_one).is_known());
    EXPECT_FALSE(A::apply(Op::asin, two).is_known());
    EXPECT_FALSE(A::apply(Op::sign, near_zero).is_known());
    EXPECT_FALSE(A::apply(Op::tan, Approximate(1.5707963267948966, 1e-15)).is_known());
    EXPECT_FALSE(A::select(near_zero, positive, negative).is_known());
    EXPECT_FALSE(A::apply(Op::atan2, near_zero, negative).is_known());
    EXPECT_FALSE(A::apply(Op::atan2, near_zero, near_zero).is_known());
    EXPECT_FALSE(A::undefined().is_known());
    EXPECT_FALSE(A::apply(Op::exp, Approximate(1000, 0.0)).is_known());
    EXPECT_FALSE((A::undefined() + positive).is_known());
    EXPECT_FALSE((A::undefined() * Approximate(0.0)).is_known());
    EXPECT_FALSE(is_certain(near_zero));
    EXPECT_FALSE(is_certain(A::apply(Op::abs, near_zero)));  // |x| may be zero
    // Where there is no kink in reach, there is an answer.
    EXPECT_TRUE(A::apply(Op::atan2, near_zero, positive).is_known());
    EXPECT_TRUE(A::apply(Op::atan2, positive, near_zero).is_known());
    EXPECT_TRUE(A::apply(Op::atan2, negative, negative).is_known());
    EXPECT_TRUE(A::apply(Op::min, near_zero, -near_zero).is_known());
    EXPECT_EQ(A::apply(Op::sign, negative).value, -1);
    EXPECT_EQ(A::apply(Op::sign, positive).value, 1);
    EXPECT_EQ(A::select(positive, two, negative).value, 2);
    EXPECT_EQ(A::select(negative, two, positive).value, 1);
    EXPECT_TRUE(is_certain(positive) && is_certain(negative));
}

/// Equal functions that are opaque to the fingerprint come out as equal or unknown: no rounding makes them different.
TEST(Verdicts, EqualThingsNeverDiffer) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr x = symbol("x"), y = symbol("y"), z = symbol("z"), q = symbol("q", Role::coordinate);
    const std::pair<Expr, Expr> same[]{
        {exp(x) * exp(y), exp(x + y)},
        {log(x * x) / 2, log(abs(x))},
        {abs(x) * abs(y), abs(x * y)},
        {sqrt(x * x), abs(x)},
        {sign(x) * abs(x), x},
        {atan2(sin(x / 4), cos(x / 4)), x / 4},
        {atan(x) + atan(1 / x), sign(x) * pi() / 2},
        {tanh(x), (exp(2 * x) - 1) / (exp(2 * x) + 1)},
        {min(x, y), (x + y - abs(x - y)) / 2},
        {max(x, max(y, z)), max(max(x, y), z)},
        {select(x, 1, -1) * x, abs(x)},
        {pow(exp(x), Rational(1, 3)), exp(x / 3)},
        {sin(x * (y + 1)), sin(x * y + x)},
        {asin(sin(x / 4)), x / 4},
        {tan(atan(x) / 2) * (1 + sqrt(1 + x * x)), x},
        {pow(x, Rational(3, 2)), x * sqrt(x)},
        {cos(3 * acos(x)), 4 * pow(x, 3) - 3 * x},
        {pow(exp(x) - exp(-x), 2) + 4, pow(exp(x) + exp(-x), 2)},
        {log(exp(x * y) * exp(q)), x * y + q},
        {pow(tanh(x) + 1, 20), pow(2 / (1 + exp(-2 * x)), 20)},
    };
    for (const auto& [a, b] : same) {
        EXPECT_NE(equal(a, b), Verdict::different) << print(a) << " and " << print(b);
        EXPECT_EQ(equal(a, b + Expr(Rational(1, 1'000'000'000))), Verdict::different) << print(a);  // and a slip is seen
        EXPECT_EQ(is_zero(a), Verdict::different) << print(a);
    }
    EXPECT_EQ(is_zero(sqrt(x * x) - x), Verdict::different);  // at negative x
    EXPECT_EQ(is_zero(sqrt(x * x) + x), Verdict::different);  // at positive x
    EXPECT_EQ(is_zero(abs(x - y) - x + y), Verdict::different);
}

/// In the first draw every symbol is positive: roots and logarithms of all of them have a value there.
TEST(Verdicts, RootsAndLogarithmsHaveAPlaceToBeEvaluated) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    Expr logs(0), roots(0), mirrored(0);
    for (int i = 0; i < 12; ++i) {
        const Expr x = symbol("x" + std::to_string(i));
        logs += log(x);
        roots += sqrt(x);
        mirrored += sqrt(-x);
    }
    EXPECT_EQ(equal(logs, roots), Verdict::different);
    EXPECT_EQ(equal(mirrored, 2 * mirrored), Verdict::different);  // and one where every symbol is negative
}

/// Quaternions are evaluated on the sphere.
TEST(Verdicts, OnTheSphere) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const auto e = pool.quaternion({"e0", "e1", "e2", "e3"});
    const Expr square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    EXPECT_EQ(equal(exp(square), exp(square + e[0])), Verdict::different);
    EXPECT_EQ(equal(tanh(e[0]), e[0]), Verdict::different);
    EXPECT_NE(is_zero(abs(square - 1)), Verdict::different);
    EXPECT_NE(equal(acos(square / 2), acos(Expr(Rational(1, 2)))), Verdict::different);
}

// ----------------------------------------------------------------------------------------------------- bounds on chance

TEST(ErrorBounds, DegreesOfFractions) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr x = symbol("x"), y = symbol("y"), z = symbol("z"), q = symbol("q", Role::coordinate);
    const std::pair<Expr, double> table[]{
        {Expr(3), 0},
        {x, 1},
        {x * y * z, 3},
        {pow(x, 7), 7},
        {pow(x, 7) - y, 7},
        {1 / x, 0},          // 1 over x
        {1 / x + 1 / y, 1},  // (x + y) over x·y
        {1 / x + 1 / y + z, 3},
        {(1 / x) * (1 / y) + z, 3},
        {1 / (x * y) + z, 3},
        {pow(x, -3) + y, 4},
        {pow(x + 1 / y, 3), 6},
        {1 / (1 / x + y), 1},  // x over 1 + x·y
        {z + 1 / (1 / x + y), 3},
        {x / y + y / x, 2},
        {(x / y) * (y + z / x) + 1, 3},  // formal: nothing is cancelled
        {(x / y) * (y + z / x) + x, 3},
        {(x * y) / z + z / (x * y * y), 5},
        {sin(q), 1},
        {sin(3 * q) * x, 4},
        {sin(q) + cos(q / 2), 2},
        {sin(2 * q + 3 * x), 5},
        {cos(q - pi() / 7), 1},
        {tan(q), 1},
        {tan(q) + x, 2},
        {tan(2 * q) * tan(q), 3},
        {tanh(pow(x, 9)), 1},  // a letter of its own
        {sqrt(x), 1},
        {pow(x, Rational(5, 2)), 3},
        {pow(x, Rational(-1, 2)), 1},  // a letter over x
        {pow(x, Rational(-1, 2)) + y, 2},
        {pow(x / y, Rational(-3, 2)) + z, 3},
    };
    for (const auto& [e, degree] : table) EXPECT_EQ(error_bound(e).degree, degree) << print(e);
    EXPECT_EQ(error_bound(x / y, z / x).degree, 2);      // x·x against z·y
    EXPECT_EQ(error_bound(1 / x, pow(y, 5)).degree, 6);  // 1 against x·y⁵
    EXPECT_EQ(error_bound(pow(y, 5), 1 / x).degree, 6);
    EXPECT_EQ(error_bound(std::array{x, x * y, pow(z, 3)}).degree, 3);
}

TEST(ErrorBounds, Chances) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr x = symbol("x"), y = symbol("y"), q = symbol("q", Role::coordinate);
    // 2d/2⁶¹ in each field; with angles 75600 and 120 times that.
    const double circles = std::log2(75600.0) + std::log2(120.0);
    EXPECT_NEAR(error_bound(x).log2_error, -120, 1e-9);
    EXPECT_NEAR(error_bound(pow(x, 8)).log2_error, -114, 1e-9);
    EXPECT_NEAR(error_bound(sin(q)).log2_error, -120 + circles, 1e-9);
    EXPECT_NEAR(error_bound(sin(4 * q) * pow(x, 4), y).log2_error, -114 + circles, 1e-9);
    EXPECT_NEAR(error_bound(std::array{x, y}, 1024).log2_error, -110, 1e-9);
    EXPECT_NEAR(error_bound(1 / x + 1 / y, pow(x, 2)).log2_error, -116, 1e-9);  // x + y against x³·y
    const ErrorBound hopeless = error_bound(pow(x, Rational(std::int64_t{1} << 61)));
    EXPECT_EQ(hopeless.log2_error, 0);
    EXPECT_TRUE(hopeless.is_vacuous());
    EXPECT_FALSE(error_bound(sin(q)).is_vacuous());
    EXPECT_EQ(error_bound(std::span<const Expr>{}).degree, 0);
    EXPECT_EQ(describe_point({}), "");
    EXPECT_EQ(to_string(Verdict::equal), "equal");
    EXPECT_EQ(to_string(Verdict::different), "different");
    EXPECT_EQ(to_string(Verdict::unknown), "unknown");
}

// --------------------------------------------------------------------------------------------------------- not yet so

/// An exponent that is no double is off by half a unit of its last place, and large logarithms feel it.
TEST(Approximates, ContainPowersWithInexactExponents) {
    for (const auto& [base, r] :
         {std::pair(1e300, Rational(1, 3)), std::pair(1.75, Rational(1001, 3)), std::pair(1e-200, Rational(2, 7))}) {
        const Approximate got = Scalar<Approximate>::power(Approximate(base), r);
        const long double truth = std::pow(static_cast<long double>(base), Scalar<Wide>::wide(r));
        EXPECT_LE(std::abs(truth - got.value), got.error) << base << "^" << r.to_string();
    }
}

/// Residues of x^(6/7), max and π are of a higher degree than one letter.
TEST(ErrorBounds, DegreesOfLettersThatAreMore) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr x = symbol("x"), y = symbol("y");
    EXPECT_EQ(error_bound(pow(x, Rational(6, 7))).degree, 6);  // the sixth power of a hash
    EXPECT_EQ(error_bound(max(pow(x, 5), y)).degree, 5);       // x⁵ + y − hash
    EXPECT_EQ(error_bound(pow(pi(), 5) + x).degree, 5);        // π is drawn too
}

}  // namespace
}  // namespace test
}  // namespace linkwright::sym
