#include "linkwright/perturb/multiple_scales.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "linkwright/sym/fingerprint.hpp"
#include "perturb/hand_made_forms.hpp"

namespace linkwright::perturb {
namespace {

using sym::Expr;
using testing::HasSubstr;

/// The coefficient of a monomial in dA_k/dt; empty where there is none.
template <class Real>
std::optional<Complex<Real>> coefficient(const MultipleScales<Real>& m, std::size_t k, const std::vector<std::uint8_t>& powers,
                                         int harmonic = 0, unsigned order = 0) {
    std::optional<Complex<Real>> sum;
    for (const auto& t : m.modulation[k])
        if (t.powers == powers && t.harmonic == harmonic && (order == 0 || t.order == order))
            sum = sum ? *sum + t.coefficient : t.coefficient;
    return sum;
}
/// ω(a) of a single mode: Im of dA/dt ÷ A.
double frequency(const MultipleScales<double>& m, double a) {
    const Eigen::VectorXcd A = Eigen::VectorXcd::Constant(1, a / 2);
    return rate_of(m, A, 0)[0].imag() / (a / 2);
}

/// Largest error of η over a time T from a start, approximate against integrated.
double error_over(const ModalForm<double>& f, const ScalesOptions& options, const VectorXd& eta, const VectorXd& eta_dot, double T,
                  double tolerance = 1e-12) {
    const auto m = multiple_scales(f, options);
    EXPECT_TRUE(m.is_ok) << m.why;
    const auto n = eta.size();
    Eigen::VectorXcd A = amplitudes_of(m, eta, eta_dot, 0);
    EXPECT_EQ(A.size(), n);
    std::vector<double> times;
    for (int i = 0; i <= 60; ++i) times.push_back(T * i / 60);
    VectorXd x0(2 * n);
    x0 << eta, eta_dot;
    const auto exact = integrate_form(f, x0, times, tolerance);
    // dA/dt by the same integrator, real and imaginary parts.
    solve::Ode ode;
    ode.size = 2 * n;
    ode.rate = [&](double t, const double* x, double* r) {
        Eigen::VectorXcd a(n);
        for (Eigen::Index k = 0; k < n; ++k) a[k] = {x[k], x[n + k]};
        const auto rate = rate_of(m, a, t);
        for (Eigen::Index k = 0; k < n; ++k) r[k] = rate[k].real(), r[n + k] = rate[k].imag();
        return true;
    };
    ode.relative = tolerance;
    ode.absolute = VectorXd::Constant(2 * n, 1e-14);
    ode.end = T;
    VectorXd a0(2 * n);
    a0 << A.real(), A.imag();
    const auto stepper = solve::make_adams(ode, 0, a0);
    double worst = 0;
    std::size_t row = 0;
    solve::Watch watch;
    watch.row = [&](double t, const VectorXd& x) {
        for (Eigen::Index k = 0; k < n; ++k) A[k] = {x[k], x[n + k]};
        worst = std::max(worst, (motion_at(m, A, t).eta - exact[row++].head(n)).lpNorm<Eigen::Infinity>());
        return true;
    };
    integrate(*stepper, times, watch);
    return worst;
}

TEST(MultipleScales, DuffingInItsFirstHarmonicAndItsReach) {
    const double w0 = 1.3, al = 0.7;
    const auto m = multiple_scales(duffing(w0, al, 0, 0, 0, 5));
    ASSERT_TRUE(m.is_ok) << m.why;
    // A = ½a: i 3α/(2ω0) A²Ā
    EXPECT_NEAR(coefficient(m, 0, {2, 1})->im, 3 * al / (2 * w0), 1e-14);
    EXPECT_NEAR(coefficient(m, 0, {2, 1})->re, 0, 1e-16);
    const double a = 0.37, e = al * a * a / (w0 * w0);
    EXPECT_NEAR(frequency(m, a) / w0, 1 + 3 * e / 8 - 15 * e * e / 256, 1e-14);
    // In the reach, where all harmonics add up, the next coefficient is another: what remains is of sixth order.
    std::array<double, 2> error{};
    for (int i = 0; i < 2; ++i) {
        const double small = a / (1 << i);
        const double reach = motion_at(m, Eigen::VectorXcd::Constant(1, small / 2), 0).eta[0];
        const double E = al * reach * reach / (w0 * w0);
        error[i] = std::abs(frequency(m, small) / w0 - (1 + 3 * E / 8 - 21 * E * E / 256));
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 6, 0.2);
}

TEST(MultipleScales, PendulumToTheFourthOrder) {
    const auto m = multiple_scales(pendulum(2, 5));
    ASSERT_TRUE(m.is_ok) << m.why;
    std::array<double, 2> error{};
    for (int i = 0; i < 2; ++i) {
        const double a = 0.4 / (1 << i);
        const double A = motion_at(m, Eigen::VectorXcd::Constant(1, a / 2), 0).eta[0];
        EXPECT_NEAR(frequency(m, a) / 2, 1 - A * A / 16, 1e-4);
        error[i] = std::abs(frequency(m, a) / 2 - (1 - A * A / 16 + std::pow(A, 4) / 3072));
    }
    EXPECT_LT(error[0], 1e-6);
    EXPECT_NEAR(std::log2(error[0] / error[1]), 6, 0.3);
}

TEST(MultipleScales, VanDerPol) {
    const double mu = 0.2;
    const auto m = multiple_scales(van_der_pol(mu));
    ASSERT_TRUE(m.is_ok) << m.why;
    EXPECT_EQ(m.damping, 2U);
    EXPECT_NEAR(coefficient(m, 0, {1, 0})->re, mu / 2, 1e-15);
    EXPECT_NEAR(coefficient(m, 0, {2, 1})->re, -mu / 2, 1e-15);  // ȧ = (μ/2)a(1 − a²/4)
    const auto next = multiple_scales(van_der_pol(mu), {.order = 4});
    EXPECT_NEAR(frequency(next, 2), 1 - mu * mu / 16, 1e-14);
    EXPECT_NEAR(rate_of(next, Eigen::VectorXcd::Constant(1, 1), 0)[0].real(), 0, 1e-14);
}

TEST(MultipleScales, ErrorsFallAtThePromisedOrder) {
    // η to ε³ with dA/dt to ε²: over t ~ 1/ε² the phase is wrong by ε², the motion by ε³.
    std::array<double, 3> third{}, fifth{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double e = 0.6 / (1 << i);
        const VectorXd start = VectorXd::Constant(1, e), rest = VectorXd::Zero(1);
        third[i] = error_over(pendulum(1, 5), {.order = 2}, start, rest, 3 / (e * e));
        fifth[i] = error_over(pendulum(1, 7), {.order = 4}, start, rest, 3 / (e * e));
    }
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(std::log2(third[i] / third[i + 1]), 3, 0.3) << third[i] << " " << third[i + 1];
        EXPECT_NEAR(std::log2(fifth[i] / fifth[i + 1]), 5, 0.5) << fifth[i] << " " << fifth[i + 1];
    }
}

TEST(MultipleScales, DuffingPrimaryResonance) {
    const double w0 = 2, al = 0.5, mu = 0.01, k = 0.03, W = 2.05;
    const auto m = multiple_scales(duffing(w0, al, mu, k, W));
    ASSERT_TRUE(m.is_ok) << m.why;
    ASSERT_EQ(m.resonances.size(), 1U);
    EXPECT_EQ(m.resonances[0].kind, Resonance::Kind::primary);
    EXPECT_EQ(m.resonances[0].words, "Ω = ω1, primary");
    EXPECT_TRUE(m.resonances[0].is_active);
    EXPECT_EQ(m.resonances[0].order, 2U);
    EXPECT_NEAR(m.resonances[0].detuning, 0.05, 1e-12);
    EXPECT_EQ(m.damping, 2U);
    EXPECT_EQ(m.forcing, 3U);
    EXPECT_NEAR(coefficient(m, 0, {1, 0})->re, -mu, 1e-15);
    EXPECT_NEAR(coefficient(m, 0, {1, 0})->im, 0, 1e-15);
    EXPECT_NEAR(coefficient(m, 0, {2, 1})->im, 3 * al / (2 * w0), 1e-15);
    EXPECT_NEAR(coefficient(m, 0, {0, 0}, 1)->im, -k / (4 * w0), 1e-15);  // k/2 = 2iω g
    EXPECT_EQ(m.modulation[0].size(), 3U);
}

TEST(MultipleScales, DuffingAwayFromTheForce) {
    const double w0 = 1, al = 0.3, mu = 0.01, k = 0.4;
    // [nayfeh79 §4.1]: Λ = k / 2(ω0² − Ω²)
    const auto super = multiple_scales(duffing(w0, al, mu, k, 0.34));
    ASSERT_TRUE(super.is_ok) << super.why;
    EXPECT_EQ(super.resonances[0].words, "3 Ω = ω1, superharmonic 3");
    double L = k / (2 * (1 - 1.0 / 9));
    EXPECT_NEAR(coefficient(super, 0, {0, 0}, 3)->im, al * L * L * L / (2 * w0), 1e-15);
    EXPECT_NEAR(coefficient(super, 0, {1, 0}, 0)->im, 3 * al * L * L / w0, 1e-15);
    const auto sub = multiple_scales(duffing(w0, al, mu, k, 3.05));
    ASSERT_TRUE(sub.is_ok) << sub.why;
    EXPECT_EQ(sub.resonances[0].words, "Ω = 3 ω1, subharmonic 1/3");
    L = k / (2 * (1 - 9.0));
    EXPECT_NEAR(coefficient(sub, 0, {0, 2}, 1)->im, 3 * al * L / (2 * w0), 1e-15);
    EXPECT_NEAR(coefficient(sub, 0, {1, 0}, 0)->im, 3 * al * L * L / w0, 1e-15);
}

TEST(MultipleScales, MathieuTongue) {
    // y″ + (a − 2q cos 2t) y: growth inside b1(q) < a < a1(q) only, b1, a1 = 1 ∓ q − q²/8.
    const double q = 0.05;
    const auto growth = [&](double a) {
        auto f = modal_form({std::sqrt(a)}, 1, 2);
        put_cos(f, 0, -2 * q, {0});
        const auto m = multiple_scales(f, {.closeness = 0.2});
        EXPECT_TRUE(m.is_ok) << m.why;
        EXPECT_EQ(m.resonances.at(0).words, "Ω = 2 ω1, parametric, principal");
        // Ḃ = i(ω − 1 + p)B + r B̄: r² − (ω − 1 + p)²
        const auto own = coefficient(m, 0, {1, 0}).value_or(Complex<double>{});
        const auto pump = *coefficient(m, 0, {0, 1}, 1);
        return pump.re * pump.re + pump.im * pump.im - std::pow(std::sqrt(a) - 1 + own.im, 2);
    };
    for (const double sign : {-1.0, 1.0}) {
        double in = 1, out = 1 + 2 * sign * q;
        ASSERT_GT(growth(in), 0);
        ASSERT_LT(growth(out), 0);
        for (int i = 0; i < 50; ++i) (growth((in + out) / 2) > 0 ? in : out) = (in + out) / 2;
        EXPECT_NEAR(in, 1 + sign * q - q * q / 8, q * q * q / 4);
    }
}

TEST(MultipleScales, SpringPendulumTwoToOne) {
    const double l = 1.7, w2 = 1.1, w1 = 2.23;
    const auto m = multiple_scales(spring_pendulum(l, w1, w2));
    ASSERT_TRUE(m.is_ok) << m.why;
    ASSERT_EQ(m.resonances.size(), 1U);
    EXPECT_EQ(m.resonances[0].words, "2 ω2 = ω1, internal 2:1");
    EXPECT_NEAR(m.resonances[0].detuning, w1 - 2 * w2, 1e-14);
    EXPECT_EQ(m.resonances[0].order, 1U);
    EXPECT_EQ(m.damping, 1U);
    const auto g1 = *coefficient(m, 0, {0, 2, 0, 0}, 0, 1), g2 = *coefficient(m, 1, {1, 0, 0, 1}, 0, 1);
    // ½ȧ1 = Re(g), A = ½a e^{i…}: 3 l ω2²/(8 ω1) = |g1| / 2 with ω1 → 2ω2
    EXPECT_NEAR(std::hypot(g1.re, g1.im) / 2, 3 * l * w2 / 16, 1e-14);
    EXPECT_NEAR(std::hypot(g2.re, g2.im) / 2, 3 * w2 / (4 * l), 1e-14);
}

TEST(MultipleScales, SpringPendulumExchangesEnergyAsIntegrated) {
    std::array<double, 3> error{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double e = 0.08 / (1 << i);
        const Eigen::Vector2d start(e, e), rest(0, 0);
        error[i] = error_over(spring_pendulum(1, 2 + 0.3 * e, 1), {.order = 2}, start, rest, 2 / e);
    }
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(error[i] / error[i + 1]), 3, 0.35) << error[i] << " " << error[i + 1];
}

TEST(MultipleScales, TwoModesWithoutResonance) {
    // V = ½ω1²x² + ½ω2²y² + ¼αx⁴ + ½βx²y²
    const double w1 = 1, w2 = std::sqrt(2.0) * 1.2, al = 0.4, be = 0.7;
    auto f = modal_form({w1, w2}, 3);
    put(f, 0, al, {0, 0, 0});
    put(f, 0, be, {0, 1, 1});
    put(f, 1, be, {0, 0, 1});
    const auto m = multiple_scales(f);
    ASSERT_TRUE(m.is_ok) << m.why;
    EXPECT_NEAR(coefficient(m, 0, {2, 0, 1, 0})->im, 3 * al / (2 * w1), 1e-14);
    EXPECT_NEAR(coefficient(m, 0, {1, 1, 0, 1})->im, be / w1, 1e-14);
    EXPECT_NEAR(coefficient(m, 1, {1, 1, 1, 0})->im, be / w2, 1e-14);
    std::array<double, 2> error{};
    for (std::size_t i = 0; i < 2; ++i) {
        const double e = 0.4 / (1 << i);
        error[i] = error_over(f, {}, Eigen::Vector2d(e, 0.7 * e), Eigen::Vector2d(0, 0.4 * e), 2 / (e * e));
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), 3, 0.4) << error[0] << " " << error[1];
}

TEST(MultipleScales, OneToOneAndThreeToOne) {
    for (const double ratio : {1.0, 3.0}) {
        std::array<double, 3> error{};
        for (std::size_t i = 0; i < 3; ++i) {
            const double e = 0.3 / (1 << i), w2 = ratio + 0.5 * e * e;
            auto f = modal_form({1, w2}, 3);
            // of V = ¼(x⁴ + y⁴) + xy³/5 + x³y/3 + x²y²/2
            put(f, 0, 1.0, {0, 0, 0}), put(f, 0, 1.0, {0, 0, 1}), put(f, 0, 1.0, {0, 1, 1}), put(f, 0, 0.2, {1, 1, 1});
            put(f, 1, 1.0, {1, 1, 1}), put(f, 1, 1.0 / 3, {0, 0, 0}), put(f, 1, 1.0, {0, 0, 1}), put(f, 1, 0.6, {0, 1, 1});
            const auto m = multiple_scales(f);
            ASSERT_TRUE(m.is_ok) << m.why;
            ASSERT_FALSE(m.resonances.empty());
            EXPECT_TRUE(m.resonances[0].is_active);
            EXPECT_THAT(m.resonances[0].words, HasSubstr(ratio == 1 ? "internal 1:1" : "internal 3:1"));
            error[i] = error_over(f, {}, Eigen::Vector2d(e, 0.3 * e), Eigen::Vector2d(0, 0.5 * e), 1 / (e * e));
        }
        for (std::size_t i = 0; i < 2; ++i)
            EXPECT_NEAR(std::log2(error[i] / error[i + 1]), 3, 0.4) << ratio << ": " << error[i] << " " << error[i + 1];
    }
}

TEST(MultipleScales, ForcedAndDampedMotionAsIntegrated) {
    std::array<double, 3> primary{}, super{}, tongue{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double e = 0.2 / (1 << i), e2 = e * e;
        const VectorXd start = VectorXd::Constant(1, e), rest = VectorXd::Zero(1);
        primary[i] = error_over(duffing(1, 1, 0.2 * e2, 0.5 * e * e2, 1 + 0.3 * e2), {}, start, rest, 2 / e2);
        super[i] = error_over(duffing(1, 1, 0.2 * e2, 0.5 * e, (1 + 0.3 * e2) / 3), {}, start, rest, 2 / e2);
        auto f = duffing(1, 1, 0.05 * e2, 0, 2 + 0.3 * e2);
        put_cos(f, 0, e2, {0});
        tongue[i] = error_over(f, {}, start, rest, 2 / e2);
    }
    for (const auto& error : {primary, super, tongue})
        for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(error[i] / error[i + 1]), 3, 0.4) << error[i] << " " << error[i + 1];
}

/// Equations with every quadratic and cubic term in η, η̇ and some in η̈, damping, forces with phases, excitation, all drawn by lot.
struct Lot {
    const char* words;          ///< of the resonance that acts first; empty: none
    std::vector<double> omega;  ///< at zero detuning
    double Omega;
    unsigned balance;               ///< 1: at ε, 2: at ε²
    int force = 0, parametric = 0;  ///< powers of ε; 0: none
    bool has_even = true;           ///< quadratic terms
    unsigned order = 2;
};

ModalForm<double> drawn(const Lot& lot, double e) {
    std::mt19937 random(17);
    const auto draw = [&random](double size) { return size * (static_cast<double>(random()) / 2147483648.0 - 1); };
    const std::size_t n = lot.omega.size();
    const double small = std::pow(e, lot.balance);
    auto omega = lot.omega;
    for (std::size_t k = 1; k < n; ++k) omega[k] += (k == 1 ? 0.3 : -0.15) * small;
    auto f = modal_form(omega, 3, lot.Omega == 0 ? 0 : lot.Omega + 0.2 * small);
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t a = 0; a < 2 * n; ++a) {
            for (std::size_t b = a; b < 2 * n; ++b) {
                if (lot.has_even) put(f, k, draw(0.4), {a, b});
                for (std::size_t c = b; c < 2 * n; ++c) put(f, k, draw(0.3), {a, b, c});
            }
            for (std::size_t c = 2 * n; c < 3 * n && lot.has_even; ++c) put(f, k, draw(0.2), {a, c});
            if (a >= n) put(f, k, draw(0.3) * small, {a});
        }
        const auto put_turned = [&](double size, const std::vector<std::size_t>& variables, double phase) {
            put_cos(f, k, size, variables);
            for (std::size_t i = f.terms[k].size() - 2; i < f.terms[k].size(); ++i)
                f.terms[k][i].coefficient = {size / 2 * std::cos(phase), f.terms[k][i].harmonic * size / 2 * std::sin(phase)};
        };
        if (lot.force != 0) put_turned((0.5 + draw(0.1)) * std::pow(e, lot.force), {}, draw(1));
        for (std::size_t a = 0; a < n && lot.parametric != 0; ++a) put_turned(draw(0.5) * std::pow(e, lot.parametric), {a}, draw(1));
    }
    return f;
}

TEST(MultipleScales, ErrorsFallAtThePromisedOrderInEveryResonance) {
    const double golden = 1.618;
    const std::vector<Lot> lots{
        {"internal 2:1", {1, 2}, 0, 1, 0, 0, true, 3},
        {"internal, combination", {1, golden, 1 + golden}, 0, 1},
        {"2 ω1 = ω2, internal 2:1", {1, 2, 4}, 0, 1},
        {"Ω = ω2, primary", {1, 2}, 2, 1, 2},
        {"Ω = ω1, primary", {1, golden}, 1, 2, 3},
        {"subharmonic 1/2", {1, golden}, 2, 1, 1},
        {"superharmonic 2", {1, golden}, 0.5, 1, 1},
        {"Ω = ω1 + 2 ω2, combination", {1, golden}, 1 + 2 * golden, 2, 1, 0, false},
        {"parametric, sum", {1, golden}, 1 + golden, 2, 0, 2},
        {"parametric, fundamental", {1, golden}, 1, 2, 0, 1},
    };
    for (const auto& lot : lots) {
        SCOPED_TRACE(lot.words);
        std::array<double, 2> error{};
        for (std::size_t i = 0; i < 2; ++i) {
            const double e = 0.05 / (1 << i);
            const auto f = drawn(lot, e);
            const auto m = multiple_scales(f, {.order = lot.order});
            ASSERT_FALSE(m.resonances.empty());
            EXPECT_TRUE(m.resonances[0].is_active);
            EXPECT_THAT(m.resonances[0].words, HasSubstr(lot.words));
            EXPECT_EQ(m.resonances[0].order, lot.balance);
            const auto n = static_cast<Eigen::Index>(f.omega.size());
            error[i] = error_over(f, {.order = lot.order}, VectorXd::Constant(n, 0.6 * e), VectorXd::Constant(n, -0.3 * e),
                                  (lot.balance == 1 ? 1 : 0.4) / std::pow(e, lot.balance), 1e-11);
        }
        EXPECT_GT(std::log2(error[0] / error[1]), lot.order + 0.6) << error[0] << " " << error[1];
        EXPECT_LT(error[1], 1e-2 * 0.025);
    }
}

TEST(MultipleScales, ExpressionsSayTheSame) {
    sym::Pool pool;
    const sym::PoolScope scope(pool);
    const Expr w0 = sym::symbol("w0"), al = sym::symbol("al"), mu = sym::symbol("mu"), k = sym::symbol("k"), W = sym::symbol("W");
    const auto same = [](const Expr& a, const Expr& b) { return sym::equal(a, b) == sym::Verdict::equal; };
    auto f = modal_form<Expr>({w0}, {2.0}, 5, W, 2.05);
    put(f, 0, al, {0, 0, 0});
    put(f, 0, Expr(2) * mu, {1});
    put_cos(f, 0, -k, {});
    const auto m = multiple_scales(f, {.order = 2});
    ASSERT_TRUE(m.is_ok) << m.why;
    EXPECT_TRUE(same(coefficient(m, 0, {2, 1})->im, Expr(3) * al / (Expr(2) * w0)));
    EXPECT_TRUE(same(coefficient(m, 0, {1, 0})->re, -mu));
    EXPECT_TRUE(same(coefficient(m, 0, {0, 0}, 1)->im, -k / (Expr(4) * w0)));

    // The spring pendulum, detuned: with ω1 → 2ω2 no denominator vanishes.
    const Expr l = sym::symbol("l"), w1 = sym::symbol("w1"), w2 = sym::symbol("w2");
    auto s = modal_form<Expr>({w1, w2}, {2.05, 1.0}, 3);
    put_spring_pendulum(s, l, w2);
    const auto p = multiple_scales(s);
    ASSERT_TRUE(p.is_ok) << p.why;
    EXPECT_TRUE(same(p.base[0], Expr(2) * w2));
    const auto g1 = *coefficient(p, 0, {0, 2, 0, 0}, 0, 1), g2 = *coefficient(p, 1, {1, 0, 0, 1}, 0, 1);
    EXPECT_TRUE(same(g1.im * g1.im, sym::pow(Expr(3) * l * w2 / Expr(8), 2)));
    EXPECT_TRUE(same(g2.im * g2.im, sym::pow(Expr(3) * w2 / (Expr(2) * l), 2)));
}

TEST(MultipleScales, WhatIsBeyondTheOrderIsSaidToBe) {
    const auto m = multiple_scales(duffing(1, 1, 0.01, 0.01, 1.02), {.order = 1});
    const auto says = [](const char* words) { return testing::Contains(testing::Field(&ScalesNote::text, HasSubstr(words))); };
    EXPECT_THAT(m.notes, says("damping and the resonant force act from order 2 on"));
    EXPECT_THAT(m.notes, testing::Not(says("not small")));
    EXPECT_THAT(multiple_scales(duffing(1, 1, 0.01, 0.01, 1.02)).notes, testing::Not(says("from order")));
    // Judged by what is there, not by what was asked for.
    EXPECT_THAT(multiple_scales(duffing(1, 1, 0.9), {.order = 1}).why, HasSubstr("not small"));
    const auto creeping = multiple_scales(duffing(1, 1, 3)).why;
    EXPECT_THAT(creeping, HasSubstr("does not oscillate"));
    EXPECT_THAT(creeping, testing::Not(HasSubstr("0i")));
}

TEST(MultipleScales, RoundingIsNoDetuning) {
    const double w = std::sqrt(9.81 / 0.4);
    auto f = spring_pendulum(0.4, std::nextafter(2 * w, 100.0), w);
    put(f, 0, 0.09, {2}), put(f, 1, 0.05, {3});
    const auto m = multiple_scales(f);
    ASSERT_EQ(m.resonances.size(), 1);
    EXPECT_EQ(m.resonances[0].detuning, 0);
    for (const auto& terms : m.modulation) {
        for (const auto& t : terms) {
            EXPECT_TRUE(t.coefficient.re == 0 || std::abs(t.coefficient.re) > 1e-10) << t.coefficient.re;
            EXPECT_TRUE(t.coefficient.im == 0 || std::abs(t.coefficient.im) > 1e-10) << t.coefficient.im;
        }
    }
}

TEST(MultipleScales, DampingAskedForDoesNotHideAQuadraticResonance) {
    auto f = spring_pendulum(1, 2, 1);
    f.Omega = f.Omega_value = 2;
    put(f, 0, 0.02, {2}), put(f, 1, 0.02, {3}), put_cos(f, 0, -0.01, {});
    EXPECT_EQ(multiple_scales(f).forcing, 2);
    EXPECT_EQ(multiple_scales(f, {.damping = 1}).forcing, 2);  // was 3: the page's formulas were of another order than its numbers
}

TEST(MultipleScales, SaysWhyNot) {
    EXPECT_FALSE(multiple_scales(modal_form({0.0}, 3)).is_ok);
    EXPECT_THAT(multiple_scales(modal_form({0.0}, 3)).why, HasSubstr("does not oscillate"));
    EXPECT_FALSE(multiple_scales(modal_form(std::vector<double>{}, 3)).is_ok);
    auto f = modal_form({1}, 3);
    put_cos(f, 0, 1.0, {});
    EXPECT_THAT(multiple_scales(f).why, HasSubstr("Ω"));
    EXPECT_THAT(multiple_scales(duffing(1, 1, 0.1, 0.1, 1), {.forcing = 1}).why, HasSubstr("ε^2"));
    auto large = modal_form(std::vector<double>{1, 1.3, 1.7, 2.1, 2.9, 3.7, 4.3, 5.9, 6.1, 7.3, 8.9, 9.7}, 5);
    for (std::size_t k = 0; k < 12; ++k) put(large, k, 1.0, {k, k, k});
    EXPECT_THAT(multiple_scales(large).why, HasSubstr("too many; use a lower order"));
}

}  // namespace
}  // namespace linkwright::perturb
