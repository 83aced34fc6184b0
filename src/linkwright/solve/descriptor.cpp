#include "linkwright/solve/descriptor.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "linkwright/solve/orthogonal.hpp"
#include "linkwright/solve/scale.hpp"

namespace linkwright::solve {
namespace {

constexpr Index undecided = -1;
constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// 1/√M_jj against its geometric mean, within four decades: more would let masses decide the rank of G.
VectorXd column_scale(const MatrixXd& M) {
    constexpr double most = 1e4;
    const Index n = M.rows();
    double logs = 0, count = 0;
    for (Index j = 0; j < n; ++j) {
        if (M(j, j) > 0) logs += std::log(M(j, j)), ++count;
    }
    VectorXd scale = VectorXd::Ones(n);
    for (Index j = 0; j < n; ++j) {
        if (M(j, j) > 0) scale(j) = std::clamp(std::exp((logs / count - std::log(M(j, j))) / 2), 1 / most, most);
    }
    return scale;
}

/// Ĝ = (m×n) in factors that solve Ĝ u = g and Ĝᵀ λ = r: Y, Z orthonormal, Ĝ Z = 0.
struct Split {
    Index rank = 0;
    MatrixXd y, z;
    MatrixXd from_gamma;  ///< r×m: u_p = Y·from_gamma·g; its transpose gives λ of Yᵀr
    MatrixXd silent;      ///< m×(m−r): orthonormal λ with Ĝᵀλ = 0
    std::vector<Index> redundant;
    double condition = 1;
    std::string why;
};

Split split(const MatrixXd& G, Index wanted, double tolerance) {
    const Index m = G.rows(), n = G.cols();
    Split s{.y = MatrixXd::Zero(n, 0),
            .z = m == 0 ? MatrixXd() : MatrixXd::Identity(n, n),
            .from_gamma = MatrixXd::Zero(0, m),
            .silent = MatrixXd::Identity(m, m),
            .redundant = {},
            .why = {}};
    if (m == 0 || n == 0) {
        for (Index i = 0; i < m; ++i) s.redundant.push_back(i);
        return s;
    }
    const PivotedQr qr(G.transpose());
    const VectorXd pivot = qr.pivots();
    const Eigen::VectorXi& order = qr.order();
    s.rank = wanted;
    if (wanted == undecided) {
        s.rank = 0;
        while (s.rank < pivot.size() && pivot(s.rank) > tolerance * pivot(0)) ++s.rank;
    }
    double last = 0, first = pivot(0);
    if (s.rank == m && pivot(m - 1) > 0) {
        const MatrixXd q = qr.q();
        s.y = q.leftCols(m);
        s.z = q.rightCols(n - m);
        // Ĝᵀ P = Y R, so Ĝ u = g means Rᵀ (Yᵀu) = Pᵀ g.
        MatrixXd permuted = MatrixXd::Zero(m, m);
        for (Index k = 0; k < m; ++k) permuted(k, order(k)) = 1;
        s.from_gamma = qr.r().transpose().triangularView<Eigen::Lower>().solve(permuted);
        s.silent = MatrixXd::Zero(m, 0);
        last = pivot(m - 1);
    } else {
        const Svd f = make_svd(G);
        if (!f.ok) {
            s.why = f.why;
            s.rank = 0;
            return s;
        }
        if (wanted == undecided) s.rank = f.rank(tolerance);
        first = f.s(0);
        last = s.rank > 0 ? f.s(s.rank - 1) : 0;
        s.y = f.v.leftCols(s.rank);
        s.z = f.v.rightCols(n - s.rank);
        if (s.rank > 0 && last > 0) {
            s.from_gamma = f.s.head(s.rank).cwiseInverse().asDiagonal() * f.u.leftCols(s.rank).transpose();
        } else {
            s.from_gamma = MatrixXd::Zero(s.rank, m);
        }
        s.silent = s.rank == 0 ? MatrixXd::Identity(m, m) : MatrixXd(plain_qr(f.u.leftCols(s.rank)).q.rightCols(m - s.rank));
    }
    if (s.rank > 0 && last <= 8 * static_cast<double>(m + n) * epsilon * first) {
        s.why = fmt::format("the constraints have lost rank: it was {}, and is less here", s.rank);
    }
    s.condition = s.rank == 0 ? 1 : last > 0 ? first / last : std::numeric_limits<double>::infinity();
    for (Index k = s.rank; k < m; ++k) s.redundant.push_back(order(k));
    std::ranges::sort(s.redundant);
    return s;
}

/// Rows of all m that are not taken, or taken and among `redundant` (places in `taken`); ascending.
std::vector<Index> among(const std::vector<Index>& taken, const std::vector<Index>& redundant, Index m) {
    std::vector<Index> list;
    Index next = 0;
    for (Index i = 0; i < m; ++i) {
        const bool is_taken = next < static_cast<Index>(taken.size()) && taken[next] == i;
        if (!is_taken || std::ranges::find(redundant, next) != redundant.end()) list.push_back(i);
        if (is_taken) ++next;
    }
    return list;
}

std::string find_fault(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma) {
    const Index n = M.rows(), m = G.rows();
    if (M.cols() != n || f.size() != n || gamma.size() != m || (m > 0 && G.cols() != n)) return "sizes do not match";
    if (!M.allFinite()) return "the mass matrix has an entry that is not finite";
    if (!f.allFinite()) return "the forcing has an entry that is not finite";
    if (!G.allFinite()) return "the constraint Jacobian has an entry that is not finite";
    if (!gamma.allFinite()) return "the right-hand side of the constraints has an entry that is not finite";
    return {};
}

void check_consistency(DescriptorSolution& s, const MatrixXd& G, const VectorXd& gamma, const DescriptorOptions& options) {
    s.consistent = true;
    double most = -1;
    for (Index i = 0; i < G.rows(); ++i) {
        const double length = G.row(i).stableNorm(), left = std::abs(G.row(i).dot(s.udot) - gamma(i));
        double allowed =
            options.consistency * (length * s.udot.stableNorm() + std::abs(gamma(i))) + options.floor * (length > 0 ? length : 1);
        if (options.errors.G.size() == G.rows()) {
            allowed += clearly * (options.errors.G(i) * s.udot.lpNorm<1>() + options.errors.gamma(i));
        }
        s.residual = std::max(s.residual, left);
        if (left / allowed > most) most = left / allowed, s.worst = i;
    }
    if (most <= 1) return;
    s.consistent = false;
    if (!s.why.empty()) return;
    s.why = fmt::format("the constraints contradict each other: row {} misses its right-hand side {:.3g} by {:.3g}", s.worst,
                        gamma(s.worst), std::abs(G.row(s.worst).dot(s.udot) - gamma(s.worst)));
}

DescriptorSolution solve_by_nullspace(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma, Index wanted,
                                      const DescriptorOptions& options) {
    const Index n = M.rows(), m = G.rows();
    DescriptorSolution s{.udot = VectorXd::Zero(f.size()),
                         .lambda = VectorXd::Zero(gamma.size()),
                         .redundant = {},
                         .direction = {},
                         .why = find_fault(M, f, G, gamma),
                         .note = {}};
    if (!s.why.empty()) return s;

    // Rows that are only rounding take no part: their multipliers are 0, and no direction among multipliers is made of them.
    const VectorXd counts = row_scale(G, options.errors.G);  // by the units of G: errors know nothing of masses
    std::vector<Index> taken;
    for (Index i = 0; i < m; ++i) {
        if (counts(i) != 0) taken.push_back(i);
    }
    const VectorXd columns = column_scale(M);
    MatrixXd G_taken(static_cast<Index>(taken.size()), n);
    VectorXd gamma_taken(G_taken.rows());
    for (Index k = 0; k < G_taken.rows(); ++k) G_taken.row(k) = G.row(taken[k]) * columns.asDiagonal(), gamma_taken(k) = gamma(taken[k]);
    const VectorXd rows = row_scale(G_taken, VectorXd::Zero(G_taken.rows()));
    const MatrixXd M_scaled = columns.asDiagonal() * M * columns.asDiagonal();
    const Split g = split(rows.asDiagonal() * G_taken, wanted == undecided ? wanted : std::min(wanted, G_taken.rows()),
                          rank_tolerance(G, options.errors.G, options.rank_tolerance));
    s.rank = g.rank;
    s.redundant = among(taken, g.redundant, m);
    s.condition = g.condition;
    s.why = g.why;
    if (!s.why.empty()) return s;

    const VectorXd u_p = g.y * (g.from_gamma * rows.cwiseProduct(gamma_taken));
    const VectorXd f_scaled = columns.cwiseProduct(f);
    const bool is_free = taken.empty();  // z is 1
    const auto onto = [&](const VectorXd& x) -> VectorXd { return is_free ? x : VectorXd(g.z.transpose() * x); };
    const auto from = [&](const VectorXd& x) -> VectorXd { return is_free ? x : VectorXd(g.z * x); };
    const auto inertia_of = [&]() -> Definite {
        if (is_free) return factor_definite((M_scaled + M_scaled.transpose()) / 2, -1, M_scaled.diagonal().cwiseAbs());
        const MatrixXd ZMZ = g.z.transpose() * M_scaled * g.z;
        const MatrixXd size = g.z.cwiseAbs().transpose() * M_scaled.cwiseAbs() * g.z.cwiseAbs();  // what its rounding follows
        return factor_definite((ZMZ + ZMZ.transpose()) / 2, -1, size.diagonal());
    };
    const Definite inertia = inertia_of();
    VectorXd u = u_p;
    if (inertia.ok) {
        s.condition = std::max(s.condition, inertia.condition);
        u += from(solve(inertia, onto(f_scaled - M_scaled * u_p)).x);
    } else if (inertia.bad >= 0) {
        s.direction = columns.cwiseProduct(from(inertia.direction));
        s.direction /= s.direction.cwiseAbs().maxCoeff();
        s.why = "a motion that the constraints allow has no inertia";
    } else {
        s.why = inertia.why;
    }
    s.udot = columns.cwiseProduct(u);

    // Scaled multipliers, then the shortest of the unscaled ones: less their part along what Gᵀ does not see.
    const VectorXd left = f_scaled - M_scaled * u;
    VectorXd lambda = rows.cwiseProduct(g.from_gamma.transpose() * (g.y.transpose() * left));
    if (g.silent.cols() > 0) {
        const MatrixXd q = plain_qr(rows.asDiagonal() * g.silent).q.leftCols(g.silent.cols());
        lambda -= q * (q.transpose() * lambda);
    }
    for (std::size_t k = 0; k < taken.size(); ++k) s.lambda(taken[k]) = lambda(static_cast<Index>(k));
    if (!s.udot.allFinite() || !s.lambda.allFinite()) {
        s.udot.setZero();
        s.lambda.setZero();
        s.why = "the accelerations are too large for a number";
    }
    check_consistency(s, G, gamma, options);
    s.ok = s.why.empty();
    return s;
}

/// The report is the null-space method's; a rival replaces the numbers.
DescriptorSolution solve_scaled(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma, Index wanted,
                                const DescriptorOptions& options) {
    DescriptorSolution s = solve_by_nullspace(M, f, G, gamma, wanted, options);
    if (options.method == DescriptorMethod::nullspace || !(s.ok || s.worst >= 0)) return s;
    DescriptorFactor factor(options.method);
    if (!factor.factor(M, G, s.rank)) return s;
    factor.solve(f, gamma, s.udot, s.lambda);
    s.note = factor.note();
    s.residual = 0;
    s.worst = -1;
    if (!s.consistent) s.why.clear();
    check_consistency(s, G, gamma, options);
    s.ok = s.why.empty();
    return s;
}

}  // namespace

DescriptorSolution solve_descriptor(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma,
                                    const DescriptorOptions& options) {
    return solve_scaled(M, f, G, gamma, undecided, options);
}

DescriptorSolution solve_descriptor(const MatrixXd& M, const VectorXd& f, const MatrixXd& G, const VectorXd& gamma, Index rank,
                                    const DescriptorOptions& options) {
    return solve_scaled(M, f, G, gamma, std::clamp<Index>(rank, 0, std::min(G.rows(), M.rows())), options);
}

}  // namespace linkwright::solve
