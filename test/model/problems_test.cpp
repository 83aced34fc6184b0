// What the reader says, word for word.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "linkwright/model/read.hpp"

namespace linkwright::model {
namespace {

std::string told(std::string_view text) { return to_string(read(text, "m.toml").problems); }

/// The body of a file after `format = 1`: its first line is line 2.
std::string told_after_format(std::string_view rest) { return told("format = 1\n" + std::string(rest)); }

struct Case {
    std::string_view rest, problems;
};

class Problems : public testing::TestWithParam<Case> {};

TEST_P(Problems, AreToldExactly) { EXPECT_EQ(told_after_format(GetParam().rest), GetParam().problems) << GetParam().rest; }

constexpr Case head[]{
    {"nam = \"x\"\n", "m.toml:2:1: error: unknown key 'nam' in the file\n    hint: did you mean 'name'?\n"},
    {"name = 3\n", "m.toml:2:8: error: 'name' must be a string, not an integer\n"},
    {"gravity = [0, 1]\n", "m.toml:2:11: error: 'gravity' must have 3 components, not 2\n"},
    {"gravity = [0, true, 0]\n",
     "m.toml:2:15: error: 'gravity' must be a number or an expression, not a boolean\n    hint: write 0 or 1\n"},
    {"gravity = [0, nan, -inf]\n",
     "m.toml:2:15: error: 'gravity' must be a finite number\n"
     "m.toml:2:20: error: 'gravity' must be a finite number\n"},
    {"gravity = [0, 0, \"-g\"]\n", "m.toml:2:20: error: unknown name 'g'\n"},
    {"gravity = [0, 0, \"1/0\"]\n",
     "m.toml:2:19: error: the expression in 'gravity' has no value\n"
     "    hint: it divides by zero, or takes a root or logarithm that is not real\n"},
    {"name = \"x\nname = 1\n", "m.toml:2:10: error: not TOML: a line break or control character in a string, key or remark\n"},
    {"parameters = 3\n", "m.toml:2:14: error: 'parameters' must be a table, not an integer\n"},
    {"[body]\nname = \"a\"\n", "m.toml:2:2: error: 'body' must be a list of tables\n    hint: write [[body]]\n"},
};
INSTANTIATE_TEST_SUITE_P(Head, Problems, testing::ValuesIn(head));

constexpr Case parameters[]{
    {"[parameters]\na = \"b\"\nb = \"2*c\"\nc = \"a + 1\"\n",
     "m.toml:3:1: error: parameters depend on each other in a circle: a → b → c → a\n    hint: give one of them a "
     "number\n"},
    {"[parameters]\nlength = 1\nx = \"2*lenght\"\n", "m.toml:4:8: error: unknown name 'lenght'\n    hint: did you mean 'length'?\n"},
    {"[parameters]\nx = \"t\"\n",
     "m.toml:3:6: error: 't' is the time and cannot be used in 'x'\n    hint: only parameters may be used here\n"},
    {"[parameters]\ng = \"9.81 m/s^2\"\n",
     "m.toml:3:6: error: 'g' has a unit in its expression\n    hint: numbers are in SI units; a parameter may be "
     "{ value = 9.81, unit = \"m/s^2\" }\n"},
    {"[parameters]\nx = \"1 +\"\n", "m.toml:3:8: error: a value is missing after '+'\n"},
    {"[parameters]\nx = { value = 1, unit = \"kgg\" }\n", "m.toml:3:26: error: unknown unit 'kgg'\n    hint: did you mean 'kg'?\n"},
    {"[parameters]\nx = { value = 1, unit = \"m**2\" }\n",
     "m.toml:3:26: error: 'm**2' is not a unit\n    hint: write products and quotients: N*m/rad, kg*m^2\n"},
    {"[parameters]\na = 1\nx = { value = \"2*a\", unit = \"mm\" }\n",
     "m.toml:4:16: error: 'value' is computed from quantities in SI units and cannot be in 'mm'\n"
     "    hint: give it a number, or an SI unit\n"},
    {"[parameters]\nx = { unit = \"m\" }\n", "m.toml:3:5: error: 'x' needs 'value'\n"},
    {"[parameters]\nx = { value = 1, mx = 2 }\n", "m.toml:3:18: error: unknown key 'mx' in 'x'\n    hint: did you mean 'max'?\n"},
    {"[parameters]\nx = { value = 1, unit = \"mm\", min = 2 }\n",
     "m.toml:3:1: error: 'x' is below its min\n    hint: in SI units: min = 0.002\n"},
    {"[parameters]\nx = -1\ny = \"sqrt(x)\"\n",
     "m.toml:4:1: error: 'y' has no value\n    hint: its expression is not real with these numbers\n"},
    {"[parameters]\nt = 1\npi.x = 2\n\"a b\" = 3\n\"2\" = 3\n",
     "m.toml:3:1: error: the name 't' is reserved\n    hint: choose another name\n"
     "m.toml:4:4: error: the name 'pi.x' is reserved\n    hint: choose another name\n"
     "m.toml:5:1: error: 'a b' cannot be a name\n    hint: a name has letters, digits and _, and begins with a letter "
     "or _\n"
     "m.toml:6:1: error: '2' cannot be a name\n    hint: a name has letters, digits and _, and begins with a letter or "
     "_\n"},
    {"[parameters]\nlambda = 1\n\"lambda.pin.x\" = 2\n",
     "m.toml:4:1: error: the name 'lambda.pin.x' is reserved\n    hint: multipliers are called lambda.JOINT.x; choose another name\n"},
    {"[parameters]\na = 1\n[inputs]\na = 2\n", "m.toml:5:1: error: the name 'a' is already used\n    hint: it is first used at 3:1\n"},
    {"[parameters]\na = 1\na = 2\n",
     "m.toml:4:5: error: not TOML: cannot redefine existing integer 'a'\n"
     "    hint: a key may occur once in a table; a list of tables is written [[body]]\n"},
    {"[inputs]\na = 1\nb = \"a\"\nc = \"t\"\n",
     "m.toml:4:6: error: 'a' is an input and cannot be used in 'b'\n    hint: only parameters and t may be used here\n"},
};
INSTANTIATE_TEST_SUITE_P(Parameters, Problems, testing::ValuesIn(parameters));

constexpr Case bodies[]{
    {"[[body]]\nmass = 1\n", "m.toml:2:1: error: a body needs 'name'\n"},
    {"[[body]]\nname = \"a\"\nmas = 1\n", "m.toml:4:1: error: unknown key 'mas' in a body\n    hint: did you mean 'mass'?\n"},
    {"[[body]]\nname = \"a\"\n[[body]]\nname = \"a\"\n",
     "m.toml:5:9: error: the name 'a' is already used\n    hint: it is first used at 3:9\n"},
    {"[[body]]\nname = \"ground\"\n",
     "m.toml:3:9: error: the ground always exists and cannot be declared as a body\n    hint: give the ground points with "
     "[ground]\n"},
    {"[[body]]\nname = \"a\"\ntype = \"rigit\"\n", "m.toml:4:9: error: unknown body type 'rigit'\n    hint: did you mean 'rigid'?\n"},
    {"[[body]]\nname = \"a\"\nmass = true\n",
     "m.toml:4:8: error: 'mass' must be a number or an expression, not a boolean\n    hint: write 0 or 1\n"},
    {"[[body]]\nname = \"a\"\nmass = -1\n", "m.toml:3:9: error: the mass of 'a' is negative\n"},
    {"[[body]]\nname = \"a\"\ninertia = [1, 2]\n",
     "m.toml:4:11: error: 'inertia' must have 3 or 6 entries, not 2\n    hint: 3 principal moments, or xx yy zz xy xz "
     "yz\n"},
    {"[[body]]\nname = \"a\"\ninertia = [1, -2, 1]\n", "m.toml:3:9: error: the moment of inertia Iyy of 'a' is negative\n"},
    {"[[body]]\nname = \"a\"\ninertia = [1, 1, 3]\n",
     "m.toml:3:9: warning: no body has the moments of inertia of 'a'\n"
     "    hint: each principal moment is at most the sum of the other two\n"},
    {"[[body]]\nname = \"a\"\ninertia = [1, 1, 1, 2, 0, 0]\n",
     "m.toml:3:9: warning: no body has the moments of inertia of 'a'\n"
     "    hint: each principal moment is at most the sum of the other two\n"},
    {"[[body]]\nname = \"a\"\ninertia = [0, 0, 3]\n[[body]]\nname = \"rod\"\ninertia = [0, 0.1, 0.1]\n", ""},
    {"[[body]]\nname = \"a\"\npoints = { com = [0, 0, 0] }\n",
     "m.toml:4:12: error: every body already has a point 'com'\n    hint: choose another name\n"},
    {"[[body]]\nname = \"a\"\ninertia = [0.09, 0.2, 0.2]\nrotor = { axis = \"x\", inertia = 0.13, torque = 1 }\n",
     "m.toml:5:9: error: about the axis of this rotor 'a' has a moment of inertia of 0.09, and what turns has 0.13\n"
     "    hint: the inertia of a body includes its rotors, as if they were locked\n"},
    {"[[body]]\nname = \"a\"\ninertia = [0.2, 0.2, 0.2]\nrotor = [{ axis = \"x\", inertia = 0.13, speed = 1 }, { axis = [3, 4, 0], inertia "
     "= 0.2, "
     "speed = 1 }]\n",
     "m.toml:5:10: warning: about the axis of this rotor 'a' has a moment of inertia of 0.2, and what turns has 0.202\n"
     "    hint: the inertia of a body includes its rotors, as if they were locked\n"},
    {"[[body]]\nname = \"a\"\nrotor = { axis = \"z\", inertia = 1 }\n",
     "m.toml:4:9: error: a rotor needs 'speed' or 'torque'\n"
     "    hint: with speed its spin is held constant, with torque it is a state\n"},
    {"[[body]]\nname = \"a\"\nrotor = { axis = [0, 0, 0], inertia = -1, speed = 2 }\n",
     "m.toml:4:18: error: 'axis' has no direction: its components are all zero\n"},
    {"[[body]]\nname = \"a\"\nrotor = { axis = \"w\", inertia = 1, speed = 2 }\n",
     "m.toml:4:18: error: 'w' is not an axis\n    hint: write \"x\", \"-y\", or a vector [0, 0, 1]\n"},
    {"[ground]\npoint = { a = [0, 0, 0] }\n", "m.toml:3:1: error: unknown key 'point' in the ground\n    hint: did you mean 'points'?\n"},
};
INSTANTIATE_TEST_SUITE_P(Bodies, Problems, testing::ValuesIn(bodies));

/// Two bodies, then a joint that begins on line 6.
std::string with_joint(std::string_view joint) {
    return "[[body]]\nname = \"a\"\n[[body]]\nname = \"b\"\n[[joint]]\n" + std::string(joint);
}

constexpr Case joints[]{
    {"name = \"j\"\ntype = \"revolut\"\nparent = \"a\"\nchild = \"b\"\n",
     "m.toml:8:9: error: unknown joint type 'revolut'\n    hint: did you mean 'revolute'?\n"},
    {"name = \"j\"\ntype = \"revolut\"\nparent = \"a\"\nchild = \"b\"\naxis = [0, 0, 0]\n",
     "m.toml:8:9: error: unknown joint type 'revolut'\n    hint: did you mean 'revolute'?\n"
     "m.toml:11:8: error: 'axis' has no direction: its components are all zero\n"},
    {"type = \"weld\"\n", "m.toml:6:1: error: a joint needs 'name'\n"},
    {"name = \"j\"\ntype = \"weld\"\n", "m.toml:6:1: error: a joint needs 'parent'\nm.toml:6:1: error: a joint needs 'child'\n"},
    {"name = \"j\"\ntype = \"weld\"\nparent = \"a\"\nchild = \"c\"\n",
     "m.toml:10:10: error: unknown body 'c'\n    hint: choose from a, b, ground\n"},
    {"name = \"j\"\ntype = \"weld\"\nparent = \"a\"\nchild = \"a\"\n",
     "m.toml:10:9: error: the joint connects 'a' to itself\n    hint: name another child\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\npitch = 1\n",
     "m.toml:11:1: error: 'pitch' does not apply to a revolute joint\n    hint: only a screw has a pitch\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\naxes = [\"x\"]\n",
     "m.toml:11:1: error: 'axes' does not apply to a revolute joint\n    hint: write axis = ..\n"},
    {"name = \"j\"\ntype = \"universal\"\nparent = \"a\"\nchild = \"b\"\naxis = \"x\"\n",
     "m.toml:11:1: error: 'axis' does not apply to a universal joint\n    hint: write axes = [..]\n"},
    {"name = \"j\"\ntype = \"universal\"\nparent = \"a\"\nchild = \"b\"\naxes = [\"x\"]\n",
     "m.toml:11:8: error: 'axes' of a universal joint must have 2 axes, not 1\n"},
    {"name = \"j\"\ntype = \"universal\"\nparent = \"a\"\nchild = \"b\"\naxes = [\"x\", [-2, 0, 0]]\n",
     "m.toml:11:8: error: axes 1 and 2 are parallel\n"},
    {"name = \"j\"\ntype = \"planar\"\nparent = \"a\"\nchild = \"b\"\naxis = [1, 1, 0]\n",
     "m.toml:11:8: error: the axis of a planar joint must be x, y or z\n    hint: turn the joint axes with "
     "both_axes\n"},
    {"name = \"j\"\ntype = \"screw\"\nparent = \"a\"\nchild = \"b\"\n", "m.toml:6:1: error: a screw joint needs 'pitch'\n"},
    {"name = \"j\"\ntype = \"spherical\"\nparent = \"a\"\nchild = \"b\"\nstiffness = 1\n",
     "m.toml:11:1: error: 'stiffness' does not apply to a spherical joint\n"
     "    hint: there are no springs on quaternions: use [[spring]], or a gimbal joint\n"},
    {"name = \"j\"\ntype = \"point-on-line\"\nparent = \"a\"\nchild = \"b\"\nstiffness = [1, 0, 2, 0]\n",
     "m.toml:11:20: error: 'stiffness' along 'j.wy' must be 0\n    hint: there are no springs on quaternions: use [[spring]]\n"},
    {"name = \"j\"\ntype = \"point-on-line\"\nparent = \"a\"\nchild = \"b\"\naxes = [\"x\", \"y\"]\n",
     "m.toml:11:1: error: 'axes' does not apply to a point-on-line joint\n    hint: write axis = ..\n"},
    {"name = \"j\"\ntype = \"point-in-line\"\nparent = \"a\"\nchild = \"b\"\n",
     "m.toml:8:9: error: unknown joint type 'point-in-line'\n    hint: did you mean 'point-on-line'?\n"},
    {"name = \"j\"\ntype = \"weld\"\nparent = \"a\"\nchild = \"b\"\ndamping = 1\n",
     "m.toml:11:1: error: 'damping' does not apply to a weld joint\n    hint: a weld has no degree of freedom\n"},
    {"name = \"j\"\ntype = \"gimbal\"\nparent = \"a\"\nchild = \"b\"\ndamping = [1, 2]\n",
     "m.toml:11:11: error: 'damping' must have 3 entries, not 2\n    hint: one for each speed, in their order\n"},
    {"name = \"j\"\ntype = \"weld\"\nparent = \"a\"\nchild = \"b\"\narmature = 1\n",
     "m.toml:11:1: error: 'armature' does not apply to a weld joint\n    hint: a weld has no degree of freedom\n"},
    {"name = \"j\"\ntype = \"gimbal\"\nparent = \"a\"\nchild = \"b\"\narmature = [1, 2]\n",
     "m.toml:11:12: error: 'armature' must have 3 entries, not 2\n    hint: one for each speed, in their order\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\narmature = \"1 + j^2\"\n",
     "m.toml:11:17: error: 'j' is a coordinate and cannot be used in 'armature'\n    hint: only parameters may be used here\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\narmature = \"a0 - 1\"\n[parameters]\na0 = 0.5\n",
     "m.toml:7:9: error: the armature of joint 'j' is negative\n"
     "    hint: it is an inertia: that of the rotor times the square of the gear ratio\n"},
    {"name = \"j\"\ntype = \"universal\"\nparent = \"a\"\nchild = \"b\"\narmature = [0, \"sqrt(a0)\"]\n[parameters]\na0 = -0.5\n",
     "m.toml:7:9: error: the armature of joint 'j' along 'j.2'' has no value\n"
     "    hint: it is an inertia: that of the rotor times the square of the gear ratio\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\narmature = true\n",
     "m.toml:11:12: error: 'armature' must be a number or an expression, not a boolean\n    hint: write 0 or 1\n"},
    {"name = \"j\"\ntype = \"gimbal\"\nparent = \"a\"\nchild = \"b\"\ncoordinates = [\"u\", \"v\"]\n",
     "m.toml:11:15: error: 'coordinates' must have 3 names, not 2\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nchild_at = \"tip\"\n",
     "m.toml:11:13: error: 'b' has no point 'tip'\n    hint: choose from origin, com\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nparent_at = [\"j\", 0, 0]\n",
     "m.toml:11:15: error: 'j' is a coordinate and cannot be used in 'parent_at'\n    hint: only parameters may be used "
     "here\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nboth_axes = { z = [0, 0, 1], x = [1, 0, 0.1] "
     "}\n",
     "m.toml:11:13: error: the axes of 'both_axes' are not orthogonal\n    hint: they must be within 1e-6\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nboth_axes = { rotate = [\"x\"], by = [1, 2] "
     "}\n",
     "m.toml:11:36: error: 'by' has 2 angles for 1 axes\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nboth_axes = { z = \"z\" }\n",
     "m.toml:11:13: error: 'both_axes' must give two axes, not 1\n"
     "    hint: write { z = [0, 0, 1], x = [1, 0, 0] }, or { rotate = [\"x\"], by = [\"90*deg\"] }\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nrest = 1\n",
     "m.toml:11:1: warning: 'rest' does nothing without 'stiffness'\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nactuator = \"-2*k'\"\n",
     "m.toml:11:16: error: unknown name \"k'\"\n    hint: did you mean \"j'\"?\n"},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\nactuator = \"energy.total\"\n", ""},
    {"name = \"j\"\ntype = \"revolute\"\nparent = \"a\"\nchild = \"b\"\n[parameters]\nj = 1\n",
     "m.toml:12:1: error: the name 'j' is already used\n    hint: it is first used at 7:9\n"},
};

class JointProblems : public testing::TestWithParam<Case> {};
TEST_P(JointProblems, AreToldExactly) { EXPECT_EQ(told_after_format(with_joint(GetParam().rest)), GetParam().problems) << GetParam().rest; }
INSTANTIATE_TEST_SUITE_P(Joints, JointProblems, testing::ValuesIn(joints));

/// A cart on a rail and a ball in space; what follows begins on line 18.
constexpr std::string_view cart = R"(format = 1
[[body]]
name = "cart"
mass = 1
[[body]]
name = "ball"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "cart"
[[joint]]
name = "fly"
type = "free"
parent = "cart"
child = "ball"
)";

class CartProblems : public testing::TestWithParam<Case> {};
TEST_P(CartProblems, AreToldExactly) {
    EXPECT_EQ(told(std::string(cart) + std::string(GetParam().rest)), GetParam().problems) << GetParam().rest;
}

constexpr Case elements[]{
    {"[[spring]]\nfrom = \"cart\"\nto = \"bal\"\n", "m.toml:20:7: error: unknown body 'bal'\n    hint: did you mean 'ball'?\n"},
    {"[[spring]]\nfrom = \"cart\"\n", "m.toml:18:1: error: a spring needs 'to'\n"},
    {"[[spring]]\nfrom = \"cart\"\nto = \"cart.com\"\n", "m.toml:20:6: error: a spring has both ends on 'cart'\n"},
    {"[[force]]\non = \"cart\"\n", "m.toml:18:1: error: a force needs 'vector'\n"},
    {"[[force]]\non = 3\nvector = [0, 0, 1]\n", "m.toml:19:6: error: 'on' must be a string, not an integer\n"},
    {"[[torque]]\non = \"ball.com\"\nvector = [0, 0, 1]\n",
     "m.toml:19:7: error: unknown body 'ball.com'\n    hint: choose from ball, cart, ground\n"},
    {"[[rod]]\nfrom = \"cart\"\nto = \"ground\"\nlength = \"x\"\n",
     "m.toml:21:11: error: 'x' is a coordinate and cannot be used in 'length'\n    hint: only parameters and t may be used "
     "here\n"},
    {"[[constraint]]\nholonomic = \"x'\"\n",
     "m.toml:19:14: error: \"x'\" is a speed and cannot be used in 'holonomic'\n"
     "    hint: only parameters, t, coordinates and points may be used here\n"},
    {"[[constraint]]\nnonholonomic = \"x'^2 - 1\"\n",
     "m.toml:19:17: error: a nonholonomic constraint must be linear in the speeds, up to a constant\n"},
    {"[[constraint]]\nnonholonomic = \"abs(x')\"\n",
     "m.toml:19:17: error: a nonholonomic constraint must be linear in the speeds, up to a constant\n"},
    {"[[constraint]]\nnonholonomic = \"(x' + x)^2 - x'^2\"\n", ""},
    {"[[constraint]]\nname = \"c\"\n", "m.toml:18:1: error: a constraint needs 'holonomic' or 'nonholonomic'\n"},
    {"[[gear]]\ndrive = \"x\"\ndriven = \"y\"\nratio = 2\n",
     "m.toml:20:11: error: unknown coordinate 'y'\n    hint: choose from fly.e0, fly.e1, fly.e2, fly.e3, fly.x, fly.y, "
     "fly.z, x\n"},
    {"[[gear]]\ndrive = \"x\"\ndriven = \"x\"\nratio = 2\n", "m.toml:20:10: error: a gear needs two different coordinates\n"},
    {"[[event]]\nwhen = \"x\"\ndirection = \"up\"\n",
     "m.toml:20:13: error: 'up' is not a direction\n    hint: write one of both, rising, falling\n"},
    {"[[event]]\nwhen = 3\n",
     "m.toml:19:8: error: this never crosses zero\n    hint: write an expression of coordinates, speeds, inputs, t or outputs\n"},
    {"[[event]]\nname = \"e\"\n", "m.toml:18:1: error: an event needs 'when'\n"},
    {"[[rolling]]\ntype = \"disc\"\non = \"ball\"\n", "m.toml:19:9: error: unknown rolling type 'disc'\n    hint: did you mean 'disk'?\n"},
    {"[[rolling]]\ntype = \"sphere\"\non = \"ball\"\nradius = 1\naxis = \"z\"\n",
     "m.toml:18:1: error: the plane needs a normal: gravity is not constant and does not define one\n"
     "    hint: write plane = { normal = \"z\" }\n"
     "m.toml:22:1: error: 'axis' does not apply to a rolling sphere\n"},
    {"[[spring]]\nname = \"s\"\nfrom = \"cart\"\nto = \"ball\"\n[[rod]]\nname = \"s\"\nfrom = \"cart\"\nto = "
     "\"ball\"\nlength = 1\n",
     "m.toml:23:9: error: the name 's' is already used\n    hint: it is first used at 19:9\n"},
};
INSTANTIATE_TEST_SUITE_P(Elements, CartProblems, testing::ValuesIn(elements));

constexpr Case pictures[]{
    {"[[shape]]\non = \"cart\"\ntype = \"sphere\"\nradius = 0.1\ncolour = \"#4477AA\"\n", ""},
    {"[[shape]]\non = \"cart\"\n", "m.toml:18:1: error: a shape needs 'type'\n"},
    {"[[shape]]\non = \"cart\"\ntype = \"ball\"\n",
     "m.toml:20:9: error: unknown type of shape 'ball'\n    hint: choose from box, cylinder, sphere, capsule, polyline, mesh\n"},
    {"[[shape]]\non = \"cat\"\ntype = \"sphere\"\nradius = -1\nlength = 2\ncolour = \"greenish\"\n",
     "m.toml:19:7: error: unknown body 'cat'\n    hint: did you mean 'cart'?\n"
     "m.toml:21:10: error: 'radius' must be positive\n"
     "m.toml:22:1: error: unknown key 'length' in a sphere\n    hint: choose from name, on, type, at, axes, colour, radius\n"
     "m.toml:23:11: error: 'greenish' is no colour\n    hint: write \"#4477aa\", or a name as \"teal\"\n"},
    {"[[shape]]\non = \"cart\"\ntype = \"polyline\"\npoints = [[0, 0, 0]]\n",
     "m.toml:21:10: error: 'points' of a polyline must be at least two\n"},
    {"[[shape]]\non = \"cart\"\ntype = \"mesh\"\nfile = \"part.step\"\n",
     "m.toml:21:9: error: 'part.step' is no mesh\n    hint: STL and OBJ files are read\n"},
    {"[[shape]]\non = \"cart\"\ntype = \"box\"\nsize = [\"x\", 1, 1]\n",
     "m.toml:21:10: error: 'x' is a coordinate and cannot be used in 'size'\n    hint: only parameters may be used here\n"},
    {"[symbols]\nx = \"\\\\xi\"\nfly.wx = \"\\\\omega_x\"\n", ""},
    {"[symbols]\nfly.w = \"y\"\n", "m.toml:19:1: error: unknown name 'fly.w'\n    hint: did you mean 'fly.wx'?\n"},
    {"[symbols]\nx = 3\n", "m.toml:19:5: error: 'x' must be a string, not an integer\n"},
    {"[symbols]\nx = \"x_{1\"\n",
     "m.toml:19:6: error: the LaTeX text of 'x' has a { without its }\n    hint: write what stands between two dollars: 'm_u', "
     "'\\theta_1'\n"},
    {"[symbols]\nx = \"$x$\"\n",
     "m.toml:19:6: error: the LaTeX text of 'x' has a $, which ends or breaks a formula\n    hint: write what stands between two dollars: "
     "'m_u', '\\theta_1'\n"},
};
INSTANTIATE_TEST_SUITE_P(Pictures, CartProblems, testing::ValuesIn(pictures));

constexpr Case motions[]{
    {"[[motion]]\ncoordinate = \"y\"\nequals = 0\n",
     "m.toml:19:15: error: unknown coordinate 'y'\n    hint: choose from fly.e0, fly.e1, fly.e2, fly.e3, fly.x, fly.y, "
     "fly.z, x\n"},
    {"[[motion]]\ncoordinate = \"x\"\nequals = \"x'\"\n",
     "m.toml:20:11: error: \"x'\" is a speed and cannot be used in 'equals'\n    hint: only parameters and t may be used "
     "here\n"},
    {"[[motion]]\ncoordinate = \"x\"\nequals = \"t\"\n[[motion]]\ncoordinate = \"x\"\nequals = \"t^2\"\n",
     "m.toml:22:15: error: 'x' has a motion already\n    hint: it is given at 18:1\n"},
    {"[[motion]]\ncoordinate = \"x\"\nequals = \"t\"\n[initial]\nx = 1\n\"x'\" = 2\n",
     "m.toml:22:1: error: 'x' has a given motion and cannot have a value in [initial]\n    hint: its motion is given at 18:1\n"
     "m.toml:23:1: error: \"x'\" has a given motion and cannot have a value in [initial]\n    hint: its motion is given at 18:1\n"},
    {"[[motion]]\ncoordinate = \"fly.e0\"\nequals = 1\n",
     "m.toml:19:15: error: 'fly.e0' is one of four Euler parameters and cannot move alone\n"
     "    hint: write joint = .., rotate = [..], by = [..]\n"},
    {"[[motion]]\njoint = \"x\"\nrotate = [\"z\"]\nby = [\"t\"]\n",
     "m.toml:19:10: error: 'x' is a prismatic joint: its coordinates are moved one by one\n"
     "    hint: write coordinate = .. and equals = ..\n"},
    {"[[motion]]\njoint = \"fli\"\n", "m.toml:19:10: error: unknown joint 'fli'\n    hint: did you mean 'fly'?\n"},
    {"[speeds]\nu = \"x'*x'\"\n", "m.toml:19:6: error: 'u' must be linear in the speeds, up to a constant\n"},
    {"[speeds]\nu = \"x'\"\nv = \"u + x'\"\n",
     "m.toml:20:6: error: 'v' is defined by 'u', which is itself defined here\n    hint: use rates of coordinates: "
     "hip'\n"},
    {"[initial]\nfly.wxx = 1\n", "m.toml:19:1: error: unknown coordinate or speed 'fly.wxx'\n    hint: did you mean 'fly.wx'?\n"},
    {"[initial]\nfly.wx = \"x\"\n",
     "m.toml:19:11: error: 'x' is a coordinate and cannot be used in 'fly.wx'\n    hint: only parameters may be used "
     "here\n"},
    {"[initial]\nfly.wx = 1\n\"fly.wx\" = 2\n",
     "m.toml:20:1: error: 'fly.wx' has a value in [initial] already\n    hint: it is given at 19:1\n"},
    {"[initial]\nx = 1\n[guess]\nx = 2\n", "m.toml:21:1: warning: the guess of 'x' is not used: it has a value in [initial]\n"},
};
INSTANTIATE_TEST_SUITE_P(Motions, CartProblems, testing::ValuesIn(motions));

constexpr Case outputs[]{
    {"[[output]]\nname = \"o\"\n",
     "m.toml:18:1: error: an output needs a quantity\n"
     "    hint: write one of position, velocity, acceleration, orientation, reaction, expression, or deflection, strain, moment of a "
     "beam\n"},
    {"[[output]]\nname = \"o\"\nposition = \"cart\"\nvelocity = \"cart\"\n",
     "m.toml:18:1: error: an output has only one quantity\n"
     "    hint: write one of position, velocity, acceleration, orientation, reaction, expression, or deflection, strain, moment of a "
     "beam\n"},
    {"[[output]]\nname = \"o\"\nexpression = \"energy.totl\"\n",
     "m.toml:20:15: error: unknown name 'energy.totl'\n    hint: did you mean 'energy.total'?\n"},
    {"[[output]]\nname = \"o\"\nposition = \"cart\"\n[[output]]\nname = \"p\"\nexpression = \"2*o\"\n",
     "m.toml:23:17: error: 'o' is an output with several parts and cannot be used in 'expression'\n"
     "    hint: write one of its parts\n"},
    {"[[output]]\nname = \"x\"\nposition = \"cart\"\n",
     "m.toml:19:9: error: the name 'x' is already used\n    hint: it is first used at 9:9\n"},
    {"[[output]]\nname = \"o\"\nreaction = \"x\"\nin = \"cart\"\n", "m.toml:21:1: error: 'in' does not apply to 'reaction'\n"},
    {"[[output]]\nname = \"a\"\nexpression = \"b\"\n[[output]]\nname = \"b\"\nexpression = \"2*a\"\n",
     "m.toml:19:9: error: the output 'a' depends on itself\n"},
    {"[[output]]\nname = \"a\"\nexpression = \"x''\"\n", ""},
};
INSTANTIATE_TEST_SUITE_P(Outputs, CartProblems, testing::ValuesIn(outputs));

TEST(ReadProblems, FormatIsAskedFor) {
    EXPECT_EQ(told("name = \"x\"\n"), "m.toml:1:1: error: 'format' is missing\n    hint: begin the file with format = 1\n");
    EXPECT_EQ(told("format = 2\n"), "m.toml:1:10: error: the format must be 1\n    hint: write format = 1\n");
    EXPECT_EQ(told("format = \"1\"\n"), "m.toml:1:10: error: the format must be 1\n    hint: write format = 1\n");
}

TEST(ReadProblems, TextsThatAreNone) {
    EXPECT_EQ(told(""), "m.toml:1:1: error: the file is empty\n    hint: begin it with format = 1\n");
    EXPECT_EQ(told("  \n\n"), "m.toml:1:1: error: the file is empty\n    hint: begin it with format = 1\n");
    EXPECT_EQ(told("format = 1\nname = \"\xff\"\n"), "m.toml:2:9: error: not a text in UTF-8\n    hint: save the file as UTF-8\n");
    EXPECT_EQ(told(std::string(16'000'001, ' ')), "m.toml:1:1: error: too large: a model file has at most 16 MB\n");
    EXPECT_EQ(to_string(read_file("/nowhere/at/all").problems), "/nowhere/at/all:1:1: error: there is no such file\n");
    EXPECT_EQ(to_string(read_file("/").problems), "/:1:1: error: this is a folder, not a file\n");
}

TEST(ReadProblems, KeysOfOtherAlphabetsNeedQuotes) {
    for (const char* letter : {"é", "ж", "字", "\u00ad"}) {
        EXPECT_EQ(told("format = 1\n" + std::string(letter) + " = 1\n").substr(0, 28), "m.toml:2:1: error: not TOML:") << letter;
    }
}

TEST(ReadProblems, DeepNestingEnds) {
    EXPECT_EQ(told("a = " + std::string(100'000, '[')), "m.toml:1:37: error: values are nested too deeply\n");
    std::string dotted = "a";
    for (int i = 0; i < 100'000; ++i) dotted += ".a";
    EXPECT_EQ(told(dotted + " = 1"), "m.toml:1:1: error: the line has more than 400 dots\n    hint: break the line\n");
    std::string open, close;
    for (int i = 0; i < 14; ++i) {
        open += "[{\na";
        for (int k = 0; k < 390; ++k) open += ".a";
        open += " = ";
        close += "}]";
    }
    EXPECT_FALSE(read("format = 1\ninitial = " + open + "1" + close).model);
}

TEST(ReadProblems, AllAtOnceInOrderAndNotTooMany) {
    const std::string three = told("format = 1\n[parameters]\nb = \"x\"\na = true\n[[body]]\n");
    EXPECT_EQ(three,
              "m.toml:3:6: error: unknown name 'x'\n"
              "m.toml:4:5: error: 'a' must be a number or an expression, not a boolean\n    hint: write 0 or 1\n"
              "m.toml:5:1: error: a body needs 'name'\n");
    std::string many = "format = 1\n";
    for (int i = 0; i < 1000; ++i) many += "x" + std::to_string(i) + " = 1\n";
    const Reading reading = read(many);
    ASSERT_EQ(reading.problems.size(), 101U);
    EXPECT_EQ(reading.problems.back().what, "900 more problems are not shown");
    EXPECT_FALSE(reading.model);
}

TEST(ReadProblems, PositionsInStringsOfEveryKind) {
    EXPECT_EQ(told("format = 1\ngravity = [0, 0, '  q']\n"), "m.toml:2:21: error: unknown name 'q'\n");
    EXPECT_EQ(told("format = 1\ngravity = [0, 0, \"\"\"\n 1 +\n  q\"\"\"]\n"), "m.toml:4:3: error: unknown name 'q'\n");
    EXPECT_EQ(told("format = 1\ngravity = [0, 0, '''q''']\n"), "m.toml:2:21: error: unknown name 'q'\n");
    EXPECT_EQ(told("format = 1\nname = \"ä\" # ö\ngravity = [\"ü\", 0, 0]\n").substr(0, 19), "m.toml:3:13: error:");
}

}  // namespace
}  // namespace linkwright::model
