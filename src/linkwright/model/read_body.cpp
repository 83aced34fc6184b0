// [[body]] and [ground].

#include <fmt/format.h>

#include "linkwright/model/reader.hpp"

namespace linkwright::model {

namespace {

/// The tables of `rotor`: one, or a list of them.
std::vector<const Value*> rotor_tables(const Value& body) {
    std::vector<const Value*> all;
    const Value* value = body.find("rotor");
    if (value == nullptr) return all;
    if (!value->is(Value::Kind::array)) return {value};
    for (const Value& item : value->items) all.push_back(&item);
    return all;
}

void define_points(Reader& r, const Value& table, const Scope& scope, Body& body) {
    if (!r.expect(table, Value::Kind::table, "points")) return;
    for (const Entry& entry : table.entries) {
        const auto at = r.vector(entry.value, use_geometry, scope, entry.key);
        if (entry.key == "origin" || entry.key == "com") {
            r.error(entry.where, fmt::format("every body already has a point {}", quoted(entry.key)), "choose another name");
        } else if (entry.key.find('.') != std::string::npos) {
            r.error(entry.where, fmt::format("the name of a point cannot have a dot: {}", quoted(entry.key)));
        } else if (r.check_name(entry.key, entry.where)) {
            body.points.push_back({entry.key, at.value_or(Vec3{}), {}});  // kept when wrong: its name is known
        }
    }
}

void define_rotor(Reader& r, const Value& table, const Scope& scope, Rotor& rotor) {
    if (!table.is(Value::Kind::table)) return;  // told when it was declared
    r.check_keys(table, "a rotor", {"axis", "inertia", "speed", "torque"});
    if (const Value* axis = r.required(table, "axis", "a rotor")) {
        rotor.axis = r.axis(*axis, scope, "axis").value_or(spatial::unit(2));
    }
    rotor.inertia = r.required_scalar(table, "inertia", use_geometry, scope, "a rotor");
    const bool is_held = table.find("speed") != nullptr, is_driven = table.find("torque") != nullptr;
    if (is_held == is_driven) {
        r.error(table.where, fmt::format("a rotor needs 'speed' or 'torque'{}", is_held ? ", not both" : ""),
                "with speed its spin is held constant, with torque it is a state");
    }
    if (is_held) rotor.speed = r.scalar(table, "speed", use_geometry, scope);
    if (is_driven) rotor.torque = r.scalar(table, "torque", use_force, scope);
}

}  // namespace

void define_inertia(Reader& r, const Value& value, const Scope& scope, Body& body) {
    const auto all = r.list(value, use_geometry, scope, "inertia");
    if (!all) return;
    const auto& I = *all;
    if (I.size() != 3 && I.size() != 6) {
        r.error(value.where, fmt::format("'inertia' must have 3 or 6 entries, not {}", I.size()),
                "3 principal moments, or xx yy zz xy xz yz");
        return;
    }
    body.inertia = spatial::diagonal(I[0], I[1], I[2]);
    if (I.size() == 3) return;
    Mat3& m = body.inertia;
    m[0][1] = m[1][0] = I[3];
    m[0][2] = m[2][0] = I[4];
    m[1][2] = m[2][1] = I[5];
}

void declare_body(Reader& r, Element& e) {
    const Value& table = *e.table;
    e.is_good = false;
    bool is_beam = false;
    if (const Value* type = table.find("type"); type != nullptr && r.expect(*type, Value::Kind::string, "type")) {
        is_beam = type->string == "beam";
        if (!is_beam && type->string != "rigid") {
            r.unknown("body type", type->string, type->content, [] { return std::vector<std::string>{"rigid", "beam"}; });
            return;
        }
    }
    if (!is_beam) r.check_keys(table, "a body", {"name", "type", "mass", "inertia", "com", "points", "rotor"});
    const auto name = r.required_name(e, "a body");
    if (!name) return;
    const Position where = table.find("name")->content;
    if (*name == "ground") {
        r.error(where, "the ground always exists and cannot be declared as a body", "give the ground points with [ground]");
        return;
    }
    const auto [at, is_new] = r.bodies.emplace(*name, r.model.bodies.size());
    if (!is_new) r.taken(*name, where, r.model.bodies[at->second].where);
    e.is_good = true;
    e.index = r.model.bodies.size();
    Body body;
    body.name = *name;
    body.where = where;
    if (is_beam) declare_beam(r, table, body, is_new);
    const auto tables = is_beam ? std::vector<const Value*>{} : rotor_tables(table);
    for (std::size_t i = 0; i < tables.size(); ++i) {
        Rotor rotor;
        rotor.where = tables[i]->where;
        if (r.expect(*tables[i], Value::Kind::table, "rotor") && tables[i]->find("torque") != nullptr && is_new) {
            const std::string spin = *name + ".rotor" + (tables.size() == 1 ? "" : std::to_string(i + 1));
            rotor.spin = r.new_symbol(spin, sym::Role::speed, rotor.where);
        }
        body.rotors.push_back(rotor);
    }
    r.model.bodies.push_back(std::move(body));
}

void define_body(Reader& r, const Element& e) {
    const Value& table = *e.table;
    if (r.model.bodies[e.index].beam) return define_beam(r, e);
    Body& body = r.model.bodies[e.index];
    body.mass = r.scalar(table, "mass", use_geometry, *e.scope);
    if (const Value* v = table.find("inertia")) define_inertia(r, *v, *e.scope, body);
    if (const Value* v = table.find("com")) body.com = r.vector(*v, use_geometry, *e.scope, "com").value_or(Vec3{});
    if (const Value* v = table.find("points")) define_points(r, *v, *e.scope, body);
    const auto tables = rotor_tables(table);
    for (std::size_t i = 0; i < tables.size(); ++i) define_rotor(r, *tables[i], *e.scope, body.rotors[i]);
}

void define_ground(Reader& r, const Value& table) {
    if (!r.expect(table, Value::Kind::table, "ground")) return;
    r.check_keys(table, "the ground", {"points"});
    if (const Value* v = table.find("points")) define_points(r, *v, r.file_scope, r.model.bodies[ground]);
}

}  // namespace linkwright::model
