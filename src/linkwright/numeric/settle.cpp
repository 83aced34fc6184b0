#include "linkwright/numeric/settle.hpp"

#include <fmt/format.h>

#include "linkwright/solve/dense.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::numeric {

using Eigen::Index;
using Eigen::MatrixXd;

SteadyRows steady_rows(const eom::EquationsOfMotion& e, const std::vector<bool>& is_given) {
    const sym::PoolScope scope(*e.pool);
    SteadyRows r;
    std::vector<Expr> rate = e.xdot;
    for (const eom::Sampled& s : e.sampled) {
        for (std::size_t k = 0; k < s.x.size(); ++k) {
            Expr& row = rate[s.x[k]] = s.B[k] * s.input;
            for (std::size_t j = 0; j < s.x.size(); ++j) row += s.A[k][j] * e.x[s.x[j]];
        }
    }
    for (const std::size_t i : e.steady) {
        if (!is_given[i]) r.rows.push_back(rate[i]), r.x.push_back(i);
    }
    if (r.rows.empty()) return r;
    for (const eom::Sampled& s : e.sampled) {
        r.rows.push_back((s.x.empty() ? Expr(0) : e.x[s.x[0]]) + s.D * s.input - e.x[s.held]);
        r.x.push_back(s.held);
    }
    return r;
}

std::string settle(const CompiledEquations& numbers, const std::vector<bool>& is_given, State& state) {
    const eom::EquationsOfMotion& e = numbers.equations();
    SteadyRows wanted = steady_rows(e, is_given);
    if (wanted.rows.empty()) return {};
    const auto n = static_cast<Index>(wanted.rows.size());
    std::vector<Expr> unknown, all = wanted.rows;
    for (const std::size_t i : wanted.x) unknown.push_back(e.x[i]);
    const sym::SparseMatrix J = jacobian(wanted.rows, unknown);
    for (const auto& entry : J.entries) all.push_back(entry.value);
    const CompiledEquations::Function function = numbers.compile(all);
    VectorXd rest;
    VectorXd size = VectorXd::Zero(n);  // of the terms of each row
    constexpr int most = 30;
    for (int k = 0; k < most; ++k) {
        const VectorXd at = function(state);
        rest = at.head(n);
        if (!at.allFinite()) return "the steady start of auxiliary states has no value";
        MatrixXd A = MatrixXd::Zero(n, n);
        for (std::size_t i = 0; i < J.entries.size(); ++i)
            A(static_cast<Index>(J.entries[i].row), static_cast<Index>(J.entries[i].column)) = at[n + static_cast<Index>(i)];
        for (Index i = 0; i < n; ++i) {
            size[i] = std::abs(rest[i]);
            for (Index j = 0; j < n; ++j) size[i] += std::abs(A(i, j) * state.x[static_cast<Index>(wanted.x[j])]);
        }
        VectorXd scale(n);  // rows and columns of unlike units
        MatrixXd scaled = A;
        for (Index i = 0; i < n; ++i) {
            scale[i] = A.row(i).cwiseAbs().maxCoeff();
            if (!(scale[i] > 0)) scale[i] = 1;
            scaled.row(i) /= scale[i];
        }
        const VectorXd step = solve::solve_least_squares(scaled, rest.cwiseQuotient(scale), solve::default_rank_tolerance).x;
        double moved = 0;
        for (Index j = 0; j < n; ++j) {
            double& x = state.x[static_cast<Index>(wanted.x[j])];
            moved = std::max(moved, std::abs(step[j]) / std::max(1e-300, std::abs(x) + std::abs(step[j])));
            x -= step[j];
        }
        if (moved < 1e-14) break;
    }
    rest = function(state).head(n);
    Index worst = -1;
    double most_left = 1e-9;
    for (Index i = 0; i < n; ++i) {
        const double left = std::abs(rest[i]) / std::max(size[i], 1e-300);
        if (rest[i] != 0 && !(left <= most_left)) most_left = left, worst = i;
    }
    if (worst < 0) return {};
    return fmt::format("'{}' has no steady start: its rate stays at {:.4g}", e.x[wanted.x[worst]].symbol().name, rest[worst]);
}

}  // namespace linkwright::numeric
