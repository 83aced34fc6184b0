#include "linkwright/linear/equilibrium/equilibrium.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/linear/equilibrium/balance_search.hpp"
#include "linkwright/linear/equilibrium/equilibrium_sensitivity.hpp"
#include "linkwright/linear/equilibrium/stability.hpp"
#include "linkwright/numeric/rank_nearby.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Found = BalanceSearch::Found;

constexpr double nearly_lost = 1e-2;  ///< so near a singular position closing has left errors that turn the motion allowed any way

std::string name_of(const Expr& symbol) { return symbol.symbol().name; }

std::string held_names(const EquilibriumOptions& options, const char* between = ", ") {
    std::vector<std::string> names;
    for (const numeric::Wanted& w : options.held) names.push_back(w.name);
    return fmt::format("{}", fmt::join(names, between));
}

}  // namespace

std::string to_string(Stability stability) {
    switch (stability) {
        case Stability::asymptotically_stable: return "asymptotically stable";
        case Stability::stable: return "stable";
        case Stability::neutral: return "neutral";
        case Stability::marginal: return "marginal";
        case Stability::unstable: return "unstable";
        case Stability::undecided: return "not decided";
    }
    return "";
}

std::string to_string(RestsOn basis) {
    switch (basis) {
        case RestsOn::neither: return "neither";
        case RestsOn::first_order: return "first order";
        case RestsOn::energy: return "energy";
    }
    return "";
}

struct Equilibria::Inside {
    explicit Inside(const numeric::CompiledEquations& n) : numbers(n), balance(n), derivatives(n) {
        std::vector<Expr> poses;
        for (const eom::BodyPose& p : n.equations().poses) {
            for (const auto& row : p.R) poses.insert(poses.end(), row.begin(), row.end());
            poses.insert(poses.end(), p.p.begin(), p.p.end());
        }
        pose = n.compile(poses);
    }

    const numeric::CompiledEquations& numbers;
    Balance balance;
    PointSensitivity derivatives;
    numeric::CompiledEquations::Function pose;
    mutable std::once_flag once;
    mutable std::unique_ptr<Linearizer> linearizer;

    enum class Manner : std::uint8_t { nearest, descending, creeping };

    /// One way first, the other where that leads nowhere; `nearest` compares them when the first one leads far away.
    Found search(const BalanceSearch& way, const numeric::State& start, std::size_t iterations, Manner manner) const {
        const auto is_good = [&](const Found& f) { return f.is_ok && way.is_on_branch(f.state); };
        const auto found_by = [&](bool creeps) {
            Found f = creeps ? way.creep(start, iterations) : way.descend(start, iterations);
            f.recedes = f.is_ok && way.recedes(f.state);
            f.is_ok &= !f.recedes;
            return f;
        };
        constexpr double far = 1.0;
        Found first = found_by(manner == Manner::creeping);
        if (is_good(first) && (manner != Manner::nearest || way.distance(first.state, start) <= far)) return first;
        const Found second = found_by(manner != Manner::creeping);
        if (is_good(second) && (!is_good(first) || way.distance(second.state, start) < way.distance(first.state, start))) return second;
        first.is_ok = is_good(first);
        return first;
    }

    /// Beside a singular position the motion that constraints allow turns with the errors of closing, somewhere across the forces. What
    /// holds the balance there are forces of constraints that pull against each other, a hundred times larger than what they hold.
    bool is_torn(const numeric::OperatingPoint& p) const {
        const numeric::Dynamics d = numbers.dynamics(p.state);
        if (d.G.rows() == 0 || !d.f.allFinite() || !d.G.allFinite()) return false;
        const double force = d.f.lpNorm<Eigen::Infinity>();
        if (!(p.lambda.lpNorm<Eigen::Infinity>() * d.G.lpNorm<Eigen::Infinity>() > 100 * force)) return false;
        const numeric::RankNearby rank = rank_nearby(numbers, p.state, nearly_lost);
        return rank.is_singular() && p.lambda.cwiseProduct(rank.lengths).lpNorm<Eigen::Infinity>() > 100 * force;
    }

    Equilibrium finish(const BalanceSearch& way, const Found& found, const EquilibriumOptions& options) const {
        const eom::EquationsOfMotion& e = numbers.equations();
        Equilibrium r;
        r.residual = found.residual;
        r.is_ok = found.is_ok;
        r.point = operating_point(numbers, found.state);
        if (!found.is_ok) {
            r.why = !goes_on(options.goes_on) ? interrupted : found.recedes ? way.recession(found.state) : way.complaint(found.state);
            return r;
        }
        const bool moves = !r.point.is_at_rest;
        const bool is_frozen = balance.has_time();
        if (options.is_steady && r.point.is_ok && r.point.relative_acceleration > 1e-6 && !is_frozen) {
            r.is_ok = false;
            Index worst = 0;
            r.point.udot.cwiseAbs().maxCoeff(&worst);
            r.why = fmt::format(
                "the forces balance, but the motion does not persist: {} changes at {:.3g}, because something depends on a coordinate that "
                "moves",
                name_of(e.u[worst]), r.point.udot[worst]);
            return r;
        }
        r.point.udot.setZero();
        r.point.lambda = way.multipliers(found.state);
        if (is_torn(r.point)) {
            r.is_ok = false;
            r.why =
                "the position is singular (a change point, a dead centre): forces seem to balance there only because the constraints lose "
                "rank";
            return r;
        }
        if (is_frozen) r.notes.push_back(fmt::format("time stands in the equations: they are frozen at t = {:.6g}", found.state.t));
        if (way.has_speeds() && moves) {
            const VectorXd rates = numbers.coordinate_rates(found.state);
            for (std::size_t i = 0; i < e.q.size(); ++i) {
                if (way.is_moving()[i] && std::abs(rates[i]) > 1e-10) r.moving.push_back(i);
            }
        }
        if (options.with_stability) {
            std::call_once(once, [&] { linearizer = std::make_unique<Linearizer>(numbers); });
            numeric::OperatingPoint still = r.point;
            still.is_ok = true;
            const Linearization linear = (*linearizer)(still);
            const bool spins = found.state.u.size() > 0 && found.state.u.lpNorm<Eigen::Infinity>() > 1e-10;  // a rotor moves no coordinate
            const Judgement j = judge(linear, numbers, {balance.ignorable(), options.is_steady && (moves || spins), is_frozen});
            if (linear.is_ok && !r.point.is_ok) r.notes.push_back(r.point.why);  // otherwise the verdict says it
            r.stability = j.stability;
            r.rests_on = j.rests_on;
            r.verdict = j.verdict;
            r.poles = j.poles;
            r.notes.insert(r.notes.end(), j.notes.begin(), j.notes.end());
        }
        return r;
    }

    Equilibrium nearest(const numeric::State& start, const EquilibriumOptions& options) const {
        if (numbers.equations().reduction) {
            Equilibrium r;
            r.point.state = start;
            r.is_ok = r.point.is_ok = false;
            r.why = fmt::format("the speeds of '{}' are those of the bodies; take another formulation, for example recursive",
                                numbers.equations().formulation);
            return r;
        }
        const BalanceSearch way(balance, options, start);
        const Found closed = way.prepare(start);
        if (!closed.is_ok) {
            Equilibrium r;
            r.point = operating_point(numbers, closed.state);
            r.is_ok = false;
            r.residual = closed.residual;
            r.why = fmt::format("{}{}", way.complaint(closed.state),
                                options.held.empty() ? "" : fmt::format(", with {} held", held_names(options)));
            if (!goes_on(options.goes_on)) r.why = interrupted;
            return r;
        }
        Found best = search(way, closed.state, options.iterations, Manner::nearest);
        const std::size_t further = std::clamp<std::size_t>(120 / std::max<std::size_t>(1, numbers.equations().u.size()), 3, 12);
        for (std::size_t k = 0; k < further && !best.is_ok && goes_on(options.goes_on);
             ++k) {  // "from any start": first close by, then further away
            const Found other = way.prepare(way.displaced(closed.state, 0.1 * static_cast<double>(1 + k), options.seed + 1000 + k));
            if (!other.is_ok) continue;
            const Found next = search(way, other.state, std::min<std::size_t>(options.iterations, 60), Manner::nearest);
            if (next.is_ok || next.merit < 0.9 * best.merit) best = next;
        }
        Equilibrium r = finish(way, best, options);
        if (!r.is_ok && !options.held.empty() && goes_on(options.goes_on)) {
            EquilibriumOptions loose = options;
            std::erase_if(loose.held, [](const numeric::Wanted& w) { return !w.is_speed; });
            loose.held_values.clear();
            for (std::size_t k = 0; k < options.held.size() && k < options.held_values.size(); ++k) {
                if (options.held[k].is_speed) loose.held_values.push_back(options.held_values[k]);
            }
            if (loose.held.size() < options.held.size()) {
                const BalanceSearch freely(balance, loose, start);
                const Found without = search(freely, freely.prepare(start).state, options.iterations, Manner::nearest);
                if (without.is_ok) r.why += fmt::format("; there is an equilibrium if {} may move", held_names(options, " or "));
            }
        }
        return r;
    }
};

Equilibria::Equilibria(const numeric::CompiledEquations& numbers) : inside_(std::make_unique<Inside>(numbers)) {}
Equilibria::~Equilibria() = default;

const std::vector<std::size_t>& Equilibria::ignorable() const { return inside_->balance.ignorable(); }
bool Equilibria::has_time() const { return inside_->balance.has_time(); }

Equilibrium Equilibria::nearest(const numeric::State& start, const EquilibriumOptions& options) const {
    return inside_->nearest(start, options);
}

std::vector<Equilibrium> Equilibria::all(const numeric::State& start, const EquilibriumOptions& options) const {
    const Inside& in = *inside_;
    std::vector<Equilibrium> list{in.nearest(start, options)};
    if (in.numbers.equations().reduction) return list;
    const BalanceSearch way(in.balance, options, start);
    const numeric::State begin = way.prepare(start).state;
    // The same place: all bodies stand alike and the same energy is stored. Coordinates on which nothing depends do not count.
    const auto picture = [&](const Equilibrium& x) {
        numeric::State s = x.point.state;
        for (const std::size_t i : in.balance.ignorable()) s.q[i] = begin.q[i];
        const VectorXd pose = in.pose(s);
        VectorXd all(pose.size() + s.u.size() + s.w.size());
        all << pose, s.u, s.w;
        return all;
    };
    const auto energy = [&](const Equilibrium& x) { return in.numbers.invariants(x.point.state)[1]; };
    const auto is_same = [&](const Equilibrium& a, const Equilibrium& b) {
        const double Va = energy(a), Vb = energy(b);
        if (std::abs(Va - Vb) > 1e-6 * (1e-3 + std::abs(Va) + std::abs(Vb))) return false;
        if (a.stability == Stability::neutral && b.stability == Stability::neutral) return true;
        return (picture(a) - picture(b)).lpNorm<Eigen::Infinity>() < 1e-5;
    };
    bool has_family = false;
    for (std::size_t k = 1; k < options.starts && goes_on(options.goes_on, k, options.starts); ++k) {
        const double size = k % 3 == 0 ? 3.0 : (k % 3 == 1 ? 1.0 : 2.0);
        const Found closed = way.prepare(way.displaced(begin, size, options.seed * 7919 + k));
        if (!closed.is_ok) continue;
        const Found found =
            in.search(way, closed.state, options.iterations, k % 4 == 0 ? Inside::Manner::creeping : Inside::Manner::descending);
        if (!found.is_ok) continue;
        Equilibrium next = in.finish(way, found, options);
        if (!next.is_ok) continue;
        if (!list.front().is_ok) {
            list.front() = std::move(next);
            continue;
        }
        const auto same = std::ranges::find_if(list, [&](const Equilibrium& x) { return is_same(x, next); });
        if (same == list.end()) {
            list.push_back(std::move(next));
        } else if (same->stability == Stability::neutral && (picture(*same) - picture(next)).lpNorm<Eigen::Infinity>() > 1e-3) {
            has_family = true;
        }
    }
    std::stable_sort(list.begin() + 1, list.end(), [&](const Equilibrium& a, const Equilibrium& b) {
        return way.distance(a.point.state, begin) < way.distance(b.point.state, begin);
    });
    if (has_family)
        list.front().notes.push_back("neutral equilibria with the same energy are listed once: there may be a continuum of them");
    return list;
}

PointDerivatives Equilibria::derivatives(const Equilibrium& at, const EquilibriumOptions& options,
                                         std::span<const std::size_t> parameters) const {
    return inside_->derivatives.of_equilibrium(inside_->balance, at, options, parameters);
}

Equilibrium find_equilibrium(const numeric::CompiledEquations& numbers, const numeric::State& start, const EquilibriumOptions& options) {
    return Equilibria(numbers).nearest(start, options);
}

std::vector<Equilibrium> find_equilibria(const numeric::CompiledEquations& numbers, const numeric::State& start,
                                         const EquilibriumOptions& options) {
    return Equilibria(numbers).all(start, options);
}

PointDerivatives equilibrium_sensitivity(const numeric::CompiledEquations& numbers, const Equilibrium& at,
                                         const EquilibriumOptions& options, std::span<const std::size_t> parameters) {
    return Equilibria(numbers).derivatives(at, options, parameters);
}

}  // namespace linkwright::linear
