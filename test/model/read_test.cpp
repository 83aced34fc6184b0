// What a file means.

#include "linkwright/model/read.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <numbers>

#include "everything.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/model/values.hpp"
#include "support/print.hpp"

namespace linkwright::model {
namespace {

using spatial::unit;
using sym::Rational;
using sym::Role;

class Read : public testing::Test {
protected:
    void load(const std::string& text) {
        Reading reading = read(text, "m.toml");
        ASSERT_TRUE(reading.model) << to_string(reading.problems);
        EXPECT_EQ(to_string(reading.problems), "");
        m = std::move(*reading.model);
    }
    Expr symbol(std::string_view name) const { return *m.pool->find_symbol(name); }
    const Joint& joint(std::string_view name) const { return m.joints[*find_joint(m, name)]; }
    const Body& body(std::string_view name) const { return m.bodies[*find_body(m, name)]; }
    std::vector<std::string> names(const std::vector<Expr>& symbols) const {
        std::vector<std::string> all;
        for (const Expr& s : symbols) all.push_back(s.symbol().name);
        return all;
    }
    Model m;
};

using Names = std::vector<std::string>;

TEST_F(Read, NumbersAreExactAndUnitsAreConverted) {
    load(R"(format = 1
[parameters]
g = 9.81
n = 3
third = "1/3"
l = { value = 250, unit = "mm", about = "long", min = 0, max = 1e3 }
w = { value = 30, unit = "rpm" }
a = { value = 180, unit = "deg" }
E = { value = 210, unit = "GPa" }
I = "n*l^2"
)");
    const sym::PoolScope scope(*m.pool);
    ASSERT_EQ(m.parameters.size(), 8U);
    EXPECT_EQ(m.parameters[0].value, Expr(Rational(981, 100)));
    EXPECT_EQ(m.parameters[2].value, Expr(Rational(1, 3)));
    EXPECT_EQ(m.parameters[3].value, Expr(Rational(1, 4)));
    EXPECT_EQ(m.parameters[3].unit, "mm");
    EXPECT_EQ(m.parameters[3].about, "long");
    EXPECT_EQ(*m.parameters[3].max, Expr(1));
    EXPECT_EQ(m.parameters[4].value, sym::pi());
    EXPECT_EQ(m.parameters[5].value, sym::pi());
    EXPECT_EQ(m.parameters[6].value, Expr(210'000'000'000));
    EXPECT_EQ(m.parameters[7].value, symbol("n") * pow(symbol("l"), 2));
    EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("I")), 3 * 0.0625);
}

TEST_F(Read, RolesOfSymbols) {
    load(everything);
    EXPECT_EQ(symbol("g").symbol().role, Role::parameter);
    EXPECT_EQ(symbol("tau").symbol().role, Role::input);
    EXPECT_EQ(symbol("t").symbol().role, Role::time);
    EXPECT_EQ(symbol("slider").symbol().role, Role::coordinate);
    EXPECT_EQ(symbol("slider'").symbol().role, Role::speed);
    EXPECT_EQ(symbol("slider''").symbol().role, Role::acceleration);
    EXPECT_EQ(symbol("fly.wx'").symbol().role, Role::acceleration);
    EXPECT_EQ(symbol("arm.rotor").symbol().role, Role::speed);
    EXPECT_EQ(symbol("u1").symbol().role, Role::speed);
    EXPECT_EQ(symbol("energy.total").symbol().role, Role::auxiliary);
    EXPECT_EQ(symbol("where.x").symbol().role, Role::auxiliary);
    EXPECT_EQ(symbol("load.fx").symbol().role, Role::auxiliary);
    EXPECT_GE(symbol("fly.e0").symbol().quaternion, 0);
    EXPECT_LT(symbol("fly.x").symbol().quaternion, 0);
    for (const Expr& s : {m.joints[0].pitch, m.bodies[0].mass, m.gravity[0], m.outputs[0].expression}) {
        EXPECT_EQ(&s.pool(), m.pool.get());
    }
}

TEST_F(Read, Bodies) {
    load(everything);
    const sym::PoolScope scope(*m.pool);
    EXPECT_EQ(m.bodies[ground].name, "ground");
    EXPECT_EQ(m.bodies[ground].points.at(0).at, (Vec3{{1, 0, symbol("l")}}));
    const Body& arm = body("arm");
    EXPECT_EQ(arm.mass, Expr(Rational(3, 2)));
    EXPECT_EQ(arm.inertia[0][1], Expr(Rational(1, 100)));
    EXPECT_EQ(arm.inertia[2][0], Expr(Rational(-2, 100)));
    EXPECT_EQ(arm.inertia[1][2], symbol("third") / 100);
    EXPECT_EQ(arm.com[0], Expr(Rational(1, 10)));
    const Body& base = body("base");
    ASSERT_EQ(base.rotors.size(), 2U);
    EXPECT_EQ(*base.rotors[0].speed, symbol("spin"));
    EXPECT_FALSE(base.rotors[0].spin);
    EXPECT_EQ(*base.rotors[1].spin, symbol("base.rotor2"));
    EXPECT_EQ(base.rotors[1].axis[0], sqrt(Expr(2)) / 2);
    EXPECT_EQ(body("cart").inertia, (spatial::diagonal(0, 0, 0)));
    EXPECT_EQ(body("b1").mass, Expr(0));
}

TEST_F(Read, EveryJointTypeHasItsNames) {
    load(everything);
    const sym::PoolScope scope(*m.pool);
    const struct {
        const char* name;
        JointType type;
        Names coordinates, speeds;
        std::vector<Vec3> axes;
    } all[]{
        {"fix", JointType::weld, {}, {}, {}},
        {"loop", JointType::revolute, {"loop"}, {"loop'"}, {unit(2)}},
        {"bolt", JointType::screw, {"bolt"}, {"bolt'"}, {-unit(1)}},
        {"slider", JointType::prismatic, {"slider"}, {"slider'"}, {{{sin(symbol("alpha")), 0, cos(symbol("alpha"))}}}},
        {"cross", JointType::universal, {"cross.1", "cross.2"}, {"cross.1'", "cross.2'"}, {unit(2), {{0, Rational(3, 5), Rational(4, 5)}}}},
        {"table", JointType::planar, {"px", "py", "phi"}, {"px'", "py'", "phi'"}, {unit(0)}},
        {"ring", JointType::gimbal, {"ring.1", "ring.2", "ring.3"}, {"w1", "w2", "w3"}, {unit(2), unit(1), unit(0)}},
        {"rail", JointType::translation, {"rail.y", "rail.x"}, {"rail.y'", "rail.x'"}, {unit(1), -unit(0)}},
        {"shift", JointType::translation, {"shift.1"}, {"shift.1'"}, {{{sqrt(Expr(2)) / 2, sqrt(Expr(2)) / 2, 0}}}},
        {"shoulder",
         JointType::spherical,
         {"shoulder.e0", "shoulder.e1", "shoulder.e2", "shoulder.e3"},
         {"shoulder.wx", "shoulder.wy", "shoulder.wz"},
         {}},
        {"fly",
         JointType::free,
         {"fly.x", "fly.y", "fly.z", "fly.e0", "fly.e1", "fly.e2", "fly.e3"},
         {"fly.wx", "fly.wy", "fly.wz", "fly.vx", "fly.vy", "fly.vz"},
         {unit(0), unit(1), unit(2)}},
        {"roll",
         JointType::free_axes,
         {"roll.x", "roll.y", "roll.z", "roll.1", "roll.2", "roll.3"},
         {"roll.x'", "roll.y'", "roll.z'", "roll.1'", "roll.2'", "roll.3'"},
         {unit(2), unit(0), unit(1)}},
    };
    for (const auto& expected : all) {
        const Joint& j = joint(expected.name);
        EXPECT_EQ(j.type, expected.type) << expected.name;
        EXPECT_EQ(names(j.coordinates), expected.coordinates) << expected.name;
        EXPECT_EQ(names(j.speeds), expected.speeds) << expected.name;
        EXPECT_EQ(j.axes, expected.axes) << expected.name;
    }
    EXPECT_EQ(joint("bolt").pitch, symbol("l") / (2 * sym::pi()));
    EXPECT_TRUE(joint("loop").cut);
    EXPECT_EQ(m.bodies[joint("loop").child].name, "ground");
}

TEST_F(Read, JointFramesAndForces) {
    load(everything);
    const sym::PoolScope scope(*m.pool);
    const Expr alpha = symbol("alpha"), l = symbol("l");
    const Joint& shoulder = joint("shoulder");
    EXPECT_EQ(shoulder.parent_at, (Vec3{{0, l / 2, 0}}));
    EXPECT_EQ(shoulder.child_at, (Vec3{{0, -l, 0}}));
    EXPECT_EQ(column(shoulder.parent_axes.matrix(), 0), (Vec3{{0, cos(alpha), sin(alpha)}}));
    EXPECT_EQ(shoulder.parent_axes.matrix(), shoulder.child_axes.matrix());
    ASSERT_EQ(shoulder.forces.size(), 3U);
    EXPECT_EQ(shoulder.forces[2].actuator, symbol("push") * symbol("fly.x"));
    EXPECT_EQ(joint("tube").forces.at(1).stiffness, Expr(5));
    EXPECT_EQ(joint("ring").forces.at(2).stiffness, Expr(3));
    EXPECT_TRUE(joint("cross").forces.empty());
    const Mat3& askew = joint("cross").child_axes.matrix();
    EXPECT_EQ(askew * transpose(askew), spatial::identity());
}

TEST_F(Read, RenamedSpeedsAreStillRates) {
    load(std::string(R"(format = 1
[[body]]
name = "a"
mass = 1
[[joint]]
name = "j"
type = "prismatic"
parent = "ground"
child = "a"
coordinates = ["x"]
speeds = ["v"]
damping = "x'"
[[output]]
name = "o"
expression = "x'' + v'"
[initial]
"x'" = 1
)"));
    const sym::PoolScope scope(*m.pool);
    EXPECT_EQ(m.joints[0].forces[0].damping, symbol("v"));
    EXPECT_EQ(m.outputs[0].expression, 2 * symbol("v'"));
    EXPECT_EQ(m.initial[0].symbol, symbol("v"));
}

TEST_F(Read, ForcesConstraintsMotions) {
    load(everything);
    const sym::PoolScope scope(*m.pool);
    const Spring& tie = m.springs.back();
    EXPECT_EQ(tie.from.name, "base.right");
    EXPECT_EQ(tie.to.body, ground);
    EXPECT_EQ(tie.to.at, (Vec3{{1, 0, symbol("l")}}));
    EXPECT_EQ(tie.stiffness, 100 * (1 + pow(symbol("loop"), 2)));
    EXPECT_EQ(m.forces[0].name, "force1");
    EXPECT_EQ(m.bodies[m.forces[0].in].name, "base");
    EXPECT_EQ(m.forces[0].from->name, "base.right");
    EXPECT_EQ(m.bodies[*m.torques[0].from].name, "base");
    EXPECT_TRUE(m.constraints[0].is_holonomic);
    EXPECT_FALSE(m.constraints[1].is_holonomic);
    EXPECT_EQ(m.gears[0].drive, symbol("ring.1"));
    EXPECT_EQ(m.gears[0].ratio, Expr(Rational(-3, 2)));
    EXPECT_EQ(m.events[0].when, symbol("ring.1") - m.t);
    EXPECT_EQ(m.events[0].direction, Crossing::down);
    EXPECT_TRUE(m.events[0].stops);
    EXPECT_EQ(m.rollings[2].type, RollingType::knife_edge);
    EXPECT_EQ(m.motions[0].coordinate, symbol("rail.y"));
    EXPECT_EQ(m.joint_motions[0].angles, (std::vector<Expr>{m.t, symbol("alpha")}));
    EXPECT_EQ(m.speeds[1].definition, symbol("px'") - 2);
    EXPECT_EQ(m.guess[0].symbol, symbol("loop"));
}

TEST_F(Read, UpIsAgainstGravity) {
    const auto text = [](const char* gravity) {
        return std::string("format = 1\ngravity = ") + gravity +
               "\n[parameters]\ng = 9.81\na = 0.3\nminus = -2\n[[body]]\nname = \"ball\"\nmass = 1\n[[joint]]\nname = "
               "\"fly\"\ntype = "
               "\"free\"\nparent = \"ground\"\nchild = \"ball\"\n[[rolling]]\ntype = \"sphere\"\non = \"ball\"\nradius "
               "= 1\n";
    };
    const auto expect_up = [&](const char* gravity, std::size_t k) {
        load(text(gravity));
        const sym::PoolScope scope(*m.pool);
        EXPECT_EQ(m.rollings[0].normal, unit(k)) << gravity;
    };
    expect_up("[0, \"-g\", 0]", 1);
    expect_up("[0, 0, \"minus\"]", 2);
    expect_up("[0, 0, -9.81]", 2);
    load(text("[\"g*sin(a)\", 0, \"-g*cos(a)\"]"));
    const sym::PoolScope scope(*m.pool);
    EXPECT_EQ(m.rollings[0].normal, (Vec3{{-sin(symbol("a")), 0, cos(symbol("a"))}}));
}

TEST_F(Read, ThousandBodiesAreQuick) {
    std::string text = "format = 1\n[parameters]\n";
    const int n = 1000;
    for (int i = 0; i < n; ++i) text += "m" + std::to_string(i) + " = 1.5\n";
    for (int i = 0; i < n; ++i) {
        const std::string k = std::to_string(i), parent = i == 0 ? "ground" : "b" + std::to_string(i - 1);
        text += "[[body]]\nname = \"b" + k + "\"\nmass = \"m" + k + "\"\n[[joint]]\nname = \"j" + k +
                "\"\ntype = \"revolute\"\nparent = \"" + parent + "\"\nchild = \"b" + k + "\"\nactuator = \"-j" + k + "'\"\n";
    }
    const auto start = std::chrono::steady_clock::now();
    load(text);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));  // 0.03 s; slow machines, sanitizers
    EXPECT_EQ(m.bodies.size(), 1001U);
}

// ---------------------------------------------------------------------------------------------------------- set,
// freeze

TEST_F(Read, SetReplacesValues) {
    load(R"(format = 1
[parameters]
a = 1
b = "2*a"
l = { value = 500, unit = "mm", min = 100, max = 2000 }
[inputs]
w = 0
[[body]]
name = "bob"
mass = 1
[[joint]]
name = "b1"
type = "prismatic"
parent = "ground"
child = "bob"
)");
    EXPECT_FALSE(set_value(m, "b", "3"));
    EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("b")), 3);
    EXPECT_FALSE(set_value(m, "b", "a^2 + 5"));
    EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("b")), 6);
    EXPECT_FALSE(set_value(m, "l", "600"));
    EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("l")), 0.6);
    EXPECT_FALSE(set_value(m, "w", "sin(t)*a"));

    const auto told = [&](std::string_view name, std::string_view value) {
        const auto problem = set_value(m, name, value);
        return problem ? problem->what + "|" + problem->hint : "fine";
    };
    EXPECT_EQ(told("l", "50"), "'l' is below its min|in SI units: min = 0.1 max = 2");
    EXPECT_EQ(told("l", "1e6"), "'l' is above its max|in SI units: min = 0.1 max = 2");
    EXPECT_EQ(told("l", "a"), "'l' is in mm in the file and cannot be made of other quantities|give it a number");
    EXPECT_EQ(told("a", "b"), "with this value 'a' depends on itself|");
    EXPECT_EQ(told("a", "t"), "unknown name 't'|");
    EXPECT_EQ(told("a", "1/0"), "'1/0' has no value|");
    EXPECT_EQ(told("ll", "1"), "unknown parameter or input 'll'|did you mean 'l'?");
    const std::string begins = "|its initial value is given in [initial] of the model, or by --initial ";
    EXPECT_EQ(told("b1", "0.3"), "'b1' is a coordinate, not a parameter or input" + begins + "\"b1=0.3\"");
    EXPECT_EQ(told("b1'", "0.3"), "'b1'' is a speed, not a parameter or input" + begins + "\"b1'=0.3\"");
    for (const char* half_a_metre : {"0.5 m", "50cm", "50*cm", "500", "0.5*m", "5e-4 * km", "500 mm"}) {
        EXPECT_EQ(told("l", "700"), "fine");
        EXPECT_EQ(told("l", half_a_metre), "fine") << half_a_metre;
        EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("l")), 0.5) << half_a_metre;
    }
    EXPECT_EQ(told("l", "600"), "fine");
    EXPECT_EQ(told("l", "3 m"), "'l' is above its max|in SI units: min = 0.1 max = 2");
    EXPECT_EQ(told("l", "2kg"), "'l' is in mm, which 'kg' does not convert to|a number here is in mm");
    EXPECT_EQ(told("l", "2*kg"), "'l' is in mm, which 'kg' does not convert to|a number here is in mm");
    EXPECT_EQ(told("l", "30*deg"), "'l' is in mm, which 'deg' does not convert to|a number here is in mm");
    EXPECT_EQ(told("a", "2g"), "fine");  // the file gives it no unit: any will do
    EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("a")), 0.002);
    EXPECT_EQ(told("a", "180*deg"), "fine");  // an expression
    EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("a")), std::numbers::pi);
    EXPECT_EQ(told("a", "1"), "fine");
    EXPECT_EQ(told("w", "2t").substr(0, 11), "an operator");  // time, no tonne
    EXPECT_DOUBLE_EQ(ParameterValues(m)(symbol("l")), 0.6);
}

TEST_F(Read, FreezeReplacesEverywhere) {
    load(everything);
    freeze(m, {"l", "m", "It", "alpha", "push", "third"});
    const sym::PoolScope scope(*m.pool);
    EXPECT_EQ(body("base").inertia[0][0], Expr(Rational(1, 24)));
    EXPECT_EQ(body("base").points[0].at[1], Expr(Rational(1, 4)));
    EXPECT_EQ(column(joint("shoulder").parent_axes.matrix(), 0), (Vec3{{0, sqrt(Expr(3)) / 2, Rational(1, 2)}}));
    EXPECT_EQ(m.springs.back().actuator, 2 * sin(2 * m.t));
    EXPECT_EQ(m.parameters.size(), 13U);
    EXPECT_EQ(m.inputs.size(), 1U);
}

}  // namespace
}  // namespace linkwright::model
