#include "linkwright/flex/piecewise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "flex/quadrature.hpp"
#include "linkwright/flex/shape_function.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::flex {
namespace {

const std::vector<double> places{0, 0.2, 0.35, 0.7, 1};

double cubic(double x) { return 1 - 2 * x + 3 * x * x - 0.5 * x * x * x; }
double cubic_slope(double x) { return -2 + 6 * x - 1.5 * x * x; }

/// Of sin 3ξ: not a cubic, so that pieces differ.
Piecewise bent() {
    std::vector<double> value, slope;
    for (const double x : places) value.push_back(std::sin(3 * x)), slope.push_back(3 * std::cos(3 * x));
    return Piecewise::cubic(places, value, slope);
}

TEST(Piecewise, ACubicIsItself) {
    std::vector<double> value, slope;
    for (const double x : places) value.push_back(cubic(x)), slope.push_back(cubic_slope(x));
    const Piecewise f = Piecewise::cubic(places, value, slope);
    for (double x = 0; x <= 1; x += 0.05) {
        EXPECT_NEAR(f.at(x), cubic(x), 1e-14);
        EXPECT_NEAR(f.derivative().at(x), cubic_slope(x), 1e-13);
    }
}

TEST(Piecewise, GoesThroughItsPlacesAndHasAnIntegral) {
    const Piecewise f = bent(), F = f.integral();
    for (const double x : places) {
        EXPECT_NEAR(f.at(x), std::sin(3 * x), 1e-14);
        EXPECT_NEAR(f.derivative().at(x), 3 * std::cos(3 * x), 1e-12);
    }
    EXPECT_EQ(F.at(0.0), 0);
    for (double x = 0.03; x < 1; x += 0.07) EXPECT_NEAR((F.at(x + 1e-5) - F.at(x - 1e-5)) / 2e-5, f.at(x), 1e-9);
    EXPECT_NEAR(f.between(0.1, 0.9), F.at(0.9) - F.at(0.1), 1e-15);
}

TEST(Piecewise, ProductsWithShapesOfOneFormula) {
    const Piecewise f = bent();
    const ExponentialPolynomial<double> g = bending_shapes(Family::clamped_free, 3)[2];
    const Piecewise fg = f * Piecewise::cut(g, f.from());
    double sum = 0;
    for (std::size_t k = 0; k + 1 < places.size(); ++k) {
        for (double x = places[k] + 0.01; x < places[k + 1]; x += 0.04) EXPECT_NEAR(fg.at(x), f.at(x) * g.at(x), 1e-12);
        sum += fg.between(places[k], places[k + 1]);
    }
    EXPECT_NEAR(fg.between(0, 1), sum, 1e-14);
    const sym::Expr by_shapes = (ShapeFunction(f) * ShapeFunction(g)).between(0, 1);
    EXPECT_NEAR(by_shapes.number().to_double(), sum, 1e-13);
}

TEST(Piecewise, AtAnExpression) {
    sym::Pool pool;
    const sym::PoolScope scope(pool);
    const Piecewise f = bent();
    const sym::Expr a = sym::symbol("a"), value = f.at(a);
    for (double x = 0.01; x < 1; x += 0.07) EXPECT_NEAR(sym::evaluate<double>(value, [&](const sym::Expr&) { return x; }), f.at(x), 1e-14);
}

}  // namespace
}  // namespace linkwright::flex
