#include "linkwright/solve/dense.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(Definite, SolvesWhatIsDefinite) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(20);
        const MatrixXd a = random.definite(n);
        const VectorXd x = random.vector(n);
        const Solution s = solve_definite(a, a * x);
        ASSERT_TRUE(s.ok) << s.why;
        EXPECT_LT((s.x - x).norm(), 1e-9) << "seed " << seed;
        const Definite f = factor_definite(a);
        EXPECT_LT((f.l * f.d.asDiagonal() * f.l.transpose() - a).norm(), 1e-12);
        EXPECT_GE(f.condition, 1);
    }
}

TEST(Definite, UnitsDoNotMatter) {
    RandomMatrix random(3);
    const VectorXd units = (Eigen::Vector4d() << 1e-9, 1, 1e6, 1e-3).finished();
    const MatrixXd a = units.asDiagonal() * random.definite(4) * units.asDiagonal();
    const VectorXd x = units.cwiseInverse();
    const Solution s = solve_definite(a, a * x);
    ASSERT_TRUE(s.ok) << s.why;
    EXPECT_LT((units.asDiagonal() * s.x - VectorXd::Ones(4)).norm(), 1e-10);
}

TEST(Definite, NamesThePivotThatVanishes) {
    // Rows 0 and 2 are in proportion: motion (−2, 0, 1, 0) has no inertia.
    MatrixXd a = MatrixXd::Identity(4, 4);
    a(0, 2) = a(2, 0) = 2;
    a(2, 2) = 4;
    const Definite f = factor_definite(a);
    EXPECT_FALSE(f.ok);
    EXPECT_EQ(f.bad, 2);
    EXPECT_EQ(f.direction, (Eigen::Vector4d() << -2, 0, 1, 0).finished());
    EXPECT_THAT(f.why, HasSubstr("pivot 2"));
    const Solution s = solve(f, VectorXd::Ones(4));
    EXPECT_FALSE(s.ok);
    EXPECT_EQ(s.why, f.why);
    EXPECT_TRUE(s.x.allFinite());

    for (std::uint64_t seed = 0; seed < 50; ++seed) {  // singular up to rounding
        RandomMatrix random(seed);
        const MatrixXd b = random(6, 5);
        const Definite g = factor_definite(b * b.transpose());
        EXPECT_EQ(g.bad, 5) << "seed " << seed;
        EXPECT_LT((b.transpose() * g.direction).norm(), 1e-6 * g.direction.norm());
    }
}

TEST(Definite, NegativeZeroAndEmpty) {
    EXPECT_EQ(factor_definite(MatrixXd::Zero(2, 2)).bad, 0);
    EXPECT_EQ(factor_definite(-MatrixXd::Identity(2, 2)).bad, 0);
    EXPECT_TRUE(factor_definite(MatrixXd(0, 0)).ok);
    EXPECT_TRUE(solve_definite(MatrixXd(0, 0), VectorXd(0)).ok);
    EXPECT_FALSE(factor_definite(MatrixXd::Ones(2, 3)).ok);
}

TEST(Dense, SaysWhereANumberIsNotFinite) {
    MatrixXd a = MatrixXd::Identity(3, 3);
    a(2, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(factor_definite(a).why, "the matrix is not finite in row 2, column 1");
    EXPECT_EQ(independent_columns(a).why, "the matrix is not finite in row 2, column 1");
    EXPECT_EQ(solve_least_squares(a, VectorXd::Ones(3)).why, "the matrix is not finite in row 2, column 1");
    VectorXd b = VectorXd::Ones(3);
    b(1) = std::numeric_limits<double>::infinity();
    for (const Solution& s : {solve_definite(MatrixXd::Identity(3, 3), b), solve_least_squares(MatrixXd::Identity(3, 3), b)}) {
        EXPECT_FALSE(s.ok);
        EXPECT_THAT(s.why, HasSubstr("right side is not finite in row 1"));
        EXPECT_TRUE(s.x.allFinite());
    }
}

TEST(Independence, FindsRankRowsAndColumns) {
    MatrixXd a(3, 4);
    a << 1, 2, 0, 1,  //
        0, 0, 3, 1,   //
        1, 2, 3, 2;
    const Independence columns = independent_columns(a), rows = independent_rows(a);
    EXPECT_EQ(columns.rank, 2);
    EXPECT_EQ(columns.independent.size(), 2u);
    EXPECT_EQ(columns.dependent.size(), 2u);
    EXPECT_EQ(rows.rank, 2);
    EXPECT_EQ(rows.dependent.size(), 1u);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        RandomMatrix random(seed);
        const Index r = 1 + random.below(4);
        EXPECT_EQ(independent_columns(random(7, r) * random(r, 6)).rank, r);
    }
    EXPECT_EQ(independent_columns(MatrixXd::Zero(2, 3)).rank, 0);
    EXPECT_THAT(independent_columns(MatrixXd::Zero(2, 3)).dependent, ElementsAre(0, 1, 2));
    EXPECT_EQ(independent_columns(MatrixXd(0, 3)).dependent.size(), 3u);
}

TEST(LeastSquares, IsTheShortestOfTheBest) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomMatrix random(seed);
        const Index m = 1 + random.below(8), n = 1 + random.below(8), r = 1 + random.below(std::min(m, n));
        const MatrixXd a = random(m, r) * random(r, n);
        const VectorXd b = random.vector(m);
        const Solution s = solve_least_squares(a, b);
        ASSERT_TRUE(s.ok);
        EXPECT_EQ(s.rank, r);
        EXPECT_LT((a.transpose() * (a * s.x - b)).norm(), 1e-8 * (1 + s.x.norm()));  // best
        const MatrixXd z = null_space(a);
        EXPECT_EQ(z.cols(), n - r);
        EXPECT_LT((z.transpose() * s.x).norm(), 1e-8 * (1 + s.x.norm()));  // shortest
        EXPECT_LT((a * z).norm(), 1e-12);
        EXPECT_LT((z.transpose() * z - MatrixXd::Identity(n - r, n - r)).norm(), 1e-12);
    }
}

TEST(LeastSquares, ZerosAndNothing) {
    const Solution s = solve_least_squares(MatrixXd::Zero(2, 3), VectorXd::Ones(2));
    EXPECT_TRUE(s.ok);
    EXPECT_EQ(s.rank, 0);
    EXPECT_EQ(s.x, VectorXd::Zero(3));
    EXPECT_EQ(s.residual, 1);
    EXPECT_EQ(null_space(MatrixXd(0, 3)), MatrixXd::Identity(3, 3));
    EXPECT_TRUE(solve_least_squares(MatrixXd(0, 3), VectorXd(0)).ok);
}

TEST(FactorDefinite, UsesWhatIsZero) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int trial = 0; trial < 20; ++trial) {
        const Index n = 30;
        MatrixXd a = MatrixXd::Zero(n, n);
        for (Index j = 0; j < n; ++j) {
            a(j, j) = 8;
            for (Index i = std::max<Index>(0, j - trial % 7); i < j; ++i) a(i, j) = a(j, i) = random() % 3 == 0 ? 0 : uniform(random);
            if (j > 0 && trial % 2 == 0 && j % 5 == 0) a(0, j) = a(j, 0) = uniform(random);  // an arrow
        }
        const Definite f = factor_definite(a);
        ASSERT_TRUE(f.ok) << f.why;
        EXPECT_LT((f.l * f.d.asDiagonal() * f.l.transpose() - a).cwiseAbs().maxCoeff(), 1e-14);
    }
}

}  // namespace
}  // namespace linkwright::solve
