#include "linkwright/numeric/settle.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <unordered_map>

#include "linkwright/solve/dense.hpp"
#include "linkwright/sym/approximate.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"

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

namespace {

/// What rounding of states, parameters and terms may make of a row.
double rounding_error(const CompiledEquations& numbers, const Expr& row, const State& state) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const std::vector<Expr> symbols = arguments(e);
    const VectorXd values = arguments(numbers.layout(), state);
    std::unordered_map<sym::NodeId, double> at;
    for (std::size_t i = 0; i < symbols.size(); ++i) at[symbols[i].id()] = values[static_cast<Index>(i)];
    for (std::size_t i = 0; i < e.parameters.size(); ++i) at[e.parameters[i].symbol.id()] = numbers.parameters()[static_cast<Index>(i)];
    const sym::Approximate found = sym::evaluate<sym::Approximate>(row, [&](const Expr& s) {
        const double x = at.at(s.id());
        return sym::Approximate(x, std::numeric_limits<double>::epsilon() * std::abs(x));
    });
    return std::isfinite(found.error) ? found.error : 0;
}

}  // namespace

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
    VectorXd rest, of_row(n), of_column(n);  // unlike units
    double largest = 0;                      // state, in the units of its column
    constexpr int most = 30;
    for (int k = 0; k < most; ++k) {
        const VectorXd at = function(state);
        rest = at.head(n);
        if (!at.allFinite()) return "the steady start of auxiliary states has no value";
        MatrixXd A = MatrixXd::Zero(n, n);
        for (std::size_t i = 0; i < J.entries.size(); ++i)
            A(static_cast<Index>(J.entries[i].row), static_cast<Index>(J.entries[i].column)) = at[n + static_cast<Index>(i)];
        const auto measure = [](double size) { return size > 0 ? size : 1.0; };
        for (Index i = 0; i < n; ++i) of_row[i] = measure(A.row(i).cwiseAbs().maxCoeff()), A.row(i) /= of_row[i];
        for (Index j = 0; j < n; ++j) of_column[j] = measure(A.col(j).cwiseAbs().maxCoeff()), A.col(j) /= of_column[j];
        const VectorXd step = solve::solve_least_squares(A, rest.cwiseQuotient(of_row), solve::default_rank_tolerance).x;
        largest = 0;
        for (Index j = 0; j < n; ++j) {
            double& x = state.x[static_cast<Index>(wanted.x[j])];
            x -= step[j] / of_column[j];
            largest = std::max(largest, std::abs(x * of_column[j]));
        }
        if (step.cwiseAbs().maxCoeff() <= 1e-14 * largest) break;
    }
    rest = function(state).head(n);
    Index worst = -1;
    double furthest = 1;
    for (Index i = 0; i < n; ++i) {
        const double rounded = rounding_error(numbers, wanted.rows[static_cast<std::size_t>(i)], state);
        const double left = std::abs(rest[i]) / (1e-9 * largest * of_row[i] + 100 * rounded);
        if (left > furthest) furthest = left, worst = i;
    }
    if (worst < 0) return {};
    return fmt::format("'{}' has no steady start: its rate stays at {:.4g}", e.x[wanted.x[worst]].symbol().name, rest[worst]);
}

}  // namespace linkwright::numeric
