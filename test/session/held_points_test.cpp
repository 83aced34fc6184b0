// Constraints that name points: against closed forms, against the same written in coordinates, in every formulation, and what bearings carry.

#include <fmt/format.h>

#include <cmath>

#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/prove.hpp"
#include "linkwright/session/simulate.hpp"
#include "session/subject.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Eigen::Index;
using Eigen::VectorXd;
using ::testing::HasSubstr;

Session from(const std::string& text, const OpenOptions& options = {}) {
    const auto opened = session::open_text(text, "m.toml", options);
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}
double at(const Table& table, std::size_t row, const std::string& name) {
    const auto column = table.find(name);
    EXPECT_TRUE(column) << name;
    return column ? table.rows[row][static_cast<Index>(*column)] : NAN;
}
double output(const EvaluatedState& r, const std::string& name) {
    const auto found = std::ranges::find(r.names.outputs, name);
    EXPECT_NE(found, r.names.outputs.end()) << name;
    return r.evaluation.outputs[found - r.names.outputs.begin()];
}

/// A bead of 2 kg that slides along x and y, on the curve y = k x².
std::string bead(const std::string& constraint) {
    return R"~(format = 1
gravity = [0, -9.81, 0]
[parameters]
k = 0.8
[[body]]
name = "carriage"
mass = 0.5
[[body]]
name = "bead"
mass = 2
points = { eye = [0.3, 0.1, 0] }
[[joint]]
name = "along"
type = "prismatic"
parent = "ground"
child = "carriage"
axis = "x"
[[joint]]
name = "up"
type = "prismatic"
parent = "carriage"
child = "bead"
axis = "y"
[[output]]
name = "guide"
reaction = "up"
)~" + constraint;
}

TEST(HeldPoints, SlideOnACurve) {
    const Session s = from(bead("[[constraint]]\nname = \"wire\"\nholonomic = \"bead.y - k*bead.x^2\"\n[initial]\nalong = 1\n"));
    const auto r = simulate(s, {.rows = {.until = 2, .samples = 20}, .tolerance = 1e-10});
    ASSERT_TRUE(r) << to_string(r.problems);
    // (m + M + 4 m k² x²) x'' + 4 m k² x x'² + 2 m g k x = 0
    const double m = 2, M = 0.5, k = 0.8, g = 9.81;
    const auto rate = [&](const Eigen::Vector2d& y) {
        const double x = y[0], v = y[1];
        return Eigen::Vector2d(v, -(4 * m * k * k * x * v * v + 2 * m * g * k * x) / (m + M + 4 * m * k * k * x * x));
    };
    Eigen::Vector2d y(1, 0);
    for (std::size_t i = 0; i <= 20; ++i) {
        EXPECT_NEAR(at(r->table(), i, "along"), y[0], 1e-7);
        EXPECT_NEAR(at(r->table(), i, "up"), k * y[0] * y[0], 1e-7);
        const double h = 0.001;
        for (int n = 0; n < 100; ++n) {
            const Eigen::Vector2d k1 = rate(y), k2 = rate(y + h / 2 * k1), k3 = rate(y + h / 2 * k2), k4 = rate(y + h * k3);
            y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
    }
}

TEST(HeldPoints, ArePushedByTheWireAndNotByJoints) {
    const std::string start = "[initial]\nalong = 1\n\"along'\" = 2\n";
    const auto by_points = evaluate(from(bead("[[constraint]]\nname = \"wire\"\nholonomic = \"bead.y - k*bead.x^2\"\n" + start)));
    const auto by_coordinates = evaluate(from(bead("[[constraint]]\nname = \"wire\"\nholonomic = \"up - k*along^2\"\n" + start)));
    ASSERT_TRUE(by_points && by_coordinates) << to_string(by_points.problems);
    EXPECT_LT((by_points->evaluation.accelerations - by_coordinates->evaluation.accelerations).norm(), 1e-11);
    EXPECT_NEAR(by_points->evaluation.multipliers[0], by_coordinates->evaluation.multipliers[0], 1e-10);
    // the carriage is pulled along by the guide, and by nothing else
    EXPECT_NEAR(output(*by_points, "guide.fx"), -0.5 * by_points->evaluation.accelerations[0], 1e-10);
    EXPECT_NEAR(output(*by_points, "guide.fy"), 0, 1e-10);
}

/// Two links whose tip is held; a weight and a spring besides.
std::string links(const std::string& rest) {
    return R"~(format = 1
gravity = [0, -9.81, 0]
[parameters]
c = 0.3
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
damping = 0.2
[[joint]]
name = "b"
type = "universal"
axes = ["z", "y"]
parent = "upper"
parent_at = "elbow"
child = "lower"
[[output]]
name = "pin"
reaction = "a"
[[output]]
name = "knee"
reaction = "b"
[[output]]
name = "hold"
expression = "wire.force"
[initial]
a = 0.5
"a'" = 0.7
[guess]
"b.2" = 0.3
)~" + rest;
}

TEST(HeldPoints, AreHeldAlikeInEveryFormulation) {
    for (const char* constraint :
         {"holonomic = \"lower.tip.y - c*lower.tip.x^2 - 0.2*sin(t)\"", "holonomic = \"lower.xz - 0.3\"",
          "holonomic = \"lower.tip.z + 0.1*a\"", "nonholonomic = \"lower.tip.x'*sin(a) - c*lower.tip.y' + 0.1*cos(t)\"",
          "nonholonomic = \"lower.tip.x'*c - lower.tip.x*lower.tip.y' + 0.1*cos(t)\""}) {
        const std::string text = links(fmt::format("[[constraint]]\nname = \"wire\"\n{}\n", constraint));
        const auto proof = prove(from(text));
        ASSERT_TRUE(proof) << constraint << '\n' << to_string(proof.problems);
        std::optional<EvaluatedState> first;
        for (const char* formulation : {"kane", "lagrange", "recursive", "roberson_schwertassek"}) {
            const auto r = evaluate(from(text, {.formulation = formulation}));
            ASSERT_TRUE(r) << formulation << to_string(r.problems);
            if (!first) first = *r;
            EXPECT_LT((r->evaluation.accelerations - first->evaluation.accelerations).norm(), 1e-9) << formulation << constraint;
            EXPECT_LT((r->evaluation.outputs - first->evaluation.outputs).norm(), 1e-8) << formulation << constraint;
        }
        const auto bodies = evaluate(from(text, {.formulation = "newton_euler"}));
        ASSERT_TRUE(bodies) << to_string(bodies.problems);
        for (const char* name : {"pin.fx", "pin.fy", "pin.tx", "knee.fx", "knee.fz", "knee.tz", "hold"})
            EXPECT_NEAR(output(*bodies, name), output(*first, name), 1e-8) << name << ' ' << constraint;
    }
}

TEST(HeldPoints, ReactionsAreThoseOfARod) {  // a rod between tip and ground, and the same length held by an expression
    const std::string with_rod = links(
        "[ground]\npoints = { nail = [1.2, -0.5, 0.2] }\n[[rod]]\nname = \"wire2\"\nfrom = \"ground.nail\"\nto = \"lower.tip\"\nlength = "
        "1\n"
        "[[constraint]]\nname = \"wire\"\nholonomic = \"b.2 - 0.1\"\n");
    const std::string with_points = links(
        "[ground]\npoints = { nail = [1.2, -0.5, 0.2] }\n[[constraint]]\nname = \"wire2\"\nholonomic = \"((lower.tip.x - ground.nail.x)^2 "
        "+ (lower.tip.y - "
        "ground.nail.y)^2 + (lower.tip.z - ground.nail.z)^2 - 1)/2\"\n[[constraint]]\nname = \"wire\"\nholonomic = \"b.2 - 0.1\"\n");
    const auto by_rod = evaluate(from(with_rod)), by_points = evaluate(from(with_points));
    ASSERT_TRUE(by_rod && by_points) << to_string(by_rod.problems) << to_string(by_points.problems);
    for (const char* name : {"pin.fx", "pin.fy", "pin.fz", "pin.tx", "pin.ty", "knee.fx", "knee.tx", "knee.tz", "hold"})
        EXPECT_NEAR(output(*by_points, name), output(*by_rod, name), 1e-8) << name;
}

TEST(
    HeldPoints,
    CloseAChain) {  // a rod that a joint cannot know: the tip's distance from a nail, by an expression; two joints and one freedom are left
    const auto r = simulate(
        from(links("[[constraint]]\nname = \"wire\"\nholonomic = \"(lower.tip.x - 1.2)^2 + (lower.tip.y + 0.5)^2 + lower.tip.z^2 - 1\"\n")),
        {.rows = {.until = 1, .samples = 4}, .tolerance = 1e-10});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_LT(at(r->table(), 4, "constraint.position"), 1e-9);
    EXPECT_LT(std::abs(at(r->table(), 4, "energy.error")), 1e-6);
}

TEST(HeldPoints, SayWhatCannotBeHeld) {
    const auto error = [](const std::string& constraint) {
        return to_string(session::open_text(links("[[constraint]]\nname = \"wire\"\n" + constraint + "\n"), "m.toml", {}).problems);
    };
    EXPECT_THAT(error("holonomic = \"lower.tip.x'\""), HasSubstr("\"lower.tip.x'\" cannot be used in 'holonomic'"));
    EXPECT_THAT(error("holonomic = \"pin.fx\""), HasSubstr("'pin.fx' cannot be used in 'holonomic'"));
    EXPECT_THAT(error("holonomic = \"energy.total - 1\""), HasSubstr("'energy.total' cannot be used in 'holonomic'"));
    EXPECT_THAT(error("nonholonomic = \"lower.tip.x'^2 - 1\""), HasSubstr("must be linear in the speeds"));
    EXPECT_THAT(error("nonholonomic = \"lower.tip.x''\""), HasSubstr("cannot be used in 'nonholonomic'"));
    EXPECT_THAT(error("holonomic = \"lower.tpi.x\""), HasSubstr("did you mean 'lower.tip.x'?"));
}

}  // namespace
}  // namespace linkwright::test
