#include "linkwright/flex/exponential_polynomial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "flex/quadrature.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::flex {
namespace {

using F = ExponentialPolynomial<double>;

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11) * 0x1p-53; }
    F function() {
        F f;
        for (int n = 0; n < 4; ++n) {
            const int k = static_cast<int>(engine_() % 4);
            const double a = engine_() % 3 == 0 ? 0 : between(-6, 6), b = engine_() % 3 == 0 ? 0 : between(0, 9);
            f += F({{.k = k, .a = a, .b = b, .s = -std::max(a, 0.0), .p = between(-1, 1), .q = between(-1, 1)}});
        }
        return f;
    }

private:
    std::mt19937_64 engine_;
};

TEST(ExponentialPolynomial, AlgebraIsThatOfValues) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        const F f = random.function(), g = random.function();
        const double x = random.between(0, 1);
        EXPECT_NEAR((f + g).at(x), f.at(x) + g.at(x), 1e-14);
        EXPECT_NEAR((f * g).at(x), f.at(x) * g.at(x), 1e-13);
        EXPECT_NEAR((2.5 * f).at(x), 2.5 * f.at(x), 1e-14);
    }
}

TEST(ExponentialPolynomial, DerivativesAndIntegralsAreInverse) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        Random random(seed);
        const F f = random.function();
        const double x = random.between(0, 1), h = 1e-5;
        EXPECT_NEAR(f.derivative().at(x), (f.at(x + h) - f.at(x - h)) / (2 * h), 1e-6) << "seed " << seed;
        EXPECT_NEAR(f.integral().derivative().at(x), f.at(x), 1e-11) << "seed " << seed;
        EXPECT_NEAR(f.integral().at(0), 0, 1e-12);
    }
}

TEST(ExponentialPolynomial, IntegralsAgreeWithQuadrature) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Random random(seed);
        const F f = random.function(), g = random.function();
        const double from = random.between(0, 0.5), to = random.between(0.5, 1);
        const double exact = test::integrate([&](double x) { return f.at(x) * g.at(x); }, from, to);
        EXPECT_NEAR((f * g).between(from, to), exact, 1e-11) << "seed " << seed;
    }
}

/// Over expressions the same functions come out, and limits can be differentiated: d/da ∫₀ᵃ f = f(a).
TEST(ExponentialPolynomial, OverExpressions) {
    sym::Pool pool;
    const sym::PoolScope scope(pool);
    using E = ExponentialPolynomial<sym::Expr>;
    const sym::Expr a = sym::symbol("a"), beta = sym::symbol("beta");
    const E f = E::wave(beta, 1, 2) * E::exponential(-beta, 0, 3) + E::monomial(2, beta);
    const sym::Expr until = f.between(0, a), slope = derivative(until, a);
    const auto at = [&](const sym::Expr& e) { return sym::evaluate<double>(e, [&](const sym::Expr& s) { return s == a ? 0.7 : 1.9; }); };
    const F number = F::wave(1.9, 1, 2) * F::exponential(-1.9, 0, 3) + F::monomial(2, 1.9);
    EXPECT_NEAR(at(until), number.between(0, 0.7), 1e-14);
    EXPECT_NEAR(at(slope), number.at(0.7), 1e-14);
    EXPECT_EQ((E::wave(beta, 0, 1) * E::wave(beta, 0, 1)).terms().size(), 2u) << "½ − ½ cos 2βξ: what does not wave is seen";
}

}  // namespace
}  // namespace linkwright::flex
