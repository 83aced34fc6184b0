#include "linkwright/analysis/expansion.hpp"

#include <random>

#include "motion/subject.hpp"

namespace linkwright::analysis {
namespace {

model::Reading read_text(const char* text, const char* file) { return model::read(text, file); }

/// About the equilibrium near the state, found by Newton's method on the mean force inside; tests give good starts.
Expansion expand_at(const Subject& subject, const State& state, const ExpansionOptions& options = {}) {
    return expand(*subject.numbers, operating_point(*subject.numbers, state), options);
}

double value_of(const ModalForm<double>& form, std::size_t mode, const VectorXd& x, double t) {
    double sum = x[static_cast<Index>(2 * form.omega.size() + mode)] + form.omega[mode] * form.omega[mode] * x[static_cast<Index>(mode)];
    for (const auto& term : form.terms[mode]) {
        double product = 1;
        for (std::size_t v = 0; v < term.powers.size(); ++v) product *= std::pow(x[static_cast<Index>(v)], term.powers[v]);
        const double phase = term.harmonic * form.Omega_value * t;
        sum += product * (term.coefficient.re * std::cos(phase) - term.coefficient.im * std::sin(phase));
    }
    return sum;
}

/// The same from the equations themselves: speeds as state_of gives them, their rates by differences, projected on ∂u/∂η̇.
VectorXd exact(const Subject& subject, const OperatingPoint& at, const ModalForm<double>& form, const VectorXd& x, double t) {
    const Index n = static_cast<Index>(form.omega.size());
    const VectorXd eta = x.head(n), rate = x.segment(n, n), acceleration = x.tail(n);
    const auto along = [&](double h) { return state_of(*subject.numbers, at, form, eta + h * rate + h * h / 2 * acceleration, rate + h * acceleration, t + h); };
    const double h = 2e-3 / std::ranges::max(form.omega_value);
    const VectorXd near = (along(h).u - along(-h).u) / (2 * h), far = (along(2 * h).u - along(-2 * h).u) / (4 * h);
    const VectorXd udot = (4 * near - far) / 3;
    const State state = along(0);
    const Dynamics d = subject.numbers->dynamics(state);
    const VectorXd R = d.M * udot - d.f;
    const auto projected = [&](const VectorXd& on, const VectorXd& middle, Index k) {
        const VectorXd W = state_of(*subject.numbers, at, form, middle, VectorXd::Unit(n, k), t).u - state_of(*subject.numbers, at, form, middle, VectorXd::Zero(n), t).u;
        return W.dot(on);
    };
    VectorXd r(n);
    for (Index k = 0; k < n; ++k) {
        const State centre = state_of(*subject.numbers, at, form, VectorXd::Zero(n), VectorXd::Unit(n, k), t);
        const State still = state_of(*subject.numbers, at, form, VectorXd::Zero(n), VectorXd::Zero(n), t);
        const VectorXd W = centre.u - still.u;
        r[k] = projected(R, eta, k) / W.dot(subject.numbers->dynamics(still).M * W);
    }
    return r;
}

/// The remainder must fall as the power degree + 1 of the size of the motion, or faster.
void check_remainder(const Subject& subject, const OperatingPoint& at, const ModalForm<double>& form, double size, const std::string& name) {
    const Index n = static_cast<Index>(form.omega.size());
    std::mt19937 random(11);
    std::uniform_real_distribution<double> real(-1, 1);
    VectorXd x(3 * n);
    for (Index i = 0; i < 3 * n; ++i) x[i] = real(random) * std::pow(form.omega_value[static_cast<std::size_t>(i % n)], static_cast<double>(i / n));
    const double t = form.Omega_value > 0 ? 0.37 / form.Omega_value : 0;
    const auto remainder = [&](double e) {
        const VectorXd r = exact(subject, at, form, e * x, t);
        double largest = 0;
        for (std::size_t k = 0; k < form.omega.size(); ++k) largest = std::max(largest, std::abs(value_of(form, k, e * x, t) - r[static_cast<Index>(k)]) / std::pow(form.omega_value[k], 2));
        return largest;
    };
    const double one = remainder(size), half = remainder(size / 2);
    if (std::getenv("LINKWRIGHT_SHOW")) std::printf("%-24s n %ld  remainder %.3g  %.3g  slope %.3f\n", name.c_str(), static_cast<long>(n), one, half, std::log2(one / half));
    EXPECT_TRUE(half < 3e-9 * size || std::log2(one / half) > form.degree + 0.6) << name << ": " << one << " then " << half;
}

constexpr const char* pendulum = R"(
format = 1
name = "pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
m = 2
l = 0.5
[[body]]
name = "bob"
mass = "m"
com = [0, "-l", 0]
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "bob"
axis = "z"
)";

const ModalTerm<double>* find(const std::vector<ModalTerm<double>>& terms, std::vector<std::uint8_t> powers, int harmonic = 0) {
    for (const auto& term : terms) {
        if (term.powers == powers && term.harmonic == harmonic) return &term;
    }
    return nullptr;
}

TEST(Expansion, OfAPendulumIsTheSeriesOfTheSine) {
    const Subject subject(read_text(pendulum, "pendulum.toml"));
    const Expansion x = expand_at(subject, subject.numbers->zero_state(), {.degree = 5, .kept = {}});
    ASSERT_TRUE(x.is_ok) << x.why;
    const ModalForm<double>& form = *x.numeric;
    const double w2 = 9.81 / 0.5;
    EXPECT_NEAR(form.omega[0], std::sqrt(w2), 1e-13);
    ASSERT_EQ(form.terms[0].size(), 2U);
    ASSERT_TRUE(find(form.terms[0], {3, 0, 0}));
    EXPECT_NEAR(find(form.terms[0], {3, 0, 0})->coefficient.re, -w2 / 6, 1e-12);
    EXPECT_NEAR(find(form.terms[0], {5, 0, 0})->coefficient.re, w2 / 120, 1e-12);
}

TEST(Expansion, UprightIsRefused) {
    const Subject subject(read_text(pendulum, "pendulum.toml"));
    State state = subject.numbers->zero_state();
    state.q[0] = 3.14159265358979323846;
    const Expansion x = expand_at(subject, state);
    EXPECT_FALSE(x.is_ok);
    EXPECT_THAT(x.why, testing::HasSubstr("does not oscillate (λ = -19.62"));
    state.q[0] = 0.3;
    EXPECT_THAT(expand_at(subject, state).why, testing::HasSubstr("no equilibrium"));
}

TEST(Expansion, RemainderFallsAsPromised) {
    struct Case {
        const char* model;
        std::map<std::string, double> start;
        double size;
    };
    for (const Case& c : std::vector<Case>{{"double_pendulum", {}, 0.2}, {"triple_pendulum", {}, 0.1}, {"lynch_triple_pendulum", {}, 0.1}}) {
        const Subject subject(std::string("models/") + c.model + "/model.toml");
        State state = subject.numbers->zero_state();
        const Expansion x = expand_at(subject, state);
        ASSERT_TRUE(x.is_ok) << c.model << ": " << x.why;
        check_remainder(subject, operating_point(*subject.numbers, state), *x.numeric, c.size, c.model);
    }
}

}  // namespace
}  // namespace linkwright::analysis
