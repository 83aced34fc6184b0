// The table of perturb --response, row by row against motions that were simulated until they were steady: near resonances, far from
// them, and between.

#include <gmock/gmock.h>

#include "hand_made_forms.hpp"
#include "linkwright/perturb/modulation.hpp"
#include "linkwright/perturb/scales_linear.hpp"

namespace linkwright::perturb {
namespace {

using testing::Contains, testing::HasSubstr, testing::Not;

/// Largest |η| of each mode after everything that decays has decayed.
VectorXd simulated_reach(const ModalForm<double>& form, double damping) {
    const auto n = static_cast<Eigen::Index>(form.omega.size());
    const double settled = 14 / damping, period = 2 * std::numbers::pi / form.Omega_value;
    std::vector<double> times{0};
    for (int i = 0; i <= 400; ++i) times.push_back(settled + 4 * period * i / 400);
    const auto rows = integrate_form(form, VectorXd::Zero(2 * n), times, 1e-8);
    VectorXd reach = VectorXd::Zero(n);
    for (std::size_t i = 1; i < rows.size(); ++i) reach = reach.cwiseMax(rows[i].head(n).cwiseAbs());
    return reach;
}

/// Reaches of the stable states that the table has at Ω.
std::vector<VectorXd> told_reaches(const FrequencyResponse& response, double Omega) {
    std::vector<VectorXd> all;
    for (const auto& b : response.branches) {
        for (std::size_t i = 0; i + 1 < b.states.size(); ++i) {
            const auto &x = b.states[i], &y = b.states[i + 1];
            if ((x.Omega - Omega) * (y.Omega - Omega) > 0 || x.Omega == y.Omega || !x.is_stable || !y.is_stable) continue;
            all.push_back(x.reaches + (Omega - x.Omega) / (y.Omega - x.Omega) * (y.reaches - x.reaches));
        }
    }
    return all;
}

/// One of the stable states is the simulated one, to within this part of it.
void expect_told(const FormAt& form, const FrequencyResponse& response, const std::vector<double>& at, double damping, double tolerance) {
    for (const double Omega : at) {
        const VectorXd simulated = simulated_reach(form(Omega), damping);
        double best = INFINITY;
        std::ostringstream all;
        for (const VectorXd& told : told_reaches(response, Omega)) {
            best = std::min(best, (told - simulated).lpNorm<Eigen::Infinity>() / simulated.maxCoeff());
            all << "; " << told.transpose();
        }
        EXPECT_LT(best, tolerance) << "at " << Omega << ", simulated " << simulated.transpose() << ", told" << all.str();
    }
}

FormAt at_any(const ModalForm<double>& form) {
    return [form](double Omega) {
        auto f = form;
        f.Omega = f.Omega_value = Omega;
        return f;
    };
}

TEST(ResponseTable, DuffingIsRightAtEveryFrequency) {
    const auto form = duffing(1, 0.3, 0.05, 0.1, 1);
    const auto response = frequency_response(form, {}, 0.15, 4, 400);
    expect_told(at_any(form), response, {0.16, 0.22, 0.3, 0.34, 0.38, 0.5, 0.7, 0.9, 1.1, 1.3, 1.7, 2.2, 2.8, 3.0, 3.3, 3.9}, 0.05, 0.01);
}

TEST(ResponseTable, AStrongForceTooFarFromResonanceIsRight) {  // there the answer used to be half of what it is
    const auto form = duffing(1, 0.3, 0.05, 0.3, 1);
    const auto response = frequency_response(form, {}, 0.5, 2.5, 300);
    expect_told(at_any(form), response, {0.5, 0.6, 1.5, 1.7, 2.0, 2.5 - 1e-9}, 0.05, 0.01);
}

TEST(ResponseTable, UnsymmetricRestoringForce) {
    auto form = duffing(1, 0.2, 0.05, 0.1, 1);
    put(form, 0, 0.3, {0, 0});
    const auto response = frequency_response(form, {}, 0.2, 3.5, 400);
    expect_told(at_any(form), response, {0.25, 0.34, 0.45, 0.5, 0.56, 0.75, 1.3, 1.6, 1.9, 2.05, 2.4, 3.2}, 0.05, 0.02);
}

TEST(ResponseTable, TwoModes) {
    auto form = modal_form({1, 2.4}, 3, 1);
    for (const std::size_t k : {0U, 1U}) put(form, k, 0.1, {2 + k}), put_cos(form, k, k == 0 ? -0.05 : -0.1, {});
    put(form, 0, 0.4, {0, 1, 1}), put(form, 1, 0.4, {0, 0, 1}), put(form, 0, 0.2, {0, 0, 0});
    const auto response = frequency_response(form, {}, 0.5, 3.2, 300);
    expect_told(at_any(form), response, {0.55, 0.8, 1.15, 1.4, 1.7, 2.0, 2.3, 2.5, 2.8, 3.1}, 0.05, 0.02);
}

TEST(ResponseTable, AForceThatGrowsWithItsFrequency) {
    const FormAt form = [](double Omega) { return duffing(1, 0.3, 0.05, 0.05 * Omega * Omega, Omega); };
    const auto response = frequency_response(form, {}, 0.4, 3, 300);
    expect_told(form, response, {0.5, 0.8, 1.2, 1.7, 2.6}, 0.05, 0.01);
}

TEST(ResponseTable, AWeakTongueBesideAPole) {  // Ω = ω parametric, of the second order; 2 Ω = ω on the way is none of its own
    auto form = modal_form({1}, 3, 1);
    put(form, 0, 0.01, {1}), put(form, 0, 0.2, {0, 0, 0}), put_cos(form, 0, 0.3, {0});
    const auto response = frequency_response(form, {}, 0.3, 1.4, 60);
    EXPECT_THAT(response.notes, Contains(HasSubstr("Ω = ω1, parametric, fundamental")));
    double highest = 0;
    for (const auto& b : response.branches)
        for (const auto& s : b.states) highest = std::max(highest, s.a[0]);
    EXPECT_GT(highest, 0.1);
}

TEST(ResponseTable, HasEveryStateAtTheEdgesOfItsRange) {
    // Ranges that end, or begin, where Duffing's curve has three answers: (4μ²Ω² + (ω² − Ω² + ¾αa²)²) a² = k².
    const double w = 2, al = 0.5, mu = 0.01, k = 0.03;
    std::size_t most = 0;
    for (const auto& [from, until] : {std::pair{1.9, 2.04}, {2.04, 2.2}, {2.035, 2.045}}) {
        const auto response = frequency_response(duffing(w, al, mu, k, 2), {}, from, until, 80);
        for (const double edge : {from, until}) {
            std::vector<double> expected, told;
            const auto gap = [&](double a) {
                const double stiff = w * w - edge * edge + 0.75 * al * a * a;
                return (4 * mu * mu * edge * edge + stiff * stiff) * a * a - k * k;
            };
            for (double a = 1e-4; a < 1.5; a += 1e-4)
                if (gap(a) * gap(a + 1e-4) < 0) expected.push_back(a);
            for (const auto& b : response.branches)
                for (const auto& s : b.states)
                    if (std::abs(s.Omega - edge) < 1e-9) told.push_back(s.a[0]);
            std::ranges::sort(told);
            most = std::max(most, expected.size());
            ASSERT_EQ(told.size(), expected.size()) << edge << " of " << from << " to " << until;
            for (std::size_t i = 0; i < told.size(); ++i) EXPECT_NEAR(told[i], expected[i], 2e-4);
        }
    }
    EXPECT_EQ(most, 3U);
}

TEST(ResponseTable, ACombinationResonanceHasThreeBranches) {
    auto form = modal_form({1, 1.7}, 3, 2.7);
    put(form, 0, 0.02, {2}), put(form, 1, 0.04, {3}), put(form, 0, 0.2, {0, 0, 0}), put(form, 1, 0.2, {1, 1, 1});
    put_cos(form, 0, 0.1, {1}), put_cos(form, 1, 0.1, {0});
    const auto response = frequency_response(form, {}, 2.5, 2.9, 100);
    // Rest, and from either edge of the tongue one that bends to the right; the one from the left is stable.
    ASSERT_EQ(response.branches.size(), 3U);
    std::size_t rows = 0;
    const double half = 1.5 * std::sqrt(0.1 * 0.1 / (4 * 1.7) - 0.02 * 0.04) / std::sqrt(2.0);  // (c₁ + c₂)/2√(c₁c₂) · √(h²/4ω₁ω₂ − c₁c₂)
    for (const auto& b : response.branches) {
        rows += b.states.size();
        const double begin = b.states.front().Omega;
        for (const auto& s : b.states) {
            if (s.a.isZero(0)) continue;
            EXPECT_NEAR(s.frequencies.sum(), s.Omega, 1e-9);
            EXPECT_NEAR(s.a[1] / s.a[0], std::sqrt(1 / (2 * 1.7)), 0.05);
            EXPECT_EQ(s.is_stable, begin < 2.7) << s.Omega;
        }
        if (!b.states.back().a.isZero(0)) EXPECT_NEAR(std::abs(begin - 2.7), half, 0.002);
    }
    EXPECT_LT(rows, 400U);
}

TEST(ResponseTable, OnlyResonancesThatActAreNamed) {
    const auto response = frequency_response(duffing(1, 0.3, 0.05, 0.1, 1), {}, 0.2, 4, 100);
    EXPECT_THAT(response.notes, Contains(HasSubstr("Ω = ω1, primary")));
    EXPECT_THAT(response.notes, Contains(HasSubstr("3 Ω = ω1, superharmonic")));
    EXPECT_THAT(response.notes, Not(Contains(HasSubstr("2 Ω = ω1"))));
    EXPECT_THAT(response.notes, Not(Contains(HasSubstr("Ω = 2 ω1"))));
}

/// η̈₁ − 2Wη̇₂ + ω²η₁ = 0, η̈₂ + 2Wη̇₁ + ω²η₂ = 0: λ = i(√(ω² + W²) ± W)
ModalForm<double> turntable(double W) {
    auto form = modal_form({1, 1}, 3);
    put(form, 0, -2 * W, {3});
    put(form, 1, 2 * W, {2});
    put(form, 0, 0.1, {0, 0, 0});
    return form;
}

TEST(LinearPart, GyroscopicCouplingIsSeenToItsSecondOrder) {
    const auto scales = multiple_scales(turntable(0.25));
    ASSERT_TRUE(scales.is_ok) << scales.why;
    EXPECT_EQ(scales.damping, 1U);
    EXPECT_LT(linear_gap(turntable(0.25), scales), 2e-3);
    EXPECT_EQ(multiple_scales(turntable(0.01)).damping, 2U);
    // With its first order alone the frequencies are 3 % off, and that is said.
    const auto weak = multiple_scales(turntable(0.25), ScalesOptions{.damping = 2});
    EXPECT_THAT(weak.notes, Contains(testing::Field(&ScalesNote::text, HasSubstr("not small"))));
}

TEST(LinearPart, TooStrongIsRefused) {
    const auto fast = multiple_scales(turntable(1));
    EXPECT_FALSE(fast.is_ok);
    EXPECT_THAT(fast.why, HasSubstr("not small"));
    EXPECT_FALSE(multiple_scales(duffing(1, 1, 2.5)).is_ok);
    EXPECT_THAT(multiple_scales(duffing(1, 1, 0.05)).notes, Not(Contains(testing::Field(&ScalesNote::text, HasSubstr("not small")))));
}

}  // namespace
}  // namespace linkwright::perturb
