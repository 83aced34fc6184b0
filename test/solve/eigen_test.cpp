#include "linkwright/solve/eigen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <limits>
#include <numbers>

#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using test::RandomMatrix;
using testing::ElementsAre;
using testing::HasSubstr;
using Complex = std::complex<double>;

MatrixXd orthogonal(RandomMatrix& random, Index n) { return Eigen::HouseholderQR<MatrixXd>(random(n, n)).householderQ(); }

std::vector<Complex> sorted(const VectorXcd& v) {
    std::vector<Complex> list(v.begin(), v.end());
    std::ranges::sort(
        list, [](Complex a, Complex b) { return std::abs(a.real() - b.real()) > 1e-6 ? a.real() < b.real() : a.imag() < b.imag(); });
    return list;
}

void expect_near(const VectorXcd& found, const std::vector<Complex>& expected, double tolerance) {
    ASSERT_EQ(static_cast<std::size_t>(found.size()), expected.size());
    const auto list = sorted(found);
    for (std::size_t i = 0; i < list.size(); ++i)
        EXPECT_LT(std::abs(list[i] - expected[i]), tolerance * std::max(1.0, std::abs(expected[i]))) << i << ": " << list[i];
}

// ---- K x = λ M x

TEST(SymmetricSpectrum, OfAChainOfMassesIsKnown) {
    const Index n = 12;  // between walls: λ_j = 2 − 2 cos(jπ/(n + 1))
    MatrixXd K = 2 * MatrixXd::Identity(n, n);
    for (Index i = 0; i + 1 < n; ++i) K(i, i + 1) = K(i + 1, i) = -1;
    const SymmetricSpectrum s = symmetric_spectrum(K, MatrixXd::Identity(n, n));
    ASSERT_TRUE(s.ok) << s.why;
    EXPECT_TRUE(s.is_graded);
    for (Index j = 0; j < n; ++j)
        EXPECT_NEAR(s.lambda[j], 2 - 2 * std::cos(static_cast<double>(j + 1) * std::numbers::pi / static_cast<double>(n + 1)), 1e-14);
}

TEST(SymmetricSpectrum, RandomOnesHoldTheirEquation) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RandomMatrix random(seed);
        const Index n = 1 + random.below(15);
        const MatrixXd M = random.definite(n);
        MatrixXd K = random(n, n);
        K = (K + K.transpose()).eval();
        if (seed % 3 == 0) K = random.definite(n);
        const SymmetricSpectrum s = symmetric_spectrum(K, M);
        ASSERT_TRUE(s.ok) << s.why;
        EXPECT_LT((K * s.x - M * s.x * s.lambda.asDiagonal()).norm(), 1e-9 * (1 + s.lambda.norm()));
        EXPECT_LT((s.x.transpose() * M * s.x - MatrixXd::Identity(n, n)).norm(), 1e-10);
        for (Index i = 0; i + 1 < n; ++i) EXPECT_LE(s.lambda[i], s.lambda[i + 1]);
    }
}

TEST(SymmetricSpectrum, SmallEigenvaluesKeepTheirDigitsBesideLargeOnes) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomMatrix random(seed);
        // K = D C D, C well conditioned: λ span 20 decades and each is known to all digits from the exact 1 × 1 … nested problems.
        const VectorXd units = (Eigen::Vector4d() << 1e-7, 1e-2, 1e3, 1e8).finished();
        const MatrixXd C = random.definite(4);
        const MatrixXd K = units.asDiagonal() * C * units.asDiagonal(), M = MatrixXd::Identity(4, 4);
        const SymmetricSpectrum s = symmetric_spectrum(K, M);
        ASSERT_TRUE(s.ok && s.is_graded) << s.why;
        for (Index i = 0; i < 4; ++i) {  // to first order λ_i is a Schur complement; terms of second order are 1e-10 of it
            const Index rest = 3 - i;
            double schur = C(i, i);
            if (rest > 0) schur -= C.row(i).tail(rest) * C.bottomRightCorner(rest, rest).inverse() * C.col(i).tail(rest);
            EXPECT_NEAR(s.lambda[i] / (units[i] * units[i]) / schur, 1, 1e-6) << seed << ' ' << i;
        }
        double product = 1;  // and det K to all digits
        for (Index i = 0; i < 4; ++i) product *= s.lambda[i] / (units[i] * units[i]);
        EXPECT_NEAR(product / C.determinant(), 1, 1e-11);
    }
}

TEST(SymmetricSpectrum, UnitsOfTheMassMatrixDoNotMatter) {
    RandomMatrix random(5);
    const MatrixXd M = random.definite(5), K = random.definite(5);
    const VectorXd units = (VectorXd(5) << 1e-9, 1e7, 1, 1e-4, 1e5).finished();
    const SymmetricSpectrum a = symmetric_spectrum(K, M), b = symmetric_spectrum(units.asDiagonal() * K * units.asDiagonal(),
                                                                                 units.asDiagonal() * M * units.asDiagonal());
    ASSERT_TRUE(a.ok && b.ok) << b.why;
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(b.lambda[i] / a.lambda[i], 1, 1e-12);
    EXPECT_LT((units.asDiagonal() * b.x - a.x).norm(), 1e-10);
}

TEST(SymmetricSpectrum, RigidMotionsAreZeros) {
    MatrixXd K(3, 3);
    K << 1e6, -1e6, 0, -1e6, 1e6 + 3, -3, 0, -3, 3;
    const SymmetricSpectrum s = symmetric_spectrum(K, MatrixXd::Identity(3, 3));
    ASSERT_TRUE(s.ok) << s.why;
    EXPECT_EQ(s.lambda[0], 0);
    EXPECT_NEAR(s.lambda[1], 4.5, 1e-4);
    EXPECT_EQ(symmetric_spectrum(MatrixXd::Zero(2, 2), MatrixXd::Identity(2, 2)).lambda, VectorXd::Zero(2));
}

TEST(SymmetricSpectrum, NegativeOnesAndMassesThatAreNone) {
    const SymmetricSpectrum unstable = symmetric_spectrum((Eigen::Matrix2d() << -3, 0, 0, 2).finished(), Eigen::Matrix2d::Identity());
    ASSERT_TRUE(unstable.ok);
    EXPECT_NEAR(unstable.lambda[0], -3, 1e-14);
    const SymmetricSpectrum singular = symmetric_spectrum(Eigen::Matrix2d::Identity(), Eigen::Matrix2d::Ones());
    EXPECT_FALSE(singular.ok);
    EXPECT_EQ(singular.bad, 1);
    EXPECT_THAT(singular.why, HasSubstr("without inertia"));
    EXPECT_EQ(singular.direction, Eigen::Vector2d(-1, 1));
    const SymmetricSpectrum indefinite =
        symmetric_spectrum(Eigen::Matrix2d::Identity(), Eigen::Vector2d(1, -1).asDiagonal().toDenseMatrix());
    EXPECT_FALSE(indefinite.ok);
    EXPECT_THAT(indefinite.why, HasSubstr("negative inertia"));
    MatrixXd bad = MatrixXd::Identity(2, 2);
    bad(0, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(symmetric_spectrum(bad, MatrixXd::Identity(2, 2)).why, HasSubstr("row 0, column 1"));
    EXPECT_FALSE(symmetric_spectrum(MatrixXd::Identity(2, 2), MatrixXd::Identity(3, 3)).ok);
}

TEST(SymmetricSpectrum, NoneAndOne) {
    EXPECT_TRUE(symmetric_spectrum(MatrixXd(0, 0), MatrixXd(0, 0)).ok);
    const SymmetricSpectrum one = symmetric_spectrum(MatrixXd::Constant(1, 1, 12), MatrixXd::Constant(1, 1, 4));
    ASSERT_TRUE(one.ok);
    EXPECT_NEAR(one.lambda[0], 3, 1e-15);
    EXPECT_NEAR(one.x(0, 0), 0.5, 1e-15);
}

// ---- A x = λ x

TEST(Spectrum, OfRandomMatricesWithKnownOnes) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        RandomMatrix random(seed);
        MatrixXd d = MatrixXd::Zero(5, 5);
        d.diagonal() << -3, -1, 2, 0.5, 0.5;
        d(3, 4) = 2, d(4, 3) = -2;
        const MatrixXd t = orthogonal(random, 5) * (MatrixXd::Identity(5, 5) + 0.3 * random(5, 5)), A = t * d * t.inverse();
        const Spectrum s = spectrum(A);
        ASSERT_TRUE(s.ok) << s.why;
        expect_near(s.values, {-3, -1, {0.5, -2}, {0.5, 2}, 2}, 1e-11);
        for (Index i = 0; i < 5; ++i) {
            EXPECT_LT((A * s.right.col(i) - s.values[i] * s.right.col(i)).norm(), 1e-12 * (1 + s.norm));
            EXPECT_LT((s.left.col(i).adjoint() * A - s.values[i] * s.left.col(i).adjoint()).norm(), 1e-12 * (1 + s.norm));
            EXPECT_NEAR(s.right.col(i).norm(), 1, 1e-14);
            EXPECT_GE(s.condition[i], 1 - 1e-12);
        }
    }
}

TEST(Spectrum, SaysThatADefectiveEigenvalueIsWorthLittle) {
    MatrixXd jordan = MatrixXd::Identity(3, 3) * 2;
    jordan(0, 1) = jordan(1, 2) = 1;
    RandomMatrix random(1);
    const MatrixXd q = orthogonal(random, 3);
    const Spectrum s = spectrum(q * jordan * q.transpose());
    ASSERT_TRUE(s.ok);
    for (Index i = 0; i < 3; ++i) {
        EXPECT_LT(std::abs(s.values[i] - 2.0), 1e-4);
        EXPECT_GT(s.condition[i], 1e6);
        EXPECT_GT(s.error[i], 1e-10);
    }
    const Spectrum exact = spectrum((Eigen::Matrix2d() << 0, 1, 0, 0).finished());
    ASSERT_TRUE(exact.ok);
    EXPECT_EQ(exact.values[0], 0.0);
    EXPECT_EQ(exact.values[1], 0.0);
}

TEST(Spectrum, BalancesUnits) {
    RandomMatrix random(7);
    const MatrixXd A = random(6, 6);
    VectorXd units(6);
    units << 1e-8, 1, 1e8, 1e3, 1e-5, 1e6;
    const auto a = sorted(spectrum(A).values), b = sorted(spectrum(units.asDiagonal() * A * units.cwiseInverse().asDiagonal()).values);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_LT(std::abs(a[i] - b[i]), 1e-12);
}

TEST(Spectrum, NoneOneAndNotFinite) {
    EXPECT_TRUE(spectrum(MatrixXd(0, 0)).ok);
    EXPECT_EQ(spectrum(MatrixXd::Constant(1, 1, -4)).values[0], -4.0);
    EXPECT_FALSE(spectrum(MatrixXd::Constant(1, 1, std::numeric_limits<double>::infinity())).ok);
    EXPECT_FALSE(spectrum(MatrixXd::Ones(2, 3)).ok);
}

// ---- A x = λ B x

/// A pencil with given finite eigenvalues and chains at infinity, seen through random matrices.
struct Made {
    MatrixXd A, B;
};
Made make_pencil(RandomMatrix& random, const std::vector<double>& finite, const std::vector<Index>& chains, bool is_plain = false) {
    Index n = finite.size();
    for (const Index c : chains) n += c;
    Made p{MatrixXd::Identity(n, n), MatrixXd::Zero(n, n)};
    Index at = 0;
    for (const double value : finite) p.A(at, at) = value, p.B(at, at) = 1, ++at;
    for (const Index c : chains) {
        for (Index i = 0; i + 1 < c; ++i) p.B(at + i, at + i + 1) = 1;
        at += c;
    }
    if (is_plain) return p;
    const MatrixXd l = orthogonal(random, n) + 0.2 * random(n, n), r = orthogonal(random, n) + 0.2 * random(n, n);
    p.A = l * p.A * r, p.B = l * p.B * r;
    return p;
}

TEST(PencilSpectrum, TellsFiniteFromInfiniteHoweverLongTheChains) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RandomMatrix random(seed);
        const std::vector<Index> chains = seed % 4 == 0   ? std::vector<Index>{3, 3, 2}
                                          : seed % 4 == 1 ? std::vector<Index>{2, 2, 2}
                                          : seed % 4 == 2 ? std::vector<Index>{1, 3}
                                                          : std::vector<Index>{};
        const Made p = make_pencil(random, {-7, -2, 0, 3, 11}, chains, seed < 4);
        const PencilSpectrum s = pencil_spectrum(p.A, p.B);
        ASSERT_TRUE(s.ok) << s.why;
        Index count = 0;
        for (const Index c : chains) count += c;
        EXPECT_EQ(s.infinite, count);
        expect_near(s.values, {-7, -2, 0, 3, 11}, 1e-8);
        for (Index i = 0; i < s.values.size(); ++i) {
            EXPECT_LT((p.A * s.right.col(i) - s.values[i] * p.B * s.right.col(i)).norm(), 1e-9);
            EXPECT_LT((s.left.col(i).adjoint() * p.A - s.values[i] * s.left.col(i).adjoint() * p.B).norm(), 1e-9);
        }
    }
}

TEST(PencilSpectrum, OfConstrainedMassesIsThatOfTheirNullSpace) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        RandomMatrix random(seed);
        const Index n = 2 + random.below(9), m = random.below(n);
        VectorXd units(n);  // metres beside micrometres
        for (Index i = 0; i < n; ++i) units[i] = std::pow(10.0, static_cast<double>(random.below(7)) - 3);
        const MatrixXd M = units.asDiagonal() * random.definite(n) * units.asDiagonal(),
                       K = 1e5 * units.asDiagonal() * random.definite(n) * units.asDiagonal();
        const MatrixXd G = random(m, n) * units.asDiagonal();
        MatrixXd A = MatrixXd::Zero(n + m, n + m), B = A;
        A.topLeftCorner(n, n) = K, A.topRightCorner(n, m) = G.transpose(), A.bottomLeftCorner(m, n) = G;
        B.topLeftCorner(n, n) = M;
        const PencilSpectrum s = pencil_spectrum(A, B);
        ASSERT_TRUE(s.ok) << s.why << ' ' << seed;
        EXPECT_EQ(s.infinite, 2 * m);
        const NullSpace z = null_space_by_qr(G * units.cwiseInverse().asDiagonal());
        const MatrixXd Z = units.cwiseInverse().asDiagonal() * z.z;
        EXPECT_EQ(z.rank, m);
        const SymmetricSpectrum r = symmetric_spectrum(Z.transpose() * K * Z, Z.transpose() * M * Z);
        ASSERT_TRUE(r.ok);
        ASSERT_EQ(s.values.size(), r.lambda.size());
        const auto list = sorted(s.values);
        for (Index i = 0; i < r.lambda.size(); ++i) EXPECT_LT(std::abs(list[i] / r.lambda[i] - 1.0), 1e-8) << seed;
    }
}

TEST(PencilSpectrum, SingularOnesAreRefused) {
    // A constraint twice over: its multipliers are not determined, whatever λ.
    MatrixXd A = MatrixXd::Zero(4, 4), B = A;
    A.diagonal() << 1, 2, 0, 0;
    A.block(0, 2, 2, 2) << 1, 2, 1, 2;
    A.block(2, 0, 2, 2) << 1, 1, 2, 2;
    B.diagonal() << 1, 1, 0, 0;
    const PencilSpectrum s = pencil_spectrum(A, B);
    EXPECT_FALSE(s.ok);
    EXPECT_EQ(s.undetermined, 1);
    EXPECT_THAT(s.why, HasSubstr("singular"));
    EXPECT_FALSE(pencil_spectrum(MatrixXd::Zero(2, 2), MatrixXd::Zero(2, 2)).ok);
}

TEST(PencilSpectrum, LargeAndSmallScales) {
    for (const double scale : {1e-12, 1e-4, 1e6, 1e12}) {
        RandomMatrix random(11);
        const Made p = make_pencil(random, {1, 2, 4}, {2, 2});
        const PencilSpectrum s = pencil_spectrum(scale * p.A, p.B), t = pencil_spectrum(p.A, scale * p.B);
        ASSERT_TRUE(s.ok && t.ok) << s.why << t.why;
        EXPECT_EQ(s.infinite, 4);
        EXPECT_EQ(t.infinite, 4);
        expect_near(s.values / scale, {1, 2, 4}, 1e-9);
        expect_near(t.values * scale, {1, 2, 4}, 1e-9);
    }
}

TEST(PencilSpectrum, NoneOneAndAllInfinite) {
    EXPECT_TRUE(pencil_spectrum(MatrixXd(0, 0), MatrixXd(0, 0)).ok);
    const PencilSpectrum one = pencil_spectrum(MatrixXd::Constant(1, 1, 6), MatrixXd::Constant(1, 1, 2));
    ASSERT_TRUE(one.ok);
    EXPECT_NEAR(one.values[0].real(), 3, 1e-15);
    const PencilSpectrum none = pencil_spectrum(MatrixXd::Identity(3, 3), MatrixXd::Zero(3, 3));
    ASSERT_TRUE(none.ok) << none.why;
    EXPECT_EQ(none.infinite, 3);
    EXPECT_EQ(none.values.size(), 0);
    EXPECT_THAT(none.chains, ElementsAre(3));
}

// ---- G z = 0

TEST(NullSpaceByQr, FindsWhatIsLeftAndWhichRowsSayNothing) {
    MatrixXd G(3, 4);
    G << 1, 0, 0, 0, 0, 1e-6, 1e-6, 0, 1, 1, 1, 0;  // the third row is the first and 1e6 times the second
    const NullSpace s = null_space_by_qr(G);
    ASSERT_TRUE(s.ok);
    EXPECT_EQ(s.rank, 2);
    EXPECT_EQ(s.dependent.size(), 1u);
    EXPECT_EQ(s.z.cols(), 2);
    EXPECT_LT((G * s.z).norm(), 1e-15);
    EXPECT_LT((s.z.transpose() * s.z - MatrixXd::Identity(2, 2)).norm(), 1e-14);
    EXPECT_EQ(null_space_by_qr(MatrixXd(0, 3)).z, MatrixXd::Identity(3, 3));
    EXPECT_EQ(null_space_by_qr(MatrixXd::Zero(2, 3)).rank, 0);
    EXPECT_EQ(null_space_by_qr(MatrixXd(2, 0)).z.cols(), 0);
    EXPECT_FALSE(null_space_by_qr(MatrixXd::Constant(1, 1, std::numeric_limits<double>::quiet_NaN())).ok);
}

}  // namespace
}  // namespace linkwright::solve
