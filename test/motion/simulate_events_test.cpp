// Events, inputs, and who may end a motion.

#include <numbers>

#include "motion/subject.hpp"

namespace linkwright {
namespace {

using namespace numeric;
using namespace motion;

constexpr std::array all_integrators{Integrator::adams, Integrator::bdf, Integrator::rk, Integrator::rk4, Integrator::ida};

/// A pendulum of 1 m: point mass on a massless rod, with a torque.
struct Pendulum : Subject {
    Pendulum()
        : Subject(model::read(R"(
format = 1
name = "pendulum"
gravity = [0, -9.81, 0]
[inputs]
tau = "0"
[[body]]
name = "bob"
mass = 1
com = [0, -1, 0]
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "bob"
axis = "z"
actuator = "tau"
[initial]
theta = 0.001
)")) {
        theta = equations.q[0];
        omega = equations.u[0];
    }
    sym::Expr theta, omega;
};

TEST(Events, ASmallPendulumKeepsTime) {
    const Pendulum s;
    const double period = 2 * std::numbers::pi * std::sqrt(1 / 9.81) * (1 + 1e-6 / 16);
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = times_until(10.2 * period, 3);
        options.integrator = integrator;
        options.tolerance = 1e-11;
        options.step = 1e-3;
        options.events = {
            {"turns", s.omega, Crossing::both, false}, {"down", s.theta, Crossing::down, false}, {"up", s.theta, Crossing::up, false}};
        const Motion m = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_EQ(m.rows.size(), 4U);
        int turns = 0, downs = 0, ups = 0;
        double last = 0;
        for (const EventRecord& e : m.events) {
            EXPECT_GE(e.t, last);
            last = e.t;
            EXPECT_EQ(e.row.size(), static_cast<Index>(m.columns.size()));
            if (e.name == "turns") {
                EXPECT_NEAR(e.t, period * 0.5 * ++turns, 1e-7) << static_cast<int>(integrator);  // not at t = 0
            } else if (e.name == "down") {
                EXPECT_NEAR(e.t, period * (0.25 + downs++), 1e-7) << static_cast<int>(integrator);
                EXPECT_LT(e.row[2], 0);
            } else {
                EXPECT_NEAR(e.t, period * (0.75 + ups++), 1e-7) << static_cast<int>(integrator);
                EXPECT_GT(e.row[2], 0);
            }
        }
        EXPECT_EQ(turns, 20);
        EXPECT_EQ(downs, 10);
        EXPECT_EQ(ups, 10);
    }
}

TEST(Events, TheFirstOneThatStopsDoes) {
    const Pendulum s;
    SimulateOptions options;
    options.times = times_until(5, 50);
    options.events = {
        {"bottom", s.theta, Crossing::both, true}, {"also", 2 * s.theta, Crossing::down, false}, {"later", s.omega, Crossing::both, true}};
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, Stop::event);
    EXPECT_TRUE(m.is_ok());
    EXPECT_NEAR(m.t, 0.5015, 1e-3);
    ASSERT_EQ(m.events.size(), 2U);  // both of that moment, and nothing after it
    ASSERT_EQ(m.rows.size(), 7U);
    EXPECT_EQ(m.rows.back(), m.events.back().row);  // the last row is the state at the event
    EXPECT_EQ(m.rows.back()[0], m.t);
    EXPECT_LT(m.rows[5][0], m.t);
    EXPECT_THAT(m.why, testing::MatchesRegex("at t = 0\\.501.* the event 'bottom' stopped the motion"));
}

TEST(Events, ADipBetweenStepsIsSeen) {
    const Pendulum s;
    SimulateOptions options;
    options.times = {0, 1};
    options.tolerance = 1e-4;  // long steps
    const sym::Expr t = s.equations.t;
    options.events = {{"dip", (t - sym::Expr(1) / 2) * (t - sym::Expr(51) / 100), Crossing::down, false}};
    options.max_step = 0.03;
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.events.size(), 1U);
    EXPECT_NEAR(m.events[0].t, 0.5, 1e-12);
}

TEST(Events, WhatIsZeroAtTheStartDoesNotStopIt) {
    const Pendulum s;
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = times_until(1.5, 3);
        options.integrator = integrator;
        options.tolerance = 1e-10;
        options.events = {{"back", s.theta - sym::Expr(1) / 1000, Crossing::both, true}};
        const Motion m = simulate(*s.numbers, s.start(), options);
        EXPECT_EQ(m.stop, Stop::reached) << m.why;
        // gone on from the row where an event stopped it, the same event does not stop it again
        options.events = {{"down", s.theta, Crossing::both, true}};
        const Motion first = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(first.stop, Stop::event);
        State there = s.start();
        there.t = first.t, there.q[0] = first.rows.back()[1], there.u[0] = first.rows.back()[2];
        options.times = {first.t, 2};
        const Motion second = simulate(*s.numbers, there, options);
        EXPECT_EQ(second.stop, Stop::event);
        EXPECT_NEAR(second.t, 3 * first.t, 1e-6);
    }
}

TEST(Events, NotANumberIsToldOnce) {
    const Pendulum s;
    SimulateOptions options;
    options.times = times_until(1, 10);
    options.events = {{"root", sym::sqrt(sym::Expr(1) / 2 - s.equations.t) - 1, Crossing::both, true},
                      {"pole", 1 / (s.equations.t - sym::Expr(1) / 5), Crossing::both, true}};
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, Stop::reached) << m.why;
    ASSERT_EQ(m.warnings.size(), 1U);
    EXPECT_THAT(m.warnings[0], testing::StartsWith("event 'root' is not a number at t = 0.5"));
}

TEST(Inputs, AShortPulseIsNotSteppedOver) {
    Pendulum s;
    // far longer at rest than the pulse is wide
    s.equations.inputs[0].value = sym::exp(-sym::pow((s.equations.t - 5) / (sym::Expr(1) / 20), 2));
    s.numbers = std::make_unique<CompiledEquations>(s.equations);
    for (const Integrator integrator : {Integrator::adams, Integrator::bdf, Integrator::rk, Integrator::ida}) {
        SimulateOptions options;
        options.times = {0, 10.3};
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.numbers->zero_state(), options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_GT(m.rows.back()[column(m, "energy.total")] - m.rows.front()[column(m, "energy.total")], 3e-3);
    }
}

TEST(Run, ABallBouncesAsHighAsItFell) {
    const Subject s(model::read(R"toml(
format = 1
gravity = [0, 0, -10]
[[body]]
name = "b"
mass = 1
[[joint]]
name = "z"
type = "prismatic"
axis = "z"
parent = "ground"
child = "b"
[[force]]
on = "b"
vector = [0, 0, "if(z < 0, -1e6*z, 0)"]
[initial]
z = 1
)toml"));
    for (const Integrator integrator : {Integrator::adams, Integrator::bdf, Integrator::rk}) {
        SimulateOptions options;
        options.times = {0, 5};
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_NEAR(m.rows.back()[column(m, "energy.total")], 10, 1e-3);
        EXPECT_NEAR(m.rows.back()[1], 0.2572, 1e-3);
    }
}

TEST(Inputs, DriveThemselvesAreHeldOrDriven) {
    Pendulum s;
    s.equations.inputs[0].value = sym::sin(3 * s.equations.t);
    s.numbers = std::make_unique<CompiledEquations>(s.equations);
    State start = s.numbers->zero_state();
    SimulateOptions options;
    options.times = times_until(2, 10);
    options.tolerance = 1e-10;
    const Motion own = simulate(*s.numbers, start, options);
    ASSERT_EQ(own.stop, Stop::reached) << own.why;
    EXPECT_GT(std::abs(own.rows.back()[1]), 1e-3);
    EXPECT_LT(own.statistics.energy_error, 1e3 * options.tolerance * own.statistics.largest_kinetic);
    options.drive = [](double t, VectorXd& w) { w[0] = std::sin(3 * t); };
    const Motion driven = simulate(*s.numbers, start, options);
    EXPECT_LT(difference(own, driven, 2), 1e-9);
    options.drive = {};
    options.hold_inputs = true;
    start.w[0] = 0;
    const Motion still = simulate(*s.numbers, start, options);
    EXPECT_EQ(still.rows.back()[1], 0);
    start.w[0] = 0.5;
    EXPECT_GT(simulate(*s.numbers, start, options).rows[5][1], 1e-2);
}

TEST(Run, MayBeInterrupted) {
    const Pendulum s;
    SimulateOptions options;
    options.times = times_until(10, 100);
    options.on_step = [](double t) { return t < 4; };
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, Stop::interrupted);
    EXPECT_TRUE(m.is_ok());
    EXPECT_GE(m.t, 4);
    EXPECT_GE(m.rows.size(), 41U);
    EXPECT_LT(m.rows.size(), 60U);
    EXPECT_THAT(m.why, testing::HasSubstr("interrupted"));
}

TEST(Run, RowsStandExactlyWhereAskedFor) {
    const Pendulum s;
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = {0, 1e-9, 0.1, 0.1, 1.0 / 3, 2};
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(m.rows.size(), options.times.size()) << m.why;
        for (std::size_t i = 0; i < m.rows.size(); ++i) {
            EXPECT_EQ(m.rows[i][0], options.times[i]);
            EXPECT_NEAR(m.rows[i][1], 0.001 * std::cos(std::sqrt(9.81) * options.times[i]), 5e-9);
        }
        EXPECT_EQ(m.t, 2);
    }
    SimulateOptions none;
    EXPECT_TRUE(simulate(*s.numbers, s.start(), none).rows.empty());
    none.times = {0};
    EXPECT_EQ(simulate(*s.numbers, s.start(), none).rows.size(), 1U);
}

TEST(Run, MayStartLater) {
    Pendulum s;
    SimulateOptions options;
    options.times = {5, 6, 7};
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.rows.size(), 3U) << m.why;
    EXPECT_EQ(m.rows[0][1], 0.001);
    EXPECT_NEAR(m.rows[2][1], 0.001 * std::cos(std::sqrt(9.81) * 2), 2e-9);
}

}  // namespace
}  // namespace linkwright
