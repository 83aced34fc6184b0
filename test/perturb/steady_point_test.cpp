#include "linkwright/perturb/steady_point.hpp"

#include <gtest/gtest.h>

#include <random>

#include "linkwright/perturb/steady_search.hpp"
#include "perturb/hand_made_forms.hpp"

namespace linkwright::perturb {
namespace {

/// Ω = ω₁ + ω₂ + 0.01
ModalForm<double> combination() {
    auto form = modal_form({1, 1.7}, 3, 2.71);
    put(form, 0, 0.02, {2}), put(form, 1, 0.04, {3}), put(form, 0, 0.2, {0, 0, 0}), put(form, 1, 0.2, {1, 1, 1});
    put_cos(form, 0, 0.1, {1}), put_cos(form, 1, 0.1, {0});
    return form;
}

Eigen::VectorXcd two(std::complex<double> B1, std::complex<double> B2) {
    Eigen::VectorXcd B(2);
    B << B1, B2;
    return B;
}

TEST(SteadyPoint, TurnsKeepEveryRelationWhateverMoves) {
    const SlowFlow flow(multiple_scales(combination()));
    EXPECT_NEAR(flow.frame().sum(), 2.71, 1e-12);
    for (const auto& B : {two(1, 1), two(1, 0), two(0, 1), two(1, 1e-12)}) {
        const MatrixXd turns = turns_of(flow, B);
        ASSERT_EQ(turns.cols(), 1);
        EXPECT_NEAR(turns.col(0).sum(), 0, 1e-12);
        EXPECT_NEAR(turns.col(0).norm(), 1, 1e-12);
    }
    EXPECT_EQ(turns_of(flow, two(0, 0)).cols(), 0);
}

TEST(SteadyPoint, IsCheckedModeByModeAndInItsTurningRates) {
    const SlowFlow flow(multiple_scales(combination()));
    SteadyPoint at{two(0.3, 0.2), VectorXd::Zero(2)};
    ASSERT_TRUE(settle(flow, at));
    EXPECT_NEAR(at.spin.sum(), 0, 1e-12);
    EXPECT_TRUE(is_steady(flow, at));
    for (const Eigen::Index k : {0, 1}) {
        SteadyPoint off = at;
        off.B[k] *= 1 + 1e-6;
        EXPECT_FALSE(is_steady(flow, off));
        off = at;
        off.B[k] = 0;
        EXPECT_FALSE(is_steady(flow, off));
    }
    // Turning rates that the relation forbids do not help, however the amplitudes are chosen: here those of a smaller motion.
    SteadyPoint false_one = at;
    false_one.B = at.B / 2;
    const Eigen::VectorXcd rate = flow.rate(false_one.B);
    for (const Eigen::Index k : {0, 1}) false_one.spin[k] = (rate[k] / false_one.B[k]).imag();
    for (const Eigen::Index k : {0, 1})
        EXPECT_NEAR(std::abs(rate[k] / false_one.B[k] - std::complex<double>(0, false_one.spin[k])), 0, 1e-12);
    EXPECT_FALSE(is_steady(flow, false_one));
}

TEST(SteadyPoint, ModesComeToRestOnlyWhereNothingDrivesThem) {
    auto form = modal_form({1, 2}, 2, 1);
    put(form, 0, 0.1, {2}), put(form, 1, 0.1, {3}), put(form, 0, 0.3, {0, 1}), put(form, 1, 0.3, {0, 0}), put_cos(form, 0, -0.1, {});
    const SlowFlow driven(multiple_scales(form));
    EXPECT_EQ(rested(driven, two(1, 1e-12), 0), two(1, 1e-12));  // by η₁²
    form.terms[0].pop_back(), form.terms[0].pop_back();
    form.Omega = form.Omega_value = 0;
    const SlowFlow free(multiple_scales(form));
    EXPECT_EQ(rested(free, two(1e-12, 1), 0), two(0, 1));
    EXPECT_EQ(rested(free, two(1e-8, 1), 0), two(1e-8, 1));
    EXPECT_EQ(rested(free, two(1e-8, 1), 1e-7), two(0, 1));
}

TEST(SteadyStates, OfAFamilyOnlyItsEndIsListed) {
    // An oscillator of van der Pol's, and beside it one that nothing damps: each of its amplitudes is steady, and rest is listed.
    auto form = modal_form({1, 1.6}, 3);
    put(form, 0, -0.1, {2}), put(form, 0, 0.1, {0, 0, 2}), put(form, 1, 0.2, {1, 1, 1});
    const auto states = steady_states(multiple_scales(form));
    ASSERT_EQ(states.size(), 2U);
    EXPECT_TRUE(states[0].a.isZero(0));
    EXPECT_NEAR(states[1].a[0], 2, 1e-9);
    EXPECT_EQ(states[1].a[1], 0);
    EXPECT_TRUE(states[1].is_stable);
}

TEST(SteadyStates, ManyMoreStartsFindNothingNew) {
    // Two modes at 1:1 with all cubic terms, some self-excited and some shaken at twice their frequency: narrow basins.
    std::mt19937 random(7);
    const auto between = [&](double a, double b) { return a + (b - a) * static_cast<double>(random()) / 4294967296.0; };
    std::size_t most = 0;
    for (int trial = 0; trial < 8; ++trial) {
        const bool is_free = trial % 2 == 0;
        auto form = modal_form({1, 1.02}, 3, is_free ? 0 : 2.02);
        for (const std::size_t k : {0U, 1U}) {
            put(form, k, (is_free ? -1 : 1) * between(0.005, 0.03), {2 + k});
            if (is_free) put(form, k, between(0.05, 0.2), {k, k, 2 + k});
            for (const std::size_t j : {0U, 1U})
                if (!is_free) put_cos(form, k, between(0.05, 0.2), {j});
            for (const auto& cube : {std::vector<std::size_t>{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1}})
                put(form, k, between(-0.2, 0.3), cube);
        }
        const auto scales = multiple_scales(form);
        ASSERT_TRUE(scales.is_ok) << scales.why;
        const SlowFlow flow(scales);
        const BalancedFlow balanced(flow);
        const auto listed = search(scales, flow);
        most = std::max(most, listed.size());
        for (const auto& at : listed) EXPECT_TRUE(is_steady(flow, at));
        const double low = balanced.sizes().front() / 4, high = 2 * balanced.sizes().back();
        for (int start = 0; start < 800; ++start) {
            SteadyPoint at{Eigen::VectorXcd(2), VectorXd::Zero(2)};
            for (const Eigen::Index k : {0, 1})
                at.B[k] = std::polar(balanced.units()[k] * low * std::pow(high / low, between(0, 1)), between(0, 2 * std::numbers::pi));
            if (!balanced.settle(at) || at.B.isZero(0) || !balanced.is_isolated(at) || !is_within_series(scales, at.B)) continue;
            EXPECT_TRUE(std::ranges::any_of(listed, [&](const SteadyPoint& p) { return are_alike(flow, p.B, at.B); })) << at.B.transpose();
        }
    }
    EXPECT_GE(most, 3U);
}

}  // namespace
}  // namespace linkwright::perturb
