#include "linkwright/session/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "linkwright/session/point_values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::session {

namespace {

using Meaning = std::vector<std::pair<std::string, sym::Expr>>;

/// What follows from states, inputs and time, by name.
void add_results(const eom::EquationsOfMotion& e, Meaning& meaning) {
    meaning.emplace_back("energy.kinetic", e.energy.kinetic);
    meaning.emplace_back("energy.potential", e.energy.potential);
    meaning.emplace_back("energy.total", e.energy.total());
    for (std::size_t k = 0; k < 3; ++k) {
        meaning.emplace_back(std::string("momentum.linear.") + "xyz"[k], e.momentum.linear[k]);
        meaning.emplace_back(std::string("momentum.angular.") + "xyz"[k], e.momentum.angular[k]);
    }
    for (const eom::Output& o : e.outputs) meaning.emplace_back(o.name, o.value);
}

bool needs_accelerations(const sym::Expr& x) {
    return std::ranges::any_of(symbols_in(x), [](const sym::Expr& s) {
        return s.symbol().role == sym::Role::acceleration || s.symbol().role == sym::Role::multiplier;
    });
}

constexpr const char* instead_of_accelerations = "use coordinates, speeds, inputs, t and outputs of these";

}  // namespace

std::optional<std::vector<eom::Event>> events_of(const eom::EquationsOfMotion& e, const model::Model& model, Report& report) {
    const sym::PoolScope scope(*e.pool);
    Meaning meaning;
    add_results(e, meaning);
    std::vector<eom::Event> events = e.events;
    bool are_right = true;
    const auto refuse = [&](const eom::Event& event, const std::string& why, const std::string& hint) {
        are_right = false;
        const auto in_file = std::ranges::find(model.events, event.name, &model::Event::name);
        report.add(Diagnostics{{.severity = Diagnostic::Severity::error,
                                .file = model.file,
                                .where = in_file == model.events.end() ? Position{0, 0} : in_file->where,
                                .what = fmt::format("the event '{}' {}", event.name, why),
                                .hint = hint}});
    };
    for (eom::Event& event : events) {
        std::vector<sym::Binding> put_in;
        for (const sym::Expr& s : symbols_in(event.when)) {
            if (s.symbol().role != sym::Role::auxiliary) continue;
            const auto at = std::ranges::find(meaning, s.symbol().name, &Meaning::value_type::first);
            if (at == meaning.end()) {
                refuse(event, fmt::format("names '{}', which this mechanism does not have", s.symbol().name), {});
            } else {
                put_in.emplace_back(s, at->second);
            }
        }
        if (!put_in.empty()) event.when = sym::Substitution(put_in)(event.when);
        if (needs_accelerations(event.when)) refuse(event, "needs accelerations or multipliers", instead_of_accelerations);
    }
    if (!are_right) return std::nullopt;
    return events;
}

std::optional<sym::Expr> read_expression(const std::string& what, const std::string& text, const eom::EquationsOfMotion& e, Report& report,
                                         const model::Model* model) {
    Meaning meaning;
    const auto add = [&](const sym::Expr& s) { meaning.emplace_back(s.symbol().name, s); };
    add(e.t);
    for (const auto* list : {&e.q, &e.u, &e.x}) {
        for (const sym::Expr& s : *list) add(s);
    }
    for (const eom::Input& w : e.inputs) add(w.symbol);
    for (const eom::Parameter& p : e.parameters) add(p.symbol);
    const sym::PoolScope scope(*e.pool);
    add_results(e, meaning);
    std::optional<PointValues> points;
    if (model != nullptr) points.emplace(*model, e);
    const auto known = [&](std::string_view name) -> std::optional<sym::Expr> {
        const auto at = std::ranges::find(meaning, name, &Meaning::value_type::first);
        return at == meaning.end() ? std::nullopt : std::optional(at->second);
    };
    const sym::Names names{[&](std::string_view name) -> std::optional<sym::Expr> {
                               if (const auto value = known(name)) return value;
                               if (!points) return std::nullopt;
                               if (const auto value = (*points)(name)) return value;
                               const auto [base, primes] = model::without_primes(name);
                               const auto value = primes == 0 || primes > 2 ? std::nullopt : known(base);
                               return value ? rate_of(*value, primes, e) : std::nullopt;
                           },
                           [&] {
                               std::vector<std::string> all;
                               for (const auto& [name, value] : meaning) all.push_back(name);
                               if (points) std::ranges::copy(points->names(), std::back_inserter(all));
                               return all;
                           }};
    sym::Parsed parsed = sym::parse(text, names, *e.pool, {1, 1});
    if (!parsed.expr) {
        for (const Diagnostic& d : parsed.problems) {
            report.error(
                fmt::format("{} \"{}\": {}{}", what, text, d.what, d.where.column > 0 ? fmt::format(" (column {})", d.where.column) : ""),
                d.hint);
        }
        return std::nullopt;
    }
    if (needs_accelerations(*parsed.expr)) {
        report.error(fmt::format("{} \"{}\" needs accelerations or multipliers", what, text), instead_of_accelerations);
        return std::nullopt;
    }
    return parsed.expr;
}

}  // namespace linkwright::session
