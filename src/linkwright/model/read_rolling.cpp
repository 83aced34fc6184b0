// [[rolling]].

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "linkwright/model/reader.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/spatial/exact.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::model {

namespace {

/// Against gravity. Its length is |g|, and a root of g² says that badly: the sign comes from the value of g.
std::optional<Vec3> up(const Model& model) {
    const Vec3& g = model.gravity;
    if (spatial::is_zero(g) || sym::depends_on(g[0], model.t) || sym::depends_on(g[1], model.t) || sym::depends_on(g[2], model.t)) {
        return std::nullopt;
    }
    const ParameterValues value(model);
    const Expr square = dot(g, g);
    std::vector<Expr> lengths{g[0], g[1], g[2]};
    for (const Expr& s : sym::symbols_in(g.e)) lengths.push_back(s);
    for (const Expr& length : lengths) {
        if (length.is_literally(0)) continue;
        const Expr ratio = square / (length * length);
        const double sign = value(length);
        if (!ratio.is_number() || !(std::abs(sign) > 0)) continue;
        return (Expr(sign > 0 ? -1 : 1) / (sqrt(ratio) * length)) * g;
    }
    return spatial::normalized(-g);
}

void define_plane(Reader& r, const Element& e, Rolling& rolling) {
    const Value* plane = e.table->find("plane");
    const Value* normal = nullptr;
    if (plane != nullptr && r.expect(*plane, Value::Kind::table, "plane")) {
        r.check_keys(*plane, "'plane'", {"at", "normal"});
        if (const Value* at = plane->find("at")) rolling.plane_at = r.vector(*at, use_geometry, *e.scope, "at").value_or(Vec3{});
        normal = plane->find("normal");
    }
    if (normal != nullptr) {
        rolling.normal = r.axis(*normal, *e.scope, "normal").value_or(spatial::unit(2));
    } else if (const auto against_gravity = up(r.model)) {
        rolling.normal = *against_gravity;
    } else {
        r.error(e.table->where, "the plane needs a normal: gravity is not constant and does not define one",
                "write plane = { normal = \"z\" }");
    }
}

}  // namespace

void declare_rolling(Reader& r, Element& e) {
    const auto name = r.optional_name(e, "rolling");
    Rolling rolling;
    rolling.name = name;
    rolling.where = e.table->where;
    e.index = r.model.rollings.size();
    r.model.rollings.push_back(std::move(rolling));
    for (const char* part : {".normal", ".along", ".across"}) r.declare(name + part, {use_results, e.table->where, std::nullopt});
    for (const char* part : {".point.x", ".point.y", ".point.z"}) r.declare(name + part, {use_results, e.table->where, std::nullopt, true});
}

void define_rolling(Reader& r, const Element& e) {
    const Value& table = *e.table;
    r.check_keys(table, "a rolling", {"name", "type", "on", "axis", "radius", "plane"});
    Rolling rolling = r.model.rollings[e.index];
    constexpr std::array<std::pair<std::string_view, RollingType>, 3> types{
        {{"disk", RollingType::disk}, {"sphere", RollingType::sphere}, {"knife-edge", RollingType::knife_edge}}};
    const Value* type = r.required(table, "type", "a rolling");
    if (type == nullptr || !r.expect(*type, Value::Kind::string, "type")) return;
    const auto* known = std::ranges::find(types, std::string_view(type->string), &std::pair<std::string_view, RollingType>::first);
    if (known == types.end()) {
        r.unknown("rolling type", type->string, type->content, [] { return std::vector<std::string>{"disk", "sphere", "knife-edge"}; });
        return;
    }
    rolling.type = known->second;
    const auto refuse = [&](std::string_view key) {
        if (const Entry* entry = table.find_entry(key)) {
            r.error(entry->where, fmt::format("'{}' does not apply to a rolling {}", key, type->string));
        }
    };
    if (const Value* on = r.required(table, "on", "a rolling")) rolling.on = r.point(*on, *e.scope, "on").value_or(PointOf{});
    if (rolling.type == RollingType::sphere) {
        refuse("axis");
    } else if (const Value* axis = r.required(table, "axis", fmt::format("a rolling {}", type->string))) {
        rolling.axis = r.axis(*axis, *e.scope, "axis").value_or(spatial::unit(2));
    }
    if (rolling.type == RollingType::knife_edge) {
        refuse("radius");
    } else {
        rolling.radius = r.required_scalar(table, "radius", use_geometry, *e.scope, fmt::format("a rolling {}", type->string));
    }
    define_plane(r, e, rolling);
    r.model.rollings[e.index] = std::move(rolling);
}

}  // namespace linkwright::model
