#include "linkwright/session/units.hpp"

#include <array>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::session {

namespace {

using ByName = std::unordered_map<std::string, std::string>;

std::string find(const ByName& units, const std::string& name) {
    const auto at = units.find(name);
    return at == units.end() ? std::string() : at->second;
}

/// Of the generalized force that does work with a speed of this unit.
std::string force_with(const std::string& speed) { return speed == "rad/s" ? "N*m" : speed == "m/s" ? "N" : ""; }

/// Constraint forces: rows of cut joints hold points (.x) or attitudes (.rx), rods and contacts push.
ByName multiplier_units(const model::Model& m) {
    ByName units;
    for (const model::Joint& joint : m.joints) {
        for (const char* part : {".x", ".y", ".z"}) units[joint.name + part] = "N";
        for (const char* part : {".rx", ".ry", ".rz"}) units[joint.name + part] = "N*m";
    }
    for (const model::Rod& rod : m.rods) units[rod.name] = "N";
    for (const model::Rolling& rolling : m.rollings) {
        for (const char* part : {".normal", ".along", ".across"}) units[rolling.name + part] = "N";
    }
    return units;
}

void add_parts(ByName& units, const std::string& name, std::initializer_list<const char*> parts, const char* unit) {
    for (const char* part : parts) units[name + part] = unit;
}

ByName output_units(const model::Model& m) {
    using Kind = model::Output::Kind;
    ByName units;
    for (const auto& [name, unit] : speed_units(m)) {
        units[name] = unit;  // of cut joints
        if (name.ends_with('\'')) units[name.substr(0, name.size() - 1) + ".force"] = force_with(unit);
    }
    const auto coordinates = model::coordinate_units(m);
    for (const model::Joint& joint : m.joints) {
        for (const sym::Expr& q : joint.coordinates) units[q.symbol().name] = coordinates.at(q.id());
    }
    for (const model::Rod& rod : m.rods) units[rod.name + ".tension"] = "N";
    for (const model::Constraint& c : m.constraints) units[c.name + ".force"] = "";
    for (const model::Gear& gear : m.gears) units[gear.name + ".force"] = "";
    for (const model::Rolling& rolling : m.rollings) {
        add_parts(units, rolling.name, {".normal", ".along", ".across"}, "N");
        add_parts(units, rolling.name, {".point.x", ".point.y", ".point.z"}, "m");
    }
    for (const model::Output& o : m.outputs) {
        if (o.kind == Kind::position) add_parts(units, o.name, {".x", ".y", ".z"}, "m");
        if (o.kind == Kind::velocity) add_parts(units, o.name, {".x", ".y", ".z"}, "m/s");
        if (o.kind == Kind::acceleration) add_parts(units, o.name, {".x", ".y", ".z"}, "m/s^2");
        if (o.kind == Kind::reaction) add_parts(units, o.name, {".fx", ".fy", ".fz"}, "N");
        if (o.kind == Kind::reaction) add_parts(units, o.name, {".tx", ".ty", ".tz"}, "N*m");
        if (o.kind == Kind::expression) units[o.name] = "";
    }
    return units;
}

}  // namespace

std::string rate_of(const std::string& unit) {
    if (unit.empty()) return "";
    return unit.ends_with("/s") ? unit + "^2" : unit + "/s";
}

std::string with_unit(const std::string& name, const std::string& unit) { return unit.empty() ? name : name + " [" + unit + "]"; }

std::unordered_map<std::string, std::string> speed_units(const model::Model& m) {
    ByName units;
    for (const model::Joint& joint : m.joints) {
        for (const model::JointStep& step : model::joint_steps(joint)) {
            const bool travels = step.kind == model::StepKind::slide || step.kind == model::StepKind::place;
            for (std::size_t k = 0; k < model::speeds_of(step.kind); ++k)
                units[joint.speeds[step.speed + k].symbol().name] = travels ? "m/s" : "rad/s";
        }
    }
    const auto coordinates = model::coordinate_units(m);
    for (const model::Body& body : m.bodies) {
        for (const model::Rotor& rotor : body.rotors) {
            if (rotor.spin) units[rotor.spin->symbol().name] = "rad/s";
        }
        if (!body.beam) continue;
        const model::Elastic& e = body.beam->elastic;
        for (std::size_t i = 0; i < e.speeds.size(); ++i) units[e.speeds[i].symbol().name] = rate_of(coordinates.at(e.coordinates[i].id()));
    }
    return units;
}

std::unordered_map<std::string, std::string> units_by_name(const model::Model& m) {
    const auto si = [](const std::string& unit) { return unit.empty() ? unit : model::unit_factor(unit).si; };
    const sym::PoolScope scope(*m.pool);
    ByName units = output_units(m);
    units["t"] = "s";
    for (const auto& [name, unit] : speed_units(m)) units[name] = unit, units[name + "'"] = rate_of(unit);
    const auto coordinates = model::coordinate_units(m);
    for (const model::Body& body : m.bodies) {
        if (!body.beam) continue;
        for (const sym::Expr& q : body.beam->elastic.coordinates) units[q.symbol().name] = coordinates.at(q.id());
    }
    for (const auto& [name, unit] : multiplier_units(m)) units["lambda." + name] = unit;
    for (const model::Input& w : m.inputs) units[w.symbol.symbol().name] = si(w.unit);
    for (const model::AuxiliaryState& x : m.states) units[x.symbol.symbol().name] = si(x.unit);
    for (const model::Signal& x : m.signals) units[x.symbol.symbol().name] = si(x.unit);
    for (const char* name : {"energy.kinetic", "energy.potential", "energy.total", "energy.error"}) units[name] = "J";
    for (const char axis : {'x', 'y', 'z'}) {
        units[std::string("momentum.linear.") + axis] = "N*s";
        units[std::string("momentum.angular.") + axis] = "N*m*s";
    }
    return units;
}

std::vector<std::string> units_for(const std::vector<std::string>& names, const model::Model& m) {
    const ByName units = units_by_name(m);
    std::vector<std::string> all;
    for (const std::string& name : names) all.push_back(find(units, name));
    return all;
}

Units units_of(const eom::EquationsOfMotion& e, const model::Model& m) {
    Units r{.coordinates = e.q_units,
            .speeds = {},
            .accelerations = {},
            .auxiliary = e.x_units,
            .inputs = {},
            .outputs = {},
            .forcing = {},
            .multipliers = {}};
    const ByName speeds = speed_units(m), outputs = output_units(m), multipliers = multiplier_units(m);
    for (const sym::Expr& u : e.u) {
        r.speeds.push_back(find(speeds, u.symbol().name));
        r.accelerations.push_back(rate_of(r.speeds.back()));
        r.forcing.push_back(force_with(r.speeds.back()));
    }
    for (const eom::Input& w : e.inputs) r.inputs.push_back(w.unit);
    for (const eom::Output& o : e.outputs) r.outputs.push_back(find(outputs, o.name));
    for (const eom::Constraint& c : e.constraints) r.multipliers.push_back(find(multipliers, c.name));
    return r;
}

}  // namespace linkwright::session
