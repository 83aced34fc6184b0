#include "linkwright/spatial/exact.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "support/print.hpp"

namespace linkwright::spatial {
namespace {

using sym::Rational;

class Exact : public testing::Test {
protected:
    static double value(const Expr& e) {
        return sym::evaluate<double>(e, [](const Expr&) { return std::nan(""); });
    }
    sym::Pool pool;
    sym::PoolScope scope{pool};
};

TEST_F(Exact, KnownLengthsAreDividedBy) {
    double length = 0;
    EXPECT_EQ(*normalized({{3, 0, -4}}, &length), (Vec3{{Rational(3, 5), 0, Rational(-4, 5)}}));
    EXPECT_DOUBLE_EQ(length, 5);
    EXPECT_EQ(*normalized({{1, 1, 0}}), (Vec3{{sqrt(Expr(2)) / 2, sqrt(Expr(2)) / 2, 0}}));
    EXPECT_EQ(*normalized({{1, 1, 1}}), (Vec3{{sqrt(Expr(3)) / 3, sqrt(Expr(3)) / 3, sqrt(Expr(3)) / 3}}));
    EXPECT_EQ(*normalized({{0, 0.1, 0.3}}), (Vec3{{0, 1 / sqrt(Expr(10)), 3 / sqrt(Expr(10))}}));
    EXPECT_EQ(*normalized({{0, -1e300, 0}}), (Vec3{{0, -1, 0}}));
    EXPECT_EQ(*normalized({{1e-300, 0, 0}}), (Vec3{{1, 0, 0}}));
    EXPECT_FALSE(normalized({{0, 0, 0}}));
}

TEST_F(Exact, OtherLengthsGiveRationalPointsOfTheSphere) {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> digit(-1000, 1000);
    for (int trial = 0; trial < 200; ++trial) {
        const Vec3 v{{Rational(digit(random), 100), Rational(digit(random), 100), Rational(digit(random), 100)}};
        if (is_zero(v)) continue;
        double length = 0;
        const Vec3 n = *normalized(v, &length);
        EXPECT_EQ(dot(n, n), Expr(1));
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(value(n[i]) * length, value(v[i]), 1e-14 * length);
            EXPECT_EQ(v[i].is_literally(0), n[i].is_literally(0));
        }
        // The angle between the two, exactly: |v × n|² / |v|² is below (1e-17)².
        const Vec3 c = cross(v, n);
        const Expr sine2 = dot(c, c) / dot(v, v);
        EXPECT_LT(value(sine2), 1e-34);
    }
}

TEST_F(Exact, SymbolsOfLengthOneStay) {
    const Expr a = sym::symbol("a"), b = sym::symbol("b");
    const Vec3 v{{sin(a), 0, cos(a)}};
    EXPECT_EQ(*normalized(v), v);
    const Vec3 n = *normalized({{a, b, 0}});
    const auto at = [&](const Expr& s) { return s == a ? 0.3 : -0.7; };
    EXPECT_DOUBLE_EQ(sym::evaluate<double>(dot(n, n), at), 1);
    EXPECT_DOUBLE_EQ(sym::evaluate<double>(n[0] / n[1], at), 0.3 / -0.7);
    EXPECT_FALSE(normalized({{a - a, 0, pow(sin(b), 2) + pow(cos(b), 2) - 1}}));
    double length = 0;
    EXPECT_EQ(sym::equal((*normalized({{1, sqrt(Expr(2)), 0}}, &length))[0], sqrt(Expr(3)) / 3), sym::Verdict::equal);
    EXPECT_DOUBLE_EQ(length, std::sqrt(3.0));
}

TEST_F(Exact, FramesAreRightHanded) {
    EXPECT_EQ(*frame_from_axes(2, {{0, 0, 1}}, 0, {{1, 0, 0}}), identity());
    EXPECT_EQ(*frame_from_axes(0, {{2, 0, 0}}, 2, {{0, 0, 3}}), identity());
    const Mat3 m = *frame_from_axes(2, {{1, 0, 0}}, 0, {{0, 1, 0}});
    EXPECT_EQ(m, from_columns({{0, 1, 0}}, {{0, 0, 1}}, {{1, 0, 0}}));
    const Expr a = sym::symbol("a");
    const Mat3 turned = *frame_from_axes(0, {{cos(a), sin(a), 0}}, 1, {{-sin(a), cos(a), 0}});
    EXPECT_EQ(column(turned, 2), unit(2));
}

TEST_F(Exact, AskewDecimalsBecomeOrthogonal) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> component(-1, 1);
    for (int trial = 0; trial < 100; ++trial) {
        const double x[3] = {component(random), component(random), component(random)};
        double y[3] = {component(random), component(random), component(random)};
        double xx = 0, xy = 0;
        for (int i = 0; i < 3; ++i) xx += x[i] * x[i], xy += x[i] * y[i];
        for (int i = 0; i < 3; ++i) y[i] = std::round(1e7 * (y[i] - xy / xx * x[i])) / 1e7;
        const std::size_t first = static_cast<std::size_t>(trial % 3), second = static_cast<std::size_t>((trial + 1 + trial / 3 % 2) % 3);
        const Vec3 a{{x[0], x[1], x[2]}}, b{{y[0], y[1], y[2]}};
        const auto m = frame_from_axes(first, a, second, b);
        if (!m) continue;  // a short vector, rounded too much
        EXPECT_EQ(*m * transpose(*m), identity());
        EXPECT_EQ(dot(column(*m, 0), cross(column(*m, 1), column(*m, 2))), Expr(1));
        const Vec3 c = cross(a, column(*m, first));
        EXPECT_LT(value(dot(c, c) / dot(a, a)), 1e-34);
        EXPECT_GT(value(dot(a, column(*m, first))), 0);
        EXPECT_GT(value(dot(b, column(*m, second))), 0);
    }
}

TEST_F(Exact, WrongFramesAreRefused) {
    EXPECT_FALSE(frame_from_axes(2, {{0, 0, 1}}, 0, {{1, 0, 1e-5}}));
    EXPECT_TRUE(frame_from_axes(2, {{0, 0, 1}}, 0, {{1, 0, 1e-7}}));
    EXPECT_FALSE(frame_from_axes(2, {{0, 0, 1}}, 0, {{0, 0, 0}}));
    EXPECT_FALSE(frame_from_axes(2, {{0, 0, 1}}, 2, {{1, 0, 0}}));
    EXPECT_FALSE(frame_from_axes(2, {{0, 0, 1}}, 0, {{1, 0, sym::symbol("a")}}));
}

}  // namespace
}  // namespace linkwright::spatial
