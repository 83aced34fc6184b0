// The same mechanism described in another way moves in the same way.

#include <algorithm>
#include <numeric>

#include "laws/mechanism.hpp"

namespace linkwright::laws {
namespace {

/// A spatial slider-crank with a tail, springs and an actuator; the loop has one freedom.
constexpr const char* slider_crank = R"toml(
format = 1
name = "Spatial slider-crank"
gravity = [0.5, -9.81, 1]

[parameters]
l = 1.1
skew = 0.4

[inputs]
tau = "0.4 + sin(2*t)"

[ground]
points = { hook = [0.2, 1, -0.3] }

[[body]]
name = "crank"
mass = 1.2
inertia = [0.05, 0.06, 0.07, 0.004, -0.003, 0.002]
com = [0.1, 0.02, 0.01]
points = { tip = [0.3, 0, 0.05] }

[[body]]
name = "coupler"
mass = 0.8
inertia = [0.02, 0.09, 0.1, 0.001, 0.003, -0.004]
com = ["l/2", 0.03, -0.01]
points = { end = ["l", 0, 0] }

[[body]]
name = "slider"
mass = 2
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.05, -0.02, 0.03]

[[body]]
name = "tail"
mass = 0.6
inertia = [0.03, 0.02, 0.025, 0.001, 0.002, 0.003]
com = [0.2, 0.1, -0.1]
points = { eye = [0.3, 0.2, 0.1] }

[[joint]]
name = "turn"
type = "revolute"
parent = "ground"
child = "crank"
axis = [1, 2, 8]
damping = 0.1
actuator = "tau"

[[joint]]
name = "cross"
type = "universal"
parent = "crank"
parent_at = "tip"
child = "coupler"
axes = ["y", "z"]
parent_axes = { rotate = ["x"], by = ["skew/2"] }
stiffness = [0.3, 0.2]
rest = [0.1, -0.1]

[[joint]]
name = "slide"
type = "prismatic"
parent = "ground"
parent_at = [0, 0.1, -0.1]
child = "slider"
child_at = [0.02, 0.01, 0]
axis = "x"
parent_axes = { rotate = ["z"], by = ["skew/4"] }
stiffness = 4
rest = 1
damping = 0.2

[[joint]]
name = "ball"
type = "spherical"
parent = "coupler"
parent_at = "end"
child = "slider"
damping = [0.1, 0.2, 0.3]
cut = true

[[joint]]
name = "tube"
type = "cylindrical"
parent = "slider"
parent_at = [0, 0.2, 0]
child = "tail"
child_at = [0.1, 0, 0]
axis = [0, 3, 4]
stiffness = [0.5, 6]
rest = [0.2, 0.1]

[[spring]]
name = "tie"
from = "ground.hook"
to = "tail.eye"
stiffness = 3
damping = 0.3
rest = 0.7

[[force]]
on = "coupler.com"
vector = ["tau", 0.5, -0.2]
in = "crank"
from = "slider"

[[torque]]
on = "tail"
vector = [0.1, -0.2, 0.3]

[guess]
slide = 1.2
)toml";

class Metamorphic : public ::testing::TestWithParam<std::uint64_t> {
protected:
    Metamorphic() : original_(read_model(slider_crank)) {
        state_ = original_.random_state(GetParam(), 0.2);
        values_ = original_.values(state_);
        expected_ = physics(original_, state_);
    }
    void SetUp() override {
        expect_laws(original_, state_);
        expect_numeric_path(original_, state_);
    }
    static Model fresh() { return read_model(slider_crank); }

    /// The changed model at the same place, its values changed by whoever changed the model.
    void expect_unchanged(Model changed, const NamedValues& values, const std::vector<std::string>& other_joints = {}) const {
        const Mechanism m(std::move(changed));
        const State s = m.state(values, state_.t);
        const numeric::Residuals r = m.numbers->residuals(s);
        EXPECT_LT(r.position(), 1e-9);
        EXPECT_LT(r.velocity(), 1e-9);
        Physics found = physics(m, s);
        for (const std::string& name : other_joints) found.reaction.erase(name);
        expect_same(expected_, found);
        expect_numeric_path(m, s);
    }

    Mechanism original_;
    State state_;
    NamedValues values_;
    Physics expected_;
};

/// Bodies and joints renumbered: new[i] = old[order[i]].
void reorder(Model& m, const std::vector<std::size_t>& bodies, const std::vector<std::size_t>& joints) {
    std::vector<std::size_t> new_body(bodies.size());
    std::vector<model::Body> b;
    for (std::size_t i = 0; i < bodies.size(); ++i) new_body[bodies[i]] = i, b.push_back(m.bodies[bodies[i]]);
    m.bodies = b;
    std::vector<model::Joint> j;
    for (const std::size_t old : joints) j.push_back(m.joints[old]);
    m.joints = j;
    for (model::Joint& joint : m.joints) joint.parent = new_body[joint.parent], joint.child = new_body[joint.child];
    for (model::Spring& s : m.springs) s.from.body = new_body[s.from.body], s.to.body = new_body[s.to.body];
    for (model::Force& f : m.forces) {
        f.on.body = new_body[f.on.body], f.in = new_body[f.in];
        if (f.from) f.from->body = new_body[f.from->body];
    }
    for (model::Torque& t : m.torques) t.on = new_body[t.on], t.in = new_body[t.in];
}

TEST_P(Metamorphic, OrderOfBodiesAndJointsDoesNotMatter) {
    Random random(GetParam());
    for (int k = 0; k < 3; ++k) {
        Model m = fresh();
        std::vector<std::size_t> bodies(m.bodies.size()), joints(m.joints.size());
        std::iota(bodies.begin(), bodies.end(), 0);
        std::iota(joints.begin(), joints.end(), 0);
        for (std::size_t i = bodies.size() - 1; i > 1; --i) std::swap(bodies[i], bodies[1 + random.below(i)]);
        for (std::size_t i = joints.size() - 1; i > 0; --i) std::swap(joints[i], joints[random.below(i + 1)]);
        for (model::Joint& joint : m.joints) joint.cut = false;
        reorder(m, bodies, joints);
        expect_unchanged(std::move(m), values_);
    }
}

TEST_P(Metamorphic, PartialVelocitiesMayBeWrittenInGroundAxes) {
    const Mechanism m(fresh(), formulation::Axes::ground);
    EXPECT_EQ(m.equations.axes, "ground");
    expect_numeric_path(m, state_);
}

TEST_P(Metamorphic, AnyJointMayBeCut) {
    for (const char* name : {"turn", "cross", "slide", "ball"}) {
        SCOPED_TRACE(name);
        Model m = fresh();
        for (model::Joint& joint : m.joints) joint.cut = joint.name == name;
        expect_unchanged(std::move(m), values_);
    }
}

TEST_P(Metamorphic, ParentAndChildMayBeSwapped) {
    for (const char* name : {"turn", "slide", "tube"}) {
        for (const bool cut : {false, true}) {
            SCOPED_TRACE(std::string(name) + (cut ? ", cut" : ""));
            if (cut && std::string(name) == "tube") continue;
            Model m = fresh();
            model::Joint& joint = m.joints[*model::find_joint(m, name)];
            const sym::PoolScope scope(*m.pool);
            std::swap(joint.parent, joint.child);
            std::swap(joint.parent_at, joint.child_at);
            std::swap(joint.parent_axes, joint.child_axes);
            NamedValues values = values_;
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                joint.forces[i].rest = -joint.forces[i].rest;
                joint.forces[i].actuator = -joint.forces[i].actuator;
                for (const Expr& s : {joint.coordinates[i], joint.speeds[i]}) values[s.symbol().name] *= -1;
            }
            if (cut) {
                for (model::Joint& other : m.joints) other.cut = other.name == name;
            }
            expect_unchanged(std::move(m), values, {name});
        }
    }
}

TEST_P(Metamorphic, SphericalJointMayBeSwapped) {
    for (const bool cut : {true, false}) {
        Model m = fresh();
        model::Joint& joint = m.joints[*model::find_joint(m, "ball")];
        const sym::PoolScope scope(*m.pool);
        joint.forces[0].damping = joint.forces[2].damping = joint.forces[1].damping;  // no axes to speak of
        const Mechanism before(std::move(m));
        const Physics expected = physics(before, state_);
        m = fresh();
        model::Joint& swapped = m.joints[*model::find_joint(m, "ball")];
        const sym::PoolScope inner(*m.pool);
        swapped.forces[0].damping = swapped.forces[2].damping = swapped.forces[1].damping;
        std::swap(swapped.parent, swapped.child);
        std::swap(swapped.parent_at, swapped.child_at);
        if (!cut) {
            for (model::Joint& other : m.joints) other.cut = other.name == "cross";
        }
        // R → Rᵀ: the quaternion conjugated; ω of the old parent in the old child, in the axes of the old parent: −R ω
        NamedValues values = before.values(state_);
        const Eigen::Quaterniond e(values["ball.e0"], values["ball.e1"], values["ball.e2"], values["ball.e3"]);
        const Vector3d w = -(e * Vector3d(values["ball.wx"], values["ball.wy"], values["ball.wz"]));
        for (const char* name : {"ball.e1", "ball.e2", "ball.e3"}) values[name] *= -1;
        values["ball.wx"] = w[0], values["ball.wy"] = w[1], values["ball.wz"] = w[2];
        const Mechanism after(std::move(m));
        const State s = after.state(values, state_.t);
        Physics found = physics(after, s);
        found.reaction.erase("ball");
        expect_same(expected, found);
        expect_numeric_path(after, s);
    }
}

TEST_P(Metamorphic, JointFramesMayBeTurned) {
    Model m = fresh();
    const sym::PoolScope scope(*m.pool);
    Random random(GetParam() + 50);
    NamedValues values = values_;
    for (model::Joint& joint : m.joints) {
        const Rotation Q = random.frame(m);
        joint.parent_axes = joint.parent_axes * Q;
        joint.child_axes = joint.child_axes * Q;
        for (Vec3& a : joint.axes) a = Q.back(a);
        if (joint.type == JointType::spherical) {
            joint.forces[0].damping = joint.forces[1].damping = joint.forces[2].damping;
        }
    }
    Model plain = fresh();
    model::Joint& ball = plain.joints[*model::find_joint(plain, "ball")];
    ball.forces[0].damping = ball.forces[1].damping = ball.forces[2].damping;
    const Mechanism before(std::move(plain)), after(std::move(m));
    expect_same(physics(before, state_), physics(after, after.state(values_, state_.t)));
}

TEST_P(Metamorphic, BodyMayBeTwoWeldedTogether) {
    for (const char* name : {"crank", "coupler", "slider", "tail"}) {
        SCOPED_TRACE(name);
        Model m = fresh();
        const sym::PoolScope scope(*m.pool);
        Random random(GetParam() + 90);
        const BodyIndex b = *model::find_body(m, name);
        const Expr m2 = random.number(0.1, 0.3);
        const Vec3 c2 = random.vector(0.1), at = random.vector(0.3);
        const Mat3 I2 =
            spatial::diagonal(sym::Rational(1, 500), sym::Rational(1, 400), sym::Rational(1, 450));  // in the axes of the second
        const Rotation R = random.frame(m);
        const auto steiner = [](const Expr& mass, const Vec3& c) { return mass * (dot(c, c) * spatial::identity() - outer(c, c)); };
        {
            model::Body& body = m.bodies[b];
            const Expr m1 = body.mass - m2;
            const Vec3 c1 = (1 / m1) * (body.mass * body.com - m2 * c2);
            body.inertia = body.inertia + steiner(body.mass, body.com) - R.congruence(I2) - steiner(m2, c2) - steiner(m1, c1);
            body.mass = m1;
            body.com = c1;
        }
        const BodyIndex part = model::body(m, "part", {.mass = m2, .inertia = I2, .com = R.back(c2 - at)});
        model::joint(m, JointType::weld, "seam", b, part, {.parent_at = at, .parent_axes = R});
        // What was fixed in the body at the second part may as well hang on that.
        for (model::Joint& joint : m.joints) {
            if (joint.child != b || joint.name == "seam") continue;
            joint.child = part;
            joint.child_at = R.back(joint.child_at - at);
            joint.child_axes = R.inverse() * joint.child_axes;
            break;
        }
        expect_unchanged(std::move(m), values_);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Metamorphic, ::testing::Values(1, 2), [](const auto& p) { return std::to_string(p.param); });

TEST(Roots, AnyBodyMayCarryTheFreeJoint) {
    // A free joint that is cut has no rows, only names: so both variants know the same values.
    std::optional<Physics> first;
    NamedValues values;
    for (const std::string root : {"hand", "foot", "knee"}) {
        const auto cut = [&](const std::string& name) { return name == root ? std::string() : "cut = true\n"; };
        std::string text = R"toml(
format = 1
gravity = [0, 0, -9.81]
[[body]]
name = "a"
mass = 1
inertia = [0.1, 0.2, 0.25, 0.01, 0.02, 0.03]
com = [0.1, 0.2, 0.3]
[[body]]
name = "b"
mass = 2
inertia = [0.3, 0.2, 0.25, 0.01, -0.02, 0.03]
com = [-0.1, 0.2, 0.1]
[[body]]
name = "c"
mass = 1.5
inertia = [0.1, 0.2, 0.15, 0.01, 0.02, -0.03]
com = [0.3, 0, 0.1]
[[joint]]
name = "ab"
type = "gimbal"
parent = "a"
parent_at = [0.5, 0, 0.1]
child = "b"
stiffness = [1, 2, 3]
[[joint]]
name = "cb"
type = "universal"
parent = "c"
child = "b"
child_at = [0, 0.4, 0]
damping = 0.2
[[spring]]
from = "a"
to = "c.com"
stiffness = 3
rest = 0.2
)toml";
        text += "[[joint]]\nname = \"hand\"\ntype = \"free\"\nparent = \"ground\"\nchild = \"a\"\n" + cut("hand");
        text += "[[joint]]\nname = \"foot\"\ntype = \"free\"\nparent = \"ground\"\nchild = \"c\"\nparent_at = [1, 2, 3]\n" + cut("foot");
        text +=
            "[[joint]]\nname = \"knee\"\ntype = \"free\"\nparent = \"b\"\nchild = \"ground\"\nchild_at = [-1, 0.5, "
            "0]\n" +
            cut("knee");
        const Mechanism m(read_model(text));
        const State s = first ? m.state(values, 0.3) : m.random_state(5);
        if (!first) values = m.values(s);
        expect_laws(m, s);
        expect_numeric_path(m, s);
        const Physics found = physics(m, s);
        if (first) expect_same(*first, found);
        first = found;
    }
}

TEST(Roots, IsolatedSystemsKeepTheirMomenta) {
    const Mechanism m(read_model(R"toml(
format = 1
[[body]]
name = "hub"
mass = 3
inertia = [1, 2, 2.5, 0.1, 0.2, 0.3]
com = [0.1, 0.2, 0.3]
rotor = [{ axis = [1, 2, 2], inertia = 0.1, torque = "0.3*sin(t) - 0.1*hub.rotor1" }, { axis = "z", inertia = 0.2, speed = 3 }]
[[body]]
name = "arm"
mass = 1
inertia = [0.1, 0.2, 0.25, 0.01, 0.02, 0.03]
com = [0.4, 0, 0.1]
[[body]]
name = "tip"
mass = 0.5
inertia = [0.1, 0.1, 0.15]
com = [0.1, 0.1, 0]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "hub"
[[joint]]
name = "shoulder"
type = "spherical"
parent = "hub"
parent_at = [0.5, 0, 0]
child = "arm"
actuator = ["sin(t)", 0.2, "fly.x"]
damping = 0.1
[[joint]]
name = "slide"
type = "prismatic"
parent = "tip"
child = "arm"
axis = [1, 1, 1]
stiffness = 3
[[spring]]
from = "hub.com"
to = "tip.com"
stiffness = 2
rest = 0.3
damping = 0.4
actuator = "cos(t)"
[[force]]
on = "tip.com"
from = "arm.com"
vector = [1, 2, 3]
in = "hub"
[[force]]
on = "arm.com"
from = "tip.com"
vector = [1, 2, 3]
in = "hub"
[[torque]]
on = "arm"
from = "hub"
vector = [0.3, 0.2, 0.1]
in = "tip"
)toml"));
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
        const State s = m.random_state(seed);
        expect_laws(m, s);
        expect_numeric_path(m, s);
        const NumericResult n = solve_numerically(m.model, m.topology.is_cut, s.t, m.values(s));  // whose rates the laws compare
        EXPECT_LT(n.linear_rate.norm(), 1e-10);
        EXPECT_LT(n.angular_rate.norm(), 1e-10);
    }
}

/// Seen from a moving body and written in its axes, velocities and accelerations are plain derivatives of components.
TEST(Outputs, AreDerivativesOfEachOther) {
    Model model = read_model(std::string(slider_crank) + R"toml(
[[output]]
name = "p"
position = "tail.eye"
relative_to = "coupler.end"
in = "coupler"
[[output]]
name = "v"
velocity = "tail.eye"
relative_to = "coupler.end"
in = "coupler"
[[output]]
name = "a"
acceleration = "tail.eye"
relative_to = "coupler.end"
in = "coupler"
[[output]]
name = "a_crank"
acceleration = "tail.eye"
relative_to = "coupler.end"
in = "crank"
[[output]]
name = "p_ground"
position = "tail.eye"
in = "tail"
[[output]]
name = "R"
orientation = "coupler"
in = "crank"
[[output]]
name = "R_tail"
orientation = "tail"
)toml");
    const Mechanism m(std::move(model));
    const State s = m.random_state(6, 0.2);
    const Evaluation e = m.evaluate(s);
    const auto at = [&](double h, const std::string& name) {
        const State moved{s.t + h, s.q + h * e.coordinate_rates, s.u + h * e.accelerations, m.numbers->input_values(s.t + h)};
        return m.outputs(m.evaluate(moved), name);
    };
    const auto derivative = [&](const std::string& name) -> Vector3d {
        const double h = 1e-3;
        return (8 * (at(h / 2, name) - at(-h / 2, name)) - (at(h, name) - at(-h, name))) / (6 * h);
    };
    EXPECT_LT((derivative("p") - m.outputs(e, "v")).norm(), 1e-8);
    EXPECT_LT((derivative("v") - m.outputs(e, "a")).norm(), 1e-8);
    const auto matrix = [&](const std::string& name) {
        Eigen::Matrix3d R;
        for (int i = 0; i < 3; ++i) R.row(i) = m.outputs(e, name + "." + "xyz" [i], { "x", "y", "z" }).transpose();
        return R;
    };
    EXPECT_LT((matrix("R") * m.outputs(e, "a") - m.outputs(e, "a_crank")).norm(), 1e-9);
    const NumericResult n = solve_numerically(m.model, m.topology.is_cut, s.t, m.values(s));
    const BodyMotion& tail = n.bodies[*model::find_body(m.model, "tail")];
    const BodyMotion& crank = n.bodies[*model::find_body(m.model, "crank")];
    const BodyMotion& coupler = n.bodies[*model::find_body(m.model, "coupler")];
    const Vector3d eye = tail.point({0.3, 0.2, 0.1}), end = coupler.point({1.1, 0, 0});
    EXPECT_LT((matrix("R") - crank.R.transpose() * coupler.R).norm(), 1e-9);
    EXPECT_LT((matrix("R_tail") - tail.R).norm(), 1e-9);
    EXPECT_LT((m.outputs(e, "p") - coupler.R.transpose() * (eye - end)).norm(), 1e-9);
    EXPECT_LT((m.outputs(e, "p_ground") - tail.R.transpose() * eye).norm(), 1e-9);
}

}  // namespace
}  // namespace linkwright::laws
