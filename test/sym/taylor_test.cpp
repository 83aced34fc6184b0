// Truncated power series against the series everybody knows, and against derivatives where nobody does.

#include "linkwright/sym/taylor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/substitute.hpp"
#include "support/print.hpp"
#include "support/random_expr.hpp"

namespace linkwright::sym::test {
namespace {

class Taylor : public testing::TestWithParam<bool> {
protected:
    Pool pool{{.fold = GetParam()}};
    PoolScope scope{pool};
    Expr x = symbol("x", Role::coordinate), y = symbol("y", Role::speed), h = symbol("h"), k = symbol("k"),
         q = symbol("q", Role::coordinate);

    std::vector<Expr> about(const Expr& e, const Expr& at, std::size_t order) const {
        return taylor(e, std::array{Increment{x, at, h}}, order);
    }
    /// e about x = at is Σ expected_k h^k.
    void expect_series(const Expr& e, const Expr& at, const std::vector<Expr>& expected) const {
        const std::vector<Expr> c = about(e, at, expected.size() - 1);
        ASSERT_EQ(c.size(), expected.size());
        for (std::size_t i = 0; i < c.size(); ++i) {
            EXPECT_EQ(equal(c[i], expected[i] * pow(h, static_cast<int>(i))), Verdict::equal)
                << print(e) << " about " << print(at) << ", order " << i << ": " << print(c[i]);
        }
    }
    void expect_undefined(const Expr& e, const Expr& at, std::size_t from, std::size_t order) const {
        const std::vector<Expr> c = about(e, at, order);
        ASSERT_EQ(c.size(), order + 1);
        for (std::size_t i = from; i <= order; ++i) EXPECT_TRUE(c[i].is_undefined()) << print(e) << ", order " << i;
    }
    static Expr r(std::int64_t n, std::int64_t d) { return Expr(Rational(n, d)); }
};
INSTANTIATE_TEST_SUITE_P(Pools, Taylor, testing::Bool(), [](const auto& kind) { return kind.param ? "Folding" : "Plain"; });

TEST_P(Taylor, KnownSeriesAboutZero) {
    expect_series(sin(x), 0, {0, 1, 0, r(-1, 6), 0, r(1, 120), 0, r(-1, 5040)});
    expect_series(cos(x), 0, {1, 0, r(-1, 2), 0, r(1, 24), 0, r(-1, 720), 0});
    expect_series(tan(x), 0, {0, 1, 0, r(1, 3), 0, r(2, 15), 0, r(17, 315), 0, r(62, 2835)});
    expect_series(tanh(x), 0, {0, 1, 0, r(-1, 3), 0, r(2, 15), 0, r(-17, 315), 0, r(62, 2835)});
    expect_series(exp(x), 0, {1, 1, r(1, 2), r(1, 6), r(1, 24), r(1, 120)});
    expect_series(log(1 + x), 0, {0, 1, r(-1, 2), r(1, 3), r(-1, 4), r(1, 5)});
    expect_series(sqrt(1 + x), 0, {1, r(1, 2), r(-1, 8), r(1, 16), r(-5, 128), r(7, 256)});
    expect_series(1 / (1 - x), 0, {1, 1, 1, 1, 1, 1});
    expect_series(pow(1 + x, -2), 0, {1, -2, 3, -4, 5});
    expect_series(pow(1 + x, Rational(1, 3)), 0, {1, r(1, 3), r(-1, 9), r(5, 81), r(-10, 243)});
    expect_series(pow(1 + x, Rational(-3, 2)), 0, {1, r(-3, 2), r(15, 8), r(-35, 16)});
    expect_series(atan(x), 0, {0, 1, 0, r(-1, 3), 0, r(1, 5), 0, r(-1, 7)});
    expect_series(asin(x), 0, {0, 1, 0, r(1, 6), 0, r(3, 40), 0, r(15, 336)});
    expect_series(acos(x), 0, {pi() / 2, -1, 0, r(-1, 6), 0, r(-3, 40), 0, r(-15, 336)});
    expect_series(exp(sin(x)), 0, {1, 1, r(1, 2), 0, r(-1, 8), r(-1, 15)});
    expect_series(log(cos(x)), 0, {0, 0, r(-1, 2), 0, r(-1, 12), 0, r(-1, 45)});
    expect_series(1 / cos(x), 0, {1, 0, r(1, 2), 0, r(5, 24), 0, r(61, 720)});
    expect_series(sqrt(2 + x * x) / 2, 0, {sqrt(Expr(2)) / 2, 0, sqrt(Expr(2)) / 8, 0, -sqrt(Expr(2)) / 64});
}

TEST_P(Taylor, TwoArguments) {
    expect_series(atan2(x, Expr(1)), 0, {0, 1, 0, r(-1, 3), 0, r(1, 5)});
    expect_series(atan2(x, 1 + x), 0, {0, 1, -1, r(2, 3), 0, r(-4, 5), r(4, 3)});
    expect_series(atan2(Expr(1), x), 0, {pi() / 2, -1, 0, r(1, 3), 0, r(-1, 5)});
    expect_series(atan2(1 + x, Expr(0)), 0, {pi() / 2, 0, 0});
    expect_series(atan2(Expr(0), 1 + x), 0, {0, 0, 0});
    expect_series(min(x, 2 * x), 1, {1, 1, 0});
    expect_series(max(x, 2 * x), 1, {2, 2, 0});
    expect_series(min(pow(x, 2), x), r(1, 2), {r(1, 4), 1, 1, 0});
    expect_series(max(pow(x, 2), x), 3, {9, 6, 1, 0});
    expect_series(select(x - 1, pow(x, 2), sin(x)), 2, {4, 4, 1});
    expect_series(select(x - 1, pow(x, 2), 3 * x), r(1, 2), {r(3, 2), 3, 0});
}

TEST_P(Taylor, AwayFromZero) {
    expect_series(abs(x), 2, {2, 1, 0, 0});
    expect_series(abs(x), -2, {2, -1, 0, 0});
    expect_series(abs(pow(x, 2) - 4), 1, {3, -2, -1, 0});
    expect_series(sign(x), -3, {-1, 0, 0});
    expect_series(sign(x) * x, 3, {3, 1, 0});
    expect_series(1 / x, 2, {r(1, 2), r(-1, 4), r(1, 8), r(-1, 16)});
    expect_series(sqrt(x), 4, {2, r(1, 4), r(-1, 64), r(1, 512)});
    expect_series(sin(x), pi() / 6, {r(1, 2), sqrt(Expr(3)) / 2, r(-1, 4), -sqrt(Expr(3)) / 12});
    expect_series(log(x), 3, {log(Expr(3)), r(1, 3), r(-1, 18), r(1, 81)});
    expect_series(asin(x), r(3, 5), {asin(r(3, 5)), r(5, 4), r(75, 128)});
    expect_series(acos(x), r(3, 5), {acos(r(3, 5)), r(-5, 4), r(-75, 128)});
    expect_series(atan(x), 2, {atan(Expr(2)), r(1, 5), r(-2, 25), r(11, 375)});
    expect_series(tan(x), pi() / 4, {1, 2, 2, r(8, 3), r(10, 3)});
}

TEST_P(Taylor, Powers) {
    expect_series(pow(x, 3), 0, {0, 0, 0, 1, 0});
    expect_series(pow(x, 3), 2, {8, 12, 6, 1, 0});
    expect_series(pow(x, 100), 0, {0, 0, 0});
    expect_series(pow(x, 100), 1, {1, 100, 4950, 161'700, 3'921'225});  // by the recurrence, not by squaring
    expect_series(pow(x, 64), 1, {1, 64, 2016, 41'664});
    expect_series(pow(x + x * x, 2), 0, {0, 0, 1, 2, 1, 0});
    expect_series(pow(sin(x), 7), 0, {0, 0, 0, 0, 0, 0, 0, 1, 0, r(-7, 6)});
    expect_series(pow(Expr(1) + x, 65), 0, {1, 65, 2080});
    const std::int64_t huge = std::int64_t{1} << 60;
    expect_series(pow(x, Rational(huge)), 0, {0, 0, 0});
}

TEST_P(Taylor, AboutASymbol) {
    expect_series(sin(x), q, {sin(q), cos(q), -sin(q) / 2, -cos(q) / 6});
    expect_series(1 / x, y, {1 / y, -pow(y, -2), pow(y, -3)});
    expect_series(exp(y * x), x, {exp(y * x), y * exp(y * x), y * y * exp(y * x) / 2});
    expect_series(abs(x), y, {abs(y), sign(y), 0});
    expect_series(atan2(y, x), x, {atan2(y, x), -y / (x * x + y * y), x * y / pow(x * x + y * y, 2)});
    expect_series(atan2(x, y), x, {atan2(x, y), y / (x * x + y * y), -x * y / pow(x * x + y * y, 2)});
    expect_series(cos(q), 0, {cos(q), 0, 0});  // what is not expanded stays
    expect_series(x * y, 2, {2 * y, y, 0});
}

TEST_P(Taylor, OrderZeroIsTheValueAtThePoint) {
    EXPECT_EQ(about(sin(x) + y, 0, 0), std::vector<Expr>{y});
    EXPECT_EQ(about(pow(x, 5), y, 0), std::vector<Expr>{pow(y, 5)});
    EXPECT_EQ(about(abs(x), 0, 0), std::vector<Expr>{Expr(0)});
    EXPECT_EQ(about(Expr(7), 0, 0), std::vector<Expr>{Expr(7)});
    EXPECT_EQ(about(y, 0, 3), (std::vector<Expr>{y, 0, 0, 0}));
    EXPECT_TRUE(about(1 / x, 0, 0)[0].is_undefined());
    for (const Expr& e : {atan2(x, y), sqrt(x), tan(x), abs(x), exp(x * q)}) {
        EXPECT_EQ(about(e, x, 0), std::vector<Expr>{e});
    }
}

TEST_P(Taylor, AStepOfZeroChangesNothing) {
    const std::vector<Expr> c = taylor(sin(x) * abs(x), std::array{Increment{x, Expr(0), Expr(0)}}, 3);
    EXPECT_EQ(c, (std::vector<Expr>{0, 0, 0, 0}));
}

TEST_P(Taylor, StepsMayBeSymbolsThatAreExpandedToo) {
    const std::vector<Expr> c = taylor(x * y, std::array{Increment{x, y, x}, Increment{y, x, y}}, 2);
    EXPECT_EQ(c[0], x * y);
    EXPECT_EQ(equal(c[1], x * x + y * y), Verdict::equal);
    EXPECT_EQ(c[2], x * y);
}

/// f(x + εh, y + εk): the second coefficient holds the mixed derivative once, the third each one 3!/(i!j!) times over 3!.
TEST_P(Taylor, SeveralSymbols) {
    const std::array steps{Increment{x, x, h}, Increment{y, y, k}};
    const Expr f = sin(x * y) + pow(x, 2) * exp(y);
    const auto d = [&](int i, int j) {
        Expr e = f;
        for (; i > 0; --i) e = derivative(e, x);
        for (; j > 0; --j) e = derivative(e, y);
        return e;
    };
    const std::vector<Expr> c = taylor(f, steps, 3);
    EXPECT_EQ(c[0], f);
    EXPECT_EQ(equal(c[1], d(1, 0) * h + d(0, 1) * k), Verdict::equal);
    EXPECT_EQ(equal(c[2], (d(2, 0) * h * h + 2 * d(1, 1) * h * k + d(0, 2) * k * k) / 2), Verdict::equal);
    EXPECT_EQ(equal(c[3], (d(3, 0) * pow(h, 3) + 3 * d(2, 1) * h * h * k + 3 * d(1, 2) * h * k * k + d(0, 3) * pow(k, 3)) / 6),
              Verdict::equal);
}

/// Three ways to the first derivative: the rule, reverse accumulation, the series.
TEST_P(Taylor, TheFirstCoefficientIsTheDerivative) {
    const Expr square = x * x + y * y;
    struct Case {
        Expr f, dx, dy;
    };
    const Case cases[]{
        {atan2(y, x), -y / square, x / square},
        {atan2(x, y), y / square, -x / square},
        {atan2(2 * y, x * x), -4 * x * y / (pow(x, 4) + 4 * y * y), 2 * x * x / (pow(x, 4) + 4 * y * y)},
        {y * tan(x), y + y * pow(tan(x), 2), tan(x)},
        {tanh(x * y), y - y * pow(tanh(x * y), 2), x - x * pow(tanh(x * y), 2)},
        {asin(x) * y, y / sqrt(1 - x * x), asin(x)},
        {acos(x) - y, -1 / sqrt(1 - x * x), Expr(-1)},
        {atan(x / y), y / square, -x / square},
        {log(x) / y, 1 / (x * y), -log(x) / pow(y, 2)},
        {pow(x, Rational(3, 2)) * y, sqrt(x) * y * 3 / 2, pow(x, Rational(3, 2))},
        {abs(x) * y, sign(x) * y, abs(x)},
        {sign(x) * y, Expr(0), sign(x)},
    };
    for (const auto& [f, dx, dy] : cases) {
        const Expr expected = dx * h + dy * k;
        const std::vector<Expr> c = taylor(f, std::array{Increment{x, x, h}, Increment{y, y, k}}, 1);
        const std::vector<Expr> reverse = gradient(f, std::array{x, y});
        const auto same = [&](const Expr& a, const Expr& b, const char* how) {
            EXPECT_NE(equal(a, b), Verdict::different) << how << " of " << print(f) << ": " << print(a);
            const auto value = [&](const Expr& s) { return s == x ? 0.3 : s == y ? 0.7 : s == h ? 1.1 : -0.6; };
            EXPECT_NEAR(evaluate<double>(a, value), evaluate<double>(b, value), 1e-12) << how << " of " << print(f);
        };
        same(c[1], expected, "series");
        same(derivative(f, x), dx, "derivative");
        same(derivative(f, y), dy, "derivative");
        same(reverse[0], dx, "gradient");
        same(reverse[1], dy, "gradient");
        same(Tangent({{x, h}, {y, k}})(f), expected, "tangent");
    }
}

/// On either side of a kink, the side's own derivative.
TEST_P(Taylor, DerivativesTakeTheRightSide) {
    const Expr f[]{min(3 * x, y * y), max(3 * x, y * y), select(x - y, 3 * x, y * y)};
    for (const bool x_is_larger : {true, false}) {
        const double at_x = x_is_larger ? 2 : 0.1, at_y = x_is_larger ? 0.5 : 1.5;
        const auto value = [&](const Expr& e) {
            return evaluate<double>(e, [&](const Expr& s) { return s == x ? at_x : s == y ? at_y : s == h ? 1.0 : 0.0; });
        };
        for (std::size_t i = 0; i < 3; ++i) {
            const bool takes_x = (i == 0) != x_is_larger;
            const double dx = takes_x ? 3 : 0, dy = takes_x ? 0 : 2 * at_y;
            EXPECT_EQ(value(derivative(f[i], x)), dx) << print(f[i]);
            EXPECT_EQ(value(derivative(f[i], y)), dy) << print(f[i]);
            const std::vector<Expr> reverse = gradient(f[i], std::array{x, y});
            EXPECT_EQ(value(reverse[0]), dx) << print(f[i]);
            EXPECT_EQ(value(reverse[1]), dy) << print(f[i]);
            EXPECT_EQ(value(taylor(f[i], std::array{Increment{x, x, h}}, 1)[1]), dx) << print(f[i]);
        }
    }
}

TEST_P(Taylor, CoefficientsAreHomogeneousInTheSteps) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        RandomExpr random(pool, seed);
        const Shadowed s = random(3 + seed % 7);
        const Expr a = random.symbols()[0].e, b = random.symbols()[1].e, t = pool.symbol("t");
        const std::vector<Expr> c = taylor(s.e, std::array{Increment{a, a, h}, Increment{b, b, k}}, 3);
        const std::vector<Expr> scaled = taylor(s.e, std::array{Increment{a, a, t * h}, Increment{b, b, t * k}}, 3);
        for (std::size_t i = 0; i < c.size(); ++i) {
            if (c[i].is_undefined() && scaled[i].is_undefined()) continue;
            EXPECT_NE(equal(scaled[i], c[i] * pow(t, static_cast<int>(i))), Verdict::different) << "seed " << seed << ": " << print(s.e);
            for (const Expr& step : {h, k}) EXPECT_TRUE(i > 0 || derivative(c[0], step) == Expr(0));
        }
    }
}

/// What is left over shrinks like ε^(order + 1).
TEST_P(Taylor, TheRemainderIsOfTheNextOrder) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        RandomExpr random(pool, seed + 1000);
        const Shadowed s = random(3 + seed % 6);
        const Expr a = random.symbols()[0].e, b = random.symbols()[2].e;
        const std::vector<Expr> c = taylor(s.e, std::array{Increment{a, a, Expr(Rational(1, 2))}, Increment{b, b, Expr(-1)}}, 4);
        const auto here = random.at(0);
        const auto remainder = [&](double eps) {
            double value = evaluate<double>(s.e, [&](const Expr& v) { return here(v) + (v == a ? eps / 2 : v == b ? -eps : 0.0); });
            for (std::size_t i = 0; i < c.size(); ++i) value -= evaluate<double>(c[i], here) * std::pow(eps, i);
            return std::abs(value);
        };
        double size = 1;
        for (const Expr& e : c) size += std::abs(evaluate<double>(e, here));
        if (!(size < 40)) continue;
        ++compared;
        constexpr double far = 1e-2, near = 1e-3;
        EXPECT_LT(remainder(near), 4e-4 * remainder(far) + 1e-13 * size) << "seed " << seed << ": " << print(s.e);
    }
    EXPECT_GT(compared, 60);
}

TEST_P(Taylor, UndefinedWhereThereIsNoExpansion) {
    expect_undefined(1 / x, 0, 0, 3);
    expect_undefined(log(x), 0, 0, 3);
    expect_undefined(sqrt(x), 0, 1, 3);
    expect_undefined(pow(x, Rational(-1, 2)), 0, 0, 2);
    expect_undefined(abs(x), 0, 1, 3);
    expect_undefined(abs(sin(x)) * y, 0, 1, 2);
    expect_undefined(asin(x), 1, 1, 2);
    expect_undefined(acos(x), -1, 1, 2);
    expect_undefined(asin(x), 2, 0, 2);
    expect_undefined(tan(x), pi() / 2, 0, 2);
    EXPECT_TRUE(about(undefined(), 0, 2)[0].is_undefined());
    EXPECT_FALSE(about(pow(x, 2) / x, 0, 2)[1].is_undefined());
}

/// Where the value itself is undefined so is every coefficient after it, however zeros stand beside it.
TEST_P(Taylor, UndefinedSpreads) {
    expect_undefined(log(x), -1, 0, 2);
    expect_undefined(undefined(), 0, 0, 2);
    expect_undefined(atan2(x, x), 0, 0, 2);
    expect_undefined(x * log(x), 0, 1, 2);
    expect_undefined(log(x) * x, 0, 1, 2);
    EXPECT_EQ(about(x * log(x), 0, 0)[0], about(log(x) * sin(x), 0, 0)[0]);
}

/// A kink at the point itself has no expansion, whichever function makes it.
TEST_P(Taylor, KinksAtThePoint) {
    expect_undefined(sign(x), 0, 1, 2);
    expect_undefined(min(x, -x), 0, 1, 2);
    expect_undefined(max(x, 2 * x), 0, 1, 2);
    expect_undefined(atan2(x, Expr(-1)), 0, 1, 2);  // across the cut
    expect_undefined(sqrt(pow(x, 5)), 0, 1, 3);     // what vanishes to a high order still moves
    expect_undefined(sign(pow(x, 5)), 0, 1, 3);
    expect_undefined(select(pow(x, 5), Expr(1), Expr(0)), 0, 1, 3);
    expect_undefined(1 / sqrt(pow(x, 4)), 0, 0, 3);
    expect_undefined(select(x, pow(x, 2), 3 * x), 0, 1, 2);
}

}  // namespace
}  // namespace linkwright::sym::test
