#include "linkwright/solve/factor_qr.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "linkwright/solve/orthogonal.hpp"

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

QrFactor refused(Index n, std::string why) { return {.l = MatrixXd::Zero(n, n), .why = std::move(why)}; }

MatrixXd sorted_by_size(const MatrixXd& a) {
    std::vector<Index> order(static_cast<std::size_t>(a.rows()));
    std::iota(order.begin(), order.end(), Index{0});
    const VectorXd size = a.cols() == 0 ? VectorXd::Zero(a.rows()) : VectorXd(a.rowwise().lpNorm<Eigen::Infinity>());
    std::ranges::stable_sort(order, [&](Index i, Index j) { return size(i) > size(j); });
    MatrixXd b(a.rows(), a.cols());
    for (Index i = 0; i < a.rows(); ++i) b.row(i) = a.row(order[i]);
    return b;
}

/// J = Pᵀ L D Lᵀ P, with pivots chosen by size; ok when no pivot is negative beyond rounding, or, if asked, none is zero.
struct Root {
    Eigen::LDLT<MatrixXd> ldlt;
    VectorXd d;  ///< D^½
    std::string why;
};
Root root_of(const MatrixXd& J, bool definite) {
    Root r{Eigen::LDLT<MatrixXd>(J.rows()), VectorXd::Zero(J.rows()), {}};
    if (J.rows() != J.cols()) {
        r.why = fmt::format("a matrix of {} rows and {} columns is not symmetric", J.rows(), J.cols());
    } else if (!J.allFinite()) {
        r.why = "the matrix of masses is not finite";
    } else if (J.rows() > 0) {
        r.ldlt.compute(J);
        const VectorXd d = r.ldlt.vectorD();
        // A pivot is what is left of a diagonal entry: rounding is as large as that entry times ε
        const VectorXd was = r.ldlt.transpositionsP() * VectorXd(J.diagonal().cwiseAbs());
        for (Index i = 0; i < d.size() && r.why.empty(); ++i) {
            const double dust = 8 * epsilon * static_cast<double>(d.size()) * was(i);
            if (!(d(i) >= -dust) || (definite && !(d(i) > dust)))
                r.why = fmt::format("the matrix of masses is not positive{}: a pivot is {:.3g}", definite ? " definite" : "", d(i));
            r.d(i) = std::sqrt(std::max(d(i), 0.0));
        }
    }
    return r;
}

/// Least |G u̇ − γ| that a solver should have reached, and whether it has.
void check(LoopSolution& s, const MatrixXd& G, const VectorXd& gamma) {
    if (!s.udot.allFinite() || !s.lambda.allFinite()) {
        s.udot.setZero();
        s.lambda.setZero();
        s.why = "the solution is too large for a number";
        return;
    }
    s.ok = true;
    for (Index i = 0; i < G.rows(); ++i) {
        const double off = std::abs(G.row(i).dot(s.udot) - gamma(i)),
                     terms = G.row(i).cwiseAbs().dot(s.udot.cwiseAbs()) + std::abs(gamma(i));
        s.residual = std::max(s.residual, off);
        if (!(off <= 1e-8 * terms) && s.ok) {
            s.ok = false;
            s.why = fmt::format("the constraints contradict each other: row {} is missed by {:.3g}", i, off);
        }
    }
}

std::string misfit(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma) {
    if (M.rows() != M.cols() || f.size() != M.rows() || G.cols() != M.rows() || gamma.size() != G.rows())
        return "the matrices do not fit together";
    if (!M.allFinite() || !f.allFinite() || !G.allFinite() || !gamma.allFinite()) return "something is not finite";
    return {};
}

}  // namespace

QrFactor cholesky_through_qr(const MatrixXd& a, double tolerance) {
    const Index n = a.cols();
    if (!a.allFinite()) return refused(n, "the matrix is not finite");
    if (tolerance < 0) tolerance = 8 * epsilon * static_cast<double>(std::max<Index>(a.rows(), 1));
    QrFactor f = refused(n, {});
    MatrixXd r = MatrixXd::Zero(n, n);
    if (n > 0 && a.rows() > 0) {
        r.topRows(std::min(a.rows(), n)) = triangular_factor(sorted_by_size(a));
    }
    double most = 0, least = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < n; ++j) {
        if (r(j, j) < 0) r.row(j) *= -1;
        const double length = r.col(j).stableNorm(), own = length > 0 ? r(j, j) / length : 0;
        if (!(own > tolerance) && f.bad < 0) f.bad = j;
        if (f.bad < 0) ++f.rank;
        most = std::max(most, own);
        least = std::min(least, own);
    }
    f.l = r.transpose();
    f.condition = n == 0 ? 1 : least > 0 ? most / least : std::numeric_limits<double>::infinity();
    f.ok = f.bad < 0;
    if (!f.ok) f.why = fmt::format("column {} depends on those before it", f.bad);
    return f;
}

QrFactor cholesky_through_qr(const MatrixXd& J, const MatrixXd& Z, double tolerance) {
    if (J.cols() != Z.rows()) return refused(Z.cols(), "the matrices do not fit together");
    const Root root = root_of(J, false);
    if (!root.why.empty()) return refused(Z.cols(), root.why);
    if (J.rows() == 0) return cholesky_through_qr(Z, tolerance);
    const MatrixXd turned = root.ldlt.transpositionsP() * Z;
    return cholesky_through_qr(root.d.asDiagonal() * MatrixXd(root.ldlt.matrixU() * turned), tolerance);
}

QrFactor cholesky_of_inverse_through_qr(const MatrixXd& J, const MatrixXd& H, double tolerance) {
    if (J.cols() != H.rows()) return refused(H.cols(), "the matrices do not fit together");
    const Root root = root_of(J, true);
    if (!root.why.empty()) return refused(H.cols(), root.why);
    if (J.rows() == 0) return cholesky_through_qr(H, tolerance);
    MatrixXd a = root.ldlt.transpositionsP() * H;
    root.ldlt.matrixL().solveInPlace(a);
    return cholesky_through_qr(root.d.cwiseInverse().asDiagonal() * a, tolerance);
}

Solution solve(const QrFactor& factor, const VectorXd& b) {
    Solution s{.x = VectorXd::Zero(factor.l.rows()), .rank = factor.rank, .ok = factor.ok, .why = factor.why};
    if (!s.ok) return s;
    if (b.size() != s.x.size())
        s.why = "the right side has another size";
    else if (!b.allFinite())
        s.why = "the right side is not finite";
    s.ok = s.why.empty();
    if (!s.ok) return s;
    s.x = b;
    factor.l.triangularView<Eigen::Lower>().solveInPlace(s.x);
    factor.l.triangularView<Eigen::Lower>().transpose().solveInPlace(s.x);
    if (!s.x.allFinite()) {
        s.x.setZero();
        s.ok = false;
        s.why = "the solution is too large for a number";
    }
    if (s.x.size() > 0) s.residual = (factor.l * (factor.l.transpose() * s.x) - b).lpNorm<Eigen::Infinity>();
    return s;
}

LoopSolution minimum_norm_by_svd(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma, double tolerance) {
    LoopSolution s{.udot = VectorXd::Zero(f.size()), .lambda = VectorXd::Zero(gamma.size()), .why = misfit(M, f, G, gamma)};
    if (!s.why.empty()) return s;
    const Root root = root_of(M, true);
    s.why = root.why;
    if (!s.why.empty()) return s;
    // y ↦ D^−½ L⁻¹ P y and its transpose: M⁻¹ is the second after the first
    const auto in = [&](const MatrixXd& y) {
        MatrixXd x = root.ldlt.transpositionsP() * y;
        root.ldlt.matrixL().solveInPlace(x);
        return MatrixXd(root.d.cwiseInverse().asDiagonal() * x);
    };
    const auto out = [&](const VectorXd& y) {
        VectorXd x = y.cwiseQuotient(root.d);
        root.ldlt.matrixU().solveInPlace(x);
        return VectorXd(root.ldlt.transpositionsP().transpose() * x);
    };
    if (f.size() == 0) return check(s, G, gamma), s;
    const VectorXd free = in(f);
    VectorXd held = free;  // D^½ Lᵀ P u̇
    if (G.rows() > 0) {
        const Svd svd = make_svd(in(G.transpose()));
        if (!svd.ok) return s.why = svd.why, s;
        s.rank = svd.rank(tolerance);
        const auto V = svd.u.leftCols(s.rank), W = svd.v.leftCols(s.rank);
        const VectorXd S = svd.s.head(s.rank);
        const VectorXd c = (W.transpose() * gamma).cwiseQuotient(S);  // Vᵀ of what the constraints ask for
        held = free - V * (V.transpose() * free) + V * c;
        s.lambda = W * (V.transpose() * free - c).cwiseQuotient(S);
    }
    s.udot = out(held);
    check(s, G, gamma);
    return s;
}

LoopSolution null_space_by_svd(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma, double tolerance) {
    LoopSolution s{.udot = VectorXd::Zero(f.size()), .lambda = VectorXd::Zero(gamma.size()), .why = misfit(M, f, G, gamma)};
    if (!s.why.empty()) return s;
    const Svd svd = make_svd(G);  // G = W S Vᵀ
    if (!svd.ok) return s.why = svd.why, s;
    s.rank = svd.rank(tolerance);
    const auto V = svd.v.leftCols(s.rank), W = svd.u.leftCols(s.rank);
    const VectorXd S = svd.s.head(s.rank);
    const MatrixXd Z = svd.v.rightCols(f.size() - s.rank);
    s.udot = V * (W.transpose() * gamma).cwiseQuotient(S);
    const Solution z = solve(cholesky_through_qr(M, Z), Z.transpose() * (f - M * s.udot));
    if (!z.ok) return s.why = "something moves without inertia: " + z.why, s;
    s.udot += Z * z.x;
    s.lambda = W * (V.transpose() * (f - M * s.udot)).cwiseQuotient(S);
    check(s, G, gamma);
    return s;
}

}  // namespace linkwright::solve
