// [[joint]].

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linkwright/base/text.hpp"
#include "linkwright/model/joint_parts.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/reader.hpp"

namespace linkwright::model {

namespace {

bool has_one_axis(JointType type) { return pattern_of(type).key == AxesKey::axis; }
bool has_axes(JointType type) { return pattern_of(type).key == AxesKey::axes || pattern_of(type).key == AxesKey::some; }
bool has_pitch(JointType type) {
    return std::ranges::any_of(pattern_of(type).steps(), [](const StepPattern& s) { return s.kind == StepKind::screw; });
}
/// Whether a spring has a coordinate to act on.
bool has_rates(JointType type) {
    return std::ranges::any_of(pattern_of(type).steps(), [](const StepPattern& s) { return coordinates_of(s.kind) == 1; });
}

/// Keys that are known but mean nothing for this type.
void check_keys_of_type(Reader& r, const Value& table, JointType type) {
    const bool moves = pattern_of(type).count > 0;
    const auto refuse = [&](std::string_view key, std::string hint = {}) {
        const Entry* entry = table.find_entry(key);
        if (entry == nullptr) return;
        r.error(entry->where, fmt::format("'{}' does not apply to a {} joint", key, to_string(type)), std::move(hint));
    };
    if (!has_one_axis(type)) refuse("axis", has_axes(type) ? "write axes = [..]" : "");
    if (!has_axes(type)) refuse("axes", has_one_axis(type) ? "write axis = .." : "");
    if (!has_pitch(type)) refuse("pitch", "only a screw has a pitch");
    for (const char* key : {"coordinates", "speeds", "stiffness", "rest", "damping", "actuator", "armature"}) {
        if (!moves) refuse(key, "a weld has no degree of freedom");
    }
    if (moves && !has_rates(type)) {
        for (const char* key : {"stiffness", "rest"}) {
            refuse(key, with_axes(type) != type ? "there are no springs on quaternions: use [[spring]], or give the joint axes"
                                                : "there are no springs on quaternions: use [[spring]], or a gimbal joint");
        }
    }
}

/// The names of `coordinates` or `speeds`; empty when absent or wrong.
std::vector<std::string> read_names(Reader& r, const Element& e, std::string_view key, std::size_t count) {
    const Value* value = e.table->find(key);
    if (value == nullptr || !r.expect(*value, Value::Kind::array, key)) return {};
    if (value->items.size() != count) {
        r.error(value->where, fmt::format("'{}' must have {} names, not {}", key, count, value->items.size()));
        return {};
    }
    std::vector<std::string> names;
    for (const Value& item : value->items) {
        if (!r.expect(item, Value::Kind::string, key) || !r.check_name(item.string, item.content)) return {};
        names.push_back(e.scope->prefix + item.string);
    }
    return names;
}

/// x y z for axes that are different letters, 1 2 3 otherwise.
std::vector<std::string> translation_names(const Value* axes) {
    if (axes == nullptr || !axes->is(Value::Kind::array)) return {"x", "y", "z"};
    std::vector<std::string> names;
    bool are_letters = axes->items.size() <= 3;
    for (const Value& item : axes->items) {
        const std::string letter = item.string.starts_with('-') || item.string.starts_with('+') ? item.string.substr(1) : item.string;
        const bool is_new = std::ranges::find(names, letter) == names.end();
        are_letters = are_letters && is_new && (letter == "x" || letter == "y" || letter == "z");
        if (are_letters) names.push_back(letter);
    }
    if (are_letters) return names;
    names.clear();
    for (std::size_t i = 0; i < axes->items.size(); ++i) names.push_back(std::to_string(i + 1));
    return names;
}

/// One end: its body, and where the joint stands in it.
struct End {
    std::optional<BodyIndex> body;
    Vec3 at;
};

End read_end(Reader& r, const Element& e, const std::string& side) {
    End end;
    const Value* name = r.required(*e.table, side, "a joint");
    if (name == nullptr) return end;
    end.body = r.body(*name, *e.scope, side);
    if (!end.body) return end;
    if (const Scope::Port* port = e.scope->port(name->string)) end.at = port->point->at;
    const Value* at = e.table->find(side + "_at");
    if (at == nullptr) return end;
    const auto put = [&](const std::optional<PointOf>& point) {
        if (point) end.body = point->body, end.at = point->at;
    };
    if (at->is(Value::Kind::string)) {
        put(r.find_point_of(*end.body, at->string, at->content));
    } else if (at->is(Value::Kind::table) && r.model.bodies[*end.body].beam) {
        put(point_on_beam(r, *end.body, *at, *e.scope, fmt::format("at{}", r.model.bodies.size())));
    } else if (r.model.bodies[*end.body].beam) {
        r.error(at->where, fmt::format("'{}_at' on a beam must be a point of it", side),
                "a beam bends: write \"tip\", or { at = \"0.5*L\" }");
    } else {
        end.at = r.vector(*at, use_geometry, *e.scope, side + "_at").value_or(Vec3{});
    }
    return end;
}

void define_axes(Reader& r, const Element& e, Joint& joint) {
    joint.axes = default_axes(joint.type);
    if (has_one_axis(joint.type)) {
        const Value* value = e.table->find("axis");
        if (value == nullptr) return;
        if (const auto axis = r.axis(*value, *e.scope, "axis")) joint.axes = {*axis};
        if (const auto problem = problem_of_axes(joint.type, joint.axes)) {
            r.error(value->where, *problem, "turn the joint axes with both_axes");
        }
    } else if (const Value* value = e.table->find("axes"); value != nullptr && has_axes(joint.type)) {
        const auto axes = r.axis_list(*value, *e.scope, "axes");
        if (!axes) return;
        const bool may_have_fewer = pattern_of(joint.type).key == AxesKey::some;
        const std::size_t most = joint.axes.size();
        if (axes->size() > most || axes->empty() || (axes->size() < most && !may_have_fewer)) {
            r.error(value->where, fmt::format("'axes' of a {} joint must have {} axes, not {}", to_string(joint.type),
                                              may_have_fewer ? "1 to 3" : std::to_string(most), axes->size()));
            return;
        }
        joint.axes = *axes;
        if (const auto problem = problem_of_axes(joint.type, joint.axes)) r.error(value->where, *problem);
    }
}

/// Scalars for every freedom, or lists in the order of the speeds.
void define_forces(Reader& r, const Element& e, Joint& joint) {
    constexpr std::array<std::pair<const char*, Expr JointForce::*>, 4> parts{{{"stiffness", &JointForce::stiffness},
                                                                               {"rest", &JointForce::rest},
                                                                               {"damping", &JointForce::damping},
                                                                               {"actuator", &JointForce::actuator}}};
    std::vector<JointForce> forces(joint.speeds.size());
    bool acts = false;
    for (const auto& [key, part] : parts) {
        const Value* value = e.table->find(key);
        if (value == nullptr) continue;
        acts = true;
        const bool is_of_spring = part == &JointForce::stiffness || part == &JointForce::rest;
        const auto may_act = [&](std::size_t i) { return !is_of_spring || is_rate(joint.type, i); };
        if (!value->is(Value::Kind::array)) {
            const Expr x = r.expression(*value, use_force, *e.scope, key).value_or(0);
            for (std::size_t i = 0; i < forces.size(); ++i) {
                if (may_act(i)) forces[i].*part = x;
            }
            continue;
        }
        if (value->items.size() != forces.size()) {
            r.error(value->where, fmt::format("'{}' must have {} entries, not {}", key, forces.size(), value->items.size()),
                    "one for each speed, in their order");
        }
        if (const auto all = r.list(*value, use_force, *e.scope, key)) {
            for (std::size_t i = 0; i < std::min(all->size(), forces.size()); ++i) {
                if (may_act(i)) {
                    forces[i].*part = (*all)[i];
                } else if (has_rates(joint.type) && !(*all)[i].is_literally(0)) {
                    r.error(value->items[i].where, fmt::format("'{}' along {} must be 0", key, quoted(joint.speeds[i].symbol().name)),
                            "there are no springs on quaternions: use [[spring]]");
                }
            }
        }
    }
    if (e.table->find("rest") != nullptr && e.table->find("stiffness") == nullptr) {
        r.warning(e.table->find_entry("rest")->where, "'rest' does nothing without 'stiffness'");
    }
    if (acts) joint.forces = std::move(forces);
}

/// One inertia for every speed, or a list in their order.
void define_armature(Reader& r, const Element& e, Joint& joint) {
    const Value* value = e.table->find("armature");
    const std::size_t n = joint.speeds.size();
    if (value == nullptr || n == 0) return;
    if (!value->is(Value::Kind::array)) {
        if (const auto a = r.expression(*value, use_geometry, *e.scope, "armature")) joint.armature.assign(n, *a);
        return;
    }
    if (value->items.size() != n) {
        r.error(value->where, fmt::format("'armature' must have {} entries, not {}", n, value->items.size()),
                "one for each speed, in their order");
        return;
    }
    if (auto all = r.list(*value, use_geometry, *e.scope, "armature")) joint.armature = std::move(*all);
}

}  // namespace

void declare_joint(Reader& r, Element& e) {
    const Value& table = *e.table;
    e.is_good = false;
    r.check_keys(table, "a joint", {"name",      "type",        "parent",     "child",     "parent_at", "child_at",    "axis",
                                    "axes",      "parent_axes", "child_axes", "both_axes", "pitch",     "coordinates", "speeds",
                                    "stiffness", "rest",        "damping",    "actuator",  "armature",  "cut"});
    const auto name = r.required_name(e, "a joint");
    const Value* type_value = r.required(table, "type", "a joint");
    if (type_value == nullptr || !r.expect(*type_value, Value::Kind::string, "type")) return;
    auto type = joint_type(type_value->string);
    if (!type) {
        r.unknown("joint type", type_value->string, type_value->content, joint_type_names);
        if (const auto meant = did_you_mean(type_value->string, joint_type_names()))
            type = joint_type(*meant);  // so that the rest is looked at too
    }
    if (!type || !name) return;
    if (table.find("axes") != nullptr) type = with_axes(*type);

    const Position where = table.find("name")->content;
    const auto [at, is_new] = r.joints.emplace(*name, r.model.joints.size());
    if (!is_new) r.taken(*name, where, r.model.joints[at->second].where);
    e.is_good = true;
    e.index = r.model.joints.size();
    Joint joint;
    joint.name = *name;
    joint.type = *type;
    joint.where = where;
    check_keys_of_type(r, table, *type);

    const JointNames defaults = joint_names(*type, *name, translation_names(table.find("axes")));
    const JointNames names = pattern_of(*type).count == 0
                                 ? JointNames{}
                                 : renamed(*type, defaults, read_names(r, e, "coordinates", defaults.coordinates.size()),
                                           read_names(r, e, "speeds", defaults.speeds.size()));
    bool are_new = is_new;  // a second joint of the same name has been told of
    for (const std::string& q : names.coordinates) are_new = are_new && r.declare(q, {use_coordinates, where, std::nullopt});
    for (const std::string& u : names.speeds) are_new = are_new && r.declare(u, {use_speeds, where, std::nullopt});
    if (are_new) {
        make_symbols(joint, names, *r.model.pool);
        for (std::size_t i = 0; i < names.coordinates.size(); ++i) r.names.at(names.coordinates[i]).symbol = joint.coordinates[i];
        for (std::size_t i = 0; i < names.speeds.size(); ++i) r.names.at(names.speeds[i]).symbol = joint.speeds[i];
        for (std::size_t i = 0; i < names.speeds.size(); ++i) {
            if (!is_rate(*type, i)) continue;
            const std::string rate = names.coordinates[i] + "'";  // also when the speed has another name
            if (rate != names.speeds[i]) r.declare(rate, {use_speeds, where, joint.speeds[i]});
        }
    }
    r.model.joints.push_back(std::move(joint));
}

void define_joint(Reader& r, const Element& e) {
    const Value& table = *e.table;
    const End parent = read_end(r, e, "parent"), child = read_end(r, e, "child");  // may add sections, which are joints
    Joint& joint = r.model.joints[e.index];
    joint.parent = parent.body.value_or(ground);
    joint.child = child.body.value_or(ground);
    joint.parent_at = parent.at;
    joint.child_at = child.at;
    if (parent.body && child.body && *parent.body == *child.body) {
        r.error(table.find("child")->where, fmt::format("the joint connects {} to itself", quoted(r.model.bodies[*child.body].name)),
                "name another child");
    }
    define_axes(r, e, joint);
    if (const Value* both = table.find("both_axes")) {
        for (const char* key : {"parent_axes", "child_axes"}) {
            if (const Entry* other = table.find_entry(key)) {
                r.error(other->where, fmt::format("'{}' cannot be combined with 'both_axes'", key));
            }
        }
        if (const auto R = r.axes(*both, *e.scope, "both_axes")) joint.parent_axes = joint.child_axes = *R;
    } else {
        if (const Value* v = table.find("parent_axes")) joint.parent_axes = r.axes(*v, *e.scope, "parent_axes").value_or(Rotation());
        if (const Value* v = table.find("child_axes")) joint.child_axes = r.axes(*v, *e.scope, "child_axes").value_or(Rotation());
    }
    if (has_pitch(joint.type)) joint.pitch = r.required_scalar(table, "pitch", use_geometry, *e.scope, "a screw joint");
    define_forces(r, e, joint);
    define_armature(r, e, joint);
    if (const Value* cut = table.find("cut"); cut != nullptr && r.expect(*cut, Value::Kind::boolean, "cut")) joint.cut = cut->boolean;
}

}  // namespace linkwright::model
