// Positions, velocities and orientations of points by their names, in forces, events, control and outputs: against the same written out by
// hand, against differences of positions, and a quarter of a car against its closed form.

#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "linkwright/model/read.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/frequency.hpp"
#include "linkwright/session/prove.hpp"
#include "linkwright/session/simulate.hpp"
#include "session/subject.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Eigen::Index;

Session from(const std::string& text, const OpenOptions& options = {}) {
    const auto opened = session::open_text(text, "m.toml", options);
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

double output(const EvaluatedState& r, const std::string& name) {
    const auto at = std::ranges::find(r.names.outputs, name);
    EXPECT_NE(at, r.names.outputs.end()) << name;
    return r.evaluation.outputs[at - r.names.outputs.begin()];
}

NamedState random_state(const std::vector<std::string>& names, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> between(-0.5, 0.5);
    NamedState s;
    for (const std::string& name : names) s.values.emplace_back(name, between(random));
    return s;
}

/// An arm of two links; what acts follows.
std::string two_links(const std::string& rest) {
    return R"~(format = 1
gravity = [0, "-g", 0]
[parameters]
g = 9.81
k = 300
c = 7
[[body]]
name = "upper"
mass = 2
inertia = [0.1, 0.2, 0.3]
com = [0.5, 0, 0]
points = { elbow = [1, 0, 0] }
[[body]]
name = "lower"
mass = 1
inertia = [0.1, 0.2, 0.3]
com = [0.4, 0, 0]
points = { tip = [0.8, 0.1, 0] }
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "upper"
[[joint]]
name = "b"
type = "revolute"
parent = "upper"
parent_at = "elbow"
child = "lower"
)~" + rest;
}

TEST(Points, PushAsTheSameWrittenOutByHand) {
    const std::string named = two_links(R"~([[force]]
on = "lower.tip"
vector = ["-k*lower.tip.x - c*lower.tip.x'", "-k*max(0, -lower.com.y)", 0]
[[torque]]
on = "upper"
vector = [0, 0, "-c*upper.xy - k*upper.xx' - upper.y'"]
[[spring]]
from = "ground"
to = "lower.tip"
stiffness = "k"
damping = "c*upper.elbow.y^2"
)~");
    const std::string by_hand = two_links(R"~([[force]]
on = "lower.tip"
vector = ["-k*(cos(a) + 0.8*cos(a + b) - 0.1*sin(a + b)) - c*(-sin(a)*a' - (0.8*sin(a + b) + 0.1*cos(a + b))*(a' + b'))",
          "-k*max(0, -(sin(a) + 0.4*sin(a + b)))", 0]
[[torque]]
on = "upper"
vector = [0, 0, "c*sin(a) + k*sin(a)*a'"]
[[spring]]
from = "ground"
to = "lower.tip"
stiffness = "k"
damping = "c*sin(a)^2"
)~");
    for (const char* formulation : {"kane", "lagrange", "newton_euler", "recursive"}) {
        for (unsigned seed = 1; seed <= 3; ++seed) {
            const StateWords state{.values = random_state({"a", "b", "a'", "b'"}, seed)};
            const auto ours = evaluate(from(named, {.formulation = formulation}), {.state = state});
            const auto theirs = evaluate(from(by_hand, {.formulation = "kane"}), {.state = state});
            ASSERT_TRUE(ours && theirs) << to_string(ours.problems);
            const bool has_bodies_speeds = std::string(formulation) == "newton_euler";
            if (has_bodies_speeds) continue;  // proved below
            EXPECT_LT((ours->evaluation.accelerations - theirs->evaluation.accelerations).norm(),
                      1e-10 * theirs->evaluation.accelerations.norm())
                << formulation;
        }
    }
    const auto proof = prove(from(named));
    ASSERT_TRUE(proof) << to_string(proof.problems);
}

/// Outputs of a mechanism in motion, and their rates beside what differences of them give.
void expect_rates(const std::string& text, const std::vector<std::string>& coordinates, const std::vector<std::string>& names) {
    std::string with = text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        with += fmt::format(
            "[[output]]\nname = \"value{0}\"\nexpression = \"{1}\"\n[[output]]\nname = \"rate{0}\"\nexpression = \"{1}'\"\n", i, names[i]);
        with += fmt::format("[[output]]\nname = \"second{0}\"\nexpression = \"{1}''\"\n", i, names[i]);
    }
    const Session s = from(with);
    std::vector<std::string> all = coordinates;
    for (const std::string& q : coordinates) all.push_back(q + "'");
    const NamedState now = random_state(all, 7);
    const auto middle = evaluate(s, {.state = {.values = now}});
    ASSERT_TRUE(middle) << to_string(middle.problems);
    const double h = 1e-5;
    const auto moved = [&](double step) {
        NamedState n = now;
        n.t += step;
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const double u = now.values[coordinates.size() + i].second;
            const auto at = std::ranges::find(middle->names.accelerations, coordinates[i] + "''") - middle->names.accelerations.begin();
            const double udot = middle->evaluation.accelerations[at];
            n.values[i].second += step * u + step * step * udot / 2;
            n.values[coordinates.size() + i].second += step * udot;
        }
        return evaluate(s, {.state = {.values = n}});
    };
    const auto before = moved(-h), after = moved(h);
    ASSERT_TRUE(before && after);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string n = std::to_string(i);
        const double rate = (output(*after, "value" + n) - output(*before, "value" + n)) / (2 * h),
                     second = (output(*after, "rate" + n) - output(*before, "rate" + n)) / (2 * h);
        EXPECT_NEAR(output(*middle, "rate" + n), rate, 1e-6 * (1 + std::abs(rate))) << names[i];
        EXPECT_NEAR(output(*middle, "second" + n), second, 1e-5 * (1 + std::abs(second))) << names[i];
    }
}

TEST(Points, HaveRates) {
    expect_rates(two_links(R"~([[output]]
name = "seen"
position = "lower.tip"
in = "upper"
relative_to = "ground"
[[output]]
name = "reach"
expression = "sqrt(lower.tip.x^2 + lower.tip.y^2) + 0.1*sin(3*t)"
[[spring]]
name = "rope"
from = "ground"
to = "lower.tip"
stiffness = 10
)~"),
                 {"a", "b"}, {"lower.tip.x", "lower.com.y", "upper.xy", "lower.yy", "seen.x", "seen.y", "reach", "rope.length"});
}

TEST(Points, OfBeamsHaveRates) {
    expect_rates(R"~(format = 1
[[body]]
name = "arm"
type = "beam"
length = 1
mass_per_length = 2
bending = { y = 50 }
shapes = { y = { family = "clamped-free", count = 2 } }
points = { gauge = { at = 0.4, offset = [0, 0.05, 0] } }
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "arm"
)~",
                 {"a", "arm.y1", "arm.y2"}, {"arm.tip.y", "arm.gauge.x", "arm.com_now.y", "arm.com.x", "arm.gauge.xx"});
}

TEST(Points, AreWhereOutputsSeeThem) {
    const Session s = from(R"~(format = 1
[[body]]
name = "arm"
type = "beam"
length = 1
mass_per_length = 2
bending = { y = 50 }
shapes = { y = { family = "clamped-free", count = 1 } }
points = { gauge = { at = 0.4, offset = [0, 0.05, 0] } }
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "arm"
[[output]]
name = "seen"
position = "arm.gauge"
[[output]]
name = "x"
expression = "arm.gauge.x"
[[output]]
name = "y"
expression = "arm.gauge.y"
)~");
    const auto r = evaluate(s, {.state = {.values = NamedState{.values = {{"a", 0.4}, {"arm.y1", 0.3}}}}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_DOUBLE_EQ(output(*r, "x"), output(*r, "seen.x"));
    EXPECT_DOUBLE_EQ(output(*r, "y"), output(*r, "seen.y"));
}

TEST(Points, OfGivenMotionsAndTurningJointsHaveRates) {
    const std::string text = R"~(format = 1
[[body]]
name = "base"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "ball"
mass = 1
inertia = [1, 2, 3]
com = [0.1, 0.2, 0.3]
points = { tip = [1, 2, 3] }
[[joint]]
name = "shake"
type = "prismatic"
parent = "ground"
child = "base"
axis = "x"
[[joint]]
name = "turn"
type = "gimbal"
parent = "base"
child = "ball"
[[motion]]
coordinate = "shake"
equals = "0.3*sin(5*t)"
)~";
    expect_rates(text, {"turn.1", "turn.2", "turn.3"}, {"ball.tip.x", "ball.tip.z", "base.x", "ball.zx"});
}

TEST(Points, OfClosedChainsPush) {  // a point of a loop, tied to the wall by what a spring would do
    const auto text = [](const std::string& tie) {
        return R"~(format = 1
gravity = [0, -9.81, 0]
[ground]
points = { wall = [0.5, 2, 0] }
[[body]]
name = "crank"
mass = 1
inertia = [0, 0, 0.1]
com = [0.25, 0, 0]
points = { end = [0.5, 0, 0] }
[[body]]
name = "coupler"
mass = 1
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
points = { end = [1, 0, 0], tip = [0.5, 0.4, 0] }
[[body]]
name = "rocker"
mass = 1
inertia = [0, 0, 0.1]
com = [0.4, 0, 0]
points = { end = [0.8, 0, 0] }
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "crank"
[[joint]]
name = "b"
type = "revolute"
parent = "crank"
parent_at = "end"
child = "coupler"
[[joint]]
name = "c"
type = "revolute"
parent = "ground"
parent_at = [1, 0, 0]
child = "rocker"
[[joint]]
name = "d"
type = "revolute"
parent = "coupler"
parent_at = "end"
child = "rocker"
child_at = "end"
cut = true
[initial]
a = 1
"a'" = 2
[guess]
c = 1.5
)~" + tie;
    };
    const auto ours = evaluate(from(text(R"~([[output]]
name = "length"
expression = "sqrt((coupler.tip.x - ground.wall.x)^2 + (coupler.tip.y - ground.wall.y)^2)"
[[force]]
on = "coupler.tip"
vector = ["-(40 + 3*length'/length)*(coupler.tip.x - 0.5)", "-(40 + 3*length'/length)*(coupler.tip.y - 2)", 0]
)~")));
    const auto spring = evaluate(from(text("[[spring]]\nfrom = \"ground.wall\"\nto = \"coupler.tip\"\nstiffness = 40\ndamping = 3\n")));
    ASSERT_TRUE(ours && spring) << to_string(ours.problems);
    EXPECT_LT((ours->evaluation.accelerations - spring->evaluation.accelerations).norm(), 1e-9 * spring->evaluation.accelerations.norm());
    EXPECT_LT(ours->evaluation.potential, spring->evaluation.potential);  // an applied force stores nothing
}

TEST(Points, OfChainsAreThoseOfTheInstance) {
    const std::string text = R"~(format = 1
[[chain]]
name = "link"
ports = ["base"]
[[chain.body]]
name = "rod"
mass = 1
inertia = [1, 1, 1]
points = { tip = [1, 0, 0] }
[[chain.joint]]
name = "pin"
type = "revolute"
parent = "base"
child = "rod"
[[chain.force]]
on = "rod.tip"
vector = ["base.y", "-10*rod.tip.y - rod.tip.y'", 0]
[[instance]]
of = "link"
name = "link"
count = 2
base = "ground"
next = { base = "rod.tip" }
)~";
    std::string by_hand = text.substr(0, text.find("[[chain.force]]")) + text.substr(text.find("[[instance]]"));
    by_hand += R"~([[force]]
on = "link1.rod.tip"
vector = [0, "-10*sin(link1.pin) - cos(link1.pin)*link1.pin'", 0]
[[force]]
on = "link2.rod.tip"
vector = ["sin(link1.pin)", "-10*(sin(link1.pin) + sin(link1.pin + link2.pin)) - cos(link1.pin)*link1.pin' - cos(link1.pin + link2.pin)*(link1.pin' + link2.pin')", 0]
)~";
    const StateWords state{.values = random_state({"link1.pin", "link2.pin", "link1.pin'", "link2.pin'"}, 3)};
    const auto ours = evaluate(from(text), {.state = state}), theirs = evaluate(from(by_hand), {.state = state});
    ASSERT_TRUE(ours && theirs) << to_string(ours.problems);
    EXPECT_LT((ours->evaluation.accelerations - theirs->evaluation.accelerations).norm(), 1e-11);
    const model::Reading read = model::read(text, "m.toml");
    ASSERT_TRUE(read.model);
    const auto again = evaluate(from(model::write(*read.model)), {.state = state});
    ASSERT_TRUE(again) << to_string(again.problems);
    EXPECT_LT((again->evaluation.accelerations - theirs->evaluation.accelerations).norm(), 1e-11);
}

TEST(Points, AJointCalledAsItsBodyComesFirst) {
    const Session s = from(R"~(format = 1
[[body]]
name = "hub"
mass = 1
[[joint]]
name = "hub"
type = "translation"
parent = "ground"
parent_at = [0, 0, 5]
child = "hub"
[[output]]
name = "coordinate"
expression = "hub.z"
[[output]]
name = "place"
expression = "hub.origin.z"
)~");
    const auto r = evaluate(s, {.state = {.values = NamedState{.values = {{"hub.z", 2}}}}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(output(*r, "coordinate"), 2);
    EXPECT_EQ(output(*r, "place"), 7);
}

TEST(Points, AreInEvents) {
    const Session s = from(two_links(
        "[initial]\na = 1\nb = 0.3\n[[event]]\nname = \"low\"\nwhen = \"lower.tip.y - 0.2\"\ndirection = \"falling\"\naction = \"stop\"\n"
        "[[output]]\nname = \"y\"\nexpression = \"lower.tip.y\"\n"));
    const auto r = simulate(s, {.rows = {.until = 3}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const Table table = r->table();
    EXPECT_LT(table.rows.back()[0], 1);
    EXPECT_NEAR(table.rows.back()[static_cast<Index>(*table.find("y"))], 0.2, 1e-8);
}

// ------------------------------------------------------------------------------------------------------- quarter car

TEST(QuarterCar, PassesTheRoadOnAsItsClosedFormSays) {
    using Complex = std::complex<double>;
    const Session car = opened("quarter_car/model.toml");
    const std::vector<double> omega{0.5, 3, 7.6, 12, 30, 67, 200};
    const auto r = frequency(car, {.from = {"zr"}, .to = {"height", "comfort", "load"}, .frequencies = omega});
    ASSERT_TRUE(r) << to_string(r.problems);
    const double ms = 320, mu = 45, ks = 22000, cs = 1500, kt = 190000, ct = 120;
    for (std::size_t i = 0; i < omega.size(); ++i) {
        const Complex s(0, omega[i]), suspension = cs * s + ks, tyre = ct * s + kt, above = ms * s * s + suspension;
        const Complex d = above * (mu * s * s + suspension + tyre) - suspension * suspension;
        const Complex height = suspension * tyre / d, hub = above * tyre / d;
        const Complex expected[] = {height, s * s * height, tyre * (1.0 - hub)};
        for (std::size_t k = 0; k < 3; ++k) {
            const linear::Channel& c = r->transfer.channels[k];
            const Complex found = std::polar(c.magnitude[i], c.phase[i] * std::numbers::pi / 180);
            EXPECT_LT(std::abs(found - expected[k]), 1e-9 * std::abs(expected[k])) << c.to << " at " << omega[i];
        }
    }
}

TEST(QuarterCar, LeavesTheRoadBehindABump) {
    const Session car = opened("quarter_car/trailing_arm.toml");
    const auto r = simulate(car, {.rows = {.until = 1, .samples = 1000}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const Table table = r->table();
    const auto load = static_cast<Index>(*table.find("load"));
    EXPECT_NEAR(table.rows.front()[load], 365 * 9.81, 1e-2);  // at rest the tyre carries the weight
    double least = 1e9, most = 0;
    for (const auto& row : table.rows) least = std::min(least, row[load]), most = std::max(most, row[load]);
    EXPECT_EQ(least, 0);
    EXPECT_GT(most, 2 * 365 * 9.81);
    const auto error = static_cast<Index>(*table.find("energy.error"));
    for (const auto& row : table.rows) EXPECT_LT(std::abs(row[error]), 1e-4);
}

TEST(Points, StopAMotionAsEventsOfTheFileDo) {
    const std::string falls = two_links("[initial]\na = 0.5\nb = 0.3\n");
    const auto ended = [](const Session& s, const std::vector<std::string>& stop) {
        const auto r = simulate(s, {.rows = {.until = 5, .samples = 5}, .tolerance = 1e-10, .stop = stop});
        EXPECT_TRUE(r) << to_string(r.problems);
        return r ? r->motion.t : NAN;
    };
    const auto by_file = [&](const std::string& when) {
        return ended(from(falls + "[[event]]\nname = \"e\"\nwhen = \"" + when + "\"\naction = \"stop\"\n"), {});
    };
    for (const char* when : {"lower.tip.y + 1", "lower.x - 0.2", "lower.tip.x' + 1.5", "upper.xy - 0.6", "lower.com.y' + lower.y + 2"}) {
        const double there = by_file(when), here = ended(from(falls), {when});
        EXPECT_LT(there, 5) << when;
        EXPECT_NEAR(here, there, 1e-9) << when;
    }
    const auto stop = [&](const std::string& words) {
        return to_string(simulate(from(falls), {.rows = {.until = 1}, .stop = {words}}).problems);
    };
    EXPECT_THAT(stop("falling lower.tpi.y"), ::testing::HasSubstr("did you mean 'lower.tip.y'?"));
    EXPECT_THAT(stop("lower.tip.y''"), ::testing::HasSubstr("needs accelerations or multipliers"));
    EXPECT_THAT(stop("lower.tip.y'''"), ::testing::HasSubstr("unknown name"));
}

}  // namespace
}  // namespace linkwright::test
