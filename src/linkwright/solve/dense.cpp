#include "linkwright/solve/dense.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Empty when all is finite.
std::string find_infinity(const MatrixXd& a, const char* what) {
    for (Index j = 0; j < a.cols(); ++j) {
        for (Index i = 0; i < a.rows(); ++i) {
            if (!std::isfinite(a(i, j))) return fmt::format("{} is not finite in row {}, column {}", what, i, j);
        }
    }
    return {};
}

double largest(const VectorXd& v) { return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>(); }

/// x that overflowed becomes zeros, with a reason.
void check_range(Solution& s) {
    if (!s.x.allFinite()) {
        s.x.setZero();
        s.ok = false;
        s.why = "the solution is too large for a number";
    }
}

}  // namespace

Definite factor_definite(const MatrixXd& a, double tolerance, const VectorXd& size) {
    const Index n = a.rows();
    Definite f{.l = MatrixXd::Identity(n, n), .d = VectorXd::Zero(n), .direction = {}, .why = {}};
    if (a.cols() != n) {
        f.why = fmt::format("a matrix of {} rows and {} columns is not symmetric", n, a.cols());
        return f;
    }
    f.why = find_infinity(a, "the matrix");
    if (!f.why.empty()) return f;
    if (tolerance < 0) tolerance = 8 * epsilon;
    VectorXd scale = a.diagonal().cwiseAbs();
    if (size.size() == n) scale = scale.cwiseMax(size);
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < n; ++j) {
        // d_j = a_jj − Σ l_jk² d_k,   l_ij = (a_ij − Σ l_ik l_jk d_k)/d_j
        // Left of the first entry of its row a factor is zero: bodies that do not meet, on the ground or in branches, cost nothing together.
        Index first = 0;
        while (first < j && a(j, first) == 0) ++first;
        const Index width = j - first;
        const VectorXd ld = f.l.row(j).segment(first, width).transpose().cwiseProduct(f.d.segment(first, width));
        f.d(j) = a(j, j) - f.l.row(j).segment(first, width).dot(ld);
        if (!(f.d(j) > 1e-3 * scale(j))) {
            VectorXd z = VectorXd::Zero(n);  // zᵀA z = d_j, so errors of A are worth |z|ᵀ|A||z| here
            z(j) = 1;
            z.head(j) = -f.l.row(j).head(j).transpose();
            f.l.topLeftCorner(j, j).triangularView<Eigen::UnitLower>().transpose().solveInPlace(z.head(j));
            const double bound = z.cwiseAbs().dot(scale.cwiseSqrt());
            if (!(f.d(j) > tolerance * bound * bound)) {
                f.bad = j;
                f.direction = z;
                f.why =
                    fmt::format("the matrix is not positive definite: pivot {} is {:.3g} beside a diagonal of {:.3g}", j, f.d(j), a(j, j));
                return f;
            }
        }
        const Index below = n - j - 1;
        f.l.col(j).tail(below) = a.col(j).tail(below);
        if (width > 0) f.l.col(j).tail(below) -= f.l.block(j + 1, first, below, width) * ld;
        f.l.col(j).tail(below) /= f.d(j);
        most = std::max(most, f.d(j) / a(j, j));
        least = std::min(least, f.d(j) / a(j, j));
    }
    f.condition = n == 0 ? 1 : most / least;
    f.ok = true;
    return f;
}

Solution solve(const Definite& factor, const VectorXd& b) {
    Solution s{.x = VectorXd::Zero(factor.d.size()), .ok = factor.ok, .why = factor.why};
    if (!s.ok) return s;
    s.why = b.size() == s.x.size() ? find_infinity(b, "the right side") : "the right side has another size";
    s.ok = s.why.empty();
    if (!s.ok) return s;
    s.rank = s.x.size();
    s.x = b;
    factor.l.triangularView<Eigen::UnitLower>().solveInPlace(s.x);
    s.x.array() /= factor.d.array();
    factor.l.triangularView<Eigen::UnitLower>().transpose().solveInPlace(s.x);
    check_range(s);
    s.residual = largest(factor.l * (factor.d.cwiseProduct(factor.l.transpose() * s.x)) - b);
    return s;
}

Solution solve_definite(const MatrixXd& a, const VectorXd& b) { return solve(factor_definite(a), b); }

Independence independent_columns(const MatrixXd& a, double tolerance) {
    Independence found{.independent = {}, .dependent = {}, .why = find_infinity(a, "the matrix")};
    found.ok = found.why.empty();
    if (!found.ok) found.condition = std::numeric_limits<double>::infinity();
    if (found.ok && a.size() > 0) {
        const PivotedQr qr(a);
        const VectorXd pivot = qr.pivots();
        while (found.rank < pivot.size() && pivot(found.rank) > tolerance * pivot(0)) ++found.rank;
        for (Index k = 0; k < found.rank; ++k) found.independent.push_back(qr.order()(k));
        if (found.rank > 0) found.condition = pivot(0) / pivot(found.rank - 1);
    }
    for (Index j = 0; j < a.cols(); ++j) {
        if (std::ranges::find(found.independent, j) == found.independent.end()) found.dependent.push_back(j);
    }
    return found;
}

Independence independent_rows(const MatrixXd& a, double tolerance) { return independent_columns(a.transpose(), tolerance); }

Index Svd::rank(double tolerance) const {
    Index r = 0;
    while (r < s.size() && s(r) > 0 && s(r) > tolerance * s(0)) ++r;
    return r;
}

Svd make_svd(const MatrixXd& a) {
    const Index m = a.rows(), n = a.cols(), least = std::min(m, n);
    Svd f{.u = MatrixXd::Zero(m, least), .s = VectorXd::Zero(least), .v = MatrixXd::Identity(n, n), .why = find_infinity(a, "the matrix")};
    f.ok = f.why.empty();
    const double size = a.size() == 0 || !f.ok ? 0 : a.cwiseAbs().maxCoeff();
    if (size == 0) {
        f.u.diagonal().setOnes();
        return f;
    }
    // Jacobi, not divide and conquer: Eigen 3.4's BDCSVD returns wrong factors for some block matrices and calls it success.
    SingularValues svd = singular_values(a / size, SingularVectors::thin, SingularVectors::full);
    if (!svd.ok) {
        f.ok = false;
        f.why = "the singular values did not converge";
        return f;
    }
    f.u = std::move(svd.u);
    f.s = svd.s * size;
    f.v = std::move(svd.v);
    return f;
}

Solution solve_least_squares(const MatrixXd& a, const VectorXd& b, double tolerance) {
    Solution s{.x = VectorXd::Zero(a.cols()), .why = {}};
    const Svd f = make_svd(a);
    s.why = !f.ok ? f.why : b.size() == a.rows() ? find_infinity(b, "the right side") : "the right side has another size";
    s.ok = s.why.empty();
    if (!s.ok) return s;
    s.rank = f.rank(tolerance);
    s.x = f.v.leftCols(s.rank) * (f.u.leftCols(s.rank).transpose() * b).cwiseQuotient(f.s.head(s.rank));
    check_range(s);
    s.residual = largest(a * s.x - b);
    return s;
}

MatrixXd null_space(const MatrixXd& a, double tolerance) {
    const Svd f = make_svd(a);
    if (!f.ok) return MatrixXd::Zero(a.cols(), 0);
    return f.v.rightCols(a.cols() - f.rank(tolerance));
}

}  // namespace linkwright::solve
