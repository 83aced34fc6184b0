// Inverse dynamics along the path of a tool, of outputs and of joints that close loops: positions against closed forms, forces fed forward
// again, and what is said where a path cannot be followed.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/inverse.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/session/write_files.hpp"
#include "session/subject.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Eigen::Index;
using Eigen::VectorXd;
using ::testing::HasSubstr;

Session from(const std::string& text) {
    const auto opened = session::open_text(text, "m.toml", {});
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}
VectorXd column(const Table& table, const std::string& name) {
    const auto at = table.find(name);
    EXPECT_TRUE(at) << name;
    VectorXd x(static_cast<Index>(table.rows.size()));
    for (Index i = 0; i < x.size(); ++i) x[i] = at ? table.rows[static_cast<std::size_t>(i)][static_cast<Index>(*at)] : NAN;
    return x;
}

const std::vector<std::string> circle{"tool.x = 0.1*cos(2*pi*t)", "tool.y = 0.1*sin(2*pi*t)", "tool.z = -0.8 + 0.05*sin(4*pi*t)"};

TEST(ToolPath, OfTheDeltaRobotIsThatOfItsClosedForm) {
    const auto r = inverse(opened("delta_robot/model.toml"), {.motion = circle, .rows = {.until = 1, .samples = 40}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const Table table = r->table();
    const VectorXd t = column(table, "t"), x = column(table, "tool.x"), y = column(table, "tool.y"), z = column(table, "tool.z");
    const double Rb = 0.2, rp = 0.06, La = 0.3, Lb = 0.8;
    for (Index i = 0; i < t.size(); ++i) {
        const double turn = 2 * std::numbers::pi * t[i];
        EXPECT_NEAR(x[i], 0.1 * std::cos(turn), 1e-12);
        EXPECT_NEAR(y[i], 0.1 * std::sin(turn), 1e-12);
        EXPECT_NEAR(z[i], -0.8 + 0.05 * std::sin(2 * turn), 1e-12);
        for (int leg = 0; leg < 3; ++leg) {  // the middle of each pair of rods has their length
            const double phi = leg * 2 * std::numbers::pi / 3, theta = column(table, fmt::format("leg{}.theta", leg + 1))[i];
            const double along = x[i] * std::cos(phi) + y[i] * std::sin(phi) + rp - Rb - La * std::cos(theta),
                         across = -x[i] * std::sin(phi) + y[i] * std::cos(phi), up = z[i] + 0.05 + La * std::sin(theta);
            EXPECT_NEAR(std::hypot(along, across, up), Lb, 1e-12);
        }
    }
}

TEST(ToolPath, OfTheDeltaRobotIsFollowedWhenItsTorquesAreFedForward) {
    const Session robot = opened("delta_robot/model.toml");
    const auto r = inverse(robot, {.motion = circle, .rows = {.until = 1, .samples = 200}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const TemporaryFile torques("torques.csv", to_csv(r->table()));
    const auto again = simulate(robot, {.rows = {.until = 1, .samples = 20}, .start_from = torques.path(), .inputs = torques.path()});
    ASSERT_TRUE(again) << to_string(again.problems);
    const Table table = again->table();
    const VectorXd t = column(table, "t"), x = column(table, "tool.x"), y = column(table, "tool.y"), z = column(table, "tool.z");
    for (Index i = 0; i < t.size(); ++i) {
        const double turn = 2 * std::numbers::pi * t[i];
        EXPECT_NEAR(x[i], 0.1 * std::cos(turn), 1e-6);
        EXPECT_NEAR(y[i], 0.1 * std::sin(turn), 1e-6);
        EXPECT_NEAR(z[i], -0.8 + 0.05 * std::sin(2 * turn), 1e-6);
    }
    // what the bearings carry is the same, there and back
    const Table there = r->table();
    for (const char* name : {"leg1.shoulder.fz", "leg2.ballp.fx", "leg3.elbowm.ty", "leg1.power"}) {
        const VectorXd a = column(there, name), b = column(table, name);
        for (Index i = 0; i < b.size(); ++i) EXPECT_NEAR(b[i], a[10 * i], 1e-4 * (1 + a.cwiseAbs().maxCoeff())) << name;
    }
}

TEST(ToolPath, ShouldersCarryTheWeight) {
    const auto r = inverse(opened("delta_robot/model.toml"),
                           {.motion = {"tool.x = 0.05", "tool.y = -0.1", "tool.z = -0.85"}, .rows = {.until = 1, .samples = 1}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const Table table = r->table();
    const auto sum = [&](const std::string& part) {
        return column(table, "leg1.shoulder." + part)[0] + column(table, "leg2.shoulder." + part)[0] +
               column(table, "leg3.shoulder." + part)[0];
    };
    EXPECT_NEAR(sum("fz"), (3 * 0.6 + 6 * 0.12 + 0.8) * 9.81, 1e-10);
    EXPECT_NEAR(sum("fx"), 0, 1e-10);
    EXPECT_NEAR(sum("fy"), 0, 1e-10);
}

/// Two links of 1 m in a plane, with motors.
std::string arm(const std::string& rest = "") {
    return R"~(format = 1
gravity = [0, -9.81, 0]
[inputs]
m1 = 0
m2 = 0
[[body]]
name = "upper"
mass = 2
inertia = [0, 0, 0.2]
com = [0.5, 0, 0]
[[body]]
name = "lower"
mass = 1
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
points = { tip = [1, 0, 0] }
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "upper"
actuator = "m1"
[[joint]]
name = "b"
type = "revolute"
parent = "upper"
parent_at = [1, 0, 0]
child = "lower"
actuator = "m2"
[[output]]
name = "tip"
position = "lower.tip"
[[output]]
name = "v"
velocity = "lower.tip"
[[output]]
name = "pin"
reaction = "a"
[initial]
a = 0.3
b = 1
)~" + rest;
}

TEST(ToolPath, OfAnArmHasTheForcesOfItsJoints) {
    const Session s = from(arm());
    const auto by_tip = inverse(s, {.motion = {"tip.x = 1.2 + 0.3*sin(t)", "tip.y = 0.5*cos(2*t)"}, .rows = {.until = 2, .samples = 400}});
    ASSERT_TRUE(by_tip) << to_string(by_tip.problems);
    const Table table = by_tip->table();
    const VectorXd t = column(table, "t"), vx = column(table, "v.x"), a = column(table, "a"), b = column(table, "b");
    for (Index i = 0; i < t.size(); ++i) {
        EXPECT_NEAR(vx[i], 0.3 * std::cos(t[i]), 1e-11);
        const double reach = std::pow(1.2 + 0.3 * std::sin(t[i]), 2) + std::pow(0.5 * std::cos(2 * t[i]), 2);
        EXPECT_NEAR(std::cos(b[i]), reach / 2 - 1, 1e-12);
        EXPECT_GT(b[i], 0);  // it stays on the branch where it began
    }
    const TemporaryFile joints("joints.csv", to_csv(table));  // joints and outputs: it is read for its joints
    const auto by_joints = inverse(s, {.motion = {joints.path()}, .rows = {.times = {0.5, 1, 1.5}}});
    ASSERT_TRUE(by_joints) << to_string(by_joints.problems);
    for (const char* name : {"m1", "m2", "pin.fx", "pin.fy"}) {
        const VectorXd there = column(table, name), here = column(by_joints->table(), name);
        for (Index i = 0; i < 3; ++i) EXPECT_NEAR(here[i], there[100 * (i + 1)], 2e-4 * there.cwiseAbs().maxCoeff()) << name;
    }
}

TEST(ToolPath, ComesFromSamplesOfOutputs) {
    std::string csv = "t,tip.x,tip.y\n";
    for (int i = 0; i <= 100; ++i) csv += fmt::format("{},{},{}\n", 0.02 * i, 1.2 + 0.3 * std::sin(0.02 * i), 0.5 * std::cos(0.04 * i));
    const TemporaryFile path("path.csv", csv);
    const auto r = inverse(from(arm()), {.motion = {path.path()}, .rows = {.times = {0.5, 1}}});
    const auto exact = inverse(from(arm()), {.motion = {"tip.x = 1.2 + 0.3*sin(t)", "tip.y = 0.5*cos(2*t)"}, .rows = {.times = {0.5, 1}}});
    ASSERT_TRUE(r && exact) << to_string(r.problems);
    EXPECT_NEAR(column(r->table(), "m1")[1], column(exact->table(), "m1")[1], 1e-2);
}

TEST(ToolPath, StartsFarAway) {  // the start of the model is on the other side
    const auto r = inverse(from(arm()), {.motion = {"tip.x = -1.5 - 0.1*t", "tip.y = -0.2"}, .rows = {.until = 1, .samples = 4}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_NEAR(column(r->table(), "tip.x")[4], -1.6, 1e-12);
}

TEST(ToolPath, SaysWhereItEnds) {
    const auto beyond = inverse(from(arm()), {.motion = {"tip.x = 1 + t", "tip.y = 0.2"}, .rows = {.until = 2, .samples = 8}});
    EXPECT_EQ(beyond.status, Status::numerical_failure);
    ASSERT_TRUE(beyond.value);
    EXPECT_EQ(beyond.value->table().rows.size(), 4);  // up to t = 0.75; the edge is at t = 0.98997
    EXPECT_THAT(first_error(beyond), HasSubstr("at t = 0.98997"));
    EXPECT_THAT(first_error(beyond), HasSubstr("a singular position"));
    const auto nowhere = inverse(from(arm()), {.motion = {"tip.x = 3", "tip.y = t"}, .rows = {.until = 2, .samples = 8}});
    EXPECT_EQ(nowhere.status, Status::numerical_failure);
    EXPECT_THAT(first_error(nowhere), HasSubstr("at t = 0: the prescribed motion cannot be followed: tip.x is out of reach, by "));
    const auto stretched = inverse(from(arm()), {.motion = {"tip.x = 2", "tip.y = 0"}, .rows = {.until = 2, .samples = 8}});
    EXPECT_THAT(first_error(stretched), HasSubstr("at t = 0: a singular position"));
}

TEST(ToolPath, SaysWhatCannotBePrescribed) {
    const auto error = [](const std::vector<std::string>& motion) {
        return first_error(inverse(from(arm()), {.motion = motion, .rows = {.until = 1, .samples = 4}}));
    };
    EXPECT_EQ(error({"v.x = 1", "tip.y = 0"}), "--motion: the output 'v.x' is not a position: it depends on 'a''");
    EXPECT_EQ(error({"pin.fx = 1", "tip.y = 0"}).substr(0, 47), "--motion: the output 'pin.fx' is not a position");
    EXPECT_EQ(error({"tip.x = 1", "tip.x = 0"}), "the motion of tip.x is prescribed twice");
    EXPECT_EQ(error({"tp.x = 1"}), "--motion: no coordinate, output or point 'tp.x'");
    EXPECT_THAT(error({"tip.x = 1.3", "tip.y = 0.4", "a = t"}), HasSubstr("is out of reach"));
}

TEST(ToolPath, OfACutJoint) {
    const Session s = opened("four_bar/model.toml");
    const auto start = evaluate(s);
    ASSERT_TRUE(start);
    std::string cut;
    for (const std::string& name : start->names.outputs) {
        if (std::ranges::find(start->names.outputs, name + "'") != start->names.outputs.end()) cut = name;
    }
    ASSERT_FALSE(cut.empty());
    const double at = start->evaluation.outputs[std::ranges::find(start->names.outputs, cut) - start->names.outputs.begin()];
    const auto r = inverse(s, {.motion = {fmt::format("{} = {:.17g} + 0.1*sin(t)", cut, at)},
                               .rows = {.until = 6, .samples = 12},
                               .by = motion::ActuatedBy::coordinates});
    ASSERT_TRUE(r) << to_string(r.problems);
    const VectorXd t = column(r->table(), "t"), angle = column(r->table(), cut), rate = column(r->table(), cut + "'");
    for (Index i = 0; i < t.size(); ++i) {
        EXPECT_NEAR(angle[i], at + 0.1 * std::sin(t[i]), 1e-11);
        EXPECT_NEAR(rate[i], 0.1 * std::cos(t[i]), 1e-10);
    }
}

}  // namespace
}  // namespace linkwright::test
