#include "linkwright/solve/reflections.hpp"

#include <gtest/gtest.h>

#include "linkwright/solve/definite_factor.hpp"
#include "linkwright/solve/finite.hpp"
#include "linkwright/solve/powers_of_two.hpp"
#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;

/// The rows of a, padded with zeros.
MatrixXd padded(const MatrixXd& a) {
    MatrixXd b = MatrixXd::Zero(in_fours(a.rows()), a.cols());
    b.topRows(a.rows()) = a;
    return b;
}

struct Parts {
    MatrixXd q, ordered;  ///< n×n; A P
};

Parts parts(const Reflections& r, const MatrixXd& a) {
    const Index n = a.rows();
    MatrixXd q = padded(MatrixXd::Identity(n, n)), ordered(n, a.cols());
    r.from_turned(q);
    for (Index k = 0; k < a.cols(); ++k) ordered.col(k) = a.col(r.order(k));
    return {q.topRows(n), ordered};
}

TEST(Reflections, TakeMatricesApart) {
    Reflections r;  // one after the other in the same memory, larger and smaller
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(17), m = 1 + random.below(n);
        const MatrixXd a = random(n, m);
        MatrixXd used = padded(a);
        r.compute(used, n, m);
        const auto [q, ordered] = parts(r, a);
        EXPECT_LT((q.transpose() * q - MatrixXd::Identity(n, n)).norm(), 1e-13) << "seed " << seed;
        EXPECT_LT((q.leftCols(m) * r.r() - ordered).norm(), 1e-13 * (1 + a.norm())) << "seed " << seed;
        for (Index i = 1; i < m; ++i) EXPECT_LE(r.pivot(i), r.pivot(i - 1) * (1 + 1e-12)) << "seed " << seed;
        for (Index j = 0; j < m; ++j) EXPECT_EQ(r.r().col(j).tail(m - j - 1).norm(), 0);
    }
}

TEST(Reflections, TurnVectorsAndMassMatrices) {
    Reflections r;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(14), m = 1 + random.below(n);
        const MatrixXd a = random(n, m), M = random.definite(n);
        MatrixXd used = padded(a), turned = padded(M);
        r.compute(used, n, m);
        r.turn(turned);
        const MatrixXd q = parts(r, a).q;
        EXPECT_LT((turned.topRows(n) - q.transpose() * M * q).norm(), 1e-13 * (1 + M.norm())) << "seed " << seed;
        EXPECT_EQ(turned.bottomRows(turned.rows() - n).norm(), 0);
        const VectorXd x = random.vector(n);
        VectorXd y = padded(x);
        r.to_turned(y.data());
        EXPECT_LT((y.head(n) - q.transpose() * x).norm(), 1e-13 * (1 + x.norm()));
        r.from_turned(y.data());
        EXPECT_LT((y.head(n) - x).norm(), 1e-13 * (1 + x.norm()));
    }
}

TEST(Reflections, SolveWithTheTriangle) {
    Reflections r;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(12), m = 1 + random.below(n - 1);
        const MatrixXd a = random(n, m);
        MatrixXd used = padded(a);
        r.compute(used, n, m);
        if (r.pivot(m - 1) < 1e-3) continue;
        const VectorXd x = random.vector(m), g = random.vector(m);
        VectorXd turned = padded(a * x), found(m), y = VectorXd::Zero(in_fours(n));
        r.to_turned(turned.data());
        r.solve(turned.data(), found.data());
        EXPECT_LT((found - x).norm(), 1e-11 * (1 + x.norm())) << "seed " << seed;
        r.solve_transposed(g.data(), y.data());
        r.from_turned(y.data());
        EXPECT_LT((a.transpose() * y.head(n) - g).norm(), 1e-11 * (1 + g.norm())) << "seed " << seed;
    }
}

/// Pivots of rows that nearly depend on each other keep their digits: lengths are not carried along by differences.
TEST(Reflections, LastPivotsAreAccurate) {
    for (const double gap : {1e-3, 1e-7, 1e-11}) {
        MatrixXd a = MatrixXd::Zero(4, 2);
        a(0, 0) = a(0, 1) = 1, a(2, 1) = gap;
        Reflections r;
        r.compute(a, 3, 2);
        EXPECT_NEAR(r.pivot(0) * r.pivot(1), gap, 1e-14 * gap + 1e-16);
    }
    MatrixXd nothing = MatrixXd::Zero(4, 2);
    Reflections r;
    r.compute(nothing, 3, 2);
    EXPECT_EQ(r.pivot(0), 0);
    VectorXd x = VectorXd::Ones(4);
    r.to_turned(x.data());
    EXPECT_TRUE(x.allFinite());
}

TEST(DefiniteFactor, SolvesCornersOfMatrices) {
    DefiniteFactor factor;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(15), first = random.below(n);
        const MatrixXd a = random.definite(n), corner = a.bottomRightCorner(n - first, n - first);
        ASSERT_TRUE(factor.compute(padded(a), first, n, 0)) << "seed " << seed;
        const VectorXd x = random.vector(n - first);
        VectorXd y = padded(corner * x);
        factor.solve(y.data());
        EXPECT_LT((y.head(n - first) - x).norm(), 1e-9 * (1 + x.norm()) * factor.condition()) << "seed " << seed;
        EXPECT_NEAR(factor.condition(), factor_definite(corner).condition, 1e-6 * factor.condition());
        factor.take(factor_definite(corner));
        y = padded(corner * x);
        factor.solve(y.data());
        EXPECT_LT((y.head(n - first) - x).norm(), 1e-9 * (1 + x.norm()) * factor.condition()) << "seed " << seed;
    }
}

TEST(DefiniteFactor, DoubtIsTold) {
    MatrixXd a = MatrixXd::Zero(4, 2);
    a(0, 0) = a(1, 0) = a(0, 1) = 1, a(1, 1) = 1 + 1e-12;
    DefiniteFactor factor;
    EXPECT_FALSE(factor.compute(a, 0, 2, 0));
    a(1, 1) = 2;
    EXPECT_TRUE(factor.compute(a, 0, 2, 0));
    EXPECT_FALSE(factor.compute(a, 0, 2, 1.5));
    a(1, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(factor.compute(a, 0, 2, 0));
}

TEST(PowersOfTwo, RoundNothing) {
    for (const double x : {1.0, 1.5, 2.0, 3.99, 1e-300, 1e300, 0.1, -7.0}) {
        EXPECT_EQ(exponent(x), std::ilogb(x)) << x;
        EXPECT_EQ(power_of_two(exponent(x)), std::ldexp(1.0, std::ilogb(x))) << x;
    }
    EXPECT_GT(power_of_two(-1023), 0);
}

TEST(Finite, FindsWhatIsNot) {
    for (Index size = 0; size < 11; ++size) {
        VectorXd x = VectorXd::Constant(size, 1e308);
        EXPECT_TRUE(is_finite(x));
        for (Index i = 0; i < size; ++i) {
            for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
                VectorXd y = x;
                y[i] = bad;
                EXPECT_FALSE(is_finite(y)) << i << " of " << size;
            }
        }
    }
}

}  // namespace
}  // namespace linkwright::solve
