#include "linkwright/solve/exponential.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace linkwright::solve {
namespace {

TEST(Exponential, OfATurnIsARotation) {
    for (const double angle : {0.0, 1e-9, 0.3, 2.0, 40.0}) {
        const MatrixXd A{{0, -angle}, {angle, 0}}, R{{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}};
        EXPECT_LT((exponential(A) - R).norm(), 1e-13 * (1 + angle)) << angle;
    }
}

TEST(Exponential, OfAChainOfIntegratorsIsAPolynomial) {
    MatrixXd A = MatrixXd::Zero(4, 4), E = MatrixXd::Identity(4, 4);
    for (Index i = 0; i < 3; ++i) A(i, i + 1) = 3;
    double term = 1;
    for (Index k = 1; k < 4; ++k) {
        term *= 3.0 / static_cast<double>(k);
        for (Index i = 0; i + k < 4; ++i) E(i, i + k) = term;
    }
    EXPECT_LT((exponential(A) - E).norm(), 1e-14 * E.norm());
}

TEST(Exponential, OfTwiceIsTheSquare) {
    MatrixXd A(5, 5);
    for (Index i = 0; i < 5; ++i) {
        for (Index j = 0; j < 5; ++j) A(i, j) = std::sin(static_cast<double>(3 * i + 5 * j + i * j));
    }
    EXPECT_LT((exponential(2 * A) - exponential(A) * exponential(A)).norm(), 1e-13 * exponential(2 * A).norm());
    EXPECT_LT((exponential(A) * exponential(-A) - MatrixXd::Identity(5, 5)).norm(), 1e-12);
    EXPECT_EQ(exponential(MatrixXd(0, 0)).size(), 0);
}

}  // namespace
}  // namespace linkwright::solve
