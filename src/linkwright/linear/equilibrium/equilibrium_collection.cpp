#include "linkwright/linear/equilibrium/equilibrium_collection.hpp"

#include <cmath>

namespace linkwright::linear {

using Index = Eigen::Index;

void EquilibriumCollection::add(Equilibrium next) {
    if (!next.is_ok) return;
    constexpr double same = 1e-5, nearer = 1e-6;
    next.distance = way_.distance(next.point.state, start_);
    for (Equilibrium& x : list_) {
        if ((picture(x) - picture(next)).lpNorm<Eigen::Infinity>() < same) {
            if (next.distance < x.distance - nearer) x = std::move(next);
            return;
        }
        if (x.stability != Stability::neutral || next.stability != Stability::neutral || !are_connected(x, next)) continue;
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
        r.front().notes.push_back("neutral equilibria with the same energy are listed once: there may be a continuum of them");
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

/// A tenth of the way from one towards the other the search ends at a third, with the same energy, and not back at one of them.
bool EquilibriumCollection::are_connected(const Equilibrium& a, const Equilibrium& b) const {
    const double Va = potential(a.point.state), Vb = potential(b.point.state);
    const auto differ = [](double x, double y) { return std::abs(x - y) > 1e-6 * (1e-3 + std::abs(x) + std::abs(y)); };
    if (differ(Va, Vb)) return false;
    numeric::State between = a.point.state;
    between.q += 0.1 * (b.point.state.q - a.point.state.q), between.u += 0.1 * (b.point.state.u - a.point.state.u);
    const BalanceSearch::Found closed = way_.prepare(between);
    if (!closed.is_ok) return false;
    const BalanceSearch::Found found = way_.descend(closed.state, 50);
    const double apart = way_.distance(a.point.state, b.point.state);
    const auto is_away = [&](const Equilibrium& x) { return way_.distance(found.state, x.point.state) > 0.02 * apart; };
    return found.is_ok && !differ(Va, potential(found.state)) && is_away(a) && is_away(b);
}

}  // namespace linkwright::linear
