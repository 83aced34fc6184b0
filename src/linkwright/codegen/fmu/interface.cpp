#include "linkwright/codegen/fmu/interface.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "linkwright/codegen/fmu/dependency.hpp"

namespace linkwright::codegen::fmu {
namespace {

class Maker {
public:
    explicit Maker(const Package& package) : k_(package), knowns_(package) {
        for (const Entry& e : k_.arguments[3].entries) r_.follows_time.push_back(!e.formula.empty());
        d_ = make_dependence(k_, r_.follows_time);
        r_.is_tunable = k_.m() == 0;
        hold();
    }

    Interface make() {
        list();
        const std::size_t nx = k_.nq() + k_.nu(), ny = k_.outputs.size();
        for (const std::vector<KnownSet>* sets : {&d_.qdot, &d_.udot, &d_.lambda, &d_.signals, &d_.residuals}) {
            for (const KnownSet& set : *sets) r_.uses_time |= set.has(knowns_.t);
        }
        for (std::size_t i = 0; i < ny; ++i) r_.outputs.push_back({first(Kind::output) + i, listed(d_.signals[i], signal_kinds(i))});
        for (std::size_t i = 0; i < k_.events.size(); ++i)
            r_.event_indicators.push_back({first(Kind::event) + i, listed(d_.signals[ny + i], signal_kinds(ny + i))});
        for (std::size_t i = 0; i < nx; ++i) {
            const bool is_q = i < k_.nq();
            r_.derivatives.push_back(
                {first(Kind::derivative) + i, listed(is_q ? d_.qdot[i] : d_.udot[i - k_.nq()], is_q ? rate_kinds(i) : Kinds{})});
        }
        list_initial_unknowns();
        return std::move(r_);
    }

private:
    using Kinds = std::map<std::size_t, Factor>;  ///< by known

    std::size_t first(Kind kind) const {
        for (const Variable& v : r_.variables) {
            if (v.kind == kind) return v.reference;
        }
        return 0;
    }

    // ---- what closing the start leaves alone ----

    /// Coordinates that [initial] gives and that a speed of their own moves, and such speeds.
    void hold() {
        r_.held_positions.resize(k_.nu()), r_.held_speeds.resize(k_.nu());
        is_exact_.assign(k_.nq() + k_.nu(), k_.m() == 0);
        if (k_.m() == 0) return;
        const Kinds by_u = factors(k_, "rate_jacobians", "qdot_u");
        for (std::size_t i = 0; i < k_.nq(); ++i) {
            std::vector<std::size_t> movers;
            for (std::size_t j = 0; j < k_.nu(); ++j) {
                if (by_u.contains(i * k_.nu() + j)) movers.push_back(j);
            }
            if (movers.size() != 1 || !k_.arguments[1].entries[i].is_held || by_u.at(i * k_.nu() + movers[0]) != Factor::number) continue;
            r_.held_positions[movers[0]] = is_exact_[i] = true;
        }
        for (std::size_t j = 0; j < k_.nu(); ++j) {
            const bool is_free = std::ranges::none_of(k_.find("dynamics")->results, [&](const Result& r) {
                return r.name == "G" && std::ranges::any_of(r.at, [&](std::size_t at) { return at % r.columns == j; });
            });
            r_.held_speeds[j] = is_exact_[k_.nq() + j] = is_free || k_.arguments[2].entries[j].is_held;
        }
    }

    // ---- variables ----

    std::string free_name(const std::string& name, const std::string& instead) {
        std::string free = name;
        if (names_.contains(free)) free = instead;
        while (!names_.insert(free).second) free += "_";
        return free;
    }

    Variable& add(Kind kind, const std::string& name, const Entry& e, const char* causality, const char* variability, const char* initial) {
        r_.variables.push_back({.kind = kind,
                                .reference = r_.variables.size(),
                                .name = name,
                                .unit = e.unit,
                                .about = e.about,
                                .causality = causality,
                                .variability = variability,
                                .initial = initial});
        return r_.variables.back();
    }

    void list() {
        add(Kind::time, free_name("time", "time"), {"", "s", "time", 0}, "independent", "continuous", "");
        const auto& [t, q, u, w, p] = std::tie(k_.arguments[0], k_.arguments[1], k_.arguments[2], k_.arguments[3], k_.arguments[4]);
        for (const Entry& e : p.entries)
            add(Kind::parameter, free_name(e.name, "parameter." + e.name), e, "parameter", r_.is_tunable ? "tunable" : "fixed", "exact")
                .start = e.value;
        for (std::size_t i = 0; i < w.entries.size(); ++i) {
            const Entry& e = w.entries[i];
            const std::string name = free_name(e.name, "input." + e.name);
            if (r_.follows_time[i]) {
                const std::string about = (e.about.empty() ? "" : e.about + "; ") + "follows " + e.formula;
                add(Kind::followed, name, {e.name, e.unit, about, 0}, "local", "continuous", "calculated");
            } else {
                add(Kind::input, name, e, "input", "continuous", "").start = e.value;
            }
        }
        const std::size_t states = r_.variables.size();
        for (const Argument* argument : {&q, &u}) {
            for (const Entry& e : argument->entries) {
                const bool is_exact = is_exact_[r_.variables.size() - states];
                add(Kind::state, free_name(e.name, "state." + e.name), e, "local", "continuous", is_exact ? "exact" : "approx").start =
                    e.value;
            }
        }
        for (std::size_t i = 0; i < k_.nq() + k_.nu(); ++i) {
            const bool is_q = i < k_.nq();
            const Variable state = r_.variables[states + i];
            const std::string unit = is_q ? rate_of(state.unit) : k_.arguments[6].entries[i - k_.nq()].unit;
            const std::string name = fmt::format("der({})", state.name);
            add(Kind::derivative, free_name(name, name), {"", unit.empty() ? rate_of(state.unit) : unit, "", 0}, "local", "continuous",
                "calculated")
                .state = state.reference;
        }
        for (const Entry& e : k_.outputs) add(Kind::output, free_name(e.name, "output." + e.name), e, "output", "continuous", "calculated");
        const auto add_local = [&](Kind kind, const std::string& name, const std::string& unit, const std::string& about, const char* how) {
            Variable& v = add(kind, free_name(name, "local." + name), {"", unit, about, 0}, "local", how, "calculated");
            (void)v;
        };
        for (const EventEntry& e : k_.events)
            add_local(Kind::event, fmt::format("event.{}", e.name), "", "crosses zero at the event", "continuous");
        add_local(Kind::energy, "energy.kinetic", "J", "kinetic energy", "continuous");
        add_local(Kind::energy, "energy.potential", "J", "potential energy", "continuous");
        for (std::size_t i = 0; i < k_.m(); ++i)
            add_local(Kind::multiplier, "lambda." + k_.constraints[i].name, k_.arguments[7].entries[i].unit, k_.constraints[i].about,
                      "continuous");
        for (const EventEntry& e : k_.events)
            add_local(Kind::count, fmt::format("event.{}.count", e.name), "", "how often it has happened", "discrete");
        for (const EventEntry& e : k_.events)
            add_local(Kind::moment, fmt::format("event.{}.time", e.name), "s", "when it happened last", "discrete");
    }

    static std::string rate_of(const std::string& unit) { return unit.empty() ? unit : unit + "/s"; }

    // ---- dependencies ----

    Kinds rate_kinds(std::size_t row) const {
        Kinds kinds;
        for (const auto& [result, from, columns] : {std::tuple("qdot_q", knowns_.q, k_.nq()), std::tuple("qdot_u", knowns_.u, k_.nu())}) {
            for (const auto& [place, factor] : factors(k_, "rate_jacobians", result)) {
                if (place / columns == row) kinds[from + place % columns] = factor;
            }
        }
        return kinds;
    }

    /// Of a signal that accelerations and multipliers have no part in: otherwise nothing is known.
    Kinds signal_kinds(std::size_t row) const {
        Kinds kinds;
        for (const auto& [result, columns] : {std::pair("v_udot", k_.nu()), std::pair("v_lambda", k_.m())}) {
            for (const auto& [place, factor] : factors(k_, "signal_jacobians", result)) {
                if (place / columns == row) return {};
            }
        }
        for (const auto& [result, from, columns] :
             {std::tuple("v_q", knowns_.q, k_.nq()), std::tuple("v_u", knowns_.u, k_.nu()), std::tuple("v_w", knowns_.w, k_.nw())}) {
            for (const auto& [place, factor] : factors(k_, "signal_jacobians", result)) {
                if (place / columns == row) kinds[from + place % columns] = factor;
            }
        }
        return kinds;
    }

    /// The variable of a known; parameters, inputs and states stand one after the other.
    std::size_t reference(std::size_t known) const {
        const std::size_t parameters = 1, inputs = parameters + k_.np(), states = inputs + k_.nw();
        return known < knowns_.w ? states + known : known < knowns_.p ? inputs + known - knowns_.w : parameters + known - knowns_.p;
    }

    /// While it moves.
    Dependencies listed(const KnownSet& set, const Kinds& kinds) const {
        std::map<std::size_t, std::string> all;
        const std::size_t end = k_.fmi == 2 ? knowns_.p : knowns_.t;
        for (std::size_t known = 0; known < end; ++known) {
            if (!set.has(known)) continue;
            const auto kind = kinds.find(known);
            const bool is_known = kind != kinds.end();
            all[reference(known)] = !is_known || kind->second == Factor::state ? "dependent"
                                    : kind->second == Factor::number           ? "constant"
                                    : r_.is_tunable                            ? "tunable"
                                                                               : "fixed";
        }
        return split(all);
    }

    static Dependencies split(const std::map<std::size_t, std::string>& all) {
        Dependencies d;
        for (const auto& [on, kind] : all) d.on.push_back(on), d.kinds.push_back(kind);
        return d;
    }

    /// At the start: states that closing finds follow from those that are given, and from parameters.
    void list_initial_unknowns() {
        const std::size_t nx = k_.nq() + k_.nu();
        KnownSet closing;  // what the constraints are made of
        for (const KnownSet& set : d_.residuals) closing.add(set);
        const auto at_start = [&](const KnownSet& set) {
            bool is_found = false;
            for (std::size_t i = 0; i < nx; ++i) is_found |= set.has(i) && !is_exact_[i];
            std::map<std::size_t, std::string> all;
            for (std::size_t known = 0; known < knowns_.t; ++known) {
                const bool is_given = known >= nx || is_exact_[known];
                if (is_given && (set.has(known) || (is_found && closing.has(known)))) all[reference(known)] = "dependent";
            }
            return split(all);
        };
        const auto itself = [](std::size_t known) {
            KnownSet set;
            set.add(known);
            return set;
        };
        const std::size_t states = first(Kind::state), derivatives = first(Kind::derivative), outputs = first(Kind::output);
        for (std::size_t i = 0; i < nx; ++i) {
            if (!is_exact_[i]) r_.initial_unknowns.push_back({states + i, at_start(itself(i))});
        }
        for (std::size_t i = 0; i < nx; ++i)
            r_.initial_unknowns.push_back({derivatives + i, at_start(i < k_.nq() ? d_.qdot[i] : d_.udot[i - k_.nq()])});
        for (std::size_t i = 0; i < k_.outputs.size(); ++i) r_.initial_unknowns.push_back({outputs + i, at_start(d_.signals[i])});
    }

    const Package& k_;
    Knowns knowns_;
    Dependence d_;
    Interface r_;
    std::vector<bool> is_exact_;  ///< of states: given, not found by closing
    std::set<std::string> names_;
};

}  // namespace

Interface make_interface(const Package& package) { return Maker(package).make(); }

}  // namespace linkwright::codegen::fmu
