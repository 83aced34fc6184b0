// [parameters], [inputs], and `set` of chains and instances.

#include <fmt/format.h>

#include "linkwright/model/reader.hpp"
#include "linkwright/model/unit.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"

namespace linkwright::model {

namespace {

/// What stands on the right of a parameter or an input.
struct Quantity {
    std::optional<Expr> value, min, max;
    std::string unit, about;
};

Quantity read_quantity(Reader& r, const Entry& entry, Use use, const Scope& scope) {
    Quantity q;
    const Value& v = entry.value;
    if (!v.is(Value::Kind::table)) {
        q.value = r.expression(v, use, scope, entry.key);
        return q;
    }
    if (use == use_parameters) {
        r.check_keys(v, quoted(entry.key), {"value", "unit", "about", "min", "max"});
    } else {
        r.check_keys(v, quoted(entry.key), {"value", "unit", "about"});
    }
    q.unit = r.string(v, "unit").value_or("");
    q.about = r.string(v, "about").value_or("");
    Expr factor = 1;
    if (!q.unit.empty()) {
        const UnitFactor found = unit_factor(q.unit);
        const Value& unit = *v.find("unit");
        if (found.factor) {
            factor = *found.factor;
        } else if (found.unknown.empty()) {
            r.error(unit.content, fmt::format("{} is not a unit", quoted(q.unit)), "write products and quotients: N*m/rad, kg*m^2");
        } else {
            r.unknown("unit", found.unknown, unit.content, unit_names);
        }
    }
    const auto read = [&](std::string_view key) -> std::optional<Expr> {
        const Value* x = v.find(key);
        if (x == nullptr) return std::nullopt;
        const auto e = r.expression(*x, key == "value" ? use : use_parameters, scope, key);
        if (!e) return std::nullopt;
        if (factor.is_literally(1)) return e;
        if (!symbols_in(*e).empty()) {
            r.error(x->content, fmt::format("{} is computed from quantities in SI units and cannot be in {}", quoted(key), quoted(q.unit)),
                    "give it a number, or an SI unit");
        }
        return *e * factor;
    };
    if (r.required(v, "value", quoted(entry.key)) != nullptr) q.value = read("value");
    q.min = read("min");
    q.max = read("max");
    return q;
}

}  // namespace

void declare_parameters(Reader& r) {
    std::erase_if(r.parameters, [&](ParameterEntry& p) {
        if (!r.check_name(p.name, p.entry->where)) return true;
        const auto symbol = r.new_symbol(p.name, sym::Role::parameter, p.entry->where);
        if (!symbol) return true;
        p.index = r.model.parameters.size();
        Parameter parameter;
        parameter.symbol = *symbol;
        parameter.where = p.entry->where;
        r.model.parameters.push_back(std::move(parameter));
        return false;
    });
}

void define_parameters(Reader& r) {
    for (const ParameterEntry& p : r.parameters) {
        Quantity q = read_quantity(r, *p.entry, use_parameters, *p.scope);
        Parameter& parameter = r.model.parameters[p.index];
        parameter.value = q.value.value_or(0);
        parameter.unit = std::move(q.unit);
        parameter.about = std::move(q.about);
        parameter.min = q.min;
        parameter.max = q.max;
    }
    const auto circle = circle_of_parameters(r.model);
    if (circle.empty()) return;
    std::string path;
    constexpr std::size_t most = 8;
    for (std::size_t i = 0; i < circle.size() && i < most; ++i) {
        path += r.model.parameters[circle[i]].symbol.symbol().name + " → ";
    }
    if (circle.size() > most) path += "… → ";
    path += r.model.parameters[circle[0]].symbol.symbol().name;
    r.error(r.model.parameters[circle[0]].where, fmt::format("parameters depend on each other in a circle: {}", path),
            "give one of them a number");
}

std::size_t declare_inputs(Reader& r, const Value& table, const Scope& scope) {
    const std::size_t first = r.model.inputs.size();
    for (const Entry& entry : table.entries) {
        if (!r.check_name(entry.key, entry.where)) continue;
        const auto symbol = r.new_symbol(scope.prefix + entry.key, sym::Role::input, entry.where);
        if (!symbol) continue;
        Input input;
        input.symbol = *symbol;
        input.where = entry.where;
        r.model.inputs.push_back(std::move(input));
    }
    return first;
}

void define_inputs(Reader& r, const Value& table, const Scope& scope, std::size_t first) {
    auto input = r.model.inputs.begin() + static_cast<std::ptrdiff_t>(first);
    for (const Entry& entry : table.entries) {
        Quantity q = read_quantity(r, entry, use_signal, scope);
        if (input == r.model.inputs.end() || input->where != entry.where) continue;  // its name was refused
        input->value = q.value.value_or(0);
        input->unit = std::move(q.unit);
        input->about = std::move(q.about);
        ++input;
    }
}

}  // namespace linkwright::model
