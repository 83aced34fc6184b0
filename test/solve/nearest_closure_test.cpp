#include "linkwright/solve/nearest_closure.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace linkwright::solve {
namespace {

/// A place on an ellipse, told twice.
void ellipse(const VectorXd& x, VectorXd& phi, MatrixXd& J) {
    phi = Eigen::Vector2d::Constant(x(0) * x(0) / 4 + x(1) * x(1) - 1);
    J.resize(2, x.size());
    J.setZero();
    for (Index i = 0; i < 2; ++i) J(i, 0) = x(0) / 2, J(i, 1) = 2 * x(1);
    phi(1) *= 1000, J.row(1) *= 1000;
}

/// Where the guess lies on the normal: (x − guess) × ∇φ = 0.
double off_normal(const VectorXd& x, const VectorXd& guess) { return (x(0) - guess(0)) * 2 * x(1) - (x(1) - guess(1)) * x(0) / 2; }

TEST(NearestClosure, IsTheFootOfTheNormal) {
    for (int k = 0; k < 40; ++k) {
        const Eigen::Vector2d guess(2.5 * std::cos(k), 1.7 * std::sin(1.3 * k));
        const Assembly closed = assemble(ellipse, guess);
        ASSERT_TRUE(closed.ok) << closed.why;
        const NearestClosure near = nearest_closure(ellipse, guess, closed.x);
        EXPECT_TRUE(near.ok) << k;
        EXPECT_LE(near.iterations, 20);
        EXPECT_LT(std::abs(off_normal(near.x, guess)), 1e-10);
        EXPECT_LT(std::abs(near.x(0) * near.x(0) / 4 + near.x(1) * near.x(1) - 1), 1e-12);
        EXPECT_LE((near.x - guess).norm(), (closed.x - guess).norm() + 1e-12);
    }
}

TEST(NearestClosure, KeepsWhatIsHeld) {
    const Eigen::Vector3d guess(1, 2, 5);  // the third is in no row: it is nearest where it is
    const std::vector<Index> held{0};
    const Assembly closed = assemble(ellipse, guess, held);
    ASSERT_TRUE(closed.ok);
    const NearestClosure near = nearest_closure(ellipse, guess, closed.x, held);
    EXPECT_TRUE(near.ok);
    EXPECT_EQ(near.x(0), 1);
    EXPECT_NEAR(near.x(1), std::sqrt(0.75), 1e-12);
    EXPECT_NEAR(near.x(2), 5, 1e-12);
}

}  // namespace
}  // namespace linkwright::solve
