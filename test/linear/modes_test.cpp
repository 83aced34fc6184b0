// Modes of models with known spectra; both methods against each other on the zoo.

#include "linkwright/linear/modes.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"

#include <fmt/format.h>

#include <map>
#include <numbers>

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/model/values.hpp"
#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using linear::Linearization;
using linear::Mode;
using linear::Modes;
using linear::ModesBy;
using testing::HasSubstr;
using Complex = std::complex<double>;
using Eigen::VectorXcd;

void set(Subject& subject, const std::string& name, const std::string& value) {
    const auto problem = model::set_value(*subject.model, name, value);
    ASSERT_FALSE(problem) << problem->what;
    subject.derive();
}

Linearization at_rest(const Subject& s) {
    const linear::Equilibrium e = linear::find_equilibrium(*s.numbers, s.start(), {});
    EXPECT_TRUE(e.is_ok) << e.why;
    return linear::linearize(*s.numbers, e.point);
}
Linearization at_start(const Subject& s) { return linear::linearize(*s.numbers, numeric::operating_point(*s.numbers, s.start())); }

/// The largest distance of poles assigned one by one, relative to the largest.
double apart(const Modes& a, const Modes& b) {
    if (a.poles.size() != b.poles.size()) return std::numeric_limits<double>::infinity();
    std::vector<Complex> rest(b.poles.begin(), b.poles.end());
    double most = 0;
    const double scale = a.poles.size() == 0 ? 1 : std::max(a.poles.cwiseAbs().maxCoeff(), 1e-12);
    for (const Complex& p : a.poles) {
        const auto near = std::ranges::min_element(rest, {}, [&](Complex z) { return std::abs(z - p); });
        most = std::max(most, std::abs(*near - p) / scale);
        rest.erase(near);
    }
    return most;
}

/// A hand-made linear model M ÿ + C ẏ + K y = 0.
Linearization hand_made(const MatrixXd& M, const MatrixXd& C, const MatrixXd& K) {
    const Index n = M.rows();
    const MatrixXd one = MatrixXd::Identity(n, n), zero = MatrixXd::Zero(n, n);
    Linearization l;
    l.full.S = l.full.N = one, l.full.H = zero;
    l.full.M = M, l.full.C = C, l.full.K = K, l.full.geometric = zero;
    l.full.Phi = l.full.G = l.full.D = l.full.E = l.full.F = MatrixXd(0, n);
    for (Index i = 0; i < n; ++i) l.s.push_back(fmt::format("q{}", i)), l.u.push_back(fmt::format("q{}'", i)), l.y.push_back(i), l.z = l.y;
    l.Y = l.Z = one, l.P = l.Q_z = l.Q_y = zero;
    auto& o = l.second_order;
    o.M = M, o.C = C, o.K = K, o.N = one, o.H = zero, o.is_mechanical = true;
    o.damping = (C + C.transpose()) / 2, o.gyroscopic = (C - C.transpose()) / 2, o.stiffness = (K + K.transpose()) / 2,
    o.circulatory = (K - K.transpose()) / 2;
    l.state_space.A.resize(2 * n, 2 * n);
    l.state_space.A << zero, one, -solve::Lu(M).solve(K), -solve::Lu(M).solve(C);
    l.point.state.q = l.point.state.u = VectorXd::Zero(n);
    return l;
}

TEST(Modes, OfTheTriplePendulumHang) {
    Subject subject("models/triple_pendulum/model.toml");
    const Linearization l = at_rest(subject);
    const Modes m = linear::modes(l);
    ASSERT_TRUE(m.is_ok) << m.why;
    ASSERT_TRUE(m.has_lambda) << m.why_no_lambda;
    const double expected[] = {4.603190186336194, 6.76551724137931, 19.863555656894217};
    ASSERT_EQ(m.lambda.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(m.lambda[i], expected[i], 1e-10 * expected[i]);
        EXPECT_NEAR(m.modes[i].frequency_hz, std::sqrt(expected[i]) / (2 * std::numbers::pi), 1e-10);
        EXPECT_NEAR(m.modes[i].participation.sum(), 1, 1e-12);
    }
    EXPECT_LT((m.vectors.transpose() * l.full.M * m.vectors - MatrixXd::Identity(3, 3)).norm(), 1e-12);
    EXPECT_NEAR(std::abs(m.vectors(0, 0)), 0.29700107933267755, 1e-9);
    EXPECT_NEAR(std::abs(m.vectors(2, 2)), 2.099381081242808, 1e-9);
    EXPECT_EQ(m.stability, "stable: every mode oscillates");
    EXPECT_THAT(m.modes[0].words, HasSubstr("0.3415 Hz"));
    EXPECT_LT(apart(m, linear::modes(l, ModesBy::qz)), 1e-12);

    set(subject, "g", "98.1");
    const Modes heavy = linear::modes(at_rest(subject));
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(heavy.lambda[i], 10 * expected[i], 1e-9 * expected[i]);
}

TEST(Modes, OfTheTriplePendulumWithDampersArePoles) {
    Subject subject("models/triple_pendulum/model.toml");
    for (const auto& p : subject.equations.parameters) {
        const std::string name = p.symbol.symbol().name;
        if (!name.starts_with("c")) continue;
        ASSERT_FALSE(model::set_value(*subject.model, name, "0.3")) << name;
    }
    subject.derive();
    const Linearization l = at_rest(subject);
    const Modes m = linear::modes(l);
    ASSERT_TRUE(m.is_ok) << m.why;
    if (l.full.C.norm() > 0) {
        EXPECT_FALSE(m.has_lambda);
        EXPECT_EQ(m.why_no_lambda, "damped");
        EXPECT_EQ(m.stability, "asymptotically stable: every mode decays");
        EXPECT_LT(apart(m, linear::modes(l, ModesBy::qz)), 1e-11);
    }
}

TEST(Modes, OfTheSpatialFourBarByBothMethods) {
    for (const char* path : {"models/spatial_four_bar/model.toml", "models/lynch_four_bar/lynch.toml"}) {
        Subject subject(path);
        const Linearization l = at_rest(subject);
        const Modes qr = linear::modes(l), qz = linear::modes(l, ModesBy::qz);
        ASSERT_TRUE(qr.is_ok && qz.is_ok) << qr.why << qz.why;
        ASSERT_TRUE(qr.has_lambda) << qr.why_no_lambda;
        ASSERT_EQ(qr.lambda.size(), 1u);
        ASSERT_EQ(qz.lambda.size(), 1u);
        EXPECT_EQ(qz.infinite, 6u);
        EXPECT_NEAR(qr.lambda[0], 9.81 * 20.1 / 15.3, 1e-9) << path;
        EXPECT_NEAR(qz.lambda[0], 9.81 * 20.1 / 15.3, 1e-9) << path;
        EXPECT_LT((l.full.Phi * qr.modes[0].s).norm(), 1e-12);
        EXPECT_LT((l.full.Phi * qz.modes[0].s).norm(), 1e-12);
        EXPECT_LT((qr.modes[0].s - qz.modes[0].s).norm(), 1e-9);
    }
}

TEST(Modes, OfLeesTwoMasses) {
    Subject subject("models/lee_two_masses/model.toml");
    const Linearization l = at_rest(subject);
    ASSERT_TRUE(l.is_ok) << l.why;
    for (const ModesBy by : {ModesBy::qr, ModesBy::qz}) {
        const Modes m = linear::modes(l, by);
        ASSERT_TRUE(m.is_ok) << m.why;
        ASSERT_EQ(m.lambda.size(), 2u);
        EXPECT_NEAR(m.lambda[0], 2 - std::sqrt(3.0), 1e-13);
        EXPECT_NEAR(m.lambda[1], 2 + std::sqrt(3.0), 1e-13);
        EXPECT_NEAR((m.modes[0].q[1] / m.modes[0].q[0]).real(), 0.36602540378, 1e-9);
        EXPECT_NEAR((m.modes[1].q[0] / m.modes[1].q[1]).real(), -0.73205080757, 1e-9);
        EXPECT_EQ(m.infinite, by == ModesBy::qz ? 2u : 0u);
    }
}

TEST(Modes, OfTheBicycleAtEverySpeed) {
    // lean and steer, from the published matrices [meijaard07], to fifteen digits
    const std::map<int, std::vector<Complex>> known{
        {0, {-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393}},
        {1, {-7.11008014637441, -3.13423125066578, {3.52696170990069, 0.80774027519931}, {3.52696170990069, -0.80774027519931}}},
        {5, {-14.0783896927982, -0.322866429004087, {-0.775341882195842, 4.46486771378823}, {-0.775341882195842, -4.46486771378823}}},
        {6, {-16.0853712309803, -0.00406690076970336, {-1.52644486584142, 5.87673060598708}, {-1.52644486584142, -5.87673060598708}}},
        {10, {-24.624596350174, 0.161053386531716, {-3.72016840437288, 10.9068113947629}, {-3.72016840437288, -10.9068113947629}}}};
    for (const auto& [v, poles] : known) {
        Subject subject("models/bicycle/model.toml");
        set(subject, "v", std::to_string(v));
        const Linearization l = at_start(subject);
        ASSERT_TRUE(l.is_ok) << l.why;
        for (const ModesBy by : {ModesBy::qr, ModesBy::qz}) {
            const Modes m = linear::modes(l, by);
            ASSERT_TRUE(m.is_ok) << m.why;
            EXPECT_FALSE(m.has_lambda);
            EXPECT_THAT(m.why_no_lambda, HasSubstr("nonholonomic"));
            std::vector<Complex> rest(m.poles.begin(), m.poles.end());
            for (const Complex& p : poles) {
                const auto near = std::ranges::min_element(rest, {}, [&](Complex z) { return std::abs(z - p); });
                EXPECT_LT(std::abs(*near - p), 2e-9) << "v = " << v << ' ' << *near << " by " << static_cast<int>(by);
                rest.erase(near);
            }
            for (const Complex& p : rest) EXPECT_EQ(p, 0.0) << "v = " << v << " by " << static_cast<int>(by);
        }
    }
}

TEST(Modes, BothMethodsAgreeOnTheZoo) {
    for (const auto& entry : std::filesystem::directory_iterator(project_root() + "/models")) {
        const std::string path = "models/" + entry.path().filename().string() + "/model.toml";
        if (!std::filesystem::exists(project_root() + "/" + path)) continue;
        SCOPED_TRACE(path);
        Subject subject(path);
        const Linearization l = at_start(subject);
        if (!l.is_ok) {
            EXPECT_FALSE(l.why.empty());
            continue;
        }
        const Modes qr = linear::modes(l), qz = linear::modes(l, ModesBy::qz);
        ASSERT_TRUE(qr.is_ok) << qr.why;
        ASSERT_TRUE(qz.is_ok) << qz.why;
        EXPECT_EQ(qr.poles.size(), l.state_space.A.rows());
        const bool has_chains = !qr.zero_chains.empty() && qr.zero_chains.front() > 1;
        double worth = has_chains ? 1e-7 : 1e-9;  // defective ones are worth less, and QZ beside defective zeros
        for (const Mode& m : qr.modes) worth = std::max(worth, 100 * m.error / std::max(1e-12, qr.poles.cwiseAbs().maxCoeff()));
        EXPECT_LT(apart(qr, qz), std::min(worth, 1e-2));
        for (const Modes* found : {&qr, &qz}) {
            for (const Mode& m : found->modes) {
                ASSERT_TRUE(m.q.allFinite() && m.u.allFinite() && m.participation.allFinite());
                EXPECT_FALSE(m.words.empty());
                EXPECT_LT((l.full.Phi * m.s).norm(), 1e-7 * (1 + l.full.Phi.norm()));
                EXPECT_LT((l.full.G * m.u + l.full.D * m.s).norm(),
                          1e-6 * (1 + l.full.G.norm() + l.full.D.norm()) * std::max(1.0, m.u.norm()));
                if (m.level > 1) continue;  // it drifts: what it does at the pole is the business of the levels below
                // δṡ = N δu + H δs, at the pole, on the independent ones
                for (const std::size_t y : l.y) {
                    const auto i = static_cast<Index>(y);
                    const Complex rate = (l.full.N.row(i) * m.u + l.full.H.row(i) * m.s)(0);
                    EXPECT_LT(std::abs(rate - m.pole * m.s[i]), 1e-5 * std::max(1.0, m.u.norm())) << l.s[y];
                }
            }
        }
    }
}

/// D⁻¹AD with the powers of two that make rows and columns about equally long: a pressure beside an angle would cost the angle its digits.
MatrixXd in_like_units(MatrixXd A) {
    for (int round = 0; round < 20; ++round) {
        for (Index i = 0; i < A.rows(); ++i) {
            const double row = A.row(i).norm(), column = A.col(i).norm();
            if (!(row > 0) || !(column > 0)) continue;
            const double unit = std::exp2(std::round(std::log2(row / column) / 2));
            A.row(i) /= unit, A.col(i) *= unit;
        }
    }
    return A;
}

void expect_poles_of_a(const Linearization& l) {
    const Modes m = linear::modes(l);
    ASSERT_TRUE(m.is_ok) << m.why;
    Modes a;
    if (l.state_space.A.size() > 0) a.poles = solve::eigenvalues(in_like_units(l.state_space.A));
    // zeros in chains of two or three come out as ε^½ or ε^⅓ of the largest
    const double zero = a.poles.size() == 0 ? 0 : 2e-5 * std::max(a.poles.cwiseAbs().maxCoeff(), 0.1);
    Modes ours = m;
    for (VectorXcd* poles : {&a.poles, &ours.poles}) {
        for (Complex& p : *poles) p = std::abs(p) < zero ? 0 : p;
    }
    EXPECT_LT(apart(a, ours), 1e-7) << m.poles.transpose() << "\nA:\n" << a.poles.transpose();
}

TEST(Modes, AreThePolesOfAOnTheZooInEquilibriumOrNot) {
    const std::map<std::string, std::string> never_at_rest{
        {"biped/model.toml", "remains along z'"},      {"cart_pole/model.toml", "remains along x'"},
        {"gear_train/model.toml", "remains along a'"}, {"gyrostat/driven.toml", "remains along platform.rotor1"},
        {"mufti_closed/model.toml", "remains along"},  {"stewart_platform/model.toml", "remains along"}};
    const std::map<std::string, std::string> without_linear_model_at_rest{
        {"flyball_governor/model.toml", "the rank of the constraints changes here"}, {"spinning_top/model.toml", "has no inertia"}};
    std::size_t refused = 0;
    linear::EquilibriumOptions quickly;
    quickly.with_stability = false;
    const std::string zoo = project_root() + "/models";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(zoo)) {
        if (entry.path().extension() != ".toml") continue;
        SCOPED_TRACE(entry.path().string());
        const std::string name = std::filesystem::relative(entry.path(), zoo).string();
        Subject subject(model::read_file(entry.path().string()));
        const Linearization start = at_start(subject);
        ASSERT_TRUE(start.is_ok) << start.why;
        expect_poles_of_a(start);
        const linear::Equilibrium e = linear::find_equilibrium(*subject.numbers, subject.start(), quickly);
        if (const auto why = never_at_rest.find(name); why != never_at_rest.end()) {
            EXPECT_FALSE(e.is_ok);
            EXPECT_THAT(e.why, HasSubstr(why->second));
            ++refused;
            continue;
        }
        ASSERT_TRUE(e.is_ok) << e.why;
        const Linearization rest = linear::linearize(*subject.numbers, e.point);
        if (const auto why = without_linear_model_at_rest.find(name); why != without_linear_model_at_rest.end()) {
            EXPECT_FALSE(rest.is_ok);
            EXPECT_THAT(rest.why, HasSubstr(why->second));
            ++refused;
            continue;
        }
        ASSERT_TRUE(rest.is_ok) << rest.why;
        expect_poles_of_a(rest);
    }
    EXPECT_EQ(refused, never_at_rest.size() + without_linear_model_at_rest.size());
}

// A four-bar let go from rest: its acceleration turns with the links, and λ must know that.
TEST(Modes, OfAChainThatRestsForAMoment) {
    Subject subject("models/lynch_four_bar/lynch.toml");
    numeric::State s = subject.start();
    s.q[0] += 0.3;
    const solve::Assembly closed = numeric::Closing(*subject.numbers)(s, {});
    ASSERT_TRUE(closed.ok) << closed.why;
    s.q = closed.x;
    const Linearization l = linear::linearize(*subject.numbers, numeric::operating_point(*subject.numbers, s));
    ASSERT_TRUE(l.is_ok) << l.why;
    ASSERT_GT(l.point.relative_acceleration, 1e-3);
    for (const ModesBy by : {ModesBy::qr, ModesBy::qz}) {
        const Modes m = linear::modes(l, by);
        ASSERT_TRUE(m.is_ok && m.has_lambda) << m.why << m.why_no_lambda;
        EXPECT_NEAR(m.lambda[0], -l.state_space.A(1, 0), 1e-10 * std::abs(l.state_space.A(1, 0)));
    }
}

TEST(Modes, NegativeZeroAndRepeated) {
    const MatrixXd one = MatrixXd::Identity(3, 3);
    const Modes m = linear::modes(hand_made(one, 0 * one, Eigen::Vector3d(-4, 0, 9).asDiagonal()));
    ASSERT_TRUE(m.is_ok && m.has_lambda);
    EXPECT_THAT(m.lambda, testing::ElementsAre(testing::DoubleNear(-4, 1e-13), 0.0, testing::DoubleNear(9, 1e-13)));
    EXPECT_THAT(m.stability, HasSubstr("unstable: mode 1 grows"));
    EXPECT_EQ(m.modes[1].words, "rigid motion");
    EXPECT_EQ(m.modes[0].frequency_hz, 0);
    EXPECT_EQ(m.poles.size(), 6);
    for (const ModesBy by : {ModesBy::qr, ModesBy::qz}) {
        const Modes twice = linear::modes(hand_made(2 * one, 0 * one, Eigen::Vector3d(8, 8, 2).asDiagonal()), by);
        ASSERT_TRUE(twice.is_ok && twice.has_lambda);
        EXPECT_THAT(twice.notes, testing::Contains(HasSubstr("λ = 4 occurs 2 times")));
        EXPECT_LT((twice.vectors.transpose() * 2 * one * twice.vectors - one).norm(), 1e-12);
    }
}

TEST(Modes, SayWhyThereIsNoLambda) {
    const MatrixXd one = MatrixXd::Identity(2, 2);
    MatrixXd turn = MatrixXd::Zero(2, 2);
    turn(0, 1) = 1, turn(1, 0) = -1;
    EXPECT_EQ(linear::modes(hand_made(one, 0.1 * one, one)).why_no_lambda, "damped");
    EXPECT_EQ(linear::modes(hand_made(one, turn, one)).why_no_lambda, "gyroscopic");
    EXPECT_EQ(linear::modes(hand_made(one, 0.1 * one + turn, 4 * one + turn)).why_no_lambda, "damped, gyroscopic, circulatory");
    const Modes gyroscopic = linear::modes(hand_made(one, 4 * turn, -one));  // held up by spinning
    EXPECT_THAT(gyroscopic.stability, HasSubstr("marginal"));
    for (const Mode& m : gyroscopic.modes) EXPECT_EQ(m.pole.real(), 0);
    const Modes flutter = linear::modes(hand_made(one, 0 * one, 4 * one + turn));
    EXPECT_THAT(flutter.stability, HasSubstr("unstable"));
}

TEST(Modes, CriticalDampingIsDefective) {
    const MatrixXd one = MatrixXd::Identity(1, 1);
    const Modes m = linear::modes(hand_made(one, 2 * one, one));
    ASSERT_TRUE(m.is_ok);
    EXPECT_THAT(m.notes, testing::Contains(HasSubstr("defective")));
    for (const Complex& p : m.poles) EXPECT_LT(std::abs(p + 1.0), 1e-6);
}

TEST(Modes, NothingThatMovesAndWhatCannotBe) {
    const Modes none = linear::modes(hand_made(MatrixXd(0, 0), MatrixXd(0, 0), MatrixXd(0, 0)));
    EXPECT_TRUE(none.is_ok) << none.why;
    EXPECT_EQ(none.stability, "the mechanism cannot move");
    Linearization bad;
    bad.is_ok = false, bad.why = "the mass matrix is singular";
    EXPECT_EQ(linear::modes(bad).why, bad.why);
    EXPECT_EQ(linear::words_of({-0.1, 6.2831853}, 0), "1 Hz, damped 1.59 %");
    EXPECT_EQ(linear::words_of({std::numbers::ln2, 0}, 0), "grows, doubles in 1 s");
}

/// A level chain: gravity pulls across every link, its stiffness is m g l cos(pi/2).
TEST(Modes, WhatRoundingLeavesOfARightAngleIsNoStiffness) {
    const Subject s("models/chain10/model.toml");
    const Linearization l = at_start(s);
    ASSERT_TRUE(l.is_ok) << l.why;
    EXPECT_EQ(l.second_order.K.cwiseAbs().maxCoeff(), 0);
    const Modes m = linear::modes(l);
    ASSERT_EQ(m.lambda.size(), 10u);
    for (const double lambda : m.lambda) EXPECT_EQ(lambda, 0);
}

/// A vehicle that hovers with a load on a cable: four poles at zero in a chain, twice, and swings in two planes of nearly one frequency. By symmetry
/// a swing in one plane has nothing of the other.
TEST(Modes, ShapesHaveNothingOfAnotherPlane) {
    const Subject s("test/linear/slung_load.toml");
    const Linearization l = at_start(s);
    ASSERT_TRUE(l.is_ok) << l.why;
    int seen = 0;
    for (const Mode& mode : linear::modes(l).modes) {
        if (std::abs(mode.pole) < 0.1) continue;
        ++seen;
        double one = 0, other = 0;
        for (std::size_t i = 0; i < s.equations.q.size(); ++i) {
            const std::string name = s.equations.q[i].symbol().name;
            const double size = std::abs(mode.q[static_cast<Index>(i)]);
            if (name == "x" || name == "theta" || name == "beta" || name == "del") one = std::max(one, size);
            if (name == "y" || name == "phi" || name == "alpha" || name == "gam") other = std::max(other, size);
        }
        // an entry of A that is only rounding mixes them by ε|A| over the distance of the two frequencies; before vectors were polished 1e-7 was seen
        EXPECT_LT(std::min(one, other), 1e-9 * std::max(one, other)) << mode.pole;
    }
    EXPECT_EQ(seen, 4);
}

/// But a small angle is one.
TEST(Modes, ASmallStiffnessIsKept) {
    Subject s("models/single_pendulum/model.toml");
    numeric::State state = s.start();
    state.q[0] = std::numbers::pi / 2 - 1e-10;
    const Linearization l = linear::linearize(*s.numbers, numeric::operating_point(*s.numbers, state));
    state.q[0] = 0;
    const Linearization down = linear::linearize(*s.numbers, numeric::operating_point(*s.numbers, state));
    EXPECT_NEAR(l.second_order.K(0, 0) / down.second_order.K(0, 0), 1e-10, 1e-15);
}

}  // namespace
}  // namespace linkwright
