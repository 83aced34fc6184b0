// [[spring]] [[force]] [[torque]] [[rod]] [[constraint]] [[gear]] [[event]].

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "linkwright/model/affine.hpp"
#include "linkwright/model/point_name.hpp"
#include "linkwright/model/reader.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::model {

namespace {

PointOf required_point(Reader& r, const Element& e, std::string_view key, std::string_view thing) {
    const Value* value = r.required(*e.table, key, thing);
    if (value == nullptr) return {};
    return r.point(*value, *e.scope, key).value_or(PointOf{});
}

/// From one point of the mechanism to another: both ends given, and different.
void read_ends(Reader& r, const Element& e, std::string_view thing, PointOf& from, PointOf& to) {
    from = required_point(r, e, "from", thing);
    to = required_point(r, e, "to", thing);
    const bool is_same = !from.name.empty() && !to.name.empty() && from.body == to.body;
    if (!is_same) return;
    r.error(e.table->find("to")->where, fmt::format("{} has both ends on {}", thing, quoted(r.model.bodies[to.body].name)));
}

BodyIndex optional_body(Reader& r, const Element& e, std::string_view key) {
    const Value* value = e.table->find(key);
    return value == nullptr ? ground : r.body(*value, *e.scope, key).value_or(ground);
}

Vec3 required_vector(Reader& r, const Element& e, std::string_view thing) {
    const Value* value = r.required(*e.table, "vector", thing);
    return value == nullptr ? Vec3{} : r.vector(*value, use_force, *e.scope, "vector").value_or(Vec3{});
}

}  // namespace

void declare_spring(Reader& r, const Element& e) {
    const Value* name = e.table->find("name");
    if (name == nullptr || !name->is(Value::Kind::string)) return;
    const std::string full = e.scope->prefix + name->string;
    for (const char* part : {".length", ".rate"}) {
        const auto [at, is_new] = r.names.emplace(full + part, Named{use_results, name->content, std::nullopt, true});
        if (is_new) continue;
        // of two springs with one name the second is told of when it is defined
        const bool is_spring = std::ranges::any_of(r.elements, [&](const Element& other) {
            const Value* called = other.kind == Kind::spring && &other != &e ? other.table->find("name") : nullptr;
            return called != nullptr && called->content == at->second.where && other.scope->prefix + called->string == full;
        });
        if (!is_spring) r.taken(full + part, name->content, at->second.where);
    }
}

void define_spring(Reader& r, const Element& e) {
    r.check_keys(*e.table, "a spring", {"name", "from", "to", "stiffness", "damping", "rest", "actuator"});
    Spring s;
    s.name = r.optional_name(e, "spring");
    s.where = e.table->where;
    read_ends(r, e, "a spring", s.from, s.to);
    s.stiffness = r.scalar(*e.table, "stiffness", use_force, *e.scope);
    s.damping = r.scalar(*e.table, "damping", use_force, *e.scope);
    s.rest = r.scalar(*e.table, "rest", use_force, *e.scope);
    s.actuator = r.scalar(*e.table, "actuator", use_force, *e.scope);
    r.model.springs.push_back(std::move(s));
}

void define_force(Reader& r, const Element& e) {
    r.check_keys(*e.table, "a force", {"name", "on", "vector", "in", "from"});
    Force f;
    f.name = r.optional_name(e, "force");
    f.where = e.table->where;
    f.on = required_point(r, e, "on", "a force");
    f.vector = required_vector(r, e, "a force");
    f.in = optional_body(r, e, "in");
    if (const Value* from = e.table->find("from")) f.from = r.point(*from, *e.scope, "from");
    r.model.forces.push_back(std::move(f));
}

void define_torque(Reader& r, const Element& e) {
    r.check_keys(*e.table, "a torque", {"name", "on", "vector", "in", "from"});
    Torque t;
    t.name = r.optional_name(e, "torque");
    t.where = e.table->where;
    if (const Value* on = r.required(*e.table, "on", "a torque")) t.on = r.body(*on, *e.scope, "on").value_or(ground);
    t.vector = required_vector(r, e, "a torque");
    t.in = optional_body(r, e, "in");
    if (const Value* from = e.table->find("from")) t.from = r.body(*from, *e.scope, "from");
    r.model.torques.push_back(std::move(t));
}

void declare_rod(Reader& r, Element& e) {
    Rod rod;
    rod.name = r.optional_name(e, "rod");
    rod.where = e.table->where;
    r.declare(rod.name + ".tension", {use_results, rod.where, std::nullopt});
    e.index = r.model.rods.size();
    r.model.rods.push_back(std::move(rod));
}

void define_rod(Reader& r, const Element& e) {
    r.check_keys(*e.table, "a rod", {"name", "from", "to", "length"});
    Rod& rod = r.model.rods[e.index];
    read_ends(r, e, "a rod", rod.from, rod.to);
    rod.length = r.required_scalar(*e.table, "length", use_signal, *e.scope, "a rod");
}

namespace {

/// A row for `rows` with nothing but its name, whose force outputs may use.
template <class Row>
void declare_row(Reader& r, Element& e, std::vector<Row>& rows, std::string_view kind) {
    Row row;
    row.name = r.optional_name(e, kind);
    row.where = e.table->where;
    r.declare(row.name + ".force", {use_results, row.where, std::nullopt});
    e.index = rows.size();
    rows.push_back(std::move(row));
}

}  // namespace

namespace {

constexpr auto use_held_positions = static_cast<Use>(use_position | use_results);
constexpr auto use_held_velocities = static_cast<Use>(use_velocity | use_results);

/// Of all results a constraint may name where points are; a nonholonomic one also how fast they go.
void check_points(Reader& r, const Value& value, const Constraint& c) {
    for (const Expr& s : symbols_in(c.expression)) {
        if (s.symbol().role != sym::Role::auxiliary) continue;
        const auto [name, primes] = without_primes(s.symbol().name);
        if (r.component_of_point(name, r.file_scope) && primes <= (c.is_holonomic ? 0U : 1U)) continue;
        const auto is_trajectory = [&](std::string_view word) {
            const Named* named = r.find(word, r.file_scope);
            return named != nullptr && (named->kind & use_trajectories) != 0;
        };
        if (is_trajectory(s.symbol().name) || is_trajectory(name)) continue;
        r.error(value.content,
                fmt::format("{} cannot be used in {}", quoted(s.symbol().name), quoted(c.is_holonomic ? "holonomic" : "nonholonomic")),
                c.is_holonomic
                    ? "a position constraint may use coordinates, points (hub.z), trajectories and t"
                    : "a constraint of velocities may use coordinates, speeds, points and their rates (hub.z'), trajectories and t");
    }
}

/// The rate of a point is linear in the speeds: it counts as one of them.
Expr with_speeds_for_rates(const Expr& e) {
    std::vector<sym::Binding> speeds;
    for (const Expr& s : symbols_in(e)) {
        const std::string& name = s.symbol().name;
        if (s.symbol().role == sym::Role::auxiliary && name.ends_with('\''))
            speeds.emplace_back(s, e.pool().symbol(std::string(without_primes(name).of) + ".as_speed", sym::Role::speed));
    }
    return speeds.empty() ? e : sym::Substitution(speeds)(e);
}

}  // namespace

void declare_constraint(Reader& r, Element& e) { declare_row(r, e, r.model.constraints, "constraint"); }
void declare_gear(Reader& r, Element& e) { declare_row(r, e, r.model.gears, "gear"); }

void define_constraint(Reader& r, const Element& e) {
    r.check_keys(*e.table, "a constraint", {"name", "holonomic", "nonholonomic"});
    Constraint& c = r.model.constraints[e.index];
    const Value* holonomic = e.table->find("holonomic");
    const Value* nonholonomic = e.table->find("nonholonomic");
    if ((holonomic == nullptr) == (nonholonomic == nullptr)) {
        r.error(e.table->where,
                fmt::format("a constraint needs 'holonomic' or 'nonholonomic'{}", holonomic != nullptr ? ", not both" : ""));
        return;
    }
    c.is_holonomic = holonomic != nullptr;
    if (c.is_holonomic) {
        c.expression = r.expression(*holonomic, use_held_positions, *e.scope, "holonomic").value_or(0);
        check_points(r, *holonomic, c);
    } else if (const auto expression = r.expression(*nonholonomic, use_held_velocities, *e.scope, "nonholonomic")) {
        c.expression = *expression;
        check_points(r, *nonholonomic, c);
        if (!is_affine(with_speeds_for_rates(c.expression), sym::Role::speed)) {
            r.error(nonholonomic->content, "a nonholonomic constraint must be linear in the speeds, up to a constant");
        }
    }
}

void define_gear(Reader& r, const Element& e) {
    r.check_keys(*e.table, "a gear", {"name", "drive", "driven", "ratio"});
    Gear& g = r.model.gears[e.index];
    const Value* drive = r.required(*e.table, "drive", "a gear");
    const Value* driven = r.required(*e.table, "driven", "a gear");
    if (drive != nullptr) g.drive = r.coordinate(*drive, *e.scope, "drive").value_or(0);
    if (driven != nullptr) g.driven = r.coordinate(*driven, *e.scope, "driven").value_or(0);
    if (driven != nullptr && g.drive.is_symbol() && g.drive == g.driven) {
        r.error(driven->where, "a gear needs two different coordinates");
    }
    g.ratio = r.required_scalar(*e.table, "ratio", use_geometry, *e.scope, "a gear");
}

void define_event(Reader& r, const Element& e) {
    r.check_keys(*e.table, "an event", {"name", "when", "direction", "action"});
    Event event;
    event.name = r.optional_name(e, "event");
    event.where = e.table->where;
    event.when = r.required_scalar(*e.table, "when", use_event, *e.scope, "an event");
    const Value* when = e.table->find("when");
    if (when != nullptr && event.when.is_number())
        r.error(when->where, "this never crosses zero", "write an expression of coordinates, speeds, inputs, t or outputs");
    const auto choose = [&](const char* key, std::initializer_list<std::string_view> words) -> std::size_t {
        const Value* value = e.table->find(key);
        const auto given = r.string(*e.table, key);
        if (!given) return 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (*given == words.begin()[i]) return i;
        }
        r.error(value->where, fmt::format("{} is not a {}", quoted(*given), key), fmt::format("write one of {}", fmt::join(words, ", ")));
        return 0;
    };
    event.direction = std::array{Crossing::both, Crossing::up, Crossing::down}[choose("direction", {"both", "rising", "falling"})];
    event.stops = choose("action", {"record", "stop"}) == 1;
    r.model.events.push_back(std::move(event));
}

}  // namespace linkwright::model
