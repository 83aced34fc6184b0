#include "linkwright/numeric/rounding.hpp"

#include <unordered_map>

#include "linkwright/sym/approximate.hpp"

namespace linkwright::numeric {

solve::RowErrors row_errors(const CompiledEquations& numbers, const State& state) {
    constexpr double of_positions = 1e-13, of_speeds = 1e-12;
    const eom::EquationsOfMotion& e = numbers.equations();
    const auto m = static_cast<Eigen::Index>(e.constraints.size());
    solve::RowErrors errors{VectorXd::Zero(m), VectorXd::Zero(m)};
    if (m == 0) return errors;

    std::unordered_map<sym::NodeId, sym::Approximate> values;
    const VectorXd row = arguments(numbers.layout(), state);
    const std::vector<Expr> symbols = arguments(e);
    const double fastest = state.u.size() == 0 ? 0 : state.u.lpNorm<Eigen::Infinity>();
    const Layout& at = numbers.layout();
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const double x = row[k];
        const bool is_position = k >= Layout::q() && k < at.x(), is_speed = k >= at.u() && k < at.w();
        const double error = is_position ? of_positions * std::max(1.0, std::abs(x)) : is_speed ? of_speeds * fastest : 0;
        values.emplace(symbols[i].id(), sym::Approximate(x, error));
    }
    for (std::size_t i = 0; i < e.parameters.size(); ++i) {
        values.emplace(e.parameters[i].symbol.id(), sym::Approximate(numbers.parameters()[static_cast<Eigen::Index>(i)], 0.0));
    }

    std::vector<Expr> expressions;
    for (const eom::Constraint& c : e.constraints) {
        expressions.insert(expressions.end(), c.G.begin(), c.G.end());
        expressions.push_back(c.gamma);
    }
    const std::vector<sym::Approximate> found = sym::evaluate<sym::Approximate>(std::span<const Expr>(expressions), [&](const Expr& s) {
        const auto known = values.find(s.id());
        return known == values.end() ? sym::unknown_value() : known->second;
    });
    auto next = found.begin();
    const auto bound = [&] { return std::exchange(next, next + 1)->error; };
    for (Eigen::Index i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < e.u.size(); ++j) {
            if (const double error = bound(); std::isfinite(error)) errors.G[i] = std::max(errors.G[i], error);
        }
        if (const double error = bound(); std::isfinite(error)) errors.gamma[i] = error;
    }
    return errors;
}

std::vector<Eigen::Index> rows_of_rounding(const CompiledEquations& numbers, const State& state, const MatrixXd& G) {
    constexpr double short_row = 1e-6;
    std::vector<Eigen::Index> rows;
    if (G.rows() == 0 || !G.allFinite()) return rows;
    const VectorXd lengths = G.rowwise().norm();
    if (lengths.minCoeff() > short_row * std::max(1.0, lengths.maxCoeff())) return rows;
    const VectorXd scale = solve::row_scale(G, row_errors(numbers, state).G);
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
        if (scale[i] == 0) rows.push_back(i);
    }
    return rows;
}

MatrixXd without_rounding(const CompiledEquations& numbers, const State& state, MatrixXd G) {
    for (const Eigen::Index i : rows_of_rounding(numbers, state, G)) G.row(i).setZero();
    return G;
}

}  // namespace linkwright::numeric
