#include "linkwright/solve/root_locus.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;
using Complex = std::complex<double>;

std::vector<double> range(double from, double to, int intervals) {
    std::vector<double> values;
    for (int i = 0; i <= intervals; ++i) values.push_back(from + (to - from) * i / intervals);
    return values;
}

TEST(Assign, IsTheBestOfAllPermutations) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        RandomMatrix random(seed);
        const MatrixXd cost = random(5, 5);
        std::vector<Index> order(5);
        std::iota(order.begin(), order.end(), Index{0});
        double best = 1e9;
        do {
            double sum = 0;
            for (Index i = 0; i < 5; ++i) sum += cost(i, order[i]);
            best = std::min(best, sum);
        } while (std::ranges::next_permutation(order).found);
        const auto found = assign(cost);
        double sum = 0;
        for (Index i = 0; i < 5; ++i) sum += cost(i, found[i]);
        EXPECT_NEAR(sum, best, 1e-12);
    }
    EXPECT_EQ(assign(MatrixXd(0, 0)).size(), 0u);
    EXPECT_THAT(assign((MatrixXd(2, 1) << 3, 1).finished()), testing::ElementsAre(-1, 0));
    EXPECT_THAT(assign((MatrixXd(1, 2) << 3, 1).finished()), testing::ElementsAre(1));
}

TEST(RootLocus, BranchesThatPassThroughEachOtherKeepTheirVectors) {
    RandomMatrix random(3);
    const MatrixXd t = random(3, 3) + 3 * MatrixXd::Identity(3, 3), back = t.inverse();
    const Locus l =
        follow([&](double p) { return FamilyMember{.A = t * Eigen::Vector3d(p, 1 - p, 0.3).asDiagonal() * back, .layout = {}, .why = {}}; },
               range(0, 1, 7));
    ASSERT_TRUE(l.ok) << l.why;
    ASSERT_EQ(l.branches, 3u);
    for (std::size_t b = 0; b < 3; ++b) {
        const double from = l.samples.front().poles[b]->real(), to = l.samples.back().poles[b]->real();
        EXPECT_NEAR(to, std::abs(from - 0.3) < 1e-9 ? 0.3 : 1 - from, 1e-9) << b;
    }
}

/// A frequency p + (p − c)² − d², which crosses the line Im λ = p at c ± d, is looked at far from there only.
TEST(RootLocus, LinesThatAreCrossedTwiceBetweenSamplesAreFound) {
    for (const double center : {0.37, 1.23, 2.5, 3.81}) {
        for (const double square : {0.002, -0.002}) {
            const auto family = [&](double p) {
                const double w = p + (p - center) * (p - center) - square, v = 40;  // and one far away
                MatrixXd A = MatrixXd::Zero(4, 4);
                A(0, 1) = w, A(1, 0) = -w, A(2, 3) = v, A(3, 2) = -v;
                return FamilyMember{.A = A, .layout = {}, .why = {}};
            };
            const Locus l = follow(family, range(0.1, 4.1, 4), {.slopes = {1}});
            ASSERT_TRUE(l.ok) << l.why;
            if (square < 0) {
                EXPECT_TRUE(l.lines.empty()) << center;
                continue;
            }
            ASSERT_EQ(l.lines.size(), 2U) << center;
            EXPECT_NEAR(l.lines[0].p, center - std::sqrt(square), 1e-9);
            EXPECT_NEAR(l.lines[1].p, center + std::sqrt(square), 1e-9);
        }
    }
}

TEST(RootLocus, MeetingsAndCrossingsToAllDigits) {
    // ẍ + 2(p − 1)ẋ + x = 0: grows for p < 1 and oscillates for 0 < p < 2
    const Family oscillator = [](double p) {
        return FamilyMember{.A = (Eigen::Matrix2d() << 0, 1, -1, -2 * (p - 1)).finished(), .layout = {}, .why = {}};
    };
    for (const bool backwards : {false, true}) {
        auto values = range(-0.53, 2.61, 11);
        if (backwards) std::ranges::reverse(values);
        const Locus l = follow(oscillator, values);
        ASSERT_TRUE(l.ok);
        ASSERT_EQ(l.crossings.size(), 1u);
        EXPECT_NEAR(l.crossings[0].p, 1, 1e-14);
        EXPECT_NEAR(l.crossings[0].pole.imag(), 1, 1e-12);
        EXPECT_EQ(l.crossings[0].to_the_right, backwards);
        ASSERT_EQ(l.meetings.size(), 2u);
        EXPECT_NEAR(l.meetings[0].p, backwards ? 2 : 0, 1e-12);
        EXPECT_NEAR(l.meetings[1].p, backwards ? 0 : 2, 1e-12);
        EXPECT_TRUE(l.meetings[0].they_part);
        EXPECT_FALSE(l.meetings[1].they_part);
    }
}

TEST(RootLocus, AMeetingThatASampleHitsIsSeenOnce) {
    // ẍ = p x, sampled at p = 0 itself, and by halving
    const Family family = [](double p) { return FamilyMember{.A = (Eigen::Matrix2d() << 0, 1, p, 0).finished(), .layout = {}, .why = {}}; };
    for (const int intervals : {2, 3, 5, 6}) {
        const Locus l = follow(family, range(-1.5, 1.5, intervals));
        ASSERT_TRUE(l.ok);
        ASSERT_EQ(l.meetings.size(), 1u) << intervals;
        EXPECT_NEAR(l.meetings[0].p, 0, 1e-12);
        EXPECT_FALSE(l.meetings[0].they_part);
    }
}

TEST(RootLocus, FlutterOfTwoFrequencies) {
    // ẍ + [2 p; −p 3] x = 0: frequencies meet where p = ½
    const Locus l = follow(
        [](double p) {
            MatrixXd A = MatrixXd::Zero(4, 4);
            A.topRightCorner(2, 2).setIdentity();
            A.bottomLeftCorner(2, 2) << -2, -p, p, -3;
            return FamilyMember{.A = A, .layout = {}, .why = {}};
        },
        range(0.1, 0.93, 9));
    ASSERT_TRUE(l.ok);
    ASSERT_FALSE(l.meetings.empty());
    EXPECT_NEAR(l.meetings[0].p, 0.5, 1e-10);
    EXPECT_FALSE(l.meetings[0].on_real_axis);
    EXPECT_TRUE(l.meetings[0].they_part);
}

TEST(RootLocus, EndsWhereTheFamilyDoesAndTakesOtherSizes) {
    const Locus ended =
        follow([](double p) { return FamilyMember{.A = MatrixXd::Constant(1, 1, p), .layout = {}, .ok = p < 2, .why = "no equilibrium"}; },
               range(0, 4, 4));
    EXPECT_FALSE(ended.ok);
    EXPECT_EQ(ended.samples.size(), 2u);
    EXPECT_THAT(ended.why, testing::HasSubstr("no equilibrium"));
    const Locus grows = follow(
        [](double p) {
            return FamilyMember{.A = p < 1.5 ? MatrixXd(MatrixXd::Constant(1, 1, -1)) : MatrixXd(Eigen::Vector2d(-1, -5).asDiagonal()),
                                .layout = p < 1.5 ? "a" : "ab",
                                .why = {}};
        },
        range(0, 3, 3));
    ASSERT_TRUE(grows.ok);
    EXPECT_EQ(grows.branches, 2u);
    EXPECT_EQ(grows.samples[0].poles.size(), 1u);
    EXPECT_NEAR(grows.samples[3].poles[1]->real(), -5, 1e-14);
    EXPECT_TRUE(follow([](double) { return FamilyMember{.A = MatrixXd(0, 0), .layout = {}, .why = {}}; }, range(0, 1, 2)).ok);
    EXPECT_FALSE(follow([](double p) { return FamilyMember{.A = MatrixXd::Constant(1, 1, p), .layout = {}, .why = {}}; },
                        std::vector<double>{0, 2, 1})
                     .ok);
    EXPECT_TRUE(
        follow([](double p) { return FamilyMember{.A = MatrixXd::Constant(1, 1, p), .layout = {}, .why = {}}; }, std::vector<double>{}).ok);
}

TEST(RootLocus, RandomFamiliesAreFollowedSmoothly) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        RandomMatrix random(seed);
        const MatrixXd a = random(6, 6), b = random(6, 6);
        const Family family = [&](double p) { return FamilyMember{.A = a + p * b, .layout = {}, .why = {}}; };
        const Locus coarse = follow(family, range(0, 1, 10)),
                    fine = follow(family, range(0, 1, 400), {.halvings = 12, .finds_crossings = false});
        ASSERT_TRUE(coarse.ok && fine.ok);
        EXPECT_EQ(coarse.branches, 6u);
        // who began together ends together, unless they meet on the way (then order decides)
        if (!coarse.meetings.empty()) continue;
        for (std::size_t i = 0; i < 6; ++i) {
            for (std::size_t k = 0; k < 6; ++k) {
                if (std::abs(*coarse.samples.front().poles[i] - *fine.samples.front().poles[k]) < 1e-12) {
                    EXPECT_LT(std::abs(*coarse.samples.back().poles[i] - *fine.samples.back().poles[k]), 1e-9) << seed;
                }
            }
        }
    }
}

}  // namespace
}  // namespace linkwright::solve
