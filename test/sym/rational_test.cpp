#include "linkwright/sym/rational.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace linkwright::sym {
namespace {

Rational read(std::string_view text) { return Rational::from_text(text).value(); }

TEST(Rational, ReadsWhatIsWritten) {
    EXPECT_EQ(read("9.81"), Rational(981, 100));
    EXPECT_EQ(read("-0.5e-2"), Rational(-1, 200));
    EXPECT_EQ(read("6/4"), Rational(3, 2));
    EXPECT_EQ(read(".5"), Rational(1, 2));
    EXPECT_EQ(read("2."), Rational(2));
    EXPECT_EQ(read("1e3"), Rational(1000));
    for (const char* text : {"", ".", "e5", "1e", "1e+", "1 2", "0x10", "1/0", "2/-3", "--1", "1e99999", "nan"}) {
        EXPECT_FALSE(Rational::from_text(text)) << text;
    }
}

TEST(Rational, DoublesAreTheirShortestDecimals) {
    EXPECT_EQ(Rational::from_double(9.81), Rational(981, 100));
    EXPECT_EQ(Rational::from_double(0.1), Rational(1, 10));
    EXPECT_EQ(Rational::from_double(-1e22), read("-1e22"));
    EXPECT_FALSE(Rational::from_double(std::nan("")));
    EXPECT_FALSE(Rational::from_double(std::numeric_limits<double>::infinity()));
    std::mt19937_64 random(1);
    for (int i = 0; i < 2000; ++i) {
        const double x = std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160);
        EXPECT_EQ(Rational::from_double(x)->to_double(), x);
    }
}

TEST(Rational, CrossesFromOneWordToMany) {
    const Rational big = power(Rational(2), 61), bigger = big * big;
    EXPECT_TRUE(big.is_inline());
    EXPECT_FALSE(bigger.is_inline());
    EXPECT_EQ(bigger / big, big);
    EXPECT_EQ(bigger + -bigger, Rational(0));
    EXPECT_EQ(Rational(std::numeric_limits<std::int64_t>::min()).to_string(), "-9223372036854775808");
    EXPECT_EQ(Rational(std::numeric_limits<std::int64_t>::max()) + Rational(1), power(Rational(2), 63));
    Rational copy = bigger;
    copy = copy * Rational(3);
    EXPECT_EQ(bigger, power(Rational(2), 122));
    copy = Rational(1, 3);
    EXPECT_EQ(copy, Rational(2, 6));
}

TEST(Rational, ArithmeticObeysItsLaws) {
    std::mt19937_64 random(2);
    const auto any = [&] {
        const auto n = static_cast<std::int64_t>(random()) >> (random() % 60),
                   d = static_cast<std::int64_t>(random() >> (1 + random() % 60));
        return Rational(n, d == 0 ? 1 : d);
    };
    for (int i = 0; i < 3000; ++i) {
        const Rational a = any(), b = any(), c = any();
        EXPECT_EQ((a + b) * c, a * c + b * c);
        EXPECT_EQ(a - b, -(b - a));
        EXPECT_TRUE(b.is_zero() || a / b * b == a);
        EXPECT_EQ(a < b, (a - b).sign() < 0);
        EXPECT_TRUE(a.floor() < a || a.floor() == a);
        EXPECT_TRUE(a < a.floor() + Rational(1));
    }
}

TEST(Rational, RootsAndFactors) {
    Rational n(720);
    EXPECT_EQ(remove_factor(n, 2), 4);
    EXPECT_EQ(n, Rational(45));
    EXPECT_EQ(exact_root(Rational(1'000'000), 3), Rational(100));
    EXPECT_FALSE(exact_root(Rational(1'000'001), 2));
    EXPECT_EQ(gcd(Rational(12), Rational(18)), Rational(6));
    EXPECT_EQ(lcm(Rational(4), Rational(6)), Rational(12));
}

}  // namespace
}  // namespace linkwright::sym
