// The decompositions that other rooms name are Eigen's, to the last bit: the same class, options and thresholds.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
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

TEST(Elimination, IsThatOfEigen) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(30);
        const MatrixXd a = random(n, n), b = random(n, 3);
        const MatrixXcd ac = complex_matrix(random, n, n), bc = complex_matrix(random, n, 3);
        const Eigen::PartialPivLU<MatrixXd> partial(a);
        const Lu lu(a);
        EXPECT_EQ(lu.solve(b), MatrixXd(partial.solve(b)));
        EXPECT_EQ(lu.solve(b.col(1)), VectorXd(partial.solve(b.col(1))));
        EXPECT_EQ(lu.solve(bc.col(1)), VectorXcd(partial.solve(bc.col(1))));
        EXPECT_EQ(lu.inverse(), a.inverse());
        EXPECT_EQ(lu.rcond(), partial.rcond());
        EXPECT_EQ(lu.pivots(), VectorXd(partial.matrixLU().diagonal()));
        VectorXd x;
        lu.solve_into(b.col(0), x);
        EXPECT_EQ(x, lu.solve(b.col(0)));
        const Eigen::PartialPivLU<MatrixXcd> partial_complex(ac);
        EXPECT_EQ(ComplexLu(ac).solve(bc), MatrixXcd(partial_complex.solve(bc)));
        EXPECT_EQ(ComplexLu(ac).solve(bc.col(2)), VectorXcd(partial_complex.solve(bc.col(2))));
        const Eigen::FullPivLU<MatrixXd> full(a);
        EXPECT_EQ(FullLu(a).solve(b.col(0)), VectorXd(full.solve(b.col(0))));
        EXPECT_EQ(FullLu(a).inverse(), MatrixXd(full.inverse()));
        EXPECT_EQ(FullLu(a).rcond(), full.rcond());
        EXPECT_TRUE(FullLu(a).is_invertible());
        const Eigen::FullPivLU<MatrixXcd> full_complex(ac);
        EXPECT_EQ(ComplexFullLu(ac).solve(bc), MatrixXcd(full_complex.solve(bc)));
        EXPECT_EQ(ComplexFullLu(ac).solve(bc.col(0)), VectorXcd(full_complex.solve(bc.col(0))));
        EXPECT_EQ(ComplexFullLu(ac).rcond(), full_complex.rcond());
        const MatrixXd m = random.definite(n);
        EXPECT_EQ(Ldlt(m).solve(b), MatrixXd(m.ldlt().solve(b)));
    }
}

TEST(Elimination, TellsTheRank) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(8), r = 1 + random.below(n - 1);
        const MatrixXd a = deficient(random, n, n, r);
        Eigen::FullPivLU<MatrixXcd> lu(a.cast<Complex>());
        lu.setThreshold(1e-5);
        EXPECT_EQ(ComplexFullLu(a.cast<Complex>()).rank(1e-5), lu.rank());
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

TEST(Orthogonal, IsThatOfEigen) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        RandomMatrix random(seed);
        const Index m = 1 + random.below(20), n = 1 + random.below(20);
        const MatrixXd a = seed % 2 == 0 ? random(m, n) : deficient(random, m, n, 1 + random.below(std::min(m, n))), b = random(m, 3);
        const Eigen::HouseholderQR<MatrixXd> plain(a);
        const PlainQr f = plain_qr(a);
        EXPECT_EQ(f.q, MatrixXd(plain.householderQ()));
        EXPECT_LT((f.q.leftCols(f.r.rows()) * f.r - a).norm(), 1e-12 * (1 + a.norm()));
        EXPECT_EQ(triangular_factor(a), f.r);
        const Eigen::ColPivHouseholderQR<MatrixXd> pivoted(a);
        const PivotedQr qr(a);
        EXPECT_EQ(qr.solve(b), MatrixXd(pivoted.solve(b)));
        EXPECT_EQ(qr.solve(b.col(0) - b.col(1)), VectorXd(pivoted.solve(b.col(0) - b.col(1))));
        EXPECT_EQ(qr.pivots(), VectorXd(pivoted.matrixR().diagonal().cwiseAbs()));
        EXPECT_EQ(qr.pivot(0), qr.pivots()[0]);
        EXPECT_EQ(qr.q(), MatrixXd(pivoted.householderQ()));
        EXPECT_EQ(qr.order(), pivoted.colsPermutation().indices());
        for (Index k = 0; k < n; ++k)
            EXPECT_LT((qr.q().leftCols(qr.r().rows()) * qr.r().col(k) - a.col(qr.order()[k])).norm(), 1e-12 * (1 + a.norm()));
        VectorXd x;
        qr.solve_into(b.col(2), x);
        EXPECT_EQ(x, qr.solve(b.col(2)));
        EXPECT_EQ(solve_transposed(a.transpose(), b.col(0)),
                  VectorXd(MatrixXd(a.transpose()).transpose().colPivHouseholderQr().solve(b.col(0))));
        for (const double threshold : {0.0, 1e-9}) {
            Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
            if (threshold > 0) cod.setThreshold(threshold);
            cod.compute(a);
            const CompleteOrthogonal complete = threshold > 0 ? CompleteOrthogonal(a, threshold) : CompleteOrthogonal(a);
            EXPECT_EQ(complete.rank(), cod.rank());
            EXPECT_EQ(complete.solve(b), MatrixXd(cod.solve(b)));
            EXPECT_EQ(complete.solve(-b.col(1)), VectorXd(cod.solve(-b.col(1))));
            EXPECT_EQ(complete.pseudo_inverse(), MatrixXd(cod.pseudoInverse()));
            complete.solve_into(b.col(1), x);
            EXPECT_EQ(x, complete.solve(b.col(1)));
        }
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

TEST(SingularValues, AreThoseOfEigen) {
    const std::vector<std::pair<SingularVectors, unsigned>> lefts = {
        {SingularVectors::none, 0}, {SingularVectors::thin, Eigen::ComputeThinU}, {SingularVectors::full, Eigen::ComputeFullU}};
    const std::vector<std::pair<SingularVectors, unsigned>> rights = {
        {SingularVectors::none, 0}, {SingularVectors::thin, Eigen::ComputeThinV}, {SingularVectors::full, Eigen::ComputeFullV}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index m = 1 + random.below(12), n = 1 + random.below(12);
        const MatrixXd a = seed % 2 == 0 ? random(m, n) : deficient(random, m, n, 1 + random.below(std::min(m, n)));
        for (const auto& [u, left] : lefts) {
            for (const auto& [v, right] : rights) {
                const Eigen::JacobiSVD<MatrixXd> svd(a, left | right);
                const SingularValues f = singular_values(a, u, v);
                ASSERT_TRUE(f.ok);
                EXPECT_EQ(f.s, svd.singularValues());
                EXPECT_EQ(f.rank, svd.rank());
                EXPECT_EQ(f.u, left != 0 ? svd.matrixU() : MatrixXd());
                EXPECT_EQ(f.v, right != 0 ? svd.matrixV() : MatrixXd());
            }
        }
        const MatrixXcd c = complex_matrix(random, m, n);
        EXPECT_EQ(singular_values(c), Eigen::JacobiSVD<MatrixXcd>(c).singularValues());
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

TEST(Eigenvalues, AreThoseOfEigen) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(12);
        const MatrixXd a = random(n, n), K = a + a.transpose(), M = random.definite(n);
        const MatrixXcd c = complex_matrix(random, n, n);
        const Eigen::SelfAdjointEigenSolver<MatrixXd> one(K);
        const SymmetricEigen of_one = symmetric_eigen(K);
        ASSERT_TRUE(of_one.ok);
        EXPECT_EQ(of_one.values, one.eigenvalues());
        EXPECT_EQ(of_one.vectors, one.eigenvectors());
        const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> two(K, M), only(K, M, Eigen::EigenvaluesOnly);
        const SymmetricEigen of_two = symmetric_eigen(K, M), of_only = symmetric_eigenvalues(K, M);
        ASSERT_TRUE(of_two.ok && of_only.ok);
        EXPECT_EQ(of_two.values, two.eigenvalues());
        EXPECT_EQ(of_two.vectors, two.eigenvectors());
        EXPECT_EQ(of_only.values, only.eigenvalues());
        EXPECT_EQ(of_only.vectors.size(), 0);
        EXPECT_EQ(eigenvalues(a), VectorXcd(Eigen::EigenSolver<MatrixXd>(a, false).eigenvalues()));
        EXPECT_EQ(eigenvalues(c), VectorXcd(Eigen::ComplexEigenSolver<MatrixXcd>(c, false).eigenvalues()));
        const Eigen::ComplexEigenSolver<MatrixXcd> general(c);
        const ComplexEigen of_general = complex_eigen(c);
        ASSERT_TRUE(of_general.ok);
        EXPECT_EQ(of_general.values, general.eigenvalues());
        EXPECT_EQ(of_general.vectors, general.eigenvectors());
        const Hessenberg h = hessenberg(a);
        const Eigen::HessenbergDecomposition<MatrixXd> exact(a);
        EXPECT_EQ(h.q, MatrixXd(exact.matrixQ()));
        EXPECT_EQ(h.h, MatrixXd(exact.matrixH()));
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
