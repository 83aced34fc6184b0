// [[shape]]: what pictures show of a body.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "linkwright/model/reader.hpp"

namespace linkwright::model {

namespace {

using ShapeKind = DrawnShape::Kind;

constexpr std::array<std::pair<std::string_view, ShapeKind>, 6> kinds{{{"box", ShapeKind::box},
                                                                       {"cylinder", ShapeKind::cylinder},
                                                                       {"sphere", ShapeKind::sphere},
                                                                       {"capsule", ShapeKind::capsule},
                                                                       {"polyline", ShapeKind::polyline},
                                                                       {"mesh", ShapeKind::mesh}}};

// The sixteen names of HTML 4, as CSS has them.
constexpr std::array<std::pair<std::string_view, DrawnShape::Colour>, 16> colours{{{"black", {0, 0, 0}},
                                                                                   {"silver", {192, 192, 192}},
                                                                                   {"gray", {128, 128, 128}},
                                                                                   {"white", {255, 255, 255}},
                                                                                   {"maroon", {128, 0, 0}},
                                                                                   {"red", {255, 0, 0}},
                                                                                   {"purple", {128, 0, 128}},
                                                                                   {"fuchsia", {255, 0, 255}},
                                                                                   {"green", {0, 128, 0}},
                                                                                   {"lime", {0, 255, 0}},
                                                                                   {"olive", {128, 128, 0}},
                                                                                   {"yellow", {255, 255, 0}},
                                                                                   {"navy", {0, 0, 128}},
                                                                                   {"blue", {0, 0, 255}},
                                                                                   {"teal", {0, 128, 128}},
                                                                                   {"aqua", {0, 255, 255}}}};

/// A length in parameters; a number must be positive.
Expr required_length(Reader& r, const Element& e, std::string_view key, std::string_view thing) {
    const Value* value = r.required(*e.table, key, thing);
    const auto x = value == nullptr ? std::nullopt : r.expression(*value, use_geometry, *e.scope, key);
    if (x && x->is_number() && x->number().to_double() <= 0) r.error(value->where, fmt::format("'{}' must be positive", key));
    return x.value_or(0);
}

void define_polyline(Reader& r, const Element& e, DrawnShape& shape) {
    shape.radius = r.scalar(*e.table, "radius", use_geometry, *e.scope);
    const Value* points = r.required(*e.table, "points", "a polyline");
    if (points == nullptr || !r.expect(*points, Value::Kind::array, "points")) return;
    if (points->items.size() < 2) r.error(points->where, "'points' of a polyline must be at least two");
    for (const Value& p : points->items) {
        if (const auto at = r.vector(p, use_geometry, *e.scope, "points")) shape.points.push_back(*at);
    }
}

void define_mesh(Reader& r, const Element& e, DrawnShape& shape) {
    shape.scale = r.scalar(*e.table, "scale", use_geometry, *e.scope, 1);
    const Value* file = r.required(*e.table, "file", "a mesh");
    if (file == nullptr || !r.expect(*file, Value::Kind::string, "file")) return;
    shape.file = file->string;
    std::string end = shape.file.substr(shape.file.find_last_of('.') + 1);
    std::ranges::transform(end, end.begin(), [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    if (end != "stl" && end != "obj")
        r.error(file->content, fmt::format("{} is no mesh", quoted(shape.file)), "STL and OBJ files are read");
}

void define_size(Reader& r, const Element& e, DrawnShape& shape) {
    switch (shape.kind) {
        case ShapeKind::box:
            if (const Value* size = r.required(*e.table, "size", "a box"))
                shape.size = r.vector(*size, use_geometry, *e.scope, "size").value_or(Vec3{});
            break;
        case ShapeKind::sphere: shape.radius = required_length(r, e, "radius", "a sphere"); break;
        case ShapeKind::cylinder:
        case ShapeKind::capsule: {
            const std::string_view thing = shape.kind == ShapeKind::cylinder ? "a cylinder" : "a capsule";
            shape.radius = required_length(r, e, "radius", thing);
            shape.length = required_length(r, e, "length", thing);
            break;
        }
        case ShapeKind::polyline: define_polyline(r, e, shape); break;
        case ShapeKind::mesh: define_mesh(r, e, shape); break;
    }
}

void check_shape_keys(Reader& r, const Value& table, ShapeKind kind) {
    const auto check = [&](std::string_view thing, std::initializer_list<std::string_view> keys) { r.check_keys(table, thing, keys); };
    switch (kind) {
        case ShapeKind::box: return check("a box", {"name", "on", "type", "at", "axes", "colour", "size"});
        case ShapeKind::sphere: return check("a sphere", {"name", "on", "type", "at", "axes", "colour", "radius"});
        case ShapeKind::cylinder: return check("a cylinder", {"name", "on", "type", "at", "axes", "colour", "radius", "length"});
        case ShapeKind::capsule: return check("a capsule", {"name", "on", "type", "at", "axes", "colour", "radius", "length"});
        case ShapeKind::polyline: return check("a polyline", {"name", "on", "type", "at", "axes", "colour", "radius", "points"});
        case ShapeKind::mesh: return check("a mesh", {"name", "on", "type", "at", "axes", "colour", "file", "scale"});
    }
}

std::optional<ShapeKind> read_kind(Reader& r, const Element& e) {
    const Value* type = r.required(*e.table, "type", "a shape");
    if (type == nullptr || !r.expect(*type, Value::Kind::string, "type")) return std::nullopt;
    for (const auto& [name, kind] : kinds) {
        if (type->string == name) return kind;
    }
    r.unknown("type of shape", type->string, type->content, [] {
        std::vector<std::string> all;
        for (const auto& [name, kind] : kinds) all.emplace_back(name);
        return all;
    });
    return std::nullopt;
}

}  // namespace

std::string_view to_string(DrawnShape::Kind kind) { return kinds[static_cast<std::size_t>(kind)].first; }

std::optional<DrawnShape::Colour> parse_colour(std::string_view text) {
    for (const auto& [name, colour] : colours) {
        if (text == name) return colour;
    }
    if (text.size() != 7 || text[0] != '#') return std::nullopt;
    DrawnShape::Colour colour{};
    for (std::size_t i = 0; i < 3; ++i) {
        const char* begin = text.data() + 1 + 2 * i;
        const auto [end, problem] = std::from_chars(begin, begin + 2, colour[i], 16);
        if (problem != std::errc{} || end != begin + 2) return std::nullopt;
    }
    return colour;
}

void define_drawn_shape(Reader& r, const Element& e) {
    const auto kind = read_kind(r, e);
    if (!kind) return;
    check_shape_keys(r, *e.table, *kind);
    DrawnShape shape;
    shape.kind = *kind;
    shape.where = e.table->where;
    shape.name = r.optional_name(e, "shape");
    if (const Value* on = r.required(*e.table, "on", "a shape")) shape.on = r.body(*on, *e.scope, "on").value_or(ground);
    if (const Value* at = e.table->find("at")) {
        if (at->is(Value::Kind::string)) {
            const auto point = r.find_point_of(shape.on, at->string, at->content);
            if (point) shape.at = point->at, shape.on = point->body;
        } else {
            shape.at = r.vector(*at, use_geometry, *e.scope, "at").value_or(Vec3{});
        }
    }
    if (const Value* axes = e.table->find("axes")) shape.axes = r.axes(*axes, *e.scope, "axes").value_or(Rotation{});
    if (const Value* colour = e.table->find("colour"); colour != nullptr && r.expect(*colour, Value::Kind::string, "colour")) {
        shape.colour = parse_colour(colour->string);
        if (!shape.colour)
            r.error(colour->content, fmt::format("{} is no colour", quoted(colour->string)), "write \"#4477aa\", or a name as \"teal\"");
    }
    define_size(r, e, shape);
    r.model.shapes.push_back(std::move(shape));
}

}  // namespace linkwright::model
