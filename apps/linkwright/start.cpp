#include "start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "linkwright/base/text.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::cli {

namespace {

void warn(const std::string& what, bool quiet) {
    if (!quiet) std::cerr << "linkwright: warning: " << what << '\n';
}

void tell_moved(const numeric::AssembledState& closed, bool quiet) {
    if (quiet || closed.moved.empty()) return;
    std::vector<std::string> names = closed.moved;
    if (names.size() > 8) names.resize(8), names.emplace_back("…");
    std::cerr << fmt::format("linkwright: note: closed by moving {}\n", fmt::join(names, ", "));
}

}  // namespace

Start start_state(const std::string& path, const numeric::CompiledEquations& numbers, bool quiet) {
    using Outcome = numeric::AssembledState::Outcome;
    Start start;
    if (path.empty()) {
        const numeric::AssembledState closed = assemble(numbers, wanted(numbers));
        if (closed.is_ok()) {
            tell_moved(closed, quiet);
            start.state = closed.state;
            start.has_state = true;
            return start;
        }
        const bool is_overconstrained = closed.outcome == Outcome::overconstrained;
        report_error("the mechanism does not close: " + closed.why,
                   is_overconstrained ? "without the values of [initial] it does: hold fewer of them, or put them into [guess]"
                               : "give better values in [guess], or check lengths and axes");
        start.status = is_overconstrained ? wrong_input : numerical_failure;
        return start;
    }
    const auto file = read_state(path, numbers, true);
    if (!file) {
        start.status = wrong_input;
        return start;
    }
    for (const std::string& warning : file->warnings) warn(warning, quiet);
    std::vector<numeric::Wanted> values;
    if (!numbers.equations().constraints.empty()) {  // what the file leaves open in a loop is looked for near where the model begins
        for (numeric::Wanted w : wanted(numbers)) {
            if (w.is_speed || std::ranges::any_of(file->values, [&](const numeric::Wanted& given) { return given.what == w.what; })) continue;
            w.is_held = false;
            values.push_back(std::move(w));
        }
    }
    values.insert(values.end(), file->values.begin(), file->values.end());
    numeric::AssembledState closed = assemble(numbers, values, file->t);
    if (closed.outcome == Outcome::overconstrained) {  // more is given than the loops leave free
        std::vector<numeric::Wanted> guesses = values;
        for (numeric::Wanted& w : guesses) w.is_held = false;
        numeric::AssembledState nearest = assemble(numbers, guesses, file->t);
        if (nearest.is_ok()) {
            warn(fmt::format("the values given do not close by themselves ({}); the nearest state that does is taken", closed.why), quiet);
            closed = std::move(nearest);
        }
    }
    tell_moved(closed, quiet);
    start.state = closed.state;
    start.has_state = closed.outcome != Outcome::overconstrained;
    start.has_inputs = !file->inputs.empty();
    for (const auto& [i, value] : file->inputs) start.state.w[i] = value;
    if (!closed.is_ok()) {
        report_error("the mechanism does not close: " + closed.why);
        start.status = closed.outcome == Outcome::overconstrained ? wrong_input : numerical_failure;
    }
    return start;
}

std::optional<sym::Expr> read_expression(const std::string& what, const std::string& text, const eom::EquationsOfMotion& e) {
    std::vector<std::string> known;
    std::vector<std::pair<std::string, sym::Expr>> meaning;
    const auto add = [&](const sym::Expr& s) { meaning.emplace_back(s.symbol().name, s); };
    add(e.t);
    for (const auto* list : {&e.q, &e.u}) {
        for (const sym::Expr& s : *list) add(s);
    }
    for (const eom::Input& w : e.inputs) add(w.symbol);
    for (const eom::Parameter& p : e.parameters) add(p.symbol);
    meaning.emplace_back("energy.kinetic", e.energy.kinetic);
    meaning.emplace_back("energy.potential", e.energy.potential);
    meaning.emplace_back("energy.total", e.energy.total());
    for (const eom::Output& o : e.outputs) meaning.emplace_back(o.name, o.value);
    const sym::Names names{
        [&](std::string_view name) -> std::optional<sym::Expr> {
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
            report_error(fmt::format("{} \"{}\": {}{}", what, text, d.what, d.where.column > 0 ? fmt::format(" (column {})", d.where.column) : ""), d.hint);
        }
        return std::nullopt;
    }
    for (const sym::Expr& s : symbols_in(*parsed.expr)) {
        if (s.symbol().role != sym::Role::acceleration && s.symbol().role != sym::Role::multiplier) continue;
        report_error(fmt::format("{} \"{}\" needs accelerations or multipliers", what, text), "use coordinates, speeds, inputs, t and outputs of these");
        return std::nullopt;
    }
    return parsed.expr;
}

std::string kept(std::size_t rows) { return rows == 1 ? "the row before is kept" : fmt::format("the {} rows up to there are kept", rows); }

std::optional<std::vector<double>> read_times(double start, std::optional<double> until, long samples, const std::vector<double>& times) {
    if (!times.empty()) {
        double last = start;
        for (const double t : times) {
            if (!std::isfinite(t) || t < last) {
                report_error(fmt::format("--times must ascend from the start at t = {:.6g}: {:.6g} comes after {:.6g}", start, t, last));
                return std::nullopt;
            }
            last = t;
        }
        if (until && *until < last) {
            report_error(fmt::format("--times go on after --until {:.6g}: {:.6g}", *until, last));
            return std::nullopt;
        }
        return times;
    }
    if (!until) return report_error("how long? Neither --until nor --times is given", "for example --until 10"), std::nullopt;
    if (!std::isfinite(*until) || !(*until > start)) {
        report_error(fmt::format("--until {:.6g} is not after the start at t = {:.6g}", *until, start));
        return std::nullopt;
    }
    if (samples < 1) return report_error(fmt::format("--samples {}: at least one interval is needed", samples)), std::nullopt;
    if (samples > 100'000'000) return report_error(fmt::format("--samples {}: that many rows would not fit", samples)), std::nullopt;
    std::vector<double> list;
    for (long i = 0; i <= samples; ++i) list.push_back(i == samples ? *until : start + (*until - start) * static_cast<double>(i) / static_cast<double>(samples));
    return list;
}

}  // namespace linkwright::cli
