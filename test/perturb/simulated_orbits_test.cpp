// Steady states of one oscillator against the full equations, which are written here once more by hand: all periodic orbits by shooting from
// many starts. As many as are listed, each where it is listed up to an error that halves with ε, and stable alike.

#include "perturb/hand_made_forms.hpp"
#include "perturb/shooting.hpp"

namespace linkwright::perturb {
namespace {

/// ẍ = acceleration(t, x, ẋ)
template <class Acceleration>
auto oscillator(Acceleration acceleration, double reach) {
    const auto rate = [acceleration](double t, const double* x, double* v) { v[0] = x[1], v[1] = acceleration(t, x[0], x[1]); };
    return Shooting(rate, Place<2>{reach, reach}, 2.5);
}

/// Excited with the form's Ω: what closes after so many periods.
template <class Acceleration>
double excited(const ModalForm<double>& form, const ScalesOptions& options, Acceleration acceleration, int periods, double reach,
               std::size_t count) {
    constexpr int starts = 50;
    return expect_same(multiple_scales(form, options), oscillator(acceleration, reach).closed(2 * pi / form.Omega_value, periods, starts),
                       count);
}
/// Not excited: rest and limit cycles.
template <class Acceleration>
double free(const ModalForm<double>& form, const ScalesOptions& options, Acceleration acceleration, double reach, std::size_t count) {
    const auto shooting = oscillator(acceleration, reach);
    auto orbits = shooting.closed(1, 1, 20);
    for (const auto& cycle : shooting.cycles(2 * pi / form.omega_value[0], 40)) orbits.push_back(cycle);
    return expect_same(multiple_scales(form, options), orbits, count);
}

TEST(SimulatedOrbits, DuffingPrimary) {
    for (const double sign : {1.0, -1.0})
        expect_convergence(
            [=](double e) {
                const double mu = 0.05, al = sign, k = 0.3, W = 1 + 0.5 * sign * e;
                const auto full = [=](double t, double x, double v) {
                    return -x - e * (2 * mu * v + al * x * x * x - k * std::cos(W * t));
                };
                return excited(duffing(1, e * al, e * mu, e * k, W), {}, full, 1, 2, 3);
            },
            0.1, 0.03);
}

TEST(SimulatedOrbits, DuffingSuperharmonic) {
    expect_convergence(
        [](double e) {
            const double mu = 0.05, al = 1, k = 0.8, W = (1 + 1.1 * e) / 3;
            const auto full = [=](double t, double x, double v) { return -x - e * (2 * mu * v + al * x * x * x) + k * std::cos(W * t); };
            return excited(duffing(1, e * al, e * mu, k, W), {.closeness = 0.4}, full, 1, 2, 3);
        },
        0.02, 0.2);
}

TEST(SimulatedOrbits, DuffingSubharmonic) {
    expect_convergence(
        [](double e) {
            const double mu = 0.02, al = 1, k = 4, W = 3 + 3 * e;
            const auto full = [=](double t, double x, double v) { return -x - e * (2 * mu * v + al * x * x * x) + k * std::cos(W * t); };
            return excited(duffing(1, e * al, e * mu, k, W), {.closeness = 0.4}, full, 3, 2, 3);
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
                return excited(form, {}, full, 2, 1.6, sigma == 0 ? 2 : 3);
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
                return excited(form, {.closeness = 0.2}, full, 1, 1.2, sigma == 0 ? 3 : 5);
            },
            0.05, 0.05);
}

TEST(SimulatedOrbits, PrimaryWithParametricAtTwiceItsFrequency) {
    for (const double sigma : {-0.4, 0.0, 0.6})
        expect_convergence(
            [=](double e) {
                const double mu = 0.1, al = 1, q = 1.2, k = 0.1, W = 1 + sigma * e;
                const auto full = [=](double t, double x, double v) {
                    return -x - e * (2 * mu * v + al * x * x * x + q * std::cos(2 * W * t) * x - k * std::cos(W * t));
                };
                auto form = duffing(1, e * al, e * mu, e * k, W);
                put_cos(form, 0, e * q, {0}, 2);
                return excited(form, {.parametric = 2}, full, 1, 1.6, sigma < 0 ? 1 : sigma == 0 ? 3 : 5);
            },
            0.1, 0.03);
}

TEST(SimulatedOrbits, SuperharmonicOfASpringStifferOneWay) {
    expect_convergence(
        [](double e) {
            const double mu = 0.2, al = 0.5, k = 0.6, W = (1 + 0.2 * e) / 2;
            const auto full = [=](double t, double x, double v) { return -x - e * (2 * mu * v + al * x * x) + k * std::cos(W * t); };
            auto form = modal_form({1}, 2, W);
            put(form, 0, e * al, {0, 0}), put(form, 0, 2 * e * mu, {1}), put_cos(form, 0, -k, {});
            return excited(form, {}, full, 1, 2, 1);
        },
        0.1, 0.1);
}

/// η̈ + η + 2εμη̇ + √ε αη² + εβη³ = k cos Ωt: the quadratic term acts to second order.
ModalForm<double> stiffer_one_way(double e, double mu, double al, double be, double k, double W) {
    auto form = duffing(1, e * be, e * mu, k, W);
    put(form, 0, std::sqrt(e) * al, {0, 0});
    return form;
}

TEST(SimulatedOrbits, SubharmonicOfASpringStifferOneWay) {  // Ω = 2ω: the push changes the spring
    for (const double sigma : {0.0, 0.6})
        expect_convergence(
            [=](double e) {
                const double mu = 0.05, al = 0.5, be = 1.5, k = 2 * std::sqrt(e), W = 2 + sigma * e;
                const auto full = [=](double t, double x, double v) {
                    return -x - e * (2 * mu * v + be * x * x * x) - std::sqrt(e) * al * x * x + k * std::cos(W * t);
                };
                return excited(stiffer_one_way(e, mu, al, be, k, W), {}, full, 2, 1.6, sigma == 0 ? 2 : 3);
            },
            0.1, 0.05);
}

TEST(SimulatedOrbits, PrimaryOfASpringStifferOneWay) {
    expect_convergence(
        [](double e) {
            const double mu = 0.05, al = 1, be = 0.2, k = 0.2 * e, W = 1 - 0.4 * e;
            const auto full = [=](double t, double x, double v) {
                return -x - e * (2 * mu * v + be * x * x * x) - std::sqrt(e) * al * x * x + k * std::cos(W * t);
            };
            return excited(stiffer_one_way(e, mu, al, be, k, W), {}, full, 1, 2, 3);
        },
        0.05, 0.05);
}

TEST(SimulatedOrbits, VanDerPolFree) {
    expect_convergence(
        [](double e) {
            const auto full = [=](double, double x, double v) { return -x + e * (1 - x * x) * v; };
            return free(van_der_pol(e), {}, full, 2.6, 2);
        },
        0.2, 0.03);
}

TEST(SimulatedOrbits, RayleighFree) {
    expect_convergence(
        [](double e) {
            const auto full = [=](double, double x, double v) { return -x + e * (v - v * v * v / 3); };
            auto form = modal_form({1}, 3);
            put(form, 0, -e, {1}), put(form, 0, e / 3, {1, 1, 1});
            return free(form, {}, full, 2.6, 2);
        },
        0.2, 0.03);
}

TEST(SimulatedOrbits, HardSelfExcitation) {  // rest, an orbit that repels and one that attracts
    expect_convergence(
        [](double e) {
            const auto full = [=](double, double x, double v) { return -x - e * v * (0.4 - x * x + 0.2 * x * x * x * x); };
            auto form = modal_form({1}, 5);
            put(form, 0, 0.4 * e, {1}), put(form, 0, -e, {0, 0, 1}), put(form, 0, 0.2 * e, {0, 0, 0, 0, 1});
            return free(form, {}, full, 3.5, 3);
        },
        0.1, 0.1);
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
                return excited(form, {}, full, 1, 2.6, sigma == 0.05 ? 3 : 1);
            },
            0.02, 0.02);
}

TEST(SimulatedOrbits, RayleighEntrained) {
    for (const double sigma : {0.05, 0.3})
        expect_convergence(
            [=](double e) {
                const double k = 0.5, W = 1 + sigma * e;
                const auto full = [=](double t, double x, double v) { return -x + e * (v - v * v * v / 3 + k * std::cos(W * t)); };
                auto form = modal_form({1}, 3, W);
                put(form, 0, -e, {1}), put(form, 0, e / 3, {1, 1, 1}), put_cos(form, 0, -e * k, {});
                return excited(form, {}, full, 1, 2.6, sigma == 0.05 ? 3 : 1);
            },
            0.02, 0.02);
}

}  // namespace
}  // namespace linkwright::perturb
