// Shapes of beams from their own finite elements: in the equations of motion they do what component mode synthesis says.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/flex/component_shapes.hpp"
#include "linkwright/model/interface_loads.hpp"
#include "linkwright/session/modes.hpp"
#include "linkwright/session/structure.hpp"

namespace linkwright::session {
namespace {

using testing::HasSubstr;

/// Lee's L-shaped beam with shapes of its own elements.
std::string l_shaped(const std::string& a, const std::string& b) {
    return fmt::format(R"(format = 1
[[body]]
name = "A"
type = "beam"
length = 1
mass_per_length = 1
bending = {{ y = 100 }}
axial = 1e6
elements = 20
shapes = {{ {} }}
[[body]]
name = "B"
type = "beam"
length = 0.8
mass_per_length = 1
bending = {{ y = 100 }}
axial = 1e6
elements = 16
shapes = {{ {} }}
[[joint]]
name = "base"
type = "weld"
parent = "ground"
parent_axes = {{ rotate = ["z"], by = ["90*deg"] }}
child = "A"
[[joint]]
name = "corner"
type = "weld"
parent = "A"
parent_at = "tip"
parent_axes = {{ rotate = ["z"], by = ["-90*deg"] }}
child = "B"
)",
                       a, b);
}

std::vector<double> by_modes(const std::string& text) {
    const auto session = open_text(text, "test");
    EXPECT_TRUE(session) << to_string(session.problems);
    ModesOptions o;
    o.operating.at = linear::Operating::At::initial;
    const auto r = modes(*session, o);
    EXPECT_TRUE(r) << to_string(r.problems);
    std::vector<double> f;
    for (const auto& mode : r->modes().modes) f.push_back(mode.natural_hz);
    std::ranges::sort(f);
    return f;
}

TEST(ComponentShapes, LoadedOnesNeedFewest) {
    const auto shapes = [](const char* interface) {
        return fmt::format("family = \"component\", interface = \"{}\", count = 2", interface);
    };
    const std::vector<double> loaded = by_modes(l_shaped(shapes("loaded"), shapes("free")));
    const std::vector<double> free = by_modes(l_shaped(shapes("free"), shapes("free")));
    // Two loaded modes of each: as in the synthesis, up to how stretch is represented.
    EXPECT_NEAR(loaded[0] / 2.2672628, 1, 1e-4);
    EXPECT_NEAR(loaded[1] / 6.6303200, 1, 2e-3);
    EXPECT_GT(free[0] - 2.2672628, 3 * (loaded[0] - 2.2672628));
    const std::vector<double> fixed = by_modes(l_shaped("family = \"component\", interface = \"fixed\", count = 4", shapes("free")));
    EXPECT_NEAR(fixed[0] / 2.2672628, 1, 1e-4);
    EXPECT_NEAR(fixed[1] / 6.6303200, 1, 1e-3);
}

TEST(ComponentShapes, MeetTheFramesEndConditions) {
    for (const char* frame : {"tangent", "chord", "mean"}) {
        for (const char* interface : {"fixed", "free", "loaded"}) {
            const std::string text = fmt::format(R"(format = 1
[[body]]
name = "b"
type = "beam"
length = 2
pieces = [{{ to = 0.7, mass_per_length = 3, bending = {{ y = 50, z = 30 }}, torsion = 9, torsion_inertia = 0.1, axial = 1e4 }},
          {{ to = 2, mass_per_length = 1, bending = {{ y = 20, z = 30 }}, torsion = 9, torsion_inertia = 0.1, axial = 1e4 }}]
frame = "{}"
masses = [{{ at = 1.5, mass = 0.4, inertia = 0.01 }}]
shapes = {{ family = "component", interface = "{}", count = 2, elements = 8 }}
shortening = false
[[body]]
name = "end"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "base"
type = "free"
parent = "ground"
child = "b"
[[joint]]
name = "tip"
type = "weld"
parent = "b"
parent_at = "tip"
child = "end"
)",
                                                 frame, interface);
            const auto session = open_text(text, "test");
            ASSERT_TRUE(session) << to_string(session.problems);
            const std::vector<double> shapes = by_modes(text);
            const auto elements = structure(*session, {.joints = {"free"}, .modes = "4"});
            ASSERT_TRUE(elements) << to_string(elements.problems);
            // The lowest elastic mode, whatever the frame: shapes may only stiffen.
            const double f = elements->modes.frequencies()[6];
            EXPECT_GT(shapes[6], f * (1 - 5e-3)) << frame << " " << interface;
            EXPECT_LT(shapes[6], f * 1.15) << frame << " " << interface;
        }
    }
}

TEST(ComponentShapes, OfAUniformBeamAreItsEigenfunctions) {
    flex::BeamNumbers beam;
    beam.length = 2;
    beam.pieces = {{2, {.mass_per_length = 3, .bending_y = 7}}};
    const flex::ComponentShapes s = flex::component_shapes(beam, flex::ComponentDirection::y, flex::ComponentInterface::free, 2, 24, {});
    ASSERT_TRUE(s.ok) << s.why;
    EXPECT_NEAR(s.omega2[0], 7.0 / 3 * std::pow(1.8751040687119611 / 2, 4), 1e-5);
    const flex::Shape exact = flex::bending_shapes(flex::Family::clamped_free, 2)[1];
    for (std::size_t k = 0; k < s.x.size(); ++k) EXPECT_NEAR(s.phi[1][k], exact.at(s.x[k] / 2) / exact.at(1.0), 1e-4) << k;
    EXPECT_EQ(s.phi[0].front(), 0);
    EXPECT_EQ(s.slope[0].front(), 0);
    beam.frame = flex::Frame::chord;
    const flex::ComponentShapes c = flex::component_shapes(beam, flex::ComponentDirection::y, flex::ComponentInterface::free, 1, 24, {});
    EXPECT_NEAR(c.omega2[0], 7.0 / 3 * std::pow(std::numbers::pi / 2, 4), 1e-4);
    EXPECT_EQ(c.phi[0].back(), 0);
}

TEST(ComponentShapes, WhatHangsOnABeam) {
    const auto reading = open_text(R"(format = 1
[[body]]
name = "b"
type = "beam"
length = 2
mass_per_length = 1
bending = { y = 7 }
shapes = { family = "clamped-free", count = 1 }
[[body]]
name = "bob"
mass = 3
com = [0.5, 0, 0]
inertia = [0.1, 0.2, 0.4]
[[joint]]
name = "base"
type = "weld"
parent = "ground"
child = "b"
[[joint]]
name = "hinge"
type = "revolute"
axis = "z"
parent = "b"
parent_at = "tip"
child = "bob"
[initial]
hinge = "90*deg"
)",
                                   "test");
    ASSERT_TRUE(reading) << to_string(reading.problems);
    const auto loads = model::interface_loads(reading->model());
    ASSERT_EQ(loads.at("b").size(), 1u);
    const flex::InterfaceLoad& load = loads.at("b")[0];
    EXPECT_EQ(load.at, 2);
    EXPECT_FALSE(load.passes[5]);
    EXPECT_TRUE(load.passes[1]);
    // The bob hangs along y: pulled along x it turns about its hinge, I − I S(SᵀIS)⁻¹SᵀI = m − m²c²/(J + mc²); along y all of it comes.
    EXPECT_NEAR(load.inertia(0, 0), 3 - 9 * 0.25 / (0.4 + 3 * 0.25), 1e-12);
    EXPECT_NEAR(load.inertia(1, 1), 3, 1e-12);
    EXPECT_NEAR(load.inertia.col(5).norm(), 0, 1e-12);
}

TEST(ComponentShapes, Problems) {
    const auto told = [](const std::string& shapes) {
        return to_string(open_text(l_shaped(shapes, "family = \"clamped-free\", count = 1"), "test").problems);
    };
    EXPECT_THAT(told("y = { family = \"component\", count = 9, elements = 2 }, x = { family = \"clamped-free\", count = 1 }"),
                HasSubstr("no shapes: its elements have 4 shapes in this direction, not 9"));
    EXPECT_THAT(told("family = \"component\", interface = \"glued\", count = 2"), HasSubstr("glued"));
    EXPECT_THAT(told("family = \"clamped-free\", interface = \"free\", count = 2"),
                HasSubstr("'interface' is only for shapes of the family 'component'"));
}

}  // namespace
}  // namespace linkwright::session
