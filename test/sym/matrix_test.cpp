// Matrices of expressions: shapes, and the laws that determinants, adjugates and inverses keep.

#include "linkwright/sym/matrix.hpp"

#include <gtest/gtest.h>

#include "linkwright/sym/fingerprint.hpp"
#include "support/print.hpp"

namespace linkwright::sym::test {
namespace {

class Matrices : public testing::TestWithParam<bool> {
protected:
    Pool pool{{.fold = GetParam()}};
    PoolScope scope{pool};
    Expr a = symbol("a"), b = symbol("b"), c = symbol("c"), d = symbol("d"), q = symbol("q", Role::coordinate);

    /// Different symbols everywhere.
    static Matrix general(std::size_t rows, std::size_t columns) {
        Matrix A = zeros(rows, columns);
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) A[i][j] = symbol("x" + std::to_string(i) + std::to_string(j));
        }
        return A;
    }
    static Matrix scaled(const Expr& factor, Matrix A) {
        for (auto& row : A) {
            for (Expr& x : row) x *= factor;
        }
        return A;
    }
    static void expect_equal(const Matrix& A, const Matrix& B, const std::string& what) {
        ASSERT_EQ(A.size(), B.size()) << what;
        for (std::size_t i = 0; i < A.size(); ++i) {
            ASSERT_EQ(A[i].size(), B[i].size()) << what;
            for (std::size_t j = 0; j < A[i].size(); ++j) {
                EXPECT_EQ(equal(A[i][j], B[i][j]), Verdict::equal)
                    << what << ", entry " << i << ", " << j << ": " << print(A[i][j]) << " and " << print(B[i][j]);
            }
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Folding, Matrices, testing::Bool(), [](const auto& p) { return p.param ? "on" : "off"; });

// ------------------------------------------------------------------------------------------------------------------- shapes

TEST_P(Matrices, AreRows) {
    EXPECT_EQ(zeros(2, 3), (Matrix{{0, 0, 0}, {0, 0, 0}}));
    EXPECT_EQ(identity(2), (Matrix{{1, 0}, {0, 1}}));
    EXPECT_EQ(column(std::vector{a, b}), (Matrix{{a}, {b}}));
    EXPECT_EQ(flat({{a, b}, {c, d}}), (std::vector{a, b, c, d}));
    EXPECT_EQ(without({{a, b}, {c, d}}, 0, 1), (Matrix{{c}}));
    EXPECT_EQ(without(general(3, 3), 1, 1), (Matrix{{symbol("x00"), symbol("x02")}, {symbol("x20"), symbol("x22")}}));
    EXPECT_EQ(transpose({{a, b, 0}, {c, d, 1}}), (Matrix{{a, c}, {b, d}, {0, 1}}));
}

TEST_P(Matrices, MayHaveNoRowsOrNoColumns) {
    EXPECT_EQ(columns_of({}), 0u);
    EXPECT_EQ(columns_of(zeros(2, 0)), 0u);
    EXPECT_EQ(columns_of(zeros(2, 3)), 3u);
    EXPECT_TRUE(column({}).empty());
    EXPECT_TRUE(flat(zeros(3, 0)).empty());
    EXPECT_EQ(transpose({}, 2), zeros(2, 0));
    EXPECT_EQ(transpose(zeros(2, 0)), Matrix{});
    EXPECT_EQ(product(zeros(2, 0), {}, 3), zeros(2, 3));
    EXPECT_EQ(product({}, general(2, 2)), Matrix{});
    EXPECT_EQ(determinant({}), Expr(1));
    EXPECT_EQ(determinant_by_pivots({}), Expr(1));
    EXPECT_EQ(adjugate({}), Matrix{});
    EXPECT_EQ(inverse(Matrix{}), Matrix{});
    EXPECT_TRUE(solve({}, {}).empty());
}

TEST_P(Matrices, AreLiterallyZeroEntryByEntry) {
    EXPECT_TRUE(is_literally_zero({}));
    EXPECT_TRUE(is_literally_zero(zeros(2, 2)));
    EXPECT_FALSE(is_literally_zero({{0, 0}, {0, a}}));
    EXPECT_EQ(is_literally_zero({{pow(sin(q), 2) + pow(cos(q), 2) - 1}}), GetParam()) << "a hidden zero is one where the pool folds";
}

TEST_P(Matrices, Multiply) {
    EXPECT_EQ(product({{a, b}}, {{c}, {d}}), (Matrix{{a * c + b * d}}));
    EXPECT_EQ(product({{a}, {b}}, {{c, d}}), (Matrix{{a * c, a * d}, {b * c, b * d}}));
    const Matrix A = general(2, 3);
    EXPECT_EQ(product(identity(2), A), A);
    EXPECT_EQ(product(A, identity(3)), A);
    expect_equal(transpose(product(A, transpose(A))), product(A, transpose(A)), "A Aᵀ is symmetric");
    EXPECT_EQ(product({{0, a}}, {{undefined()}, {b}}), (Matrix{{a * b}})) << "what is literally zero is passed over";
}

// ------------------------------------------------------------------------------------------------------------- determinants

TEST_P(Matrices, HaveTheDeterminantsOfTheBooks) {
    EXPECT_EQ(determinant({{a}}), a);
    EXPECT_EQ(equal(determinant({{a, b}, {c, d}}), a * d - b * c), Verdict::equal);
    const Matrix vandermonde{{1, a, a * a}, {1, b, b * b}, {1, c, c * c}};
    EXPECT_EQ(equal(determinant(vandermonde), (b - a) * (c - a) * (c - b)), Verdict::equal);
    EXPECT_EQ(equal(determinant_by_pivots(vandermonde), (b - a) * (c - a) * (c - b)), Verdict::equal);
    EXPECT_EQ(equal(determinant({{cos(q), -sin(q)}, {sin(q), cos(q)}}), 1), Verdict::equal);
    EXPECT_EQ(determinant({{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}), Expr(1)) << "an even permutation";
    EXPECT_EQ(determinant({{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}), Expr(-1)) << "an odd one";
}

TEST_P(Matrices, HaveOneDeterminantWhicheverWayItIsFound) {
    for (std::size_t n = 1; n <= 5; ++n) {
        const Matrix A = general(n, n);
        const Expr wanted = determinant(A);
        EXPECT_EQ(equal(determinant_by_pivots(A), wanted), Verdict::equal) << n;
        EXPECT_EQ(equal(determinant(transpose(A)), wanted), Verdict::equal) << n;
        Expr along_first_row = 0;
        for (std::size_t j = 0; j < n; ++j) along_first_row += (j % 2 == 0 ? 1 : -1) * A[0][j] * determinant(without(A, 0, j));
        EXPECT_EQ(equal(along_first_row, wanted), Verdict::equal) << n;
        const auto X = inverse(A);
        ASSERT_TRUE(X) << n;
        EXPECT_EQ(equal(determinant(*X) * wanted, 1), Verdict::equal) << n;
    }
}

TEST_P(Matrices, TimesTheirAdjugateAreTheirDeterminant) {
    for (std::size_t n = 1; n <= 4; ++n) {
        const Matrix A = general(n, n);
        expect_equal(product(A, adjugate(A)), scaled(determinant(A), identity(n)), "A adj A, " + std::to_string(n));
        expect_equal(product(adjugate(A), A), scaled(determinant(A), identity(n)), "adj A A, " + std::to_string(n));
    }
    const Matrix singular{{a, b}, {2 * a, 2 * b}};
    expect_equal(product(singular, adjugate(singular)), zeros(2, 2), "of a singular one");
}

// ----------------------------------------------------------------------------------------------------------------- inverses

TEST_P(Matrices, TimesTheirInverseAreOne) {
    for (std::size_t n = 1; n <= 6; ++n) {  // beyond four by elimination
        const Matrix A = general(n, n);
        const auto X = inverse(A);
        ASSERT_TRUE(X) << n;
        expect_equal(product(A, *X), identity(n), "A A⁻¹, " + std::to_string(n));
        expect_equal(product(*X, A), identity(n), "A⁻¹ A, " + std::to_string(n));
    }
}

TEST_P(Matrices, AreInvertedBlockByBlock) {
    // Rows 0 and 2 with columns 1 and 3, the others apart: what does not meet stays 0, and is not divided by.
    const Matrix A{{0, a, 0, b}, {q, 0, 0, 0}, {0, c, 0, d}, {0, 0, 2, 0}};
    const auto X = inverse(A);
    ASSERT_TRUE(X);
    expect_equal(product(A, *X), identity(4), "A A⁻¹");
    EXPECT_EQ((*X)[0][1], 1 / q);
    EXPECT_EQ((*X)[2][3], Expr(Rational(1, 2)));
    for (const auto& [i, j] : {std::pair{0, 0}, {0, 2}, {0, 3}, {1, 1}, {1, 3}, {2, 0}, {3, 1}}) {
        EXPECT_TRUE((*X)[i][j].is_literally(0)) << i << ", " << j;
    }
}

TEST_P(Matrices, AreSingularByFingerprint) {
    const Expr one = pow(sin(q), 2) + pow(cos(q), 2);
    EXPECT_FALSE(inverse(Matrix{{0}}));
    EXPECT_FALSE(inverse(Matrix{{a, b}, {2 * a, 2 * b}}));
    EXPECT_FALSE(inverse(Matrix{{1, one}, {one, 1}}));
    EXPECT_FALSE(inverse(Matrix{{a, 0}, {b, 0}})) << "a column of zeros";
    Matrix large = general(5, 5);
    for (std::size_t j = 0; j < 5; ++j) large[4][j] = large[0][j] + 3 * large[2][j];
    EXPECT_FALSE(inverse(large));
    for (const Expr& x : solve({{a, b}, {2 * a, 2 * b}}, {c, d})) EXPECT_TRUE(x.is_undefined());
}

TEST_P(Matrices, AreSolved) {
    for (const std::size_t n : {1, 2, 3, 5}) {
        const Matrix A = general(n, n);
        std::vector<Expr> right;
        for (std::size_t i = 0; i < n; ++i) right.push_back(symbol("y" + std::to_string(i)));
        expect_equal(product(A, column(solve(A, right))), column(right), "A x, " + std::to_string(n));
    }
    EXPECT_EQ(solve({{2, 0}, {0, -1}}, {a, b}), (std::vector<Expr>{a / 2, -b}));
}

}  // namespace
}  // namespace linkwright::sym::test
