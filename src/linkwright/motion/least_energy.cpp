#include "linkwright/motion/least_energy.hpp"

#include <algorithm>

namespace linkwright::motion {

MetricRates::MetricRates(const numeric::CompiledEquations& numbers, std::span<const Expr> rates)
    : speeds_(static_cast<Eigen::Index>(numbers.equations().u.size())) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const sym::PoolScope scope(*e.pool);
    std::vector<sym::Binding> carried;  // M and A are functions of q and t
    for (std::size_t i = 0; i < e.q.size(); ++i) carried.emplace_back(e.q[i], e.qdot[i]);
    carried.emplace_back(e.t, Expr(1));
    sym::Tangent rate(carried);
    std::vector<Expr> all;
    for (const auto& row : e.M) {
        Expr sum = 0;
        for (std::size_t j = 0; j < row.size(); ++j) sum = sum + rate(row[j]) * e.u[j];
        all.push_back(sum);
    }
    const auto add = [&](Eigen::Index row, std::size_t column, const Expr& entry) {
        const Expr change = rate(entry);
        if (change.is_literally(0)) return;
        places_.push_back({row, static_cast<Eigen::Index>(column)});
        all.push_back(change);
    };
    for (const auto& entry : jacobian(rates, e.u).entries) add(entry.row, entry.column, entry.value);
    for (std::size_t k = 0; k < e.constraints.size(); ++k) {
        for (std::size_t j = 0; j < e.u.size(); ++j) add(static_cast<Eigen::Index>(rates.size() + k), j, e.constraints[k].G[j]);
    }
    function_ = numbers.compile(all);
}

VectorXd MetricRates::operator()(const numeric::State& state, const VectorXd& mu) const {
    const VectorXd x = function_(state);
    VectorXd h = x.head(speeds_);
    for (std::size_t k = 0; k < places_.size(); ++k) h[places_[k].column] += x[speeds_ + static_cast<Eigen::Index>(k)] * mu[places_[k].row];
    return h;
}

}  // namespace linkwright::motion
