#include "linkwright/formulation/signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "linkwright/formulation/invariants.hpp"
#include "linkwright/formulation/outputs.hpp"
#include "linkwright/model/form_signals.hpp"
#include "linkwright/model/point_name.hpp"
#include "linkwright/model/visit.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation {

namespace {

using model::Output;
using sym::Role;

/// What acts on the mechanism, and on auxiliary states: f(expression, where, what it is).
template <class F>
void for_each_load(const model::Model& m, F f) {
    for (const model::Joint& j : m.joints) {
        for (const model::JointForce& x : j.forces) {
            for (const Expr* e : {&x.stiffness, &x.rest, &x.damping, &x.actuator}) f(*e, j.where, "joint '" + j.name + "'");
        }
    }
    for (const model::Spring& s : m.springs) {
        for (const Expr* e : {&s.stiffness, &s.rest, &s.damping, &s.actuator}) f(*e, s.where, "spring '" + s.name + "'");
    }
    for (const model::Force& x : m.forces) {
        for (const Expr& e : x.vector.e) f(e, x.where, "force '" + x.name + "'");
    }
    for (const model::Torque& x : m.torques) {
        for (const Expr& e : x.vector.e) f(e, x.where, "torque '" + x.name + "'");
    }
    for (const model::Body& b : m.bodies) {
        for (const model::Rotor& r : b.rotors) {
            if (r.torque) f(*r.torque, r.where, "the rotor of '" + b.name + "'");
        }
    }
    for (const model::Constraint& c : m.constraints) f(c.expression, c.where, "constraint '" + c.name + "'");
    for (const model::AuxiliaryState& x : m.states) f(x.rate, x.where, "the rate of '" + x.symbol.symbol().name + "'");
    for (const model::Sampled& x : m.sampled) f(x.input, Position{}, "the input of '" + x.name + "'");
}

bool names_results(const Expr& e) {
    if (e.is_number()) return false;
    return std::ranges::any_of(symbols_in(e), [](const Expr& s) { return s.symbol().role == Role::auxiliary; });
}

/// Names that have a meaning here and nowhere else: of springs, of points, and rates.
class OnlyHere {
public:
    explicit OnlyHere(const model::Model& m) : model_(m) {
        for (const model::Spring& s : m.springs) springs_.insert({s.name + ".length", s.name + ".rate"});
        for (const Output& o : m.outputs) outputs_.insert(o.name);
    }
    bool are_in(const Expr& e) {
        if (e.is_number()) return false;
        return std::ranges::any_of(symbols_in(e), [&](const Expr& s) { return s.symbol().role == Role::auxiliary && is(s.symbol().name); });
    }

private:
    bool is(const std::string& name) {
        if (name.ends_with('\'') || springs_.contains(name)) return true;
        const auto component = model::split_component(name);
        if (!component || outputs_.contains(std::string(component->of)) || outputs_.contains(name)) return false;
        if (!points_) points_.emplace(model_);
        return (*points_)(name).has_value();
    }
    const model::Model& model_;
    std::unordered_set<std::string> springs_, outputs_;
    std::optional<model::PointNames> points_;
};

/// What names mean in terms of coordinates, speeds, states, inputs and time; nothing for what follows from accelerations.
class Meanings {
public:
    Meanings(const System& measured, const model::Model& model) : s_(measured), model_(model), points_(model), sight_(measured) {
        std::vector<sym::Binding> put_in = measured.mechanism.defined;
        sym::Substitution of_cut_joints(measured.mechanism.defined);
        for (const model::UserSpeed& speed : model.speeds) put_in.emplace_back(speed.symbol, of_cut_joints(speed.definition));
        in_speeds_of_tree_.emplace(put_in);
    }

    std::optional<Expr> operator()(const Expr& symbol) {
        const std::string& name = symbol.symbol().name;
        if (const auto known = known_.find(name); known != known_.end()) return known->second;
        known_[name] = std::nullopt;  // a circle has been told of
        std::optional<Expr> meaning = definition(name);
        if (meaning) meaning = in_full(*meaning);
        return known_[name] = meaning;
    }

    /// The meaning of a rate, NAME' or NAME'', in terms of accelerations, too; nothing for other names.
    std::optional<Expr> rate(const std::string& name) {
        const auto [base, primes] = model::without_primes(name);
        if (primes == 0 || primes > 2) return std::nullopt;
        if (const auto at = points_(base)) return rate(*at, primes);
        auto value = (*this)(model_.pool->symbol(base, Role::auxiliary));
        for (std::size_t k = 0; value && k < primes; ++k) value = rate(*value);
        return value;
    }

    /// Without names; nothing when one follows from accelerations.
    std::optional<Expr> in_full(const Expr& e) {
        std::vector<sym::Binding> bindings;
        for (const Expr& s : symbols_in(e)) {
            const Role role = s.symbol().role;
            if (role == Role::acceleration || role == Role::multiplier) return std::nullopt;
            if (role != Role::auxiliary) continue;
            const auto meaning = (*this)(s);
            if (!meaning) return std::nullopt;
            bindings.emplace_back(s, *meaning);
        }
        return bindings.empty() ? e : sym::Substitution(bindings)(e);
    }

private:
    /// dvalue/dt; nothing when that of an input would be needed.
    std::optional<Expr> rate(const Expr& value) {
        const Expr e = (*in_speeds_of_tree_)(value);
        std::vector<sym::Binding> rates = kinematics::rates(s_.mechanism, true);
        for (const Expr& s : symbols_in(e)) {
            if (s.symbol().role == Role::input || s.symbol().role == Role::acceleration) return std::nullopt;
        }
        return resolved(sym::Tangent(rates)(e));
    }
    std::optional<Expr> rate(const model::PointComponent& of, std::size_t primes) {
        if (of.is_of_rotation) {
            std::optional<Expr> value = s_.mechanism.X_W[of.point.body].R.matrix()[of.row][of.column];
            for (std::size_t k = 0; value && k < primes; ++k) value = rate(*value);
            return value;
        }
        Output point;
        point.point = of.point;
        return primes == 1 ? sight_.velocity(point)[of.row] : sight_.acceleration(point)[of.row];
    }
    /// With what the rates of states are made of; accelerations stay.
    std::optional<Expr> resolved(const Expr& e) {
        std::vector<sym::Binding> bindings;
        for (const Expr& s : symbols_in(e)) {
            if (s.symbol().role != Role::auxiliary) continue;
            const auto meaning = (*this)(s);
            if (!meaning) return std::nullopt;
            bindings.emplace_back(s, *meaning);
        }
        return bindings.empty() ? e : sym::Substitution(bindings)(e);
    }

    std::optional<Expr> definition(const std::string& name) {
        for (const model::Signal& s : model_.signals) {
            if (s.symbol.symbol().name == name) return s.value;
        }
        if (name.ends_with('\'')) return rate(name);
        for (const Output& o : model_.outputs) {
            if (o.kind == Output::Kind::expression && o.name == name) return o.expression;
            if (name.starts_with(o.name + ".")) {
                if (const auto part = part_of(o, name.substr(o.name.size() + 1))) return part;
            }
        }
        for (const model::Spring& spring : model_.springs) {
            if (name == spring.name + ".length" || name == spring.name + ".rate") return along(spring, name.ends_with(".rate"));
        }
        for (std::size_t i = 0; i < s_.contacts.size(); ++i) {
            for (std::size_t k = 0; k < 3; ++k) {
                if (name == model_.rollings[i].name + ".point." + "xyz"[k]) return s_.contacts[i].point[k];
            }
        }
        if (const auto at = points_(name)) {
            const spatial::Pose& X = s_.mechanism.X_W[at->point.body];
            return at->is_of_rotation ? X.R.matrix()[at->row][at->column] : position(s_.mechanism, at->point)[at->row];
        }
        return invariant(name);
    }

    std::optional<Expr> part_of(const Output& o, const std::string& part) {
        const auto axis = [](char c) { return c >= 'x' && c <= 'z' ? std::optional<std::size_t>(c - 'x') : std::nullopt; };
        if (o.kind == Output::Kind::orientation && part.size() == 2) {
            const auto i = axis(part[0]), j = axis(part[1]);
            if (!i || !j) return std::nullopt;
            return (s_.mechanism.X_W[o.in].R.inverse() * s_.mechanism.X_W[o.point.body].R).matrix()[*i][*j];
        }
        const auto k = part.size() == 1 ? axis(part[0]) : std::nullopt;
        if (!k) return std::nullopt;
        if (o.kind == Output::Kind::position) return sight_.position(o)[*k];
        if (o.kind == Output::Kind::velocity) return sight_.velocity(o)[*k];
        return std::nullopt;
    }

    Expr along(const model::Spring& spring, bool is_rate) const {
        const Vec3 d = position(s_.mechanism, spring.to) - position(s_.mechanism, spring.from);
        const Expr length = sqrt(dot(d, d));
        if (!is_rate) return length;
        return dot(d, velocity(s_.mechanism, spring.to) - velocity(s_.mechanism, spring.from)) / length;
    }

    std::optional<Expr> invariant(const std::string& name) {
        if (name.starts_with("energy.")) {
            const eom::Energy e = energy(s_);
            if (name == "energy.kinetic") return e.kinetic;
            if (name == "energy.potential") return e.potential;
            if (name == "energy.total") return e.total();
        }
        if (name.starts_with("momentum.")) {
            const eom::Momentum p = momentum(s_.mechanism);
            for (std::size_t k = 0; k < 3; ++k) {
                if (name == std::string("momentum.linear.") + "xyz"[k]) return p.linear[k];
                if (name == std::string("momentum.angular.") + "xyz"[k]) return p.angular[k];
            }
        }
        return std::nullopt;
    }

    const System& s_;
    const model::Model& model_;
    model::PointNames points_;
    Observables sight_;
    std::optional<sym::Substitution> in_speeds_of_tree_;
    std::unordered_map<std::string, std::optional<Expr>> known_;
};

/// Loads that name what cannot be put in.
void complain(const model::Model& m, Diagnostics& problems) {
    for_each_load(m, [&](const Expr& e, Position where, const std::string& what) {
        for (const Expr& s : symbols_in(e)) {
            const Role role = s.symbol().role;
            if (role != Role::auxiliary && role != Role::acceleration && role != Role::multiplier) continue;
            problems.push_back(
                {.severity = Diagnostic::Severity::error,
                 .file = m.file,
                 .where = where,
                 .what = fmt::format("{} depends on '{}', which is unknown or follows from accelerations", what, s.symbol().name),
                 .hint = "forces on the mechanism may depend on positions, velocities, strains, moments, signals"});
            return;
        }
    });
}

/// Of a constraint that is made of points, parameters and time alone.
std::vector<HeldPoint> held_points(const model::Model& m, const model::Constraint& c, sym::Substitution& put_in) {
    std::vector<HeldPoint> held;
    if (!c.is_holonomic) return held;
    const model::PointNames points(m);
    for (const Expr& s : symbols_in(c.expression)) {
        const Role role = s.symbol().role;
        if (role == Role::parameter || role == Role::time) continue;
        const auto what = role == Role::auxiliary ? points(s.symbol().name) : std::nullopt;
        if (!what) return {};
        held.push_back({*what, put_in(derivative(c.expression, s))});
    }
    return held;
}

bool has_circle(const model::Model& m, Diagnostics& problems) {
    const auto circle = model::circle_of_signals(m);
    if (circle.empty()) return false;
    std::string path;
    for (const model::SignalOnCircle& s : circle) path += s.name + " → ";
    problems.push_back({.severity = Diagnostic::Severity::error,
                        .file = m.file,
                        .where = circle.front().where,
                        .what = fmt::format("signals depend on each other with no state between them: {}{}", path, circle.front().name),
                        .hint = {}});
    return true;
}

}  // namespace

bool has_signals(const model::Model& m) {
    if (!m.signals.empty() || !m.motors.empty()) return true;
    bool has = false;
    for_each_load(m, [&](const Expr& e, Position, const std::string&) { has = has || names_results(e); });
    if (has) return true;
    OnlyHere names(m);
    return std::ranges::any_of(m.outputs, [&](const Output& o) { return names.are_in(o.expression); }) ||
           std::ranges::any_of(m.events, [&](const model::Event& v) { return names.are_in(v.when); });
}

Resolved put_in_signals(const System& measured, const model::Model& model, Diagnostics& problems) {
    Resolved resolved{model, {}};
    model::Model& m = resolved.model;
    const sym::PoolScope scope(*m.pool);
    model::add_motor_forces(m);
    if (has_circle(m, problems)) return resolved;
    Meanings meaning(measured, m);
    std::vector<Expr> roots;
    model::for_each_expression(m, [&](const Expr& e) {
        if (!e.is_number()) roots.push_back(e);
    });
    std::vector<sym::Binding> bindings;
    for (const Expr& s : symbols_in(roots)) {
        if (s.symbol().role != Role::auxiliary) continue;
        const auto value = meaning(s);
        if (const auto known = value ? value : meaning.rate(s.symbol().name)) bindings.emplace_back(s, *known);
    }
    for (const model::Signal& s : m.signals) {
        Output output;
        output.name = s.symbol.symbol().name;
        output.expression = s.symbol;
        output.where = s.where;
        m.outputs.push_back(std::move(output));
    }
    m.signals.clear(), m.motors.clear(), m.filters.clear(), m.trajectories.clear();
    sym::Substitution put_in(bindings);
    for (const model::Constraint& c : m.constraints) resolved.held_points.push_back(held_points(m, c, put_in));
    model::for_each_expression(m, [&](Expr& e) { e = put_in(e); });
    complain(m, problems);
    return resolved;
}

}  // namespace linkwright::formulation
