#include "linkwright/solve/elastic_pencil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace linkwright::solve {
namespace {

/// n masses 1 in a row, springs 1 between them; `walls` at both ends. `copies` such rows side by side, not joined.
struct Row {
    Stiffness K;
    SparseMatrix M;
};
Row row_of_masses(Index n, bool walls, Index copies = 1) {
    std::vector<Triplet> B;
    Index strains = 0;
    for (Index c = 0; c < copies; ++c) {
        const Index at = c * n;
        if (walls) B.emplace_back(strains++, at, 1.0);
        for (Index i = 0; i + 1 < n; ++i, ++strains) B.emplace_back(strains, at + i, -1.0), B.emplace_back(strains, at + i + 1, 1.0);
        if (walls) B.emplace_back(strains++, at + n - 1, -1.0);
    }
    return {{make_sparse(strains, copies * n, B), VectorXd::Ones(strains), {}}, identity(copies * n)};
}

double between_walls(Index n, Index k) {
    return 4 * std::pow(std::sin(std::numbers::pi * static_cast<double>(k) / static_cast<double>(2 * (n + 1))), 2);
}
double floating(Index n, Index k) {
    return 4 * std::pow(std::sin(std::numbers::pi * static_cast<double>(k) / static_cast<double>(2 * n)), 2);
}

TEST(ElasticPencil, FindsTheLowestOfAFewAndOfMany) {
    for (const Index n : {Index{8}, Index{200}, Index{600}}) {
        const Row row = row_of_masses(n, true);
        const LowestModes low = ElasticPencil(row.K, row.M, MatrixXd(n, 0)).lowest(6);
        ASSERT_TRUE(low.ok) << low.why;
        ASSERT_EQ(low.lambda.size(), 6);
        for (Index k = 0; k < 6; ++k) EXPECT_NEAR(low.lambda[k] / between_walls(n, k + 1), 1, 1e-9) << n << " " << k;
        const MatrixXd gram = low.vectors.transpose() * times(row.M, low.vectors);
        EXPECT_LT((gram - MatrixXd::Identity(6, 6)).norm(), 1e-9);
    }
}

TEST(ElasticPencil, FindsEveryVectorOfAMultipleEigenvalue) {
    constexpr Index n = 150, copies = 3;
    const Row row = row_of_masses(n, true, copies);
    const LowestModes low = ElasticPencil(row.K, row.M, MatrixXd(n * copies, 0)).lowest(9);
    ASSERT_TRUE(low.ok) << low.why;
    for (Index k = 0; k < 9; ++k) EXPECT_NEAR(low.lambda[k] / between_walls(n, k / copies + 1), 1, 1e-9) << k;
}

TEST(ElasticPencil, LeavesOutMotionsOfTheWhole) {
    for (const Index n : {Index{12}, Index{300}}) {
        const Row row = row_of_masses(n, false, 2);
        MatrixXd null = MatrixXd::Zero(2 * n, 2);
        null.col(0).head(n).setConstant(3), null.col(1).setConstant(1);  // neither normed nor orthogonal
        const ElasticPencil pencil(row.K, row.M, null);
        const LowestModes low = pencil.lowest(4);
        ASSERT_TRUE(low.ok) << low.why;
        for (Index k = 0; k < 4; ++k) EXPECT_NEAR(low.lambda[k] / floating(n, k / 2 + 1), 1, 1e-9) << n;
        EXPECT_LT((pencil.null().transpose() * times(row.M, low.vectors)).norm(), 1e-9);
        // Two forces that balance: the flexibility of what floats.
        VectorXd f = VectorXd::Zero(2 * n);
        f[0] = -1, f[n - 1] = 1;
        const MatrixXd x = pencil.solve(f);
        EXPECT_LT((row.K * x - f).norm(), 1e-8);
        EXPECT_NEAR(x(n - 1, 0) - x(0, 0), static_cast<double>(n - 1), 1e-6 * static_cast<double>(n));
    }
}

TEST(ElasticPencil, MotionsWithoutInertiaHaveNoFrequency) {
    for (const Index n : {Index{9}, Index{401}}) {
        Row row = row_of_masses(n, true);
        VectorXd m = VectorXd::Zero(n);
        for (Index i = 1; i < n; i += 2) m[i] = 1;  // every other mass: springs of 1/2 between those left, except at the walls
        row.M = make_diagonal(m);
        const LowestModes low = ElasticPencil(row.K, row.M, MatrixXd(n, 0)).lowest(3);
        ASSERT_TRUE(low.ok) << low.why;
        for (Index k = 0; k < 3; ++k) EXPECT_NEAR(low.lambda[k] / (0.5 * between_walls((n - 1) / 2, k + 1)), 1, 1e-9) << n;
    }
    Row row = row_of_masses(5, true);
    row.M = make_diagonal(VectorXd::Unit(5, 2));
    EXPECT_EQ(ElasticPencil(row.K, row.M, MatrixXd(5, 0)).lowest(4).lambda.size(), 1);
}

TEST(ElasticPencil, SaysWhyNot) {
    const Row row = row_of_masses(6, false);
    EXPECT_FALSE(ElasticPencil(row.K, row.M, MatrixXd(6, 0)).lowest(1).ok) << "it floats, and nobody said so";
    const ElasticPencil massless(row.K, make_diagonal(VectorXd::Zero(6)), MatrixXd::Ones(6, 1));
    EXPECT_TRUE(massless.ok());
    EXPECT_EQ(massless.massless(), 1);
    EXPECT_EQ(massless.lowest(2).lambda.size(), 0);
}

TEST(ElasticPencil, KeepsItsDigitsWithManyElements) {
    // A clamped beam of n cubic elements: with K multiplied out the lowest of 3000 elements has no digit left.
    const auto lowest = [](Index n) {
        const double h = 1.0 / static_cast<double>(n);
        std::vector<Triplet> B, M;
        VectorXd d(2 * n);
        for (Index e = 0; e < n; ++e) {  // unknowns v, v' of nodes 1 … n
            const auto put = [&](Index row, Index node, int c, double x) {
                if (node > 0) B.emplace_back(row, 2 * (node - 1) + c, x);
            };
            put(2 * e, e + 1, 1, 1 / h), put(2 * e, e, 1, -1 / h);
            put(2 * e + 1, e, 1, 3 / h), put(2 * e + 1, e + 1, 1, 3 / h), put(2 * e + 1, e, 0, 6 / (h * h)),
                put(2 * e + 1, e + 1, 0, -6 / (h * h));
            d[2 * e] = h, d[2 * e + 1] = h / 3;
            const double m[4][4] = {{156, 22 * h, 54, -13 * h},
                                    {22 * h, 4 * h * h, 13 * h, -3 * h * h},
                                    {54, 13 * h, 156, -22 * h},
                                    {-13 * h, -3 * h * h, -22 * h, 4 * h * h}};
            for (int i = 0; i < 4; ++i) {
                for (int j = 0; j < 4; ++j) {
                    if (e + i / 2 > 0 && e + j / 2 > 0)
                        M.emplace_back(2 * (e + i / 2 - 1) + i % 2, 2 * (e + j / 2 - 1) + j % 2, h / 420 * m[i][j]);
                }
            }
        }
        return ElasticPencil({make_sparse(2 * n, 2 * n, B), d, {}}, make_sparse(2 * n, 2 * n, M), MatrixXd(2 * n, 0)).lowest(2).lambda[0];
    };
    const double exact = std::pow(1.8751040687119611, 4);
    EXPECT_NEAR(lowest(100) / exact, 1, 1e-8);
    EXPECT_NEAR(lowest(3000) / exact, 1, 1e-8);
}

}  // namespace
}  // namespace linkwright::solve
