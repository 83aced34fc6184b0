// Mechanisms whose motion is known, and pairs of mechanisms that must move alike: rods, gears, cuts, speeds, rotors, moving ground.

#include "laws/mechanism.hpp"
#include "linkwright/formulation/formulations.hpp"

namespace linkwright::laws {
namespace {

// -------------------------------------------------------------------------------------------------- rods, gears,
// speeds

TEST(Pairs, RodIsAPendulum) {
    const std::string particle = R"toml(
format = 1
gravity = [0, 0, -9.81]
[parameters]
l = 0.8
[ground]
points = { pivot = [0.1, 0.2, 0.3] }
[[body]]
name = "bob"
mass = 2
)toml";
    const Mechanism rod(read_model(particle + R"toml(
[[joint]]
name = "fly"
type = "translation"
parent = "ground"
child = "bob"
[[rod]]
name = "string"
from = "ground.pivot"
to = "bob"
length = "l"
)toml"));
    const Mechanism pendulum(read_model(particle + R"toml(
[[joint]]
name = "pivot"
type = "universal"
parent = "ground"
parent_at = "pivot"
child = "bob"
child_at = [0, 0, "l"]
)toml"));
    const State s = pendulum.random_state(4);
    const Physics expected = physics(pendulum, s);
    const Vector3d p = expected.position.at("bob")[0], v = expected.velocity.at("bob")[0];
    const State r =
        rod.state({{"fly.x", p[0]}, {"fly.y", p[1]}, {"fly.z", p[2]}, {"fly.x'", v[0]}, {"fly.y'", v[1]}, {"fly.z'", v[2]}}, s.t);
    expect_laws(rod, r);
    expect_numeric_path(rod, r);
    const Physics found = physics(rod, r);
    EXPECT_LT((found.acceleration.at("bob")[0] - expected.acceleration.at("bob")[0]).norm(), 1e-9);
    const Vector3d along = (p - Vector3d(0.1, 0.2, 0.3)) / 0.8;
    EXPECT_NEAR(rod.output(rod.evaluate(r), "string.tension"), -along.dot(expected.reaction.at("pivot").first), 1e-9);
}

TEST(Pairs, RodsBetweenMovingBodiesAndOfGivenLength) {
    const Mechanism m(read_model(R"toml(
format = 1
gravity = [0, 1, -9.81]
[[body]]
name = "a"
mass = 1
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
points = { p = [0.5, 0.1, 0] }
[[body]]
name = "b"
mass = 2
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
points = { p = [0.4, 0.3, 0.1] }
[[joint]]
name = "ja"
type = "gimbal"
parent = "ground"
child = "a"
[[joint]]
name = "jb"
type = "spherical"
parent = "ground"
parent_at = [1.2, 0.1, 0.2]
child = "b"
damping = 0.1
[[rod]]
name = "strut"
from = "a.p"
to = "b.p"
length = "0.9 + 0.1*sin(2*t)"
)toml"));
    expect_sound(m, 11, 3);
}

TEST(Pairs, GearsAndWrittenConstraints) {
    for (const std::string what :
         {"[[gear]]\ndrive = \"one\"\ndriven = \"two\"\nratio = \"-3/2\"\n", "[[constraint]]\nholonomic = \"one + 3/2*two + 0.2*sin(t)\"\n",
          "[[constraint]]\nnonholonomic = \"one'*cos(two) - two' + 0.3*slide' - 0.2*sin(t)\"\n",
          "[[constraint]]\nholonomic = \"slide - one*two - 0.1\"\n[[gear]]\ndrive = \"slide\"\ndriven = \"two\"\nratio "
          "= 0.4\n"}) {
        SCOPED_TRACE(what);
        const Mechanism m(read_model(R"toml(
format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "a"
mass = 1
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[body]]
name = "b"
mass = 2
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[body]]
name = "c"
mass = 1.5
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0, 0.1, 0]
[[joint]]
name = "one"
type = "revolute"
parent = "ground"
child = "a"
axis = [0, 1, 1]
[[joint]]
name = "two"
type = "revolute"
parent = "a"
parent_at = [0.5, 0, 0]
child = "b"
[[joint]]
name = "slide"
type = "prismatic"
parent = "b"
child = "c"
axis = "x"
)toml" + what));
        expect_sound(m, 21, 2);
    }
}

/// The model's own speeds may be named in constraints: the force of the row is that of the same row written out.
TEST(Pairs, UserSpeedsInConstraints) {
    const Model planar = read_model(R"toml(
format = 1
[[body]]
name = "plate"
mass = 1
inertia = [0, 0, 0.2]
[[joint]]
name = "P"
type = "planar"
axis = "z"
parent = "ground"
child = "plate"
[speeds]
ua = "P.x' + P.y'"
[[constraint]]
name = "wheel"
nonholonomic = "ua - 0.5*P.angle'"
[[force]]
on = "plate"
vector = [1, 0, 0]
)toml");
    const auto topology = topology::analyse(planar).topology.value();
    for (const formulation::Formulation& formulation : formulation::formulations()) {
        SCOPED_TRACE(formulation.name);
        const auto derived = formulation.derive(planar, topology, {});
        ASSERT_TRUE(derived.equations.has_value());
        const numeric::CompiledEquations numbers(*derived.equations);
        const Evaluation e = numeric::evaluate(numbers, numbers.zero_state());
        ASSERT_TRUE(e.is_ok) << e.why;
        for (std::size_t r = 0; r < derived.equations->constraints.size(); ++r) {
            if (derived.equations->constraints[r].name == "wheel") {
                EXPECT_NEAR(e.multipliers[r], 4. / 13, 1e-12);
            }
        }
    }
}

/// A loop whose cut joint is geared, constrained and named in a spring's stiffness.
TEST(Pairs, CutJointsMayBeNamedAnywhere) {
    for (const std::string cut : {"d", "a", "b"}) {
        for (const std::string what :
             {"", "[[gear]]\nname = \"g\"\ndrive = \"d\"\ndriven = \"e\"\nratio = 0.7\n",
              "[[constraint]]\nholonomic = \"d - e^2 - 0.1*b.1\"\n", "[[constraint]]\nnonholonomic = \"d'*cos(e) - e' - 0.2*b.1'\"\n"}) {
            SCOPED_TRACE(cut + ", " + what);
            std::string text = R"toml(
format = 1
gravity = [0.5, -9.81, 0]
[[body]]
name = "crank"
mass = 1
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[body]]
name = "rod"
mass = 2
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.5, 0.1, 0]
[[body]]
name = "rocker"
mass = 1.5
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[body]]
name = "flap"
mass = 0.5
inertia = [0.1, 0.12, 0.11]
com = [0.3, 0, 0.1]
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "crank"
actuator = "0.3*d - b.1'"
[[joint]]
name = "b"
type = "universal"
axes = ["z", "y"]
parent = "crank"
parent_at = [0.6, 0, 0]
child = "rod"
[[joint]]
name = "c"
type = "gimbal"
parent = "rod"
parent_at = [1, 0, 0]
child = "rocker"
child_at = [0.8, 0, 0]
[[joint]]
name = "d"
type = "revolute"
parent = "ground"
parent_at = [1.1, 0, 0]
child = "rocker"
axis = [0, 1, 5]
stiffness = "1 + 0.2*e"
rest = 0.3
[[joint]]
name = "e"
type = "revolute"
parent = "rocker"
child = "flap"
axis = "y"
stiffness = 2
rest = "0.1 + 0.3*d"
[[spring]]
from = "ground"
to = "flap.com"
stiffness = "2*(1 + d^2 + 0.2*a)"
rest = "0.2 + 0.1*b.1"
[guess]
a = 1
b.1 = -1
c.1 = 2
d = 1.5
)toml" + what;
            const std::size_t at = text.find("name = \"" + cut + "\"\n");
            text.insert(at, "cut = true\n");
            const Mechanism m(read_model(text));
            const numeric::AssembledState assembled = numeric::assemble(
                *m.numbers,
                [&] {
                    std::vector<numeric::Wanted> wanted = numeric::wanted(*m.numbers);
                    Random random(8);
                    for (const Expr& u : m.equations.u) wanted.push_back({u.symbol().name, u, random.real(-1, 1), false, true});
                    return wanted;
                }(),
                0.3);
            ASSERT_TRUE(assembled.is_ok()) << assembled.why;
            expect_laws(m, assembled.state);
            expect_numeric_path(m, assembled.state);
        }
    }
}

TEST(Pairs, UserSpeedsChangeNothing) {
    const std::string text = R"toml(
format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "a"
mass = 1
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[body]]
name = "b"
mass = 2
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0.3]
[[body]]
name = "c"
mass = 0.5
inertia = [0.1, 0.12, 0.11]
[[joint]]
name = "q"
type = "gimbal"
parent = "ground"
child = "a"
damping = [0.1, 0.2, 0.3]
[[joint]]
name = "s"
type = "revolute"
parent = "a"
parent_at = [0.5, 0, 0]
child = "b"
axis = [1, 2, 2]
stiffness = 2
[[joint]]
name = "p"
type = "prismatic"
parent = "b"
child = "c"
axis = [1, 0, 1]
[[motion]]
coordinate = "p"
equals = "0.3*sin(2*t)"
[[constraint]]
nonholonomic = "q.1'*cos(s) + s' - 0.2*q.2' + 0.1*t"
)toml";
    const Mechanism plain(read_model(text));
    const Mechanism changed(read_model(text + R"toml(
[speeds]
u1 = "q.1'*sin(q.2) + q.3'"
u2 = "q.2'*cos(q.3) + 2*s' - t"
u3 = "q.2' - q.1'*cos(q.2)*0.4 + 0.3*sin(q.1)"
)toml"));
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const State s = plain.random_state(seed);
        NamedValues v = plain.values(s);
        const double t = s.t;
        v["u1"] = v["q.1'"] * std::sin(v["q.2"]) + v["q.3'"];
        v["u2"] = v["q.2'"] * std::cos(v["q.3"]) + 2 * v["s'"] - t;
        v["u3"] = v["q.2'"] - v["q.1'"] * std::cos(v["q.2"]) * 0.4 + 0.3 * std::sin(v["q.1"]);
        const State c = changed.state(v, t);
        EXPECT_LT(changed.numbers->residuals(c).velocity(), 1e-10);
        expect_same(physics(plain, s), physics(changed, c));
        expect_laws(changed, c);
        expect_numeric_path(changed, c);
        expect_laws(plain, s);
        expect_numeric_path(plain, s);
    }
}

TEST(Pairs, UserSpeedsOnQuaternions) {
    const std::string text = R"toml(
format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "a"
mass = 1
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
rotor = { axis = [1, 2, 2], inertia = 0.02, torque = "0.1*sin(t)" }
[[body]]
name = "b"
mass = 2
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0.3]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "a"
[[joint]]
name = "s"
type = "spherical"
parent = "a"
parent_at = [0.5, 0, 0]
child = "b"
damping = [0.1, 0.2, 0.3]
[[rod]]
name = "tie"
from = "ground"
to = "b.com"
length = 1.5
)toml";
    const Mechanism plain(read_model(text));
    const Mechanism changed(read_model(text + R"toml(
[speeds]
u1 = "fly.wx + s.wy*s.e1"
u2 = "s.wz - 2*fly.vx*fly.e2 + t"
u3 = "fly.vy + fly.vz + a.rotor"
)toml"));
    for (const std::uint64_t seed : {1U, 2U}) {
        const State s = plain.random_state(seed);
        NamedValues v = plain.values(s);
        v["u1"] = v["fly.wx"] + v["s.wy"] * v["s.e1"];
        v["u2"] = v["s.wz"] - 2 * v["fly.vx"] * v["fly.e2"] + s.t;
        v["u3"] = v["fly.vy"] + v["fly.vz"] + v["a.rotor"];
        const State c = changed.state(v, s.t);
        expect_same(physics(plain, s), physics(changed, c));
        expect_laws(plain, s);
        expect_numeric_path(plain, s);
        expect_laws(changed, c);
        expect_numeric_path(changed, c);
    }
}

// --------------------------------------------------------------------------------------------------- rotors and
// motions

std::string with_rotor(const std::string& how) {
    return R"toml(
format = 1
gravity = [0, -9.81, 1]
[parameters]
J = 0.05
Jt = 0.03
mr = 0.7
[[body]]
name = "arm"
mass = 1
inertia = [0.2, 0.22, 0.25, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[joint]]
name = "shoulder"
type = "gimbal"
parent = "ground"
child = "arm"
[[joint]]
name = "elbow"
type = "revolute"
parent = "arm"
parent_at = [0.5, 0, 0.1]
child = "hand"
axis = [0, 1, 1]
damping = 0.3
)toml" + how;
}
// The wheel sits at [0.1, 0.2, 0] of the hand, axis z: hand and locked wheel together have mass 2, centre of mass [0.2,
// 0.1, 0.1].
const char* const hand_with_rotor = R"toml(
[[body]]
name = "hand"
mass = 2
inertia = [0.3, 0.25, 0.2, 0.01, 0.02, -0.03]
com = [0.2, 0.1, 0.1]
)toml";

/// The same with the wheel as a body of its own.
Model with_wheel(const std::string& more) {
    Model m = read_model(with_rotor(std::string(hand_with_rotor) + R"toml(
[[body]]
name = "wheel"
mass = "mr"
inertia = ["Jt", "Jt", "J"]
[[joint]]
name = "spin"
type = "revolute"
parent = "hand"
parent_at = [0.1, 0.2, 0]
child = "wheel"
)toml" + more));
    const sym::PoolScope scope(*m.pool);
    model::Body& hand = m.bodies[*model::find_body(m, "hand")];
    const model::Body& wheel = m.bodies[*model::find_body(m, "wheel")];
    const auto steiner = [](const Expr& mass, const Vec3& c) { return mass * (dot(c, c) * spatial::identity() - outer(c, c)); };
    const Vec3 at{{sym::Rational(1, 10), sym::Rational(1, 5), 0}};
    const Expr rest = hand.mass - wheel.mass;
    const Vec3 c = (1 / rest) * (hand.mass * hand.com - wheel.mass * at);
    hand.inertia = hand.inertia + steiner(hand.mass, hand.com) - wheel.inertia - steiner(wheel.mass, at) - steiner(rest, c);
    hand.mass = rest;
    hand.com = c;
    return m;
}

TEST(Pairs, DrivenRotorIsABodyOnAJoint) {
    const Mechanism rotor(read_model(with_rotor(std::string(hand_with_rotor) +
                                                "rotor = { axis = \"z\", inertia = \"J\", torque = \"0.4*sin(t) - 0.1*hand.rotor\" }\n")));
    Model model = with_wheel("actuator = \"0.4*sin(t) - 0.1*spin'\"\n");
    const Mechanism wheel(std::move(model));
    for (const std::uint64_t seed : {1U, 2U}) {
        const State s = rotor.random_state(seed);
        NamedValues v = rotor.values(s);
        v["spin'"] = v["hand.rotor"] = 30 * v["hand.rotor"];
        v["spin"] = 0.4;
        const State a = rotor.state(v, s.t), b = wheel.state(v, s.t);
        expect_same(physics(rotor, a), physics(wheel, b));
        expect_laws(rotor, a);
        expect_numeric_path(rotor, a);
        EXPECT_NEAR(acceleration(rotor, rotor.evaluate(a), "hand.rotor"), acceleration(wheel, wheel.evaluate(b), "spin'"), 1e-9);
    }
}

TEST(Pairs, HeldRotorIsABodyOnAGivenJoint) {
    for (const std::uint64_t seed : {1U, 2U}) {
        Model with_held = read_model(with_rotor(std::string(hand_with_rotor) + "rotor = { axis = \"z\", inertia = \"J\", speed = 40 }\n"));
        if (seed == 2)
            with_held.bodies[*model::find_body(with_held, "hand")].rotors[0].speed = 40 + 8 * cos(2 * with_held.t);  // only in C++
        const Mechanism rotor(std::move(with_held));
        const std::string angle = seed == 2 ? "40*t + 4*sin(2*t)" : "40*t";
        const Mechanism wheel(with_wheel("[[motion]]\ncoordinate = \"spin\"\nequals = \"" + angle + "\"\n"));
        const State s = rotor.random_state(seed), b = wheel.state(rotor.values(s), s.t);
        expect_same(physics(rotor, s), physics(wheel, b));
        expect_laws(rotor, s);
        expect_numeric_path(rotor, s);
        expect_laws(wheel, b);
        expect_numeric_path(wheel, b);
    }
}

TEST(Pairs, PointOnLineIsASlideAndABall) {
    const std::string bodies = R"toml(
format = 1
gravity = [1, 0, -9.81]
[[body]]
name = "rod"
mass = 2
inertia = [0.3, 0.4, 0.5, 0.01, 0, 0.02]
com = [0.1, 0.2, 0.4]
)toml";
    const std::string at = "parent_at = [0.1, 0.2, 0.3]\nboth_axes = { rotate = [\"x\"], by = [0.4] }\n";
    const Mechanism bead(read_model(bodies + R"toml(
[[joint]]
name = "bead"
type = "point-on-line"
parent = "ground"
child = "rod"
child_at = [0, 0.1, 0]
axis = [1, 2, 2]
stiffness = 3
rest = 0.2
damping = [0.5, 0.1, 0.2, 0.3]
actuator = ["sin(t)", 0, "cos(t)", 0]
)toml" + at));
    const Mechanism pair(read_model(bodies + R"toml(
[[body]]
name = "carrier"
[[joint]]
name = "slide"
type = "prismatic"
parent = "ground"
child = "carrier"
axis = [1, 2, 2]
stiffness = 3
rest = 0.2
damping = 0.5
actuator = "sin(t)"
)toml" + at + R"toml(
[[joint]]
name = "ball"
type = "spherical"
parent = "carrier"
child = "rod"
child_at = [0, 0.1, 0]
both_axes = { rotate = ["x"], by = [0.4] }
damping = [0.1, 0.2, 0.3]
actuator = [0, "cos(t)", 0]
)toml"));
    for (const std::uint64_t seed : {1U, 2U}) {
        const State s = bead.random_state(seed);
        NamedValues v = bead.values(s);
        v["slide"] = v["bead.travel"], v["slide'"] = v["bead.travel'"];
        for (const char* part : {"e0", "e1", "e2", "e3", "wx", "wy", "wz"}) v[std::string("ball.") + part] = v[std::string("bead.") + part];
        const State b = pair.state(v, s.t);
        expect_same(physics(bead, s), physics(pair, b));
        expect_laws(bead, s);
        expect_numeric_path(bead, s);
        EXPECT_NEAR(acceleration(bead, bead.evaluate(s), "bead.travel'"), acceleration(pair, pair.evaluate(b), "slide'"), 1e-9);
        EXPECT_NEAR(acceleration(bead, bead.evaluate(s), "bead.wy"), acceleration(pair, pair.evaluate(b), "ball.wy"), 1e-9);
    }
}

TEST(Pairs, AcceleratedGroundIsGravity) {
    const std::string arm = R"toml(
[[body]]
name = "arm"
mass = 1
inertia = [0.2, 0.22, 0.25, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[body]]
name = "hand"
mass = 2
inertia = [0.3, 0.25, 0.2, 0.01, 0.02, -0.03]
com = [0.2, 0.1, 0.1]
[[joint]]
name = "elbow"
type = "universal"
parent = "arm"
parent_at = [0.5, 0, 0.1]
child = "hand"
damping = 0.3
)toml";
    const Mechanism still(read_model("format = 1\ngravity = [-0.6, -9.81, 0.4]\n" + arm +
                                     "[[joint]]\nname = \"shoulder\"\ntype = \"spherical\"\nparent = \"ground\"\nchild = \"arm\"\n"));
    const Mechanism shaken(read_model("format = 1\ngravity = [0, -9.81, 0]\n" + arm + R"toml(
[[body]]
name = "plate"
[[joint]]
name = "ride"
type = "translation"
parent = "ground"
child = "plate"
[[joint]]
name = "shoulder"
type = "spherical"
parent = "plate"
child = "arm"
[[motion]]
coordinate = "ride.x"
equals = "0.3*t^2 + t"
[[motion]]
coordinate = "ride.y"
equals = "2*t"
[[motion]]
coordinate = "ride.z"
equals = "1 - 0.2*t^2"
)toml"));
    for (const std::uint64_t seed : {1U, 2U}) {
        const State s = still.random_state(seed), r = shaken.state(still.values(s), s.t);
        const Evaluation a = still.evaluate(s), b = shaken.evaluate(r);
        for (const char* u : {"elbow.1'", "elbow.2'", "shoulder.wx", "shoulder.wy", "shoulder.wz"}) {
            EXPECT_NEAR(acceleration(still, a, u), acceleration(shaken, b, u), 1e-9) << u;
        }
        expect_laws(shaken, r);
        expect_numeric_path(shaken, r);
        // What drives the plate carries everything: the reaction, as an output.
        EXPECT_NEAR(shaken.output(b, "ride.x.force"), shaken.outputs(b, "watch.r.ride", {".fx", ".fy", ".fz"})[0], 1e-9);
    }
}

TEST(Pairs, MovingGravityFeedsEnergy) {
    const Mechanism m(read_model(R"toml(
format = 1
gravity = [0, "-9.81 - sin(2*t)", "t"]
[[body]]
name = "arm"
mass = 1
inertia = [0.2, 0.22, 0.25, 0.01, 0.02, -0.01]
com = [0.2, 0.1, 0]
[[joint]]
name = "shoulder"
type = "spherical"
parent = "ground"
child = "arm"
[[joint]]
name = "elbow"
type = "revolute"
parent = "arm"
child = "hand"
stiffness = "2 + cos(t)"
rest = "0.2*t"
[[body]]
name = "hand"
mass = 1
inertia = [0.2, 0.22, 0.25]
com = [0.2, 0, 0.1]
[[spring]]
from = "ground"
to = "hand.com"
stiffness = "1 + t"
rest = "0.1*t^2"
)toml"));
    expect_sound(m, 31, 2);
}

}  // namespace
}  // namespace linkwright::laws
