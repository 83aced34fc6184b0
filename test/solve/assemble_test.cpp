#include "linkwright/solve/assemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;
using testing::HasSubstr;

constexpr double pi = std::numbers::pi;

/// Four-bar linkage: absolute angles of crank, coupler and rocker; crank and coupler end where ground and rocker do.
struct FourBar {
    double crank = 1, coupler = 3, rocker = 2.5, ground = 3.5;
    bool in_space = false;  // three more rows: z = 0 (always true) and the two equations again, in millimetres

    void operator()(const VectorXd& q, VectorXd& phi, MatrixXd& J) const {
        const Index m = in_space ? 5 : 2;
        phi = VectorXd::Zero(m);
        J = MatrixXd::Zero(m, 3);
        phi(0) = crank * std::cos(q(0)) + coupler * std::cos(q(1)) - rocker * std::cos(q(2)) - ground;
        phi(1) = crank * std::sin(q(0)) + coupler * std::sin(q(1)) - rocker * std::sin(q(2));
        J.row(0) << -crank * std::sin(q(0)), -coupler * std::sin(q(1)), rocker * std::sin(q(2));
        J.row(1) << crank * std::cos(q(0)), coupler * std::cos(q(1)), -rocker * std::cos(q(2));
        if (!in_space) return;
        phi.tail(2) = 1000 * phi.head(2);
        J.bottomRows(2) = 1000 * J.topRows(2);
    }
};

TEST(Assemble, FourBarClosesWithTheCrankHeld) {
    const std::vector<Index> held{0};
    for (const bool in_space : {false, true}) {
        for (int k = 0; k < 36; ++k) {
            const double crank = 2 * pi * k / 36;
            const Eigen::Vector3d guess(crank, 0.5, 1.3);
            const Assembly a = assemble(FourBar{.in_space = in_space}, guess, held);
            ASSERT_TRUE(a.ok) << a.why;
            EXPECT_EQ(a.x(0), crank);
            EXPECT_EQ(a.rank, 2);
            EXPECT_LT(a.residual, in_space ? 1e-9 : 1e-12);
            EXPECT_EQ(a.start, 0);
            EXPECT_LE(a.iterations, 12);
            EXPECT_NEAR(a.moved, (a.x - guess).cwiseAbs().maxCoeff(), 0);
        }
    }
}

TEST(Assemble, ConvergenceIsQuadratic) {
    const Eigen::Vector3d guess(0.7, 0.5, 1.3);
    const Eigen::Vector3d near = assemble(FourBar{}, guess).x + Eigen::Vector3d(1e-3, -1e-3, 1e-3);
    const Assembly a = assemble(FourBar{}, near);
    ASSERT_TRUE(a.ok);
    EXPECT_LE(a.iterations, 4);
    EXPECT_LT(a.residual, 1e-12);
    EXPECT_LT(a.moved, 3e-3);
    EXPECT_EQ(assemble(FourBar{}, a.x).iterations, 0);
    EXPECT_EQ(assemble(FourBar{}, a.x).x, a.x);
}

TEST(Assemble, ImpossibleClosureSaysSo) {
    const FourBar torn{.coupler = 0.5, .rocker = 0.5, .ground = 3.5};  // 1 + 0.5 + 0.5 < 3.5
    const Assembly a = assemble(torn, Eigen::Vector3d(0.3, 0.5, 1.3));
    EXPECT_FALSE(a.ok);
    EXPECT_TRUE(a.x.allFinite());
    EXPECT_NEAR(a.residual, 1.5, 1e-3);  // stretched out
    EXPECT_EQ(a.worst, 0);
    EXPECT_THAT(a.why, HasSubstr("equation 0 misses zero by 1.5"));
    const std::vector<Index> all{0, 1, 2};
    const Eigen::Vector3d guess(0.3, 0.5, 1.3);
    const Assembly stiff = assemble(FourBar{}, guess, all);
    EXPECT_FALSE(stiff.ok);
    EXPECT_EQ(stiff.x, guess);
    EXPECT_EQ(stiff.moved, 0);
}

TEST(Assemble, DeadPointsAreReached) {
    // Change point: 1 + 3 = 1.5 + 2.5, all links in one line; the Jacobian has rank 1 there.
    const FourBar flat{.crank = 1, .coupler = 3, .rocker = 1.5, .ground = 2.5};
    const std::vector<Index> held{0};
    const Assembly a = assemble(flat, Eigen::Vector3d(0, 0.1, 0.15), held);
    ASSERT_TRUE(a.ok) << a.why;
    EXPECT_LT(a.residual, 1e-8);
    EXPECT_EQ(a.x(0), 0);
}

TEST(Assemble, LeavesABadGuessByOtherStarts) {
    // The gradient vanishes at the guess: nothing there says which way to go.
    const Closure parabola = [](const VectorXd& x, VectorXd& phi, MatrixXd& J) {
        phi = VectorXd::Constant(1, x(0) * x(0) - 0.01);
        J = MatrixXd::Constant(1, 1, 2 * x(0));
    };
    const Assembly a = assemble(parabola, VectorXd::Zero(1));
    ASSERT_TRUE(a.ok) << a.why;
    EXPECT_GT(a.start, 0);
    EXPECT_NEAR(std::abs(a.x(0)), 0.1, 1e-9);
    EXPECT_EQ(assemble(parabola, VectorXd::Zero(1)).x, a.x);  // the same each time
}

TEST(Assemble, HeldUnknownsNeverMove) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomMatrix random(seed);
        const MatrixXd A = random(3, 8), B = random(3, 8);
        const Closure closure = [&](const VectorXd& x, VectorXd& phi, MatrixXd& J) {
            phi = A * x + 0.2 * B * x.array().sin().matrix() - VectorXd::Ones(3);
            J = A + 0.2 * B * x.array().cos().matrix().asDiagonal();
        };
        const VectorXd guess = random.vector(8);
        const std::vector<Index> held{1, 4, 6};
        const Assembly a = assemble(closure, guess, held);
        EXPECT_TRUE(a.ok) << a.why;
        EXPECT_LT(a.residual, 1e-11);
        for (const Index i : held) EXPECT_EQ(a.x(i), guess(i));
    }
}

TEST(Assemble, QuaternionsAreNormalised) {
    // Turn about z by 1 rad: the image of the x axis is given; |e| = 1 is kept by `normalise` alone.
    const Closure closure = [](const VectorXd& e, VectorXd& phi, MatrixXd& J) {
        phi.resize(3);
        phi << e(0) * e(0) + e(1) * e(1) - e(2) * e(2) - e(3) * e(3) - std::cos(1.0), 2 * (e(1) * e(2) + e(0) * e(3)) - std::sin(1.0),
            2 * (e(1) * e(3) - e(0) * e(2));
        J.resize(3, 4);
        J << 2 * e(0), 2 * e(1), -2 * e(2), -2 * e(3), 2 * e(3), 2 * e(2), 2 * e(1), 2 * e(0), -2 * e(2), 2 * e(3), -2 * e(0), 2 * e(1);
    };
    AssembleOptions options;
    options.normalise = [](VectorXd& e) { e.normalize(); };
    const Assembly a = assemble(closure, Eigen::Vector4d(1, 0, 0, 0), {}, options);
    ASSERT_TRUE(a.ok) << a.why;
    EXPECT_NEAR(a.x.norm(), 1, 1e-15);
    EXPECT_NEAR(a.x(3), std::sin(0.5), 1e-12);
}

TEST(Assemble, NumbersThatAreNotThere) {
    const Closure root = [](const VectorXd& x, VectorXd& phi, MatrixXd& J) {  // no value for x < 0
        phi = VectorXd::Constant(1, std::sqrt(x(0)) - 0.1);
        J = MatrixXd::Constant(1, 1, 0.5 / std::sqrt(x(0)));
    };
    const Assembly a = assemble(root, VectorXd::Constant(1, 0.5));  // the full step overshoots
    ASSERT_TRUE(a.ok) << a.why;
    EXPECT_NEAR(a.x(0), 0.01, 1e-12);
    const Assembly b = assemble(root, VectorXd::Constant(1, -0.01));
    EXPECT_TRUE(b.ok) << b.why;
    EXPECT_GT(b.start, 0);
    const Assembly c = assemble(root, VectorXd::Constant(1, -50));
    EXPECT_FALSE(c.ok);
    EXPECT_THAT(c.why, HasSubstr("no finite value"));
    EXPECT_EQ(c.x(0), -50);
    EXPECT_FALSE(assemble(root, VectorXd::Constant(1, std::nan(""))).ok);
    const Closure nothing = [](const VectorXd& x, VectorXd& phi, MatrixXd& J) {
        phi.resize(0);
        J.resize(0, x.size());
    };
    EXPECT_TRUE(assemble(nothing, VectorXd::Ones(2)).ok);
}

TEST(Project, IsTheShortestCorrection) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomMatrix random(seed);
        const MatrixXd A = random(4, 3) * random(3, 8);  // one row redundant
        const VectorXd guess = random.vector(8), b = A * random.vector(8);
        const Solution s = project(A, b, guess);
        ASSERT_TRUE(s.ok) << s.why;
        EXPECT_EQ(s.rank, 3);
        EXPECT_LT((A * s.x - b).norm(), 1e-10);
        EXPECT_LT((null_space(A).transpose() * (s.x - guess)).norm(), 1e-10);
        const std::vector<Index> held{0, 3};
        const Solution h = project(A, b, guess, held);
        ASSERT_TRUE(h.ok) << h.why;
        EXPECT_EQ(h.x(0), guess(0));
        EXPECT_EQ(h.x(3), guess(3));
        EXPECT_LT((A * h.x - b).norm(), 1e-9);
    }
}

TEST(Project, WhatCannotBeMetIsTold) {
    const MatrixXd A = MatrixXd::Identity(2, 2);
    const std::vector<Index> held{1};
    const Solution s = project(A, Eigen::Vector2d(5, 6), Eigen::Vector2d(1, 2), held);
    EXPECT_FALSE(s.ok);
    EXPECT_EQ(s.x, Eigen::Vector2d(5, 2));
    EXPECT_EQ(s.residual, 4);
    EXPECT_THAT(s.why, HasSubstr("row 1 misses 6 by 4"));
    EXPECT_TRUE(project(MatrixXd(0, 2), VectorXd(0), Eigen::Vector2d(1, 2)).ok);
    const std::vector<Index> all{0, 1};
    EXPECT_TRUE(project(A, Eigen::Vector2d(1, 2), Eigen::Vector2d(1, 2), all).ok);
}

}  // namespace
}  // namespace linkwright::solve
