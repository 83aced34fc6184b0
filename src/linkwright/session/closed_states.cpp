#include "linkwright/session/closed_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "linkwright/formulation/second_order.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/proof/at_solution.hpp"

namespace linkwright::session {

namespace {

using numeric::State;
using sym::Expr;
using Clock = std::chrono::steady_clock;
using Values = std::map<std::string, double>;

/// Numbers are small or large beside others of their kind.
enum class Kind : std::uint8_t { acceleration, position, reaction, linear_momentum, angular_momentum, energy, output };
struct Number {
    Kind kind;
    double value;
};

constexpr double tolerance = 1e-8;     ///< of the largest number of its kind
constexpr std::size_t other_cuts = 4;  ///< of one loop
constexpr std::chrono::seconds patience{3};

/// Accelerations of three points of each body tell everything about its motion. Returns the outputs added, by name.
std::map<std::string, Kind> watch(model::Model& m) {
    const std::size_t own = m.outputs.size();
    const sym::PoolScope scope(*m.pool);
    for (model::BodyIndex b = 1; b < m.bodies.size(); ++b) {
        for (std::size_t k = 0; k < 3; ++k) {
            for (const auto kind : {model::Output::Kind::position, model::Output::Kind::acceleration}) {
                model::Output output;
                output.kind = kind;
                output.name =
                    fmt::format("{} of {} {}", kind == model::Output::Kind::position ? "position" : "acceleration", m.bodies[b].name, k);
                output.point.body = b;
                output.point.at = m.bodies[b].com;
                if (k > 0) output.point.at = output.point.at + spatial::unit(k - 1);
                m.outputs.push_back(std::move(output));
            }
        }
    }
    proof::ask_for_reactions(m);
    std::map<std::string, Kind> watched;
    for (std::size_t i = own; i < m.outputs.size(); ++i) {
        const model::Output& o = m.outputs[i];
        watched[o.name] = o.kind == model::Output::Kind::reaction   ? Kind::reaction
                          : o.kind == model::Output::Kind::position ? Kind::position
                                                                    : Kind::acceleration;
    }
    return watched;
}

/// A model derived one way, ready for numbers.
struct Side {
    std::string name;
    model::Model model;
    std::map<std::string, Kind> watched;
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;

    /// Of an output of the equations, a component ("tip.x") of one of the model.
    Kind kind_of(const std::string& output) const {
        const auto at = watched.find(output.substr(0, output.rfind('.')));
        return at == watched.end() ? Kind::output : at->second;
    }
};

std::unique_ptr<Side> derive(std::string name, const model::Model& model, const topology::Topology& topology,
                             std::string_view formulation) {
    auto side = std::make_unique<Side>(Side{std::move(name), model::copy(model, std::make_shared<sym::Pool>()), {}, {}, {}});
    side->watched = watch(side->model);
    formulation::Derived derived = formulation::find_formulation(formulation)->derive(side->model, topology, {});
    if (!derived.equations) return nullptr;
    side->equations = std::move(*derived.equations);
    side->numbers = std::make_unique<numeric::CompiledEquations>(side->equations);
    return side;
}

struct Seen {
    std::map<std::string, Number> values;  ///< outputs, energies, momenta by name
    Values coordinates;                    ///< of all joints, cut ones as well, and their speeds
    ConstraintRank constraints;
    bool is_determined = true;  ///< no row of constraints says what others say
    std::string why;            ///< no accelerations
};

Seen look(const Side& side, const State& state) {
    const numeric::Evaluation r = numeric::evaluate(*side.numbers, state);
    Seen seen;
    if (!r.is_ok) seen.why = r.why;
    seen.is_determined = r.redundant.empty();
    const eom::EquationsOfMotion& e = side.equations;
    const auto rank = static_cast<std::size_t>(r.rank);
    seen.constraints = {.rows = e.constraints.size(), .rank = rank, .freedoms = e.u.size() - rank, .position = r.residuals.position()};
    if (r.is_ok && rank > 0) seen.constraints.acceleration = (r.dynamics.G * r.accelerations - r.dynamics.gamma).lpNorm<Eigen::Infinity>();
    for (std::size_t i = 0; i < e.outputs.size(); ++i) {
        const Kind kind = side.kind_of(e.outputs[i].name);
        seen.values[e.outputs[i].name] = {kind, r.outputs[i]};
        if (kind == Kind::output) seen.coordinates[e.outputs[i].name] = r.outputs[i];
    }
    for (std::size_t i = 0; i < e.q.size(); ++i) seen.coordinates[e.q[i].symbol().name] = state.q[i];
    for (std::size_t i = 0; i < e.x.size(); ++i) seen.coordinates[e.x[i].symbol().name] = state.x[i];
    if (!e.reduction) {
        for (std::size_t i = 0; i < e.u.size(); ++i) seen.coordinates[e.u[i].symbol().name] = state.u[i];
    }
    seen.values["energy.kinetic"] = {Kind::energy, r.kinetic};
    seen.values["energy.potential"] = {Kind::energy, r.potential};
    seen.values["power"] = {Kind::energy, r.power};
    for (Eigen::Index k = 0; k < 3; ++k) {
        seen.values[fmt::format("momentum.linear {}", k)] = {Kind::linear_momentum, r.linear[k]};
        seen.values[fmt::format("momentum.angular {}", k)] = {Kind::angular_momentum, r.angular[k]};
    }
    return seen;
}

/// Where the other side says it is.
std::optional<State> place(const Side& side, const Values& at, double t) {
    std::vector<numeric::Wanted> wanted;
    const auto want = [&](const Expr& symbol, bool is_speed) {
        const auto value = at.find(symbol.symbol().name);
        if (value != at.end()) wanted.push_back({symbol.symbol().name, symbol, value->second, false, is_speed});
    };
    for (const Expr& q : side.equations.q) want(q, false);
    for (const Expr& x : side.equations.x) want(x, false);
    for (const Expr& u : side.equations.reduction ? side.equations.reduction->s : side.equations.u) want(u, true);
    const numeric::AssembledState assembled = numeric::assemble(*side.numbers, wanted, t);
    if (!assembled.is_ok()) return std::nullopt;
    return assembled.state;
}

void add_note(proof::Pair& pair, const std::string& note) {
    if (pair.note.find(note) == std::string::npos) pair.note += (pair.note.empty() ? "" : "; ") + note;
}

void compare(const Seen& a, const Seen& b, bool is_same_cut, proof::Pair& pair) {
    const auto differ = [&](const std::string& what, double ours, double theirs) {
        ++pair.differing;
        if (!pair.difference) pair.difference = proof::Difference{what, ours, theirs, {a.coordinates.begin(), a.coordinates.end()}};
    };
    ++pair.entries, ++pair.numeric;
    if (a.constraints.freedoms != b.constraints.freedoms)
        differ("degrees of freedom", static_cast<double>(a.constraints.freedoms), static_cast<double>(b.constraints.freedoms));
    std::map<Kind, double> size;
    for (const auto& [name, x] : a.values) {
        if (std::isfinite(x.value)) size[x.kind] = std::max(size[x.kind], std::abs(x.value));
    }
    size[Kind::energy] = std::max(size[Kind::energy], 1e-3);
    for (const auto& [name, x] : a.values) {
        const auto other = b.values.find(name);
        if (other == b.values.end() || x.kind == Kind::position) continue;
        // The model's own outputs may be forces, or angles counted from elsewhere.
        if (x.kind == Kind::output && (!is_same_cut || !a.is_determined || !b.is_determined)) continue;
        if (x.kind == Kind::reaction && (!a.is_determined || !b.is_determined)) continue;
        const double value = x.value, there = other->second.value;
        const bool has_none = std::isnan(value) && std::isnan(there);
        if (has_none || (std::isinf(value) && value == there)) {  // the difference of infinities is no number
            add_note(pair, fmt::format("{} is {} on both sides", name, has_none ? "no number" : "infinite"));
            continue;
        }
        ++pair.entries, ++pair.numeric;
        const double gap = std::abs(value - there) / std::max(1.0, size[x.kind]);
        pair.numeric_gap = std::max(pair.numeric_gap, gap);
        if (!(gap <= tolerance)) differ(name, value, there);
    }
}

/// The model with this joint cut instead of that one; the other cuts stay.
std::optional<std::pair<model::Model, topology::Topology>> cut_elsewhere(const model::Model& model, const topology::Topology& topology,
                                                                         std::size_t chord, std::size_t joint) {
    model::Model other = model::copy(model, std::make_shared<sym::Pool>());
    for (std::size_t j = 0; j < other.joints.size(); ++j) other.joints[j].cut = j == joint || (topology.is_cut[j] && j != chord);
    topology::Analysis analysis = topology::analyse(other);
    if (!analysis.topology || !analysis.topology->is_cut[joint]) return std::nullopt;
    return std::pair{std::move(other), std::move(*analysis.topology)};
}

class Comparing {
public:
    Comparing(const model::Model& model, const topology::Topology& topology, std::uint64_t seed,
              const std::function<bool(const std::string&)>& goes_on)
        : model_(model), topology_(topology), seed_(seed), goes_on_(goes_on) {}

    ClosedStates run(const std::vector<std::string>& formulations) && {
        first_ = derive(formulations.front(), model_, topology_, formulations.front());
        if (!first_ || first_->equations.constraints.empty() || first_->equations.reduction) return {};
        find_states();
        if (states_.empty()) return std::move(result_);
        result_.constraints = states_.front().second.constraints;
        for (std::size_t i = 1; i < formulations.size(); ++i) {
            if (!tell(formulations[i])) break;
            if (const auto side = derive(formulations[i], model_, topology_, formulations[i])) add(*side, true);
        }
        if (formulation::is_second_order(model_)) {  // T in terms of other coordinates is cut elsewhere, too
            result_.remarks.push_back(
                "no comparison with other joints cut: kinetic energy to second order depends on the coordinates it is written in");
            return std::move(result_);
        }
        for (const topology::Loop& loop : topology_.loops) {
            for (std::size_t k = 0; k < std::min(loop.joints.size(), other_cuts); ++k) cut(loop.chord, loop.joints[k]);
        }
        return std::move(result_);
    }

private:
    /// False: it is not to go on.
    bool tell(const std::string& side) {
        if (!result_.is_stopped) result_.is_stopped = !goes_on_("closed states: " + side);
        return !result_.is_stopped;
    }

    /// The initial state, and the same place with other speeds and auxiliary states.
    void find_states() {
        std::mt19937_64 random(seed_);
        std::uniform_real_distribution<double> between(-1, 1);
        std::vector<numeric::Wanted> wanted = numeric::wanted(*first_->numbers);
        for (int n = 0; n < 3; ++n) {
            if (n > 0) {
                std::erase_if(wanted, [](const numeric::Wanted& w) { return w.is_speed; });
                for (const Expr& u : first_->equations.u) wanted.push_back({u.symbol().name, u, between(random), false, true});
                for (const Expr& x : first_->equations.x) wanted.push_back({x.symbol().name, x, between(random), true, false});
            }
            const numeric::AssembledState assembled = numeric::assemble(*first_->numbers, wanted, 0);
            if (!assembled.is_ok()) {
                result_.remarks.push_back("no comparison at closed positions: " + assembled.why);
                return;
            }
            Seen seen = look(*first_, assembled.state);
            if (!seen.why.empty()) {
                result_.remarks.push_back("no comparison at a closed position: " + seen.why);
                return;
            }
            states_.push_back({assembled.state, std::move(seen)});
        }
    }

    void add(const Side& side, bool is_same_cut) {
        const auto begin = Clock::now();
        proof::Pair pair{.a = first_->name, .b = side.name};
        pair.points = 0;
        for (const auto& [state, seen] : states_) {
            std::optional<State> there = place(side, seen.coordinates, state.t);
            if (!there) continue;
            const Seen other = look(side, *there);
            if (!is_at_same_place(seen, other)) continue;
            if (!other.why.empty()) add_note(pair, fmt::format("{} finds no accelerations: {}", side.name, other.why));
            compare(seen, other, is_same_cut, pair);
            ++pair.points;
        }
        if (pair.points == 0) {
            result_.remarks.push_back(fmt::format("{}: the closed positions were not found again", side.name));
            return;
        }
        const bool has_forces = states_.front().second.is_determined;
        pair.about = fmt::format(
            "{}, at {} assembled states",
            has_forces ? "accelerations, energies, degrees of freedom, joint forces" : "accelerations, energies, degrees of freedom",
            pair.points);
        pair.verdict = pair.difference ? sym::Verdict::different : sym::Verdict::equal;
        pair.witness = fmt::format("numeric to {:.0e}", std::max(pair.numeric_gap, 1e-16));
        if (!has_forces) add_note(pair, "forces in the joints are left out: rows of constraints are redundant, so they are not determined");
        pair.time = Clock::now() - begin;
        result_.pairs.push_back(std::move(pair));
    }

    /// Joints may be measured in two ways that mean different places, or the same.
    static bool is_at_same_place(const Seen& a, const Seen& b) {
        for (const auto& [name, x] : a.values) {
            if (x.kind != Kind::position) continue;
            const auto other = b.values.find(name);
            if (other == b.values.end() || std::abs(x.value - other->second.value) > 1e-9 * std::max(1.0, std::abs(x.value))) return false;
        }
        return true;
    }

    void cut(std::size_t chord, std::size_t joint) {
        const std::string name = fmt::format("recursive, '{}' cut", model_.joints[joint].name);
        if (Clock::now() - begin_ > patience || !tell(name)) return;
        const auto other = cut_elsewhere(model_, topology_, chord, joint);
        if (!other) return;
        const auto side = derive(name, other->first, other->second, "recursive");
        if (side) add(*side, false);
    }

    const model::Model& model_;
    const topology::Topology& topology_;
    std::uint64_t seed_;
    const std::function<bool(const std::string&)>& goes_on_;
    std::unique_ptr<Side> first_;
    std::vector<std::pair<State, Seen>> states_;
    ClosedStates result_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace

ClosedStates at_closed_states(const model::Model& model, const topology::Topology& topology, const std::vector<std::string>& formulations,
                              std::uint64_t seed, const std::function<bool(const std::string&)>& goes_on) {
    return formulations.empty() ? ClosedStates{} : Comparing(model, topology, seed, goes_on).run(formulations);
}

}  // namespace linkwright::session
