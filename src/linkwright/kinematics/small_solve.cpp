#include "linkwright/kinematics/small_solve.hpp"

#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::kinematics {

namespace {

using Matrix = std::vector<std::vector<Expr>>;

/// How willingly an entry is divided by: numbers first, then symbols, then anything that is not zero.
int rank_of(const Expr& e) {
    if (is_zero(e) == sym::Verdict::equal || e.is_undefined()) return 0;
    if (e.is_literally(1) || e.is_literally(-1)) return 4;
    if (e.is_number()) return 3;
    return e.is_symbol() ? 2 : 1;
}

Matrix without(const Matrix& A, std::size_t row, std::size_t column) {
    Matrix B;
    for (std::size_t i = 0; i < A.size(); ++i) {
        if (i == row) continue;
        B.emplace_back();
        for (std::size_t j = 0; j < A.size(); ++j) {
            if (j != column) B.back().push_back(A[i][j]);
        }
    }
    return B;
}

Expr determinant(const Matrix& A) {
    if (A.empty()) return 1;
    Expr d = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
        if (rank_of(A[0][j]) != 0) d += (j % 2 == 0 ? A[0][j] : -A[0][j]) * determinant(without(A, 0, j));
    }
    return d;
}

std::optional<Matrix> by_adjugate(const Matrix& A) {
    const std::size_t n = A.size();
    const Expr d = determinant(A);
    if (rank_of(d) == 0) return std::nullopt;
    Matrix X(n, std::vector<Expr>(n));
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) X[j][i] = ((i + j) % 2 == 0 ? 1 : -1) * determinant(without(A, i, j)) / d;
    }
    return X;
}

std::optional<Matrix> by_elimination(Matrix A) {
    const std::size_t n = A.size();
    Matrix X(n, std::vector<Expr>(n));
    for (std::size_t i = 0; i < n; ++i) X[i][i] = 1;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t best = k;
        for (std::size_t i = k + 1; i < n; ++i) {
            if (rank_of(A[i][k]) > rank_of(A[best][k])) best = i;
        }
        if (rank_of(A[best][k]) == 0) return std::nullopt;
        std::swap(A[k], A[best]);
        std::swap(X[k], X[best]);
        const Expr pivot = 1 / A[k][k];
        for (std::size_t j = 0; j < n; ++j) A[k][j] *= pivot, X[k][j] *= pivot;
        for (std::size_t i = 0; i < n; ++i) {
            const Expr factor = A[i][k];
            if (i == k || factor.is_literally(0)) continue;
            for (std::size_t j = 0; j < n; ++j) A[i][j] -= factor * A[k][j], X[i][j] -= factor * X[k][j];
        }
    }
    return X;
}

}  // namespace

std::optional<Matrix> inverse(const Matrix& A) {
    const std::size_t n = A.size();
    // Blocks: rows and columns tied by entries that are not zero.
    std::vector<std::size_t> block(2 * n);
    for (std::size_t i = 0; i < 2 * n; ++i) block[i] = i;
    const auto find = [&](std::size_t i) {
        while (block[i] != i) i = block[i] = block[block[i]];
        return i;
    };
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (rank_of(A[i][j]) != 0) block[find(i)] = find(n + j);
        }
    }
    Matrix X(n, std::vector<Expr>(n));
    for (std::size_t b = 0; b < 2 * n; ++b) {
        if (find(b) != b) continue;
        std::vector<std::size_t> rows, columns;
        for (std::size_t i = 0; i < n; ++i) {
            if (find(i) == b) rows.push_back(i);
            if (find(n + i) == b) columns.push_back(i);
        }
        if (rows.size() != columns.size()) return std::nullopt;
        Matrix part;
        for (const std::size_t i : rows) {
            part.emplace_back();
            for (const std::size_t j : columns) part.back().push_back(A[i][j]);
        }
        const auto Y = part.size() <= 4 ? by_adjugate(part) : by_elimination(part);
        if (!Y) return std::nullopt;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < rows.size(); ++j) X[columns[i]][rows[j]] = (*Y)[i][j];
        }
    }
    return X;
}

std::vector<Expr> solve(const std::vector<std::vector<Expr>>& A, const std::vector<Expr>& b) {
    const auto X = inverse(A);
    std::vector<Expr> x(b.size(), sym::undefined());
    if (!X) return x;
    for (std::size_t i = 0; i < b.size(); ++i) {
        x[i] = 0;
        for (std::size_t j = 0; j < b.size(); ++j) x[i] += (*X)[i][j] * b[j];
    }
    return x;
}

}  // namespace linkwright::kinematics
