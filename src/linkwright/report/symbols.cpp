#include "linkwright/report/symbols.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/model/unit.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/session/spellings.hpp"
#include "linkwright/session/units.hpp"

namespace linkwright::report {

namespace {

struct Maker {
    const present::Spellings& plain;
    Json json = Json::array();
    present::Spellings spellings{};

    void add(const std::string& name, const char* kind, const std::string& unit, const std::string& about, double value = NAN) {
        const std::string latex = present::write_name(name, present::Style::latex, &plain);
        if (!spellings.try_emplace(name, fmt::format("\\htmlData{{symbol={}}}{{{}}}", json.size(), latex)).second) return;
        json.push_back({{"name", name}, {"latex", latex}, {"kind", kind}, {"unit", unit}, {"about", about}, {"value", nullptr}});
        if (std::isfinite(value)) json.back()["value"] = value;
    }
};

const std::string& name_of(const sym::Expr& e) { return e.symbol().name; }

}  // namespace

std::string SymbolTable::latex(const std::string& name) const { return present::write_name(name, present::Style::latex, &plain); }

SymbolTable make_symbols(const model::Model& model, const eom::EquationsOfMotion& e) {
    SymbolTable out;
    out.plain = session::spellings_of(model);
    Maker make{.plain = out.plain};
    const model::ParameterValues value(model);
    for (const model::Parameter& p : model.parameters)
        make.add(name_of(p.symbol), "parameter", model::unit_factor(p.unit).si, p.about, value(p.symbol));
    const session::Units units = session::units_of(e, model);
    const auto all = [&](const std::vector<sym::Expr>& symbols, const char* kind, const std::vector<std::string>& of) {
        for (std::size_t i = 0; i < symbols.size(); ++i) make.add(name_of(symbols[i]), kind, i < of.size() ? of[i] : "", "");
    };
    all(e.q, "coordinate", units.coordinates);
    all(e.u, "speed", units.speeds);
    all(e.udot, "acceleration", units.accelerations);
    all(e.x, "state", units.auxiliary);
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
        const eom::Input& w = e.inputs[i];
        make.add(name_of(w.symbol), "input", i < units.inputs.size() ? units.inputs[i] : w.unit, w.about);
    }
    for (std::size_t i = 0; i < e.constraints.size(); ++i) {
        const eom::Constraint& c = e.constraints[i];
        make.add(name_of(c.lambda), "multiplier", i < units.multipliers.size() ? units.multipliers[i] : "", c.about);
    }
    make.add(name_of(e.t), "time", "s", "time");
    out.json = std::move(make.json);
    out.spellings = std::move(make.spellings);
    return out;
}

}  // namespace linkwright::report
