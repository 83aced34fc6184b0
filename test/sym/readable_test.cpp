// Formulas with roots and denominators: short, and the same function.

#include "linkwright/sym/readable.hpp"

#include <gtest/gtest.h>

#include "support/random_expr.hpp"

namespace linkwright::sym::test {
namespace {

class ReadableRoots : public testing::Test {
protected:
    Pool pool;
    PoolScope scope{pool};
    Expr x = symbol("x", Role::coordinate), y = symbol("y", Role::coordinate), a = symbol("a"), k = symbol("k"), l = symbol("l");

    std::string text(const Expr& e) {
        const auto formula = readable(e);
        EXPECT_TRUE(formula) << formula.why_not;
        if (!formula) return "";
        EXPECT_EQ(equal(to_expr(*formula, pool), e), Verdict::equal) << write(*formula);
        return write(*formula);
    }
    Expr length(const Expr& from) { return sqrt(pow(x - from, 2) + y * y); }
};

TEST_F(ReadableRoots, LengthsAreNotMultipliedOut) {
    const Expr left = length(-a), right = length(a);
    const Expr of_left = k * (1 - l / left) * (x + a), of_right = k * (1 - l / right) * (x - a);  // one after the other: compilers differ
    EXPECT_EQ(text(-of_left - of_right), "k*(l*((x - a)/sqrt((x - a)^2 + y^2) + (a + x)/sqrt((a + x)^2 + y^2)) - 2*x)");
    EXPECT_EQ(text(k * pow(left - l, 2) / 2), "k*(sqrt((a + x)^2 + y^2) - l)^2/2");
    EXPECT_EQ(text(left * left / right * left), "((a + x)^2 + y^2)^(3/2)/sqrt((x - a)^2 + y^2)");
}

TEST_F(ReadableRoots, ForcesOfSpringsShowTheirStretch) {
    const Expr b = symbol("b"), z = symbol("z", Role::coordinate), s = sqrt(x + y * y + a), t = sqrt(x + z * z + b);
    const Expr A = a * x + b * y * z + k * sin(z), B = a * x - b * z * z + k * cos(y);
    const std::string found = text(l * A / s + l * B / t - 2 * a * x - b * y * z - k * sin(z) + b * z * z - k * cos(y));
    EXPECT_NE(found.find("(l/sqrt(a + x + y^2) - 1)*("), std::string::npos) << found;
    EXPECT_NE(found.find("(l/sqrt(b + x + z^2) - 1)*("), std::string::npos) << found;
}

TEST_F(ReadableRoots, DenominatorsStayApart) {
    const Expr b = symbol("b"), c = symbol("c");
    const Expr first = 1 / (a + x), second = 1 / (b + y), third = 1 / (c + x);
    EXPECT_EQ(text(first + second + third), "1/(b + y) + 1/(a + x) + 1/(c + x)");
    EXPECT_EQ(text(x / a + y / b), "x/a + y/b");
    EXPECT_EQ(text(x / a + y / a), "(x + y)/a");
    EXPECT_EQ(text((x * x - a * a) / (x + a)), "x - a");  // and meet where that is shorter
    EXPECT_EQ(text(1 / (x + a) - (2 * x) / (x * x - a * a) + 1 / (x - a)), "0");
}

TEST_F(ReadableRoots, TheOriginalIsKeptWhenItIsShorter) {
    const Expr fourth = pow(x + y + a, 4), third = k * pow(x - y, 3), near = length(a), far = length(-a);
    EXPECT_EQ(text(fourth + third), "k*(x - y)^3 + (a + x + y)^4");
    const Expr one = k * pow(near - l, 2) / 2, other = k * pow(far - l, 2) / 2;
    EXPECT_EQ(text(one + other), "k*((sqrt((a + x)^2 + y^2) - l)^2 + (sqrt((x - a)^2 + y^2) - l)^2)/2");
    const Expr thrice = pow(sqrt(Expr(3)) * (x - a), 2), across = pow(y - l, 2), less = pow(k + l, 2);
    EXPECT_EQ(text(thrice + across - less), "(y - l)^2 - (k + l)^2 + 3*(x - a)^2");
    EXPECT_EQ(text(pow(x + a, 2) + pow(y - l, 2)), "(y - l)^2 + (a + x)^2");
}

TEST_F(ReadableRoots, NumbersAreThoseOfTheModel) { EXPECT_EQ(text(k * pow(x - Rational(3, 10), 2) / 2), "k*(x - 3/10)^2/2"); }

TEST_F(ReadableRoots, ALetterOfTheModelMayLookLikeOurs) {
    const Expr r0 = symbol("r0"), ri0 = symbol("ri0"), r = symbol("r_");
    const Expr near = r0 / length(a), far = ri0 / length(-a);
    EXPECT_EQ(text(near + far + r), "ri0/sqrt((a + x)^2 + y^2) + r0/sqrt((x - a)^2 + y^2) + r_");
}

TEST_F(ReadableRoots, RootsOfZeroAreNoNews) {
    Pool plain({.fold = false});
    const PoolScope inside(plain);
    const Expr p = symbol("p"), q = symbol("q");
    const Expr hidden = (p + q) * (p - q) - p * p + q * q;
    EXPECT_EQ(write(*readable(p + 1 / hidden)), "undefined");
}

TEST(RandomRoots, ReadAsTheSameFunction) {
    Pool pool({.fold = false});
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        RandomExpr random(pool, seed, {.quotients = true, .angles_are_linear = true});
        const Expr u = random(2 + seed % 4).e, v = random(2 + seed % 3).e, w = random(2).e;
        const Expr e = w / sqrt(u * u + v * v + 1) + u / sqrt(v * v + 2) - v / (u * u + 1) + w * pow(u * u + v * v + 1, Rational(3, 2));
        const auto formula = readable(e, {.terms = 500, .time = std::chrono::milliseconds(200)});
        if (!formula) continue;
        ++compared;
        EXPECT_NE(equal(to_expr(*formula, pool), e), Verdict::different) << print(e) << "\nreads " << write(*formula);
    }
    EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace linkwright::sym::test
