// The decompositions that other rooms name do what their equations say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"
#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/singular_values.hpp"
#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;
using Complex = std::complex<double>;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

MatrixXcd complex_matrix(RandomMatrix& random, Index rows, Index columns) {
    return random(rows, columns).cast<Complex>() + Complex(0, 1) * random(rows, columns).cast<Complex>();
}

/// m×n of rank r, by integers, so that dependent columns are so exactly.
MatrixXd deficient(RandomMatrix& random, Index m, Index n, Index r) {
    const auto whole = [](double x) { return std::round(8 * x); };
    return random(m, r).unaryExpr(whole) * random(r, n).unaryExpr(whole);
}

double off(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / (1 + b.norm()); }
double off_complex(const MatrixXcd& a, const MatrixXcd& b) { return (a - b).norm() / (1 + b.norm()); }
bool is_orthonormal(const MatrixXd& q) { return off(q.transpose() * q, MatrixXd::Identity(q.cols(), q.cols())) < 1e-13; }

TEST(Elimination, Solves) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(30);
        const MatrixXd a = random(n, n) + MatrixXd::Identity(n, n) * 3, b = random(n, 3), one = MatrixXd::Identity(n, n);
        const MatrixXcd ac = complex_matrix(random, n, n) + 3 * one, bc = complex_matrix(random, n, 3);
        const Lu lu(a);
        EXPECT_LT(off(a * lu.solve(b), b), 1e-11);
        EXPECT_LT(off(lu.solve(b).col(1), lu.solve(b.col(1))), 1e-12);
        EXPECT_LT(off_complex(MatrixXcd(a * lu.solve(bc.col(1))), MatrixXcd(bc.col(1))), 1e-11);
        EXPECT_LT(off(lu.inverse() * a, one), 1e-10);
        const auto column_sum = [](const MatrixXd& m) { return m.cwiseAbs().colwise().sum().maxCoeff(); };
        const double rcond = 1 / (column_sum(a) * column_sum(lu.inverse()));
        EXPECT_GT(lu.rcond(), 0.99 * rcond);  // an estimate, from above
        EXPECT_LT(lu.rcond(), 10 * rcond);
        VectorXd x;
        lu.solve_into(b.col(0), x);
        EXPECT_EQ(x, lu.solve(b.col(0)));
        EXPECT_LT(off_complex(ac * ComplexLu(ac).solve(bc), bc), 1e-11);
        EXPECT_LT(off_complex(MatrixXcd(ac * ComplexLu(ac).solve(bc.col(2))), MatrixXcd(bc.col(2))), 1e-11);
        EXPECT_LT(off(a * FullLu(a).solve(b.col(0)), b.col(0)), 1e-11);
        EXPECT_LT(off(FullLu(a).inverse(), lu.inverse()), 1e-10);
        EXPECT_LT(FullLu(a).rcond(), 10 * rcond);
        EXPECT_TRUE(FullLu(a).is_invertible());
        EXPECT_LT(off_complex(ac * ComplexFullLu(ac).solve(bc), bc), 1e-11);
        EXPECT_LT(off_complex(MatrixXcd(ac * ComplexFullLu(ac).solve(bc.col(0))), MatrixXcd(bc.col(0))), 1e-11);
        EXPECT_GT(ComplexFullLu(ac).rcond(), 0);
        const MatrixXd m = random.definite(n);
        EXPECT_LT(off(m * Ldlt(m).solve(b), b), 1e-9);
    }
}

/// By elimination with whole numbers: exact, since products of small integers are.
Index rank_of(MatrixXd a) {
    Index rank = 0;
    for (Index c = 0; c < a.cols() && rank < a.rows(); ++c) {
        Index at = 0;
        if (a.col(c).tail(a.rows() - rank).cwiseAbs().maxCoeff(&at) < 1e-6) continue;
        a.row(rank).swap(a.row(rank + at));
        for (Index r = rank + 1; r < a.rows(); ++r) a.row(r) -= a(r, c) / a(rank, c) * a.row(rank);
        ++rank;
    }
    return rank;
}

TEST(Elimination, TellsTheRank) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(8), r = 1 + random.below(n - 1);
        const MatrixXd a = deficient(random, n, n, r);
        EXPECT_EQ(ComplexFullLu(a.cast<Complex>()).rank(1e-5), rank_of(a));
        EXPECT_FALSE(FullLu(a).is_invertible());
    }
    EXPECT_EQ(ComplexFullLu(MatrixXcd::Ones(5, 2)).rank(1e-5), 1);
    EXPECT_EQ(ComplexFullLu(MatrixXcd::Zero(2, 3)).rank(1e-5), 0);
}

TEST(Elimination, ASingularMatrixGivesWhatIsNotFinite) {
    const MatrixXd zero = MatrixXd::Zero(2, 2);
    EXPECT_FALSE(Lu(zero).solve(VectorXd::Ones(2)).allFinite());
    EXPECT_FALSE(Lu(MatrixXd::Constant(2, 2, nan)).solve(VectorXd::Ones(2)).allFinite());
    EXPECT_FALSE(ComplexLu(zero.cast<Complex>()).solve(VectorXcd::Ones(2)).allFinite());
    EXPECT_EQ(FullLu(zero).solve(VectorXd::Ones(2)), VectorXd::Zero(2));
    EXPECT_EQ(Ldlt(zero).solve(MatrixXd::Ones(2, 1)), MatrixXd::Zero(2, 1));
}

TEST(Elimination, CopiesAreValues) {
    const MatrixXd one = MatrixXd::Identity(3, 3);
    Lu first(one);
    const Lu copy = first;
    first.compute(2 * one);
    EXPECT_EQ(copy.solve(VectorXd::Ones(3)), VectorXd::Ones(3));
    EXPECT_EQ(first.solve(VectorXd::Ones(3)), VectorXd::Constant(3, 0.5));
    first.compute(MatrixXd::Constant(1, 1, 4));
    EXPECT_EQ(first.solve(VectorXd::Ones(1)), VectorXd::Constant(1, 0.25));
}

TEST(Orthogonal, FactorsAndSolves) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        RandomMatrix random(seed);
        const Index m = 1 + random.below(20), n = 1 + random.below(20);
        const MatrixXd a = seed % 2 == 0 ? random(m, n) : deficient(random, m, n, 1 + random.below(std::min(m, n))), b = random(m, 3);
        const PlainQr f = plain_qr(a);
        EXPECT_TRUE(is_orthonormal(f.q));
        EXPECT_LT(off(f.q.leftCols(f.r.rows()) * f.r, a), 1e-13);
        EXPECT_EQ(triangular_factor(a), f.r);
        const PivotedQr qr(a);
        EXPECT_TRUE(is_orthonormal(qr.q()));
        EXPECT_EQ(qr.pivot(0), qr.pivots()[0]);
        EXPECT_EQ(qr.pivots(), VectorXd(qr.r().diagonal().cwiseAbs()));
        for (Index k = 0; k + 1 < qr.pivots().size(); ++k) EXPECT_GE(qr.pivot(k) * (1 + 1e-12) + 1e-12, qr.pivot(k + 1));
        for (Index k = 0; k < n; ++k) EXPECT_LT(off(qr.q().leftCols(qr.r().rows()) * qr.r().col(k), a.col(qr.order()[k])), 1e-13);
        VectorXd x;
        qr.solve_into(b.col(2), x);
        EXPECT_EQ(x, qr.solve(b.col(2)));
        if (seed % 2 == 0) EXPECT_LT(off(qr.solve(b).col(0), qr.solve(b.col(0))), 1e-12);
        const double scale = a.norm() * a.norm() + 1;
        for (const double threshold : {0.0, 1e-9}) {
            const CompleteOrthogonal complete = threshold > 0 ? CompleteOrthogonal(a, threshold) : CompleteOrthogonal(a);
            EXPECT_TRUE(seed % 2 == 0 || complete.rank() == rank_of(a));
            const VectorXd shortest = complete.solve(-b.col(1));
            EXPECT_LT((a.transpose() * (a * shortest + b.col(1))).norm(), 1e-10 * scale);  // least squares
            const MatrixXd& p = complete.pseudo_inverse();                                 // Penrose's four equations
            EXPECT_LT(off(a * p * a, a), 1e-9);
            EXPECT_LT(off(p * a * p, p), 1e-9);
            EXPECT_LT(off((a * p).transpose(), a * p), 1e-9);
            EXPECT_LT(off((p * a).transpose(), p * a), 1e-9);
            EXPECT_LT(off(complete.solve(b), p * b), 1e-9);
            complete.solve_into(b.col(1), x);
            EXPECT_EQ(x, complete.solve(b.col(1)));
        }
        if (seed % 2 == 1) continue;  // where the rank is in doubt it promises nothing
        const MatrixXd at = a.transpose();
        EXPECT_LT((a.transpose() * (a * solve_transposed(at, b.col(0)) - b.col(0))).norm(), 1e-10 * scale);
    }
}

TEST(Orthogonal, TheThresholdDecidesTheRank) {
    const MatrixXd a = Eigen::Vector3d(1, 1e-6, 0).asDiagonal();
    EXPECT_EQ(CompleteOrthogonal(a).rank(), 2);
    EXPECT_EQ(CompleteOrthogonal(a, 1e-5).rank(), 1);
    EXPECT_EQ(CompleteOrthogonal(a, 1e-5).solve(VectorXd::Ones(3)), VectorXd::Unit(3, 0));
    CompleteOrthogonal again(a, 1e-9);
    const CompleteOrthogonal copy = again;
    again.compute(a, 1e-3);
    EXPECT_EQ(again.rank(), 1);
    EXPECT_EQ(copy.rank(), 2);
}

TEST(Orthogonal, WhatIsNotFiniteMakesWhatIsNotFinite) {
    MatrixXd a = MatrixXd::Identity(3, 3);
    a(1, 1) = nan;
    EXPECT_FALSE(PivotedQr(a).pivots().allFinite());
    EXPECT_FALSE(PivotedQr(a).solve(VectorXd::Ones(3)).allFinite());
}

TEST(SingularValues, MakeTheMatrixAgain) {
    using enum SingularVectors;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index m = 1 + random.below(12), n = 1 + random.below(12), k = std::min(m, n);
        const MatrixXd a = seed % 2 == 0 ? random(m, n) : deficient(random, m, n, 1 + random.below(k));
        const VectorXd s = singular_values(a, none, none).s;
        for (const SingularVectors u : {none, thin, full}) {
            for (const SingularVectors v : {none, thin, full}) {
                const SingularValues f = singular_values(a, u, v);
                ASSERT_TRUE(f.ok);
                EXPECT_LT(off(f.s, s), 1e-13);
                EXPECT_EQ(f.rank, seed % 2 == 0 ? k : rank_of(a));
                EXPECT_EQ(f.u.cols(), u == none ? 0 : u == thin ? k : m);
                EXPECT_EQ(f.v.cols(), v == none ? 0 : v == thin ? k : n);
                EXPECT_TRUE(is_orthonormal(f.u) && is_orthonormal(f.v));
                if (u == none || v == none) continue;
                EXPECT_LT(off(f.u.leftCols(k) * f.s.asDiagonal() * f.v.leftCols(k).transpose(), a), 1e-13);
            }
        }
        const MatrixXcd c = complex_matrix(random, m, n);
        EXPECT_NEAR(singular_values(c).squaredNorm(), c.squaredNorm(), 1e-11 * c.squaredNorm());
        EXPECT_LT(off(singular_values(a.cast<Complex>()), s), 1e-12);
    }
}

TEST(SingularValues, OfWhatIsNotFiniteAreNone) {
    MatrixXd a = MatrixXd::Ones(3, 2);
    a(2, 1) = nan;
    const SingularValues f = singular_values(a, SingularVectors::thin, SingularVectors::full);
    EXPECT_FALSE(f.ok);
    EXPECT_EQ(f.rank, 0);
    EXPECT_TRUE(f.s.array().isNaN().all());
    EXPECT_TRUE(f.u.array().isNaN().all());
    EXPECT_TRUE(f.v.array().isNaN().all());
    EXPECT_TRUE(singular_values(a.cast<Complex>()).array().isNaN().all());
}

TEST(Eigenvalues, SolveTheirEquations) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(12);
        const MatrixXd a = random(n, n), K = a + a.transpose(), M = random.definite(n);
        const MatrixXcd c = complex_matrix(random, n, n);
        const SymmetricEigen one = symmetric_eigen(K), two = symmetric_eigen(K, M), only = symmetric_eigenvalues(K, M);
        ASSERT_TRUE(one.ok && two.ok && only.ok);
        EXPECT_LT(off(K * one.vectors, one.vectors * one.values.asDiagonal()), 1e-12);
        EXPECT_TRUE(is_orthonormal(one.vectors));
        EXPECT_TRUE(std::ranges::is_sorted(one.values) && std::ranges::is_sorted(two.values));
        EXPECT_LT(off(K * two.vectors, M * two.vectors * two.values.asDiagonal()), 1e-9);
        EXPECT_LT(off(two.vectors.transpose() * M * two.vectors, MatrixXd::Identity(n, n)), 1e-9);
        EXPECT_LT(off(only.values, two.values), 1e-9);
        EXPECT_EQ(only.vectors.size(), 0);
        const ComplexEigen general = complex_eigen(c), real = complex_eigen(a.cast<Complex>());
        ASSERT_TRUE(general.ok && real.ok);
        EXPECT_LT(off_complex(MatrixXcd(c * general.vectors), MatrixXcd(general.vectors * general.values.asDiagonal())), 1e-12);
        EXPECT_LT(std::abs(eigenvalues(c).sum() - c.trace()), 1e-11 * static_cast<double>(n));
        const VectorXcd mine = eigenvalues(a);
        for (const Complex mu : mine) {  // each is one of the complex ones
            EXPECT_LT((real.values.array() - mu).abs().minCoeff(), 1e-7);
        }
        for (Index i = 0; i < n; ++i) {
            EXPECT_TRUE(!(mine[i].imag() > 0) || mine[i + 1] == std::conj(mine[i]));
        }
        const Hessenberg h = hessenberg(a);
        EXPECT_TRUE(is_orthonormal(h.q));
        for (Index j = 0; j < n; ++j) EXPECT_TRUE(j + 2 >= n || h.h.col(j).tail(n - j - 2).isZero(0));
        EXPECT_LT((h.q * h.h * h.q.transpose() - a).norm(), 1e-13 * a.norm() * static_cast<double>(n));
    }
}

TEST(Eigenvalues, OfWhatIsNotFiniteAreNotFinite) {
    MatrixXd a = MatrixXd::Identity(3, 3);
    a(1, 0) = a(0, 1) = nan;
    EXPECT_TRUE(eigenvalues(a).array().isNaN().any());
    EXPECT_TRUE(eigenvalues(a.cast<Complex>().eval()).array().isNaN().any());
    EXPECT_FALSE(symmetric_eigen(a).values.allFinite());
}

}  // namespace
}  // namespace linkwright::solve
