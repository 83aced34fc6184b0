// Steady states of two modes against the full equations, written here once more by hand: all periodic orbits, and all tori where a phase is
// left free, by shooting from many starts. As many as are listed, each where it is listed up to an error that halves with ε, and stable alike.

#include "perturb/hand_made_forms.hpp"
#include "perturb/shooting.hpp"

namespace linkwright::perturb {
namespace {

/// x = (η₁, η₂, η̇₁, η̇₂); push(t, x, η̈) gives both accelerations.
template <class Push>
auto pair_of(Push push, const Place<4>& reach, double highest_frequency) {
    const auto rate = [push](double t, const double* x, double* v) {
        v[0] = x[2], v[1] = x[3];
        push(t, x, v + 2);
    };
    return Shooting(rate, reach, highest_frequency);
}
Place<4> reach_of(const ModalForm<double>& form, double a, double b) { return {a, b, a * form.omega_value[0], b * form.omega_value[1]}; }
double highest(const ModalForm<double>& form) { return std::max(form.omega_value[0], form.omega_value[1]); }

struct Search {
    double reach_1, reach_2;
    int starts;
};

template <class Push>
double excited(const ModalForm<double>& form, const ScalesOptions& options, Push push, int periods, const Search& s, std::size_t count) {
    const auto shooting = pair_of(push, reach_of(form, s.reach_1, s.reach_2), highest(form));
    return expect_same(multiple_scales(form, options), shooting.closed(2 * pi / form.Omega_value, periods, s.starts), count);
}
template <class Push>
double free(const ModalForm<double>& form, const ScalesOptions& options, Push push, const Search& s, std::size_t count) {
    const auto shooting = pair_of(push, reach_of(form, s.reach_1, s.reach_2), highest(form));
    auto orbits = shooting.closed(1, 1, 10);
    for (const auto& cycle : shooting.cycles(2 * pi / form.omega_value[0], s.starts)) orbits.push_back(cycle);
    return expect_same(multiple_scales(form, options), orbits, count);
}
/// What closes with the excitation, and tori around it. In a period mode 1 turns on by a part of a turn, mode 2 by as much or, if it is a
/// sum of frequencies that is excited, by as much backwards.
template <class Push>
double combined(const ModalForm<double>& form, const ScalesOptions& options, Push push, bool is_sum, const Search& s, std::size_t count) {
    const auto shooting = pair_of(push, reach_of(form, s.reach_1, s.reach_2), highest(form));
    const double period = 2 * pi / form.Omega_value, sign = is_sum ? -1 : 1;
    auto orbits = shooting.closed(period, 1, 20);
    const auto turned = [&](const Place<4>& x, double angle) {
        Place<4> y;
        for (const std::size_t k : {0U, 1U}) {
            const double w = form.omega_value[k], c = std::cos(angle), sine = k == 0 ? std::sin(angle) : sign * std::sin(angle);
            y[k] = c * x[k] + sine * x[2 + k] / w;
            y[2 + k] = c * x[2 + k] - sine * x[k] * w;
        }
        return y;
    };
    EXPECT_EQ(orbits.size(), 1U);
    const Place<4> middle = orbits.front().places.front();
    for (const auto& torus : shooting.tori(period, form.omega_value[0] * period, middle, turned, s.starts)) orbits.push_back(torus);
    return expect_same(multiple_scales(form, options), orbits, count);
}

// ------------------------------------------------------------------------------------------------------------------- internal

/// η̈₁ + 2εμ₁η̇₁ + η₁ + εα₁η₁η₂ = εk₁ cos Ωt, η̈₂ + 2εμ₂η̇₂ + ω₂²η₂ + εα₂η₁² = εk₂ cos Ωt, ω₂ = 2 + εδ
double two_to_one(double e, double W, double k1, double k2, int periods, const Search& search, std::size_t count) {
    const double mu1 = 0.1, mu2 = 0.15, al1 = 1, al2 = 0.75, w2 = 2 + 0.2 * e;
    auto form = modal_form({1, w2}, 2, W);
    put(form, 0, 2 * e * mu1, {2}), put(form, 1, 2 * e * mu2, {3}), put(form, 0, e * al1, {0, 1}), put(form, 1, e * al2, {0, 0});
    if (k1 != 0) put_cos(form, 0, -e * k1, {});
    if (k2 != 0) put_cos(form, 1, -e * k2, {});
    const auto full = [=](double t, const double* x, double* v) {
        const double c = std::cos(W * t);
        v[0] = -x[0] - e * (2 * mu1 * x[2] + al1 * x[0] * x[1] - k1 * c);
        v[1] = -w2 * w2 * x[1] - e * (2 * mu2 * x[3] + al2 * x[0] * x[0] - k2 * c);
    };
    return excited(form, {}, full, periods, search, count);
}

struct Case {
    double sigma, k;
    std::size_t count;
};

TEST(SimulatedOrbits, TwoToOneForcedOnTheHighMode) {
    for (const auto& [sigma, k, count] : {Case{0.0, 0.1, 1}, {0.0, 1.5, 2}, {-0.4, 1.5, 2}})
        expect_convergence([=](double e) { return two_to_one(e, 2 + 0.2 * e + sigma * e, 0, k, 2, {2.5, 1.5, 50}, count); }, 0.1, 0.1);
}

TEST(SimulatedOrbits, TwoToOneForcedOnTheLowMode) {
    for (const auto& [sigma, k, count] : {Case{0.0, 1, 1}, {0.1, 2.5, 1}, {-0.4, 1.3, 3}})
        expect_convergence([=](double e) { return two_to_one(e, 1 + sigma * e, k, 0, 1, {4.5, 2.5, 50}, count); }, count == 1 ? 0.05 : 0.01,
                           0.3);
}

/// A mass on a spring, its bounce pushed. The ε of this one is the amplitude: errors are told relative to it.
TEST(SimulatedOrbits, SpringPendulumIsAutoparametric) {
    for (const double sigma : {0.0, -0.6})
        expect_convergence(
            [=](double e) {
                const double l = 1.3, mu = 0.2 * e, k = 2 * e * e, W = 2 + sigma * e, g = l;
                auto form = spring_pendulum(l, 2, 1);  // bounce, then swing
                form.Omega = form.Omega_value = W;
                put(form, 0, 2 * mu, {2}), put(form, 1, 2 * mu, {3}), put_cos(form, 0, -k, {});
                const auto full = [=](double t, const double* x, double* v) {
                    const double r = l + x[0], sine = std::sin(x[1]);
                    v[0] = -4 * x[0] + r * x[3] * x[3] - g * (1 - std::cos(x[1])) - 2 * mu * x[2] + k * std::cos(W * t);
                    v[1] = -(2 * r * x[2] * x[3] + g * r * sine + l * l * 2 * mu * x[3]) / (r * r);
                };
                return excited(form, {.order = 1}, full, 2, {1.5 * e, 2 * e, 50}, 2) / e;
            },
            0.05, 0.2);
}

TEST(SimulatedOrbits, ThreeToOne) {
    for (const double sigma : {-0.3, 0.5})
        expect_convergence(
            [=](double e) {
                const double al = 1, be = 1.2, de = 1.5, mu1 = 0.06, mu2 = 0.08, k = 0.3, w2 = 3 + 0.3 * e, W = 1 + sigma * e;
                auto form = modal_form({1, w2}, 3, W);
                put(form, 0, 2 * e * mu1, {2}), put(form, 1, 2 * e * mu2, {3}), put_cos(form, 0, -e * k, {});
                put(form, 0, e * al, {0, 0, 0}), put(form, 0, e * be, {0, 0, 1}), put(form, 1, e * de, {0, 0, 0});
                const auto full = [=](double t, const double* x, double* v) {
                    const double x2 = x[0] * x[0];
                    v[0] = -x[0] - e * (2 * mu1 * x[2] + al * x2 * x[0] + be * x2 * x[1] - k * std::cos(W * t));
                    v[1] = -w2 * w2 * x[1] - e * (2 * mu2 * x[3] + de * x2 * x[0]);
                };
                return excited(form, {}, full, 1, {2, 0.6, 50}, sigma < 0 ? 1 : 3);
            },
            0.1, 0.1);
}

/// A string, pushed in one plane. Whirls to the left and to the right are two orbits.
TEST(SimulatedOrbits, OneToOneWhirls) {
    for (const double sigma : {-0.3, 0.5})
        expect_convergence(
            [=](double e) {
                const double al = 1, mu = 0.1, k = 0.4, W = 1 + sigma * e;
                auto form = modal_form({1, 1}, 3, W);
                for (const std::size_t j : {0U, 1U})
                    put(form, j, 2 * e * mu, {2 + j}), put(form, j, e * al, {0, 0, j}), put(form, j, e * al, {1, 1, j});
                put_cos(form, 0, -e * k, {});
                const auto full = [=](double t, const double* x, double* v) {
                    const double r2 = x[0] * x[0] + x[1] * x[1];
                    v[0] = -x[0] - e * (2 * mu * x[2] + al * r2 * x[0] - k * std::cos(W * t));
                    v[1] = -x[1] - e * (2 * mu * x[3] + al * r2 * x[1]);
                };
                return excited(form, {}, full, 1, {1.6, 1.6, 60}, sigma < 0 ? 1 : 5);
            },
            0.04, 0.1);
}

// ------------------------------------------------------------------------------------------------------------- combinations: tori

/// Ω = ω₂ ± ω₁ + εσ: η̈₁ + … + εh₁ cos Ωt η₂ = 0, η̈₂ + … + εh₂ cos Ωt η₁ = 0
double parametric(double e, double w2, double sigma, double h1, double h2, bool is_sum, std::size_t count) {
    const double c = 0.08, b = 0.5, W = w2 + (is_sum ? 1 : -1) + sigma * e;
    auto form = modal_form({1, w2}, 3, W);
    put(form, 0, e * c, {2}), put(form, 1, 2 * e * c, {3}), put(form, 0, e * b, {0, 0, 0}), put(form, 1, e * b, {1, 1, 1});
    put_cos(form, 0, e * h1, {1}), put_cos(form, 1, e * h2, {0});
    const auto full = [=](double t, const double* x, double* v) {
        const double q = e * std::cos(W * t);
        v[0] = -x[0] - e * (c * x[2] + b * x[0] * x[0] * x[0]) - h1 * q * x[1];
        v[1] = -w2 * w2 * x[1] - e * (2 * c * x[3] + b * x[1] * x[1] * x[1]) - h2 * q * x[0];
    };
    return combined(form, {}, full, is_sum, {1.5, 1, 24}, count);
}

TEST(SimulatedOrbits, SumOfTwoFrequencies) {
    for (const auto& [sigma, h, count] : {Case{-0.3, 0.5, 1}, {0.04, 0.5, 2}, {0.3, 0.5, 3}})
        expect_convergence([=](double e) { return parametric(e, 1.7, sigma, h, h, true, count); }, 0.2, 0.05);
}

TEST(SimulatedOrbits, DifferenceOfTwoFrequencies) {
    for (const double sign : {-1.0, 1.0})
        expect_convergence([=](double e) { return parametric(e, 2.6, 0, 0.8, sign * 0.8, false, sign < 0 ? 2 : 1); }, 0.1, 0.01);
}

/// 2Ω = ω₁ + ω₂ by a strong force and a spring that is pulled by both
TEST(SimulatedOrbits, SumOfTwoFrequenciesByForce) {
    for (const double sigma : {0.0, 0.4, 0.8})
        expect_convergence(
            [=](double e) {
                const double w2 = 2.3, c = 1, k = 1, mu1 = 0.03, mu2 = 0.04, W = 1.65 + sigma * e / 2;
                auto form = modal_form({1, w2}, 3, W);
                put(form, 0, 2 * e * mu1, {2}), put(form, 1, 2 * e * mu2, {3}), put_cos(form, 0, -k, {});
                for (const std::size_t j : {0U, 1U}) {
                    put(form, j, e * c, {0, 0, 0}), put(form, j, 3 * e * c, {0, 0, 1});
                    put(form, j, 3 * e * c, {0, 1, 1}), put(form, j, e * c, {1, 1, 1});
                }
                const auto full = [=](double t, const double* x, double* v) {
                    const double both = x[0] + x[1], spring = e * c * both * both * both;
                    v[0] = -x[0] - 2 * e * mu1 * x[2] - spring + k * std::cos(W * t);
                    v[1] = -w2 * w2 * x[1] - 2 * e * mu2 * x[3] - spring;
                };
                return combined(form, {.closeness = 0.16}, full, true, {1.5, 1, 24}, sigma == 0 ? 1 : sigma == 0.4 ? 2 : 3);
            },
            0.1, 0.1);
}

// --------------------------------------------------------------------------------------------------------------- self-excited

/// Two oscillators of van der Pol's, coupled by a damper: rest, against each other, with each other.
TEST(SimulatedOrbits, SelfExcitedOneToOne) {
    for (const double d : {0.04, 0.2})
        expect_convergence(
            [=](double e) {
                const double k = 0.4 * e, w2 = std::sqrt(1 + d * e);
                auto form = modal_form({1, w2}, 3);
                for (const std::size_t j : {0U, 1U})
                    put(form, j, k - e, {2 + j}), put(form, j, e, {j, j, 2 + j}), put(form, j, -k, {3 - j});
                const auto full = [=](double, const double* x, double* v) {
                    v[0] = -x[0] + e * (1 - x[0] * x[0]) * x[2] + k * (x[3] - x[2]);
                    v[1] = -w2 * w2 * x[1] + e * (1 - x[1] * x[1]) * x[3] + k * (x[2] - x[3]);
                };
                return free(form, {.damping = 2}, full, {2.4, 2.4, 80}, 3);
            },
            0.1, 0.1);
}

/// The high mode grows, the low one is damped and takes what the high one gives.
TEST(SimulatedOrbits, SelfExcitedTwoToOne) {
    for (const double delta : {0.0, 0.6})
        expect_convergence(
            [=](double e) {
                const double mu = 0.12, growth = 0.04, al1 = 1, al2 = 0.75, w2 = 2 + delta * e;
                auto form = modal_form({1, w2}, 2);
                put(form, 0, 2 * e * mu, {2}), put(form, 1, -2 * e * growth, {3}), put(form, 0, e * al1, {0, 1}),
                    put(form, 1, e * al2, {0, 0});
                const auto full = [=](double, const double* x, double* v) {
                    v[0] = -x[0] - e * (2 * mu * x[2] + al1 * x[0] * x[1]);
                    v[1] = -w2 * w2 * x[1] + e * (2 * growth * x[3] - al2 * x[0] * x[0]);
                };
                return free(form, {}, full, {1.7, 1.7, 80}, 2);
            },
            0.05, 0.1);
}

/// An oscillator of van der Pol's that changes the spring of another: whether that stays at rest, and what it does if not.
TEST(SimulatedOrbits, AModeAtRestBesideASelfExcitedOne) {
    for (const double be : {0.5, 1.5})
        expect_convergence(
            [=](double e) {
                const double mu = 0.2, w2 = 1 + e;
                auto form = modal_form({1, w2}, 3);
                put(form, 0, 2 * e * mu, {2}), put(form, 0, e * be, {0, 1, 1}), put(form, 0, e, {0, 0, 2});
                put(form, 1, -e, {3}), put(form, 1, e, {1, 1, 3});
                const auto full = [=](double, const double* x, double* v) {
                    v[0] = -x[0] - e * (2 * mu * x[2] + be * x[0] * x[1] * x[1] + x[0] * x[0] * x[2]);
                    v[1] = -w2 * w2 * x[1] + e * (1 - x[1] * x[1]) * x[3];
                };
                return free(form, {.closeness = 0.5}, full, {2, 2.4, 80}, be < 1 ? 2 : 4);
            },
            0.1, 0.1);
}

}  // namespace
}  // namespace linkwright::perturb
