#include "linkwright/model/build.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "linkwright/model/unit.hpp"
#include "support/print.hpp"

namespace linkwright::model {
namespace {

using spatial::unit;

TEST(Build, Pendulum) {
    Model m = empty_model("Pendulum");
    const Expr g = parameter(m, "g", 9.81), l = parameter(m, "l", 0.5), mass = parameter(m, "m", 1);
    m.gravity = {{0, -g, 0}};
    const BodyIndex rod = body(m, "rod", {.mass = mass, .inertia = spatial::diagonal(0, 0, mass * l * l / 3), .com = {{0, -l, 0}}});
    const std::size_t hip = joint(m, JointType::revolute, "hip", ground, rod, {.axes = {unit(2)}, .damping = {0.1}});
    EXPECT_EQ(m.joints[hip].coordinates[0], *find_coordinate(m, "hip"));
    EXPECT_EQ(m.joints[hip].speeds[0], *find_speed(m, "hip'"));
    EXPECT_FALSE(find_speed(m, "hip"));
    EXPECT_EQ(point_of(m, rod, "com")->at, m.bodies[rod].com);
    EXPECT_EQ(point_of(m, rod)->name, "rod");
    EXPECT_FALSE(point_of(m, rod, "tip"));
    EXPECT_EQ(&m.joints[hip].forces[0].damping.pool(), m.pool.get());
    EXPECT_EQ(&m.bodies[rod].inertia[0][0].pool(), m.pool.get());
}

TEST(Build, WhatCannotBeMeantThrows) {
    Model m = empty_model();
    parameter(m, "a", 1);
    const BodyIndex b = body(m, "b");
    joint(m, JointType::revolute, "j", ground, b);
    EXPECT_THROW(parameter(m, "a", 2), std::invalid_argument);
    EXPECT_THROW(input(m, "j"), std::invalid_argument);
    EXPECT_THROW(parameter(m, "two words", 2), std::invalid_argument);
    EXPECT_THROW(body(m, "b"), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::weld, "j", ground, b), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::weld, "k", b, b), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::weld, "k", b, 7), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::revolute, "a", ground, b), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::revolute, "k", ground, b, {.axes = {{{0, 0, 0}}}}), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::universal, "k", ground, b, {.axes = {unit(0), unit(0)}}), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::spherical, "k", ground, b, {.stiffness = {1}}), std::invalid_argument);
    EXPECT_THROW(joint(m, JointType::gimbal, "k", ground, b, {.damping = {1, 2}}), std::invalid_argument);
    EXPECT_THROW(body(m, "c", {.rotors = {Rotor{}}}), std::invalid_argument);
    sym::Pool other;
    EXPECT_THROW(body(m, "c", {.mass = other.symbol("x")}), std::invalid_argument);
    EXPECT_EQ(m.bodies.size(), 2U);
    EXPECT_EQ(m.joints.size(), 1U);
}

TEST(Build, FreeWithAxesHasTurns) {
    Model m = empty_model();
    const BodyIndex b = body(m, "b");
    joint(m, JointType::free, "fly", ground, b, {.axes = {unit(2), unit(0), unit(1)}});
    EXPECT_EQ(m.joints[0].type, JointType::free_axes);
    EXPECT_TRUE(find_coordinate(m, "fly.3"));
    EXPECT_FALSE(find_coordinate(m, "fly.e0"));
}

TEST(Unit, FactorsAreExact) {
    const auto factor = [](const char* unit) { return *unit_factor(unit).factor; };
    EXPECT_EQ(factor("m"), Expr(1));
    EXPECT_EQ(factor("mm"), Expr(sym::Rational(1, 1000)));
    EXPECT_EQ(factor("kg*m^2"), Expr(1));
    EXPECT_EQ(factor("g * cm^2"), Expr(sym::Rational(1, 10'000'000)));
    EXPECT_EQ(factor("kN/mm"), Expr(1'000'000));
    EXPECT_EQ(factor("N·m/deg"), 180 / sym::pi());
    EXPECT_EQ(factor("km/s²"), factor("km/s^2"));
    EXPECT_EQ(factor("mm³"), factor("mm^3"));
    EXPECT_EQ(factor("1/min"), Expr(sym::Rational(1, 60)));
    EXPECT_EQ(factor("m*s^-2"), Expr(1));
    EXPECT_EQ(factor("in"), Expr(sym::Rational(127, 5000)));
    EXPECT_EQ(factor("lbf*s^2/in") * factor("in^-1") * factor("in^2"), factor("lbf*s^2"));
    EXPECT_EQ(factor("slug*ft/s^2"), factor("lbf"));
    EXPECT_EQ(factor("psi"), factor("lbf/in^2"));
    EXPECT_EQ(factor("km/h"), Expr(sym::Rational(5, 18)));
    EXPECT_EQ(factor("1"), Expr(1));
    EXPECT_EQ(factor("%"), Expr(sym::Rational(1, 100)));
    EXPECT_EQ(factor("µm"), Expr(sym::Rational(1, 1'000'000)));
    EXPECT_EQ(factor("rpm"), sym::pi() / 30);
    EXPECT_EQ(unit_factor("metre").unknown, "metre");
    EXPECT_EQ(unit_factor("N*mx").unknown, "mx");
    EXPECT_EQ(unit_factor("kin").unknown, "kin");  // inches take no prefix
    for (const char* wrong : {"", "m*", "/s", "m^", "m^x", "m^100", "m^2^2", "m s"}) EXPECT_FALSE(unit_factor(wrong).factor) << wrong;
}

}  // namespace
}  // namespace linkwright::model
