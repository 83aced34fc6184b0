// A cantilever with a mass at its tip: wave numbers against tables, end conditions, orthogonality, and the root as a function of the mass.

#include <gtest/gtest.h>

#include <cmath>

#include "linkwright/flex/shapes.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::flex {
namespace {

using sym::Expr;

double number(const Expr& e) {
    return sym::evaluate<double>(e, [](const Expr&) { return std::nan(""); });
}

TEST(ClampedMass, WaveNumbersOfBooks) {  // [blevins79 table 8-8]
    const std::vector<std::pair<double, std::vector<double>>> table{{0, {1.87510406871196, 4.69409113297417, 7.85475743823761}},
                                                                    {0.1, {1.72274152059326, 4.39952281615601, 7.4510566733039}},
                                                                    {1, {1.24791740960647, 4.03113943671496, 7.13413224093975}},
                                                                    {10, {0.735781919389651, 3.93846583325181, 7.0756163670317}}};
    for (const auto& [eta, roots] : table) {
        const auto found = clamped_mass_wave_numbers(eta, 0, 3);
        ASSERT_EQ(found.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(found[i], roots[i], 1e-12) << eta;
    }
}

TEST(ClampedMass, EndConditionsAndOrthogonality) {
    sym::Pool pool;
    const sym::PoolScope scope(pool);
    for (const auto& [eta, tau] : {std::pair(0.3, 0.0), std::pair(0.3, 0.02), std::pair(2.0, 0.5)}) {
        std::vector<ExponentialPolynomial<Expr>> shapes;
        const auto betas = clamped_mass_wave_numbers(eta, tau, 3);
        for (const double beta : betas) {
            const auto f = clamped_mass_shape(beta, eta), d = f.derivative(), dd = d.derivative(), ddd = dd.derivative();
            const double b4 = std::pow(beta, 4);
            EXPECT_NEAR(number(f.at(0)), 0, 1e-14);
            EXPECT_NEAR(number(d.at(0)), 0, 1e-13 * beta);
            EXPECT_NEAR(number(dd.at(1)), tau * b4 * number(d.at(1)), 1e-10 * b4);
            EXPECT_NEAR(number(ddd.at(1)), -eta * b4 * number(f.at(1)), 1e-10 * b4);
            shapes.push_back(f);
        }
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const double sum = number((shapes[i] * shapes[j]).between(0, 1)) + eta * number(shapes[i].at(1)) * number(shapes[j].at(1)) +
                                   tau * number(shapes[i].derivative().at(1)) * number(shapes[j].derivative().at(1));
                EXPECT_NEAR(sum, 0, 1e-11) << eta << ' ' << tau << ' ' << i << j;
            }
        }
    }
}

TEST(ClampedMass, TheRootFollowsTheMass) {
    sym::Pool pool;
    const sym::PoolScope scope(pool);
    const Expr eta = sym::symbol("eta"), tau = sym::symbol("tau");
    const auto start = clamped_mass_wave_numbers(1, 0.1, 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const Expr beta = clamped_mass_wave_number(eta, tau, start[i]);
        const auto at = [&](double e, double t, const Expr& x) {
            return sym::evaluate<double>(x, [&](const Expr& s) { return s == eta ? e : t; });
        };
        for (const double e : {0.5, 1.0, 2.0}) EXPECT_NEAR(at(e, 0.1, beta), clamped_mass_wave_numbers(e, 0.1, 2)[i], 1e-12) << e;
        const double h = 1e-5,
                     difference = (clamped_mass_wave_numbers(1 + h, 0.1, 2)[i] - clamped_mass_wave_numbers(1 - h, 0.1, 2)[i]) / (2 * h);
        EXPECT_NEAR(at(1, 0.1, sym::derivative(beta, eta)), difference, 1e-8);
    }
}

}  // namespace
}  // namespace linkwright::flex
