#include "linkwright/linear/equilibrium/balance_region.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linkwright/solve/scale.hpp"
#include "linkwright/sym/matrix.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::linear {

using Index = Eigen::Index;
using solve::Box, solve::Interval;

namespace {

constexpr std::size_t most_unknowns = 4, most_freedoms = 2;
constexpr double far = 1000;            ///< in scales, for what does not turn
constexpr double turns = 2;             ///< either way, for angles that do not return
constexpr std::size_t budget = 40'000;  ///< boxes, everywhere
constexpr std::size_t nearby_budget = 4'000;

/// Speeds that are the rate of a coordinate at rest, alone: they are 0.
std::vector<bool> stopped(const eom::EquationsOfMotion& e, const std::vector<Index>& standing) {
    std::vector<bool> is_stopped(e.u.size(), false);
    for (const Index i : standing) {
        const auto at = std::ranges::find(e.u, e.qdot[static_cast<std::size_t>(i)]);
        if (at != e.u.end()) is_stopped[static_cast<std::size_t>(at - e.u.begin())] = true;
    }
    return is_stopped;
}

std::vector<Index> unknown_speeds(const Balance& balance, const BalanceSearch& way) {
    std::vector<Index> list;
    const std::vector<bool> is_stopped = stopped(balance.numbers().equations(), way.standing());
    for (const Index j : way.free_speeds()) {
        if (!is_stopped[static_cast<std::size_t>(j)]) list.push_back(j);
    }
    return list;
}

/// A tenth of its scale at least, either way, for every unknown.
bool is_worth_telling(const Box& box, const solve::BoxSearchOptions& about) {
    for (std::size_t k = 0; k < box.size(); ++k) {
        const auto i = static_cast<Index>(k);
        if (std::min(box[k].upper - about.from[i], about.from[i] - box[k].lower) < 0.1 * about.scale[i]) return false;
    }
    return true;
}

/// As many columns as there are rows, the best pivots one after the other.
std::vector<Index> pivots(MatrixXd G) {
    std::vector<Index> list;
    for (Index r = 0; r < G.rows(); ++r) {
        Index row = 0, column = 0;
        if (!(G.bottomRows(G.rows() - r).cwiseAbs().maxCoeff(&row, &column) > 0)) return {};
        G.row(r).swap(G.row(r + row));
        for (Index k = r + 1; k < G.rows(); ++k) G.row(k) -= G(k, column) / G(r, column) * G.row(r);
        for (Index k = r + 1; k < G.rows(); ++k) G(k, column) = 0;
        list.push_back(column);
    }
    std::ranges::sort(list);
    return list;
}

}  // namespace

bool BalanceRegion::is_within_reach(const Balance& balance, const BalanceSearch& way) {
    const eom::EquationsOfMotion& e = balance.numbers().equations();
    if (e.reduction || way.has_more_unknowns()) return false;
    const std::vector<Index> q = way.free_coordinates();
    for (const auto& group : e.quaternions) {
        for (const std::size_t i : group) {
            if (std::ranges::find(q, static_cast<Index>(i)) != q.end()) return false;
        }
    }
    for (const eom::Constraint& c : e.constraints) {
        if (!c.is_holonomic) return false;
    }
    const std::size_t unknowns = q.size() + unknown_speeds(balance, way).size(), closed = e.constraints.size();
    const std::size_t rates = way.has_speeds() ? closed : 0;
    return unknowns > 0 && unknowns <= most_unknowns && unknowns <= most_freedoms + closed + rates && closed < e.u.size();
}

BalanceRegion::BalanceRegion(const Balance& balance, const BalanceSearch& way, const numeric::State& near)
    : balance_(balance), q_(way.free_coordinates()), u_(unknown_speeds(balance, way)), free_u_(way.free_speeds()) {
    const eom::EquationsOfMotion& e = balance.numbers().equations();
    const sym::PoolScope scope(*e.pool);
    std::vector<Expr> all = rows(way, near), symbols;
    rows_ = all.size();
    if (rows_ == 0) return;
    find_periodic(all);
    values_.emplace(balance.numbers(), all);
    for (const Index i : q_) symbols.push_back(e.q[static_cast<std::size_t>(i)]);
    for (const Index j : u_) symbols.push_back(e.u[static_cast<std::size_t>(j)]);
    for (const auto& entry : jacobian(std::vector<Expr>(all), symbols).entries) {
        places_.emplace_back(entry.row, entry.column);
        all.push_back(entry.value);
    }
    all_.emplace(balance.numbers(), all);
}

/// None where the constraints depend on each other: then minors say nothing.
std::vector<Expr> BalanceRegion::rows(const BalanceSearch& way, const numeric::State& near) const {
    const eom::EquationsOfMotion& e = balance_.numbers().equations();
    const std::size_t n = e.u.size(), m = e.constraints.size();
    const std::vector<Expr>& all = balance_.rows();  // f, φ, rates, q̇
    std::vector<Expr> list;
    if (m == 0) {
        list.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
    } else {
        const MatrixXd G = balance_.values(near).G;
        if (!G.allFinite() || solve::make_svd(solve::row_scale(G).asDiagonal() * G).rank(1e-6) < G.rows()) return {};
        const std::vector<Index> D = pivots(solve::row_scale(G).asDiagonal() * G);
        for (std::size_t i = 0; i < n; ++i) {
            if (std::ranges::find(D, static_cast<Index>(i)) != D.end()) continue;
            std::vector<std::size_t> columns(D.begin(), D.end());
            columns.push_back(i);
            sym::Matrix minor(m + 1);
            for (const std::size_t c : columns) {
                minor[0].push_back(all[c]);
                for (std::size_t r = 0; r < m; ++r) minor[r + 1].push_back(e.constraints[r].G[c]);
            }
            list.push_back(determinant(minor));
        }
        list.insert(list.end(), all.begin() + static_cast<std::ptrdiff_t>(n), all.begin() + static_cast<std::ptrdiff_t>(n + m));
    }
    if (!way.has_speeds()) return list;
    list.insert(list.end(), all.begin() + static_cast<std::ptrdiff_t>(n + m), all.begin() + static_cast<std::ptrdiff_t>(n + 2 * m));
    for (const Index i : way.standing()) list.push_back(e.qdot[static_cast<std::size_t>(i)]);
    return list;
}

/// In the graph q + 2π and q have the same sine: expressions that return are the same node.
void BalanceRegion::find_periodic(const std::vector<Expr>& rows) {
    const eom::EquationsOfMotion& e = balance_.numbers().equations();
    std::vector<Expr> all = rows;
    for (const eom::BodyPose& p : e.poses) {
        for (const auto& row : p.R) all.insert(all.end(), row.begin(), row.end());
        all.insert(all.end(), p.p.begin(), p.p.end());
    }
    for (const Index i : q_) {
        const Expr& q = e.q[static_cast<std::size_t>(i)];
        sym::Substitution turned({sym::Binding{q, q + Expr(2) * sym::pi()}});
        if (std::ranges::all_of(all, [&](const Expr& x) { return (turned(x) - x).is_literally(0); })) periodic_.push_back(i);
    }
}

bool BalanceRegion::serves(const BalanceSearch& way) const { return q_ == way.free_coordinates() && free_u_ == way.free_speeds(); }

bool BalanceRegion::covers(const Found& found, const numeric::State& state) const {
    constexpr double turn = 2 * std::numbers::pi;
    if (found.within.empty()) return false;
    for (std::size_t k = 0; k < found.within.size(); ++k) {
        const UnknownRange& range = found.within[k];
        if (range.is_turn) continue;
        double x = k < q_.size() ? state.q[q_[k]] : state.u[u_[k - q_.size()]];
        const bool returns = k < q_.size() && std::ranges::find(periodic_, q_[k]) != periodic_.end();
        if (returns) x -= turn * std::round((x - 0.5 * (range.lower + range.upper)) / turn);
        if (!(range.lower <= x && x <= range.upper)) return false;
    }
    return true;
}

solve::Enclosure BalanceRegion::enclose(const numeric::State& start, const Box& box, bool with_derivatives) const {
    const numeric::Layout& layout = balance_.numbers().layout();
    std::vector<Interval> in;
    for (const double x : balance_.arguments(start, VectorXd::Zero(layout.m))) in.emplace_back(x);
    std::size_t next = 0;
    for (const Index i : q_) in[static_cast<std::size_t>(numeric::Layout::q() + i)] = box[next++];
    for (const Index j : u_) in[static_cast<std::size_t>(layout.u() + j)] = box[next++];
    const std::vector<numeric::IntervalFunction::Value> out = (with_derivatives ? *all_ : *values_)(in);
    solve::Enclosure r;
    for (std::size_t k = 0; k < rows_; ++k) r.F.push_back(out[k].bounds);
    if (!with_derivatives) return r;
    r.J.assign(rows_ * box.size(), Interval(0));
    for (std::size_t k = 0; k < places_.size(); ++k) r.J[places_[k].first * box.size() + places_[k].second] = out[rows_ + k].bounds;
    for (std::size_t k = 0; k < rows_; ++k) {  // a row that jumps: its derivatives bound nothing
        if (!out[k].is_continuous) std::fill_n(r.J.begin() + static_cast<std::ptrdiff_t>(k * box.size()), box.size(), Interval::all());
    }
    return r;
}

BalanceRegion::Found BalanceRegion::everywhere(const BalanceSearch& way, const numeric::State& start, const GoesOn& goes_on) const {
    constexpr double pi = std::numbers::pi + 1e-6;  // what lies opposite is on both sides
    Box box;
    for (const Index i : q_) {
        const bool returns = std::ranges::find(periodic_, i) != periodic_.end();
        const double reach = returns ? pi : way.scale().is_turning[static_cast<std::size_t>(i)] ? turns * 2 * pi : far * way.scale().length;
        box.emplace_back(start.q[i] - reach, start.q[i] + reach);
    }
    for (const Index j : u_) box.emplace_back(start.u[j] - far * way.scale().u[j], start.u[j] + far * way.scale().u[j]);
    return search(way, start, box, budget, goes_on);
}

BalanceRegion::Found BalanceRegion::nearby(const BalanceSearch& way, const numeric::State& start, double radius,
                                           const GoesOn& goes_on) const {
    Box box;
    for (const Index i : q_) box.emplace_back(start.q[i] - radius * way.scale().q[i], start.q[i] + radius * way.scale().q[i]);
    for (const Index j : u_) box.emplace_back(start.u[j] - radius * way.scale().u[j], start.u[j] + radius * way.scale().u[j]);
    return search(way, start, box, nearby_budget, goes_on);
}

BalanceRegion::Found BalanceRegion::search(const BalanceSearch& way, const numeric::State& start, const Box& box, std::size_t most,
                                           const GoesOn& goes_on) const {
    Found found;
    if (rows_ == 0) return found;
    const eom::EquationsOfMotion& e = balance_.numbers().equations();
    numeric::State still = start;
    const std::vector<bool> is_stopped = stopped(e, way.standing());
    for (std::size_t j = 0; j < is_stopped.size(); ++j) {
        if (is_stopped[j] && way.has_speeds() && std::ranges::find(free_u_, static_cast<Index>(j)) != free_u_.end())
            still.u[static_cast<Index>(j)] = 0;
    }
    solve::BoxSearchOptions options;
    const auto n = static_cast<Index>(box.size());
    options.from = VectorXd(n), options.scale = VectorXd(n);
    Index next = 0;
    for (const Index i : q_) options.from[next] = still.q[i], options.scale[next++] = way.scale().q[i];
    for (const Index j : u_) options.from[next] = still.u[j], options.scale[next++] = way.scale().u[j];
    options.budget = most;
    options.goes_on = goes_on;
    const solve::ZerosInBox zeros = zeros_in_box([&](const Box& b, bool with) { return enclose(still, b, with); }, box, options);

    const auto state_at = [&](const VectorXd& x) {
        numeric::State s = still;
        Index k = 0;
        for (const Index i : q_) s.q[i] = x[k++];
        for (const Index j : u_) s.u[j] = x[k++];
        return s;
    };
    for (const VectorXd& x : zeros.zeros) found.states.push_back(state_at(x));
    for (const Box& b : zeros.clusters) {
        VectorXd x(n);
        for (Index k = 0; k < n; ++k) x[k] = b[static_cast<std::size_t>(k)].middle();
        found.clusters.push_back(state_at(x));
        found.states.push_back(found.clusters.back());
    }
    const Box inside = box_without(box, zeros.open, options.from);
    found.is_cut = inside != box;
    if (inside.empty() || (found.is_cut && !is_worth_telling(inside, options))) return found;
    for (std::size_t k = 0; k < inside.size(); ++k) {
        const bool is_coordinate = k < q_.size();
        const Index i = is_coordinate ? q_[k] : u_[k - q_.size()];
        const bool returns = is_coordinate && std::ranges::find(periodic_, i) != periodic_.end() && inside[k] == box[k];
        found.within.push_back(
            {(is_coordinate ? e.q : e.u)[static_cast<std::size_t>(i)].symbol().name, inside[k].lower, inside[k].upper, returns});
    }
    return found;
}

}  // namespace linkwright::linear
