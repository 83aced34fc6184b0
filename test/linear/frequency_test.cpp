// Transfer functions: by hand, against brute force, and against motions that are really pushed.

#include "linkwright/linear/frequency.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/singular_values.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "motion/subject.hpp"

namespace linkwright {
namespace {

using linear::Channel;
using linear::FrequencyOptions;
using linear::LinearSystem;
using linear::TransferFunctions;
using Complex = std::complex<double>;
using Eigen::MatrixXcd;
using Eigen::VectorXcd;

/// Controllable form of (b_0 + b_1 s + …)/(a_0 + a_1 s + … + s^n), with its poles.
LinearSystem from_polynomials(const std::vector<double>& b, const std::vector<double>& a, const std::vector<Complex>& poles) {
    const Index n = a.size();
    LinearSystem s;
    s.A.setZero(n, n), s.B.setZero(n, 1), s.C.setZero(1, n), s.D.setZero(1, 1);
    for (Index i = 0; i + 1 < n; ++i) s.A(i, i + 1) = 1;
    for (Index i = 0; i < n; ++i) s.A(n - 1, i) = -a[i];
    s.B(n - 1, 0) = 1;
    for (Index i = 0; i < static_cast<Index>(b.size()) && i < n; ++i) s.C(0, i) = b[i];
    if (static_cast<Index>(b.size()) == n + 1) {
        s.D(0, 0) = b.back();
        for (Index i = 0; i < n; ++i) s.C(0, i) -= b.back() * a[i];
    }
    s.inputs = {"w"}, s.outputs = {"x"};
    s.poles = Eigen::Map<const VectorXcd>(poles.data(), static_cast<Index>(poles.size()));
    return s;
}

double nearest(const VectorXcd& all, Complex to) {
    double least = INFINITY;
    for (const Complex z : all) least = std::min(least, std::abs(z - to));
    return least;
}

TEST(Frequency, OfADampedOscillatorIsTheTextbooks) {
    const double m = 2, c = 0.4, k = 50, w0 = 5, zeta = c / (2 * m * w0);
    const Complex p(-zeta * w0, w0 * std::sqrt(1 - zeta * zeta));
    const LinearSystem s = from_polynomials({1 / m}, {k / m, c / m}, {p, std::conj(p)});
    const TransferFunctions r = frequency_response(s);
    ASSERT_TRUE(r.is_ok) << r.why;
    ASSERT_EQ(r.channels.size(), 1u);
    const Channel& x = r.channels[0];
    EXPECT_EQ(x.zeros.size(), 0);
    EXPECT_NEAR(x.gain, 1 / m, 1e-12);
    EXPECT_NEAR(x.static_gain, 1 / k, 1e-15);
    EXPECT_NEAR(r.omega.front(), 0.5, 1e-12);
    EXPECT_NEAR(r.omega.back(), 50, 1e-9);
    EXPECT_GT(r.omega.size(), 210u);
    for (std::size_t i = 0; i < r.omega.size(); ++i) {
        const Complex g = 1.0 / Complex(k - m * r.omega[i] * r.omega[i], c * r.omega[i]);
        EXPECT_NEAR(x.magnitude[i] / std::abs(g), 1, 1e-12);
        EXPECT_NEAR(x.phase[i], std::arg(g) * 180 / std::numbers::pi, 1e-9);
    }
    ASSERT_EQ(x.resonances.size(), 1u);
    EXPECT_NEAR(x.resonances[0].omega, w0 * std::sqrt(1 - 2 * zeta * zeta), 1e-6);
    EXPECT_NEAR(x.resonances[0].magnitude, 1 / (k * 2 * zeta * std::sqrt(1 - zeta * zeta)), 1e-12);
}

TEST(Frequency, OnAnUndampedPoleIsInfinite) {
    // k(s² + 4)/((s² + 1)(s² + 9)), collocated: pole, zero, pole
    const LinearSystem s = from_polynomials({4, 0, 1}, {9, 0, 10, 0}, {{0, 1}, {0, -1}, {0, 3}, {0, -3}});
    FrequencyOptions o;
    o.omega = {0, 0.5, 1, 1.5, 2, 2.5, 3, 4};
    const TransferFunctions r = frequency_response(s, o);
    ASSERT_TRUE(r.is_ok) << r.why;
    const Channel& x = r.channels[0];
    for (const std::size_t i : {2u, 6u}) EXPECT_EQ(x.magnitude[i], INFINITY);
    EXPECT_NEAR(x.magnitude[4], 0, 1e-14);
    EXPECT_EQ(r.notes.size(), 3u);
    EXPECT_THAT(r.notes[0], testing::HasSubstr("infinite at 1 rad/s"));
    EXPECT_LT(nearest(x.zeros, {0, 2}), 1e-10);
    const std::vector<double> phases{0, 0, -90, -180, -90, 0, -90, -180};
    for (std::size_t i = 0; i < phases.size(); ++i) {
        EXPECT_TRUE(std::isfinite(x.phase[i]));
        const bool is_between = i != 2 && i != 4 && i != 6;
        EXPECT_NEAR(x.phase[i], phases[i], is_between ? 1e-9 : 91) << r.omega[i];
    }
    ASSERT_EQ(x.resonances.size(), 2u);
    EXPECT_EQ(x.resonances[1].magnitude, INFINITY);
    EXPECT_EQ(x.resonances[1].omega, 3);
    EXPECT_FALSE(x.margins);
}

// s/(s² + 0.4 s + 25): nothing comes of a steady push, and slow ones are answered a quarter of a turn ahead.
TEST(Frequency, WhereItVanishesThePhaseIsThatOfSlowPushes) {
    const Complex p(-0.2, std::sqrt(25 - 0.04));
    FrequencyOptions o;
    o.omega = {0, 1e-6};
    const TransferFunctions r = frequency_response(from_polynomials({0, 1}, {25, 0.4}, {p, std::conj(p)}), o);
    ASSERT_TRUE(r.is_ok) << r.why;
    EXPECT_EQ(r.channels[0].magnitude[0], 0);
    EXPECT_NEAR(r.channels[0].phase[0], 90, 1e-9);
    EXPECT_NEAR(r.channels[0].phase[1], 90, 1e-4);
    EXPECT_THAT(r.notes, testing::Contains(testing::HasSubstr("vanishes at 0 rad/s")));
}

TEST(Frequency, APoleThatAnEntryDoesNotSeeIsNoTrouble) {
    LinearSystem s;
    s.A = MatrixXd::Zero(4, 4);
    s.A(0, 1) = 1, s.A(1, 0) = -4, s.A(2, 3) = 1, s.A(3, 2) = -25;
    s.B = MatrixXd::Zero(4, 1), s.B(1, 0) = 1, s.B(3, 0) = 1;
    s.C = MatrixXd::Zero(2, 4), s.C(0, 0) = 1, s.C(1, 2) = 1;
    s.D = MatrixXd::Zero(2, 1);
    s.inputs = {"w"}, s.outputs = {"a", "b"};
    s.poles.resize(4), s.poles << Complex(0, 2), Complex(0, -2), Complex(0, 5), Complex(0, -5);
    FrequencyOptions o;
    o.omega = {2, 5};
    const TransferFunctions r = frequency_response(s, o);
    EXPECT_EQ(r.channels[0].magnitude[0], INFINITY);
    EXPECT_NEAR(r.channels[0].magnitude[1], 1.0 / 21, 1e-7);
    EXPECT_NEAR(r.channels[1].magnitude[0], 1.0 / 21, 1e-7);
    EXPECT_EQ(r.channels[1].magnitude[1], INFINITY);
}

TEST(Frequency, ARigidMotionHasNoStaticGain) {
    const TransferFunctions r = frequency_response(from_polynomials({2}, {0, 0}, {{0, 0}, {0, 0}}));  // 2/s²
    EXPECT_EQ(r.channels[0].static_gain, INFINITY);
    EXPECT_NEAR(r.channels[0].gain, 2, 1e-12);
    for (std::size_t i = 0; i < r.omega.size(); ++i) {
        EXPECT_NEAR(r.channels[0].magnitude[i] * r.omega[i] * r.omega[i], 2, 1e-10);
        EXPECT_NEAR(r.channels[0].phase[i], -180, 1e-9);
    }
}

TEST(Frequency, MarginsAreThoseOfTheLoop) {
    // 2/(s(s + 1)(s + 2)): gain margin 3 at √2
    const TransferFunctions r = frequency_response(from_polynomials({2}, {0, 2, 3}, {0, -1, -2}));
    ASSERT_TRUE(r.channels[0].margins);
    const linear::Margins& m = *r.channels[0].margins;
    ASSERT_TRUE(m.gain && m.phase);
    EXPECT_NEAR(*m.gain, 3, 1e-9);
    EXPECT_NEAR(*m.gain_at, std::sqrt(2.0), 1e-9);
    const double w = *m.phase_at;
    EXPECT_NEAR(w * std::hypot(w, 1) * std::hypot(w, 2), 2, 1e-9);
    EXPECT_NEAR(*m.phase, 90 - (std::atan(w) + std::atan(w / 2)) * 180 / std::numbers::pi, 1e-7);
    EXPECT_NEAR(r.channels[0].phase.back(), -270, 15);
    // one that grows by itself has none
    EXPECT_FALSE(frequency_response(from_polynomials({1}, {-1}, {1})).channels[0].margins);
}

TEST(Frequency, ZerosAreFoundWithoutInfiniteOnes) {
    // 3 (s − 2)(s² + 2s + 5)/((s+1)(s+2)(s+3)(s+4)(s+5)), and with as many zeros as poles
    const std::vector<double> a{120, 274, 225, 85, 15};
    const std::vector<Complex> poles{-1, -2, -3, -4, -5};
    const TransferFunctions r = frequency_response(from_polynomials({-30, 3, 0, 3}, a, poles));
    const Channel& x = r.channels[0];
    ASSERT_EQ(x.zeros.size(), 3);
    EXPECT_LT(nearest(x.zeros, 2), 1e-9);
    EXPECT_LT(nearest(x.zeros, {-1, 2}), 1e-9);
    EXPECT_NEAR(x.gain, 3, 1e-9);
    EXPECT_NEAR(x.static_gain, -0.25, 1e-12);
    const TransferFunctions full = frequency_response(from_polynomials({1, 0, 0, 0, 0, 1}, a, poles));
    EXPECT_EQ(full.channels[0].zeros.size(), 5);
    EXPECT_LT(nearest(full.channels[0].zeros, -1), 1e-9);
}

TEST(Frequency, SeveralZerosAtTheOriginAreExactlyThere) {
    // the acceleration of one mass by a force between two: s⁴ over det(M s² + C s + K)
    LinearSystem s;
    s.A.setZero(4, 4), s.B.setZero(4, 1), s.D.setZero(1, 1);
    s.A << 0, 0, 1, 0, 0, 0, 0, 1, -10, 4, -0.1, 0.02, 10, -12, 0.1, -0.06;
    s.B << 0, 0, -1, 3;
    s.C = s.A.row(2), s.D(0, 0) = -1;
    s.inputs = {"h"}, s.outputs = {"x''"};
    s.poles = solve::eigenvalues(s.A);
    const Channel x = frequency_response(s).channels[0];
    EXPECT_EQ(x.zeros, VectorXcd::Zero(4));
    EXPECT_EQ(x.static_gain, 0);
    // near the origin is not at it
    const Channel near = frequency_response(from_polynomials({1e-6, 0, 1}, {6, 11, 6}, {-1, -2, -3})).channels[0];
    EXPECT_LT(nearest(near.zeros, {0, 1e-3}), 1e-9);
    EXPECT_NEAR(near.static_gain, 1e-6 / 6, 1e-15);
}

TEST(Frequency, HessenbergGivesWhatEliminationGives) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (const Index n : {0, 1, 2, 5, 14, 40}) {
        LinearSystem s;
        const auto draw = [&](Index rows, Index columns) {
            return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
        };
        s.A = draw(n, n), s.B = draw(n, 3), s.C = draw(2, n), s.D = draw(2, 3);
        if (n > 2) s.A.row(0) *= 1e5, s.A.col(0) *= 1e-5;  // units
        if (n > 0) s.poles = solve::eigenvalues(s.A);
        const linear::TransferFunction G(s);
        for (const double w : {0.0, 0.3, 2.0, 50.0}) {
            const Complex at(0.1, w);
            const MatrixXcd whole = at * MatrixXcd::Identity(n, n) - s.A.cast<Complex>();
            const MatrixXcd expected =
                n == 0 ? MatrixXcd(s.D.cast<Complex>())
                       : MatrixXcd(s.C.cast<Complex>() * solve::ComplexFullLu(whole).solve(s.B.cast<Complex>()) + s.D.cast<Complex>());
            EXPECT_LT((G(at) - expected).norm(), 1e-9 * (1 + expected.norm())) << n << " " << w;
        }
    }
}

TEST(Frequency, ZerosOfSeveralInputsMakeTheMatrixSingular) {
    std::mt19937_64 random(8);
    std::normal_distribution<double> normal;
    const auto draw = [&](Index rows, Index columns) {
        return MatrixXd(MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); }));
    };
    LinearSystem s;
    s.A = draw(6, 6), s.B = draw(6, 2), s.C = draw(2, 6), s.D = MatrixXd::Zero(2, 2);
    s.inputs = {"a", "b"}, s.outputs = {"x", "y"};
    s.poles = solve::eigenvalues(s.A);
    const TransferFunctions r = frequency_response(s);
    ASSERT_TRUE(r.zeros);
    EXPECT_EQ(r.zeros->size(), 4);
    const linear::TransferFunction G(s);
    for (const Complex z : *r.zeros) {
        const Eigen::VectorXd sigma = solve::singular_values(MatrixXcd(G(z)));
        EXPECT_LT(sigma[1], 1e-8 * sigma[0]);
    }
}

TEST(Frequency, AnInputThatDoesNotReachTheOutputIsSaidToBeDead) {
    LinearSystem s = from_polynomials({1}, {2, 3}, {-1, -2});
    s.C.setZero();
    const TransferFunctions r = frequency_response(s);
    EXPECT_TRUE(r.channels[0].is_dead);
    for (const double m : r.channels[0].magnitude) EXPECT_EQ(m, 0);
}

constexpr const char* pushed = R"toml(format = 1
name = "Pushed double pendulum"
gravity = [0, "-g", 0]
[parameters]
g = 9.81
l = 0.7
c = 0.6
A = 0.1
W = 3.0
[inputs]
tau = "A*cos(W*t)"
[[body]]
name = "upper"
mass = 1
points = { tip = [0, "-l/2", 0] }
inertia = [0.1, 0.1, 0.1]
[[body]]
name = "lower"
mass = 0.8
inertia = [0.1, 0.1, 0.05]
points = { tip = [0, "-l/2", 0] }
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "upper"
child_at = [0, "l/2", 0]
axis = "z"
damping = "c"
actuator = "tau"
[[joint]]
name = "knee"
type = "revolute"
parent = "upper"
child = "lower"
parent_at = "tip"
child_at = [0, "l/2", 0]
axis = "z"
damping = "c"
stiffness = 2
[[output]]
name = "reach"
expression = "l*sin(hip) + l*sin(hip + knee)"
[[output]]
name = "acceleration"
expression = "hip''"
)toml";

/// δo = Re G(iW) A e^(iWt) once the transients have died; what is left of the difference is of third order in A.
TEST(Frequency, IsWhatAPushedMotionDoesWhenThePushIsSmall) {
    std::vector<double> errors;
    for (const double A : {0.8, 0.4, 0.2}) {
        Subject s(model::read(pushed));
        eom::EquationsOfMotion& e = s.equations;
        numeric::CompiledEquations numbers(e, test_code(), numeric::Parameters::live);
        for (std::size_t i = 0; i < e.parameters.size(); ++i) {
            if (e.parameters[i].symbol.symbol().name == "A") numbers.set(i, A);
        }
        const double W = 3, period = 2 * std::numbers::pi / W;
        numeric::State rest = numbers.zero_state();
        numeric::State unpushed = rest;
        unpushed.w.setZero();
        const linear::Ports ports = linear::connect(e, linear::linearize(numbers, operating_point(numbers, unpushed)), {}, {});
        ASSERT_EQ(ports.unknown, "");
        FrequencyOptions f;
        f.omega = {W};
        const TransferFunctions r = frequency_response(ports.system, f);
        ASSERT_TRUE(r.is_ok) << r.why;
        motion::SimulateOptions o;
        o.tolerance = 1e-11;
        o.times = {0};
        constexpr int samples = 32;
        for (int i = 0; i < samples; ++i) o.times.push_back(period * (30 + static_cast<double>(i) / samples));
        const motion::Motion m = simulate(numbers, rest, o);
        ASSERT_TRUE(m.is_ok()) << m.why;
        double worst = 0;
        for (const Channel& c : r.channels) {
            Complex sum = 0;
            for (int i = 0; i < samples; ++i)
                sum += m.rows[static_cast<std::size_t>(i) + 1][column(m, c.to)] *
                       std::polar(2.0 / samples, -2 * std::numbers::pi * i / samples);
            const Complex g = std::polar(c.magnitude[0], c.phase[0] * std::numbers::pi / 180);
            worst = std::max(worst, std::abs(sum / A - g) / std::abs(g));
        }
        errors.push_back(worst);
    }
    EXPECT_LT(errors[2], 1e-2);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2);
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

TEST(Frequency, PortsHaveNames) {
    Subject s(model::read(pushed));
    numeric::State rest = s.numbers->zero_state();
    const linear::Linearization linear = linear::linearize(*s.numbers, operating_point(*s.numbers, rest));
    const linear::Ports some = linear::connect(s.equations, linear, {"tau"}, {"knee", "hip'", "reach"});
    ASSERT_EQ(some.unknown, "");
    const TransferFunctions r = frequency_response(some.system);
    ASSERT_EQ(r.channels.size(), 3u);
    EXPECT_EQ(r.channels[1].to, "hip'");
    EXPECT_EQ(r.channels[1].static_gain, 0);
    const linear::Ports wrong = linear::connect(s.equations, linear, {}, {"kne"});
    EXPECT_EQ(wrong.unknown, "kne");
    EXPECT_FALSE(wrong.is_input);
    EXPECT_TRUE(linear::connect(s.equations, linear, {"tua"}, {}).is_input);
}

/// A slider-crank pushed through its loop: the response of all coordinates belongs together, φ_q G = 0.
TEST(Frequency, OfAClosedChainKeepsItClosed) {
    Subject s("models/four_bar/model.toml");
    numeric::State at = s.start();
    at.u.setZero();
    const linear::Linearization linear = linear::linearize(*s.numbers, operating_point(*s.numbers, at));
    ASSERT_TRUE(linear.is_ok) << linear.why;
    std::vector<std::string> names;
    for (const sym::Expr& q : s.equations.q) names.push_back(q.symbol().name);
    const linear::Ports ports = linear::connect(s.equations, linear, {}, names);
    const linear::TransferFunction G(ports.system);
    const MatrixXcd g = G(Complex(0, 4));
    EXPECT_GT(g.norm(), 1e-6);
    EXPECT_LT((linear.full.Phi * g).norm(), 1e-12 * g.norm() * linear.full.Phi.norm());
}

/// A drone in a plane that hovers, with a load hung below it or without.
Subject drone(bool has_load) {
    std::string text = R"(
format = 1
name = "Planar drone"
gravity = [0, 0, "-g"]
[parameters]
g = 9.81
m = 1
J = 0.01
ml = 0.3
L = 0.8
h = 0.05
[inputs]
T = "m*g"
tau = 0
[[body]]
name = "body"
mass = "m"
inertia = [0, "J", 0]
[[joint]]
name = "p"
type = "planar"
axis = "y"
parent = "ground"
child = "body"
[[force]]
on = "body"
vector = [0, 0, "T"]
in = "body"
[[torque]]
on = "body"
vector = [0, "tau", 0]
)";
    if (has_load) {
        text.replace(text.find("\"m*g\""), 5, "\"(m + ml)*g\"");
        text += R"(
[[body]]
name = "load"
mass = "ml"
com = [0, 0, "-L"]
[[joint]]
name = "phi"
type = "revolute"
axis = "y"
parent = "body"
parent_at = [0, 0, "-h"]
child = "load"
)";
    }
    return Subject(model::read(text, "drone"));
}

TEST(Frequency, BesidePolesAtZeroIsExact) {
    const Subject s = drone(false);
    const linear::Linearization linear = linear::linearize(*s.numbers, operating_point(*s.numbers, s.start()));
    const linear::Ports ports = linear::connect(s.equations, linear, {"T", "tau"}, {"p.x", "p.y", "p.angle"});
    ASSERT_EQ(ports.unknown, "");
    const TransferFunctions r = frequency_response(ports.system);
    ASSERT_TRUE(r.is_ok) << r.why;
    for (const Complex p : r.poles) EXPECT_EQ(p, 0.0);
    const auto channel = [&](std::string_view from, std::string_view to) {
        return *std::ranges::find_if(r.channels, [&](const Channel& c) { return c.from == from && c.to == to; });
    };
    struct Known {
        const char *from, *to;
        double gain;
        int order;  // gain/s^order
    };
    for (const Known& k : {Known{"tau", "p.y", 981, 4}, Known{"T", "p.x", 1, 2}, Known{"tau", "p.angle", 100, 2}}) {
        const Channel c = channel(k.from, k.to);
        EXPECT_FALSE(c.is_dead) << k.to;
        EXPECT_NEAR(c.gain, k.gain, 1e-9 * k.gain) << k.to;
        EXPECT_TRUE(std::isinf(c.static_gain)) << k.to << " " << c.static_gain;
        EXPECT_EQ(c.zeros.size(), 6 - k.order) << k.to;
        for (const Complex z : c.zeros) EXPECT_EQ(z, 0.0);
        for (std::size_t i = 0; i < r.omega.size(); ++i) {
            const double expected = k.gain / std::pow(r.omega[i], k.order);
            ASSERT_NEAR(c.magnitude[i], expected, 1e-9 * expected) << k.to;
            ASSERT_NEAR(c.phase[i], -90.0 * k.order, 1e-6) << k.to;
        }
    }
    EXPECT_TRUE(channel("T", "p.y").is_dead);
}

TEST(Frequency, OfAHoveringDroneWithALoadIsItsFactors) {
    const Subject s = drone(true);
    const linear::Linearization linear = linear::linearize(*s.numbers, operating_point(*s.numbers, s.start()));
    const linear::Ports ports = linear::connect(s.equations, linear, {}, {});
    const TransferFunctions r = frequency_response(ports.system);
    ASSERT_TRUE(r.is_ok) << r.why;
    EXPECT_EQ(std::ranges::count(r.poles, Complex(0)), 6);
    const LinearSystem& l = ports.system;
    std::size_t at = 0;
    for (Index k = 0; k < l.B.cols(); ++k) {
        for (Index i = 0; i < l.C.rows(); ++i) {
            const Channel& c = r.channels[at++];
            if (c.is_dead) continue;
            for (const Complex z : c.zeros) EXPECT_LT(std::abs(z), 1e3) << c.to;
            for (const Complex z : {Complex(0.7, 2), Complex(-3, 1), Complex(0.2, 9)}) {
                const MatrixXcd whole = z * MatrixXcd::Identity(l.A.rows(), l.A.cols()) - l.A.cast<Complex>();
                const Complex expected =
                    (l.C.row(i).cast<Complex>() * solve::ComplexLu(whole).solve(VectorXcd(l.B.col(k).cast<Complex>())))(0) + l.D(i, k);
                Complex found = c.gain;
                for (const Complex zero : c.zeros) found *= z - zero;
                for (const Complex pole : r.poles) found /= z - pole;
                EXPECT_LT(std::abs(found - expected), 1e-7 * std::abs(expected)) << c.to << " by " << c.from;
            }
        }
    }
}

}  // namespace
}  // namespace linkwright
