#include "linkwright/perturb/modulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "perturb/hand_made_forms.hpp"

namespace linkwright::perturb {
namespace {

using testing::HasSubstr;

TEST(Modulation, PolarFormOfTheSpringPendulum) {
    const double l = 1.7, w2 = 1.1;
    const auto polar = polar_form(multiple_scales(spring_pendulum(l, 2 * w2 + 0.01, w2), {.order = 1}));
    ASSERT_EQ(polar.amplitude[0].size(), 1U);
    ASSERT_EQ(polar.amplitude[1].size(), 1U);
    const auto& a1 = polar.amplitude[0][0];
    const auto& a2 = polar.amplitude[1][0];
    // γ = 2β2 − β1 − σt, here as β1 − 2β2 + (ω1 − 2ω2)t
    EXPECT_THAT(a1.phases, testing::ElementsAre(1, -2));
    EXPECT_THAT(a1.powers, testing::ElementsAre(0, 2));
    EXPECT_THAT(a2.powers, testing::ElementsAre(1, 1));
    EXPECT_TRUE(a1.is_sine);
    EXPECT_NEAR(a1.coefficient, 3 * l * w2 / 16, 1e-14);    // −(3lω2²/8ω1) a2² sin γ
    EXPECT_NEAR(a2.coefficient, -3 * w2 / (4 * l), 1e-14);  // (3ω2/4l) a1 a2 sin γ
    ASSERT_EQ(polar.phase[0].size(), 1U);
    EXPECT_FALSE(polar.phase[0][0].is_sine);
    EXPECT_NEAR(polar.phase[0][0].coefficient, 3 * l * w2 / 16, 1e-14);
    EXPECT_NEAR(polar.phase[1][0].coefficient, 3 * w2 / (4 * l), 1e-14);
}

TEST(Modulation, BackbonesInFirstHarmonicAndReach) {
    const auto duff = backbones(multiple_scales(duffing(1, 1, 0, 0, 0, 5)));
    ASSERT_EQ(duff.size(), 1U);
    ASSERT_TRUE(duff[0].exists);
    EXPECT_NEAR(duff[0].coefficients.at(2), 3.0 / 8, 1e-14);
    EXPECT_NEAR(duff[0].coefficients.at(4), -15.0 / 256, 1e-14);
    EXPECT_NEAR(duff[0].in_reach.at(2), 3.0 / 8, 1e-14);
    EXPECT_NEAR(duff[0].in_reach.at(4), -21.0 / 256, 1e-14);
    const auto pend = backbones(multiple_scales(pendulum(1, 5)));
    EXPECT_NEAR(pend[0].in_reach.at(2), -1.0 / 16, 1e-14);
    EXPECT_NEAR(pend[0].in_reach.at(4), 1.0 / 3072, 1e-14);
    // A spring that is stiffer one way: ω2 = −5α²/12ω0³ [nayfeh79]
    auto f = modal_form({1}, 3);
    put(f, 0, 0.3, {0, 0});
    EXPECT_NEAR(backbones(multiple_scales(f))[0].coefficients.at(2), -5 * 0.09 / 12, 1e-14);
    // With 2:1 the swing drags the bounce along; the bounce moves alone.
    const auto spring = backbones(multiple_scales(spring_pendulum(1, 2, 1)));
    EXPECT_TRUE(spring[0].exists);
    EXPECT_FALSE(spring[1].exists);
    EXPECT_THAT(spring[1].why, HasSubstr("mode 1 is dragged along"));
}

TEST(Modulation, VanDerPolSettlesAtTwo) {
    const double mu = 0.1;
    const auto states = steady_states(multiple_scales(van_der_pol(mu), {.order = 4}));
    ASSERT_EQ(states.size(), 2U);
    EXPECT_EQ(states[0].a[0], 0);
    EXPECT_FALSE(states[0].is_stable);
    EXPECT_NEAR(states[1].a[0], 2, 1e-10);
    EXPECT_TRUE(states[1].is_stable);
    EXPECT_NEAR(states[1].frequencies[0], 1 - mu * mu / 16, 1e-10);
    EXPECT_NEAR(states[1].exponents.back().real(), -mu, 1e-4);
}

TEST(Modulation, DuffingPrimaryResonanceCurve) {
    const double w0 = 2, al = 0.5, mu = 0.01, k = 0.03;
    const double s_peak = 3 * al * k * k / (32 * w0 * w0 * w0 * mu * mu), a_peak = k / (2 * mu * w0);
    const auto curve = [&](double a, double s) {
        return (mu * mu + std::pow(s - 3 * al * a * a / (8 * w0), 2)) * a * a - k * k / (4 * w0 * w0);
    };
    // Three states where the curve bends over, the middle one unstable.
    const auto three = steady_states(multiple_scales(duffing(w0, al, mu, k, w0 + 0.8 * s_peak)));
    ASSERT_EQ(three.size(), 3U);
    for (const auto& s : three) EXPECT_NEAR(curve(s.a[0], 0.8 * s_peak), 0, 1e-15);
    EXPECT_TRUE(three[0].is_stable);
    EXPECT_FALSE(three[1].is_stable);
    EXPECT_TRUE(three[2].is_stable);
    const auto peak = steady_states(multiple_scales(duffing(w0, al, mu, k, w0 + s_peak)));
    EXPECT_NEAR(peak.back().a[0], a_peak, 1e-6);

    const auto response = frequency_response(duffing(w0, al, mu, k, 2), {}, 1.9, 2.2, 120);
    ASSERT_EQ(response.branches.size(), 1U) << testing::PrintToString(response.notes);
    const auto& branch = response.branches[0];
    EXPECT_NEAR(branch.states.front().Omega, 1.9, 1e-12);
    EXPECT_NEAR(branch.states.back().Omega, 2.2, 1e-12);
    double highest = 0;
    // Along Ω nothing is expanded in the detuning: (4μ²Ω² + (ω² − Ω² + ¾αa²)²) a² = k².
    for (const auto& s : branch.states) {
        const double W = s.Omega, stiff = w0 * w0 - W * W + 0.75 * al * s.a[0] * s.a[0];
        EXPECT_NEAR((4 * mu * mu * W * W + stiff * stiff) * s.a[0] * s.a[0], k * k, 1e-7 * k * k);
        highest = std::max(highest, s.a[0] * s.Omega / w0);
    }
    EXPECT_NEAR(highest, a_peak, 0.01);
    EXPECT_GE(branch.folds.size(), 2U);
}

TEST(Modulation, SubharmonicsStandApart) {
    const double w0 = 1, al = 1, mu = 0.002, k = 1, W = 3.09;
    const auto states = steady_states(multiple_scales(duffing(w0, al, mu, k, W)));
    // At rest, and two amplitudes of the third part [nayfeh79 §4.1]: 9μ² + (σ − 9αΛ²/ω0 − 9αa²/8ω0)² = 81α²Λ²a²/16ω0²
    ASSERT_EQ(states.size(), 3U);
    const double L = k / (2 * (w0 * w0 - 9 * w0 * w0)), s = W - 3 * w0;
    for (const auto& state : {states[1], states[2]}) {
        const double a = state.a[0];
        EXPECT_NEAR(9 * mu * mu + std::pow(s - 9 * al * L * L / w0 - 9 * al * a * a / (8 * w0), 2),
                    81 * al * al * L * L * a * a / (16 * w0 * w0), 1e-12);
    }
    EXPECT_TRUE(states[0].is_stable);
    EXPECT_FALSE(states[1].is_stable);
    EXPECT_TRUE(states[2].is_stable);
}

TEST(Modulation, SpringPendulumKeepsItsInvariantAndGrowsFromBounce) {
    const double l = 1.3, w2 = 1, w1 = 2;
    const auto m = multiple_scales(spring_pendulum(l, w1, w2), {.order = 1});
    std::vector<double> times;
    for (int i = 0; i <= 100; ++i) times.push_back(10.0 * i);
    const auto slow = modulate(m, Eigen::Vector2cd(0.01, std::complex<double>(0.0002, 0.0001)), times);
    ASSERT_TRUE(slow.is_ok) << slow.why;
    ASSERT_EQ(slow.A.size(), times.size());
    const auto invariant = [&](const Eigen::VectorXcd& A) { return 4 * std::norm(A[0]) + l * l * std::norm(A[1]); };
    double largest = 0;
    for (const auto& A : slow.A) {
        EXPECT_NEAR(invariant(A), invariant(slow.A[0]), 1e-8 * invariant(slow.A[0]));
        largest = std::max(largest, std::abs(A[1]));
    }
    EXPECT_GT(largest, 0.01);
    // Pure bounce of amplitude a1: θ grows with 3ω2a1/4l.
    const double a1 = 0.02;
    std::vector<double> few{0, 200, 300};
    const auto grow = modulate(m, Eigen::Vector2cd(a1 / 2, 1e-8), few);
    ASSERT_EQ(grow.A.size(), 3U);
    EXPECT_NEAR(std::log(std::abs(grow.A[2][1]) / std::abs(grow.A[1][1])) / 100, 3 * w2 * a1 / (4 * l), 2e-4);
}

TEST(Modulation, TheForcedModeSaturates) {
    // ω1 = 2ω2, force on mode 1 at Ω = ω1: beyond a threshold a1 stays and a2 takes all [nayfeh79]. To first order, with damping 2μ:
    // a1 = μ2·4l/(3ω2) whatever the force, and a2² grows linearly with it.
    const double l = 1.3, w2 = 1, mu = 0.01;
    const auto at = [&](double k) {
        auto f = spring_pendulum(l, 2 * w2, w2);
        f.Omega = f.Omega_value = 2 * w2;
        put(f, 0, 2 * mu, {2});
        put(f, 1, 2 * mu, {3});
        put_cos(f, 0, -k, {});
        return steady_states(multiple_scales(f, {.order = 1}));
    };
    const double a1 = mu * 4 * l / (3 * w2);
    const double threshold = a1 * 2 * mu * 2 * w2;  // a1 of the linear motion: k/(2μω1)
    const auto below = at(0.8 * threshold);
    ASSERT_EQ(below.size(), 1U);
    EXPECT_NEAR(below[0].a[0], 0.8 * a1, 1e-12);
    EXPECT_TRUE(below[0].is_stable);
    std::array<double, 2> swing{};
    for (const int i : {0, 1}) {
        const auto above = at((i + 2) * threshold);
        ASSERT_EQ(above.size(), 2U);
        const auto& pure = above[0].a[1] == 0 ? above[0] : above[1];
        const auto& both = above[0].a[1] == 0 ? above[1] : above[0];
        EXPECT_NEAR(pure.a[0], (i + 2) * a1, 1e-12);
        EXPECT_FALSE(pure.is_stable);
        EXPECT_NEAR(both.a[0], a1, 1e-12);
        EXPECT_TRUE(both.is_stable);
        swing[i] = both.a[1] * both.a[1];
    }
    EXPECT_NEAR(swing[1] / swing[0], 2, 1e-9);
}

TEST(Modulation, ParametricTongueOpensAndBends) {
    // A damped, hardening oscillator shaken at 2ω: rest is unstable inside the tongue, a branch of large motion leaves it.
    const double mu = 0.01, q = 0.1;
    const auto at = [&](double W) {
        auto f = duffing(1, 1, mu, 0, W);
        put_cos(f, 0, q, {0});
        return f;
    };
    // Ḃ = −μB + i(q/4)B̄ …: |σ/2| < √(q²/16 − μ²)
    const double half = 2 * std::sqrt(q * q / 16 - mu * mu);
    EXPECT_FALSE(steady_states(multiple_scales(at(2 + 0.99 * half)))[0].is_stable);
    EXPECT_TRUE(steady_states(multiple_scales(at(2 + 1.01 * half)))[0].is_stable);
    EXPECT_TRUE(steady_states(multiple_scales(at(2 - 1.01 * half)))[0].is_stable);
    const auto response = frequency_response(at(2), {}, 1.9, 2.2, 100);
    ASSERT_GE(response.branches.size(), 2U);
}

}  // namespace
}  // namespace linkwright::perturb
