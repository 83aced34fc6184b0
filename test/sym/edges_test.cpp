// The far ends: very deep, very wide, very large, undefined, on many threads. Each has a defined answer.

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/readable.hpp"
#include "linkwright/sym/substitute.hpp"
#include "linkwright/sym/taylor.hpp"
#include "support/print.hpp"

namespace linkwright::sym {
namespace {

constexpr int million = 1'000'000;

class Edges : public testing::TestWithParam<bool> {
protected:
    Pool pool{{.fold = GetParam()}};
    PoolScope scope{pool};
    Expr x = symbol("x"), y = symbol("y"), q = symbol("q", Role::coordinate);
};
INSTANTIATE_TEST_SUITE_P(Pools, Edges, testing::Bool(), [](const auto& kind) { return kind.param ? "Folding" : "Plain"; });

TEST_P(Edges, AMillionDeepIsNoDeeperThanOne) {
    Expr e = x;
    for (int i = 0; i < million / 2; ++i) e = tanh(e) + y;  // a million nodes, each below the next
    EXPECT_GE(nodes_below(std::span(&e, 1)).size(), static_cast<std::size_t>(million));
    EXPECT_TRUE(depends_on(e, x));
    EXPECT_TRUE(std::isfinite(evaluate<double>(e, [](const Expr&) { return 0.5; })));
    const Expr d = derivative(e, x);
    EXPECT_FALSE(d.is_undefined());
    const std::array<Expr, 2> both{x, y};
    EXPECT_FALSE(gradient(e, both)[0].is_undefined());
    Substitution swap{{x, y}, {y, x}};
    EXPECT_EQ(swap(swap(e)), e);
    EXPECT_EQ(is_zero(e), Verdict::different);
    EXPECT_EQ(taylor(e, std::array{Increment{x, x, y}}, 1)[0], e);
    EXPECT_GT(error_bound(e).degree, 0);
    const std::string text = print(e);
    const Parsed back = parse(text, names_of(pool), pool);
    ASSERT_TRUE(back.expr);
    EXPECT_EQ(*back.expr, e);
    Pool other({.fold = !GetParam()});
    EXPECT_EQ(transplant(std::span(&e, 1), other).front().op(), Op::add);
}

TEST_P(Edges, AMillionTermsAddUp) {
    Expr sum(0);
    for (int i = 0; i < million; ++i) sum += symbol("p" + std::to_string(i)) * (i % 7 + 1);
    EXPECT_EQ(symbols_in(sum).size(), static_cast<std::size_t>(million));
    EXPECT_EQ(evaluate<double>(sum, [](const Expr&) { return 1.0; }), 7.0 * (million / 7) * 4 + 1.0);
    EXPECT_EQ(derivative(sum, *pool.find_symbol("p6")), Expr(7));
    const Parsed back = parse(print(sum), names_of(pool), pool);
    ASSERT_TRUE(back.expr);
    EXPECT_EQ(*back.expr, sum);
    EXPECT_EQ(sin(sum) / sin(sum), Expr(1));  // an angle of a million terms
    const auto form = readable(sum, {.terms = 1000, .time = std::chrono::milliseconds(500)});
    EXPECT_FALSE(form);
    EXPECT_FALSE(form.why_not.empty());
}

TEST_P(Edges, AThousandDigitsStayExact) {
    const Expr big = pow(Expr(10), 1000) + 7, bigger = big * big;
    EXPECT_EQ(big.number().to_string(), "1" + std::string(999, '0') + "7");
    EXPECT_EQ(bigger - big * big, Expr(0));
    EXPECT_EQ((x * big) / big, x);
    EXPECT_EQ(*parse(print(big * x), names_of(pool), pool).expr, big * x);
    EXPECT_EQ(equal(x * big, x * (big + 1)), Verdict::different);
}

TEST_P(Edges, HugePowersStayUnevaluated) {
    const Expr tower = pow(Expr(9), 387'420'489);
    EXPECT_EQ(tower.op(), Op::pow);
    EXPECT_EQ(tower / tower, Expr(1));
    EXPECT_EQ(print(tower), "9^387420489");
    const Expr tiny = pow(x, -pow(Expr(18), 298).number());  // printed 1/x^n
    EXPECT_EQ(*parse(print(tiny), names_of(pool), pool).expr, tiny);
    EXPECT_EQ(equal(tower * 9, pow(Expr(9), 387'420'490)), Verdict::equal);
    EXPECT_LT(pool.bytes(), std::size_t{1} << 20);
    Expr squares = pow(Expr(3), 1000);  // repeated squaring stops growing the number at some size
    for (int i = 0; i < 40; ++i) squares = squares * squares;
    EXPECT_LT(pool.bytes(), std::size_t{1} << 20);
}

/// The primes are fixed, so numbers can be made to look like others there.
TEST_P(Edges, NumbersMadeToDeceive) {
    const Rational both = Rational::from_integer(Field1::p) * Rational::from_integer(Field2::p);
    const Expr zero_there(pool, pool.make_number(both)), one_there(pool, pool.make_number(both + Rational(1)));
    EXPECT_EQ(is_zero(zero_there), Verdict::different);
    EXPECT_NE((x * zero_there).id(), Pool::zero_id);
    EXPECT_NE(is_zero(x * zero_there), Verdict::equal);
    EXPECT_NE(x * one_there, x);
    EXPECT_NE(equal(x * one_there, x), Verdict::equal);
    const Rational order = lcm(Rational::from_integer(Field1::p - 1), Rational::from_integer(Field2::p - 1));
    EXPECT_NE(pow(x, order), Expr(1));
    EXPECT_NE(equal(pow(x, order), 1), Verdict::equal);
    EXPECT_NE(equal(pow(x, Rational(1, 9223372036854775781)), pow(x, Rational(1, 3))), Verdict::equal);
    EXPECT_NE(equal(sin(q / 1024), sin(9223372036854775779 * q / 1024)), Verdict::equal);
}

TEST_P(Edges, RootOfASquareIsNotTheThing) {
    EXPECT_EQ(equal(sqrt(x * x), x), Verdict::different);
    EXPECT_NE(equal(sqrt(pow(x, 2) * pow(y, 2)), x * y), Verdict::equal);
    EXPECT_NE(equal_exactly(sqrt(x * x), x).verdict, Verdict::equal);
    EXPECT_EQ(pow(sqrt(x), 2), x);
    EXPECT_EQ(sqrt(x) * sqrt(x), x);
    EXPECT_NE(equal(sqrt(x) * sqrt(y), sqrt(x * y)), Verdict::equal);  // unknown: they differ for x, y < 0
    EXPECT_NE(equal(log(x * y), log(x) + log(y)), Verdict::equal);
    EXPECT_EQ(equal(abs(x), sqrt(x * x)), Verdict::unknown);
    for (int i = 0; i < 20; ++i) {  // whatever the random point: a field's own root would agree by chance
        const Expr z = symbol("z" + std::to_string(i));
        EXPECT_EQ(equal(sqrt(pow(z, 2)), z), Verdict::different);
    }
}

TEST_P(Edges, DivisionByAHiddenZero) {
    const Expr hidden = pow(sin(q), 2) + pow(cos(q), 2) - 1;
    const Expr quotient = x / hidden;
    if (GetParam()) {
        EXPECT_TRUE(quotient.is_undefined());  // folding sees the zero
    } else {
        EXPECT_FALSE(quotient.is_undefined());
        EXPECT_EQ(is_zero(quotient), Verdict::unknown);  // the fingerprint has no value there
        EXPECT_EQ(is_zero(quotient - quotient), Verdict::equal);
        EXPECT_EQ(equal_exactly(quotient, x).verdict, Verdict::unknown);
        EXPECT_EQ(write(*readable(quotient)), "undefined");
    }
    EXPECT_EQ(is_zero(hidden), Verdict::equal);
    EXPECT_EQ(equal_exactly(hidden, 0).verdict, Verdict::equal);
}

TEST_P(Edges, UndefinedIsAnAnswer) {
    EXPECT_TRUE((x / Expr(0)).is_undefined());
    EXPECT_TRUE((Expr(0) / Expr(0)).is_undefined());
    EXPECT_TRUE(pow(Expr(0), -3).is_undefined());
    EXPECT_TRUE(log(Expr(-2)).is_undefined());
    EXPECT_TRUE(log(Expr(0)).is_undefined());
    EXPECT_TRUE(sqrt(Expr(-1)).is_undefined());
    EXPECT_TRUE(asin(Expr(2)).is_undefined());
    EXPECT_TRUE(acos(Expr(Rational(-3, 2))).is_undefined());
    EXPECT_TRUE(atan2(Expr(0), Expr(0)).is_undefined());
    EXPECT_TRUE(tan(pi() / 2).is_undefined());
    EXPECT_TRUE(Expr(std::nan("")).is_undefined());
    EXPECT_TRUE((undefined() * 0).is_undefined());
    EXPECT_TRUE((sin(undefined()) + x).is_undefined());
    EXPECT_TRUE(derivative(undefined(), x).is_undefined());
    EXPECT_EQ(is_zero(undefined()), Verdict::unknown);
    EXPECT_EQ(equal(undefined(), undefined()), Verdict::unknown);
    EXPECT_TRUE(std::isnan(evaluate<double>(undefined(), [](const Expr&) { return 0.0; })));
    EXPECT_EQ(print(undefined()), "undefined");
    EXPECT_EQ(pow(Expr(0), 0), Expr(1));  // as std::pow
    EXPECT_EQ(pow(Expr(0), Rational(1, 2)), Expr(0));
}

TEST_P(Edges, TheNormalFormSaysWhenItIsTooLarge) {
    Expr product(1);
    for (int i = 0; i < 60; ++i) product *= symbol("a" + std::to_string(i)) + symbol("b" + std::to_string(i));
    const auto start = std::chrono::steady_clock::now();
    const auto form = readable(product, {.terms = 5000, .time = std::chrono::milliseconds(1000)});
    EXPECT_FALSE(form);
    EXPECT_EQ(form.why_not, "more than 5000 terms");
    EXPECT_FALSE(equal_exactly(product, product + x, {.terms = 5000, .time = std::chrono::milliseconds(1000)}).why_not.empty());
    EXPECT_EQ(equal(product, product + x), Verdict::different);  // the fingerprint does not mind
    EXPECT_FALSE(readable(pow(x + y, 100'000)));
    EXPECT_FALSE(readable(pow(pow(x * y, 1 << 20) + 1, 1 << 20)));
    EXPECT_FALSE(readable(sin(pow(Expr(10), 9) * q) + sin(q)));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST_P(Edges, PrintingASharedGraphStopsInTime) {
    Expr e = x;
    for (int i = 0; i < 200; ++i) e = tanh(e) * sin(e);  // 2^200 characters as a tree
    const std::string text = print(e, {.style = Style::text, .longest = 1000});
    EXPECT_LE(text.size(), 1000U + 3);
    EXPECT_TRUE(text.ends_with("…"));
    EXPECT_LE(print(e, {.style = Style::latex, .longest = 1000}).size(), 1003U);
    Expr product = x * y;
    for (int i = 0; i < 200; ++i) product = (product * symbol("a" + std::to_string(i))) * (product + i);  // products of products
    for (int i = 0; i < 100; ++i) product = (product * (x + i)) * (product * (y + i));
    for (const Style style : {Style::text, Style::unicode, Style::latex}) {
        EXPECT_LE(print(product, {.style = style, .longest = 1000}).size(), 1003U);
    }
}

TEST(Pools, FoldingIsASwitch) {
    const auto build = [](Pool& pool) {
        const Expr q = pool.symbol("q", Role::coordinate), x = pool.symbol("x");
        Expr e = pow(sin(q), 2) * x + pow(cos(q), 2) * x;
        return e - x;
    };
    Pool folding, plain({.fold = false});
    EXPECT_EQ(build(folding).id(), Pool::zero_id);
    EXPECT_GT(folding.statistics().merged, 0U);
    EXPECT_NE(build(plain).id(), Pool::zero_id);
    EXPECT_EQ(is_zero(build(plain)), Verdict::equal);
}

TEST(Pools, TheSameSeedGivesTheSamePointEverywhere) {
    Pool a({.fold = true, .seed = 5}), b({.fold = false, .seed = 5}), c({.fold = true, .seed = 6});
    b.symbol("unrelated");
    const auto residue = [](Pool& pool) {
        const Expr e = sin(pool.symbol("q", Role::coordinate) / 3) * pool.symbol("m");
        return pool.residue(e.id());
    };
    EXPECT_EQ(residue(a), residue(b));
    EXPECT_NE(residue(a), residue(c));
    const Expr m = a.symbol("m");
    const std::string point = describe_point(std::span(&m, 1));
    EXPECT_NE(point.find("seed 5\n"), std::string::npos);
    EXPECT_NE(point.find("m = " + std::to_string(a.residue(m.id()).r1)), std::string::npos);
}

TEST(Pools, BoundsAreComputed) {
    Pool pool;
    const Expr x = pool.symbol("x"), y = pool.symbol("y"), q = pool.symbol("q", Role::coordinate);
    EXPECT_EQ(error_bound(x * y + 1).degree, 2);
    EXPECT_EQ(error_bound(pow(x + 1 / y, 3)).degree, 6);
    EXPECT_EQ(error_bound(sin(3 * q) * x).degree, 4);
    EXPECT_EQ(error_bound(sin(q / 2) + cos(q)).degree, 2);  // in the half angle
    EXPECT_LT(error_bound(x * y + 1).log2_error, -115);
    EXPECT_LT(error_bound(sin(3 * q) * x).log2_error, -85);
    EXPECT_FALSE(error_bound(x).is_vacuous());
    EXPECT_TRUE(error_bound(pow(x, Rational(std::int64_t{1} << 60)) + y).is_vacuous());
    EXPECT_LT(error_bound(std::array{x, y}).log2_error, error_bound(std::array{x, y}, 1000).log2_error);
}

/// One pool a thread; each builds the same thing and finds the same residues. Large integers are used in all of them.
TEST(Threads, EachHasItsPool) {
    constexpr int threads = 8;
    std::vector<Residue> found(threads);
    const auto work = [&](int i) {
        Pool pool({.fold = i % 2 == 0});
        PoolScope scope(pool);
        const Expr q = symbol("q", Role::coordinate), x = symbol("x");
        Expr e = x;
        for (int k = 0; k < 20'000; ++k) e = e * sin(q + k) + cos(q * (k % 5)) / (x + k);
        e += pow(Expr(7), 2000) * x;
        EXPECT_TRUE(readable(pow(x + q + 1, 6)));
        found[i] = pool.residue(derivative(e, x).id());
    };
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back(work, i);
    for (std::thread& t : running) t.join();
    for (const Residue& r : found) EXPECT_EQ(r, found.front());
}

TEST(Threads, ReadingAQuietPoolIsSafe) {
    Pool pool;
    const Expr x = pool.symbol("x");
    Expr e = x;
    for (int k = 0; k < 2000; ++k) e = sin(e) + x;
    const double expected = evaluate<double>(e, [](const Expr&) { return 0.3; });
    std::vector<std::thread> running;
    for (int i = 0; i < 4; ++i) {
        running.emplace_back([&] {
            EXPECT_EQ(evaluate<double>(e, [](const Expr&) { return 0.3; }), expected);
            EXPECT_GT(print(e, {.style = Style::text, .longest = 5000}).size(), 1000U);
        });
    }
    for (std::thread& t : running) t.join();
}

TEST(Pools, ExpressionsOfTwoPoolsDoNotMix) {
    Pool a, b;
    EXPECT_THROW(a.symbol("x") + b.symbol("y"), std::invalid_argument);
    EXPECT_EQ(&(a.symbol("x") * 2).pool(), &a);  // numbers follow
    EXPECT_EQ(&(2 * a.symbol("x")).pool(), &a);
    EXPECT_THROW(a.symbol("x", Role::speed), std::invalid_argument);
}

}  // namespace
}  // namespace linkwright::sym
