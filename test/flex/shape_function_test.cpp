#include "linkwright/flex/shape_function.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "flex/quadrature.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/taylor.hpp"

namespace linkwright::flex {
namespace {

using sym::Expr;
using sym::Rational;

struct ShapeFunctions : ::testing::Test {
    sym::Pool pool;
    sym::PoolScope scope{pool};
    Expr a = pool.symbol("a", sym::Role::parameter);

    double at(const Expr& e, double value) const {
        return sym::evaluate<double>(e, [&](const Expr& s) { return s == a ? value : std::nan(""); });
    }
};

TEST_F(ShapeFunctions, NumbersHaveFifteenDigits) {
    EXPECT_EQ(fifteen_digits(1.0 / 3), Expr(0.333333333333333));
    EXPECT_EQ(fifteen_digits(0.1 + 0.2), Expr(0.3));
    EXPECT_EQ(fifteen_digits(0), Expr(0));
    EXPECT_EQ(fifteen_digits(-1e-20), Expr(-1e-20));
}

TEST_F(ShapeFunctions, AtANumberAndAtAnExpressionAreOneFunction) {
    for (const Family family : {Family::pinned_pinned, Family::clamped_free, Family::clamped_pinned, Family::free_free}) {
        const std::vector<Shape> shapes = bending_shapes(family, 3);
        for (const Shape& shape : shapes) {
            const ShapeFunction f = shape, slope = f.derivative(), area = f.integral();
            for (const double x : {0.0, 0.3, 0.8, 1.0}) {
                EXPECT_NEAR(at(f.at(a), x), shape.at(x), 1e-13);
                EXPECT_NEAR(f.at(Expr(x)).number().to_double(), shape.at(x), 1e-13);
                EXPECT_NEAR(at(slope.at(a), x), shape.derivative().at(x), 1e-12);
                EXPECT_NEAR(at(area.at(a), x), shape.between(0, x), 1e-13);
                EXPECT_NEAR(at(f.between(a, 1), x), shape.between(x, 1), 1e-13);
            }
        }
    }
}

TEST_F(ShapeFunctions, PolynomialsAreExact) {
    const ShapeFunction f = bending_polynomials(Frame::tangent, 2)[1];  // ξ²(6ξ − 5)
    EXPECT_EQ(f.at(Rational(1, 2)), Expr(Rational(-1, 2)));
    EXPECT_EQ(f.derivative().at(1), Expr(8));
    EXPECT_EQ(f.between(0, 1), Expr(Rational(3, 2) - Rational(5, 3)));
    EXPECT_EQ((f * f).between(0, 1), Expr(Rational(36, 7) - 10 + 5));
    EXPECT_EQ(f.integral().at(1), f.between(0, 1));
    EXPECT_EQ(ShapeFunction().at(a), Expr(0));
}

TEST_F(ShapeFunctions, WhatVanishesBySymmetryIsZeroExactly) {
    const std::vector<Shape> sines = bending_shapes(Family::pinned_pinned, 4), clamped = bending_shapes(Family::clamped_free, 6);
    EXPECT_EQ(ShapeFunction(sines[1]).between(0, 1), Expr(0));
    EXPECT_EQ(ShapeFunction(sines[2]).at(1), Expr(0));
    EXPECT_EQ(ShapeFunction(clamped[0]).at(0), Expr(0));
    EXPECT_EQ(ShapeFunction(clamped[0]).derivative().at(0), Expr(0));
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(ShapeFunction(clamped[i]).derivative().derivative().at(1), Expr(0)) << i;
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_EQ((ShapeFunction(clamped[i]) * ShapeFunction(clamped[j])).between(0, 1), Expr(0)) << i << j;
    }
    const std::vector<Shape> free = bending_shapes(Family::free_free, 4);
    const ShapeFunction x = ExponentialPolynomial<Expr>::monomial(1);
    for (const Shape& f : free) {
        EXPECT_EQ(ShapeFunction(f).between(0, 1), Expr(0));
        EXPECT_EQ((ShapeFunction(f) * x).between(0, 1), Expr(0));
    }
}

/// A product of an exact function and one of doubles is one of doubles.
TEST_F(ShapeFunctions, ExactAndRoundedOnesMultiply) {
    const Shape wave = bending_shapes(Family::clamped_free, 2)[1];
    const ShapeFunction x2 = ExponentialPolynomial<Expr>::monomial(2, 3), product = x2 * ShapeFunction(wave),
                        other = ShapeFunction(wave) * x2;
    const double expected = test::integrate([&](double x) { return 3 * x * x * wave.at(x); }, 0.2, 0.9);
    EXPECT_NEAR(product.between(Rational(1, 5), Rational(9, 10)).number().to_double(), expected, 1e-13);
    EXPECT_EQ(product.between(Rational(1, 5), Rational(9, 10)), other.between(Rational(1, 5), Rational(9, 10)));
    EXPECT_NEAR(at(product.between(Rational(1, 5), a), 0.9), expected, 1e-13);
}

/// Closed forms may be differentiated by what their limits are made of.
TEST_F(ShapeFunctions, IntegralsAreDifferentiatedByTheirLimits) {
    const Shape wave = bending_shapes(Family::clamped_pinned, 1)[0];
    const Expr slope = derivative(ShapeFunction(wave).between(0, a), a);
    for (const double x : {0.2, 0.6}) EXPECT_NEAR(at(slope, x), wave.at(x), 1e-12);
}

}  // namespace
}  // namespace linkwright::flex
