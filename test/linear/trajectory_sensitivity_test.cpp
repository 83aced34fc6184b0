// Sensitivities of motions: closed forms, laws of scale, and differences of motions for the whole zoo.

#include "linkwright/motion/trajectory_sensitivity.hpp"

#include <fmt/format.h>

#include <cmath>

#include "motion/subject.hpp"

namespace linkwright {
namespace {

using motion::TrajectoryOptions;
using motion::TrajectorySensitivity;

std::size_t parameter(const eom::EquationsOfMotion& e, const std::string& name) {
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        if (e.parameters[i].symbol.symbol().name == name) return i;
    }
    ADD_FAILURE() << name;
    return 0;
}

std::vector<std::size_t> all_parameters(const eom::EquationsOfMotion& e) {
    std::vector<std::size_t> all(e.parameters.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
}

Index place(const std::vector<std::string>& names, const std::string& name) {
    const auto at = std::ranges::find(names, name);
    EXPECT_NE(at, names.end()) << name;
    return static_cast<Index>(at - names.begin());
}

TrajectorySensitivity sensitivity_of(const Subject& s, const std::vector<std::string>& parameters, const std::vector<std::string>& initial,
                                     double until, int rows, double tolerance = 1e-10, motion::Integrator by = motion::Integrator::adams) {
    TrajectoryOptions o;
    o.motion.times = times_until(until, rows);
    o.motion.tolerance = tolerance;
    o.motion.integrator = by;
    for (const std::string& p : parameters) o.parameters.push_back(parameter(s.equations, p));
    for (const std::string& name : initial) o.initial.push_back(motion::find_initial(s.equations, name).value());
    return trajectory_sensitivity(*s.numbers, s.start(), o);
}

constexpr const char* oscillator = R"toml(format = 1
name = "Oscillator"
[parameters]
m = 2.0
k = 8.0
X = 0.3
V = "X*w0/3"
w0 = "sqrt(k/m)"
F = 0.7
W = 1.3
[inputs]
push = "F*cos(W*t)"
[[body]]
name = "block"
mass = "m"
inertia = [1, 1, 1]
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
stiffness = "k"
actuator = "push"
[[output]]
name = "acceleration"
expression = "x''"
[initial]
x = "X"
"x'" = "V"
)toml";

/// x(t) of the oscillator as anybody would write it.
double oscillate(double t, double m, double k, double X, double F, double W, double extra_x = 0, double extra_v = 0) {
    const double w = std::sqrt(k / m), a = F / (k - m * W * W);
    return (X + extra_x - a) * std::cos(w * t) + (X * w / 3 + extra_v) / w * std::sin(w * t) + a * std::cos(W * t);
}

TEST(TrajectorySensitivity, OfTheOscillatorIsTheDerivativeOfItsFormula) {
    const Subject s(model::read(oscillator));
    for (const auto by : {motion::Integrator::adams, motion::Integrator::bdf}) {
        const double tolerance = by == motion::Integrator::adams ? 1e-11 : 1e-9;
        const TrajectorySensitivity r = sensitivity_of(s, {"m", "k", "X", "F", "W"}, {"x", "x'"}, 10, 20, tolerance, by);
        ASSERT_TRUE(r.is_ok) << r.why;
        ASSERT_EQ(r.times.size(), 21u);
        EXPECT_EQ(r.by.back(), "x'(0)");
        const double h = 1e-3;
        for (std::size_t i = 0; i < r.times.size(); ++i) {
            const double t = r.times[i];
            for (Index k = 0; k < 7; ++k) {
                const auto at = [&](double d) {
                    std::array<double, 7> p{2, 8, 0.3, 0.7, 1.3, 0, 0};
                    p[k] += d;
                    return oscillate(t, p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
                };
                const double derivative = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
                EXPECT_NEAR(r.derivatives[i](0, k), derivative, 2e2 * tolerance + 1e-9) << r.by[k] << " at " << t;
            }
            // accelerations too: m ẍ = F cos Wt − k x
            const Index a = place(r.of, "acceleration");
            EXPECT_NEAR(r.derivatives[i](a, 5), -4 * r.derivatives[i](0, 5), 1e-9);
            EXPECT_NEAR(r.derivatives[i](a, 3), (std::cos(1.3 * t) - 8 * r.derivatives[i](0, 3)) / 2, 1e-9);
        }
    }
}

/// Weight is all that drives these from rest, so q is a function of t√g: ∂q/∂g = t q̇/2g.
class Weight : public testing::TestWithParam<const char*> {};
TEST_P(Weight, TurnsUpTheClock) {
    Subject s(std::string("models/") + GetParam() + "/model.toml");
    numeric::State start = s.start();
    start.u.setZero();
    TrajectoryOptions o;
    o.motion.times = times_until(1, 10);
    o.motion.tolerance = 1e-10;
    o.parameters = {parameter(s.equations, "g")};
    o.start_follows = false;
    const TrajectorySensitivity r = trajectory_sensitivity(*s.numbers, start, o);
    ASSERT_TRUE(r.is_ok) << r.why;
    const double g = s.numbers->parameters()[o.parameters[0]];
    const Index nq = start.q.size();
    for (std::size_t i = 0; i < r.times.size(); ++i) {
        numeric::State at{r.times[i], r.values[i].head(nq), r.values[i].segment(nq, start.u.size()), start.w};
        const VectorXd expected = r.times[i] / (2 * g) * s.numbers->coordinate_rates(at);
        EXPECT_LT((r.derivatives[i].col(0).head(nq) - expected).cwiseAbs().maxCoeff(), 1e-7 * (1 + expected.cwiseAbs().maxCoeff()))
            << r.times[i];
    }
}
INSTANTIATE_TEST_SUITE_P(Of, Weight,
                         testing::Values("single_pendulum", "double_pendulum", "triple_pendulum", "spatial_four_bar", "bricard",
                                         "rod_pendulum"));

/// The period of a pendulum with its amplitude: T'(a) from the sensitivities after whole periods, T = 4K(sin a/2)/ω0.
TEST(TrajectorySensitivity, KnowsHowThePeriodGrowsWithTheAmplitude) {
    const Subject s(model::read(R"toml(format = 1
name = "Pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
a = 1.0
[[body]]
name = "bob"
mass = 1
[[joint]]
name = "angle"
type = "revolute"
parent = "ground"
child = "bob"
child_at = [0, 1, 0]
axis = "z"
[initial]
angle = "a"
)toml"));
    const double w0 = std::sqrt(9.81);
    const auto period = [&](double a) { return 4 * std::comp_ellint_1(std::sin(a / 2)) / w0; };
    const double T = period(1), h = 1e-3, derivative = (period(1 + h) - period(1 - h)) / (2 * h);
    TrajectoryOptions o;
    o.motion.times = {0, 3 * T};
    o.motion.tolerance = 1e-11;
    o.parameters = {parameter(s.equations, "a")};
    o.initial = {motion::find_initial(s.equations, "angle").value()};
    const TrajectorySensitivity r = trajectory_sensitivity(*s.numbers, s.start(), o);
    ASSERT_TRUE(r.is_ok) << r.why;
    // u(3T(a); a) = 0 for every a: ∂u/∂a + u̇ 3T' = 0 with u̇ = −ω0² sin a
    EXPECT_NEAR(r.derivatives[1](1, 0), 3 * derivative * w0 * w0 * std::sin(1.0), 1e-5);
    EXPECT_NEAR(r.derivatives[1](0, 0), 1, 1e-7);
    EXPECT_LT((r.derivatives[1].col(0) - r.derivatives[1].col(1)).norm(), 1e-9);
}

/// Motions from starts assembled anew at changed parameters.
void expect_differences_of_motions(const Subject& s, double until) {
    const eom::EquationsOfMotion& e = s.equations;
    numeric::CompiledEquations live(e, test_code(), numeric::Parameters::live);
    TrajectoryOptions o;
    o.motion.times = times_until(until, 3);
    o.motion.tolerance = 1e-11;
    o.parameters = all_parameters(e);
    const TrajectorySensitivity r = trajectory_sensitivity(live, s.start(), o);
    ASSERT_TRUE(r.is_ok) << r.why;
    ASSERT_EQ(r.times.size(), 4u);
    EXPECT_LT(r.position, 1e-9 * (1 + r.derivatives.back().cwiseAbs().maxCoeff()));
    const Index states = e.q.size() + e.u.size();
    for (std::size_t k = 0; k < o.parameters.size(); k += 1 + o.parameters.size() / 10) {  // some of many
        const double p = s.numbers->parameters()[o.parameters[k]], h = 2e-4 * (p == 0 ? 1 : std::abs(p));
        std::array<VectorXd, 4> there;
        bool is_fine = true;
        for (int i = 0; i < 4 && is_fine; ++i) {
            numeric::CompiledEquations changed(e, test_code(), numeric::Parameters::live);
            changed.set(o.parameters[k], p + h * std::array{-2, -1, 1, 2}[i]);
            const numeric::AssembledState a = numeric::assemble(changed, numeric::wanted(changed));
            is_fine = a.is_ok();
            if (!is_fine) break;
            const motion::Motion m = motion::simulate(changed, a.state, o.motion);
            is_fine = m.stop == motion::Stop::reached;
            if (is_fine) there[i] = m.rows.back().segment(1, states);
        }
        ASSERT_TRUE(is_fine) << r.by[k];
        const VectorXd difference = (8 * (there[2] - there[1]) - (there[3] - there[0])) / (12 * h);
        const VectorXd exact = r.derivatives.back().col(k).head(states);
        const double noise = 100 * o.motion.tolerance * there[0].cwiseAbs().maxCoeff() / h;
        const double allowed = 1e-5 * (1 + difference.cwiseAbs().maxCoeff()) + noise;
        Index worst = 0;
        const double off = (difference - exact).cwiseAbs().maxCoeff(&worst);
        EXPECT_LT(off, allowed) << r.by[k] << ": " << r.of[worst] << " " << exact[worst] << " and " << difference[worst];
    }
}

class MotionOfTheZoo : public testing::TestWithParam<const char*> {};
TEST_P(MotionOfTheZoo, AgreesWithDifferencesOfMotions) {
    const std::string name = GetParam();
    expect_differences_of_motions(Subject("models/" + name + "/model.toml"), name == "andrews_squeezer" ? 0.005
                                                                             : name == "chain10"        ? 0.05
                                                                                                        : 0.3);
}
INSTANTIATE_TEST_SUITE_P(Of, MotionOfTheZoo,
                         testing::Values("double_pendulum", "four_bar", "rolling_disk", "satellite", "slider_crank", "spinning_top",
                                         "driven_crank", "andrews_squeezer", "ship_pendulum", "gyrostat", "knife_edge_sleigh", "gear_train",
                                         "flyball_governor", "rod_pendulum", "kapitza_pendulum", "cart_pole", "bicycle", "biped", "chain10",
                                         "mufti_closed", "mufti_tree", "satellite_with_arms", "screw_press", "single_pendulum",
                                         "spatial_four_bar", "stanford_arm", "stewart_platform", "triple_pendulum"));

constexpr const char* four_bar_from_a_guess = R"toml(format = 1
name = "Four-bar that closes near a guess, and nothing of it is held"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
d = 1.0
a = 0.4
b = 0.9
c = 0.7
k = 6
rest = 1.0
first = 1.0
[[body]]
name = "crank"
mass = "2*a"
com = ["a/2", 0, 0]
inertia = [0, 0, "a^3/6"]
points = {{ tip = ["a", 0, 0] }}
[[body]]
name = "coupler"
mass = "2*b"
com = ["b/2", 0.05, 0]
inertia = [0, 0, "b^3/6"]
points = {{ tip = ["b", 0, 0] }}
[[body]]
name = "rocker"
mass = "2*c"
com = ["c/2", 0, 0]
inertia = [0, 0, "c^3/6"]
points = {{ tip = ["c", 0, 0] }}
[[joint]]
name = "alpha"
type = "revolute"
parent = "ground"
child = "crank"
stiffness = "k"
rest = "rest"
damping = 0.2
[[joint]]
name = "beta"
type = "revolute"
parent = "crank"
parent_at = "tip"
child = "coupler"
[[joint]]
name = "gamma"
type = "revolute"
parent = "ground"
parent_at = ["d", 0, 0]
child = "rocker"
[[joint]]
name = "pin"
type = "revolute"
parent = "coupler"
parent_at = "tip"
child = "rocker"
child_at = "tip"
cut = true
{}
)toml";

/// The start itself moves with the lengths, along the loop too; the guess is far from any start.
TEST(TrajectorySensitivity, FollowsAStartThatOnlyAGuessDecides) {
    for (const char* guess :
         {"[guess]\nalpha = 'first'\nbeta = -0.7\ngamma = 1.8", "[guess]\nalpha = 'first'\nbeta = -0.3\ngamma = 1.2",
          "[initial]\n\"beta'\" = 1.5\n[guess]\nalpha = 0.7\nbeta = -0.2\ngamma = 'first'", "[guess]\npin = 1.6\nalpha = 'first'"}) {
        SCOPED_TRACE(guess);
        expect_differences_of_motions(Subject(model::read(fmt::format(four_bar_from_a_guess, guess))), 0.3);
    }
}

/// By values at the beginning: two motions from starts that differ by what start_sensitivity says.
class Beginnings : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(Beginnings, MoveTheEnd) {
    Subject s(std::string("models/") + GetParam().first + "/model.toml");
    TrajectoryOptions o;
    o.motion.times = times_until(0.3, 1);
    o.motion.tolerance = 1e-11;
    const auto what = motion::find_initial(s.equations, GetParam().second);
    ASSERT_TRUE(what);
    o.initial = {*what};
    const TrajectorySensitivity r = trajectory_sensitivity(*s.numbers, s.start(), o);
    ASSERT_TRUE(r.is_ok) << r.why;
    const double h = 1e-4;
    std::array<VectorXd, 2> there;
    for (const int side : {-1, 1}) {
        std::vector<numeric::Wanted> wanted = numeric::wanted(*s.numbers);
        const auto at = std::ranges::find_if(wanted, [&](const numeric::Wanted& w) { return w.what == what->what && w.is_held; });
        const Index i = place(r.of, GetParam().second);
        if (at != wanted.end()) {
            at->value += side * h;
        } else {
            wanted.push_back({what->name, what->what, r.values.front()[i] + side * h, true, what->is_speed});
        }
        const numeric::AssembledState a = numeric::assemble(*s.numbers, wanted);
        ASSERT_TRUE(a.is_ok()) << a.why;
        there[side > 0] =
            simulate(*s.numbers, a.state, o.motion).rows.back().segment(1, static_cast<Index>(s.equations.q.size() + s.equations.u.size()));
    }
    const VectorXd difference = (there[1] - there[0]) / (2 * h);
    EXPECT_LT((difference - r.derivatives.back().col(0).head(difference.size())).cwiseAbs().maxCoeff(),
              2e-5 * (1 + difference.cwiseAbs().maxCoeff()));
}
INSTANTIATE_TEST_SUITE_P(Of, Beginnings,
                         testing::Values(std::pair{"triple_pendulum", "q2"}, std::pair{"four_bar", "alpha"},
                                         std::pair{"four_bar", "alpha'"}, std::pair{"rolling_disk", "lean"},
                                         std::pair{"rolling_disk", "spin'"}, std::pair{"satellite", "q2"},
                                         std::pair{"satellite", "base.wy"}, std::pair{"slider_crank", "shaft"}, std::pair{"bennett", "q1"},
                                         std::pair{"knife_edge_sleigh", "heading"}));

/// A Bennett linkage moves only because its lengths and twists agree.
TEST(TrajectorySensitivity, SaysWhatCannotChange) {
    const Subject s("models/bennett/model.toml");
    const TrajectorySensitivity r = sensitivity_of(s, {"b"}, {}, 0.1, 1);
    EXPECT_FALSE(r.is_ok);
    EXPECT_FALSE(r.is_wrong_input);
    EXPECT_THAT(r.why, testing::HasSubstr("cannot follow when b changes"));
    const TrajectorySensitivity mass = sensitivity_of(s, {"g"}, {}, 0.1, 1);
    EXPECT_TRUE(mass.is_ok) << mass.why;
    const Subject bar("models/four_bar/model.toml");
    const TrajectorySensitivity held = sensitivity_of(bar, {}, {"beta"}, 0.1, 1);
    EXPECT_FALSE(held.is_ok);
    EXPECT_TRUE(held.is_wrong_input);
    EXPECT_THAT(held.why, testing::HasSubstr("beta(0) is not free"));
}

}  // namespace
}  // namespace linkwright
