#include "linkwright/solve/bounded.hpp"

#include "linkwright/solve/orthogonal.hpp"

namespace linkwright::solve {

namespace {

/// The shortest least squares of some columns.
VectorXd solve_columns(const MatrixXd& A, const VectorXd& b, const std::vector<Index>& columns, double rank_tolerance) {
    return CompleteOrthogonal(A(Eigen::all, columns), rank_tolerance).solve(b);
}

}  // namespace

VectorXd least_squares_within(const MatrixXd& A, const VectorXd& b, const VectorXd& low, const VectorXd& high, double rank_tolerance) {
    const Index n = A.cols();
    VectorXd x = VectorXd::Zero(n).cwiseMax(low).cwiseMin(high);
    if (n == 0 || A.rows() == 0) return x;
    const VectorXd lengths = A.colwise().norm();
    const double small = 1e-13 * (b.norm() + (A.cwiseAbs() * x.cwiseAbs()).norm());
    // how much a held x wants to come back inside
    const auto reason = [&](Index k, const VectorXd& down) {
        if (low[k] == high[k] || lengths[k] == 0) return 0.0;
        const double inside = x[k] <= low[k] ? down[k] : -down[k];
        return inside > small * lengths[k] ? inside / lengths[k] : 0.0;
    };
    std::vector<bool> is_held(static_cast<std::size_t>(n)), is_stuck(static_cast<std::size_t>(n), false);
    const VectorXd first = A.transpose() * (b - A * x);
    for (Index k = 0; k < n; ++k) is_held[k] = (x[k] <= low[k] || x[k] >= high[k]) && reason(k, first) == 0;
    for (Index turn = 0; turn < 20 + 10 * n; ++turn) {
        std::vector<Index> free;
        VectorXd held = x;
        for (Index k = 0; k < n; ++k) {
            if (is_held[k]) continue;
            free.push_back(k);
            held[k] = 0;
        }
        VectorXd to = x;
        if (!free.empty()) to(free) = solve_columns(A, b - A * held, free, rank_tolerance);
        double part = 1;
        Index met = -1;
        for (const Index k : free) {
            if (to[k] >= low[k] && to[k] <= high[k]) continue;
            const double until = ((to[k] < low[k] ? low[k] : high[k]) - x[k]) / (to[k] - x[k]);
            if (met < 0 || until < part) part = std::max(until, 0.0), met = k;
        }
        if (met >= 0) {
            const double bound = to[met] < low[met] ? low[met] : high[met];
            x = (x + part * (to - x)).cwiseMax(low).cwiseMin(high);
            x[met] = bound;
            is_held[met] = true;
            if (part == 0) {
                is_stuck[met] = true;  // not to be released for nothing again
            } else {
                is_stuck.assign(is_stuck.size(), false);
            }
            continue;
        }
        if ((b - A * to).norm() < (1 - 1e-14) * (b - A * x).norm()) is_stuck.assign(is_stuck.size(), false);
        x = to;
        const VectorXd down = A.transpose() * (b - A * x);
        Index next = -1;
        double most = 0;
        for (Index k = 0; k < n; ++k) {
            const auto i = static_cast<std::size_t>(k);
            if (!is_held[i] || is_stuck[i] || !(reason(k, down) > most)) continue;
            next = k, most = reason(k, down);
        }
        if (next < 0) return x;
        is_held[next] = false;
    }
    return x;
}

}  // namespace linkwright::solve
