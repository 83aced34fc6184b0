// Inverse dynamics of motions that leave degrees of freedom open, and of motions that motors bring about: against rules and equations written down
// here once more, and fed forward again.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "linkwright/session/inverse.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/session/write_files.hpp"
#include "session/subject.hpp"

namespace linkwright::test {
namespace {

using namespace session;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using ::testing::HasSubstr;

Session from(const std::string& text) {
    const auto opened = session::open_text(text, "m.toml", {});
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}
VectorXd column(const Table& table, const std::string& name) {
    const auto at = table.find(name);
    EXPECT_TRUE(at) << name;
    VectorXd x(static_cast<Index>(table.rows.size()));
    for (Index i = 0; i < x.size(); ++i) x[i] = at ? table.rows[static_cast<std::size_t>(i)][static_cast<Index>(*at)] : NAN;
    return x;
}
std::string notes(const Diagnostics& problems) { return to_string(problems); }

/// The motion again, from the inputs of a table; by how much columns differ at its rows.
double fed_forward(const Session& s, const Table& table, double until, const std::vector<std::string>& names) {
    const TemporaryFile file("forces.csv", to_csv(table));
    const auto again =
        simulate(s, {.rows = {.until = until, .samples = 10}, .start_from = file.path(), .inputs = file.path(), .tolerance = 1e-10});
    EXPECT_TRUE(again) << to_string(again.problems);
    if (!again) return INFINITY;
    const auto each = (static_cast<Index>(table.rows.size()) - 1) / 10;
    double worst = 0;
    for (const std::string& name : names) {
        const VectorXd there = column(table, name), here = column(again->table(), name);
        for (Index i = 0; i <= 10; ++i) worst = std::max(worst, std::abs(here[i] - there[each * i]));
    }
    return worst;
}

/// Three links of 1 m with a mass of 1 kg at each end.
constexpr const char* three_links = R"~(format = 1
gravity = [0, -9.81, 0]
[inputs]
m1 = 0
m2 = 0
m3 = 0
[[body]]
name = "one"
mass = 1
com = [1, 0, 0]
[[body]]
name = "two"
mass = 1
com = [1, 0, 0]
[[body]]
name = "three"
mass = 1
com = [1, 0, 0]
points = { tip = [1, 0, 0] }
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "one"
actuator = "m1"
[[joint]]
name = "b"
type = "revolute"
parent = "one"
parent_at = [1, 0, 0]
child = "two"
actuator = "m2"
[[joint]]
name = "c"
type = "revolute"
parent = "two"
parent_at = [1, 0, 0]
child = "three"
actuator = "m3"
[[output]]
name = "tip"
position = "three.tip"
[initial]
a = 0.2
b = 0.7
c = 0.9
)~";

/// Its mass matrix and the Jacobian of its tip, by hand.
struct ThreeLinks {
    static MatrixXd jacobian(const Vector3d& q, int links) {
        MatrixXd J = MatrixXd::Zero(2, 3);
        double angle = 0;
        for (int k = 0; k < links; ++k) {
            angle += q[k];
            for (int i = 0; i <= k; ++i) J.col(i) += Vector2d(-std::sin(angle), std::cos(angle));
        }
        return J;
    }
    static Vector2d tip(const Vector3d& q) {
        return {std::cos(q[0]) + std::cos(q[0] + q[1]) + std::cos(q[0] + q[1] + q[2]),
                std::sin(q[0]) + std::sin(q[0] + q[1]) + std::sin(q[0] + q[1] + q[2])};
    }
    static MatrixXd mass(const Vector3d& q) {
        MatrixXd M = MatrixXd::Zero(3, 3);
        for (int k = 1; k <= 3; ++k) M += jacobian(q, k).transpose() * jacobian(q, k);
        return M;
    }
    /// u = M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹ ẏ
    static Vector3d speeds(const Vector3d& q, const Vector2d& ydot) {
        const MatrixXd J = jacobian(q, 3), W = mass(q).inverse() * J.transpose();
        return W * (J * W).inverse() * ydot;
    }
};

TEST(OpenPath, OfARedundantArmHasTheLeastKineticEnergy) {
    const Session arm = from(three_links);
    const auto start = ThreeLinks::tip({0.2, 0.7, 0.9});
    const std::vector<std::string> path{fmt::format("tip.x = {:.17g} + 0.5*sin(t)", start[0]),
                                        fmt::format("three.tip.y = {:.17g} - 0.4*(1 - cos(2*t))", start[1])};
    const auto r = inverse(arm, {.motion = path, .rows = {.until = 3, .samples = 300}, .tolerance = 1e-10});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_THAT(notes(r.problems),
                HasSubstr("leaves 1 degree of freedom open, among a', b', c': of all speeds that follow it those of least"));
    const Table table = r->table();
    const auto rate = [](double t) { return Vector2d(0.5 * std::cos(t), -0.8 * std::sin(2 * t)); };
    Vector3d q(0.2, 0.7, 0.9);
    for (int i = 0; i <= 300; ++i) {
        const double t = 0.01 * i;
        const VectorXd& row = table.rows[static_cast<std::size_t>(i)];
        const Vector3d there(row[4], row[5], row[6]), u(row[7], row[8], row[9]);
        EXPECT_LT((there - q).norm(), 1e-7) << t;
        EXPECT_NEAR(ThreeLinks::tip(there)[0], start[0] + 0.5 * std::sin(t), 1e-12);
        EXPECT_NEAR(ThreeLinks::tip(there)[1], start[1] - 0.4 * (1 - std::cos(2 * t)), 1e-12);
        EXPECT_LT((u - ThreeLinks::speeds(there, rate(t))).norm(), 1e-10) << t;
        const double h = 0.005;  // two steps of Runge and Kutta to the next row
        for (int k = 0; k < 2; ++k) {
            const double at = t + k * h;
            const Vector3d k1 = ThreeLinks::speeds(q, rate(at)), k2 = ThreeLinks::speeds(q + h / 2 * k1, rate(at + h / 2)),
                           k3 = ThreeLinks::speeds(q + h / 2 * k2, rate(at + h / 2)), k4 = ThreeLinks::speeds(q + h * k3, rate(at + h));
            q += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        }
    }
    const VectorXd u = column(table, "b'"), acceleration = column(table, "b''");  // accelerations are the rates of these speeds
    for (Index i = 2; i < 299; i += 20) EXPECT_NEAR(acceleration[i], (u[i - 2] - 8 * u[i - 1] + 8 * u[i + 1] - u[i + 2]) / 0.12, 2e-6);
    EXPECT_LT(fed_forward(arm, table, 3, {"a", "b", "c", "tip.x", "tip.y"}), 5e-5);  // as good as a spline through 300 rows
}

TEST(OpenPath, RestsWhereItsToolRests) {
    const auto r = inverse(from(three_links), {.motion = {"tip.x = 1.5", "tip.y = 1"}, .rows = {.until = 2, .samples = 4}});
    ASSERT_TRUE(r) << to_string(r.problems);
    for (const char* name : {"a'", "b'", "c'", "a''", "b''", "c''"}) EXPECT_LT(column(r->table(), name).cwiseAbs().maxCoeff(), 1e-12);
    const VectorXd a = column(r->table(), "a");
    EXPECT_NEAR(a[4], a[0], 1e-9);
}

/// The pole of a cart that is moved: (4/3) l θ'' = g sin θ − x'' cos θ, friction aside.
TEST(OpenPath, WhereNothingPushesFollowsItsOwnEquation) {
    const Session cart = opened("cart_pole/model.toml");
    const auto r = inverse(cart, {.motion = {"x = 0.3*(1 - cos(3*t))"}, .rows = {.until = 1, .samples = 200}, .tolerance = 1e-10});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_THAT(notes(r.problems), HasSubstr("leaves 1 degree of freedom open, among theta': nothing pushes there"));
    const VectorXd theta = column(r->table(), "theta"), force = column(r->table(), "F");
    const double g = 9.8, l = 0.5, m = 0.1, M = 1;
    Vector2d y(0.05, 0);
    const auto rate = [&](double t, const Vector2d& s) {
        return Vector2d(s[1], (g * std::sin(s[0]) - 2.7 * std::cos(3 * t) * std::cos(s[0])) / (4 * l / 3));
    };
    for (int i = 0; i <= 200; ++i) {
        const double t = 0.005 * i, h = 0.005;
        EXPECT_NEAR(theta[i], y[0], 1e-8);
        const double wanted = (M + m) * 2.7 * std::cos(3 * t) + m * l * (rate(t, y)[1] * std::cos(y[0]) - y[1] * y[1] * std::sin(y[0]));
        EXPECT_NEAR(force[i], wanted, 1e-7);
        const Vector2d k1 = rate(t, y), k2 = rate(t + h / 2, y + h / 2 * k1), k3 = rate(t + h / 2, y + h / 2 * k2),
                       k4 = rate(t + h, y + h * k3);
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    EXPECT_LT(fed_forward(cart, r->table(), 1, {"x", "theta"}), 1e-6);
    const auto by_force = inverse(cart, {.motion = {"x = 0.3*(1 - cos(3*t))"},
                                         .rows = {.until = 1, .samples = 200},
                                         .by = motion::ActuatedBy::coordinates,
                                         .tolerance = 1e-10});
    ASSERT_TRUE(by_force) << to_string(by_force.problems);  // F = 10 N of the model pushes besides
    EXPECT_LT((column(by_force->table(), "x.force").array() + 10 - force.array()).abs().maxCoeff(), 1e-6);
}

TEST(OpenPath, OfAClosedChainWithOneInputTooFewSaysSo) {
    const auto r = inverse(opened("triple_pendulum/model.toml"), {.motion = {"q1 = 0.1*t"}, .rows = {.until = 1, .samples = 2}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_THAT(notes(r.problems), HasSubstr("leaves 2 degrees of freedom open"));
}

/// A pendulum that a motor turns; its armature has an inductance.
std::string motor(const std::string& input, const std::string& rest = "") {
    return R"~(format = 1
gravity = [0, -9.81, 0]
[inputs]
volts = 0
[[body]]
name = "rod"
mass = 2
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "rod"
[[motor]]
name = "m"
type = "electric"
joint = "hip"
gear = 10
input = ")~" +
           input + R"~("
constants = { Kt = 0.2, Kb = 0.3, R = 1.5, L = 0.05 }
)~" + rest;
}

TEST(OpenPath, OfAMotorGivesItsVoltage) {
    const Session s = from(motor("volts"));
    const auto r = inverse(s, {.motion = {"hip = 0.4*sin(2*t)"}, .rows = {.until = 3, .samples = 600}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const Table table = r->table();
    const VectorXd t = column(table, "t"), volts = column(table, "volts"), current = column(table, "m.current");
    for (Index i = 0; i < t.size(); ++i) {
        const double q = 0.4 * std::sin(2 * t[i]), v = 0.8 * std::cos(2 * t[i]), a = -4 * q, j = -4 * v, J = 0.1 + 2 * 0.25,
                     w = 2 * 9.81 * 0.5;
        const double amperes = (J * a + w * std::cos(q)) / 2, rate = (J * j - w * std::sin(q) * v) / 2;
        EXPECT_NEAR(current[i], amperes, 1e-11);
        EXPECT_NEAR(volts[i], 0.05 * rate + 1.5 * amperes + 0.3 * 10 * v, 1e-8);
    }
    EXPECT_LT(fed_forward(s, table, 3, {"hip", "hip'", "m.current"}), 1e-6);
}

TEST(OpenPath, OfAMotorBehindALagGivesTheCommand) {
    const Session s = from(motor("lag", R"~([[filter]]
name = "lag"
input = "volts"
numerator = [1]
denominator = [0.02, 1]
)~"));
    const auto r = inverse(s, {.motion = {"hip = 0.4*sin(2*t)"}, .rows = {.until = 1, .samples = 100}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_LT(fed_forward(s, r->table(), 1, {"hip", "hip'", "m.current"}), 1e-5);
}

TEST(OpenPath, CarriesTheStatesOfAControllerAlong) {
    const Session s = from(motor("0.5*slow + volts", R"~([[filter]]
name = "slow"
input = "hip"
numerator = [1]
denominator = [0.3, 1]
)~"));
    const auto r = inverse(s, {.motion = {"hip = 0.4*sin(2*t)"}, .rows = {.until = 3, .samples = 600}});
    ASSERT_TRUE(r) << to_string(r.problems);
    const VectorXd slow = column(r->table(), "slow.1"), t = column(r->table(), "t");
    for (Index i = 0; i < t.size(); i += 50) {  // 0.3 x' + x = 0.4 sin 2t from 0
        const double d = 1 + 0.36, x = 0.4 / d * (std::sin(2 * t[i]) - 0.6 * std::cos(2 * t[i]) + 0.6 * std::exp(-t[i] / 0.3));
        EXPECT_NEAR(slow[i], x, 1e-7);
    }
    EXPECT_LT(fed_forward(s, r->table(), 3, {"hip", "hip'", "slow.1"}), 1e-6);
}

TEST(OpenPath, OfAFlexibleArmBendsAsItMust) {
    const Session s = opened("hub_beam_electric/model.toml");
    const auto r = inverse(s, {.motion = {"shoulder = 0.5*(t - sin(2*pi*t)/(2*pi))"}, .rows = {.until = 1, .samples = 1000}});
    ASSERT_TRUE(r) << to_string(r.problems);
    EXPECT_THAT(notes(r.problems), HasSubstr("leaves 2 degrees of freedom open"));
    EXPECT_LT(fed_forward(s, r->table(), 1, {"shoulder", "strain", "tip.x"}), 1e-5);
}

TEST(OpenPath, SaysWhatCannotBeInverted) {
    const auto error = [](const std::string& text) {
        return first_error(inverse(from(text), {.motion = {"hip = t^2"}, .rows = {.until = 1, .samples = 4}}));
    };
    EXPECT_THAT(error(motor("min(max(volts, -24), 24)")), HasSubstr("is not linear in the input volts"));
    EXPECT_THAT(first_error(inverse(from(motor("volts")), {.motion = {"hip = t"}, .rows = {.until = 1}, .tolerance = 2})),
                HasSubstr("--tolerance 2 is no tolerance"));
}

TEST(OpenPath, ToASingularPositionEndsThere) {
    const auto r = inverse(from(three_links), {.motion = {"tip.x = 1.5 + t", "tip.y = 1"}, .rows = {.until = 4, .samples = 16}});
    EXPECT_EQ(r.status, Status::numerical_failure);
    ASSERT_TRUE(r.value);
    EXPECT_EQ(r.value->table().rows.size(), 6);  // the edge is at x = √8, t = 1.328
    EXPECT_THAT(first_error(r), HasSubstr("at t = 1.32"));
}

}  // namespace
}  // namespace linkwright::test
