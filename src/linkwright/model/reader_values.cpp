// Values of the file as expressions, vectors, axes, points.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/reader.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/spatial/exact.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::model {

namespace {

std::string_view describe(Use kind) {
    switch (kind) {
        case use_parameters: return "a parameter";
        case use_inputs: return "an input";
        case use_time: return "the time";
        case use_coordinates: return "a coordinate";
        case use_speeds: return "a speed";
        case use_accelerations: return "an acceleration";
        case use_states: return "a state";
        case use_trajectories: return "a trajectory";
        case use_nothing: return "an output with several parts";
        default: return "a result";
    }
}

/// "parameters, t and coordinates may be used here"
std::string what_may_stand(Use use) {
    constexpr std::array<std::pair<Use, std::string_view>, 7> kinds{{{use_parameters, "parameters"},
                                                                     {use_inputs, "inputs"},
                                                                     {use_time, "t"},
                                                                     {use_coordinates, "coordinates"},
                                                                     {use_speeds, "speeds"},
                                                                     {use_accelerations, "accelerations"},
                                                                     {use_results, "results"}}};
    std::vector<std::string_view> may;
    for (const auto& [kind, word] : kinds) {
        const bool are_points = kind == use_results && (use & use_inputs) == 0;  // in constraints
        if ((use & kind) != 0) may.push_back(are_points ? "points" : word);
    }
    std::string s;
    for (std::size_t i = 0; i < may.size(); ++i) {
        if (i > 0) s += i + 1 == may.size() ? " and " : ", ";
        s += may[i];
    }
    return "only " + s + " may be used here";
}

bool has_results(const Expr& e) {
    return std::ranges::any_of(symbols_in(e), [](const Expr& s) { return s.symbol().role == sym::Role::auxiliary; });
}

}  // namespace

std::optional<Expr> Reader::expression(const Value& value, Use use, const Scope& scope, std::string_view key) {
    if (value.is(Value::Kind::integer)) return Expr(value.integer);
    if (value.is(Value::Kind::real)) {
        if (std::isfinite(value.real)) return Expr(value.real);
        error(value.where, fmt::format("{} must be a finite number", quoted(key)));
        return std::nullopt;
    }
    if (!value.is(Value::Kind::string)) {
        error(value.where, fmt::format("{} must be a number or an expression, not {}", quoted(key), model::describe(value.kind)),
              value.is(Value::Kind::boolean) ? "write 0 or 1" : "");
        return std::nullopt;
    }
    const std::string_view text = value.string;
    Use ignored{};
    if (const auto quantity = number_with_unit(text); quantity && !meaning(quantity->unit, scope, ignored)) {
        error(value.content, fmt::format("{} has a unit in its expression", quoted(key)),
              fmt::format("numbers are in SI units; a parameter may be {{ value = {}, unit = \"{}\" }}", quantity->digits, quantity->unit));
        return std::nullopt;
    }
    bool is_good = true;
    const auto find_name = [&](std::string_view name) -> std::optional<Expr> {
        Use kind{};
        auto symbol = meaning(name, scope, kind);
        if (!symbol) return symbol;
        Position where = position_at(text, static_cast<std::size_t>(name.data() - text.data()));
        if (where.line == 1) where.column += value.content.column - 1;
        where.line += value.content.line - 1;
        if ((kind & use) != 0) {
            const bool is_result = symbol->symbol().role == sym::Role::auxiliary && find(name, scope) == nullptr;
            if (is_result && name.ends_with('\'')) rates.push_back({where, symbol->symbol().name});
            return symbol;
        }
        error(where, fmt::format("{} is {} and cannot be used in {}", quoted(name), describe(kind), quoted(key)),
              kind == use_nothing ? "write one of its parts" : what_may_stand(use));
        is_good = false;
        return symbol;
    };
    const sym::Names names_here{find_name, [&] { return names_for(use, scope); }};
    sym::Parsed parsed = sym::parse(text, names_here, *model.pool, value.content);
    for (Diagnostic& d : parsed.problems) {
        has_error = has_error || d.severity == Diagnostic::Severity::error;
        problems.push_back(std::move(d));
    }
    if (!parsed.expr || !is_good) return std::nullopt;
    if ((use & use_load) != 0 && has_results(*parsed.expr)) loads.push_back({value.content, std::string(key), *parsed.expr});
    if (parsed.expr->is_undefined()) {
        error(value.content, fmt::format("the expression in {} has no value", quoted(key)),
              "it divides by zero, or takes a root or logarithm that is not real");
        return std::nullopt;
    }
    return parsed.expr;
}

Expr Reader::scalar(const Value& table, std::string_view key, Use use, const Scope& scope, const Expr& otherwise) {
    const Value* value = table.find(key);
    return value == nullptr ? otherwise : expression(*value, use, scope, key).value_or(otherwise);
}

Expr Reader::required_scalar(const Value& table, std::string_view key, Use use, const Scope& scope, std::string_view thing) {
    const Value* value = required(table, key, thing);
    return value == nullptr ? Expr(0) : expression(*value, use, scope, key).value_or(0);
}

std::optional<std::vector<Expr>> Reader::list(const Value& value, Use use, const Scope& scope, std::string_view key) {
    if (!expect(value, Value::Kind::array, key)) return std::nullopt;
    std::vector<Expr> all;
    bool is_good = true;
    for (const Value& item : value.items) {
        const auto e = expression(item, use, scope, key);
        is_good = is_good && e.has_value();
        all.push_back(e.value_or(0));
    }
    if (!is_good) return std::nullopt;
    return all;
}

std::optional<Vec3> Reader::vector(const Value& value, Use use, const Scope& scope, std::string_view key) {
    if (value.is(Value::Kind::array) && value.items.size() != 3) {
        error(value.where, fmt::format("{} must have 3 components, not {}", quoted(key), value.items.size()));
        return std::nullopt;
    }
    const auto all = list(value, use, scope, key);
    if (!all) return std::nullopt;
    return Vec3{{(*all)[0], (*all)[1], (*all)[2]}};
}

std::optional<Vec3> Reader::axis(const Value& value, const Scope& scope, std::string_view key) {
    if (value.is(Value::Kind::string)) {
        const std::string_view text = value.string;
        const std::string_view letter = text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
        if (letter == "x" || letter == "y" || letter == "z") {
            const Vec3 e = spatial::unit(static_cast<std::size_t>(letter[0] - 'x'));
            return text.starts_with('-') ? -e : e;
        }
        error(value.where, fmt::format("{} is not an axis", quoted(text)), "write \"x\", \"-y\", or a vector [0, 0, 1]");
        return std::nullopt;
    }
    if (!value.is(Value::Kind::array)) {
        error(value.where, fmt::format("{} must be an axis, not {}", quoted(key), model::describe(value.kind)),
              "write \"x\", \"-y\", or a vector [0, 0, 1]");
        return std::nullopt;
    }
    const auto v = vector(value, use_geometry, scope, key);
    if (!v) return std::nullopt;
    auto n = spatial::normalized(*v);
    if (!n) error(value.where, fmt::format("{} has no direction: its components are all zero", quoted(key)));
    return n;
}

std::optional<std::vector<Vec3>> Reader::axis_list(const Value& value, const Scope& scope, std::string_view key) {
    if (!expect(value, Value::Kind::array, key)) return std::nullopt;
    std::vector<Vec3> all;
    for (const Value& item : value.items) {
        if (const auto n = axis(item, scope, key)) all.push_back(*n);
    }
    if (all.size() != value.items.size()) return std::nullopt;
    return all;
}

std::optional<Turns> Reader::turns(const Value& table, const Scope& scope, Use use, std::string_view thing) {
    const Value* rotate = required(table, "rotate", thing);
    const Value* by = required(table, "by", thing);
    if (rotate == nullptr || by == nullptr) return std::nullopt;
    const auto about = axis_list(*rotate, scope, "rotate");
    const auto angles = list(*by, use, scope, "by");
    if (!about || !angles) return std::nullopt;
    if (about->size() != angles->size()) {
        error(by->where, fmt::format("'by' has {} angles for {} axes", angles->size(), about->size()));
        return std::nullopt;
    }
    return Turns{*about, *angles};
}

std::optional<Rotation> Reader::axes(const Value& value, const Scope& scope, std::string_view key) {
    if (!expect(value, Value::Kind::table, key)) return std::nullopt;
    if (value.find("rotate") != nullptr || value.find("by") != nullptr) {
        check_keys(value, quoted(key), {"rotate", "by"});
        const auto all = turns(value, scope, use_geometry, quoted(key));
        if (!all) return std::nullopt;
        Rotation R;
        for (std::size_t i = 0; i < all->axes.size(); ++i) R = R * Rotation::turn(all->axes[i], all->angles[i]);
        return R;
    }
    check_keys(value, quoted(key), {"x", "y", "z", "rotate", "by"});
    std::vector<std::pair<std::size_t, Vec3>> given;
    for (const Entry& entry : value.entries) {
        if (entry.key != "x" && entry.key != "y" && entry.key != "z") return std::nullopt;
        const auto n = axis(entry.value, scope, entry.key);
        if (!n) return std::nullopt;
        given.emplace_back(entry.key[0] - 'x', *n);
    }
    if (given.size() != 2) {
        error(value.where, fmt::format("{} must give two axes, not {}", quoted(key), given.size()),
              "write { z = [0, 0, 1], x = [1, 0, 0] }, or { rotate = [\"x\"], by = [\"90*deg\"] }");
        return std::nullopt;
    }
    const auto m = spatial::frame_from_axes(given[0].first, given[0].second, given[1].first, given[1].second);
    if (!m) {
        error(value.where, fmt::format("the axes of {} are not orthogonal", quoted(key)), "they must be within 1e-6");
        return std::nullopt;
    }
    return Rotation(*m);
}

// -------------------------------------------------------------------------------------------- bodies, points, joints

std::optional<BodyIndex> Reader::find_body(std::string_view name, const Scope& scope) const {
    if (!scope.prefix.empty()) {
        if (const auto at = bodies.find(scope.prefix + std::string(name)); at != bodies.end()) return at->second;
    }
    const auto at = bodies.find(std::string(name));
    if (at == bodies.end()) return std::nullopt;
    return at->second;
}

std::vector<std::string> Reader::body_names(const Scope& scope) const {
    std::vector<std::string> all;
    for (const auto& [name, port] : scope.ports) all.push_back(name);
    for (const auto& [name, index] : bodies) {
        const bool is_local = !scope.prefix.empty() && name.starts_with(scope.prefix);
        all.push_back(is_local ? name.substr(scope.prefix.size()) : name);
    }
    std::ranges::sort(all);
    return all;
}

std::optional<PointOf> Reader::find_point(std::string_view text, const Scope& scope) {
    if (const Scope::Port* port = scope.port(text)) return port->point;
    if (const auto whole = find_body(text, scope)) return PointOf{*whole, {}, model.bodies[*whole].name};
    const std::size_t dot = text.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const Scope::Port* port = scope.port(text.substr(0, dot));
    if (port != nullptr && !port->point) return std::nullopt;
    const auto index = port != nullptr ? std::optional(port->point->body) : find_body(text.substr(0, dot), scope);
    return index ? find_point_of(*index, text.substr(dot + 1)) : std::nullopt;
}

std::optional<PointOf> Reader::find_point(std::string_view text, const Scope& scope, Position where) {
    if (const Scope::Port* port = scope.port(text)) return port->point;
    if (const auto whole = find_body(text, scope)) return PointOf{*whole, {}, model.bodies[*whole].name};
    const std::size_t dot = text.rfind('.');
    const std::string_view body_text = text.substr(0, dot);
    const Scope::Port* port = scope.port(body_text);
    if (port != nullptr && !port->point) return std::nullopt;  // told where the port is given
    const auto index = port != nullptr ? std::optional(port->point->body) : find_body(body_text, scope);
    if (!index) {
        unknown("body", body_text, where, [&] { return body_names(scope); });
        return std::nullopt;
    }
    const std::string_view name = dot == std::string_view::npos ? "origin" : text.substr(dot + 1);
    return find_point_of(*index, name, where);
}

std::optional<PointOf> Reader::find_point_of(BodyIndex index, std::string_view name) {
    const Body& b = model.bodies[index];
    const std::string full = b.name + "." + std::string(name);
    if (name == "origin") return PointOf{index, {}, full};
    if (name == "com") return PointOf{index, b.beam ? straight_com(model, index) : b.com, full};
    if (name == "com_now" && b.beam) return PointOf{moving_com(model, index), {}, full};
    const auto at = std::ranges::find(b.points, name, &Point::name);
    if (at == b.points.end()) return std::nullopt;
    return PointOf{at->on.value_or(index), at->at, full};
}

std::optional<PointOf> Reader::find_point_of(BodyIndex index, std::string_view name, Position where) {
    if (auto point = find_point_of(index, name)) return point;
    const Body& b = model.bodies[index];
    std::vector<std::string> all{"origin", "com"};
    if (b.beam) all.emplace_back("com_now");
    for (const Point& p : b.points) all.push_back(p.name);
    error(where, fmt::format("{} has no point {}", quoted(b.name), quoted(name)), wants_advice() ? advice(name, all) : std::string());
    return std::nullopt;
}

std::optional<PointOf> Reader::point(const Value& value, const Scope& scope, std::string_view key) {
    if (!expect(value, Value::Kind::string, key)) return std::nullopt;
    return find_point(value.string, scope, value.content);
}

std::optional<BodyIndex> Reader::body(const Value& value, const Scope& scope, std::string_view key) {
    if (!expect(value, Value::Kind::string, key)) return std::nullopt;
    if (const Scope::Port* port = scope.port(value.string)) {
        return port->point ? std::optional(port->point->body) : std::nullopt;
    }
    const auto index = find_body(value.string, scope);
    if (index) return index;
    if (const std::size_t dot = value.string.rfind('.'); dot != std::string::npos) {  // the section of a beam at one of its points
        const auto beam = find_body(std::string_view(value.string).substr(0, dot), scope);
        if (beam && model.bodies[*beam].beam) {
            const auto at = find_point_of(*beam, std::string_view(value.string).substr(dot + 1), value.content);
            return at ? std::optional(at->body) : std::nullopt;
        }
    }
    unknown("body", value.string, value.content, [&] { return body_names(scope); });
    return std::nullopt;
}

std::optional<std::size_t> Reader::joint(const Value& value, const Scope& scope, std::string_view key) {
    if (!expect(value, Value::Kind::string, key)) return std::nullopt;
    for (const std::string& name : {scope.prefix + value.string, value.string}) {
        if (const auto at = joints.find(name); at != joints.end()) return at->second;
    }
    unknown("joint", value.string, value.content, [&] {
        std::vector<std::string> all;
        for (const auto& [name, index] : joints) {
            all.push_back(!scope.prefix.empty() && name.starts_with(scope.prefix) ? name.substr(scope.prefix.size()) : name);
        }
        std::ranges::sort(all);
        return all;
    });
    return std::nullopt;
}

std::optional<Expr> Reader::coordinate(const Value& value, const Scope& scope, std::string_view key) {
    if (!expect(value, Value::Kind::string, key)) return std::nullopt;
    const Named* named = find(value.string, scope);
    if (named != nullptr && named->kind == use_coordinates) return named->symbol;
    unknown("coordinate", value.string, value.content, [&] { return names_for(use_coordinates, scope); });
    return std::nullopt;
}

}  // namespace linkwright::model
