#include "linkwright/model/modal_damping.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/flex/shape_function.hpp"
#include "linkwright/solve/eigenvalues.hpp"

namespace linkwright::model {

namespace {

using sym::Expr;
using sym::Matrix;

Matrix numbers(const Eigen::MatrixXd& a) {
    Matrix m = sym::zeros(a.rows(), a.cols());
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
        for (Eigen::Index j = 0; j < a.cols(); ++j) m[i][j] = flex::fifteen_digits(a(i, j));
    }
    return m;
}

/// Entry by entry, of the lower triangle; the upper one is its mirror image.
template <class Entry>
Matrix symmetric(std::size_t n, Entry entry) {
    Matrix m = sym::zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) m[i][j] = m[j][i] = entry(i, j);
    }
    return m;
}

Matrix mean(const Matrix& a, const Matrix& b) {
    return symmetric(a.size(), [&](std::size_t i, std::size_t j) { return (a[i][j] + b[i][j]) / 2; });
}

/// A⁻¹ of a symmetric matrix by sweeps, pivots in the order in which they stand.
Matrix inverse_by_sweeps(Matrix a) {
    const std::size_t n = a.size();
    for (std::size_t k = 0; k < n; ++k) {
        const Expr d = 1 / a[k][k];
        const std::vector<Expr> row = a[k];
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                if (i != k && j != k) a[i][j] = a[j][i] = a[i][j] - row[i] * d * row[j];
            }
        }
        for (std::size_t i = 0; i < n; ++i) a[i][k] = a[k][i] = i == k ? -d : row[i] * d;
    }
    return symmetric(n, [&](std::size_t i, std::size_t j) { return -a[i][j]; });
}

/// b a bᵀ of a symmetric a.
Matrix congruent(const Matrix& b, const Matrix& a) {
    const Matrix left = sym::product(b, a);
    return symmetric(b.size(), [&](std::size_t i, std::size_t j) {
        Expr sum = 0;
        for (std::size_t k = 0; k < a.size(); ++k) sum += left[i][k] * b[j][k];
        return sum;
    });
}

/// Steps of x ← (x + 1/x)/2, which is what both iterations do to each mode, until all are ±1; and some more: each halves the way to what a
/// changed parameter has put further off.
int steps_of(const Eigen::VectorXd& starts) {
    constexpr int more = 4, most = 60;
    int needed = 0;
    for (double x : starts) {
        int count = 0;
        while (count < most && std::abs(std::abs(x) - 1) > 1e-15) x = (x + 1 / x) / 2, ++count;
        needed = std::max(needed, count);
    }
    return std::min(needed, most) + more;
}

/// M(M⁻¹K)^½. `squares` are today's ω².
Matrix geometric_mean(const Matrix& M, const Matrix& K, const Eigen::VectorXd& squares) {
    const double middle = std::sqrt(squares[0] * squares[squares.size() - 1]);  // P and W begin alike far from their limits
    const Expr scale = flex::fifteen_digits(1 / middle);
    Matrix P = symmetric(M.size(), [&](std::size_t i, std::size_t j) { return K[i][j] * scale; }), W = inverse_by_sweeps(M);
    const int steps = steps_of((squares / middle).cwiseSqrt());
    for (int k = 0; k < steps; ++k) {
        const Matrix of_P = inverse_by_sweeps(P), of_W = inverse_by_sweeps(W);
        P = mean(P, of_W), W = mean(W, of_P);
    }
    const Expr root = flex::fifteen_digits(std::sqrt(middle));
    return symmetric(M.size(), [&](std::size_t i, std::size_t j) { return root * P[i][j]; });
}

/// M sign(M⁻¹K − μ), the first `below` modes being below.
Matrix sides(const Matrix& M, const Matrix& K, std::size_t below, const Eigen::VectorXd& squares) {
    const auto between = [](const auto& a, const auto& b) { return 2 * a * b / (a + b); };
    const auto quotient = [&](std::size_t i) { return K[i][i] / M[i][i]; };
    const Expr mu = between(quotient(below - 1), quotient(below));
    const Eigen::Index last = static_cast<Eigen::Index>(below) - 1;
    const Eigen::VectorXd starts = squares.array() / between(squares[last], squares[last + 1]) - 1;
    Matrix Z = symmetric(M.size(), [&](std::size_t i, std::size_t j) { return K[i][j] / mu - M[i][j]; });
    const int steps = steps_of(starts);
    for (int k = 0; k < steps; ++k) Z = mean(Z, congruent(M, inverse_by_sweeps(Z)));
    return Z;
}

/// Those of modes that cannot be told apart are replaced by their mean.
void share_among_equals(std::vector<Expr>& ratios, const Eigen::VectorXd& squares) {
    for (std::size_t i = 0; i < ratios.size();) {
        std::size_t end = i + 1;
        Expr sum = ratios[i];
        while (end < ratios.size() && squares[end] - squares[end - 1] < 1e-6 * squares[end]) sum += ratios[end++];
        for (std::size_t k = i; k < end; ++k) ratios[k] = end == i + 1 ? ratios[k] : sum / static_cast<int>(end - i);
        i = end;
    }
}

}  // namespace

Matrix modal_damping(const Matrix& M, const Matrix& K, std::vector<Expr> ratios, const Eigen::MatrixXd& M0, const Eigen::MatrixXd& K0) {
    const solve::SymmetricEigen today = solve::symmetric_eigen(K0, M0);  // ΦᵀMΦ = 1, so Φ⁻¹ = ΦᵀM
    const double least = 1e-10 * today.values.maxCoeff();  // what has no stiffness is given a little: roots of 0 have no slope
    const bool is_soft = today.values[0] < least;
    const Eigen::VectorXd squares = is_soft ? Eigen::VectorXd(today.values.array().max(0) + least) : today.values;
    share_among_equals(ratios, squares);
    const Matrix to = numbers(today.vectors.transpose()), back = numbers(M0 * today.vectors);
    const Matrix m = congruent(to, M);
    const std::size_t n = m.size();
    Matrix k = congruent(to, K);
    if (is_soft) k = symmetric(n, [&](std::size_t i, std::size_t j) { return k[i][j] + flex::fifteen_digits(least) * m[i][j]; });
    Matrix c = geometric_mean(m, k, squares);
    Matrix weights = symmetric(n, [&](std::size_t i, std::size_t j) { return ratios[0] * m[i][j]; });
    bool is_one = true;
    for (std::size_t i = 1; i < n; ++i) {
        if (ratios[i] == ratios[i - 1]) continue;
        is_one = false;
        const Matrix Z = sides(m, k, i, squares);
        const Expr more = (ratios[i] - ratios[i - 1]) / 2;
        weights = symmetric(n, [&](std::size_t a, std::size_t b) { return weights[a][b] + more * (m[a][b] + Z[a][b]); });
    }
    if (is_one)
        c = symmetric(n, [&](std::size_t i, std::size_t j) { return ratios[0] * c[i][j]; });
    else
        c = sym::product(c, sym::product(inverse_by_sweeps(m), weights));
    return congruent(back, symmetric(n, [&](std::size_t i, std::size_t j) { return 2 * c[i][j]; }));
}

}  // namespace linkwright::model
