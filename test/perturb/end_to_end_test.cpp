// From the model file to the modulation equations and back to the motion: closed forms of textbooks, and the simulated motion of
// the full equations, with an error that shrinks as promised when ε is halved.

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/perturb/scales_motion.hpp"
#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using namespace numeric;
using namespace linear;
using namespace motion;
using namespace perturb;
using Set = std::vector<std::pair<std::string, double>>;
using std::numbers::pi;

/// A model with values, its equilibrium, its expansion and its scales.
struct Perturbed {
    Perturbed(const std::string& path, const Set& set, unsigned degree, const ScalesOptions& options = {})
        : Perturbed(model::read_file(project_root() + "/models/" + path), set, degree, options) {}
    Perturbed(model::Reading reading, const Set& set, unsigned degree, const ScalesOptions& options = {}) : subject(std::move(reading)) {
        for (const auto& [name, value] : set) {
            const auto problem = model::set_value(*subject.model, name, fmt::format("{:.17g}", value));
            EXPECT_FALSE(problem) << to_string(*problem);
        }
        subject.derive();
        Equilibrium e = find_equilibrium(*subject.numbers, subject.start(), {});
        EXPECT_TRUE(e.is_ok) << e.why;
        if (e.stability == Stability::unstable) {  // a linkage that begins near its upper one
            EquilibriumOptions o;
            o.starts = 20;
            for (const std::vector<Equilibrium> others = find_equilibria(*subject.numbers, subject.start(), o).found;
                 const Equilibrium& other : others) {
                if (other.stability != Stability::unstable) e = other;
            }
        }
        at = e.point;
        for (double& q : at.state.q) q = std::abs(q) < 1e-14 ? 0 : q;
        ExpansionOptions expansion;
        expansion.degree = degree;
        expansion.symbolic = false;
        const Expansion x = expand(*subject.numbers, at, expansion);
        EXPECT_TRUE(x.is_ok) << x.why;
        form = x.numeric.value();
        scales = multiple_scales(form, options);
        EXPECT_TRUE(scales.is_ok) << scales.why;
    }
    ScalesMotion compare(const Eigen::VectorXcd& A, double until, double tolerance = 1e-11) const {
        ScalesMotion m = compare_motion(*subject.numbers, at, form, scales, A, times_until(until, 100), tolerance);
        EXPECT_TRUE(m.is_ok) << m.why;
        return m;
    }

    Subject subject;
    OperatingPoint at;
    ModalForm<double> form;
    MultipleScales<double> scales;
};

/// Relative errors at ε, ε/2, …; the slope of the last step is what the order promises.
template <class ErrorAt>
void expect_order(ErrorAt error_at, double promised, double epsilon, int halvings = 3) {
    std::vector<double> errors;
    for (int i = 0; i <= halvings; ++i) errors.push_back(error_at(std::ldexp(epsilon, -i)));
    std::string all;
    for (const double e : errors) all += fmt::format(" {:.3g}", e);
    const double derivative = std::log2(errors[errors.size() - 2] / errors.back());
    EXPECT_NEAR(derivative, promised, 0.7) << "errors" << all;
    EXPECT_LT(errors.back(), errors.front()) << all;
}

Eigen::VectorXcd amplitudes(std::initializer_list<double> a) {
    Eigen::VectorXcd A(static_cast<Index>(a.size()));
    Index k = 0;
    for (const double x : a) A[k++] = x / 2;
    return A;
}

// ------------------------------------------------------------------------------------------------------------------ Duffing

const Set free_duffing{{"F", 0}, {"c", 0}};

TEST(EndToEnd, DuffingBackbone) {
    const Perturbed p("duffing/model.toml", free_duffing, 5);
    const Backbone b = backbones(p.scales).at(0);
    ASSERT_TRUE(b.exists) << b.why;
    EXPECT_NEAR(b.coefficients.at(0), 1, 1e-12);
    EXPECT_NEAR(b.coefficients.at(2), 3.0 / 8, 1e-12);
    EXPECT_NEAR(b.coefficients.at(4), -15.0 / 256, 1e-12);  // by the first harmonic; by the reach −21/256
    EXPECT_NEAR(b.in_reach.at(4), -21.0 / 256, 1e-12);
}

TEST(EndToEnd, DuffingBackboneWithUnits) {
    const double m = 2.5, k = 7.0, alpha = -3.0, w0 = std::sqrt(k / m);
    const Perturbed p("duffing/model.toml", {{"F", 0}, {"c", 0}, {"m", m}, {"k", k}, {"alpha", alpha}}, 5);
    const Backbone b = backbones(p.scales).at(0);
    EXPECT_NEAR(b.coefficients.at(2), w0 * 3 * alpha / (8 * k), 1e-12);
    EXPECT_NEAR(b.coefficients.at(4), -w0 * 15 * alpha * alpha / (256 * k * k), 1e-12);
}

TEST(EndToEnd, DuffingMotionAtEveryOrder) {
    for (const unsigned degree : {3U, 5U}) {
        const Perturbed p("duffing/model.toml", free_duffing, degree);
        expect_order([&](double e) { return p.compare(amplitudes({e}), 2 / (e * e)).relative(); }, degree - 1.0, degree == 3 ? 0.4 : 0.8);
    }
}

/// μ² + (σ − 3αa²/8)² = (k/2a)² for ω₀ = 1.                                                                        [nayfeh79 §4.1]
double primary(double a, double mu, double sigma, double alpha, double force) {
    return (mu * mu + std::pow(sigma - 3 * alpha * a * a / 8, 2)) * a * a - force * force / 4;
}

TEST(EndToEnd, DuffingPrimaryResonance) {
    // c = 2μ; three steady states, the middle one a saddle.
    const double mu = 0.01, F = 0.01, sigma = 0.06;
    const Perturbed p("duffing/model.toml", {{"F", F}, {"c", 2 * mu}, {"Omega", 1 + sigma}}, 3);
    ASSERT_FALSE(p.scales.resonances.empty());
    EXPECT_EQ(p.scales.resonances[0].kind, Resonance::Kind::primary);
    EXPECT_TRUE(p.scales.resonances[0].is_active);
    std::vector<SteadyState> states = steady_states(p.scales);
    ASSERT_EQ(states.size(), 3U);
    std::ranges::sort(states, {}, [](const SteadyState& s) { return s.a[0]; });
    EXPECT_TRUE(states[0].is_stable);
    EXPECT_FALSE(states[1].is_stable);
    EXPECT_TRUE(states[2].is_stable);
    for (const SteadyState& s : states) EXPECT_NEAR(primary(s.a[0], mu, sigma, 1, F), 0, 1e-10 * F * F) << s.a[0];
    // Whatever begins near the upper and the lower one stays there: the simulated amplitudes.
    for (const std::size_t i : {0U, 2U}) {
        const SteadyState& s = states[i];
        State start = p.at.state;
        const Eigen::VectorXcd A = Eigen::VectorXcd::Constant(1, std::polar(s.a[0] / 2, s.beta[0]));
        const ModalMotion m = motion_at(p.scales, A, 0);
        start = state_of(*p.subject.numbers, p.at, p.form, m.eta, m.eta_dot, 0);
        SimulateOptions o;
        const double period = 2 * pi / (1 + sigma), settled = 150 * period;
        o.times = {0};
        for (int j = 0; j <= 200; ++j) o.times.push_back(settled + j * period / 200);
        const Motion motion = simulate(*p.subject.numbers, start, o);
        ASSERT_TRUE(motion.is_ok()) << motion.why;
        double largest = 0;
        for (std::size_t j = 1; j < motion.rows.size(); ++j) largest = std::max(largest, std::abs(motion.rows[j][1]));
        EXPECT_NEAR(largest, s.reaches[0], sigma * largest);  // detuned by σ: so much is left out
    }
}

TEST(EndToEnd, DuffingPrimaryResonanceConverges) {
    // Damping ε², force ε³, detuning ε²: from a state near the steady one, over t ~ 1/ε².
    expect_order(
        [](double e) {
            const Perturbed p("duffing/model.toml", {{"F", e * e * e}, {"c", 0.4 * e * e}, {"Omega", 1 + 0.5 * e * e}}, 3);
            return p.compare(amplitudes({0.8 * e}), 3 / (e * e)).relative();
        },
        2, 0.3);
    // The closed form of the response itself.
    const double mu = 0.02, sigma = 0.004, F = 0.008;
    const Perturbed p("duffing/model.toml", {{"F", F}, {"c", 2 * mu}, {"Omega", 1 + sigma}}, 3);
    const auto states = steady_states(p.scales);
    ASSERT_EQ(states.size(), 1U);
    EXPECT_NEAR(primary(states[0].a[0], mu, sigma, 1, F), 0, 1e-12 * F * F);
}

TEST(EndToEnd, DuffingResponsePeaksWhereTheBackboneIs) {
    for (const bool folds : {false, true}) {
        const double mu = folds ? 0.01 : 0.02, F = 0.008;
        const Perturbed p("duffing/model.toml", {{"F", F}, {"c", 2 * mu}, {"Omega", 1}}, 3);
        const FrequencyResponse r = frequency_response(p.form, {}, 0.9, 1.15, 200);
        double peak = 0, where = 0;
        bool has_unstable = false;
        for (const ResponseBranch& b : r.branches) {
            for (const SteadyState& s : b.states) {
                if (s.a[0] > peak) peak = s.a[0], where = s.Omega;
                has_unstable |= !s.is_stable;
            }
        }
        EXPECT_NEAR(peak * where, F / (2 * mu), 0.01 * peak);                   // 2μΩa = k
        EXPECT_NEAR(where * where - 1, 0.75 * peak * peak, 0.1 * (where - 1));  // Ω² = ω₀² + ¾αa²
        EXPECT_EQ(has_unstable, folds);
    }
}

// ----------------------------------------------------------------------------------------------------------------- pendulum

TEST(EndToEnd, PendulumBackbone) {
    const Perturbed p("single_pendulum/model.toml", {}, 5);
    const double w0 = std::sqrt(1.5 * 9.81);
    const Backbone b = backbones(p.scales).at(0);
    ASSERT_TRUE(b.exists) << b.why;
    EXPECT_NEAR(b.coefficients.at(2) / w0, -1.0 / 16, 1e-12);
    EXPECT_NEAR(b.in_reach.at(2) / w0, -1.0 / 16, 1e-12);
    EXPECT_NEAR(b.in_reach.at(4) / w0, 1.0 / 3072, 1e-12);
    expect_order(
        [&](double A) {
            const double w = b.in_reach[0] + b.in_reach[2] * A * A + b.in_reach[4] * std::pow(A, 4);
            return std::abs(w / w0 - pi / (2 * std::comp_ellint_1(std::sin(A / 2))));
        },
        6, 1.6, 2);
}

TEST(EndToEnd, PendulumMotionAtEveryOrder) {
    for (const unsigned degree : {3U, 5U}) {
        const Perturbed p("single_pendulum/model.toml", {}, degree);
        expect_order([&](double e) { return p.compare(amplitudes({e}), 3 / (e * e)).relative(); }, degree - 1.0, degree == 3 ? 0.8 : 1.2);
    }
}

// ------------------------------------------------------------------------------------------------------------- van der Pol

TEST(EndToEnd, VanDerPolLimitCycle) {
    const double mu = 0.1;
    for (const unsigned degree : {3U, 5U}) {
        const Perturbed p("van_der_pol/model.toml", {{"mu", mu}}, degree);
        const std::vector<SteadyState> states = steady_states(p.scales);
        const auto cycle = std::ranges::find_if(states, [](const SteadyState& s) { return s.a[0] > 0.1; });
        const auto rest = std::ranges::find_if(states, [](const SteadyState& s) { return s.a[0] < 1e-9; });
        ASSERT_NE(cycle, states.end());
        EXPECT_TRUE(cycle->is_stable);
        if (rest != states.end()) {
            EXPECT_FALSE(rest->is_stable);
        }
        EXPECT_NEAR(cycle->a[0], 2, degree == 3 ? 1e-9 : 0.01);
        EXPECT_NEAR(cycle->frequencies[0], degree == 3 ? 1 : 1 - mu * mu / 16, 2e-6);
    }
    // The period of the simulated cycle is known: 6.287111232667 for μ = 0.1.
    const Perturbed p("van_der_pol/model.toml", {{"mu", mu}}, 5);
    const std::vector<SteadyState> states = steady_states(p.scales);
    const auto cycle = std::ranges::find_if(states, [](const SteadyState& s) { return s.a[0] > 0.1; });
    ASSERT_NE(cycle, states.end());
    EXPECT_NEAR(2 * pi / cycle->frequencies[0], 6.287111232667, 1e-5);
}

TEST(EndToEnd, VanDerPolGrowsAsPredicted) {
    // μ is ε, times are 1/ε; two more orders gain one more power.
    for (const unsigned degree : {3U, 5U}) {
        expect_order(
            [degree](double mu) {
                const Perturbed p("van_der_pol/model.toml", {{"mu", mu}}, degree);
                return p.compare(amplitudes({0.6}), 6 / mu).relative();
            },
            degree == 3 ? 1 : 2, degree == 3 ? 0.1 : 0.2);
    }
}

// ------------------------------------------------------------------------------------------------------------------- Mathieu

const double mathieu_w0 = std::sqrt(9.81 / 0.3);

/// Growth of a tiny swing by the monodromy matrix of the full equations over one period of the pivot: largest real exponent.
double simulated_growth(const Perturbed& p, double Omega) {
    const double period = 2 * pi / Omega;
    Eigen::Matrix2d monodromy;
    for (int j = 0; j < 2; ++j) {
        State s = p.at.state;
        s.q.setZero(), s.u.setZero();
        (j == 0 ? s.q : s.u)[0] = 1e-5;
        SimulateOptions o;
        o.times = {0, period};
        o.tolerance = 1e-12;
        o.absolute = 1e-18;
        o.integrator = Integrator::rk;
        const Motion m = simulate(*p.subject.numbers, s, o);
        EXPECT_TRUE(m.is_ok()) << m.why;
        monodromy.col(j) << m.rows.back()[1] / 1e-5, m.rows.back()[2] / 1e-5;
    }
    const double half = monodromy.trace() / 2, inside = half * half - monodromy.determinant();
    const double largest = inside > 0 ? std::abs(half) + std::sqrt(inside) : std::sqrt(std::abs(monodromy.determinant()));
    return std::log(largest) / period;
}

const SteadyState* rest_of(const std::vector<SteadyState>& states) {
    const auto at = std::ranges::find_if(states, [](const SteadyState& s) { return s.a[0] < 1e-9; });
    return at == states.end() ? nullptr : &*at;
}

TEST(EndToEnd, MathieuTongue) {
    // Without and with damping, on both sides of both boundaries: σ = ±√((aΩ²/2lω₀)² − (c/ml²)²).
    const double l = 0.3, m = 0.2, stroke = 0.003;
    for (const double rate : {0.0, 0.02}) {  // c/(2ml²), 1/s
        const double c = 2 * rate * m * l * l;
        const double edge = std::sqrt(std::pow(stroke * 4 * mathieu_w0 / (2 * l), 2) - 4 * rate * rate);
        for (const double part : {-1.3, -0.8, 0.0, 0.8, 1.3}) {
            const double Omega = 2 * mathieu_w0 + part * edge;
            const Perturbed p("parametric_pendulum/model.toml", {{"a", 1000 * stroke}, {"c", c}, {"Omega", Omega}}, 3);
            const auto at = std::ranges::find_if(p.scales.resonances,
                                                 [](const Resonance& r) { return r.kind == Resonance::Kind::parametric && r.is_active; });
            ASSERT_NE(at, p.scales.resonances.end());
            const auto states = steady_states(p.scales);
            const SteadyState* rest = rest_of(states);
            ASSERT_NE(rest, nullptr) << part;
            const double growth = simulated_growth(p, Omega);
            double exponent = -1e300;
            for (const auto& z : rest->exponents) exponent = std::max(exponent, z.real());
            EXPECT_NEAR(exponent, growth, 0.02 * stroke * mathieu_w0 / l + 1e-9) << part;
            if (std::abs(part) < 1) {
                EXPECT_FALSE(rest->is_stable);
                EXPECT_GT(growth, 0);
            } else {
                EXPECT_LE(growth, 1e-6);
                if (rate > 0) {
                    EXPECT_TRUE(rest->is_stable);
                }
            }
        }
    }
}

TEST(EndToEnd, MathieuGrowthConverges) {
    // At Ω = 2ω₀ a swing grows as e^(aω₀t/l), to first order in a; with one order more the error is two powers smaller than that.
    for (const unsigned order : {1U, 2U}) {
        expect_order(
            [order](double stroke) {
                ScalesOptions o;
                o.order = order, o.parametric = 1;
                const Perturbed p("parametric_pendulum/model.toml",
                                  {{"a", 1000 * stroke}, {"Omega", 2.0 * mathieu_w0 + 1.2 * stroke * mathieu_w0 / 0.3}}, 3, o);
                const auto states = steady_states(p.scales);
                const SteadyState* rest = rest_of(states);
                if (rest == nullptr) return ADD_FAILURE() << "rest is no steady state", 1.0;
                double exponent = 0;
                for (const auto& z : rest->exponents) exponent = std::max(exponent, z.real());
                return std::abs(exponent / simulated_growth(p, p.form.Omega_value) - 1);
            },
            order, 0.03);
    }
}

// ---------------------------------------------------------------------------------------------------------- spring pendulum

TEST(EndToEnd, SpringPendulumTwoToOne) {
    const double l = 0.4, w2 = std::sqrt(9.81 / l), w1 = 2 * w2;
    ScalesOptions first;
    first.order = 1;
    const Perturbed p("spring_pendulum/model.toml", {}, 3, first);
    ASSERT_EQ(p.form.omega.size(), 2U);
    EXPECT_NEAR(p.form.omega[0], w2, 1e-9);  // swing, then bounce
    EXPECT_NEAR(p.form.omega[1], w1, 1e-9);
    const auto at =
        std::ranges::find_if(p.scales.resonances, [](const Resonance& r) { return r.kind == Resonance::Kind::internal && r.is_active; });
    ASSERT_NE(at, p.scales.resonances.end());
    EXPECT_EQ(std::abs(at->multiples[0]), 2);
    EXPECT_EQ(std::abs(at->multiples[1]), 1);
    // γ = 2β_swing − β_bounce: ȧ_bounce = −(3lω₂²/8ω₁) a_swing² sin γ, ȧ_swing = (3ω₂/4l) a_bounce a_swing sin γ, and phases likewise.
    const double swing = 0.11, bounce = 0.023;
    for (const double gamma : {0.3, 1.7, -2.1}) {
        Eigen::VectorXcd A(2);
        A << std::polar(swing / 2, gamma / 2), bounce / 2;
        const Eigen::VectorXcd rate = rate_of(p.scales, A, 0);
        const auto polar_rate = [&](Index k, double w) { return (rate[k] - std::complex<double>(0, w) * A[k]) / A[k]; };  // ȧ/a + iβ̇
        const double down = 3 * l * w2 * w2 / (8 * w1), up = 3 * w2 / (4 * l);
        EXPECT_NEAR(polar_rate(0, w2).real(), up * bounce * std::sin(gamma), 1e-12);
        EXPECT_NEAR(polar_rate(0, w2).imag(), up * bounce * std::cos(gamma), 1e-12);
        EXPECT_NEAR(polar_rate(1, w1).real(), -down * swing * swing * std::sin(gamma) / bounce, 1e-12);
        EXPECT_NEAR(polar_rate(1, w1).imag(), down * swing * swing * std::cos(gamma) / bounce, 1e-12);
    }
}

TEST(EndToEnd, SpringPendulumExchangesEnergy) {
    const double l = 0.4;
    ScalesOptions first;
    first.order = 1;
    const Perturbed p("spring_pendulum/model.toml", {}, 3, first);
    const ScalesMotion m = p.compare(amplitudes({0.02, 0.02}), 60);
    const auto invariant = [&](const Eigen::VectorXcd& A) { return 4 * std::norm(A[1]) + l * l * std::norm(A[0]); };  // a₁² + l²a₂²/4
    double least = 1e300, most = 0;
    for (const Eigen::VectorXcd& A : m.A) {
        EXPECT_NEAR(invariant(A), invariant(m.A[0]), 1e-6 * invariant(m.A[0]));
        least = std::min(least, std::abs(A[1])), most = std::max(most, std::abs(A[1]));
    }
    EXPECT_LT(least, 0.3 * most);  // the bounce gives most of what it has
    EXPECT_LT(m.relative(), 0.1);
    for (const unsigned order : {1U, 2U}) {
        ScalesOptions o;
        o.order = order;
        const Perturbed q("spring_pendulum/model.toml", {}, 3, o);
        expect_order([&](double e) { return q.compare(amplitudes({0.3 * e, 0.1 * e}), 3 / e).relative(); }, order, 0.5);
    }
}

TEST(EndToEnd, SpringPendulumDetuned) {
    // k a little off: the detuning is found, and the error still shrinks when it shrinks along.
    expect_order(
        [](double e) {
            const Perturbed q("spring_pendulum/model.toml", {{"k", 4 * 0.5 * 9.81 / 0.4 * (1 + 0.2 * e)}}, 3);
            EXPECT_GT(std::abs(q.scales.resonances.at(0).detuning), 0.1 * e);
            return q.compare(amplitudes({0.3 * e, 0.1 * e}), 3 / e).relative();
        },
        2, 0.5);
}

// ----------------------------------------------------------------------------------------------------------- double pendulum

TEST(EndToEnd, DoublePendulumBackbones) {
    const Perturbed p("double_pendulum/point_masses.toml", {}, 3);
    const std::vector<Backbone> b = backbones(p.scales);
    ASSERT_EQ(b.size(), 2U);
    const double root = std::numbers::sqrt2;
    for (const std::size_t k : {0U, 1U}) {
        ASSERT_TRUE(b[k].exists) << b[k].why;
        const double sign = k == 0 ? -1 : 1, w0 = std::sqrt((2 + sign * root) * 9.81);
        EXPECT_NEAR(b[k].coefficients[0], w0, 1e-9);
        // a there is the amplitude of theta1: by the shape of the mode from the coordinate that measures it here.
        double shape = 0;
        const auto theta1 = static_cast<std::size_t>(std::ranges::find(p.form.coordinates, "theta1") - p.form.coordinates.begin());
        for (const auto& term : p.form.shapes.at(theta1)) shape += term.powers[k] == 1 && term.powers[1 - k] == 0 ? term.coefficient : 0;
        EXPECT_NEAR(b[k].coefficients[2] / w0 / (shape * shape), -(31.0 / 32 + sign * 5 * root / 8), 1e-9);
    }
}

TEST(EndToEnd, DoublePendulumMotion) {
    for (const char* file : {"double_pendulum/point_masses.toml", "double_pendulum/model.toml"}) {
        const Perturbed p(file, {}, 3);
        expect_order([&](double e) { return p.compare(amplitudes({0.3 * e, 0.2 * e}), 3 / (e * e)).relative(); }, 2, 0.5);
    }
}

// ----------------------------------------------------------------------------------------------------------- two blocks, 3:1

TEST(EndToEnd, TwoBlocksThreeToOne) {
    const Perturbed p("two_blocks/model.toml", {}, 3);
    const auto at =
        std::ranges::find_if(p.scales.resonances, [](const Resonance& r) { return r.kind == Resonance::Kind::internal && r.is_active; });
    ASSERT_NE(at, p.scales.resonances.end());
    EXPECT_EQ(std::abs(at->multiples[0]), 3);
    EXPECT_EQ(std::abs(at->multiples[1]), 1);
    // x = B₁ + B₂ + cc with one and three times the frequency: 2iω Ḃ = −½α (terms of (B₁ + B₂ + cc)³ at that frequency).
    VectorXd shape = VectorXd::Zero(2);
    const auto x = static_cast<std::size_t>(std::ranges::find(p.form.coordinates, "x") - p.form.coordinates.begin());
    for (const auto& term : p.form.shapes.at(x)) shape[term.powers[0] == 1 ? 0 : 1] = term.coefficient;
    const std::complex<double> i(0, 1);
    Eigen::VectorXcd B(2), A(2);
    B << std::polar(0.1, 0.4), std::polar(0.07, -1.1);
    A = B.cwiseQuotient(shape.cast<std::complex<double>>());
    const Eigen::VectorXcd rate = rate_of(p.scales, A, 0);
    const auto b1 = std::conj(B[0]);
    const std::complex<double> first = i / 4.0 * (3.0 * B[0] * B[0] * b1 + 6.0 * B[0] * std::norm(B[1]) + 3.0 * b1 * b1 * B[1]);
    const std::complex<double> second = i / 12.0 * (std::pow(B[0], 3) + 6.0 * std::norm(B[0]) * B[1] + 3.0 * std::norm(B[1]) * B[1]);
    EXPECT_LT(std::abs(shape[0] * rate[0] - i * B[0] - first), 1e-12);
    EXPECT_LT(std::abs(shape[1] * rate[1] - 3.0 * i * B[1] - second), 1e-12);
    expect_order([&](double e) { return p.compare(amplitudes({0.5 * e, 0.4 * e}), 2 / (e * e)).relative(); }, 2, 0.5);
}

// ------------------------------------------------------------------------------------------------------- a phase that is free

model::Reading own_model(const std::string& name) { return model::read_file(project_root() + "/test/perturb/models/" + name); }

TEST(EndToEnd, CombinationResonanceHasOneMotion) {
    // Ω = ω₁ + ω₂ + σ: ω₁c₁a₁² = ω₂c₂a₂², sin²γ = 4ω₁ω₂c₁c₂/h² with damping c₁, c₂, and ω₁(a) + ω₂(a) = Ω       [nayfeh79 §5.4]
    const Perturbed p(own_model("combination.toml"), {}, 3);
    const auto states = steady_states(p.scales);
    ASSERT_EQ(states.size(), 2U);
    EXPECT_TRUE(states[0].a.isZero(0));
    EXPECT_FALSE(states[0].is_stable);
    EXPECT_TRUE(states[1].is_stable);
    const double w1 = 1, w2 = 1.7, c1 = 0.02, c2 = 0.04, h = 0.1, b = 0.2;
    const double ratio = std::sqrt(w1 * c1 / (w2 * c2)), cosine = std::sqrt(1 - 4 * w1 * w2 * c1 * c2 / (h * h));
    const double pull = h / 4 * (ratio / w1 + 1 / (ratio * w2)) * cosine;
    const double a1 = std::sqrt((2.71 - w1 - w2 + pull) / (3 * b / 8 * (1 / w1 + ratio * ratio / w2)));
    EXPECT_NEAR(states[1].a[0], a1, 1e-9);
    EXPECT_NEAR(states[1].a[0], 0.65259, 1e-5);
    EXPECT_NEAR(states[1].a[1], ratio * a1, 1e-9);
    EXPECT_NEAR(states[1].frequencies.sum(), 2.71, 1e-12);
}

TEST(EndToEnd, TwoSelfExcitedOscillatorsGoTogetherOrAgainstEachOther) {
    // a² = 4(1 − k/e ± (k/e) cos γ), k sin γ = ω₂ − ω₁, for motions of one frequency
    const Perturbed p(own_model("two_van_der_pol.toml"), {}, 3);
    const auto states = steady_states(p.scales);
    ASSERT_EQ(states.size(), 3U);
    EXPECT_FALSE(states[0].is_stable);
    const double e = 0.05, k = 0.02, cosine = std::sqrt(1 - std::pow((std::sqrt(1.01) - 1) / k, 2));
    for (const int i : {1, 2}) {
        const double a = 2 * std::sqrt(1 - k / e + (i == 1 ? -1 : 1) * k / e * cosine);
        EXPECT_NEAR(states[i].a[0], a, 1e-6);
        EXPECT_NEAR(states[i].a[1], a, 1e-6);
        EXPECT_EQ(states[i].is_stable, i == 2);
        EXPECT_NEAR(states[i].frequencies[0], states[i].frequencies[1], 1e-12);
    }
}

// ------------------------------------------------------------------------------------------------------------- closed chains

TEST(EndToEnd, FourBarAfterReduction) {
    // A loop, reduced to one coordinate by series: quadratic terms too. The damper of the model, which would not shrink, is left out.
    std::ifstream file(project_root() + "/models/four_bar/model.toml");
    std::string text, line;
    while (std::getline(file, line)) text += line.starts_with("damping") ? "" : line + "\n";
    const Perturbed p(model::read(text, "four_bar.toml"), {}, 3);
    ASSERT_EQ(p.form.omega.size(), 1U);
    const double w = p.form.omega[0];
    expect_order([&](double e) { return p.compare(amplitudes({e}), 10 / (w * e * e)).relative(); }, 2, 0.2, 2);
}

}  // namespace
}  // namespace linkwright
