// Loops: Nyquist's criterion against eigenvalues, margins against closed forms, root loci against textbooks.

#include "linkwright/linear/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "linkwright/linear/design/loop_locus.hpp"
#include "linkwright/linear/frequency.hpp"
#include "linkwright/linear/modes.hpp"
#include "support/transfer_functions.hpp"

namespace linkwright::test {
namespace {

using namespace linear;
using Verdict = Nyquist::Verdict;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double pi = std::numbers::pi;

Channel around(const LinearSystem& s) {
    const TransferFunctions r = frequency_response(s);
    EXPECT_TRUE(r.is_ok) << r.why;
    EXPECT_TRUE(r.channels[0].loop);
    return r.channels[0];
}

TEST(Loop, IsStableUntilTheGainMarginIsUsedUp) {
    const std::vector<Complex> poles{0, -1, -2};
    const Channel low = around(from_roots(2, {}, poles)), high = around(from_roots(7, {}, poles)), edge = around(from_roots(6, {}, poles));
    EXPECT_EQ(low.loop->verdict, Verdict::stable);
    EXPECT_EQ(low.loop->turns, 0);
    EXPECT_NEAR(*low.margins->gain, 3, 1e-9);
    EXPECT_EQ(high.loop->verdict, Verdict::unstable);
    EXPECT_EQ(high.loop->open, 0);
    EXPECT_EQ(high.loop->turns, 2);
    EXPECT_EQ(high.loop->closed, 2);
    EXPECT_NEAR(*high.margins->gain, 6.0 / 7, 1e-9);
    EXPECT_LT(*high.margins->phase, 0);
    EXPECT_FALSE(high.margins->delay);  // there is nothing to lose
    EXPECT_EQ(edge.loop->verdict, Verdict::on_axis);
    EXPECT_FALSE(edge.loop->turns);
    EXPECT_THAT(low.loop->words, HasSubstr("-1 is not encircled"));
    EXPECT_THAT(high.loop->words,
                HasSubstr("unstable, two unstable closed-loop poles: no unstable open-loop poles, -1 is encircled twice clockwise"));
}

TEST(Loop, AnUnstableOneIsHeldByEncirclement) {
    const Channel c = around(from_roots(3, {}, {1}));  // closed: s = −2
    EXPECT_EQ(c.loop->verdict, Verdict::stable);
    EXPECT_EQ(c.loop->open, 1);
    EXPECT_EQ(c.loop->turns, -1);
    ASSERT_TRUE(c.margins);
    ASSERT_EQ(c.margins->gains.size(), 1u);
    EXPECT_NEAR(c.margins->gains[0].factor, 1.0 / 3, 1e-12);
    EXPECT_EQ(c.margins->gains[0].omega, 0);
    const double w = std::sqrt(8.0);
    EXPECT_NEAR(*c.margins->phase_at, w, 1e-9);
    EXPECT_NEAR(*c.margins->phase, std::atan(w) * 180 / pi, 1e-7);
    EXPECT_NEAR(*c.margins->delay, std::atan(w) / w, 1e-9);
    EXPECT_THAT(c.loop->words, HasSubstr("once counter-clockwise"));
    EXPECT_FALSE(around(from_roots(0.5, {}, {1})).margins);  // too weak
}

TEST(Loop, MayBeStableOnlyBetweenTwoGains) {
    // 6(s + 1)²/(s³): s³ + k(s + 1)² is stable for k > 1/2; then with a lag more for k below some other
    const Channel c = around(from_roots(6, {-1, -1}, {0, 0, 0, -30}));
    ASSERT_TRUE(c.margins);
    // s⁴ + 30 s³ + k s² + 2k s + k: Routh: 30 k > 2k, (28/30 k)(2k) > 30 k, at s² = −2k/30: k²·4/900 − 2k²/30 + k = 0
    const double lost = 1 / (2.0 / 30 - 4.0 / 900);
    EXPECT_EQ(c.loop->verdict, 6 > lost ? Verdict::stable : Verdict::unstable);
    ASSERT_EQ(c.margins->gains.size(), 1u);
    EXPECT_NEAR(c.margins->gains[0].factor, lost / 6, 1e-8 * lost);
    EXPECT_NEAR(c.margins->gains[0].omega, std::sqrt(2 * lost / 30), 1e-8);
}

TEST(Loop, PolesOnTheAxisArePassedOnTheirRight) {
    // rate feedback, collocated: s(s² + 9)/((s² + 4)(s² + 16)) damps both; with pole and zero exchanged one is driven
    const std::vector<Complex> poles{{0, 2}, {0, -2}, {0, 4}, {0, -4}};
    const Channel good = around(from_roots(1, {0, {0, 3}, {0, -3}}, poles)), bad = around(from_roots(1, {0, {0, 5}, {0, -5}}, poles));
    EXPECT_EQ(good.loop->verdict, Verdict::stable);
    EXPECT_EQ(good.loop->turns, 0);
    EXPECT_EQ(bad.loop->verdict, Verdict::unstable);
    EXPECT_EQ(bad.loop->turns, 2);
    EXPECT_EQ(bad.loop->closed, 2);
    EXPECT_TRUE(good.margins);
    // position feedback leaves them on the axis: no rounding decides
    EXPECT_EQ(around(from_roots(1, {{0, 3}, {0, -3}}, poles)).loop->verdict, Verdict::on_axis);
    // and a chain at zero: k(s + 1)/s²
    EXPECT_EQ(around(from_roots(2, {-1}, {0, 0})).loop->verdict, Verdict::stable);
    EXPECT_EQ(around(from_roots(2, {1}, {0, 0})).loop->closed, 1);
}

TEST(Loop, EncirclementsAndEigenvaluesAgree) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 150; ++k) {
        const Eigen::Index n = 1 + k % 7;
        LinearSystem s;
        const auto fill = [&](Eigen::Index rows, Eigen::Index columns) {
            MatrixXd a(rows, columns);
            for (double& x : a.reshaped()) x = normal(random);
            return a;
        };
        s.A = 3 * fill(n, n) - MatrixXd::Identity(n, n) * normal(random), s.B = 4 * fill(n, 1), s.C = fill(1, n);
        s.D = k % 3 == 0 ? fill(1, 1) : MatrixXd::Zero(1, 1);
        s.inputs = {"w"}, s.outputs = {"o"};
        s.poles = poles({s.A, MatrixXd(1e-15 * s.A.cwiseAbs())}).values;
        const Channel c = around(s);
        const MatrixXd closed = s.A - s.B * s.C / (1 + s.D(0, 0));
        const auto right = [](const MatrixXd& a) {
            const Eigen::VectorXcd all = poles({a, MatrixXd(1e-15 * a.cwiseAbs())}).values;
            return std::ranges::count_if(all, [](Complex p) { return p.real() > 0; });
        };
        ASSERT_TRUE(c.loop->turns) << k << c.loop->words;
        EXPECT_EQ(c.loop->open, right(s.A));
        EXPECT_EQ(c.loop->open + *c.loop->turns, right(closed)) << k;
        EXPECT_EQ(c.loop->verdict, right(closed) == 0 ? Verdict::stable : Verdict::unstable);
    }
}

TEST(Loop, SensitivityIsTheNearestToMinusOne) {
    const LinearSystem s = from_roots(4, {}, {0, -1});
    const Channel c = around(s);
    double most = 0, at = 0;
    for (double w = 0.5; w < 6; w += 1e-4) {
        const Complex i(0, w);
        const double here = std::abs(1.0 / (1.0 + 4.0 / (i * (i + 1.0))));
        if (here > most) most = here, at = w;
    }
    EXPECT_NEAR(c.margins->sensitivity, most, 1e-7);
    EXPECT_NEAR(c.margins->sensitivity_at, at, 1e-3);
    // 3s²/(s² + s + 1) answers at once, and more than it was asked
    EXPECT_EQ(*around(from_roots(3, {0, 0}, {{-0.5, std::sqrt(0.75)}, {-0.5, -std::sqrt(0.75)}})).margins->delay, 0);
    EXPECT_NEAR(*around(from_roots(5, {}, {0})).margins->delay, pi / 2 / 5, 1e-9);  // k/s rings with k T = π/2
}

TEST(Loop, ThatIsNotWellPosedIsTold) {
    const Channel c = around(from_roots(-1, {-2}, {-1}));  // G(∞) = −1
    EXPECT_EQ(c.loop->verdict, Verdict::undecided);
    EXPECT_THAT(c.loop->words, HasSubstr("not well posed"));
}

std::vector<double> gains(double to, int count) {
    std::vector<double> list;
    for (int i = 0; i <= count; ++i) list.push_back(to * i / count);
    return list;
}

TEST(LoopLocus, OfThreePolesIsTheTextbooks) {
    const LoopLocus l = loop_locus(from_roots(1, {}, {0, -1, -2}), gains(20, 100));
    ASSERT_TRUE(l.is_ok) << l.why;
    EXPECT_EQ(l.branches, 3u);
    EXPECT_THAT(l.asymptotes, ElementsAre(DoubleNear(-60, 1e-9), DoubleNear(60, 1e-9), DoubleNear(180, 1e-9)));
    EXPECT_NEAR(l.centre, -1, 1e-12);
    ASSERT_EQ(l.events.size(), 2u);
    EXPECT_EQ(l.events[0].what, "meeting");  // where d/ds s(s + 1)(s + 2) = 0
    EXPECT_NEAR(l.events[0].pole.real(), -1 + 1 / std::sqrt(3.0), 1e-6);
    EXPECT_NEAR(l.events[0].value, 2 / std::sqrt(27.0), 1e-9);
    EXPECT_EQ(l.events[1].what, "crossing");
    EXPECT_NEAR(l.events[1].value, 6, 1e-9);
    EXPECT_NEAR(std::abs(l.events[1].pole.imag()), std::sqrt(2.0), 1e-9);
    ASSERT_EQ(l.stable.size(), 1u);
    EXPECT_EQ(l.stable[0].from, 0);
    EXPECT_NEAR(l.stable[0].to, 6, 1e-9);
    for (const LoopLocus::Sample& sample : l.samples) {
        for (const auto& p : sample.poles) EXPECT_LT(std::abs(*p * (*p + 1.0) * (*p + 2.0) + sample.gain), 1e-9 * (1 + sample.gain));
    }
    // positive feedback: the real axis to the right of 0, at once
    const LoopLocus other = loop_locus(from_roots(1, {}, {0, -1, -2}), gains(-5, 50));
    EXPECT_TRUE(other.stable.empty());
    EXPECT_THAT(other.asymptotes, ElementsAre(DoubleNear(-120, 1e-9), DoubleNear(0, 1e-9), DoubleNear(120, 1e-9)));
    // of a gain that is negative already the same
    EXPECT_THAT(loop_locus(from_roots(-1, {}, {0, -1, -2}), gains(5, 50)).asymptotes, other.asymptotes);
}

TEST(LoopLocus, LeavesAndArrivesAsItsAnglesSay) {
    const Complex p(-1, std::sqrt(2.0)), z(-3, 2);
    const LoopLocus l = loop_locus(from_roots(1, {z, std::conj(z)}, {p, std::conj(p), -2}), gains(200, 400));
    ASSERT_TRUE(l.is_ok) << l.why;
    const auto angle = [](const std::vector<RootAngles>& list, Complex root) {
        for (const RootAngles& a : list) {
            if (std::abs(a.root - root) < 1e-6) return a.degrees.at(0) * pi / 180;
        }
        ADD_FAILURE() << root;
        return 0.0;
    };
    // a little gain, and a lot
    const auto at = [&](double k, Complex near) {
        const auto loop = close(from_roots(1, {z, std::conj(z)}, {p, std::conj(p), -2}), k);
        Complex best = 1e9;
        for (const Complex x : poles({loop->A, loop->noise}).values) {
            if (std::abs(x - near) < std::abs(best - near)) best = x;
        }
        return best - near;
    };
    EXPECT_NEAR(angle(l.departures, p), std::arg(at(1e-5, p)), 1e-4);
    EXPECT_NEAR(angle(l.arrivals, z), std::arg(at(1e6, z)), 1e-4);
    EXPECT_THAT(l.asymptotes, ElementsAre(DoubleNear(180, 1e-9)));
}

TEST(LoopLocus, OfAnAllPassEndsOnTheRight) {
    // (s² − 2s + 5)/(s² + 2s + 5): (1 + k)s² + 2(1 − k)s + 5(1 + k)
    const Complex p(-1, 2), z(1, 2);
    const LoopLocus l = loop_locus(from_roots(1, {z, std::conj(z)}, {p, std::conj(p)}), gains(8, 160));
    ASSERT_TRUE(l.is_ok) << l.why;
    ASSERT_FALSE(l.events.empty());
    EXPECT_NEAR(l.events[0].value, 1, 1e-9);
    EXPECT_NEAR(std::abs(l.events[0].pole.imag()), std::sqrt(5.0), 1e-9);
    ASSERT_EQ(l.stable.size(), 1u);
    EXPECT_NEAR(l.stable[0].to, 1, 1e-9);
    EXPECT_TRUE(l.asymptotes.empty());
    EXPECT_LT(std::abs(l.zeros[0].real() - 1), 1e-9);
}

TEST(LoopLocus, TellsWhereItGoesThroughInfinity) {
    const LoopLocus l = loop_locus(from_roots(-1, {-2}, {-1}), std::vector<double>{0, 0.5, 1, 2});
    EXPECT_FALSE(l.is_ok);
    EXPECT_THAT(l.why, HasSubstr("through infinity"));
    EXPECT_EQ(l.samples.size(), 2u);
}

TEST(LoopLocus, ClosesSeveralLoopsWithOneGain) {
    const LinearSystem a = from_roots(1, {}, {0, -1, -2}), b = from_roots(2, {}, {-4});
    LinearSystem both;
    both.A = MatrixXd::Zero(4, 4), both.A.topLeftCorner(3, 3) = a.A, both.A(3, 3) = -4;
    both.B = MatrixXd::Zero(4, 2), both.B.topLeftCorner(3, 1) = a.B, both.B(3, 1) = b.B(0, 0);
    both.C = MatrixXd::Zero(2, 4), both.C.topLeftCorner(1, 3) = a.C, both.C(1, 3) = b.C(0, 0);
    both.D = MatrixXd::Zero(2, 2);
    both.inputs = {"v", "w"}, both.outputs = {"x", "y"};
    both.poles.resize(4), both.poles << 0, -1, -2, -4;
    const LoopLocus l = loop_locus(both, gains(20, 100));
    ASSERT_TRUE(l.is_ok) << l.why;
    ASSERT_EQ(l.stable.size(), 1u);
    EXPECT_NEAR(l.stable[0].to, 6, 1e-9);
    double nearest = 1;
    for (const auto& p : l.samples.back().poles) nearest = std::min(nearest, std::abs(*p + 44.0));
    EXPECT_LT(nearest, 1e-9);
}

}  // namespace
}  // namespace linkwright::test
