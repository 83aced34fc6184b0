#include "linkwright/numeric/rank_nearby.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/quaternions.hpp"
#include "linkwright/numeric/rounding.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::numeric {

namespace {

using Index = Eigen::Index;

/// What "a little" means for each coordinate: 1 for what turns bodies, the mechanism's length for what only moves them.
VectorXd units_of(const CompiledEquations& numbers, const State& state) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<Expr> places, turning;
    for (const eom::BodyPose& pose : e.poses) {
        places.insert(places.end(), pose.p.begin(), pose.p.end());
        places.insert(places.end(), pose.com.begin(), pose.com.end());
        for (const auto& row : pose.R) turning.insert(turning.end(), row.begin(), row.end());
    }
    double length = 0;
    const VectorXd x = numbers.compile(places)(state);
    for (Index i = 0; i + 2 < x.size(); i += 3) length = std::max(length, (x.segment<3>(i) - x.segment<3>(0)).norm());
    VectorXd units = VectorXd::Constant(numbers.layout().nq, length > 0 && std::isfinite(length) ? length : 1);
    for (const auto& [row, column] : sym::sparsity(turning, e.q)) units[static_cast<Index>(column)] = 1;
    return units;
}

Index rank_at(const CompiledEquations& numbers, const State& state, double tolerance) {
    return solve::rank_of_rows(numbers.dynamics(state).G, row_errors(numbers, state).G, tolerance);
}

}  // namespace

RankNearby rank_nearby(const CompiledEquations& numbers, const State& state) {
    constexpr double step = 0.02;
    RankNearby r{.here = rank_at(numbers, state, solve::default_rank_tolerance), .beside = {}};
    const Layout& at = numbers.layout();
    if (r.here == std::min(at.m, at.nu)) return r;
    const Closing close(numbers);
    const VectorXd units = units_of(numbers, state);
    for (int k = 0; k < 6; ++k) {
        State beside = state;
        for (Index i = 0; i < at.nq; ++i) beside.q[i] += step * units[i] * std::cos(1 + 2.4 * static_cast<double>(i) + 1.7 * k);
        normalise_quaternions(numbers.equations(), beside.q);
        const solve::Assembly closed = close(beside, {});
        if (!closed.ok || !((closed.x - state.q).cwiseQuotient(units).lpNorm<Eigen::Infinity>() < 20 * step)) continue;
        beside.q = closed.x;
        const Index rank = rank_at(numbers, beside, 1e-7);
        if (std::ranges::find(r.beside, rank) == r.beside.end()) r.beside.push_back(rank);
    }
    std::ranges::sort(r.beside);
    return r;
}

}  // namespace linkwright::numeric
