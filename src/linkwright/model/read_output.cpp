// [[output]].

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/reader.hpp"
#include "linkwright/model/values.hpp"

namespace linkwright::model {

namespace {

using OutputKind = Output::Kind;
/// What is put out of a point of a beam: expressions in the beam's coordinates.
constexpr std::array<std::string_view, 3> of_beams{"deflection", "strain", "moment"};
constexpr std::array<std::pair<std::string_view, OutputKind>, 6> kinds{{{"position", OutputKind::position},
                                                                        {"velocity", OutputKind::velocity},
                                                                        {"acceleration", OutputKind::acceleration},
                                                                        {"orientation", OutputKind::orientation},
                                                                        {"reaction", OutputKind::reaction},
                                                                        {"expression", OutputKind::expression}}};

std::string_view key_of(OutputKind kind) { return std::ranges::find(kinds, kind, &std::pair<std::string_view, OutputKind>::second)->first; }

/// The names by which expressions know the parts of an output.
std::vector<std::string> parts(OutputKind kind) {
    switch (kind) {
        case OutputKind::position:
        case OutputKind::velocity:
        case OutputKind::acceleration: return {".x", ".y", ".z"};
        case OutputKind::reaction: return {".fx", ".fy", ".fz", ".tx", ".ty", ".tz"};
        case OutputKind::orientation: return {".xx", ".xy", ".xz", ".yx", ".yy", ".yz", ".zx", ".zy", ".zz"};
        case OutputKind::expression: break;
    }
    return {};
}

/// One output for each part, all expressions.
void declare_output_of_beam(Reader& r, Element& e, const std::string& name, std::string_view key) {
    const Position where = e.table->find("name")->content;
    const bool has_parts = key != "strain";
    e.is_good = true;
    e.index = r.model.outputs.size();
    if (has_parts) r.declare(name, {use_nothing, where, std::nullopt});
    for (const char* part : {".x", ".y", ".z"}) {
        Output output;
        output.name = has_parts ? name + part : name;
        output.where = where;
        r.declare(output.name, {use_results, where, std::nullopt, true});
        r.model.outputs.push_back(std::move(output));
        if (!has_parts) break;
    }
    for (const char* other : {"in", "relative_to"}) {
        if (const Entry* entry = e.table->find_entry(other))
            r.error(entry->where, fmt::format("'{}' does not apply to {}", other, quoted(key)));
    }
}

void define_output_of_beam(Reader& r, const Element& e, std::string_view key) {
    const Value& what = *e.table->find(key);
    const auto point = r.point(what, *e.scope, key);
    if (!point || r.has_error) return;
    const auto at = std::ranges::find_if(r.model.joints, [&](const Joint& j) { return j.section && j.child == point->body; });
    if (at == r.model.joints.end() || at->name.ends_with(".com_now")) {
        r.error(what.content, fmt::format("{} is not a point of a beam", quoted(what.string)),
                fmt::format("'{}' is measured at a point of a beam", key));
        return;
    }
    const BodyIndex beam = at->parent;
    const Expr x = at->section->at;
    const ParameterValues value(r.model);
    const Beam& b = *r.model.bodies[beam].beam;
    const double first = value(b.sleeves.start), last = value(b.length) - value(b.sleeves.end), slack = 1e-9 * value(b.length);
    if (key != "deflection" && (value(x) < first - slack || value(x) > last + slack)) {
        r.error(what.content, fmt::format("{} is in a rigid end of the beam, where there is no {}", quoted(what.string), key),
                fmt::format("the beam bends from x = {:.6g} to {:.6g}", first, last));
        return;
    }
    const std::size_t before = r.model.parameters.size();
    if (key == "strain") {
        r.model.outputs[e.index].expression = strain(r.model, beam, x, point->at);
    } else {
        const Vec3 parts = key == "moment" ? moment(r.model, beam, x) : deflection(r.model, beam, x);
        for (std::size_t k = 0; k < 3; ++k) r.model.outputs[e.index + k].expression = parts[k];
    }
    declare_constants(r, before);
}

std::optional<std::string_view> key_of_beam(const Value& table) {
    for (const std::string_view key : of_beams) {
        if (table.find(key) != nullptr) return key;
    }
    return std::nullopt;
}

}  // namespace

void declare_output(Reader& r, Element& e) {
    const Value& table = *e.table;
    r.check_keys(table, "an output",
                 {"name", "position", "velocity", "acceleration", "orientation", "reaction", "expression", "deflection", "strain", "moment",
                  "in", "relative_to"});
    e.is_good = false;
    const auto name = r.required_name(e, "an output");
    Output output;
    std::size_t given = 0;
    for (const auto& [key, kind] : kinds) {
        if (table.find(key) == nullptr) continue;
        output.kind = kind;
        ++given;
    }
    for (const std::string_view key : of_beams) given += table.find(key) != nullptr ? 1 : 0;
    if (given != 1) {
        r.error(
            table.where, given == 0 ? "an output needs a quantity" : "an output has only one quantity",
            "write one of position, velocity, acceleration, orientation, reaction, expression, or deflection, strain, moment of a beam");
    }
    if (!name || given != 1) return;
    if (const auto key = key_of_beam(table)) return declare_output_of_beam(r, e, *name, *key);
    e.is_good = true;
    e.index = r.model.outputs.size();
    output.name = *name;
    output.where = table.find("name")->content;
    const bool is_expression = output.kind == OutputKind::expression;
    const bool has_rate = output.kind != OutputKind::acceleration && output.kind != OutputKind::reaction;
    r.declare(*name, {is_expression ? use_results : use_nothing, output.where, std::nullopt, is_expression});
    for (const std::string& part : parts(output.kind)) r.declare(*name + part, {use_results, output.where, std::nullopt, has_rate});
    r.model.outputs.push_back(std::move(output));
}

void define_output(Reader& r, const Element& e) {
    const Value& table = *e.table;
    if (const auto key = key_of_beam(table)) return define_output_of_beam(r, e, *key);
    Output& output = r.model.outputs[e.index];
    const std::string_view key = key_of(output.kind);
    const Value& what = *table.find(key);
    const bool is_vector =
        output.kind == OutputKind::position || output.kind == OutputKind::velocity || output.kind == OutputKind::acceleration;
    switch (output.kind) {
        case OutputKind::expression: output.expression = r.expression(what, use_everything, *e.scope, key).value_or(0); break;
        case OutputKind::reaction: output.joint = r.joint(what, *e.scope, key).value_or(0); break;
        case OutputKind::orientation:
            if (const auto body = r.body(what, *e.scope, key)) output.point = {*body, {}, r.model.bodies[*body].name};
            break;
        default: output.point = r.point(what, *e.scope, key).value_or(PointOf{});
    }
    if (const Entry* in = table.find_entry("in")) {
        if (!is_vector && output.kind != OutputKind::orientation) {
            r.error(in->where, fmt::format("'in' does not apply to {}", quoted(key)));
        } else {
            output.in = r.body(in->value, *e.scope, "in").value_or(ground);
        }
    }
    if (const Entry* relative = table.find_entry("relative_to")) {
        if (!is_vector) {
            r.error(relative->where, fmt::format("'relative_to' does not apply to {}", quoted(key)));
        } else {
            output.relative_to = r.point(relative->value, *e.scope, "relative_to");
        }
    }
}

}  // namespace linkwright::model
