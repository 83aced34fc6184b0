// --initial, units on the command line, and what equilibrium tells beside where it is.

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/model/values.hpp"
#include "linkwright/session/equilibrium.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/simulate.hpp"
#include "session/subject.hpp"

namespace linkwright::test {
namespace {

using namespace session;

TEST(Initial, ReplacesTheModelsOwn) {
    const auto r = evaluate(pendulum({.initial = {"hip=20deg", "hip'=-30 rpm"}}));
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_DOUBLE_EQ(r->state.q[0], std::numbers::pi / 9);
    EXPECT_DOUBLE_EQ(r->state.u[0], -std::numbers::pi);
    const auto made_of = evaluate(pendulum({.initial = {"hip = 3*l"}}));  // l is 50 cm
    EXPECT_DOUBLE_EQ(made_of->state.q[0], 1.5);
    const auto motion = simulate(pendulum({.initial = {"hip=0.5"}}), {.rows = {.until = 1, .samples = 1}});
    EXPECT_EQ(motion->motion.rows.front()[1], 0.5);
    EXPECT_EQ(pendulum({.initial = {"hip=0.5"}}).model().initial.size(), pendulum().model().initial.size());  // in its place, not beside it
}

TEST(Initial, OfALoopClosesIt) {
    const auto r = evaluate(opened("four_bar/model.toml", {.initial = {"alpha=50deg"}}));
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_DOUBLE_EQ(r->state.q[0], 50 * std::numbers::pi / 180);
    EXPECT_LT(r->evaluation.residuals.position(), 1e-12);
}

TEST(Initial, SaysWhatIsWrong) {
    const auto error = [](const std::string& words, const std::string& model = "") {
        return first_error(model.empty() ? open_text(pendulum_text, "p.toml", {.initial = {words}})
                                         : open(model_path(model), {.initial = {words}}));
    };
    EXPECT_EQ(error("hip"), "--initial takes name=value, not 'hip'");
    EXPECT_EQ(error("hop=1"), "--initial hop=1: unknown coordinate, speed or state 'hop'");
    EXPECT_EQ(error("hip=1cm"), "--initial hip=1cm: 'hip' is in rad, which 'cm' does not convert to");
    EXPECT_EQ(error("hip=1/0"), "--initial hip=1/0: '1/0' has no value");
    EXPECT_EQ(error("zr=1", "quarter_car/model.toml"), "--initial zr=1: 'zr' is prescribed by a motion");
    EXPECT_EQ(error("zr'=1", "quarter_car/model.toml"), "--initial zr'=1: 'zr'' is prescribed by a motion");
}

TEST(Set, TakesUnits) {
    const auto l = [](const std::string& words) {
        const auto r = evaluate(pendulum({.set = {words}, .initial = {"hip=90deg"}}));
        EXPECT_TRUE(r) << to_string(r.problems);
        return -9.81 / r->evaluation.accelerations[0];
    };
    EXPECT_NEAR(l("l=30cm"), 0.3, 1e-12);
    EXPECT_NEAR(l("l=300mm"), 0.3, 1e-12);
    EXPECT_NEAR(l("l=30"), 0.3, 1e-12);                             // in the unit of the file
    const auto tonnes = evaluate(pendulum({.set = {"m=0.004t"}}));  // the file gives m no unit
    ASSERT_TRUE(tonnes) << to_string(tonnes.problems);
    EXPECT_NEAR(tonnes->evaluation.dynamics.M(0, 0), 1, 1e-12);
}

TEST(EquilibriumTells, OutputsSpringsAndReactions) {
    const auto r = equilibrium(opened("quarter_car/trailing_arm.toml"));
    ASSERT_TRUE(r) << to_string(r.problems);
    ASSERT_EQ(r->carried.size(), 1);
    ASSERT_EQ(r->springs, (std::vector<std::string>{"coil"}));
    ASSERT_EQ(r->joints, (std::vector<std::string>{"zs", "theta"}));
    const Carried& c = r->carried[0];
    const auto output = [&](const std::string& name) {
        return c.outputs[std::ranges::find(r->names.outputs, name) - r->names.outputs.begin()];
    };
    EXPECT_NEAR(output("load"), 365 * 9.81, 1e-8);
    EXPECT_NEAR(c.springs[0].force, 30000 * (0.42 - c.springs[0].length), 1e-9);
    // moments of the arm about its pivot: load and weight at the hub, the coil on its seat
    const double L = 0.4, theta = r->found[0].point.state.q[1];
    const double seat_x = -0.8 * L * std::cos(theta), seat_z = 0.8 * L * std::sin(theta);
    const double dx = seat_x + 0.8 * L, dz = seat_z - 0.35, l = std::hypot(dx, dz), f = c.springs[0].force;
    EXPECT_NEAR(l, c.springs[0].length, 1e-12);
    EXPECT_NEAR((365 - 45) * 9.81 * L * std::cos(theta) + f * (seat_z * dx - seat_x * dz) / l, 0, 1e-6);
    // what the pivot passes on to the arm holds the rest
    EXPECT_NEAR(c.reactions[1][2], -320 * 9.81 - f * dz / l, 1e-6);
    EXPECT_NEAR(c.reactions[1][0], -f * dx / l, 1e-6);
    const Json j = to_json(*r);
    EXPECT_EQ(j["springs"]["coil"]["force"], f);
    EXPECT_EQ(j["reactions"]["theta"][2], c.reactions[1][2]);
    EXPECT_EQ(j["outputs"]["load"], output("load"));
    EXPECT_TRUE(j["equilibria"][0].contains("reactions"));
}

TEST(EquilibriumTells, ReactionsOfLoopsAndBeams) {
    const auto bar = equilibrium(opened("four_bar/model.toml"));
    ASSERT_TRUE(bar);
    const auto& on = bar->carried[0].reactions;  // alpha and delta stand on the ground: they carry all of the weight
    ASSERT_EQ(bar->joints, (std::vector<std::string>{"alpha", "beta", "delta", "knee"}));
    EXPECT_NEAR(on[0][0] + on[2][0], 0, 1e-10);
    const Session bars = opened("four_bar/model.toml");
    const model::ParameterValues value(bars.model());
    double weight = 0;
    for (const model::Body& b : bars.model().bodies) weight += value(b.mass) * -value(bars.model().gravity[1]);
    EXPECT_NEAR(on[0][1] + on[2][1], weight, 1e-10);
    const auto beam = equilibrium(opened("beam_with_tip_load/model.toml"));
    ASSERT_TRUE(beam) << to_string(beam.problems);
    EXPECT_EQ(beam->carried.size(), beam->found.size());
}

TEST(EquilibriumTells, WhenReactionsAreNotDecided) {
    const std::string text = R"(format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "door"
mass = 1
inertia = [1, 1, 1]
com = [0.5, 0, 0]
[[joint]]
name = "low"
type = "revolute"
parent = "ground"
child = "door"
[[joint]]
name = "high"
type = "revolute"
parent = "ground"
parent_at = [0, 0, 1]
child = "door"
child_at = [0, 0, 1]
[initial]
low = -1.5
)";
    const auto door = open_text(text, "door.toml");
    ASSERT_TRUE(door) << to_string(door.problems);
    const auto r = equilibrium(*door);
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_THAT(to_string(r.problems), ::testing::HasSubstr("is given as 0"));
}

}  // namespace
}  // namespace linkwright::test
