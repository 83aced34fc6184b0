// Equilibria against closed forms, reactions, finite differences; and every model of the zoo has one or says why not.

#include "linkwright/linear/equilibrium/equilibrium.hpp"

#include <fmt/format.h>

#include <numbers>

#include "linkwright/linear/equilibrium/operating.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using linear::Equilibria;
using linear::Equilibrium;
using linear::EquilibriumOptions;
using linear::Stability;
using std::numbers::pi;

Index coordinate(const eom::EquationsOfMotion& e, const std::string& name) {
    for (std::size_t i = 0; i < e.q.size(); ++i) {
        if (e.q[i].symbol().name == name) return static_cast<Index>(i);
    }
    ADD_FAILURE() << name;
    return 0;
}
Index speed(const eom::EquationsOfMotion& e, const std::string& name) {
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        if (e.u[i].symbol().name == name) return static_cast<Index>(i);
    }
    ADD_FAILURE() << name;
    return 0;
}
std::size_t parameter(const eom::EquationsOfMotion& e, const std::string& name) {
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        if (e.parameters[i].symbol.symbol().name == name) return i;
    }
    ADD_FAILURE() << name;
    return 0;
}
double output(const Subject& s, const Equilibrium& x, const std::string& name) {
    const VectorXd all = s.numbers->outputs(x.point.state, x.point.udot, x.point.lambda);
    for (std::size_t i = 0; i < s.equations.outputs.size(); ++i) {
        if (s.equations.outputs[i].name == name) return all[i];
    }
    ADD_FAILURE() << name;
    return 0;
}
/// "spin'=5": the value may be a parameter's name.
void hold(const Subject& s, EquilibriumOptions& o, const std::string& name, double value) {
    for (const auto* list : {&s.equations.q, &s.equations.u}) {
        for (const sym::Expr& x : *list) {
            if (x.symbol().name == name) o.held.push_back({name, x, value, true, list == &s.equations.u});
        }
    }
    o.is_steady |= o.held.back().is_speed;
}

Subject pendulum(double angle) {
    return Subject(model::read(fmt::format(R"(
format = 1
name = "Pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
m = 2
l = 0.5
k = 0
c = 0
[inputs]
tau = 0
[[body]]
name = "bob"
mass = "m"
com = [0, "-l", 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "bob"
axis = "z"
stiffness = "k"
damping = "c"
actuator = "tau"
[initial]
hip = "{}*deg"
)",
                                           angle),
                               "pendulum"));
}

// ---- one freedom

TEST(Equilibrium, APendulumHangsAndOneUpsideDownStays) {
    for (const double angle : {30.0, 89.0, -45.0}) {
        const Subject s = pendulum(angle);
        const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), {});
        ASSERT_TRUE(x.is_ok) << x.why;
        EXPECT_NEAR(x.point.state.q[0], 0, 1e-12);
        EXPECT_EQ(x.stability, Stability::stable) << x.verdict;
        EXPECT_TRUE(x.point.is_at_rest);
        ASSERT_EQ(x.poles.size(), 2);
        EXPECT_NEAR(std::abs(x.poles[0].imag()), std::sqrt(9.81 / 0.5), 1e-9);
    }
    const Subject level = pendulum(90);  // where the slope vanishes and descending the residual leads nowhere
    const Equilibrium fell = linear::find_equilibrium(*level.numbers, level.start(), {});
    ASSERT_TRUE(fell.is_ok) << fell.why;
    EXPECT_NEAR(fell.point.state.q[0], 0, 1e-12);
    const Subject up = pendulum(180);
    const Equilibrium x = linear::find_equilibrium(*up.numbers, up.start(), {});
    ASSERT_TRUE(x.is_ok) << x.why;
    EXPECT_NEAR(x.point.state.q[0], pi, 1e-12);
    EXPECT_EQ(x.stability, Stability::unstable) << x.verdict;
}

TEST(Equilibrium, TrimFindsWhatMustPushAndHoldingAloneSaysThatItCannotBe) {
    const Subject s = pendulum(30);
    EquilibriumOptions o;
    hold(s, o, "hip", 0.4);
    const Equilibrium stuck = linear::find_equilibrium(*s.numbers, s.start(), o);
    EXPECT_FALSE(stuck.is_ok);
    EXPECT_THAT(stuck.why, testing::HasSubstr("remains along hip'"));
    EXPECT_THAT(stuck.why, testing::HasSubstr("there is an equilibrium if "));
    o.trimmed = {0};
    const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), o);
    ASSERT_TRUE(x.is_ok) << x.why;
    EXPECT_EQ(x.point.state.q[0], 0.4);
    EXPECT_NEAR(x.point.state.w[0], 2 * 9.81 * 0.5 * std::sin(0.4), 1e-11);
    EXPECT_LT(x.point.relative_acceleration, 1e-12);
}

TEST(Equilibrium, DampingIsSeenAndAFreeFallHasNone) {
    Subject s = pendulum(20);
    model::set_value(*s.model, "c", "0.3");
    s.derive();
    EXPECT_EQ(linear::find_equilibrium(*s.numbers, s.start(), {}).stability, Stability::asymptotically_stable);
    model::set_value(*s.model, "c", "-0.3");
    s.derive();
    EXPECT_EQ(linear::find_equilibrium(*s.numbers, s.start(), {}).stability, Stability::unstable);

    const char* stone = R"(
format = 1
name = "Stone"
gravity = [0, 0, -9.81]
[[body]]
name = "stone"
mass = 3
inertia = [1, 2, 2.5]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "stone"
)";
    const Subject falling(model::read(stone, "stone"));
    const Equilibrium none = linear::find_equilibrium(*falling.numbers, falling.start(), {});
    EXPECT_FALSE(none.is_ok);
    EXPECT_THAT(none.why, testing::HasSubstr("a force of -29.43"));
    std::string weightless = stone;
    weightless.replace(weightless.find("-9.81"), 5, "0");
    const Subject floating(model::read(weightless, "stone"));
    const Equilibrium anywhere = linear::find_equilibrium(*floating.numbers, floating.start(), {});
    ASSERT_TRUE(anywhere.is_ok) << anywhere.why;
    EXPECT_EQ(anywhere.stability, Stability::neutral) << anywhere.verdict;
    // spinning about the axis of least, middle and largest inertia
    for (const auto& [name, verdict] :
         {std::pair{"fly.wx", Stability::marginal}, std::pair{"fly.wy", Stability::unstable}, std::pair{"fly.wz", Stability::marginal}}) {
        EquilibriumOptions o;
        std::string speed_name;
        for (const sym::Expr& u : floating.equations.u) {
            if (u.symbol().name.ends_with(std::string(name).substr(4))) speed_name = u.symbol().name;
        }
        ASSERT_FALSE(speed_name.empty()) << name;
        hold(floating, o, speed_name, 2);
        const Equilibrium spin = linear::find_equilibrium(*floating.numbers, floating.start(), o);
        ASSERT_TRUE(spin.is_ok) << spin.why;
        EXPECT_EQ(spin.stability, verdict) << name << ": " << spin.verdict;
    }
}

TEST(Equilibrium, AMassOnASpringSinksByItsWeight) {
    const Subject s(model::read(R"(
format = 1
name = "Spring"
gravity = [0, 0, -9.81]
[parameters]
k = 200
m = 3
L = 0.4
[[body]]
name = "mass"
mass = "m"
[[joint]]
name = "z"
type = "prismatic"
parent = "ground"
child = "mass"
axis = "-z"
[[spring]]
name = "coil"
from = "ground"
to = "mass"
stiffness = "k"
rest = "L"
[initial]
z = 0.3
)",
                                "spring"));
    const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), {});
    ASSERT_TRUE(x.is_ok) << x.why;
    EXPECT_NEAR(x.point.state.q[0], 0.4 + 3 * 9.81 / 200, 1e-12);
    EXPECT_EQ(x.stability, Stability::stable);
}

// ---- several

TEST(Equilibrium, ADoublePendulumHasFour) {
    const Subject s("models/double_pendulum/model.toml");
    EquilibriumOptions o;
    o.starts = 40;
    const std::vector<Equilibrium> all = find_equilibria(*s.numbers, s.start(), o).found;
    EXPECT_EQ(all.size(), 4u);
    int stable = 0;
    for (const Equilibrium& x : all) {
        EXPECT_TRUE(x.is_ok) << x.why;
        EXPECT_LT(x.residual, 1e-11);
        stable += x.stability == Stability::stable || x.stability == Stability::asymptotically_stable ? 1 : 0;
    }
    EXPECT_EQ(stable, 1);
}

// ---- steady motion

TEST(Equilibrium, TheGovernorOpensToItsAngle) {
    const Subject s("models/flyball_governor/model.toml");
    const VectorXd& p = s.numbers->parameters();
    const double W = p[parameter(s.equations, "W")];
    for (const double factor : {1.0, 1.1, 1.4}) {
        EquilibriumOptions o;
        hold(s, o, "spin'", factor * W);
        const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), o);
        ASSERT_TRUE(x.is_ok) << x.why;
        const double angle = std::acos((1.5 + 6) * 9.81 / (1.5 * 0.25 * factor * factor * W * W));  // W² = (m + M) g/(m l cos θ)
        EXPECT_NEAR(x.point.state.q[coordinate(s.equations, "arm1")], angle, 1e-10);
        EXPECT_NEAR(x.point.state.q[coordinate(s.equations, "arm2")], angle, 1e-10);
        EXPECT_NEAR(output(s, x, "rod1.tension"), 6 * 9.81 / (2 * std::cos(angle)), 1e-8);
        EXPECT_LT(x.point.relative_acceleration, 1e-9);
        EXPECT_NE(x.stability, Stability::unstable) << x.verdict;
        EXPECT_EQ(x.moving, std::vector<std::size_t>{static_cast<std::size_t>(coordinate(s.equations, "spin"))});
    }
}

TEST(Equilibrium, TheBicycleGoesStraightAhead) {
    const Subject s("models/bicycle/model.toml");
    for (const auto& [v, verdict] :
         {std::pair{2.0, Stability::unstable}, std::pair{5.0, Stability::asymptotically_stable}, std::pair{8.0, Stability::unstable}}) {
        EquilibriumOptions o;
        hold(s, o, "rear_spin'", -v / 0.3);
        const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), o);
        ASSERT_TRUE(x.is_ok) << x.why;
        EXPECT_NEAR(x.point.state.q[coordinate(s.equations, "lean")], 0, 1e-9);
        EXPECT_NEAR(x.point.state.u[speed(s.equations, "x'")], v, 1e-9);
        EXPECT_EQ(x.stability, verdict) << v << ": " << x.verdict;
    }
}

TEST(Equilibrium, ADiskRollsInACircleWhenItsSpeedsTurnWithIt) {
    const Subject s(model::read(R"model(
format = 1
name = "Rolling disk"
gravity = [0, 0, -9.81]
[[body]]
name = "disk"
mass = 2
inertia = [0.125, 0.25, 0.125]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "disk"
axes = ["z", "x", "y"]
coordinates = ["x", "y", "z", "yaw", "lean", "spin"]
[[rolling]]
name = "rim"
type = "disk"
on = "disk"
axis = "y"
radius = 0.5
[speeds]
ahead = "x'*cos(yaw) + y'*sin(yaw)"
aside = "y'*cos(yaw) - x'*sin(yaw)"
up = "z'"
turn = "yaw'"
tilt = "lean'"
roll = "spin'"
[initial]
lean = 0.2
[guess]
z = 0.49
)model",
                                "disk"));
    EquilibriumOptions o;
    hold(s, o, "lean", 0.2);
    hold(s, o, "roll", 5);
    const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), o);
    ASSERT_TRUE(x.is_ok) << x.why;
    // 4 g sin θ + 6 r u₂ u₃ − r u₃² tan θ = 0: the textbook's formula of the model rolling_disk
    const double turn = x.point.state.u[speed(s.equations, "turn")], r = 0.5, u2 = 5 + turn * std::sin(0.2), u3 = turn * std::cos(0.2);
    EXPECT_NEAR(4 * 9.81 * std::sin(0.2) + 6 * r * u2 * u3 - r * u3 * u3 * std::tan(0.2), 0, 1e-9);
    EXPECT_EQ(x.stability, Stability::marginal) << x.verdict;
    EXPECT_LT(x.point.relative_acceleration, 1e-9);
}

// ---- what a verdict rests on

/// A mass on a rail that feels `force`, starting at x = `from`.
Subject on_a_rail(const std::string& force, double from, const std::string& more = "") {
    return Subject(model::read(fmt::format(R"(
format = 1
name = "Rail"
[[body]]
name = "b"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "b"
actuator = "{}"
{}
[initial]
x = {}
)",
                                           force, more, from),
                               "rail"));
}

Equilibrium verdict_on(const std::string& force, double from = 0.1, const std::string& more = "") {
    const Subject s = on_a_rail(force, from, more);
    Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), {});
    EXPECT_TRUE(x.is_ok) << force << ": " << x.why;
    return x;
}

TEST(Equilibrium, AVerdictIsEarned) {
    using linear::RestsOn;
    const Equilibrium spring = verdict_on("-x");  // a force of position alone, in one freedom: it has a potential
    EXPECT_EQ(spring.stability, Stability::stable) << spring.verdict;
    EXPECT_EQ(spring.rests_on, RestsOn::energy);
    const Equilibrium brakes = verdict_on("-x'^3", 0.1, "stiffness = 1");
    EXPECT_EQ(brakes.stability, Stability::stable) << brakes.verdict;
    const Equilibrium feeds = verdict_on("x'^3", 0.1, "stiffness = 1");  // grows, though slowly
    EXPECT_EQ(feeds.stability, Stability::unstable) << feeds.verdict;
    EXPECT_EQ(feeds.rests_on, RestsOn::energy);
    EXPECT_THAT(feeds.verdict, testing::HasSubstr("supply energy"));
    // What feeds in here and brakes there decides nothing: the first of these comes to rest when it is slow, the second where it is near.
    for (const char* force : {"x'^3*(x'^2 - 0.0025)", "x'^3*(x^2 - 0.0004)"}) {
        const Equilibrium both = verdict_on(force, 0.1, "stiffness = 1");
        EXPECT_EQ(both.stability, Stability::marginal) << force << ": " << both.verdict;
        EXPECT_EQ(both.rests_on, RestsOn::neither);
        EXPECT_THAT(both.verdict, testing::HasSubstr("not decided to first order"));
        EXPECT_THAT(both.verdict, testing::HasSubstr("supply energy"));
    }
    const Equilibrium mathieu = verdict_on("-x*(1 + 0.5*cos(2*t))");
    EXPECT_EQ(mathieu.stability, Stability::undecided) << mathieu.verdict;
    EXPECT_THAT(mathieu.verdict, testing::HasSubstr("the equations depend on time explicitly"));
    const Equilibrium damped = verdict_on("-x - 0.1*x'");
    EXPECT_EQ(damped.stability, Stability::asymptotically_stable) << damped.verdict;
    EXPECT_EQ(damped.rests_on, RestsOn::first_order);
    const Equilibrium unstable = verdict_on("x - 0.1*x'", 0);
    EXPECT_EQ(unstable.stability, Stability::unstable) << unstable.verdict;
    EXPECT_EQ(unstable.rests_on, RestsOn::first_order);
    const Equilibrium drag = verdict_on("-0.1*x'");
    EXPECT_EQ(drag.stability, Stability::neutral) << drag.verdict;
}

/// One of two masses is pushed on by its own speed, the other is free or braked: nothing is said, as for more than one freedom.
TEST(Equilibrium, WhatFeedsOneOfTwoFreedomsDecidesNothing) {
    const std::string body = R"(
[[body]]
name = "b{0}"
mass = 1
[[joint]]
name = "x{0}"
type = "prismatic"
axis = "x"
parent = "ground"
child = "b{0}"
stiffness = {0}
actuator = "{1}"
)";
    for (const char* other : {"0*x2", "-x2'^3", "x2'^3"}) {
        const std::string both = fmt::format(fmt::runtime(body), 1, "x1'^3") + fmt::format(fmt::runtime(body), 2, other);
        const Subject s(model::read("format = 1\nname = \"Rails\"\n" + both, "rails"));
        const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), {});
        ASSERT_TRUE(x.is_ok) << x.why;
        EXPECT_EQ(x.stability, Stability::marginal) << other << ": " << x.verdict;
        EXPECT_EQ(x.rests_on, linear::RestsOn::neither);
    }
}

TEST(Equilibrium, NoneIsFoundAtInfinity) {
    for (const char* force : {"1/x^2", "2*x*exp(-x^2)", "exp(-x)", "2*x*exp(-x^2) - 0.1*x'"}) {
        const Subject s = on_a_rail(force, 1);
        const Equilibrium x = linear::find_equilibrium(*s.numbers, s.start(), {});
        if (std::string(force).starts_with("2*x") && x.is_ok) {  // the one at the top
            EXPECT_NEAR(x.point.state.q[0], 0, 1e-6) << force;
            EXPECT_EQ(x.stability, Stability::unstable) << x.verdict;
            continue;
        }
        EXPECT_FALSE(x.is_ok) << force << ": " << x.point.state.q[0] << " " << x.verdict;
        EXPECT_FALSE(x.why.empty());
    }
}

// ---- the zoo

class EquilibriumOfTheZoo : public testing::TestWithParam<std::string> {};

TEST_P(EquilibriumOfTheZoo, IsFoundOrItsAbsenceIsExplained) {
    const Subject s("models/" + GetParam() + "/model.toml");
    const Equilibria equilibria(*s.numbers);
    for (const bool is_steady : {false, true}) {
        EquilibriumOptions o;
        o.is_steady = is_steady;
        const Equilibrium x = equilibria.nearest(s.start(), o);
        ASSERT_TRUE(x.point.state.q.allFinite());
        if (!x.is_ok) {
            EXPECT_FALSE(x.why.empty());
            RecordProperty(is_steady ? "steady" : "rest", x.why);
            continue;
        }
        EXPECT_LT(x.residual, 1e-9);
        EXPECT_FALSE(x.verdict.empty());
        EXPECT_LT(s.numbers->residuals(x.point.state).position(), 1e-8);
        const numeric::Dynamics d = s.numbers->dynamics(x.point.state);
        const VectorXd r = d.f - d.G.transpose() * x.point.lambda;
        EXPECT_LT(r.lpNorm<Eigen::Infinity>(), 1e-7 * std::max(1.0, d.f.lpNorm<Eigen::Infinity>()));
    }
}

std::vector<std::string> zoo() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(project_root() + "/models")) {
        if (std::filesystem::exists(entry.path() / "model.toml")) names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
}
INSTANTIATE_TEST_SUITE_P(Zoo, EquilibriumOfTheZoo, testing::ValuesIn(zoo()), [](const auto& model) { return model.param; });

// ---- derivatives

/// (x(p + h) − x(p − h))/2h, found anew each time.
template <class Find>
numeric::PointDerivative finite_difference(numeric::CompiledEquations& live, std::size_t p, const Find& find) {
    const double value = live.parameters()[p], h = 1e-5 * std::max(1.0, std::abs(value));
    live.set(p, value + h);
    const numeric::OperatingPoint a = find();
    live.set(p, value - h);
    const numeric::OperatingPoint b = find();
    live.set(p, value);
    EXPECT_TRUE(a.is_ok && b.is_ok) << a.why << b.why;
    return {(a.state.q - b.state.q) / (2 * h), (a.state.u - b.state.u) / (2 * h), (a.state.w - b.state.w) / (2 * h),
            (a.udot - b.udot) / (2 * h), (a.lambda - b.lambda) / (2 * h)};
}

void expect_near(const VectorXd& a, const VectorXd& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    if (a.size() == 0) return;
    EXPECT_LT((a - b).lpNorm<Eigen::Infinity>(), 3e-6 * (1 + b.lpNorm<Eigen::Infinity>())) << what << "\n"
                                                                                           << a.transpose() << "\n"
                                                                                           << b.transpose();
}

void check_derivatives(const std::string& name, linear::Operating::At at, const std::vector<std::string>& steady = {},
                       const std::string& skipped = {}) {
    const Subject s("models/" + name + "/model.toml");
    const eom::EquationsOfMotion& e = s.equations;
    numeric::CompiledEquations live(e, test_code(), numeric::Parameters::live);
    linear::Operating what{at, s.start(), {}};
    for (const std::string& u : steady) {
        hold(s, what.options, u, what.start.u[speed(e, u)]);
        for (const eom::Initial& i : e.initial) {
            if (i.name == u) what.options.held_values.push_back(i.value);
        }
    }
    const linear::OperatingPoints points(live, what);
    const numeric::OperatingPoint here = points.find();
    ASSERT_TRUE(here.is_ok) << here.why;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        if (e.parameters[i].symbol.symbol().name != skipped) which.push_back(i);
    }
    const linear::PointDerivatives derivatives = points.derivatives(here, which);
    ASSERT_TRUE(derivatives.is_ok) << derivatives.why;
    for (std::size_t k = 0; k < which.size(); ++k) {
        const std::size_t p = which[k];
        const numeric::PointDerivative by = finite_difference(live, p, [&] { return points.find(&here); });
        const std::string label = name + " by " + e.parameters[p].symbol.symbol().name;
        expect_near(derivatives.by[k].q, by.q, label + ": q");
        expect_near(derivatives.by[k].u, by.u, label + ": u");
        expect_near(derivatives.by[k].w, by.w, label + ": w");
        expect_near(derivatives.by[k].udot, by.udot, label + ": accelerations");
        expect_near(derivatives.by[k].lambda, by.lambda, label + ": multipliers");
    }
}

TEST(EquilibriumSensitivity, AreThoseOfFiniteDifferences) {
    using At = linear::Operating::At;
    for (const char* name : {"single_pendulum", "triple_pendulum", "spatial_four_bar", "four_bar", "slider_crank"})
        check_derivatives(name, At::equilibrium);
    check_derivatives("flyball_governor", At::equilibrium, {"spin'"});
    check_derivatives("bennett", At::equilibrium, {},
                      "b");  // redundant rows: the shortest multipliers turn as the loop does; b alone would break it
    for (const char* name : {"double_pendulum", "flyball_governor", "bicycle", "four_bar"}) check_derivatives(name, At::initial);
}

}  // namespace
}  // namespace linkwright
