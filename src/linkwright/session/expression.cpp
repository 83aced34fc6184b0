#include "linkwright/session/expression.hpp"

#include <fmt/format.h>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::session {

std::optional<sym::Expr> read_expression(const std::string& what, const std::string& text, const eom::EquationsOfMotion& e,
                                         Report& report) {
    std::vector<std::string> known;
    std::vector<std::pair<std::string, sym::Expr>> meaning;
    const auto add = [&](const sym::Expr& s) { meaning.emplace_back(s.symbol().name, s); };
    add(e.t);
    for (const auto* list : {&e.q, &e.u, &e.x}) {
        for (const sym::Expr& s : *list) add(s);
    }
    for (const eom::Input& w : e.inputs) add(w.symbol);
    for (const eom::Parameter& p : e.parameters) add(p.symbol);
    meaning.emplace_back("energy.kinetic", e.energy.kinetic);
    meaning.emplace_back("energy.potential", e.energy.potential);
    meaning.emplace_back("energy.total", e.energy.total());
    for (const eom::Output& o : e.outputs) meaning.emplace_back(o.name, o.value);
    const sym::Names names{[&](std::string_view name) -> std::optional<sym::Expr> {
                               for (const auto& [known_name, value] : meaning) {
                                   if (known_name == name) return value;
                               }
                               return std::nullopt;
                           },
                           [&] {
                               std::vector<std::string> all;
                               for (const auto& [name, value] : meaning) all.push_back(name);
                               return all;
                           }};
    const sym::PoolScope scope(*e.pool);
    sym::Parsed parsed = sym::parse(text, names, *e.pool, {1, 1});
    if (!parsed.expr) {
        for (const Diagnostic& d : parsed.problems) {
            report.error(
                fmt::format("{} \"{}\": {}{}", what, text, d.what, d.where.column > 0 ? fmt::format(" (column {})", d.where.column) : ""),
                d.hint);
        }
        return std::nullopt;
    }
    for (const sym::Expr& s : symbols_in(*parsed.expr)) {
        if (s.symbol().role != sym::Role::acceleration && s.symbol().role != sym::Role::multiplier) continue;
        report.error(fmt::format("{} \"{}\" needs accelerations or multipliers", what, text),
                     "use coordinates, speeds, inputs, t and outputs of these");
        return std::nullopt;
    }
    return parsed.expr;
}

}  // namespace linkwright::session
