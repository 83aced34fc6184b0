// A structure against what is known of it: closed forms, and `modes` of the same model with many shapes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "linkwright/session/modes.hpp"
#include "linkwright/session/structure.hpp"

namespace linkwright::session {
namespace {

Session model_of(const std::string& text) {
    const auto session = open_text("format = 1\n" + text, "test");
    EXPECT_TRUE(session) << to_string(session.problems);
    return *session;
}

Eigen::VectorXd frequencies(const Session& session, const StructureOptions& options = {}) {
    const auto r = structure(session, options);
    EXPECT_TRUE(r) << to_string(r.problems);
    return r->modes.frequencies();
}

/// Ascending, by `modes` about the initial state.
std::vector<double> by_modes(const Session& session) {
    ModesOptions o;
    o.operating.at = linear::Operating::At::initial;
    const auto r = modes(session, o);
    EXPECT_TRUE(r) << to_string(r.problems);
    std::vector<double> f;
    for (const auto& mode : r->modes().modes) f.push_back(mode.natural_hz);
    std::ranges::sort(f);
    return f;
}

/// The first `count` of both agree; shapes that stand for elements are stiffer, if anything.
void expect_agreement(const std::string& text, std::size_t count, double tolerance, const StructureOptions& options = {}) {
    const Session session = model_of(text);
    const std::vector<double> shapes = by_modes(session);
    const Eigen::VectorXd elements = frequencies(session, options);
    ASSERT_GE(shapes.size(), count);
    ASSERT_GE(elements.size(), static_cast<long>(count));
    for (std::size_t k = 0; k < count; ++k) {
        const double f = elements[static_cast<long>(k)];
        EXPECT_NEAR(shapes[k], f, tolerance * f + 1e-5) << text << "\nmode " << k + 1;
    }
}

const char* const arm = R"(
[[body]]
name = "a"
type = "beam"
length = 1.2
mass_per_length = 2
bending = {{ y = 300, z = 500 }}
torsion = 200
torsion_inertia = 0.01
axial = 1e6
shapes = {{ family = "polynomial", count = 6 }}
rigid = {{ start = 0.1, end = 0.05, start_mass = 0.4 }}
masses = [{{ at = 0.7, mass = 0.3, inertia = [0.01, 0.02, 0.03] }}]
[[body]]
name = "b"
type = "beam"
length = 0.9
mass_per_length = 1.5
bending = {{ y = 150, z = 100 }}
torsion = 90
torsion_inertia = 0.004
axial = 5e5
shapes = {{ family = "polynomial", count = 6 }}
masses = [{{ at = 0.9, mass = 0.5, inertia = [0.002, 0.003, 0.004] }}]
[[joint]]
name = "shoulder"
type = "revolute"
axis = "z"
parent = "ground"
child = "a"
{0}
[[joint]]
name = "elbow"
type = "{1}"
parent = "a"
parent_at = "tip"
child = "b"
child_axes = {{ rotate = ["x", "y"], by = [0.3, 0.2] }}
{2}
[initial]
{3}
)";

TEST(Structure, OfASpatialArmIsThatOfManyShapes) {
    const std::string held = "[[motion]]\ncoordinate = \"shoulder\"\nequals = 0.4\n";
    expect_agreement(fmt::format(fmt::runtime(arm), "", "weld", "", "") + held, 4, 2e-4);
    expect_agreement(fmt::format(fmt::runtime(arm), "", "revolute", "axis = \"y\"\nstiffness = 40\nrest = 0.7", "elbow = 0.7") + held, 4,
                     2e-4);
    expect_agreement(fmt::format(fmt::runtime(arm), "stiffness = 900\nrest = 0.4", "universal", "stiffness = [40, 60]\nrest = [0.7, -0.3]",
                                 "shoulder = 0.4\nelbow.1 = 0.7\nelbow.2 = -0.3"),
                     4, 2e-4);
}

TEST(Structure, HasTheDrivesOfItsJoints) {
    expect_agreement(
        fmt::format(fmt::runtime(arm), "stiffness = 900\nrest = 0.4\narmature = 3", "universal",
                    "stiffness = [40, 60]\nrest = [0.7, -0.3]\narmature = [0.5, 0.8]", "shoulder = 0.4\nelbow.1 = 0.7\nelbow.2 = -0.3"),
        4, 2e-4);
}

TEST(Structure, RigidMotionsOfJointsComeFirst) {
    const std::string text = fmt::format(fmt::runtime(arm), "", "revolute", "axis = \"y\"", "shoulder = 0.4\nelbow = 0.7");
    expect_agreement(text, 4, 2e-4, {.joints = {"free"}});
    const auto r = structure(model_of(text), {.joints = {"free"}});
    EXPECT_EQ(r->modes.rigid, 2);
    EXPECT_EQ(r->modes.omega2[1], 0);
    EXPECT_EQ(r->moving_joints, (std::vector<std::string>{"shoulder", "elbow"}));
    const auto one = structure(model_of(text), {.joints = {"free", "elbow=locked"}});
    EXPECT_EQ(one->modes.rigid, 1);
    EXPECT_EQ(one->moving_joints, std::vector<std::string>{"shoulder"});
    const auto six = structure(model_of(text), {.joints = {"locked", "shoulder=open"}});
    EXPECT_EQ(six->modes.rigid, 6);
}

TEST(Structure, OfASatelliteFloats) {
    const std::string panel = R"(
[[body]]
name = "{0}"
type = "beam"
length = 2
mass_per_length = 3
bending = {{ y = 80, z = 40 }}
shapes = {{ family = "clamped-free", count = 6 }}
[[joint]]
name = "root_{0}"
type = "weld"
parent = "hub"
parent_at = [{1}, 0, 0]
parent_axes = {{ rotate = ["z"], by = ["{2}*deg"] }}
child = "{0}"
)";
    const std::string text =
        "[[body]]\nname = \"hub\"\nmass = 20\ninertia = [4, 5, 6]\n[[joint]]\nname = \"base\"\ntype = \"free\"\nparent = "
        "\"ground\"\nchild = \"hub\"\n" +
        fmt::format(fmt::runtime(panel), "left", -0.5, 180) + fmt::format(fmt::runtime(panel), "right", 0.5, 0);
    const auto r = structure(model_of(text), {.joints = {"free"}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->modes.rigid, 6);
    EXPECT_EQ(r->modes.omega2.head(6).norm(), 0);
    expect_agreement(text, 12, 1e-3, {.joints = {"free"}});
}

/// A four-bar of beams in a plane, in chord frames, held by a spring: a loop that the model cuts.
std::string four_bar(const std::string& more) {
    const auto link = [](const char* name, double length) {
        return fmt::format(
            "[[body]]\nname = \"{}\"\ntype = \"beam\"\nlength = {}\nmass_per_length = 2\nbending = {{ y = 90 }}\nframe = \"chord\"\n"
            "shapes = {{ family = \"pinned-pinned\", count = 5 }}\nshortening = false\n",
            name, length);
    };
    const auto hinge = [](const char* name, const char* parent, const char* parent_at, const char* child, const char* child_at) {
        return fmt::format(
            "[[joint]]\nname = \"{}\"\ntype = \"revolute\"\naxis = \"z\"\nparent = \"{}\"\nparent_at = {}\nchild = \"{}\"\nchild_at = {}\n",
            name, parent, parent_at, child, child_at);
    };
    return link("crank", 0.4) + link("coupler", 1.0) + link("rocker", 0.8) + hinge("o", "ground", "[0, 0, 0]", "crank", "{ at = 0 }") +
           hinge("p", "crank", "\"tip\"", "coupler", "{ at = 0 }") + hinge("r", "ground", "[0.9, 0, 0]", "rocker", "{ at = 0 }") +
           hinge("s", "coupler", "\"tip\"", "rocker", "\"tip\"") + more;
}

TEST(Structure, OfALoopIsThatOfManyShapes) {
    // Sections turn where they are hinged: the spring in the joint holds the mechanism at rest.
    const std::string text = four_bar("[initial]\no = 1.1\n[guess]\np = -0.9\nr = 2\ns = 1\n");
    const Session session = model_of(text);
    const auto r = structure(session, {.joints = {"free"}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_EQ(r->modes.rigid, 1);
    EXPECT_EQ(r->moving_bodies.size(), 3u);
    const std::vector<double> shapes = by_modes(session);
    for (std::size_t k = 1; k < 5; ++k) {
        const double f = r->modes.frequencies()[static_cast<long>(k)];
        EXPECT_NEAR(shapes[k] / f, 1, 2e-3) << k;
    }
    const auto locked = structure(session, {.joints = {"locked"}});
    EXPECT_EQ(locked->modes.rigid, 0);
    EXPECT_GT(locked->modes.frequencies()[0], 1);
    const auto told = structure(session);
    EXPECT_FALSE(told);
    EXPECT_NE(to_string(told.problems).find("1 rigid-body mode"), std::string::npos) << to_string(told.problems);
}

TEST(Structure, EverySynthesisMeetsTheLoopWithEnoughShapes) {
    const Session session = model_of(four_bar("[guess]\np = -0.9\nr = 2\ns = 1\n[[motion]]\ncoordinate = \"o\"\nequals = 1.1\n"));
    const Eigen::VectorXd full = frequencies(session);
    for (const auto method :
         {structure::Method::fixed, structure::Method::free, structure::Method::free_residual, structure::Method::loaded}) {
        const Eigen::VectorXd f = frequencies(session, {.method = method, .modes = "12"});
        for (Eigen::Index k = 0; k < 4; ++k)
            EXPECT_NEAR(f[k] / full[k], 1, method == structure::Method::free ? 0.2 : 1e-3) << to_string(method) << k;
        EXPECT_GT((f.head(8) - full.head(8)).minCoeff(), -1e-7 * full[7]);
    }
}

TEST(Structure, SpringsHoldBodiesAndBeams) {
    // A rigid body between two springs; a beam on a spring at its tip: 3EI/L³ beside k, with a mass that outweighs it.
    const Eigen::VectorXd body = frequencies(model_of(R"(
[ground]
points = { left = [-1, 0, 0], right = [1, 0, 0] }
[[body]]
name = "m"
mass = 2
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "m"
[[spring]]
name = "left"
from = "m.origin"
to = "ground.left"
stiffness = 30
rest = 1
[[spring]]
name = "right"
from = "m.origin"
to = "ground.right"
stiffness = 20
rest = 1
)"));
    ASSERT_EQ(body.size(), 1);
    EXPECT_NEAR(body[0], std::sqrt(50.0 / 2) / (2 * std::numbers::pi), 1e-12);
}

TEST(Structure, ATightStringPullsSideways) {
    const Eigen::VectorXd f = frequencies(model_of(R"(
[ground]
points = { left = [-1, 0, 0], right = [1, 0, 0] }
[[body]]
name = "m"
mass = 2
[[joint]]
name = "plane"
type = "translation"
axes = ["x", "y"]
parent = "ground"
child = "m"
[[spring]]
name = "left"
from = "m.origin"
to = "ground.left"
stiffness = 30
rest = 0.5
[[spring]]
name = "right"
from = "m.origin"
to = "ground.right"
stiffness = 30
rest = 0.5
)"));
    ASSERT_EQ(f.size(), 2);
    EXPECT_NEAR(f[0], std::sqrt(2 * 15.0 / 2) / (2 * std::numbers::pi), 1e-12);
    EXPECT_NEAR(f[1], std::sqrt(60.0 / 2) / (2 * std::numbers::pi), 1e-12);
}

TEST(Structure, ShapesAreInGroundAxes) {
    const auto r = structure(model_of(R"(
[[body]]
name = "up"
type = "beam"
length = 2
mass_per_length = 1
bending = { y = 50 }
shapes = { family = "clamped-free", count = 1 }
[[joint]]
name = "clamp"
type = "weld"
parent = "ground"
parent_axes = { rotate = ["z"], by = ["90*deg"] }
child = "up"
)"));
    const BodyShape& s = r->shapes[0][0];
    EXPECT_EQ(s.x.size(), 21);
    EXPECT_LT(s.displacement.col(1).norm() + s.displacement.col(2).norm(), 1e-12);
    EXPECT_NEAR(std::abs(s.displacement(20, 0)), 2 / std::sqrt(2.0), 1e-4);  // φ(L) = 2 with ∫φ² dm = μL
    EXPECT_LT(s.turn.leftCols(2).norm(), 1e-12);
    EXPECT_EQ(r->energy(0, 0), 1);
}

}  // namespace
}  // namespace linkwright::session
