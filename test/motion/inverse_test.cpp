// Forces for a prescribed motion: against an independent computation, and fed forward again.

#include "linkwright/motion/inverse.hpp"

#include <gmock/gmock.h>

#include <numbers>

#include "linkwright/jit/compile.hpp"
#include "linkwright/solve/spline.hpp"
#include "subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using motion::ActuatedBy;
using motion::Forces;
using motion::InverseOptions;
using motion::Prescription;
using testing::HasSubstr;

std::size_t coordinate(const Subject& s, const std::string& name) {
    for (std::size_t i = 0; i < s.equations.q.size(); ++i) {
        if (s.equations.q[i].symbol().name == name) return i;
    }
    ADD_FAILURE() << name;
    return 0;
}

/// (t/T − sin(2πt/T)/2π)·d: at rest at both ends [lynch88 (5.2)].
struct Cycloid {
    double from, way, period;
    void operator()(double t, double& q, double& v, double& a) const {
        const double w = 2 * std::numbers::pi / period;
        q = from + way * (t / period - std::sin(w * t) / (2 * std::numbers::pi));
        v = way / period * (1 - std::cos(w * t));
        a = way / period * w * std::sin(w * t);
    }
};

Prescription cycloids(std::vector<std::size_t> coordinates, std::vector<Cycloid> curves) {
    return {std::move(coordinates), [curves](double t, VectorXd& q, VectorXd& v, VectorXd& a) {
                for (std::size_t i = 0; i < curves.size(); ++i) curves[i](t, q[i], v[i], a[i]);
            }};
}

VectorXd column(const Forces& f, const std::string& name) {
    const auto at = std::ranges::find(f.columns, name) - f.columns.begin();
    EXPECT_LT(at, std::ssize(f.columns)) << name;
    VectorXd x(static_cast<Index>(f.rows.size()));
    for (Index k = 0; k < x.size(); ++k) x[k] = f.rows[k][at];
    return x;
}

/// Motion under the forces just found, as a spline through them.
motion::Motion feed_forward(const Subject& s, const Forces& f, numeric::State start, double until) {
    const Index n = s.equations.inputs.size();
    std::vector<double> times;
    MatrixXd samples(static_cast<Index>(f.rows.size()), n);
    for (std::size_t k = 0; k < f.rows.size(); ++k) times.push_back(f.rows[k][0]), samples.row(k) = f.rows[k].segment(1, n);
    const solve::Spline spline(times, samples);
    const Index nq = static_cast<Index>(s.equations.q.size()), nu = static_cast<Index>(s.equations.u.size());
    start.q = f.rows[0].segment(1 + n, nq);
    start.u = f.rows[0].segment(1 + n + nq, nu);
    motion::SimulateOptions o;
    o.times = times_until(until, 20);
    o.tolerance = 1e-11;
    o.drive = [&](double t, VectorXd& w) { spline(t, w); };
    return motion::simulate(*s.numbers, start, o);
}

TEST(Inverse, LynchsCycloidOnTheStanfordArm) {
    const Subject s("models/stanford_arm/model.toml");
    std::ifstream file(project_root() + "/test/motion/stanford_cycloid.json");
    const Json rows = Json::parse(file)["rows"];
    Prescription p{{0, 1, 2, 3, 4, 5}, [&](double t, VectorXd& q, VectorXd& v, VectorXd& a) {
                       for (const Json& row : rows) {
                           if (row["t"].get<double>() == t) q = vector_of(row["q"]), v = vector_of(row["u"]), a = vector_of(row["u_dot"]);
                       }
                   }};
    InverseOptions o;
    for (const Json& row : rows) o.times.push_back(row["t"].get<double>());
    const Forces f = motion::inverse(*s.numbers, s.numbers->zero_state(), p, o);
    ASSERT_TRUE(f.is_ok) << f.why;
    ASSERT_EQ(f.rows.size(), rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const VectorXd tau = vector_of(rows[k]["tau"]);
        EXPECT_LT((f.rows[k].segment(1, 6) - tau).cwiseAbs().maxCoeff(), 1e-9 * tau.cwiseAbs().maxCoeff()) << "row " << k;
    }
}

TEST(Inverse, ForcesFedForwardReproduceTheMotionOfATree) {
    const Subject s("models/stanford_arm/model.toml");
    const Prescription p = cycloids({0, 1, 2, 3, 4, 5}, {{0, 1, 2}, {1.2, -0.4, 2}, {0.1, 0.1, 2}, {0, 0.7, 2}, {0.2, 0.5, 2}, {0, -1, 2}});
    InverseOptions o;
    o.times = times_until(2, 400);
    const Forces f = motion::inverse(*s.numbers, s.numbers->zero_state(), p, o);
    ASSERT_TRUE(f.is_ok) << f.why;
    const motion::Motion m = feed_forward(s, f, s.numbers->zero_state(), 2);
    ASSERT_EQ(m.stop, motion::Stop::reached) << m.why;
    double worst = 0;
    for (std::size_t k = 0; k < m.rows.size(); ++k)
        worst = std::max(worst, (m.rows[k].segment(1, 12) - f.rows[20 * k].segment(7, 12)).cwiseAbs().maxCoeff());
    EXPECT_LT(worst, 1e-6);
}

TEST(Inverse, AndOfAClosedChain) {
    const Subject s("models/four_bar/model.toml");
    const numeric::State start = s.start();
    const std::size_t alpha = coordinate(s, "alpha");
    const Prescription p = cycloids({alpha}, {{start.q[alpha], 5, 1}});
    InverseOptions o;
    o.times = times_until(1, 400);
    const Forces f = motion::inverse(*s.numbers, start, p, o);
    ASSERT_TRUE(f.is_ok) << f.why;
    const motion::Motion m = feed_forward(s, f, start, 1);
    ASSERT_EQ(m.stop, motion::Stop::reached) << m.why;
    double worst = 0;
    for (std::size_t k = 0; k < m.rows.size(); ++k)
        worst = std::max(worst, (m.rows[k].segment(1, 6) - f.rows[20 * k].segment(2, 6)).cwiseAbs().maxCoeff());
    EXPECT_LT(worst, 1e-6);
}

TEST(Inverse, FewRowsStayOnTheBranchOfMany) {
    const Subject s("models/four_bar/model.toml");
    const numeric::State start = s.start();
    const Prescription p = cycloids({coordinate(s, "alpha")}, {{start.q[0], 2 * std::numbers::pi, 1}});
    InverseOptions few, many;
    few.times = times_until(1, 4);
    many.times = times_until(1, 400);
    const Forces a = motion::inverse(*s.numbers, start, p, few), b = motion::inverse(*s.numbers, start, p, many);
    ASSERT_TRUE(a.is_ok && b.is_ok) << a.why << b.why;
    for (std::size_t k = 0; k < a.rows.size(); ++k) EXPECT_LT((a.rows[k] - b.rows[100 * k]).cwiseAbs().maxCoeff(), 1e-9) << k;
    EXPECT_NEAR(column(a, "delta")[4], column(a, "delta")[0], 1e-9);  // a crank-rocker comes back
}

TEST(Inverse, ForcesAlongCoordinatesAreTheSameAsActuatorsThere) {
    const Subject s("models/four_bar/model.toml");
    const numeric::State start = s.start();
    const Prescription p = cycloids({coordinate(s, "alpha")}, {{1, 5, 1}});
    InverseOptions o;
    o.times = times_until(1, 7);
    const Forces by_inputs = motion::inverse(*s.numbers, start, p, o);
    o.by = ActuatedBy::coordinates;
    const Forces by_coordinates = motion::inverse(*s.numbers, start, p, o);
    EXPECT_LT((column(by_inputs, "drive") - column(by_coordinates, "alpha.force")).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Inverse, SaysWhatIsOpenOrTooMuch) {
    const Subject s("models/triple_pendulum/model.toml");
    InverseOptions o;
    o.times = {0, 1};
    const Forces open = motion::inverse(*s.numbers, s.numbers->zero_state(), cycloids({0, 1}, {{0, 1, 1}, {0, 1, 1}}), o);
    ASSERT_TRUE(open.is_ok) << open.why;
    ASSERT_EQ(open.notes.size(), 1U);
    EXPECT_THAT(
        open.notes[0],
        HasSubstr("the motion leaves 1 degree of freedom open, among q3': of all speeds that follow it those of least kinetic energy"));

    const Subject loop("models/four_bar/model.toml");
    const Forces much = motion::inverse(*loop.numbers, loop.start(), cycloids({0, 1}, {{1, 1, 1}, {1, 1, 1}}), o);
    EXPECT_FALSE(much.is_ok);
    EXPECT_FALSE(much.why.empty());
}

constexpr const char* parallelogram = R"(format = 1
[[body]]
name = "a"
mass = 1
inertia = [0, 0, 0.1]
[[body]]
name = "b"
mass = 1
inertia = [0, 0, 0.1]
[[body]]
name = "c"
mass = 1
inertia = [0, 0, 0.1]
[[joint]]
name = "A"
type = "revolute"
parent = "ground"
child = "a"
[[joint]]
name = "B"
type = "revolute"
parent = "a"
child = "b"
parent_at = [1, 0, 0]
[[joint]]
name = "C"
type = "revolute"
parent = "ground"
child = "c"
parent_at = [2, 0, 0]
[[joint]]
name = "D"
type = "revolute"
parent = "b"
child = "c"
parent_at = [2, 0, 0]
child_at = [1, 0, 0]
)";

TEST(Inverse, ChangePointsAreTold) {
    const std::string text = parallelogram;
    const Subject flat(model::read(text + "[initial]\nA = 0\n")), bent(model::read(text + "[initial]\nA = 1\n[guess]\nB = -1\nC = 1\n"));
    InverseOptions o;
    o.by = ActuatedBy::coordinates;
    o.times = times_until(1, 5);
    const auto line = [](double from, double way) {
        return Prescription{{0}, [=](double t, VectorXd& q, VectorXd& v, VectorXd& a) { q[0] = from + way * t, v[0] = way, a[0] = 0; }};
    };
    const Forces at_start = motion::inverse(*flat.numbers, flat.start(), line(0, 1), o);
    EXPECT_FALSE(at_start.is_ok);
    EXPECT_TRUE(at_start.rows.empty());
    EXPECT_THAT(at_start.why, HasSubstr("at t = 0"));
    const Subject nearly(model::read(text + "[initial]\nA = 1e-8\n"));
    const Forces near_start = motion::inverse(*nearly.numbers, nearly.start(), line(1e-8, 1), o);
    EXPECT_FALSE(near_start.is_ok);
    EXPECT_TRUE(near_start.rows.empty()) << near_start.why;
    o.times = {0, 0.25, 0.5, 0.75, 1};
    const Forces on_the_way = motion::inverse(*bent.numbers, bent.start(), line(1, -2), o);
    EXPECT_FALSE(on_the_way.is_ok);
    EXPECT_EQ(on_the_way.rows.size(), 2U);
    EXPECT_TRUE(motion::inverse(*bent.numbers, bent.start(), line(1, 1), o).is_ok);
}

TEST(Inverse, EulerParametersComeFromSamples) {
    const Subject s(model::read(R"(format = 1
[[body]]
name = "b"
mass = 1
inertia = [1, 2, 3]
[[joint]]
name = "j"
type = "spherical"
parent = "ground"
child = "b"
)"));
    std::vector<double> times;
    MatrixXd e(41, 4);
    for (int k = 0; k <= 40; ++k) {  // about z, an angle of t²: torque 3·2
        times.push_back(k / 40.0);
        e.row(k) << std::cos(times.back() * times.back() / 2), 0, 0, std::sin(times.back() * times.back() / 2);
    }
    const solve::Spline spline(times, e);
    const Prescription p{{0, 1, 2, 3}, [&](double t, VectorXd& q, VectorXd& v, VectorXd& a) { spline(t, q, &v, &a); }};
    InverseOptions o;
    o.by = ActuatedBy::coordinates;
    o.times = times_until(1, 7);
    const Forces f = motion::inverse(*s.numbers, s.numbers->zero_state(), p, o);
    ASSERT_TRUE(f.is_ok) << f.why;
    for (std::size_t k = 1; k < 7; ++k) EXPECT_NEAR(f.rows[k][3], 6, 1e-2);
}

constexpr const char* two_motors = R"(format = 1
gravity = [0, -9.81, 0]
[inputs]
low = 0
high = 0
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
actuator = "low + 2*high"
)";

TEST(Inverse, OveractuatedTakesTheShortest) {
    const Subject s(model::read(two_motors, "two_motors.toml"));
    InverseOptions o;
    o.times = {0, 0.25};
    const Forces f = motion::inverse(*s.numbers, s.numbers->zero_state(), cycloids({0}, {{0, 1, 1}}), o);
    ASSERT_TRUE(f.is_ok) << f.why;
    ASSERT_EQ(f.notes.size(), 1U);
    EXPECT_THAT(f.notes[0], HasSubstr("overactuated: 2 inputs for 1 degree of freedom"));
    EXPECT_NEAR(column(f, "high")[1], 2 * column(f, "low")[1], 1e-12);
}

TEST(Inverse, SaysWhichForceIsMissing) {
    const Subject s("models/cart_pole/model.toml");
    InverseOptions o;
    o.times = {0.1};
    std::vector<std::size_t> all;
    std::vector<Cycloid> curves;
    for (std::size_t i = 0; i < s.equations.q.size(); ++i) all.push_back(i), curves.push_back({0.3, 1, 1});
    const Forces f = motion::inverse(*s.numbers, s.numbers->zero_state(), cycloids(all, curves), o);
    EXPECT_FALSE(f.is_ok);
    EXPECT_FALSE(f.is_wrong_input);
    EXPECT_THAT(f.why, HasSubstr("the inputs cannot bring about this motion: a force of"));
}

}  // namespace
}  // namespace linkwright
