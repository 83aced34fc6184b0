#include "linkwright/linear/equilibrium/equilibrium_collection.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace linkwright::linear {

using Index = Eigen::Index;

void EquilibriumCollection::add(Equilibrium next) {
    if (!next.is_ok) return;
    constexpr double same = 1e-5;
    next.distance = way_.distance(next.point.state, start_);
    for (Equilibrium& x : list_) {
        if ((picture(x) - picture(next)).lpNorm<Eigen::Infinity>() < same) {
            const std::array both{x.point.state, next.point.state};
            if (way_.nearest_first(start_, both).front() == 1) x = std::move(next);
            return;
        }
        if (!are_connected(x, next)) continue;
        has_family_ = true;
        return;
    }
    list_.push_back(std::move(next));
}

std::vector<Equilibrium> EquilibriumCollection::sorted() const {
    std::vector<numeric::State> states;
    for (const Equilibrium& x : list_) states.push_back(x.point.state);
    std::vector<Equilibrium> r;
    for (const std::size_t i : way_.nearest_first(start_, states)) r.push_back(list_[i]);
    if (has_family_)
        r.front().notes.push_back("of equilibria that lie side by side, with the same energy, one is listed: there is a continuum of them");
    return r;
}

/// How all bodies stand and what moves, by the model's scales.
VectorXd EquilibriumCollection::picture(const Equilibrium& x) const {
    numeric::State s = x.point.state;
    for (const std::size_t i : balance_.ignorable()) s.q[static_cast<Index>(i)] = start_.q[static_cast<Index>(i)];
    VectorXd pose = pose_(s);
    for (Index i = 0; i + 12 <= pose.size(); i += 12) pose.segment(i + 9, 3) /= way_.scale().length;
    VectorXd all(pose.size() + s.u.size() + s.w.size());
    all << pose, s.u.cwiseQuotient(way_.scale().u), s.w;
    return all;
}

/// b as near to a as whole turns and coordinates on which nothing depends can make it.
numeric::State EquilibriumCollection::beside(const Equilibrium& a, const Equilibrium& b) const {
    constexpr double turn = 2 * std::numbers::pi;
    numeric::State s = b.point.state;
    const VectorXd& from = a.point.state.q;
    std::vector<bool> is_quaternion(static_cast<std::size_t>(s.q.size()), false);
    for (const auto& group : balance_.numbers().equations().quaternions) {
        for (const std::size_t i : group) is_quaternion[i] = true;
    }
    for (Index i = 0; i < s.q.size(); ++i) {
        const auto k = static_cast<std::size_t>(i);
        if (way_.scale().is_turning[k] && !is_quaternion[k]) s.q[i] -= turn * std::round((s.q[i] - from[i]) / turn);
    }
    for (const std::size_t i : balance_.ignorable()) s.q[static_cast<Index>(i)] = from[static_cast<Index>(i)];
    return s;
}

/// A tenth of the way from one towards the other the search ends at a third, with the same energy, and not back at one of them. Of those
/// that are not neutral the third has also gone a tenth of the way in each coordinate and speed.
bool EquilibriumCollection::are_connected(const Equilibrium& a, const Equilibrium& b) const {
    constexpr double part = 0.1;
    if (a.stability != b.stability) return false;
    const double Va = potential(a.point.state), Vb = potential(b.point.state);
    const auto differ = [](double x, double y) { return std::abs(x - y) > 1e-6 * (1e-3 + std::abs(x) + std::abs(y)); };
    if (differ(Va, Vb) || way_.is_isolated(a.point.state) || way_.is_isolated(b.point.state)) return false;
    const numeric::State from = a.point.state, to = beside(a, b);
    numeric::State between = from;
    between.q += part * (to.q - from.q), between.u += part * (to.u - from.u);
    const BalanceSearch::Found closed = way_.prepare(between);
    if (!closed.is_ok) return false;
    const BalanceSearch::Found found = way_.descend(closed.state, 50);
    if (!found.is_ok || differ(Va, potential(found.state))) return false;
    const double apart = way_.distance(from, to);
    if (a.stability == Stability::neutral)
        return way_.distance(found.state, from) > 0.2 * part * apart && way_.distance(found.state, to) > 0.2 * part * apart;
    const auto between_them = [&](const numeric::State& x) {
        VectorXd d(x.q.size() + x.u.size());
        d << (x.q - from.q).cwiseQuotient(way_.scale().q), (x.u - from.u).cwiseQuotient(way_.scale().u);
        return d;
    };
    const VectorXd gone = between_them(found.state), whole = between_them(to);
    for (Index i = 0; i < gone.size(); ++i) {
        if (std::abs(gone[i] - part * whole[i]) > 0.3 * part * std::abs(whole[i]) + 1e-4 * part) return false;
    }
    return true;
}

}  // namespace linkwright::linear
