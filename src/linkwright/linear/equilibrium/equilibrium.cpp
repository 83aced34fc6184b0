#include "linkwright/linear/equilibrium/equilibrium.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "linkwright/linear/equilibrium/balance_region.hpp"
#include "linkwright/linear/equilibrium/balance_search.hpp"
#include "linkwright/linear/equilibrium/equilibrium_collection.hpp"
#include "linkwright/linear/equilibrium/equilibrium_sensitivity.hpp"
#include "linkwright/linear/equilibrium/stability.hpp"
#include "linkwright/numeric/rank_nearby.hpp"

namespace linkwright::linear {

namespace {

using Index = Eigen::Index;
using Found = BalanceSearch::Found;

constexpr double nearly_lost = 1e-2;  ///< so near a singular position closing has left errors that turn the motion allowed any way

std::string name_of(const Expr& symbol) { return symbol.symbol().name; }

constexpr std::size_t polishing = 50;  ///< iterations, from a place where the rows vanish already

/// "-1 <= x <= 1", "a whole turn of hip"
std::string in_words(const std::vector<UnknownRange>& ranges) {
    std::vector<std::string> list;
    for (const UnknownRange& r : ranges) {
        list.push_back(r.is_turn ? fmt::format("a whole turn of {}", r.name)
                                 : fmt::format("{:.4g} <= {} <= {:.4g}", r.lower, r.name, r.upper));
    }
    return fmt::format("{}", fmt::join(list, ", "));
}

std::string in_words(const EquilibriumList& r) {
    const std::string others = fmt::format("found from {} starts; there may be others", r.starts);
    if (r.within.empty()) return others;
    const bool has_any = r.found.front().is_ok;
    return fmt::format("{} within {}{}{}", has_any ? "all" : "none", in_words(r.within),
                       r.has_clusters ? ", but for some that may lie too close together to tell apart" : "",
                       r.starts > 0 ? "; elsewhere " + others : "");
}

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
    mutable std::mutex guard;
    mutable std::vector<std::shared_ptr<const BalanceRegion>> regions;  ///< one for each choice of unknowns that was asked for

    /// Null when there are too many unknowns.
    std::shared_ptr<const BalanceRegion> region(const BalanceSearch& way, const numeric::State& near) const {
        if (!BalanceRegion::is_within_reach(balance, way)) return nullptr;
        const std::scoped_lock lock(guard);
        const auto known = std::ranges::find_if(regions, [&](const auto& r) { return r->serves(way); });
        if (known != regions.end()) return *known;
        return regions.emplace_back(std::make_shared<const BalanceRegion>(balance, way, near));
    }

    /// The states of a region where the rows vanish, made as exact as all others.
    std::vector<Found> polished(const BalanceSearch& way, const std::vector<numeric::State>& states) const {
        std::vector<Found> list;
        for (const numeric::State& s : states) {
            Found f = way.descend(s, polishing);
            f.is_ok = f.is_ok && way.is_on_branch(f.state) && !way.recedes(f.state);
            if (f.is_ok) list.push_back(std::move(f));
        }
        return list;
    }

    /// `best` and what is nearer, the nearest first; everything there is in the region when `best` is none.
    struct Nearer {
        std::vector<Found> list;
        std::vector<UnknownRange> none_within;  ///< there is none at all in these ranges; empty where that was not shown
        bool is_open = false;                   ///< the search for nearer ones ended before everything was looked through
    };
    Nearer nearer(const BalanceSearch& way, const numeric::State& start, const Found& best, const EquilibriumOptions& options) const {
        constexpr double here = 1e-6;
        Nearer r{.list = {best}, .none_within = {}};
        const double radius = way.distance(best.state, start);
        if (best.is_ok && radius < here) return r;
        const auto around = region(way, start);
        if (!around) return r;
        const BalanceRegion::Found found = best.is_ok ? around->nearby(way, start, radius * (1 + here) + here, options.goes_on)
                                                      : around->everywhere(way, start, options.goes_on);
        r.is_open = best.is_ok && !found.is_whole();
        const std::vector<Found> others = polished(way, found.states);
        if (!best.is_ok && others.empty() && found.is_whole() && found.clusters.empty()) r.none_within = found.within;
        std::vector<Found> list = others;
        if (best.is_ok || others.empty()) list.push_back(best);
        std::vector<numeric::State> states;
        for (const Found& f : list) states.push_back(f.state);
        r.list.clear();
        for (const std::size_t i : way.nearest_first(start, states)) r.list.push_back(list[i]);
        return r;
    }

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
        if (is_frozen)
            r.notes.push_back(fmt::format("the equations depend on time explicitly: they are frozen at t = {:.6g}", found.state.t));
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
            r.why = fmt::format("the speeds of '{}' are those of the bodies; use another formulation, for example recursive",
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
        Equilibrium r;
        const Nearer candidates = nearer(way, closed.state, best, options);
        for (const Found& f : candidates.list) {
            r = finish(way, f, options);
            r.distance = way.distance(r.point.state, closed.state);
            if (r.is_ok) break;
        }
        if (candidates.is_open && r.is_ok)
            r.notes.emplace_back("it is the nearest of those found: the region nearer to the start could not be searched completely");
        if (!candidates.none_within.empty()) r.why += fmt::format("; there is none within {}", in_words(candidates.none_within));
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

    /// From starts about the given one: nearer ones and further ones, lengths and rates of several sizes. What `is_known` is passed over.
    void look_from_starts(const BalanceSearch& way, const numeric::State& begin, const EquilibriumOptions& options,
                          const std::function<bool(const numeric::State&)>& is_known, EquilibriumCollection& collection) const {
        constexpr std::array spreads{1.0, 0.1, 10.0, 0.01, 100.0};
        for (std::size_t k = 1; k < options.starts && goes_on(options.goes_on, k, options.starts); ++k) {
            const double size = k % 3 == 0 ? 3.0 : (k % 3 == 1 ? 1.0 : 2.0);
            const Found closed = way.prepare(way.displaced(begin, size, options.seed * 7919 + k, spreads[k % spreads.size()]));
            if (!closed.is_ok) continue;
            const Found found = search(way, closed.state, options.iterations, k % 4 == 0 ? Manner::creeping : Manner::descending);
            if (found.is_ok && !is_known(found.state)) collection.add(finish(way, found, options));
        }
    }

    EquilibriumList all(const numeric::State& start, const EquilibriumOptions& options) const {
        EquilibriumList r;
        if (numbers.equations().reduction || options.starts <= 1) return r.found = {nearest(start, options)}, r;
        const BalanceSearch way(balance, options, start);
        const Found prepared = way.prepare(start);
        r.metric = way.scale().words(!way.free_speeds().empty());
        EquilibriumCollection collection(balance, pose, way, prepared.state);
        BalanceRegion::Found found;
        const auto whole = prepared.is_ok ? region(way, prepared.state) : nullptr;
        const auto is_known = [&](const numeric::State& s) { return whole && whole->covers(found, s); };
        if (whole) {
            found = whole->everywhere(way, prepared.state, options.goes_on);
            for (const Found& f : polished(way, found.states)) collection.add(finish(way, f, options));
        }
        r.within = found.within;
        r.has_clusters = !found.clusters.empty();
        r.starts = found.is_whole() ? 0 : options.starts;
        if (r.starts > 0) {
            Equilibrium first = nearest(start, options);
            if (!is_known(first.point.state)) collection.add(std::move(first));
            look_from_starts(way, prepared.state, options, is_known, collection);
        }
        r.found = collection.is_empty() ? std::vector{nearest(start, options)} : collection.sorted();
        r.words = in_words(r);
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

EquilibriumList Equilibria::all(const numeric::State& start, const EquilibriumOptions& options) const {
    return inside_->all(start, options);
}

PointDerivatives Equilibria::derivatives(const Equilibrium& at, const EquilibriumOptions& options,
                                         std::span<const std::size_t> parameters) const {
    return inside_->derivatives.of_equilibrium(inside_->balance, at, options, parameters);
}

Equilibrium find_equilibrium(const numeric::CompiledEquations& numbers, const numeric::State& start, const EquilibriumOptions& options) {
    return Equilibria(numbers).nearest(start, options);
}

EquilibriumList find_equilibria(const numeric::CompiledEquations& numbers, const numeric::State& start, const EquilibriumOptions& options) {
    return Equilibria(numbers).all(start, options);
}

PointDerivatives equilibrium_sensitivity(const numeric::CompiledEquations& numbers, const Equilibrium& at,
                                         const EquilibriumOptions& options, std::span<const std::size_t> parameters) {
    return Equilibria(numbers).derivatives(at, options, parameters);
}

}  // namespace linkwright::linear
