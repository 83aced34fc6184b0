// When the numbers will not: every failure has a sentence with its time, and keeps the rows before it.

#include "motion/subject.hpp"

namespace linkwright {
namespace {

using namespace numeric;
using namespace motion;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::array all_integrators{Integrator::adams, Integrator::bdf, Integrator::rk, Integrator::rk4, Integrator::ida};

std::string slider(const std::string& force, const std::string& more = "") {
    return R"(
format = 1
name = "slider"
[inputs]
push = "0"
[[body]]
name = "block"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
actuator = ")" +
           force + R"("
[initial]
x = 1
)" + more;
}

/// It failed, said so, and what it had is there and finite.
void expect_failure(const Motion& m, double earliest, double latest) {
    EXPECT_EQ(m.stop, Stop::failed);
    EXPECT_FALSE(m.is_ok());
    EXPECT_THAT(m.why, StartsWith("at t = "));
    EXPECT_GE(m.t, earliest) << m.why;
    EXPECT_LE(m.t, latest) << m.why;
    for (const VectorXd& row : m.rows) {
        EXPECT_TRUE(row.allFinite());
        EXPECT_LE(row[0], m.t);
    }
}

TEST(Failures, AForceThatIsNotANumber) {
    const Subject s(model::read(slider("-1/sqrt(x - 1/2)")));
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = times_until(3, 300);
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.start(), options);
        expect_failure(m, 0.5, 1);
        EXPECT_GT(m.rows.size(), 50U);
        EXPECT_THAT(m.why, testing::AnyOf(HasSubstr("the force along speed x' is not finite"), HasSubstr("the error stays too large"),
                                          HasSubstr("too short for this precision")))
            << static_cast<int>(integrator);
    }
}

TEST(Failures, AnInputThatIsNotANumber) {
    const Subject s(model::read(slider("push")));
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = times_until(2, 20);
        options.integrator = integrator;
        options.drive = [](double t, VectorXd& w) { w[0] = std::sqrt(1.25 - t); };
        const Motion m = simulate(*s.numbers, s.start(), options);
        expect_failure(m, 1.2, 1.26);
        EXPECT_EQ(m.rows.size(), 14U);
        EXPECT_NEAR(m.rows.back()[0], 1.25, 0.02);  // the last state, beside the rows asked for
        EXPECT_THAT(m.why, AllOf(StartsWith("at t = 1.2"), HasSubstr("input push is not finite"))) << static_cast<int>(integrator);
    }
}

TEST(Failures, AnOutputThatIsNotANumber) {
    Subject s(model::read(slider("push")));
    s.equations.outputs.push_back({"logarithm", sym::log(1 - 2 * s.equations.t)});
    s.numbers = std::make_unique<CompiledEquations>(s.equations);
    SimulateOptions options;
    options.times = times_until(1, 10);
    const Motion m = simulate(*s.numbers, s.start(), options);
    expect_failure(m, 0.49, 0.61);
    EXPECT_EQ(m.rows.size(), 5U);
    EXPECT_THAT(m.why, HasSubstr("logarithm is not finite"));
}

TEST(Failures, NotANumberFromTheStart) {
    const Subject s(model::read(slider("1/(x - 1)")));
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = times_until(1, 10);
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.start(), options);
        expect_failure(m, 0, 0);
        EXPECT_TRUE(m.rows.empty());
        EXPECT_EQ(m.why, "at t = 0 the force along speed x' is not finite");
    }
}

TEST(Failures, AMotionThatRunsAway) {
    const Subject s(model::read(slider("x^3")));  // infinite in finite time
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = times_until(20, 100);
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.start(), options);
        expect_failure(m, 1, 5);
        EXPECT_GT(m.rows.size(), 8U);
        EXPECT_LT(m.statistics.cpu_seconds, 2);
    }
}

TEST(Failures, TooMuchWork) {
    const Subject s("models/chain10/model.toml");
    SimulateOptions options;
    options.times = times_until(10, 100);
    options.max_steps = 200;
    const Motion m = simulate(*s.numbers, s.start(), options);
    expect_failure(m, 1e-3, 1);
    EXPECT_THAT(m.why, HasSubstr("200 steps have been taken"));
}

TEST(Failures, AChangePoint) {
    // a parallelogram when it is stretched out: two ways to go on
    Subject s("models/four_bar/model.toml");
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"base", "0.35"}, {"c", "0.1"}, {"a", "0.1"}})
        ASSERT_FALSE(model::set_value(*s.model, name, value));
    s.derive();
    int with_last_state = 0;
    for (const ConstraintStabilization keep :
         {ConstraintStabilization::projection, ConstraintStabilization::baumgarte, ConstraintStabilization::partition,
          ConstraintStabilization::nullspace, ConstraintStabilization::none}) {
        for (const Integrator integrator : all_integrators) {
            SimulateOptions options;
            options.times = times_until(1, 100);
            options.keep = keep;
            options.integrator = integrator;
            options.at_singular = AtSingular::stop;
            const Motion m = simulate(*s.numbers, s.start(), options);
            expect_failure(m, 0.329, 0.3293);
            // the rows asked for, and the last state unless that step was a long one
            EXPECT_TRUE(m.rows.size() == 33U || m.rows.size() == 34U) << m.rows.size();
            with_last_state += m.rows.size() == 34U && m.rows.back()[0] > 0.32 ? 1 : 0;
            EXPECT_THAT(m.why, AllOf(HasSubstr("the constraints lose rank (knee.x) near"), HasSubstr("alpha = 3.14")));
        }
    }
    EXPECT_GE(with_last_state, 20);
}

constexpr const char* point = R"(
format = 1
gravity = [0, 0, -10]
[[body]]
name = "b"
mass = 1
[[joint]]
name = "o"
type = "translation"
parent = "ground"
child = "b"
coordinates = ["x", "y", "z"]
)";

template <typename Check>
void every_way(const Subject& s, double until, Check check) {
    const State start = s.start();
    for (const ConstraintStabilization keep :
         {ConstraintStabilization::projection, ConstraintStabilization::baumgarte, ConstraintStabilization::partition,
          ConstraintStabilization::nullspace, ConstraintStabilization::none}) {
        for (const Integrator integrator : all_integrators) {
            SimulateOptions options;
            options.times = times_until(until, 100);
            options.keep = keep;
            options.integrator = integrator;
            SCOPED_TRACE(std::to_string(static_cast<int>(keep)) + " " + std::to_string(static_cast<int>(integrator)));
            check(simulate(*s.numbers, start, options));
        }
    }
}

TEST(Failures, ConstraintsThatContradictEachOther) {
    const std::string speeds = R"(
[[constraint]]
nonholonomic = "x' - 1"
[[constraint]]
nonholonomic = "x' + y' - 2"
[[constraint]]
nonholonomic = "y' - 1 - 0.5*t"
)";
    every_way(Subject(model::read(point + speeds)), 1, [](const Motion& m) {
        expect_failure(m, 0, 0);
        EXPECT_THAT(m.why, AllOf(HasSubstr("the constraints contradict each other: constraint"), HasSubstr("in acceleration")));
    });
    // agreed at the start, not for long
    const std::string later = R"toml(
[[constraint]]
holonomic = "x - sin(t)"
[[constraint]]
holonomic = "x - sin(t) - 0.1*t^3"
)toml";
    every_way(Subject(model::read(point + later)), 1, [](const Motion& m) {
        expect_failure(m, 0, 0.01);
        EXPECT_LE(m.rows.size(), 2U);  // the start, and the last state before it shows
        EXPECT_THAT(m.why, HasSubstr("the constraints contradict each other: constraint"));
    });
}

TEST(Failures, WhatIsMerelySaidTwiceGoesOn) {
    const std::string twice = R"toml(
[[constraint]]
holonomic = "x - sin(t)"
[[constraint]]
holonomic = "2*x - 2*sin(t)"
[[constraint]]
nonholonomic = "y' - x"
[[constraint]]
nonholonomic = "y' + x' - x - cos(t)"
)toml";
    every_way(Subject(model::read(point + twice)), 2, [](const Motion& m) {
        EXPECT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_THAT(m.warnings, testing::Contains(
                                    AllOf(StartsWith("constraints are redundant: rank 2 of 4 rows"), HasSubstr("redundant: constraint"))));
    });
}

TEST(Failures, AStartInASingularPosition) {
    // from rest: the cross x y = 0 from its middle, and a parallelogram that is stretched out
    const auto expect_told = [](const Motion& m) {
        expect_failure(m, 0, 0.05);
        EXPECT_THAT(m.why, HasSubstr("singular"));
        EXPECT_THAT(m.why, HasSubstr("nearby"));
    };
    const std::string cross = R"(
[[constraint]]
holonomic = "x*y"
[initial]
x = 0
y = 0
)";
    every_way(Subject(model::read(point + cross)), 1, expect_told);
    const auto expect_straight = [](const Motion& m) {
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_NEAR(m.rows.back()[column(m, "x")], 0, 1e-6);
        EXPECT_THAT(m.notes, testing::Contains(HasSubstr("leaves it along the branch y'")));
    };
    every_way(Subject(model::read(point + cross + "\"y'\" = 1\n")), 1, expect_straight);
    Subject s("models/four_bar/model.toml");
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"base", "0.35"}, {"c", "0.1"}, {"a", "0.1"}})
        ASSERT_FALSE(model::set_value(*s.model, name, value));
    s.derive();
    State start = s.start();
    for (const double speed : {0.0, 1.0}) {
        for (const Integrator integrator : all_integrators) {
            SimulateOptions options;
            options.times = times_until(1, 100);
            options.integrator = integrator;
            // alpha, beta, delta all along the base
            start.q.setZero();
            start.u << speed, -speed, speed;
            const Motion m = simulate(*s.numbers, start, options);
            if (speed == 0)
                expect_told(m);
            else
                EXPECT_EQ(m.stop, Stop::reached) << m.why;
        }
    }
}

TEST(Failures, ADeadPointOfARodThatGrows) {
    // no further than 1 from the ground, and pulled there: the one row of the constraint vanishes
    const Subject s(model::read(R"(
format = 1
[[body]]
name = "a"
mass = 1
inertia = [0, 0, 0.1]
[[body]]
name = "b"
mass = 1
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
[[joint]]
name = "p"
type = "revolute"
parent = "ground"
child = "a"
[[joint]]
name = "k"
type = "revolute"
parent = "a"
parent_at = [0.5, 0, 0]
child = "b"
[[rod]]
name = "rod"
from = "ground"
to = "b.com"
length = "0.9 + 0.1*t"
[initial]
p = 0
[guess]
k = 0.9
)"));
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.times = times_until(2, 100);
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.start(), options);
        expect_failure(m, 0.95, 1.01);
        EXPECT_THAT(m.why, HasSubstr("the constraints lose rank (rod)")) << static_cast<int>(integrator);
    }
}

TEST(Failures, NearAChangePointItGoesOn) {
    Subject s("models/four_bar/model.toml");
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{{"base", "0.36"}, {"c", "0.1"}, {"a", "0.095"}})
        ASSERT_FALSE(model::set_value(*s.model, name, value));
    s.derive();
    SimulateOptions options;
    options.times = times_until(2, 100);
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    EXPECT_LT(m.statistics.energy_error, 1e3 * options.tolerance * m.statistics.largest_kinetic);
}

TEST(Failures, ADiskThatFallsFlat) {
    const Subject s("models/rolling_disk/model.toml");
    ASSERT_FALSE(s.equations.branches.empty());
    State start = s.start();
    SimulateOptions options;
    options.times = times_until(10, 1000);
    // at rest but for a lean: it falls over
    start.u.setZero();
    const Motion m = simulate(*s.numbers, start, options);
    expect_failure(m, 0.01, 10);
    EXPECT_THAT(m.why, testing::AnyOf(HasSubstr("wrong side"), HasSubstr("lose rank"))) << m.why;
    EXPECT_GT(m.rows.size(), 5U);
}

TEST(Failures, AJointThatTurnsToItsWrongSide) {
    Subject s("models/four_bar/model.toml");
    const State start = s.start();
    SimulateOptions options;
    options.times = times_until(1, 100);
    for (const int sign : {1, -1}) {
        s.equations.branches = {{"knee", sign * sym::cos(s.equations.q[0])}};
        s.numbers = std::make_unique<CompiledEquations>(s.equations);
        const Motion m = simulate(*s.numbers, start, options);
        EXPECT_THAT(m.why, HasSubstr("'knee' gets to its wrong side"));
        if (sign > 0) {
            expect_failure(m, 0.03, 0.2);  // where the crank passes a right angle
            EXPECT_NEAR(m.rows.back()[1], 1.5, 0.1);
        } else {
            expect_failure(m, 0, 0);
            EXPECT_TRUE(m.rows.empty());
        }
    }
}

TEST(Failures, SomethingWithoutInertia) {
    Subject s(model::read(slider("push")));
    s.equations.M[0][0] = s.equations.q[0] - 1;
    s.equations.a.clear();  // or M would not be looked at
    s.numbers = std::make_unique<CompiledEquations>(s.equations);
    SimulateOptions options;
    options.times = times_until(1, 10);
    for (const Integrator integrator : all_integrators) {
        options.integrator = integrator;
        const Motion m = simulate(*s.numbers, s.start(), options);
        expect_failure(m, 0, 0);
        EXPECT_THAT(m.why, HasSubstr("the acceleration of speed x' is not finite"));
    }
    // and a closed chain of which nothing has mass: two sliders on one rod
    Subject chain("models/four_bar/model.toml");
    for (auto& row : chain.equations.M) {
        for (sym::Expr& entry : row) entry = 0 * entry;
    }
    const State start = chain.start();
    chain.numbers = std::make_unique<CompiledEquations>(chain.equations);
    const Motion m = simulate(*chain.numbers, start, options);
    expect_failure(m, 0, 0);
    EXPECT_THAT(m.why, HasSubstr("no inertia"));
}

TEST(Failures, OptionsThatMakeNoSense) {
    const Subject s(model::read(slider("push")));
    SimulateOptions options;
    options.times = {0, 2, 1};
    EXPECT_THAT(simulate(*s.numbers, s.start(), options).why, HasSubstr("do not ascend"));
    options.times = {0, 1};
    options.tolerance = 0;
    EXPECT_THAT(simulate(*s.numbers, s.start(), options).why, HasSubstr("tolerance"));
    options.tolerance = 1e-18;
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_TRUE(m.stop == Stop::reached || !m.why.empty());
}

}  // namespace
}  // namespace linkwright
