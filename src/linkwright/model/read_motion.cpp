// [[motion]] [speeds] [initial] [guess].

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/model/affine.hpp"
#include "linkwright/model/reader.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::model {

namespace {

void define_joint_motion(Reader& r, const Element& e) {
    r.check_keys(*e.table, "the motion of a joint", {"joint", "translation", "rotate", "by"});
    const auto index = r.joint(*e.table->find("joint"), *e.scope, "joint");
    if (!index) return;
    JointMotion m;
    m.joint = *index;
    m.where = e.table->where;
    const Joint& joint = r.model.joints[*index];
    if (!quaternion_at(joint.type)) {
        r.error(e.table->find("joint")->content,
                fmt::format("{} is a {} joint: its coordinates are moved one by one", quoted(joint.name), to_string(joint.type)),
                "write coordinate = .. and equals = ..");
        return;
    }
    for (const Expr& q : joint.coordinates) {
        if (const auto [at, is_new] = r.moved.emplace(q.id(), m.where); !is_new) {
            r.error(m.where, fmt::format("the joint {} has a motion already", quoted(joint.name)),
                    fmt::format("it is given at {}:{}", at->second.line, at->second.column));
            break;
        }
    }
    for (const Expr& u : joint.speeds) r.moved.emplace(u.id(), m.where);
    if (const Value* v = e.table->find("translation")) {
        const std::size_t travels = *quaternion_at(joint.type);
        if (travels == 0) {
            r.error(v->where, fmt::format("a {} joint has no translation", to_string(joint.type)));
        } else if (travels == 1) {
            m.translation[0] = r.expression(*v, use_signal, *e.scope, "translation").value_or(0);
        } else {
            m.translation = r.vector(*v, use_signal, *e.scope, "translation").value_or(Vec3{});
        }
    }
    if (e.table->find("rotate") != nullptr || e.table->find("by") != nullptr) {
        if (auto turns = r.turns(*e.table, *e.scope, use_signal, "the motion of a joint")) {
            m.axes = std::move(turns->axes);
            m.angles = std::move(turns->angles);
        }
    }
    r.model.joint_motions.push_back(std::move(m));
}

/// A coordinate, a speed, a spin: whatever may have a value at the beginning.
void define_value(Reader& r, const std::string& name, Position where, const Entry& entry, const Element& e) {
    const Named* named = r.find(name, *e.scope);
    const bool has_value = named != nullptr && (named->kind & use_state) != 0;
    const char* section = e.kind == Kind::initial ? "initial" : "guess";
    if (!has_value) {
        r.unknown("coordinate or speed", name, where, [&] { return r.names_for(use_state, *e.scope); });
    }
    const auto value = r.expression(entry.value, use_parameters, *e.scope, name);
    if (!has_value || !value || !named->symbol) return;
    if (const auto at = r.moved.find(named->symbol->id()); at != r.moved.end()) {
        r.error(where, fmt::format("{} has a given motion and cannot have a value in [{}]", quoted(name), section),
                fmt::format("its motion is given at {}:{}", at->second.line, at->second.column));
        return;
    }
    if (named->kind == use_states && e.kind == Kind::guess) {
        r.error(where, fmt::format("{} is a state of a motor or filter: assembly does not move it", quoted(name)),
                "write it under [initial]");
        return;
    }
    auto& valued = e.kind == Kind::initial ? r.with_initial : r.with_guess;
    if (const auto [at, is_new] = valued.emplace(named->symbol->id(), where); !is_new) {
        r.error(where, fmt::format("{} has a value in [{}] already", quoted(name), section),
                fmt::format("it is given at {}:{}", at->second.line, at->second.column));
        return;
    }
    if (e.kind == Kind::guess && r.with_initial.contains(named->symbol->id())) {
        r.warning(where, fmt::format("the guess of {} is not used: it has a value in [initial]", quoted(name)));
    }
    (e.kind == Kind::initial ? r.model.initial : r.model.guess).push_back({*named->symbol, *value, where});
}

/// `fly.wx = 1` is a table in a table.
void define_values(Reader& r, const std::string& prefix, std::optional<Position> start, const Value& table, const Element& e) {
    for (const Entry& entry : table.entries) {
        if (prefix.empty() && entry.key == "assemble" && e.kind == Kind::initial && r.find(entry.key, *e.scope) == nullptr) {
            if (!r.expect(entry.value, Value::Kind::string, "assemble")) continue;
            if (entry.value.string == "elastic")
                r.model.elastic_assembles = true;
            else
                r.unknown("assemble", entry.value.string, entry.value.content, [] { return std::vector<std::string>{"elastic"}; });
            continue;
        }
        const Position where = start && start->line == entry.where.line ? *start : entry.where;
        if (entry.value.is(Value::Kind::table)) {
            define_values(r, prefix + entry.key + ".", where, entry.value, e);
        } else {
            define_value(r, prefix + entry.key, where, entry, e);
        }
    }
}

}  // namespace

void define_motion(Reader& r, const Element& e) {
    if (e.table->find("joint") != nullptr) {
        define_joint_motion(r, e);
        return;
    }
    r.check_keys(*e.table, "a motion", {"coordinate", "equals", "joint"});
    const Value* name = r.required(*e.table, "coordinate", "a motion");
    Motion m;
    m.where = e.table->where;
    m.equals = r.required_scalar(*e.table, "equals", use_signal, *e.scope, "a motion");
    if (name == nullptr) return;
    const auto q = r.coordinate(*name, *e.scope, "coordinate");
    if (!q) return;
    m.coordinate = *q;
    if (q->symbol().quaternion >= 0) {
        r.error(name->content, fmt::format("{} is one of four Euler parameters and cannot move alone", quoted(name->string)),
                "write joint = .., rotate = [..], by = [..]");
    }
    if (const auto [at, is_new] = r.moved.emplace(q->id(), m.where); !is_new) {
        r.error(name->content, fmt::format("{} has a motion already", quoted(name->string)),
                fmt::format("it is given at {}:{}", at->second.line, at->second.column));
    }
    if (const Named* speed = r.find(name->string + "'", *e.scope); speed != nullptr && speed->symbol) {
        r.moved.emplace(speed->symbol->id(), m.where);
    }
    r.model.motions.push_back(m);
}

void declare_speeds(Reader& r, const Value& table) {
    for (const Entry& entry : table.entries) {
        if (!r.check_name(entry.key, entry.where)) continue;
        const auto symbol = r.new_symbol(entry.key, sym::Role::speed, entry.where);
        if (!symbol) continue;
        UserSpeed s;
        s.symbol = *symbol;
        s.where = entry.where;
        r.model.speeds.push_back(s);
    }
}

void define_speeds(Reader& r, const Value& table) {
    std::unordered_map<sym::NodeId, bool> is_own;
    for (const UserSpeed& s : r.model.speeds) is_own[s.symbol.id()] = true;
    auto speed = r.model.speeds.begin();
    for (const Entry& entry : table.entries) {
        const auto definition = r.expression(entry.value, use_velocity, r.file_scope, entry.key);
        if (speed == r.model.speeds.end() || speed->where != entry.where) continue;  // its name was refused
        if (definition) {
            speed->definition = *definition;
            const auto symbols = symbols_in(*definition);
            const auto own = std::ranges::find_if(symbols, [&](const Expr& s) { return is_own.contains(s.id()); });
            if (own != symbols.end()) {
                r.error(entry.value.content,
                        fmt::format("{} is defined by {}, which is itself defined here", quoted(entry.key), quoted(own->symbol().name)),
                        "use rates of coordinates: hip'");
            } else if (!is_affine(*definition, sym::Role::speed)) {
                r.error(entry.value.content, fmt::format("{} must be linear in the speeds, up to a constant", quoted(entry.key)));
            }
        }
        ++speed;
    }
}

void define_initial(Reader& r, const Element& e) { define_values(r, "", std::nullopt, *e.table, e); }

}  // namespace linkwright::model
