// What a linear model of a constrained mechanism must contain, and what is said where there is none.

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/linear/linearize.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/products.hpp"
#include "motion/subject.hpp"

namespace linkwright {
namespace {

using linear::Linearization;
using numeric::State;
using testing::HasSubstr;

Linearization linear_at(const Subject& subject, const State& state, const linear::LinearizeOptions& options = {}) {
    return linear::linearize(*subject.numbers, numeric::operating_point(*subject.numbers, state), options);
}

Subject inline_model(const std::string& text) { return Subject(model::read(text)); }

State hanging(const Subject& subject) {
    State s = subject.numbers->zero_state();
    s.q << 0, 0, -1;
    return s;
}

// A bob in Cartesian coordinates on a rod: all that brings it back is the turning of the rod's pull.
TEST(GeometricStiffness, IsAllThatHoldsAPendulum) {
    const Subject subject("models/rod_pendulum/model.toml");
    const Linearization L = linear_at(subject, hanging(subject), {.onto = {"at.x", "at.y"}});
    ASSERT_TRUE(L.is_ok) << L.why;
    ASSERT_TRUE(L.second_order.is_mechanical);
    EXPECT_TRUE(L.second_order.M.isApprox(0.2 * MatrixXd::Identity(2, 2), 1e-14)) << L.second_order.M;
    EXPECT_TRUE(L.second_order.K.isApprox(0.2 * 9.81 * MatrixXd::Identity(2, 2), 1e-14)) << L.second_order.K;
    EXPECT_TRUE(L.second_order.geometric.isApprox(L.second_order.K, 1e-14));

    const Linearization lynch = linear_at(subject, hanging(subject), {.onto = {"at.x", "at.y"}, .geometric_stiffness = false});
    EXPECT_FALSE(lynch.has_geometric_stiffness);
    EXPECT_LT(lynch.second_order.K.norm(), 1e-14) << "the form that leaves it out has no pendulum";
    EXPECT_THAT(lynch.notes, testing::Contains(HasSubstr("Lynch 1988, eq. (6.6)")));
}

// Where no force acts in the constraints both forms are the same.
TEST(GeometricStiffness, IsNothingWithoutForces) {
    Subject subject("models/rod_pendulum/model.toml");
    const Linearization L = linear_at(subject, hanging(subject));
    EXPECT_GT(L.second_order.geometric.norm(), 1);
    State free = hanging(subject);
    const auto point = [&] {
        numeric::OperatingPoint p = numeric::operating_point(*subject.numbers, free);
        p.lambda.setZero();
        return p;
    }();
    const linear::Linearizer linearizer(*subject.numbers);
    EXPECT_TRUE(linearizer(point).second_order.K.isApprox(linearizer(point, {.geometric_stiffness = false}).second_order.K));
}

const char* bars = R"(
format = 1
name = "bars"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
[ground]
points = { far = [FAR, 0, 0] }
[[body]]
name = "crank"
mass = 1
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
points = { end = [1, 0, 0] }
[[body]]
name = "coupler"
mass = 1
inertia = [0, 0, 0.1]
com = [1, 0, 0]
points = { end = [LENGTH, 0, 0] }
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "crank"
axis = "z"
[[joint]]
name = "b"
type = "revolute"
parent = "crank"
child = "coupler"
parent_at = "end"
axis = "z"
)";
const char* third_bar = R"(
[[body]]
name = "rocker"
mass = 1
inertia = [0, 0, 0.1]
com = [0.5, 0, 0]
points = { end = [1, 0, 0] }
[[joint]]
name = "c"
type = "revolute"
parent = "ground"
child = "rocker"
parent_at = "far"
axis = "z"
[[joint]]
name = "d"
type = "revolute"
parent = "coupler"
child = "rocker"
parent_at = "end"
child_at = "end"
axis = "z"
)";

std::string with(std::string text, const std::string& far, const std::string& length) {
    text.replace(text.find("FAR"), 3, far);
    text.replace(text.find("LENGTH"), 6, length);
    return text;
}

TEST(ChangingRank, IsRefusedWhereAParallelogramLiesFlat) {
    const Subject subject = inline_model(with(bars, "2", "2") + third_bar);
    State flat = subject.numbers->zero_state();
    const Linearization L = linear_at(subject, flat);
    EXPECT_FALSE(L.is_ok);
    EXPECT_THAT(L.why, HasSubstr("the rank of the constraints changes here"));
    // closed by iteration it lies nearly flat
    flat.q << 0, 2e-7, 2e-7;
    const Linearization nearly = linear_at(subject, flat);
    EXPECT_FALSE(nearly.is_ok);
    EXPECT_THAT(nearly.why, HasSubstr("the rank of the constraints changes here"));
    // and a little further on it is a mechanism like any other
    flat.q << 0.4, -0.4, 0.4;
    const Linearization beside = linear_at(subject, flat);
    EXPECT_TRUE(beside.is_ok) << beside.why;
    EXPECT_EQ(beside.y.size(), 1u);
}

TEST(ChangingRank, IsRefusedWhereBarsAreStretchedTight) {
    const Subject subject = inline_model(with(bars, "3", "2") + R"(
[[joint]]
name = "d"
type = "revolute"
parent = "coupler"
child = "ground"
parent_at = "end"
child_at = "far"
axis = "z"
)");
    const Linearization L = linear_at(subject, subject.numbers->zero_state());
    EXPECT_FALSE(L.is_ok);
    EXPECT_THAT(L.why, HasSubstr("singular position")) << L.why;
}

TEST(SingularMass, NamesTheMotionThatHasNone) {
    const Subject subject = inline_model(R"(
format = 1
name = "spinning point"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
k = 2
J = 0
[[body]]
name = "arm"
mass = 1
inertia = [0.1, 0.1, 0.1]
[[body]]
name = "bead"
mass = 1
inertia = ["J", "J", "J"]
[[joint]]
name = "shoulder"
type = "revolute"
parent = "ground"
child = "arm"
axis = "z"
[[joint]]
name = "spin"
type = "revolute"
parent = "arm"
child = "bead"
axis = "z"
stiffness = "k"
)");
    numeric::OperatingPoint p;
    p.state = subject.numbers->zero_state();
    p.udot = VectorXd::Zero(2);
    p.lambda = VectorXd::Zero(0);
    const Linearization L = linear::linearize(*subject.numbers, p);
    EXPECT_FALSE(L.is_ok);
    EXPECT_THAT(L.why, HasSubstr("has no inertia"));
    EXPECT_THAT(L.why, HasSubstr("spin'"));
}

TEST(NoDerivative, IsSaid) {
    const Subject subject = inline_model(R"toml(
format = 1
name = "root"
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 1
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
actuator = "-sqrt(x)"
)toml");
    const Linearization L = linear_at(subject, subject.numbers->zero_state());
    EXPECT_FALSE(L.is_ok);
    EXPECT_THAT(L.why, HasSubstr("not finite"));
}

TEST(Onto, UnknownOrDependentNamesAreSaid) {
    const Subject subject("models/rod_pendulum/model.toml");
    const Linearization unknown = linear_at(subject, hanging(subject), {.onto = {"at.u"}});
    EXPECT_FALSE(unknown.is_ok);
    EXPECT_THAT(unknown.why, HasSubstr("at.u"));
    const Linearization dependent = linear_at(subject, hanging(subject), {.onto = {"at.z"}, .only_onto = true});
    EXPECT_FALSE(dependent.is_ok);
    EXPECT_THAT(dependent.why, HasSubstr("at.z cannot be independent"));
}

// The pole alone: nothing of it depends on where the cart is, so its part of A is exact, and M is what is left when the cart's
// acceleration is eliminated. The other way round something is lost, and that is said.
TEST(Onto, SaysWhatIsCoupled) {
    const Subject subject("models/cart_pole/model.toml");
    const State s = subject.numbers->zero_state();
    const Linearization whole = linear_at(subject, s);
    ASSERT_TRUE(whole.is_ok) << whole.why;
    ASSERT_EQ(whole.y.size(), 2u);
    for (const Index n : {0, 1}) {
        const std::string name = whole.s[whole.y[n]];
        const Linearization part = linear_at(subject, s, {.onto = {name}, .only_onto = true});
        ASSERT_TRUE(part.is_ok) << part.why;
        EXPECT_EQ(part.state_space.A.rows(), 2);
        const double stiffness = part.second_order.K(0, 0) / part.second_order.M(0, 0);
        EXPECT_NEAR(part.state_space.A(1, 0), -stiffness, 1e-12 * std::abs(stiffness));
        const Index other = 1 - n;
        const bool is_coupled = whole.state_space.A(2 + n, other) != 0 || whole.state_space.A(2 + n, 2 + other) != 0;
        const bool is_said =
            std::ranges::any_of(part.notes, [](const std::string& note) { return note.find("coupled") != std::string::npos; });
        EXPECT_EQ(is_coupled, is_said) << name;
    }
}

TEST(Time, IsHeldAndThatIsSaid) {
    const Subject subject("models/kapitza_pendulum/model.toml");
    const Linearization L = linear_at(subject, subject.start());
    ASSERT_TRUE(L.is_ok) << L.why;
    EXPECT_THAT(L.notes, testing::Contains(HasSubstr("held at t = 0")));
}

/// Speeds that are no rates: a free body's in its own axes are replaced by rates, and the poles stay.
TEST(OtherSpeeds, AreReplacedByRates) {
    const Subject subject("models/stewart_platform/model.toml");
    const Linearization L = linear_at(subject, subject.start());
    ASSERT_TRUE(L.is_ok) << L.why;
    const linear::SecondOrder& o = L.second_order;
    ASSERT_TRUE(o.is_mechanical);
    const Index n = o.M.rows();
    MatrixXd A(2 * n, 2 * n);
    A << MatrixXd::Zero(n, n), MatrixXd::Identity(n, n), -solve::Ldlt(o.M).solve(o.K), -solve::Ldlt(o.M).solve(o.C);
    const Eigen::VectorXcd a = solve::eigenvalues(A), b = solve::eigenvalues(L.state_space.A);
    for (const auto& pole : a) EXPECT_LT((b.array() - pole).abs().minCoeff(), 1e-5 * (1 + std::abs(pole)));
}

/// e^A: its series for A/2ⁿ, squared n times.
MatrixXd exponential(MatrixXd A) {
    int halvings = 0;
    for (; A.size() > 0 && A.lpNorm<Eigen::Infinity>() * static_cast<double>(A.rows()) > 0.5; ++halvings) A /= 2;
    MatrixXd term = MatrixXd::Identity(A.rows(), A.cols()), sum = term;
    for (int k = 1; k < 20; ++k) term = solve::times(term, A) / k, sum += term;
    for (int k = 0; k < halvings; ++k) sum = solve::times(sum, sum);
    return sum;
}

/// The motion itself tends to the linear one: halving the amplitude leaves at most a quarter of the difference.
void expect_second_order(const Subject& subject, const State& rest, const std::string& name) {
    const linear::Linearizer linearizer(*subject.numbers);
    const Linearization L = linearizer(numeric::operating_point(*subject.numbers, rest));
    ASSERT_TRUE(L.is_ok) << name << ": " << L.why;
    const double until = 0.5;
    const MatrixXd propagated = exponential(L.state_space.A * until);
    const Index ny = static_cast<Index>(L.y.size()), nz = static_cast<Index>(L.z.size());
    VectorXd direction(ny + nz);
    for (Index i = 0; i < direction.size(); ++i) direction[i] = std::cos(1.0 + 2.3 * static_cast<double>(i));
    const numeric::Closing close(*subject.numbers);
    std::vector<double> errors;
    for (const double size : {4e-3, 2e-3, 1e-3}) {
        State s = rest;
        std::vector<Index> held;
        for (std::size_t k = 0; k < L.y.size(); ++k) {
            const Index at = std::ranges::find(subject.equations.q, L.s[L.y[k]], [](const sym::Expr& q) { return q.symbol().name; }) -
                             subject.equations.q.begin();
            ASSERT_LT(at, s.q.size()) << "no quaternions in this test";
            s.q[at] += size * direction[k];
            held.push_back(at);
        }
        const solve::Assembly closed = close(s, held);
        ASSERT_TRUE(closed.ok) << name;
        s.q = closed.x;
        s.u += L.Z * (size * direction.tail(nz)) + L.P * (size * direction.head(ny));
        const MatrixXd G = subject.numbers->dynamics(s).G;
        if (G.rows() > 0) {
            MatrixXd free = G;
            for (const std::size_t j : L.z) free.col(j).setZero();
            s.u -= solve::CompleteOrthogonal(free, 1e-9).solve(subject.numbers->residuals(s).rate);
        }
        motion::SimulateOptions o;
        o.times = {0, until};
        o.tolerance = 1e-12;
        const motion::Motion motion = motion::simulate(*subject.numbers, s, o);
        ASSERT_EQ(motion.rows.size(), 2u) << name;
        const VectorXd linear = propagated * (size * direction);
        double error = 0;
        for (std::size_t k = 0; k < L.y.size(); ++k) {
            error = std::max(error, std::abs(motion.rows[1][column(motion, L.s[L.y[k]])] - rest.q[held[k]] - linear[k]));
        }
        errors.push_back(error);
    }
    EXPECT_GT(errors[0], 1e-11) << name << ": too small to tell";
    EXPECT_GT(errors[0] / errors[1], 3.4) << name << ": " << errors[0] << " " << errors[1] << " " << errors[2];
    EXPECT_GT(errors[1] / errors[2], 3.4) << name << ": " << errors[0] << " " << errors[1] << " " << errors[2];
}

TEST(LinearResponse, IsTheLimitOfTheMotion) {
    for (const std::string name : {"double_pendulum", "triple_pendulum", "four_bar", "spatial_four_bar", "slider_crank"}) {
        const Subject subject("models/" + name + "/model.toml");
        const linear::Equilibrium at = linear::find_equilibrium(*subject.numbers, subject.start(), {});
        ASSERT_TRUE(at.is_ok) << name << ": " << at.why;
        expect_second_order(subject, at.point.state, name);
    }
}

// A loop has outputs that nobody asked for; they do not hide the motions.
TEST(LinearOutputs, OfALoopHaveItsMotionsToo) {
    const Subject subject("models/lynch_four_bar/lynch.toml");
    const State start = subject.start();
    const Linearization alone = linear_at(subject, start), L = linear_at(subject, start, {.lists_motions = true});
    ASSERT_TRUE(L.is_ok) << L.why;
    ASSERT_EQ(alone.outputs.size() + 8, L.outputs.size());
    EXPECT_EQ(L.outputs[0], "q1");
    EXPECT_EQ(L.outputs[7], "q4'");
    EXPECT_EQ(L.outputs[8], alone.outputs[0]);
    ASSERT_EQ(L.state_space.C.rows(), static_cast<Index>(L.outputs.size()));
    ASSERT_EQ(L.state_space.D.rows(), L.state_space.C.rows());
    EXPECT_TRUE(L.state_space.C.topLeftCorner(4, 1).isApprox(L.Y, 1e-14));
    EXPECT_EQ(L.state_space.C.bottomRows(alone.state_space.C.rows()), alone.state_space.C);
    for (const double x : L.state_space.C.reshaped()) EXPECT_TRUE(x == 0 || std::abs(x) > 1e-12) << x;
}

// Where a body spins, the same speeds carry it in ever other directions; a spindle on a hinge looks the same always.
TEST(LinearInstant, IsNotedWhereTheModelTurns) {
    const Subject free = inline_model(R"(
format = 1
[[body]]
name = "b"
mass = 1
inertia = [0.1, 0.2, 0.3]
[[joint]]
name = "F"
type = "free"
parent = "ground"
child = "b"
[initial]
"F.wz" = 3
)");
    const Linearization L = linear_at(free, free.start(), {.checks_steadiness = true});
    ASSERT_TRUE(L.is_ok) << L.why;
    EXPECT_THAT(L.notes, testing::Contains(HasSubstr("the rows of F.x, F.y in A change")));
    EXPECT_TRUE(linear_at(free, free.start()).notes.empty());
    for (const char* path : {"models/bicycle/model.toml", "models/flyball_governor/model.toml", "models/gyrostat/model.toml"}) {
        const Subject same(path);
        const Linearization steady = linear_at(same, same.start(), {.checks_steadiness = true});
        EXPECT_THAT(steady.notes, testing::Not(testing::Contains(HasSubstr("this instant")))) << path;
    }
}

}  // namespace
}  // namespace linkwright
