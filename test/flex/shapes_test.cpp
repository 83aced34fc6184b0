#include "linkwright/flex/shapes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flex/quadrature.hpp"

namespace linkwright::flex {
namespace {

constexpr std::array families{Family::pinned_pinned, Family::clamped_free, Family::clamped_pinned, Family::free_free};
constexpr std::size_t many = 40;

/// [blevins79 table 8-1]
TEST(Shapes, WaveNumbersAreThoseOfBooks) {
    const auto expect = [](Family family, std::array<double, 5> beta) {
        const std::vector<double> found = wave_numbers(family, 5);
        for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found[i], beta[i], 1e-7);
    };
    expect(Family::clamped_free, {1.87510407, 4.69409113, 7.85475744, 10.99554073, 14.13716839});
    expect(Family::clamped_pinned, {3.92660231, 7.06858275, 10.21017612, 13.35176878, 16.49336143});
    expect(Family::free_free, {4.73004074, 7.85320462, 10.9956079, 14.1371655, 17.2787597});
}

/// φ'''' = β⁴φ in between, and at the ends what the name says.
TEST(Shapes, MeetTheBeamsEquationAndItsEnds) {
    for (const Family family : families) {
        const std::vector<Shape> shapes = bending_shapes(family, many);
        const std::vector<double> beta = wave_numbers(family, many);
        for (std::size_t i = 0; i < many; ++i) {
            const double b = beta[i];
            std::array<Shape, 5> d{shapes[i]};
            for (std::size_t k = 1; k < 5; ++k) d[k] = (1 / b) * d[k - 1].derivative();  // by βξ: of the size of φ
            for (const double x : {0.0, 0.13, 0.5, 0.77, 1.0}) EXPECT_NEAR(d[4].at(x), d[0].at(x), 1e-13);
            const bool is_clamped = family == Family::clamped_free || family == Family::clamped_pinned;
            const std::array<std::size_t, 2> left = family == Family::free_free ? std::array<std::size_t, 2>{2, 3}
                                                    : is_clamped                ? std::array<std::size_t, 2>{0, 1}
                                                                                : std::array<std::size_t, 2>{0, 2};
            const bool is_open = family == Family::clamped_free || family == Family::free_free;
            const std::array<std::size_t, 2> right = is_open ? std::array<std::size_t, 2>{2, 3} : std::array<std::size_t, 2>{0, 2};
            for (const std::size_t k : left) EXPECT_NEAR(d[k].at(0), 0, 1e-13) << static_cast<int>(family) << " " << i;
            for (const std::size_t k : right) EXPECT_NEAR(d[k].at(1), 0, 1e-13) << static_cast<int>(family) << " " << i;
        }
    }
}

/// Up to dozens of waves: orthogonal, with the norms of books, and integrals that have simple closed forms.
TEST(Shapes, AreOrthogonal) {
    for (const Family family : families) {
        const std::vector<Shape> shapes = bending_shapes(family, many);
        const std::vector<double> beta = wave_numbers(family, many);
        const double norm = family == Family::pinned_pinned ? 0.5 : 1;
        for (std::size_t i = 0; i < many; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                const double product = (shapes[i] * shapes[j]).between(0, 1);
                EXPECT_NEAR(product, i == j ? norm : 0, 2e-14) << static_cast<int>(family) << " " << i << " " << j;
                const double scale = beta[i] * beta[i] * beta[j] * beta[j];
                const double bending = (shapes[i].derivative().derivative() * shapes[j].derivative().derivative()).between(0, 1);
                EXPECT_NEAR(bending / scale, i == j ? norm : 0, 2e-14) << static_cast<int>(family) << " " << i << " " << j;
            }
        }
    }
    const std::vector<double> beta = wave_numbers(Family::clamped_free, many);
    const std::vector<Shape> shapes = bending_shapes(Family::clamped_free, many);
    for (std::size_t i = 0; i < many; ++i) {
        const double b = beta[i], sigma = (1 + std::cos(b) / std::cosh(b)) / (std::tanh(b) + std::sin(b) / std::cosh(b));
        EXPECT_NEAR(shapes[i].between(0, 1), 2 * sigma / b, 1e-14);
        EXPECT_NEAR((Shape::monomial(1) * shapes[i]).between(0, 1), 2 / (b * b), 1e-14);
        EXPECT_NEAR(std::abs(shapes[i].at(1)), 2, 1e-13);
    }
}

/// Shortening: h_ij(ξ) = ∫₀^ξ φᵢ'φⱼ', and the integrals of h and of its products.
TEST(Shapes, IntegralsOfShorteningAgreeWithQuadrature) {
    for (const Family family : families) {
        const std::vector<Shape> shapes = bending_shapes(family, 4);
        for (std::size_t i = 0; i < 4; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                const Shape slope = shapes[i].derivative() * shapes[j].derivative(), h = slope.integral();
                const double size = std::abs((shapes[i].derivative() * shapes[i].derivative()).between(0, 1));
                EXPECT_NEAR(h.at(0.6), test::integrate([&](double x) { return slope.at(x); }, 0, 0.6), 1e-13 * size);
                EXPECT_NEAR((h * h).between(0, 1), test::integrate([&](double x) { return h.at(x) * h.at(x); }, 0, 1), 1e-13 * size * size);
                EXPECT_NEAR((h * shapes[j]).between(0, 1), test::integrate([&](double x) { return h.at(x) * shapes[j].at(x); }, 0, 1),
                            1e-13 * size);
            }
        }
    }
}

/// Waves whose numbers add up to nothing: ∫ sin iπξ sin jπξ cos(i ± j)πξ = ∓1/4, whatever rounding makes of iπ ± jπ.
TEST(Shapes, ProductsThatDoNotWave) {
    const std::vector<Shape> sines = bending_shapes(Family::pinned_pinned, 60);
    for (std::size_t i = 1; i <= 30; ++i) {
        for (std::size_t j = 1; j < i; ++j) {
            const Shape cosine = second_order_shapes(Family::free_free, i + j).back();
            EXPECT_NEAR((sines[i - 1] * sines[j - 1] * cosine).between(0, 1), -0.25, 1e-14) << i << " " << j;
            EXPECT_NEAR((sines[i - 1] * sines[j - 1] * second_order_shapes(Family::free_free, i - j).back()).between(0, 1), 0.25, 1e-14);
        }
    }
}

/// Exactly: no tolerance.
TEST(Shapes, PolynomialsMeetTheirFrames) {
    sym::Pool pool;
    const sym::PoolScope scope(pool);
    using Polynomial = ExponentialPolynomial<sym::Expr>;
    const auto expect_orthogonal = [](const std::vector<Polynomial>& shapes) {
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) EXPECT_TRUE((shapes[i] * shapes[j]).between(0, 1).is_literally(0)) << i << " " << j;
            EXPECT_FALSE((shapes[i] * shapes[i]).between(0, 1).is_literally(0));
        }
    };
    const auto vanishes = [](const sym::Expr& e) { return e.is_literally(0); };
    const std::vector<Polynomial> tangent = bending_polynomials(Frame::tangent, 12), chord = bending_polynomials(Frame::chord, 12),
                                  mean = bending_polynomials(Frame::mean, 12);
    for (const auto& shapes : {tangent, chord, mean}) expect_orthogonal(shapes);
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_TRUE(vanishes(tangent[i].at(0)) && vanishes(tangent[i].derivative().at(0)));
        EXPECT_TRUE(tangent[i].at(1).is_literally(1));
        EXPECT_TRUE(vanishes(chord[i].at(0)) && vanishes(chord[i].at(1)));
        EXPECT_TRUE(vanishes(mean[i].between(0, 1)) && vanishes((Polynomial::monomial(1) * mean[i]).between(0, 1)));
    }
    for (const Frame frame : {Frame::tangent, Frame::mean}) {
        const std::vector<Polynomial> shapes = second_order_polynomials(frame, 8);
        expect_orthogonal(shapes);
        for (const Polynomial& shape : shapes) EXPECT_TRUE(vanishes(frame == Frame::mean ? shape.between(0, 1) : shape.at(0)));
    }
}

TEST(Shapes, OfStretchAndTwist) {
    const std::vector<Shape> clamped = second_order_shapes(Family::clamped_free, 3), free = second_order_shapes(Family::free_free, 3),
                             held = second_order_shapes(Family::pinned_pinned, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(clamped[i].at(0), 0, 1e-15);
        EXPECT_NEAR(clamped[i].derivative().at(1), 0, 1e-14);
        EXPECT_NEAR(free[i].derivative().at(0), 0, 1e-15);
        EXPECT_NEAR(free[i].derivative().at(1), 0, 1e-14);
        EXPECT_NEAR(free[i].between(0, 1), 0, 1e-15);
        EXPECT_NEAR(held[i].at(1), 0, 1e-14);
    }
}

}  // namespace
}  // namespace linkwright::flex
