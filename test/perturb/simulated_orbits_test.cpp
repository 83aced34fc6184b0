// Steady states against the full equations, which are written here once more by hand: all periodic orbits by shooting from a dense grid of
// starts, quasi-periodic ones by waiting. As many as are listed, each where it is listed up to an error that halves with ε, and stable alike.

#include <gtest/gtest.h>

#include <array>

#include "linkwright/perturb/modulation.hpp"
#include "perturb/hand_made_forms.hpp"

namespace linkwright::perturb {
namespace {

using std::numbers::pi;

template <std::size_t n>
using Place = std::array<double, n>;

/// Runge's and Kutta's method of order four. `rate(t, x)` gives ẋ.
template <std::size_t n, class Rate>
Place<n> carried(const Rate& rate, Place<n> x, double from, double until, int steps, double* farthest = nullptr) {
    const double h = (until - from) / steps;
    for (int s = 0; s < steps; ++s) {
        const double t = from + s * h;
        Place<n> total{}, at = x;
        constexpr std::array<double, 4> before{0, 0.5, 0.5, 1}, weight{1, 2, 2, 1};
        Place<n> k{};
        for (std::size_t stage = 0; stage < 4; ++stage) {
            for (std::size_t j = 0; j < n; ++j) at[j] = x[j] + h * before[stage] * k[j];
            k = rate(t + h * before[stage], at);
            for (std::size_t j = 0; j < n; ++j) total[j] += weight[stage] * k[j];
        }
        for (std::size_t j = 0; j < n; ++j) x[j] += h / 6 * total[j];
        if (farthest != nullptr) *farthest = std::max(*farthest, std::abs(x[0]));
    }
    return x;
}

struct Orbit {
    std::vector<Place<2>> places;  ///< once in every period of the excitation
    bool is_stable = false;
};

/// |μ| of μ² − tr M μ + det M = 0
double largest_multiplier(const Eigen::Matrix2d& M) {
    const double half = (M(0, 0) + M(1, 1)) / 2, det = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0), inside = half * half - det;
    return inside > 0 ? std::abs(half) + std::sqrt(inside) : std::sqrt(det);
}

/// One oscillator that is excited with Ω: orbits that close after so many periods.
template <class Acceleration>
class Shooting {
public:
    Shooting(Acceleration acceleration, double Omega, int periods)
        : acceleration_(acceleration), period_(2 * pi / Omega), periods_(periods) {}

    /// All that a grid of starts leads to.
    std::vector<Orbit> orbits(double reach) const {
        std::vector<Orbit> all;
        constexpr int grid = 11;
        for (int a = 0; a < grid; ++a)
            for (int b = 0; b < grid; ++b) {
                Place<2> x{reach * (2.0 * a / (grid - 1) - 1), reach * (2.0 * b / (grid - 1) - 1)};
                Eigen::Matrix2d monodromy;
                if (!close(x, monodromy) || std::hypot(x[0], x[1]) > 1.5 * reach) continue;
                const auto is_here = [&](const Place<2>& y) { return std::hypot(y[0] - x[0], y[1] - x[1]) < 1e-5 * reach; };
                if (std::ranges::any_of(all, [&](const Orbit& o) { return std::ranges::any_of(o.places, is_here); })) continue;
                Orbit orbit;
                for (int p = 0; p < periods_; ++p) orbit.places.push_back(x), x = onward(x, 1);
                orbit.is_stable = largest_multiplier(monodromy) < 1;
                all.push_back(orbit);
            }
        return all;
    }

private:
    Place<2> onward(const Place<2>& x, int periods) const {
        const auto rate = [this](double t, const Place<2>& y) { return Place<2>{y[1], acceleration_(t, y[0], y[1])}; };
        return carried<2>(rate, x, 0, periods * period_, periods * static_cast<int>(std::ceil(period_ / 0.06)));
    }
    /// Newton's method on x(pT) = x.
    bool close(Place<2>& x, Eigen::Matrix2d& monodromy) const {
        for (int step = 0; step < 25; ++step) {
            const Place<2> end = onward(x, periods_);
            const Eigen::Vector2d gap(end[0] - x[0], end[1] - x[1]);
            if (!gap.allFinite() || std::hypot(x[0], x[1]) > 20) return false;
            for (int j : {0, 1}) {
                Place<2> y = x;
                y[j] += 1e-6;
                const Place<2> e = onward(y, periods_);
                monodromy.col(j) << (e[0] - end[0]) / 1e-6, (e[1] - end[1]) / 1e-6;
            }
            const double a = monodromy(0, 0) - 1, b = monodromy(0, 1), c = monodromy(1, 0), e = monodromy(1, 1) - 1, det = a * e - b * c;
            const Eigen::Vector2d d((b * gap[1] - e * gap[0]) / det, (c * gap[0] - a * gap[1]) / det);
            if (!d.allFinite()) return false;
            const double part = std::min(1.0, 0.5 / d.norm());
            x[0] += part * d[0], x[1] += part * d[1];
            if (d.norm() < 1e-9) return true;
        }
        return false;
    }
    Acceleration acceleration_;
    double period_;
    int periods_;
};

/// The largest distance between a listed state and its orbit; as many of one as of the other, and stable alike.
template <class Acceleration>
double expect_same(const ModalForm<double>& form, const ScalesOptions& options, Acceleration acceleration, int periods, double reach,
                   std::size_t count) {
    const auto scales = multiple_scales(form, options);
    EXPECT_TRUE(scales.is_ok) << scales.why;
    const auto listed = steady_states(scales);
    auto orbits = Shooting(acceleration, form.Omega_value, periods).orbits(reach);
    EXPECT_EQ(listed.size(), count);
    EXPECT_EQ(orbits.size(), count);
    double worst = 0;
    for (const auto& s : listed) {
        const auto m = motion_at(scales, Eigen::VectorXcd::Constant(1, std::polar(s.a[0] / 2, s.beta[0])), 0);
        const auto gap = [&](const Orbit& o) {
            double least = INFINITY;
            for (const auto& p : o.places) least = std::min(least, std::hypot(p[0] - m.eta[0], p[1] - m.eta_dot[0]));
            return least;
        };
        const auto at = std::ranges::min_element(orbits, {}, gap);
        if (at == orbits.end()) return INFINITY;
        worst = std::max(worst, gap(*at));
        EXPECT_EQ(s.is_stable, at->is_stable) << "a = " << s.a[0];
        orbits.erase(at);
    }
    return worst;
}

/// As ε is halved the error is halved too, or falls faster.
template <class ErrorAt>
void expect_convergence(ErrorAt error_at, double epsilon, double largest) {
    const double coarse = error_at(epsilon), fine = error_at(epsilon / 2);
    EXPECT_LT(fine, 0.65 * coarse);
    EXPECT_LT(fine, largest);
}

TEST(SimulatedOrbits, DuffingPrimary) {
    expect_convergence(
        [](double e) {
            const double mu = 0.05, al = 1, k = 0.3, W = 1 + 0.5 * e;
            const auto full = [=](double t, double x, double v) { return -x - e * (2 * mu * v + al * x * x * x - k * std::cos(W * t)); };
            return expect_same(duffing(1, e * al, e * mu, e * k, W), {}, full, 1, 2, 3);
        },
        0.1, 0.03);
}

TEST(SimulatedOrbits, DuffingSuperharmonic) {
    expect_convergence(
        [](double e) {
            const double mu = 0.05, al = 1, k = 0.8, W = (1 + 1.1 * e) / 3;
            const auto full = [=](double t, double x, double v) { return -x - e * (2 * mu * v + al * x * x * x) + k * std::cos(W * t); };
            return expect_same(duffing(1, e * al, e * mu, k, W), {.closeness = 0.4}, full, 1, 2, 3);
        },
        0.02, 0.2);
}

TEST(SimulatedOrbits, DuffingSubharmonic) {
    expect_convergence(
        [](double e) {
            const double mu = 0.02, al = 1, k = 4, W = 3 + 3 * e;
            const auto full = [=](double t, double x, double v) { return -x - e * (2 * mu * v + al * x * x * x) + k * std::cos(W * t); };
            return expect_same(duffing(1, e * al, e * mu, k, W), {.closeness = 0.4}, full, 3, 2, 3);
        },
        0.1, 0.1);
}

TEST(SimulatedOrbits, MathieuPrincipal) {
    for (const double sigma : {0.0, 0.6})
        expect_convergence(
            [=](double e) {
                const double mu = 0.05, al = 1, q = 0.8, W = 2 + sigma * e;
                const auto full = [=](double t, double x, double v) {
                    return -x - e * (2 * mu * v + al * x * x * x + q * std::cos(W * t) * x);
                };
                auto form = duffing(1, e * al, e * mu, 0, W);
                put_cos(form, 0, e * q, {0});
                return expect_same(form, {}, full, 2, 1.6, sigma == 0 ? 2 : 3);
            },
            0.1, 0.03);
}

TEST(SimulatedOrbits, MathieuSecondTongue) {  // x and −x are two orbits
    for (const double sigma : {0.0, 0.3})
        expect_convergence(
            [=](double e) {
                const double mu = 0.03, al = 1, q = std::sqrt(e), W = 1 + sigma * e;
                const auto full = [=](double t, double x, double v) {
                    return -x - e * (2 * mu * v + al * x * x * x) - q * std::cos(W * t) * x;
                };
                auto form = duffing(1, e * al, e * mu, 0, W);
                put_cos(form, 0, q, {0});
                return expect_same(form, {.closeness = 0.2}, full, 1, 1.2, sigma == 0 ? 3 : 5);
            },
            0.05, 0.05);
}

TEST(SimulatedOrbits, VanDerPolEntrained) {
    for (const double sigma : {0.05, 0.3})
        expect_convergence(
            [=](double e) {
                const double k = 0.5, W = 1 + sigma * e;
                const auto full = [=](double t, double x, double v) { return -x + e * ((1 - x * x) * v + k * std::cos(W * t)); };
                auto form = van_der_pol(e);
                form.Omega = form.Omega_value = W;
                put_cos(form, 0, -e * k, {});
                return expect_same(form, {}, full, 1, 2.6, sigma == 0.05 ? 3 : 1);
            },
            0.1, 0.2);
}

TEST(SimulatedOrbits, SuperharmonicOfASpringStifferOneWay) {
    expect_convergence(
        [](double e) {
            const double mu = 0.2, al = 0.5, k = 0.6, W = (1 + 0.2 * e) / 2;
            const auto full = [=](double t, double x, double v) { return -x - e * (2 * mu * v + al * x * x) + k * std::cos(W * t); };
            auto form = modal_form({1}, 2, W);
            put(form, 0, e * al, {0, 0}), put(form, 0, 2 * e * mu, {1}), put_cos(form, 0, -k, {});
            return expect_same(form, {}, full, 1, 2, 1);
        },
        0.1, 0.1);
}

/// The largest |x| after everything that decays has decayed, beside what is told.
template <class Rate>
double gap_after(const Rate& rate, const MultipleScales<double>& scales, const SteadyState& s, double until) {
    Eigen::VectorXcd A(2);
    for (const Eigen::Index k : {0, 1}) A[k] = std::polar(s.a[k] / 2, s.beta[k]);
    const auto m = motion_at(scales, A, 0);
    const Place<4> start{m.eta[0], m.eta[1], m.eta_dot[0], m.eta_dot[1]};
    const Place<4> end = carried<4>(rate, start, 0, until, static_cast<int>(until / 0.08));
    double reach = 0;
    carried<4>(rate, end, until, until + 120, 2400, &reach);
    return std::abs(reach / s.reaches[0] - 1);
}

/// Ω = ω₁ + ω₂: two frequencies, of which only the sum is known beforehand.
TEST(SimulatedOrbits, SumOfTwoFrequencies) {
    expect_convergence(
        [](double e) {
            const double w2 = 1.7, h = 0.4 * e, c = 0.08 * e, b = 0.2, W = 2.7 + 0.04 * e;
            auto form = modal_form({1, w2}, 3, W);
            put(form, 0, c, {2}), put(form, 1, 2 * c, {3}), put(form, 0, b, {0, 0, 0}), put(form, 1, b, {1, 1, 1});
            put_cos(form, 0, h, {1}), put_cos(form, 1, h, {0});
            const auto scales = multiple_scales(form);
            const auto states = steady_states(scales);
            EXPECT_EQ(states.size(), 2U);
            EXPECT_FALSE(states.front().is_stable);
            EXPECT_TRUE(states.back().is_stable);
            const auto rate = [=](double t, const Place<4>& x) {
                const double q = h * std::cos(W * t);
                return Place<4>{x[2], x[3], -x[0] - c * x[2] - b * x[0] * x[0] * x[0] - q * x[1],
                                -w2 * w2 * x[1] - 2 * c * x[3] - b * x[1] * x[1] * x[1] - q * x[0]};
            };
            return gap_after(rate, scales, states.back(), 240 / e);
        },
        0.4, 0.02);
}

TEST(SimulatedOrbits, TwoSelfExcitedOscillators) {
    expect_convergence(
        [](double e) {
            const double k = 0.4 * e, d = 0.2 * e, w2 = std::sqrt(1 + d);
            auto form = modal_form({1, w2}, 3);
            for (const std::size_t j : {0U, 1U}) put(form, j, k - e, {2 + j}), put(form, j, e, {j, j, 2 + j}), put(form, j, -k, {3 - j});
            const auto scales = multiple_scales(form, {.damping = 2});
            const auto states = steady_states(scales);
            EXPECT_EQ(states.size(), 3U);  // rest, against each other, with each other
            EXPECT_TRUE(states.back().is_stable);
            EXPECT_NEAR(states.back().frequencies[0], states.back().frequencies[1], 1e-12);
            const auto rate = [=](double, const Place<4>& x) {
                return Place<4>{x[2], x[3], -x[0] + e * (1 - x[0] * x[0]) * x[2] + k * (x[3] - x[2]),
                                -w2 * w2 * x[1] + e * (1 - x[1] * x[1]) * x[3] + k * (x[2] - x[3])};
            };
            return gap_after(rate, scales, states.back(), 80 / e);
        },
        0.2, 0.02);
}

}  // namespace
}  // namespace linkwright::perturb
