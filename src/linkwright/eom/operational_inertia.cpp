#include "linkwright/eom/operational_inertia.hpp"

#include <string>

#include "linkwright/eom/accelerations.hpp"

namespace linkwright::eom {

Matrix mobility(const EquationsOfMotion& e, const Matrix& J) {
    const sym::PoolScope scope(*e.pool);
    Matrix answers;  // M⁻¹ Jᵀ, transposed
    for (const auto& row : J) answers.push_back(factored_accelerations(e.M, row));
    Matrix result = sym::zeros(J.size(), J.size());
    for (std::size_t i = 0; i < J.size(); ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            for (std::size_t k = 0; k < e.u.size(); ++k) result[i][j] += J[i][k] * answers[j][k];
            result[j][i] = result[i][j];
        }
    }
    return result;
}

namespace {

/// A = L D Lᵀ, with X = L⁻¹. A pivot that is identically zero ends it.
struct Elimination {
    std::vector<Expr> D;
    Matrix X;
};

Elimination eliminated(Matrix A) {
    const std::size_t n = A.size();
    Elimination r{{}, sym::zeros(n, n)};
    for (std::size_t k = 0; k < n; ++k) r.X[k][k] = 1;
    for (std::size_t k = 0; k < n; ++k) {
        r.D.push_back(A[k][k]);
        if (A[k][k].is_literally(0)) return r;
        const Expr inverse = 1 / A[k][k];
        for (std::size_t i = k + 1; i < n; ++i) {
            const Expr l = A[i][k] * inverse;
            for (std::size_t j = k + 1; j <= i; ++j) A[i][j] = A[j][i] = A[i][j] - l * A[k][j];
            for (std::size_t j = 0; j <= k; ++j) r.X[i][j] -= l * r.X[k][j];
        }
    }
    return r;
}

/// Rows that some speed moves, and why that cannot do.
OperationalInertia begun(const EquationsOfMotion& e, const FrameJacobian& frame) {
    OperationalInertia r;
    for (std::size_t row = 0; row < frame.J.size(); ++row) {
        if (!sym::is_literally_zero({frame.J[row]})) r.moved.push_back(row);
    }
    const std::size_t n = r.moved.size(), speeds = e.u.size();
    if (!e.constraints.empty()) {
        r.why_none = "the mechanism has closed chains; evaluate works it out in numbers";
    } else if (n == 0) {
        r.why_none = "no speed moves the frame";
    } else if (n > speeds) {
        r.why_none = std::to_string(n) + " directions and " + std::to_string(speeds) + " speeds: they cannot all be moved by themselves";
    }
    return r;
}

Matrix moved_rows(const OperationalInertia& r, const FrameJacobian& frame) {
    Matrix J;
    for (const std::size_t row : r.moved) J.push_back(frame.J[row]);
    return J;
}

/// Of a matrix of 1 to 3 rows: row i and column j left out, with its sign.
Expr cofactor(const Matrix& A, std::size_t i, std::size_t j) {
    if (A.size() == 1) return 1;
    const auto entry = [&](std::size_t di, std::size_t dj) { return A[(i + di) % A.size()][(j + dj) % A.size()]; };
    if (A.size() == 2) return (i + j) % 2 == 0 ? entry(1, 1) : -entry(1, 1);
    return entry(1, 1) * entry(2, 2) - entry(1, 2) * entry(2, 1);  // cyclic: no sign
}

}  // namespace

OperationalInertia readable_inertia(const EquationsOfMotion& e, const FrameJacobian& frame) {
    constexpr std::size_t largest = 3;
    OperationalInertia r = begun(e, frame);
    const std::size_t n = r.moved.size();
    if (!r.why_none.empty()) return r;
    const sym::PoolScope scope(*e.pool);
    const Matrix J = moved_rows(r, frame);
    Expr determinant = 0;
    for (std::size_t j = 0; n == e.u.size() && n <= largest && j < n; ++j) determinant += J[0][j] * cofactor(J, 0, j);
    if (determinant.is_literally(0)) return operational_inertia(e, frame);
    const Expr square = pow(determinant, 2);
    r.inertia = sym::zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            Expr sum = 0;
            for (std::size_t k = 0; k < n; ++k) {
                for (std::size_t l = 0; l < n; ++l) sum += cofactor(J, i, k) * e.M[k][l] * cofactor(J, j, l);
            }
            r.inertia[i][j] = r.inertia[j][i] = sum / square;
        }
    }
    return r;
}

OperationalInertia operational_inertia(const EquationsOfMotion& e, const FrameJacobian& frame) {
    OperationalInertia r = begun(e, frame);
    const std::size_t n = r.moved.size();
    if (!r.why_none.empty()) return r;
    const sym::PoolScope scope(*e.pool);
    const Matrix A = mobility(e, moved_rows(r, frame));
    const auto [D, X] = eliminated(A);
    if (D.back().is_literally(0)) {
        r.why_none = "the frame cannot be moved along " + frame.rows[r.moved[D.size() - 1]] + " apart from the rows before it";
        return r;
    }
    r.inertia = sym::zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        r.pivots.push_back(D[i] / A[i][i]);
        for (std::size_t j = 0; j <= i; ++j) {
            for (std::size_t k = i; k < n; ++k) r.inertia[i][j] += X[k][i] * X[k][j] / D[k];
            r.inertia[j][i] = r.inertia[i][j];
        }
    }
    return r;
}

}  // namespace linkwright::eom
