#include "linkwright/sym/matrix.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::sym {

namespace {

/// How willingly an entry is divided by: numbers first, then symbols, then anything that is not zero.
int rank_of(const Expr& e) {
    if (is_zero(e) == Verdict::equal || e.is_undefined()) return 0;
    if (e.is_literally(1) || e.is_literally(-1)) return 4;
    if (e.is_number()) return 3;
    return e.is_symbol() ? 2 : 1;
}

/// det A along the first row, then the same with the rows below; hidden zeros are passed over. determinant() begins with the minors of
/// the first rows and would give other expressions: those of an inverse stand in equations of motion, whose operations are counted.
Expr expanded(const Matrix& A) {
    if (A.empty()) return 1;
    Expr d = 0;
    for (std::size_t j = 0; j < A.size(); ++j) {
        if (rank_of(A[0][j]) != 0) d += (j % 2 == 0 ? A[0][j] : -A[0][j]) * expanded(without(A, 0, j));
    }
    return d;
}

std::optional<Matrix> inverse_by_adjugate(const Matrix& A) {
    const std::size_t n = A.size();
    const Expr d = expanded(A);
    if (rank_of(d) == 0) return std::nullopt;
    Matrix X = zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) X[j][i] = ((i + j) % 2 == 0 ? 1 : -1) * expanded(without(A, i, j)) / d;
    }
    return X;
}

std::optional<Matrix> inverse_by_elimination(Matrix A) {
    const std::size_t n = A.size();
    Matrix X = identity(n);
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

Matrix zeros(std::size_t rows, std::size_t columns) { return Matrix(rows, std::vector<Expr>(columns)); }

Matrix identity(std::size_t n) {
    Matrix A = zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) A[i][i] = 1;
    return A;
}

Matrix column(std::span<const Expr> v) {
    Matrix A;
    for (const Expr& e : v) A.push_back({e});
    return A;
}

std::size_t columns_of(const Matrix& A) { return A.empty() ? 0 : A[0].size(); }

std::vector<Expr> flat(const Matrix& A) {
    std::vector<Expr> all;
    for (const auto& row : A) all.insert(all.end(), row.begin(), row.end());
    return all;
}

bool is_literally_zero(const Matrix& A) {
    return std::ranges::all_of(A,
                               [](const auto& row) { return std::ranges::all_of(row, [](const Expr& e) { return e.is_literally(0); }); });
}

Matrix without(const Matrix& A, std::size_t row, std::size_t column) {
    Matrix B;
    for (std::size_t i = 0; i < A.size(); ++i) {
        if (i == row) continue;
        B.emplace_back();
        for (std::size_t j = 0; j < A[i].size(); ++j) {
            if (j != column) B.back().push_back(A[i][j]);
        }
    }
    return B;
}

Matrix transpose(const Matrix& A, std::size_t columns) {
    Matrix T = zeros(columns, A.size());
    for (std::size_t i = 0; i < A.size(); ++i) {
        for (std::size_t j = 0; j < columns; ++j) T[j][i] = A[i][j];
    }
    return T;
}

Matrix product(const Matrix& A, const Matrix& B, std::size_t columns) {
    Matrix C = zeros(A.size(), columns);
    for (std::size_t i = 0; i < A.size(); ++i) {
        for (std::size_t k = 0; k < B.size(); ++k) {
            if (A[i][k].is_literally(0)) continue;
            for (std::size_t j = 0; j < columns; ++j) {
                if (!B[k][j].is_literally(0)) C[i][j] += A[i][k] * B[k][j];
            }
        }
    }
    return C;
}

Expr determinant(const Matrix& A) {
    const std::size_t n = A.size();
    std::vector<Expr> minors(std::size_t{1} << n, Expr(0));  // by the set of their columns
    minors[0] = 1;
    for (std::size_t columns = 1; columns < minors.size(); ++columns) {
        const auto row = static_cast<std::size_t>(std::popcount(columns)) - 1;
        for (std::size_t j = 0, before = 0; j < n; ++j) {
            const std::size_t bit = std::size_t{1} << j;
            if ((columns & bit) == 0) continue;
            const bool is_negative = (row - before++) % 2 == 1;
            const Expr& rest = minors[columns ^ bit];
            if (A[row][j].is_literally(0) || rest.is_literally(0)) continue;
            const Expr term = A[row][j] * rest;
            minors[columns] = is_negative ? minors[columns] - term : minors[columns] + term;
        }
    }
    return minors.back();
}

Matrix adjugate(const Matrix& A) {
    const std::size_t n = A.size();
    Matrix adj = zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            const Expr minor = determinant(without(A, i, k));
            adj[k][i] = (i + k) % 2 == 0 ? minor : -minor;
        }
    }
    return adj;
}

Expr determinant_by_pivots(Matrix A) {
    Expr d = 1;
    for (std::size_t k = 0; k < A.size(); ++k) {
        d *= A[k][k];
        for (std::size_t i = k + 1; i < A.size(); ++i) {
            if (A[i][k].is_literally(0)) continue;
            const Expr factor = A[i][k] / A[k][k];
            for (std::size_t j = k + 1; j < A.size(); ++j) A[i][j] -= factor * A[k][j];
        }
    }
    return d;
}

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
    Matrix X = zeros(n, n);
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
        const auto Y = part.size() <= 4 ? inverse_by_adjugate(part) : inverse_by_elimination(part);
        if (!Y) return std::nullopt;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (std::size_t j = 0; j < rows.size(); ++j) X[columns[i]][rows[j]] = (*Y)[i][j];
        }
    }
    return X;
}

std::vector<Expr> solve(const Matrix& A, const std::vector<Expr>& b) {
    const auto X = inverse(A);
    std::vector<Expr> x(b.size(), undefined());
    if (!X) return x;
    for (std::size_t i = 0; i < b.size(); ++i) {
        x[i] = 0;
        for (std::size_t j = 0; j < b.size(); ++j) x[i] += (*X)[i][j] * b[j];
    }
    return x;
}

}  // namespace linkwright::sym
