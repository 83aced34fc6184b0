#include "linkwright/solve/descriptor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Both equations hold.
void expect_solved(const DescriptorSolution& s, const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma,
                   double tolerance = 1e-8) {
    ASSERT_TRUE(s.ok) << s.why;
    EXPECT_LT((M * s.udot + G.transpose() * s.lambda - f).norm(), tolerance * (1 + f.norm() + s.lambda.norm()));
    EXPECT_LT((G * s.udot - gamma).norm(), tolerance * (1 + gamma.norm() + s.udot.norm()));
    EXPECT_TRUE(s.consistent);
}

TEST(Descriptor, KnownSolutionsComeBack) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(10), m = random.below(n + 1);
        const MatrixXd M = random.definite(n), G = random(m, n);
        const VectorXd udot = random.vector(n), lambda = random.vector(m);
        const VectorXd f = M * udot + G.transpose() * lambda, gamma = G * udot;
        const DescriptorSolution s = solve_descriptor(M, f, G, gamma);
        expect_solved(s, M, f, G, gamma);
        EXPECT_EQ(s.rank, m);
        EXPECT_THAT(s.redundant, IsEmpty());
        EXPECT_LT((s.udot - udot).norm(), 1e-8 * s.condition) << "seed " << seed;
        EXPECT_LT((s.lambda - lambda).norm(), 1e-8 * s.condition) << "seed " << seed;
    }
}

TEST(Descriptor, RedundantRowsShareTheLoad) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomMatrix random(seed);
        const Index n = 3 + random.below(8), r = 1 + random.below(n - 1), m = r + 1 + random.below(3);
        const MatrixXd M = random.definite(n), mix = random(m, r), base = random(r, n);
        const VectorXd units = (random.vector(m).array().abs() * 1e3 + 1e-2).matrix();  // rows in units of their own
        const MatrixXd G = units.asDiagonal() * mix * base;
        const VectorXd gamma = G * random.vector(n), f = random.vector(n);
        const DescriptorSolution s = solve_descriptor(M, f, G, gamma);
        expect_solved(s, M, f, G, gamma, 1e-7);
        EXPECT_EQ(s.rank, r);
        EXPECT_EQ(static_cast<Index>(s.redundant.size()), m - r);
        // The shortest λ lies in the row space of Gᵀ; u̇ is that of the rows which are not redundant.
        const MatrixXd silent = null_space(G.transpose());
        EXPECT_LT((silent.transpose() * s.lambda).norm(), 1e-7 * (1 + s.lambda.norm())) << "seed " << seed;
        const DescriptorSolution lean = solve_descriptor(M, f, base, base * s.udot);
        EXPECT_LT((lean.udot - s.udot).norm(), 1e-7 * (1 + s.udot.norm())) << "seed " << seed;
        const DescriptorSolution fixed = solve_descriptor(M, f, G, gamma, r);
        expect_solved(fixed, M, f, G, gamma, 1e-7);
        EXPECT_LT((fixed.lambda - s.lambda).norm(), 1e-7 * (1 + s.lambda.norm()));
    }
}

/// A row that is only rounding changes neither motion nor multipliers, wherever it stands.
TEST(Descriptor, RowsOfRoundingCarryNothing) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomMatrix random(seed);
        const Index n = 3 + random.below(8), r = 1 + random.below(n - 1), m = r + 1 + random.below(2);
        const MatrixXd M = random.definite(n), base = random(r, n);
        const VectorXd f = random.vector(n), gamma = random.vector(r);
        DescriptorOptions options;
        options.errors.G = options.errors.gamma = VectorXd::Constant(m, 1e-14);
        MatrixXd G = 1e-16 * random(m, n);
        VectorXd all = 1e-16 * random.vector(m);
        std::vector<Index> places;
        for (Index k = 0; k < r; ++k) places.push_back(k + (k >= seed % r ? m - r : 0));
        G(places, Eigen::all) = base, all(places) = gamma;
        const DescriptorSolution s = solve_descriptor(M, f, G, all, options), without = solve_descriptor(M, f, base, gamma);
        expect_solved(s, M, f, G, all);
        EXPECT_EQ(s.rank, r);
        EXPECT_EQ(static_cast<Index>(s.redundant.size()), m - r);
        EXPECT_LT((s.udot - without.udot).norm(), 1e-9 * s.condition * (1 + s.udot.norm()));
        EXPECT_LT((s.lambda(places) - without.lambda).norm(), 1e-9 * s.condition * (1 + s.lambda.norm())) << "seed " << seed;
        EXPECT_NEAR(s.lambda.squaredNorm(), VectorXd(s.lambda(places)).squaredNorm(), 1e-12 * s.lambda.squaredNorm());
    }
}

TEST(Descriptor, TwoEqualRodsCarryHalfEach) {
    const MatrixXd M = MatrixXd::Identity(2, 2);
    MatrixXd G(2, 2);
    G << 0, 1, 0, 1;
    const DescriptorSolution s = solve_descriptor(M, Eigen::Vector2d(3, -10), G, Eigen::Vector2d::Zero());
    ASSERT_TRUE(s.ok) << s.why;
    EXPECT_NEAR(s.udot(0), 3, 1e-14);
    EXPECT_NEAR(s.udot(1), 0, 1e-14);
    EXPECT_NEAR(s.lambda(0), -5, 1e-13);
    EXPECT_NEAR(s.lambda(1), -5, 1e-13);
    EXPECT_THAT(s.redundant, ElementsAre(1));
}

TEST(Descriptor, MasslessLinksInLoops) {
    // A mass on slider 0; a massless lever couples it to slider 1, which carries a mass too: u1 = 2 u0, u2 follows u0.
    MatrixXd M = MatrixXd::Zero(3, 3);
    M(0, 0) = 1;
    MatrixXd G(2, 3);
    G << 2, -1, 0, 1, 0, -3;
    const Eigen::Vector3d f(1, 5, 6);
    const DescriptorSolution s = solve_descriptor(M, f, G, Eigen::Vector2d::Zero());
    expect_solved(s, M, f, G, Eigen::Vector2d::Zero());
    EXPECT_NEAR(s.udot(0), 1 + 2 * 5 + 6.0 / 3, 1e-12);  // virtual work

    for (std::uint64_t seed = 0; seed < 200; ++seed) {  // M of rank n − m, definite where G allows motion
        RandomMatrix random(seed);
        const Index n = 2 + random.below(8), m = 1 + random.below(n - 1);
        const MatrixXd G2 = random(m, n), half = random(n, n - m), M2 = half * half.transpose();
        const VectorXd f2 = random.vector(n), gamma = random.vector(m);
        const DescriptorSolution t = solve_descriptor(M2, f2, G2, gamma);
        if (t.condition < 1e6) expect_solved(t, M2, f2, G2, gamma, 1e-6);
    }
}

TEST(Descriptor, FreedomWithoutInertiaIsShown) {
    MatrixXd M = MatrixXd::Zero(3, 3);
    M(0, 0) = 5;
    MatrixXd G(1, 3);
    G << 0, 1, -2;  // u1 = 2 u2, both without mass
    const DescriptorSolution s = solve_descriptor(M, Eigen::Vector3d(1, 1, 1), G, VectorXd::Zero(1));
    EXPECT_FALSE(s.ok);
    EXPECT_TRUE(s.udot.allFinite() && s.lambda.allFinite());
    ASSERT_EQ(s.direction.size(), 3);
    EXPECT_NEAR(s.direction(0), 0, 1e-12);
    EXPECT_NEAR(std::abs(s.direction(1)), 1, 1e-12);
    EXPECT_NEAR(s.direction(1), 2 * s.direction(2), 1e-12);
    EXPECT_THAT(s.why, HasSubstr("no inertia"));

    for (std::uint64_t seed = 0; seed < 100; ++seed) {  // hidden in a dense mass matrix, large against small masses
        RandomMatrix random(seed);
        const Index n = 3 + random.below(6);
        const MatrixXd half = 1e3 * random(n, n - 2), M2 = half * half.transpose(), G2 = random(1, n);
        const DescriptorSolution t = solve_descriptor(M2, random.vector(n), G2, random.vector(1));
        EXPECT_FALSE(t.ok) << "seed " << seed;
        ASSERT_EQ(t.direction.size(), n) << t.why;
        EXPECT_LT((G2 * t.direction).norm(), 1e-9);
        EXPECT_LT((half.transpose() * t.direction).norm(), 1e-3) << "seed " << seed;
    }
}

TEST(Descriptor, UnitsOfMassesDoNotMatter) {
    RandomMatrix random(9);
    const VectorXd units = (VectorXd(5) << 1e-5, 1, 1e4, 1e-2, 30).finished();
    const MatrixXd M = units.asDiagonal() * random.definite(5) * units.asDiagonal(), G = random(2, 5) * units.asDiagonal();
    const VectorXd udot = units.cwiseInverse(), lambda = random.vector(2);
    const DescriptorSolution s = solve_descriptor(M, M * udot + G.transpose() * lambda, G, G * udot);
    ASSERT_TRUE(s.ok) << s.why;
    EXPECT_LT((units.asDiagonal() * s.udot - VectorXd::Ones(5)).norm(), 1e-9);
    EXPECT_LT((s.lambda - lambda).norm(), 1e-9);
}

TEST(Descriptor, ContradictionIsTold) {
    MatrixXd G(2, 2);
    G << 1, 0, 1, 0;
    const DescriptorSolution s = solve_descriptor(MatrixXd::Identity(2, 2), Eigen::Vector2d(0, 7), G, Eigen::Vector2d(1, 3));
    EXPECT_FALSE(s.ok);
    EXPECT_FALSE(s.consistent);
    EXPECT_NEAR(s.udot(0), 2, 1e-12);  // the best compromise
    EXPECT_NEAR(s.udot(1), 7, 1e-12);
    EXPECT_NEAR(s.residual, 1, 1e-12);
    EXPECT_THAT(s.why, HasSubstr("contradict"));
}

TEST(Descriptor, FixedRankDoesNotFlicker) {
    for (const double gap : {1e-6, 1e-9, 1e-11, 1e-13}) {  // two rods that are nearly in line
        MatrixXd G(2, 3);
        G << 1, 0, 0, 1, gap, 0;
        const MatrixXd M = MatrixXd::Identity(3, 3);
        const DescriptorSolution two = solve_descriptor(M, Eigen::Vector3d(0, 0, 1), G, Eigen::Vector2d::Zero(), 2);
        EXPECT_EQ(two.rank, 2);
        EXPECT_TRUE(two.ok) << two.why;
        EXPECT_GT(two.condition, 0.1 / gap);
        const DescriptorSolution one = solve_descriptor(M, Eigen::Vector3d(0, 0, 1), G, Eigen::Vector2d::Zero(), 1);
        EXPECT_EQ(one.rank, 1);
        EXPECT_EQ(solve_descriptor(M, Eigen::Vector3d(0, 0, 1), G, Eigen::Vector2d::Zero()).rank, gap > 1e-10 ? 2 : 1);
    }
    MatrixXd G(2, 2);
    G << 1, 1, 1, 1;
    const DescriptorSolution lost = solve_descriptor(MatrixXd::Identity(2, 2), Eigen::Vector2d(1, 2), G, Eigen::Vector2d(0, 0), 2);
    EXPECT_FALSE(lost.ok);
    EXPECT_THAT(lost.why, HasSubstr("lost rank"));
    EXPECT_TRUE(lost.udot.allFinite());
}

constexpr std::array methods{DescriptorMethod::nullspace, DescriptorMethod::schur, DescriptorMethod::kkt};

TEST(DescriptorMethods, Agree) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(9), r = random.below(n + 1), m = r + (r > 0 ? random.below(3) : 0);
        const MatrixXd M = random.definite(n), base = random(r, n), mix = random(m, r);
        const MatrixXd G = m == r ? base : MatrixXd(mix * base);
        const VectorXd f = random.vector(n), gamma = G * random.vector(n);
        const DescriptorSolution first = solve_descriptor(M, f, G, gamma);
        if (first.condition > 1e5) continue;
        for (const DescriptorMethod method : methods) {
            const DescriptorSolution s = solve_descriptor(M, f, G, gamma, {.method = method});
            expect_solved(s, M, f, G, gamma);
            EXPECT_THAT(s.note, IsEmpty());
            EXPECT_EQ(s.rank, r);
            EXPECT_LT((s.udot - first.udot).norm(), 1e-8 * (1 + first.udot.norm())) << "seed " << seed;
            EXPECT_LT((s.lambda - first.lambda).norm(), 1e-7 * (1 + first.lambda.norm())) << "seed " << seed;
            DescriptorFactor factor(method);
            ASSERT_TRUE(factor.factor(M, G, r)) << factor.why();
            for (int again = 0; again < 2; ++again) {  // other right-hand sides, then other matrices in the same memory
                const VectorXd f2 = random.vector(n), gamma2 = G * random.vector(n);
                VectorXd udot, lambda;
                factor.solve(f2, gamma2, udot, lambda);
                EXPECT_LT((M * udot + G.transpose() * lambda - f2).norm(), 1e-8 * (1 + lambda.norm()));
                EXPECT_LT((G * udot - gamma2).norm(), 1e-8 * (1 + udot.norm()));
                ASSERT_TRUE(factor.factor(M, G, r));
            }
        }
    }
}

TEST(DescriptorMethods, LargeAndSparse) {
    // a chain of masses, each held to its neighbour's motion by a rod every third place
    const Index n = 120, m = 40;
    MatrixXd M = MatrixXd::Zero(n, n), G = MatrixXd::Zero(m, n);
    for (Index i = 0; i < n; ++i) {
        M(i, i) = 2 + 0.01 * static_cast<double>(i);
        if (i > 0) M(i, i - 1) = M(i - 1, i) = 0.5;
    }
    for (Index k = 0; k < m; ++k) G(k, 3 * k) = 1, G(k, 3 * k + 1) = -0.7, G(k, (3 * k + 5) % n) = 0.3;
    RandomMatrix random(3);
    const VectorXd f = random.vector(n), gamma = random.vector(m);
    const DescriptorSolution first = solve_descriptor(M, f, G, gamma);
    for (const DescriptorMethod method : methods) {
        const DescriptorSolution s = solve_descriptor(M, f, G, gamma, {.method = method});
        expect_solved(s, M, f, G, gamma);
        EXPECT_THAT(s.note, IsEmpty());
        EXPECT_LT((s.udot - first.udot).norm(), 1e-10);
    }
}

TEST(DescriptorMethods, MasslessLinksFallBack) {
    MatrixXd M = MatrixXd::Zero(3, 3);
    M(0, 0) = 1;
    MatrixXd G(2, 3);
    G << 2, -1, 0, 1, 0, -3;
    const Eigen::Vector3d f(1, 5, 6);
    for (const DescriptorMethod method : methods) {
        const DescriptorSolution s = solve_descriptor(M, f, G, Eigen::Vector2d::Zero(), {.method = method});
        expect_solved(s, M, f, G, Eigen::Vector2d::Zero());
        EXPECT_NEAR(s.udot(0), 13, 1e-12);
        EXPECT_THAT(s.note, method == DescriptorMethod::schur ? HasSubstr("not definite") : HasSubstr(""));
    }
}

TEST(DescriptorMethods, TroubleIsToldAlike) {
    MatrixXd G(2, 2), twice(2, 2);
    G << 1, 1, 1, 1;
    twice << 1, 0, 1, 0;
    for (const DescriptorMethod method : methods) {
        const DescriptorOptions options{.method = method};
        DescriptorFactor factor(method);
        EXPECT_FALSE(factor.factor(MatrixXd::Identity(2, 2), G, 2));
        EXPECT_THAT(factor.why(), HasSubstr("lost rank"));
        EXPECT_TRUE(factor.factor(MatrixXd::Identity(2, 2), G, 1));
        EXPECT_FALSE(factor.factor(MatrixXd::Zero(2, 2), G, 1));
        EXPECT_THAT(factor.why(), HasSubstr("inertia"));
        EXPECT_FALSE(factor.factor(MatrixXd::Constant(2, 2, std::numeric_limits<double>::quiet_NaN()), G, 1));
        const DescriptorSolution s =
            solve_descriptor(MatrixXd::Identity(2, 2), Eigen::Vector2d(0, 7), twice, Eigen::Vector2d(1, 3), options);
        EXPECT_FALSE(s.ok);
        EXPECT_FALSE(s.consistent);
        EXPECT_THAT(s.why, HasSubstr("contradict"));
        EXPECT_TRUE(solve_descriptor(MatrixXd(0, 0), VectorXd(0), MatrixXd(0, 0), VectorXd(0), options).ok);
        EXPECT_TRUE(solve_descriptor(MatrixXd::Identity(2, 2), Eigen::Vector2d(0, 7), MatrixXd(0, 2), VectorXd(0), options).ok);
    }
}

TEST(Descriptor, EdgesAndNonsense) {
    const MatrixXd M = 2 * MatrixXd::Identity(2, 2);
    const DescriptorSolution open = solve_descriptor(M, Eigen::Vector2d(2, 4), MatrixXd(0, 2), VectorXd(0));
    ASSERT_TRUE(open.ok) << open.why;
    EXPECT_EQ(open.udot, Eigen::Vector2d(1, 2));
    EXPECT_TRUE(solve_descriptor(MatrixXd(0, 0), VectorXd(0), MatrixXd(0, 0), VectorXd(0)).ok);
    const DescriptorSolution still = solve_descriptor(M, Eigen::Vector2d(2, 4), MatrixXd::Identity(2, 2), Eigen::Vector2d(5, 6));
    ASSERT_TRUE(still.ok) << still.why;
    EXPECT_LT((still.udot - Eigen::Vector2d(5, 6)).norm(), 1e-12);
    const DescriptorSolution none = solve_descriptor(M, Eigen::Vector2d(2, 4), MatrixXd::Zero(1, 2), VectorXd::Zero(1));
    ASSERT_TRUE(none.ok) << none.why;
    EXPECT_THAT(none.redundant, ElementsAre(0));
    EXPECT_EQ(none.lambda(0), 0);
    EXPECT_FALSE(solve_descriptor(M, Eigen::Vector2d(2, 4), MatrixXd::Zero(1, 2), VectorXd::Ones(1)).consistent);
    EXPECT_FALSE(solve_descriptor(M, Eigen::Vector2d(2, 4), MatrixXd::Zero(1, 2), VectorXd::Ones(2)).ok);
    Eigen::Vector2d f(1, std::numeric_limits<double>::quiet_NaN());
    const DescriptorSolution bad = solve_descriptor(M, f, MatrixXd(0, 2), VectorXd(0));
    EXPECT_EQ(bad.why, "the forcing has an entry that is not finite");
    EXPECT_EQ(bad.udot, Eigen::Vector2d::Zero());
}

}  // namespace
}  // namespace linkwright::solve
