// Rolling bodies whose motion is known.

#include "laws/mechanism.hpp"

namespace linkwright::laws {
namespace {

/// Runge and Kutta's fourth order, without any projection.
State march(const Mechanism& m, State s, double time, int steps) {
    const double h = time / steps;
    const auto rate = [&](const State& at) {
        const Evaluation e = m.evaluate(at);
        return std::pair{e.coordinate_rates, e.accelerations};
    };
    const auto after = [&](const State& at, double dt, const std::pair<VectorXd, VectorXd>& r) {
        return State{at.t + dt, at.q + dt * r.first, at.u + dt * r.second, m.numbers->input_values(at.t + dt)};
    };
    for (int k = 0; k < steps; ++k) {
        const auto a = rate(s), b = rate(after(s, h / 2, a)), c = rate(after(s, h / 2, b)), d = rate(after(s, h, c));
        const State next =
            after(s, h, {(a.first + 2 * b.first + 2 * c.first + d.first) / 6, (a.second + 2 * b.second + 2 * c.second + d.second) / 6});
        s = next;
    }
    return s;
}

TEST(Rolling, SphereOnAnInclineHasFiveSevenths) {
    const Mechanism m(read_model(R"toml(
format = 1
gravity = [0, 0, -9.81]
[parameters]
alpha = 0.4
r = 0.3
[[body]]
name = "ball"
mass = 2
inertia = ["2/5*2*r^2", "2/5*2*r^2", "2/5*2*r^2"]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "ball"
[[rolling]]
name = "contact"
type = "sphere"
on = "ball"
radius = "r"
plane = { normal = ["-sin(alpha)", 0, "cos(alpha)"] }
)toml"));
    for (const std::uint64_t seed : {1U, 2U}) {
        const State s = m.random_state(seed);
        expect_laws(m, s);
        expect_numeric_path(m, s);
        const Evaluation e = m.evaluate(s);
        const double size = 5.0 / 7 * 9.81 * std::sin(0.4);
        const Vector3d expected = -size * Vector3d(std::cos(0.4), 0, std::sin(0.4));
        EXPECT_LT((m.outputs(e, "watch.a0.ball") - expected).norm(), 1e-10);
        EXPECT_NEAR(m.output(e, "contact.normal"), 2 * 9.81 * std::cos(0.4), 1e-10);
        EXPECT_NEAR(std::hypot(m.output(e, "contact.along"), m.output(e, "contact.across")), 2 * 2.0 / 7 * 9.81 * std::sin(0.4), 1e-10);
    }
}

constexpr const char* disk = R"toml(
format = 1
gravity = [0, 0, -9.81]
[parameters]
r = 0.4
m = 1.5
A = 0.07
C = 0.11
[[body]]
name = "disk"
mass = "m"
inertia = ["A", "C", "A"]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "disk"
axes = ["z", "x", "y"]
[[rolling]]
name = "contact"
type = "disk"
on = "disk"
axis = "y"
radius = "r"
)toml";

TEST(Rolling, DiskTurnsSteadily) {
    // (C + m r²) ω₃ ψ̇ cos φ − A ψ̇² sin φ cos φ + m g r sin φ = 0, with ω₃ = χ̇ + ψ̇ sin φ about the axis [routh, rolling
    // disk]
    const double r = 0.4, mass = 1.5, A = 0.07, C = 0.11, g = 9.81, phi = 0.3, turning = -1.2;
    const Mechanism m(read_model(disk));
    const double w3 = (A * turning * turning * std::sin(phi) * std::cos(phi) - mass * g * r * std::sin(phi)) /
                      ((C + mass * r * r) * turning * std::cos(phi));
    NamedValues values{
        {"fly.z", r * std::cos(phi)}, {"fly.1", 0.7}, {"fly.2", phi}, {"fly.1'", turning}, {"fly.3'", w3 - turning * std::sin(phi)}};
    // v = −ω × arm; the heading is (cos ψ, sin ψ, 0) and the centre moves along it with ω₃ r
    values["fly.x'"] = w3 * r * std::cos(0.7);
    values["fly.y'"] = w3 * r * std::sin(0.7);
    const State s = m.state(values);
    ASSERT_LT(m.numbers->residuals(s).position(), 1e-12);
    ASSERT_LT(m.numbers->residuals(s).velocity(), 1e-12);
    const Evaluation e = m.evaluate(s);
    for (const char* name : {"fly.1'", "fly.2'", "fly.3'"}) EXPECT_NEAR(acceleration(m, e, name), 0, 1e-11) << name;
    const Vector3d a = m.outputs(e, "watch.a0.disk");
    EXPECT_LT((a - turning * w3 * r * Vector3d(-std::sin(0.7), std::cos(0.7), 0)).norm(), 1e-11);
    expect_laws(m, s);
    expect_numeric_path(m, s);
}

TEST(Rolling, DiskStaysOnItsPlane) {
    const Mechanism m(read_model(disk));
    const State s = m.random_state(3, 0.3), end = march(m, s, 0.5, 60);
    EXPECT_LT(m.numbers->residuals(end).position(), 1e-5);
    EXPECT_LT(m.numbers->residuals(end).velocity(), 1e-5);
    const VectorXd before = m.numbers->invariants(s), after = m.numbers->invariants(end);
    EXPECT_NEAR(before[0] + before[1], after[0] + after[1], 1e-5);
}

/// A body that is no disk at all on a disk's rim, a ball's surface or a blade, on a tilted plane, with another body on
/// it.
std::string on_wheels(const std::string& rolling) {
    return R"toml(
format = 1
gravity = [0.3, 0.2, -9.81]
[parameters]
alpha = 0.2
[inputs]
tau = "sin(3*t)"
[[body]]
name = "wheel"
mass = 1.5
inertia = [0.1, 0.12, 0.11, 0.01, 0.02, -0.01]
com = [0.05, 0.02, -0.03]
points = { centre = [0.1, 0, -0.1] }
[[body]]
name = "rider"
mass = 1
inertia = [0.2, 0.12, 0.21, 0.01, 0.02, -0.01]
com = [0, 0.1, 0.4]
[[joint]]
name = "fly"
type = "free"
parent = "ground"
child = "wheel"
axes = ["z", "x", "y"]
[[joint]]
name = "hub"
type = "revolute"
parent = "wheel"
parent_at = "centre"
child = "rider"
axis = [1, 8, 1]
actuator = "tau"
damping = 0.1
[[rolling]]
name = "contact"
)toml" + rolling;
}

TEST(Rolling, AnyBodyRolls) {
    const std::string plane = "plane = { at = [0.1, 0.2, 0.3], normal = [0, \"-sin(alpha)\", \"cos(alpha)\"] }\n";
    for (const std::string kind :
         {"type = \"disk\"\non = \"wheel.centre\"\naxis = \"y\"\nradius = 0.3\n",
          "type = \"disk\"\non = \"wheel.centre\"\naxis = [1, 6, 2]\nradius = 0.3\n",
          "type = \"disk\"\non = \"wheel\"\naxis = \"-y\"\nradius = 0.3\n", "type = \"sphere\"\non = \"wheel.centre\"\nradius = 0.3\n",
          "type = \"knife-edge\"\non = \"wheel.centre\"\naxis = \"y\"\n", "type = \"knife-edge\"\non = \"rider\"\naxis = [1, 6, 2]\n"}) {
        for (const std::string& where : {plane, std::string()}) {
            SCOPED_TRACE(kind + where);
            const Mechanism m(read_model(on_wheels(kind + where)));
            for (const std::uint64_t seed : {1U, 2U}) {
                const State s = m.random_state(seed, 0.3);
                expect_laws(m, s);
                expect_numeric_path(m, s);
            }
        }
    }
}

TEST(Rolling, EverythingOnQuaternionsRolls) {
    for (const std::string kind :
         {"type = \"disk\"\naxis = \"y\"\nradius = 0.3\n", "type = \"sphere\"\nradius = 0.3\n", "type = \"knife-edge\"\naxis = \"y\"\n"}) {
        SCOPED_TRACE(kind);
        std::string text = on_wheels(kind + "on = \"wheel.centre\"\n");
        text.replace(text.find("axes = [\"z\", \"x\", \"y\"]\n"), 23, "");
        const Mechanism m(read_model(text));
        for (const std::uint64_t seed : {1U, 2U}) {
            const State s = m.random_state(seed, 0.3);
            expect_laws(m, s);
            expect_numeric_path(m, s);
        }
    }
}

TEST(Rolling, SkateOnAnInclineRunsOnACycloid) {
    // A knife-edge through the centre of mass on an incline: v̇ = g sin α sin(ωt), and it does not slide down on the
    // average.
    const Mechanism m(read_model(R"toml(
format = 1
gravity = ["9.81*sin(0.2)", 0, "-9.81*cos(0.2)"]
[[body]]
name = "skate"
mass = 2
inertia = [0, 0, 0.3]
[[joint]]
name = "ice"
type = "planar"
parent = "ground"
child = "skate"
[[rolling]]
name = "blade"
type = "knife-edge"
on = "skate"
axis = "y"
plane = { normal = "z" }
)toml"));
    const double w = 1.5, derivative = 9.81 * std::sin(0.2);
    const State end = march(m, m.state({{"ice.angle'", w}}), 2, 80);
    const NamedValues v = m.values(end);
    const double t = 2;
    EXPECT_NEAR(v.at("ice.angle"), w * t, 1e-9);
    EXPECT_NEAR(v.at("ice.x"), derivative / (2 * w * w) * std::pow(std::sin(w * t), 2), 1e-6);
    EXPECT_NEAR(v.at("ice.y"), derivative / (2 * w * w) * (w * t - std::sin(2 * w * t) / 2), 1e-6);
}

}  // namespace
}  // namespace linkwright::laws
