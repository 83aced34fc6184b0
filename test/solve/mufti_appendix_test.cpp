// Mufti's Appendix: Cholesky through QR, and singular values where a loop is closed twice over [mufti83].

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <random>

#include "linkwright/solve/descriptor.hpp"
#include "linkwright/solve/factor_qr.hpp"
#include "solve/random_matrix.hpp"

namespace linkwright::solve {
namespace {

using Eigen::Vector3d;
using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Triple pendulum in a plane: B has rows (ω, v_x, v_y) of the three centres of mass, J their inertias and masses.
struct TriplePendulum {
    MatrixXd B = MatrixXd::Zero(9, 3), J = MatrixXd::Zero(9, 9);
    TriplePendulum(const Vector3d& q, const Vector3d& mass) {
        const double half = 0.5;  // length 1
        double x = 0, y = 0, angle = 0;
        std::vector<std::pair<double, double>> hinges;
        for (Index b = 0; b < 3; ++b) {
            hinges.emplace_back(x, y);
            angle += q(b);
            const double dx = std::sin(angle), dy = -std::cos(angle), cx = x + half * dx, cy = y + half * dy;
            for (Index j = 0; j <= b; ++j) {
                B(3 * b, j) = 1;
                B(3 * b + 1, j) = -(cy - hinges[j].second);
                B(3 * b + 2, j) = cx - hinges[j].first;
            }
            J(3 * b, 3 * b) = mass(b) / 12;
            J(3 * b + 1, 3 * b + 1) = J(3 * b + 2, 3 * b + 2) = mass(b);
            x += dx, y += dy;
        }
    }
    MatrixXd M() const { return B.transpose() * J * B; }
    /// The factor in eleven more bits.
    MatrixXd truth() const {
        const Wide a = J.cast<long double>().diagonal().cwiseSqrt().asDiagonal() * B.cast<long double>();
        const Wide r = Eigen::HouseholderQR<Wide>(a).matrixQR().topRows(3).triangularView<Eigen::Upper>();
        return r.cwiseAbs().transpose().cast<double>();
    }
};

TEST(CholeskyThroughQr, IsTheFactorOfTheMassMatrix) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> angle(-3, 3), mass(0.2, 2);
    for (int k = 0; k < 50; ++k) {
        const TriplePendulum p({angle(random), angle(random), angle(random)}, {mass(random), mass(random), mass(random)});
        const QrFactor f = cholesky_through_qr(p.J, p.B);
        ASSERT_TRUE(f.ok) << f.why;
        EXPECT_EQ(f.rank, 3);
        const MatrixXd l = Eigen::LLT<MatrixXd>(p.M()).matrixL();
        EXPECT_LT((f.l - l).lpNorm<Eigen::Infinity>(), 1e-13);
        EXPECT_TRUE(f.l.isLowerTriangular());
        const VectorXd b = Vector3d(1, -2, 3);
        EXPECT_LT((p.M() * solve(f, b).x - b).lpNorm<Eigen::Infinity>(), 1e-12);
    }
}

/// Relative errors of the last pivot: all the inertia that is left to the last freedom when the others give way.
struct Errors {
    double product = 0, qr = 0;
};
Errors worst_errors(const Vector3d& mass, double inertia) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> angle(0.3, 1.2);
    Errors e;
    for (int k = 0; k < 50; ++k) {
        TriplePendulum p({angle(random), angle(random), angle(random)}, mass);
        if (inertia > 0) p.J.diagonal()(Eigen::seqN(0, 3, 3)).setConstant(inertia);
        const double truth = p.truth()(2, 2);
        const QrFactor f = cholesky_through_qr(p.J, p.B);
        EXPECT_TRUE(f.ok) << f.why;
        const Eigen::LLT<MatrixXd> llt(p.M());
        e.qr = std::max(e.qr, std::abs(f.l(2, 2) / truth - 1));
        e.product = std::max(e.product, llt.info() == Eigen::Success ? std::abs(llt.matrixLLT()(2, 2) / truth - 1) : 1.0);
    }
    return e;
}

/// A load of 1 at the end of links of mass r: multiplied out, M loses digits as 1/r; factored as it stands, as 1/√r.
TEST(CholeskyThroughQr, KeepsTheDigitsThatTheProductLoses) {
    for (const double r : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
        const Errors e = worst_errors({r, r, 1}, r);
        EXPECT_LT(e.qr, 1e-15 / std::sqrt(r) * 10) << r;
        EXPECT_GT(e.product, 10 * e.qr) << r;
    }
    const Errors e = worst_errors({1e-12, 1e-12, 1}, 1e-12);
    EXPECT_GT(e.product, 1e-5);
    EXPECT_LT(e.qr, 1e-8);
}

/// The other way round, each link lighter than the one before, the product is as good: M is then a good matrix in bad units.
TEST(CholeskyThroughQr, IsNotNeededWhereMassesDwindleOutwards) {
    const Errors e = worst_errors({1, 1e-6, 1e-12}, 0);
    EXPECT_LT(e.product, 1e-13);
    EXPECT_LT(e.qr, 1e-13);
}

/// Small rows above large ones: reflected as they stand, the small ones drown.
TEST(CholeskyThroughQr, SortsRows) {
    MatrixXd a(4, 3);
    a << 0.3, 2, 1, 1e9, 1e9, 0.1, 1e9, 0.2, 1e9, 0, 1, 1.5;
    const Wide product = a.cast<long double>().transpose() * a.cast<long double>();
    const Wide r =
        Eigen::HouseholderQR<Wide>(a.colwise().reverse().cast<long double>()(std::vector<int>{1, 2, 0, 3}, Eigen::all)).matrixQR();
    EXPECT_NEAR(cholesky_through_qr(a).l(2, 2) / std::abs(static_cast<double>(r(2, 2))), 1, 1e-13);
    EXPECT_LT(static_cast<double>((cholesky_through_qr(a).l * cholesky_through_qr(a).l.transpose() - product.cast<double>()).norm()),
              1e-14 * static_cast<double>(product.norm()));
}

TEST(CholeskyThroughQr, TakesBodiesWithoutMassAndFullInertias) {
    test::RandomMatrix matrix(8);
    for (int k = 0; k < 20; ++k) {
        const MatrixXd Z = matrix(7, 3), half = matrix(7, 5), J = half * half.transpose();  // of rank 5
        const QrFactor f = cholesky_through_qr(J, Z);
        ASSERT_TRUE(f.ok) << f.why;
        EXPECT_LT((f.l * f.l.transpose() - Z.transpose() * J * Z).lpNorm<Eigen::Infinity>(), 1e-12 * (1 + J.norm() * Z.norm() * Z.norm()));
    }
}

TEST(CholeskyThroughQr, OfConstraintForces) {
    test::RandomMatrix matrix(9);
    for (int k = 0; k < 20; ++k) {
        const MatrixXd H = matrix(6, 4), half = matrix(6, 6);
        const MatrixXd J = half * half.transpose() + MatrixXd::Identity(6, 6);
        const QrFactor f = cholesky_of_inverse_through_qr(J, H);
        ASSERT_TRUE(f.ok) << f.why;
        EXPECT_LT((f.l * f.l.transpose() - H.transpose() * J.ldlt().solve(H)).lpNorm<Eigen::Infinity>(), 1e-11);
    }
}

TEST(CholeskyThroughQr, SaysWhatIsWrong) {
    MatrixXd a(4, 3);
    a << 1, 2, 3, 4, 8, 6, 7, 14, 9, 1, 2, 0;
    const QrFactor f = cholesky_through_qr(a);
    EXPECT_FALSE(f.ok);
    EXPECT_EQ(f.bad, 1);
    EXPECT_EQ(f.rank, 1);
    EXPECT_EQ(f.why, "column 1 depends on those before it");
    EXPECT_FALSE(solve(f, Vector3d(1, 2, 3)).ok);
    EXPECT_FALSE(cholesky_through_qr(MatrixXd(-MatrixXd::Identity(4, 4)), a).ok);
    EXPECT_EQ(cholesky_of_inverse_through_qr(MatrixXd::Zero(4, 4), a).why, "the matrix of masses is not positive definite: a pivot is 0");
    EXPECT_FALSE(cholesky_through_qr(MatrixXd::Identity(3, 3), a).ok);
    EXPECT_FALSE(cholesky_through_qr(MatrixXd::Identity(2, 3), a).ok);
    a(0, 0) = std::nan("");
    EXPECT_FALSE(cholesky_through_qr(a).ok);
    EXPECT_TRUE(cholesky_through_qr(MatrixXd(0, 0)).ok);
    EXPECT_TRUE(cholesky_through_qr(MatrixXd(4, 0)).ok);
    EXPECT_FALSE(cholesky_through_qr(MatrixXd(0, 2)).ok);
    EXPECT_FALSE(cholesky_through_qr(MatrixXd(MatrixXd::Ones(1, 2))).ok);
}

// ---------------------------------------------------------------------------------------------------------- closed twice over

/// Bennett's linkage: four revolutes that should not move and do. Links a, b, a, b with twists α, β, α, β and
/// sin α/a = sin β/b. Three bodies from the ground; the fourth joint closes the loop by five rows, of which two count.
struct Bennett {
    static constexpr double a = 1, alpha = 0.6;
    static inline const double beta = 1.1, b = a * std::sin(beta) / std::sin(alpha);
    std::vector<Vector3d> axis, at;  ///< of the joints, at this position; the last closes
    Eigen::Isometry3d end = Eigen::Isometry3d::Identity();
    MatrixXd M = MatrixXd::Zero(3, 3), G = MatrixXd::Zero(5, 3);
    VectorXd f = VectorXd::Zero(3), gamma = VectorXd::Zero(5), u;

    explicit Bennett(double theta1, double rate) {
        using Eigen::AngleAxisd, Eigen::Translation3d;
        const double theta2 = 2 * std::atan(std::sin((beta + alpha) / 2) / std::sin((beta - alpha) / 2) / std::tan(theta1 / 2));
        const double theta[] = {theta1, theta2, -theta1, -theta2}, length[] = {a, b, a, b}, twist[] = {alpha, beta, alpha, beta};
        std::vector<Vector3d> com;
        std::vector<Eigen::Matrix3d> inertia;
        for (int k = 0; k < 4; ++k) {
            axis.push_back(end.linear().col(2));
            at.push_back(end.translation());
            end = end * AngleAxisd(theta[k], Vector3d::UnitZ()) * Translation3d(length[k], 0, 0) * AngleAxisd(twist[k], Vector3d::UnitX());
            com.push_back((at.back() + end.translation()) / 2 + end.linear() * Vector3d(0, 0.1, 0.2));
            inertia.emplace_back(end.linear() * Vector3d(0.1, 0.2, 0.25).asDiagonal() * end.linear().transpose());
        }
        const Vector3d point = at[3], n = axis[3], n1 = n.unitOrthogonal(), n2 = n.cross(n1);
        MatrixXd W = MatrixXd::Zero(3, 3), V = W;  // of the last body at the closing joint
        for (Index j = 0; j < 3; ++j) {
            const auto i = static_cast<std::size_t>(j);
            W.col(j) = axis[i];
            V.col(j) = axis[i].cross(point - at[i]);
        }
        G << V, n1.transpose() * W, n2.transpose() * W;
        u = rate * null_space(G).col(0);
        Vector3d w = Vector3d::Zero(), bias = w, acceleration = w, from = w;  // at u̇ = 0: of body k at `from`
        const Vector3d gravity(0, 0, -9.81);
        const auto moved = [&](const Vector3d& to) -> Vector3d {
            return acceleration + bias.cross(to - from) + w.cross(w.cross(to - from));
        };
        for (Index k = 0; k < 3; ++k) {
            const auto i = static_cast<std::size_t>(k);
            acceleration = moved(at[i]), from = at[i];
            bias += w.cross(axis[i]) * u(k);
            w += axis[i] * u(k);
            const double m = 1 + 0.5 * static_cast<double>(k);
            MatrixXd v = MatrixXd::Zero(3, 3), o = v;
            for (Index j = 0; j <= k; ++j) o.col(j) = axis[j], v.col(j) = axis[j].cross(com[i] - at[j]);
            M += m * v.transpose() * v + o.transpose() * inertia[i] * o;
            f += v.transpose() * (m * (gravity - moved(com[i]))) - o.transpose() * (inertia[i] * bias + w.cross(inertia[i] * w));
        }
        gamma << -moved(point), -n1.dot(bias), -n2.dot(bias);
    }
};

class Loops : public ::testing::TestWithParam<double> {};
TEST_P(Loops, BennettsLinkageMovesAndItsMultipliersAreShortest) {
    const Bennett l(GetParam(), 1.7);
    ASSERT_LT((l.end.matrix() - Eigen::Matrix4d::Identity()).lpNorm<Eigen::Infinity>(), 1e-12) << "the loop is closed";
    ASSERT_LT((l.G * l.u).lpNorm<Eigen::Infinity>(), 1e-12);
    const DescriptorSolution reference = solve_descriptor(l.M, l.f, l.G, l.gamma);
    ASSERT_TRUE(reference.ok) << reference.why;
    for (const LoopSolution& s : {minimum_norm_by_svd(l.M, l.f, l.G, l.gamma), null_space_by_svd(l.M, l.f, l.G, l.gamma)}) {
        ASSERT_TRUE(s.ok) << s.why;
        EXPECT_EQ(s.rank, 2);
        EXPECT_LT(s.residual, 1e-11);
        EXPECT_LT((s.udot - reference.udot).lpNorm<Eigen::Infinity>(), 1e-10);
        EXPECT_LT((l.M * s.udot + l.G.transpose() * s.lambda - l.f).lpNorm<Eigen::Infinity>(), 1e-10);
        EXPECT_LT((null_space(l.G.transpose()).transpose() * s.lambda).lpNorm<Eigen::Infinity>(), 1e-10)
            << "nothing in λ that Gᵀ does not see";
        // With two rows that span the others instead of five: the same motion, and no shorter multipliers
        const std::vector<Index> rows = independent_rows(l.G).independent;
        ASSERT_EQ(rows.size(), 2U);
        MatrixXd G2(2, 3);
        VectorXd gamma2(2);
        for (Index i = 0; i < 2; ++i) G2.row(i) = l.G.row(rows[i]), gamma2(i) = l.gamma(rows[i]);
        const LoopSolution two = minimum_norm_by_svd(l.M, l.f, G2, gamma2);
        EXPECT_LT((s.udot - two.udot).lpNorm<Eigen::Infinity>(), 1e-10);
        EXPECT_LE(s.lambda.norm(), two.lambda.norm() + 1e-12);
    }
}
INSTANTIATE_TEST_SUITE_P(At, Loops, ::testing::Values(0.4, 1.0, 1.9, -0.7, 2.6));

TEST(Loop, RowsThatContradictEachOtherAreNamed) {
    Bennett l(1, 1);
    l.gamma(0) += 1;
    for (const LoopSolution& s : {minimum_norm_by_svd(l.M, l.f, l.G, l.gamma), null_space_by_svd(l.M, l.f, l.G, l.gamma)}) {
        EXPECT_FALSE(s.ok);
        EXPECT_TRUE(s.why.starts_with("the constraints contradict each other")) << s.why;
        EXPECT_TRUE(s.udot.allFinite());
    }
}

/// A parallelogram with all five rows of its closing revolute: three vanish altogether.
TEST(Loop, RowsThatVanishDoNoHarm) {
    test::RandomMatrix matrix(4);
    const MatrixXd half = matrix(3, 3), M = half * half.transpose() + MatrixXd::Identity(3, 3);
    MatrixXd G = MatrixXd::Zero(5, 3);
    G.row(0) << -0.9, -0.9, 0;
    G.row(1) << 2.3, 2.3, -2;
    const VectorXd f = Vector3d(1, 2, 3), u = Vector3d(0.5, -1, 0.2), gamma = G * u;
    for (const LoopSolution& s : {minimum_norm_by_svd(M, f, G, gamma), null_space_by_svd(M, f, G, gamma)}) {
        ASSERT_TRUE(s.ok) << s.why;
        EXPECT_EQ(s.rank, 2);
        EXPECT_LT(s.lambda.tail(3).lpNorm<Eigen::Infinity>(), 1e-14);
        EXPECT_LT((s.udot - solve_descriptor(M, f, G, gamma).udot).lpNorm<Eigen::Infinity>(), 1e-12);
    }
}

TEST(Loop, RandomSystemsWithRedundantRows) {
    test::RandomMatrix matrix(11);
    for (int k = 0; k < 60; ++k) {
        const Index n = 3 + k % 5, rank = k % 4 < n ? k % 4 : 0, rows = rank + k % 3;
        const MatrixXd half = matrix(n, n), M = half * half.transpose() + MatrixXd::Identity(n, n);
        const MatrixXd G = rank == 0 ? MatrixXd(MatrixXd::Zero(rows, n)) : MatrixXd(matrix(rows, rank) * matrix(rank, n));
        const VectorXd f = matrix(n, 1), gamma = G * matrix(n, 1);
        const DescriptorSolution reference = solve_descriptor(M, f, G, gamma);
        for (const LoopSolution& s : {minimum_norm_by_svd(M, f, G, gamma), null_space_by_svd(M, f, G, gamma)}) {
            ASSERT_TRUE(s.ok) << s.why << " at " << k;
            EXPECT_EQ(s.rank, rank);
            EXPECT_LT((s.udot - reference.udot).norm(), 1e-8 * (1 + s.udot.norm()));
            EXPECT_LT((s.lambda - minimum_norm_by_svd(M, f, G, gamma).lambda).norm(), 1e-7 * (1 + s.lambda.norm()));
        }
    }
}

TEST(Loop, BadInputIsRefused) {
    const MatrixXd M = MatrixXd::Identity(2, 2), G = MatrixXd::Ones(1, 2), one = MatrixXd::Ones(1, 1);
    const VectorXd f = VectorXd::Ones(2), g = VectorXd::Ones(1);
    EXPECT_TRUE(minimum_norm_by_svd(M, f, G, g).ok);
    EXPECT_FALSE(minimum_norm_by_svd(one, f, G, g).ok);
    EXPECT_FALSE(minimum_norm_by_svd(MatrixXd::Zero(2, 2), f, G, g).ok);
    EXPECT_FALSE(null_space_by_svd(MatrixXd::Zero(2, 2), f, G, g).ok);
    EXPECT_FALSE(null_space_by_svd(M, f, G * std::numeric_limits<double>::infinity(), g).ok);
    MatrixXd half = MatrixXd::Zero(2, 2);  // no inertia of its own where G holds it
    half(0, 0) = 1;
    MatrixXd hold(1, 2);
    hold << 0, 1;
    EXPECT_TRUE(null_space_by_svd(half, f, hold, g).ok);
    EXPECT_TRUE(minimum_norm_by_svd(M, f, MatrixXd(0, 2), VectorXd(0)).ok);
    EXPECT_TRUE(null_space_by_svd(M, f, MatrixXd(0, 2), VectorXd(0)).ok);
}

}  // namespace
}  // namespace linkwright::solve
