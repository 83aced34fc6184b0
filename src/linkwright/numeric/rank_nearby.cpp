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

/// What "a little" means for each coordinate: the mechanism's length for lengths, 1 for what turns bodies.
VectorXd units_of(const CompiledEquations& numbers, const State& state) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<Expr> places;
    for (const eom::BodyPose& pose : e.poses) {
        places.insert(places.end(), pose.p.begin(), pose.p.end());
        places.insert(places.end(), pose.com.begin(), pose.com.end());
    }
    double length = 0;
    const VectorXd x = numbers.compile(places)(state);
    for (Index i = 0; i + 2 < x.size(); i += 3) length = std::max(length, (x.segment<3>(i) - x.segment<3>(0)).norm());
    VectorXd units = VectorXd::Ones(numbers.layout().nq);
    for (std::size_t i = 0; i < e.q_units.size(); ++i) {
        if (e.q_units[i] == "m" && length > 0 && std::isfinite(length)) units[static_cast<Index>(i)] = length;
    }
    return units;
}

/// Rows of G at a state; those that are only rounding are 0.
MatrixXd rows_at(const CompiledEquations& numbers, const State& state) {
    return without_rounding(numbers, state, numbers.dynamics(state).G);
}

constexpr double closed_tolerance = 1e-7;  ///< where closing has left its errors

Index rank_of(MatrixXd G, const VectorXd& lengths, double tolerance) {
    for (Index i = 0; i < G.rows(); ++i) {
        if (lengths[i] > 0) G.row(i) /= lengths[i];
    }
    return solve::independent_rows(G, tolerance).rank;
}

}  // namespace

Index rank_of_rows(const CompiledEquations& numbers, const State& state, const VectorXd& lengths) {
    return rank_of(rows_at(numbers, state), lengths, closed_tolerance);
}

RankNearby rank_nearby(const CompiledEquations& numbers, const State& state, double tolerance) {
    constexpr double step = 0.02;
    const Layout& at = numbers.layout();
    const MatrixXd here = rows_at(numbers, state);
    std::vector<MatrixXd> beside;
    const Closing close(numbers);
    const VectorXd units = units_of(numbers, state);
    for (int k = 0; k < 6; ++k) {
        State next = state;
        for (Index i = 0; i < at.nq; ++i) next.q[i] += step * units[i] * std::cos(1 + 2.4 * static_cast<double>(i) + 1.7 * k);
        normalise_quaternions(numbers.equations(), next.q);
        const solve::Assembly closed = close(next, {});
        if (!closed.ok || !((closed.x - state.q).cwiseQuotient(units).lpNorm<Eigen::Infinity>() < 20 * step)) continue;
        next.q = closed.x;
        beside.push_back(rows_at(numbers, next));
    }
    // rows are measured by the longest they are around here: one that vanishes at this state alone is no row of length 1
    VectorXd lengths = here.rowwise().norm();
    for (const MatrixXd& G : beside) lengths = lengths.cwiseMax(VectorXd(G.rowwise().norm()));
    RankNearby r{.here = rank_of(here, lengths, tolerance), .beside = {}, .lengths = lengths};
    for (const MatrixXd& G : beside) {
        const Index found = rank_of(G, lengths, std::max(tolerance, closed_tolerance));
        if (std::ranges::find(r.beside, found) == r.beside.end()) r.beside.push_back(found);
    }
    std::ranges::sort(r.beside);
    return r;
}

}  // namespace linkwright::numeric
