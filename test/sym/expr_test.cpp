// The rewrites of expr.hpp, row by row, in a pool that does not fold; then what folding adds.

#include "linkwright/sym/expr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/substitute.hpp"
#include "support/print.hpp"

namespace linkwright::sym {
namespace {

class Building : public testing::Test {
protected:
    Pool pool{{.fold = false}};
    PoolScope scope{pool};
    Expr x = symbol("x"), y = symbol("y"), q = symbol("q", Role::coordinate);
    Expr half = Expr(Rational(1, 2));
};

TEST_F(Building, Sums) {
    EXPECT_EQ(x + 0, x);
    EXPECT_EQ(Expr(2) + 3, Expr(5));
    EXPECT_EQ(x + x, 2 * x);
    EXPECT_EQ(2 * x + 3 * x, 5 * x);
    EXPECT_EQ(2 * x - 2 * x, Expr(0));
    EXPECT_EQ(2 + (3 + x), 5 + x);
    EXPECT_EQ(-x + -y, -(x + y));
    EXPECT_EQ(x + y, y + x);
    EXPECT_NE(x + (y + q), (x + y) + q);  // association is kept
}

TEST_F(Building, NumbersOfEveryType) {
    EXPECT_EQ(x * std::size_t{3}, 3 * x);
    EXPECT_EQ(x * 3LL, 3 * x);
    EXPECT_EQ(x * 0.5, x / 2);
    EXPECT_EQ(Expr(UINT64_MAX), pow(Expr(2), 64) - 1);
    EXPECT_EQ(Expr(INT64_MIN), -pow(Expr(2), 63));
}

/// A symbol prints as its name, so the name must read back.
TEST_F(Building, SymbolsAreNames) {
    for (const char* name : {"", "a b", "2x", "x+y", "pi", "deg", "undefined", "θ", "x.", "'"}) {
        EXPECT_THROW(symbol(name), std::invalid_argument) << name;
    }
    EXPECT_NO_THROW(symbol("fly.wx'"));
}

TEST_F(Building, Products) {
    EXPECT_EQ(x * 0, Expr(0));
    EXPECT_EQ(x * 1, x);
    EXPECT_EQ(2 * (3 * x), 6 * x);
    EXPECT_EQ((2 * x) * (3 * y), 6 * (x * y));
    EXPECT_EQ(x * x, pow(x, 2));
    EXPECT_EQ(pow(x, 2) / x, x);
    EXPECT_EQ(sqrt(x) * x, pow(x, Rational(3, 2)));
    EXPECT_EQ(x / x, Expr(1));
    EXPECT_EQ(-(-x), x);
    EXPECT_NE(x * (y + q), x * y + x * q);  // nothing is expanded
}

TEST_F(Building, Powers) {
    EXPECT_EQ(pow(x, 0), Expr(1));
    EXPECT_EQ(pow(x, 1), x);
    EXPECT_EQ(pow(Expr(2), -3), Expr(Rational(1, 8)));
    EXPECT_EQ(pow(pow(x, 2), 3), pow(x, 6));
    EXPECT_EQ(pow(sqrt(x), 4), pow(x, 2));
    EXPECT_NE(sqrt(pow(x, 2)), x);
    EXPECT_EQ(pow(2 * x, 3), 8 * pow(x, 3));
    EXPECT_EQ(sqrt(4 * x), 2 * sqrt(x));
    EXPECT_EQ(sqrt(-4 * x), 2 * sqrt(-x));
    EXPECT_EQ(pow(abs(x), 2), pow(x, 2));
    EXPECT_NE(pow(abs(x), 3), pow(x, 3));
    EXPECT_EQ(pow(exp(x), 2), exp(2 * x));
    EXPECT_EQ(pow(x, y), exp(y * log(x)));
    EXPECT_EQ(sqrt(Expr(72)), 6 * sqrt(Expr(2)));
    EXPECT_EQ(sqrt(Expr(6)), sqrt(Expr(2)) * sqrt(Expr(3)));
    EXPECT_EQ(sqrt(half), sqrt(Expr(2)) / 2);
    EXPECT_EQ(pow(Expr(8), Rational(2, 3)), Expr(4));
    EXPECT_EQ(sqrt(Expr(1009 * 1009)), Expr(1009));
    EXPECT_EQ(pow(Expr(2), half), sqrt(Expr(2)));
    EXPECT_EQ(pow(x, 0.5), sqrt(x));
    EXPECT_EQ(pow(x, -1.5), pow(x, Rational(-3, 2)));
    EXPECT_EQ(pow(x, 2U), x * x);
}

TEST_F(Building, Functions) {
    EXPECT_EQ(sin(-x), -sin(x));
    EXPECT_EQ(cos(-x), cos(x));
    EXPECT_EQ(tan(-2 * x), -tan(2 * x));
    EXPECT_EQ(asin(-x), -asin(x));
    EXPECT_EQ(atan(-x), -atan(x));
    EXPECT_EQ(tanh(-x), -tanh(x));
    EXPECT_EQ(sign(-x), -sign(x));
    EXPECT_EQ(abs(-x), abs(x));
    EXPECT_EQ(abs(-3 * x), abs(3 * x));
    EXPECT_EQ(sin(asin(x)), x);
    EXPECT_EQ(cos(acos(x)), x);
    EXPECT_EQ(tan(atan(x)), x);
    EXPECT_EQ(exp(log(x)), x);
    EXPECT_EQ(log(exp(x)), x);
    EXPECT_EQ(min(x, x), x);
    EXPECT_EQ(min(Expr(2), Expr(-1)), Expr(-1));
    EXPECT_EQ(max(Expr(2), Expr(-1)), Expr(2));
    EXPECT_EQ(select(x, y, y), y);
    EXPECT_EQ(select(Expr(1), x, y), x);
    EXPECT_EQ(select(Expr(0), x, y), y);
    EXPECT_EQ(select(3 * x, x, y), select(x, x, y));
    EXPECT_EQ(sign(Expr(-7)), Expr(-1));
    EXPECT_EQ(abs(Expr(-7)), Expr(7));
    EXPECT_EQ(exp(Expr(0)), Expr(1));
    EXPECT_EQ(atan2(Expr(1), Expr(0)), pi() / 2);
    EXPECT_EQ(atan2(Expr(0), Expr(-2)), pi());
    EXPECT_EQ(acos(Expr(-1)), pi());
    EXPECT_EQ(asin(Expr(-1)), -pi() / 2);
}

/// Every multiple of π/12, against the standard library.
TEST_F(Building, ExactAngles) {
    for (int k = -30; k <= 30; ++k) {
        const Expr angle = k * pi() / 12;
        const double value = k * 3.14159265358979323846 / 12;
        const auto number = [](const Expr& e) { return evaluate<double>(e, [](const Expr&) { return 0.0; }); };
        EXPECT_NEAR(number(sin(angle)), std::sin(value), 1e-14) << k;
        EXPECT_NEAR(number(cos(angle)), std::cos(value), 1e-14) << k;
        EXPECT_EQ(nodes_below(std::array{sin(angle)}).back().op() == Op::sin, false) << k;
        EXPECT_EQ(equal(sin(x + angle), sin(x) * cos(angle) + cos(x) * sin(angle)), Verdict::equal) << k;
    }
    EXPECT_EQ(equal(4 * cos(pi() / 5), 1 + sqrt(Expr(5))), Verdict::equal);
    EXPECT_EQ(equal(sin(pi() / 7), sin(pi() / 5)), Verdict::different);
    EXPECT_NE(equal(sin(pi() / 7), sin(6 * pi() / 7)), Verdict::different);
}

TEST_F(Building, FingerprintsOfAngles) {
    EXPECT_EQ(equal(sin(x + y), sin(x) * cos(y) + cos(x) * sin(y)), Verdict::equal);
    EXPECT_EQ(equal(sin(x - y), -sin(y - x)), Verdict::equal);
    EXPECT_EQ(equal(sin(2 * q), 2 * sin(q) * cos(q)), Verdict::equal);
    EXPECT_EQ(equal(cos(q), 2 * pow(cos(q / 2), 2) - 1), Verdict::equal);
    EXPECT_EQ(equal(sin(q), 3 * sin(q / 3) - 4 * pow(sin(q / 3), 3)), Verdict::equal);
    EXPECT_EQ(equal(cos(q / 7), 2 * pow(cos(q / 14), 2) - 1), Verdict::equal);
    EXPECT_EQ(equal(cos((x + y) / 2), cos(x / 2) * cos(y / 2) - sin(x / 2) * sin(y / 2)), Verdict::equal);
    EXPECT_EQ(equal(cos(Expr(0.3)) * 2, 4 * pow(cos(Expr(0.15)), 2) - 2), Verdict::equal);
    EXPECT_EQ(equal(sin(x * y), sin(y * x)), Verdict::equal);
    EXPECT_EQ(equal(sin(q), cos(q)), Verdict::different);
    EXPECT_EQ(equal(sin(2 * q), 2 * sin(q)), Verdict::different);
    EXPECT_EQ(equal(sin(q), q), Verdict::different);
    // Not linear in independent monomials: an honest "unknown", and the numbers can still tell "different".
    EXPECT_EQ(equal(sin(x * (y + 1)), sin(x * y + x)), Verdict::unknown);
    EXPECT_EQ(equal(sin(x * (y + 1)), sin(x * y + 2 * x)), Verdict::different);
}

TEST_F(Building, OpaqueFunctionsAreHonest) {
    EXPECT_EQ(equal(exp(x) * exp(-x), 1), Verdict::unknown);
    EXPECT_EQ(equal(exp(x), 1 + x), Verdict::different);
    EXPECT_EQ(equal(tanh(x * (y + 1)), tanh(x * y + x)), Verdict::equal);  // equal arguments are seen
    EXPECT_EQ(equal(tanh(x - y), -tanh(y - x)), Verdict::equal);
    EXPECT_EQ(equal(abs(x - y), abs(y - x)), Verdict::equal);
    EXPECT_EQ(equal(min(x, y) + max(x, y), x + y), Verdict::equal);
    EXPECT_EQ(equal(asin(x) + acos(x), pi() / 2), Verdict::equal);
    EXPECT_EQ(equal(sqrt(x + 1) * sqrt(x + 1) * y, (x + 1) * y), Verdict::equal);
    EXPECT_EQ(equal(atan2(y, x), atan(y / x)), Verdict::different);
}

TEST_F(Building, Rebuilding) {
    Substitution s{{x, y}, {y, x}};
    EXPECT_EQ(s(x - y), y - x);
    EXPECT_EQ(Substitution({{sin(q), x}})(sin(q) + cos(q)), x + cos(q));
    EXPECT_EQ(Substitution({{x, Expr(0)}})(y / x).is_undefined(), true);
    EXPECT_EQ(Substitution({{q, pi() / 6}})(sin(q)), half);
    EXPECT_EQ(symbols_in(x * sin(q)).size(), 2U);
    EXPECT_FALSE(depends_on(x * 1, y));
    const std::array rows{x * y, sin(q), Expr(3)};
    const std::array columns{x, y, q};
    EXPECT_EQ(sparsity(rows, columns), (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 0}, {0, 1}, {1, 2}}));
}

TEST_F(Building, SparsityBeyondSixtyFourSymbols) {
    std::vector<Expr> symbols, rows;
    for (int i = 0; i < 200; ++i) symbols.push_back(symbol("s" + std::to_string(i)));
    for (std::size_t i = 1; i < 200; ++i) rows.push_back(symbols[i] * symbols[i - 1]);
    const auto pattern = sparsity(rows, symbols);
    const SparseMatrix J = jacobian(rows, symbols);
    ASSERT_EQ(pattern.size(), 2U * 199);
    ASSERT_EQ(J.entries.size(), pattern.size());
    for (std::size_t i = 0; i < pattern.size(); ++i) EXPECT_EQ(pattern[i], std::pair(J.entries[i].row, J.entries[i].column));
}

TEST_F(Building, TimeDerivative) {
    const Expr t = symbol("t", Role::time), u = symbol("u", Role::speed), a = symbol("a", Role::acceleration);
    Tangent rate = time_derivative(pool, std::array<Binding, 2>{Binding{q, u}, Binding{u, a}});
    EXPECT_EQ(rate(sin(q)), cos(q) * u);
    EXPECT_EQ(rate(rate(q)), a);
    EXPECT_EQ(rate(t * t), 2 * t);
    EXPECT_EQ(rate(x * q), x * u);
}

TEST(Folding, FindsWhatIsHidden) {
    Pool pool;
    PoolScope scope(pool);
    const Expr x = symbol("x"), y = symbol("y"), q = symbol("q", Role::coordinate);
    EXPECT_EQ(pow(sin(q), 2) + pow(cos(q), 2), Expr(1));
    EXPECT_EQ(3 * pow(sin(q), 2) / 2 + 3 * pow(cos(q), 2) / 2, Expr(1.5));
    EXPECT_EQ((x + y) * (x + y) - x * x - y * y, 2 * (x * y));
    EXPECT_EQ(x * y / y, x);
    EXPECT_EQ((x - y) + (y - x), Expr(0));
    EXPECT_EQ(y - x, -(x - y));
    EXPECT_EQ(Expr(9.81) * pow(sin(q), 2) + Expr(9.81) * pow(cos(q), 2), Expr(9.81));
    EXPECT_EQ(tan(q) * cos(q), sin(q));
    EXPECT_NE(sqrt(x * x), x);
    EXPECT_NE(x, y);
    EXPECT_GT(pool.statistics().merged, 0U);
}

/// Folding saves nodes; it is a switch, so that this can be measured.
TEST(Folding, Saves) {
    const auto nodes = [](bool fold) {
        Pool pool({.fold = fold});
        PoolScope scope(pool);
        Expr c(1), s(0);
        for (int i = 0; i < 20; ++i) {  // a rotation by q1 + … + qi, two ways
            const Expr q = symbol("q" + std::to_string(i), Role::coordinate);
            const Expr c_next = c * cos(q) - s * sin(q), s_next = s * cos(q) + c * sin(q);
            c = c_next, s = s_next;
            (void)(c * c + s * s);
        }
        return pool.size();
    };
    EXPECT_LT(nodes(true), nodes(false));
}

}  // namespace
}  // namespace linkwright::sym
