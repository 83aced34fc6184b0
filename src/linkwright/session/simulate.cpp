#include "linkwright/session/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "linkwright/model/form_signals.hpp"
#include "linkwright/session/expression.hpp"
#include "linkwright/session/finite.hpp"
#include "linkwright/session/joint_singularities.hpp"
#include "linkwright/session/samples.hpp"
#include "linkwright/session/start_state.hpp"
#include "linkwright/session/validity.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::session {

namespace {

void check_positive(const char* name, double x, bool may_be_zero, Report& report) {
    if (std::isfinite(x) && (x > 0 || (may_be_zero && x == 0))) return;
    report.error(fmt::format("{} {:.6g} is not a positive number", name, x));
}

/// NAME=EXPRESSION or EXPRESSION, with "rising " or "falling " before it when only one direction counts.
std::optional<eom::Event> read_event(const char* option, std::string text, bool stops, const eom::EquationsOfMotion& e,
                                     const model::Model& model, Report& report) {
    eom::Event event;
    event.stops = stops;
    const std::string whole = text;
    const auto take = [&](std::string_view word, Crossing direction) {
        if (!text.starts_with(word)) return;
        event.direction = direction;
        text.erase(0, word.size());
    };
    take("rising ", Crossing::up);
    take("falling ", Crossing::down);
    const std::size_t equals = text.find('=');
    event.name = whole;
    const std::string before = text.substr(0, equals == std::string::npos ? 0 : equals),
                      name = before.substr(0, before.find_last_not_of(' ') + 1);
    if (equals != std::string::npos && sym::is_name(name)) {
        event.name = name;
        text.erase(0, equals + 1);
    }
    const auto when = read_expression(option, text, e, report, &model);
    if (!when) return std::nullopt;
    if (when->is_number()) {
        report.error(fmt::format("{} \"{}\" never changes", option, whole), "an event is an expression that crosses zero");
        return std::nullopt;
    }
    event.when = *when;
    return event;
}

/// The name and value of each coordinate, speed and auxiliary state.
std::vector<std::pair<std::string, double>> named_values(const numeric::CompiledEquations& numbers, const numeric::State& s) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<std::pair<std::string, double>> values;
    const auto add = [&](const std::vector<sym::Expr>& symbols, const Eigen::VectorXd& x) {
        for (std::size_t i = 0; i < symbols.size(); ++i) values.emplace_back(symbols[i].symbol().name, x[i]);
    };
    add(e.q, s.q), add(e.u, s.u), add(e.x, s.x);
    return values;
}

/// Inputs that were worked out for a motion bring another one about when it begins elsewhere than the table that holds both.
void warn_of_start(const std::string& path, const Table& table, const numeric::CompiledEquations& numbers, const numeric::State& start,
                   Report& report) {
    std::vector<std::string> there, here;
    bool has_states = false;
    const auto look = [&](const std::string& name, double x) {
        const auto column = table.find(name);
        if (!column) return false;
        const double y = table.rows.front()[*column];
        if (std::abs(x - y) > 1e-6 * std::max(1.0, std::abs(x)) && there.size() < 4)
            there.push_back(fmt::format("{} = {:.4g}", name, y)), here.push_back(fmt::format("{} = {:.4g}", name, x));
        return true;
    };
    for (const auto& [name, x] : named_values(numbers, start)) has_states |= look(name, x);
    if (!has_states) return;  // nobody said that these inputs belong to a motion
    look("t", start.t);
    if (there.empty()) return;
    report.warn(
        fmt::format("the first row of {} is at {}, and this motion begins at {}: the motions will differ; --start-from {} starts there",
                    path, fmt::join(there, ", "), fmt::join(here, ", "), path));
}

/// The function of time that the samples of a table describe, for some or all of the inputs.
std::optional<std::function<void(double, Eigen::VectorXd&)>> read_inputs(const std::string& path, const Table& table,
                                                                         const numeric::CompiledEquations& numbers, Report& report) {
    std::vector<std::string> names;
    for (const eom::Input& w : numbers.equations().inputs) names.push_back(w.symbol.symbol().name);
    auto samples = make_samples(table, path, names, "input", report);
    if (!samples) return std::nullopt;
    return [samples = std::move(*samples), &numbers](double t, Eigen::VectorXd& w) {
        Eigen::VectorXd x;
        samples.curve(t, x);
        if (samples.which.size() < static_cast<std::size_t>(w.size())) w = numbers.input_values(t);
        for (std::size_t c = 0; c < samples.which.size(); ++c) w[samples.which[c]] = x[c];
    };
}

/// Inputs as functions of time; each name is one of the model's, and stands once.
std::optional<std::function<void(double, Eigen::VectorXd&)>> find_inputs(const std::vector<InputFunction>& functions,
                                                                         const numeric::CompiledEquations& numbers, Report& report) {
    std::vector<std::string> names;
    for (const eom::Input& w : numbers.equations().inputs) names.push_back(w.symbol.symbol().name);
    std::vector<std::pair<std::size_t, std::function<double(double)>>> driven;
    for (const InputFunction& f : functions) {
        const auto at = std::ranges::find(names, f.name);
        const auto place = static_cast<std::size_t>(at - names.begin());
        if (at == names.end())
            report.error(fmt::format("--inputs: no input '{}'", f.name), hint_for(f.name, names, "the model has no inputs"));
        else if (std::ranges::any_of(driven, [&](const auto& d) { return d.first == place; }))
            report.error(fmt::format("--inputs: '{}' is given twice", f.name));
        else
            driven.emplace_back(place, f.value);
    }
    if (!report.is_ok()) return std::nullopt;
    return [driven = std::move(driven), &numbers](double t, Eigen::VectorXd& w) {
        if (driven.size() < static_cast<std::size_t>(w.size())) w = numbers.input_values(t);
        for (const auto& [i, value] : driven) w[static_cast<Eigen::Index>(i)] = value(t);
    };
}

/// An event of the caller's code, which knows values by their names.
motion::EventFunction with_names(const EventFunction& event, const numeric::CompiledEquations& numbers) {
    NamedState names;
    names.values = named_values(numbers, numbers.zero_state(0));
    for (const eom::Input& w : numbers.equations().inputs) names.inputs.emplace_back(w.symbol.symbol().name, 0);
    const auto value = [f = event.value, names = std::move(names)](const numeric::State& s) mutable {
        names.t = s.t;
        std::size_t at = 0;
        for (const Eigen::VectorXd* part : {&s.q, &s.u, &s.x}) {
            for (const double x : *part) names.values[at++].second = x;
        }
        for (std::size_t i = 0; i < names.inputs.size(); ++i) names.inputs[i].second = s.w[static_cast<Eigen::Index>(i)];
        return f(names);
    };
    return {.name = event.name, .value = value, .direction = event.direction, .stops = event.stops};
}

/// The first or the last row of an earlier result as a state.
std::optional<numeric::State> read_row(const std::string& path, bool is_last, const numeric::CompiledEquations& numbers, Report& report) {
    const auto table = read_table(path, report);
    if (!table) return std::nullopt;
    if (table->rows.empty())
        return report.error(fmt::format("{}: there is no row to {} from", path, is_last ? "go on" : "start")), std::nullopt;
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<std::string> missing;
    const auto value = [&](const std::string& name) {
        const auto column = table->find(name);
        if (!column) return missing.push_back(name), 0.0;
        return (is_last ? table->rows.back() : table->rows.front())[*column];
    };
    numeric::State s = numbers.zero_state(value("t"));
    for (std::size_t i = 0; i < e.q.size(); ++i) s.q[i] = value(e.q[i].symbol().name);
    for (std::size_t i = 0; i < e.u.size(); ++i) s.u[i] = value(e.u[i].symbol().name);
    for (std::size_t i = 0; i < e.x.size(); ++i) s.x[i] = value(e.x[i].symbol().name);
    if (missing.empty()) return s;
    report.error(fmt::format("{}: no column {}", path, fmt::join(missing, ", ")), "is it a result of this model?");
    return std::nullopt;
}

/// What rounding alone makes of the sum of energies, in a mechanism that hardly moves.
double rounding_of_energy(const motion::Motion& motion) {
    const auto column = std::ranges::find(motion.columns, "energy.potential");
    if (column == motion.columns.end()) return 0;
    double largest = 0;
    for (const Eigen::VectorXd& row : motion.rows) largest = std::max(largest, std::abs(row[column - motion.columns.begin()]));
    return 1e-12 * largest;
}

/// The rows of a motion as states, when something is to be looked for in them.
std::vector<numeric::State> states_of(const numeric::CompiledEquations& numbers, const motion::Motion& motion) {
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<numeric::State> states;
    if (e.validity.empty()) return states;
    for (const auto& row : motion.rows) {  // t, coordinates, speeds, auxiliary states
        numeric::State s = numbers.zero_state(row[0]);
        for (std::size_t i = 0; i < e.q.size(); ++i) s.q[static_cast<Eigen::Index>(i)] = row[1 + i];
        for (std::size_t i = 0; i < e.u.size(); ++i) s.u[static_cast<Eigen::Index>(i)] = row[1 + e.q.size() + i];
        states.push_back(std::move(s));
    }
    return states;
}

const char* word(motion::Stop stop) {
    switch (stop) {
        case motion::Stop::reached: return "reached";
        case motion::Stop::event: return "event";
        case motion::Stop::interrupted: return "interrupted";
        case motion::Stop::failed: return "failed";
    }
    return "";
}

}  // namespace

Diagnostics check(const SimulateOptions& o) {
    Report report;
    check_positive("--tolerance", o.tolerance, false, report);
    if (o.absolute) check_positive("--absolute", *o.absolute, false, report);
    if (o.step) check_positive("--step", *o.step, false, report);
    check_positive("--max-step", o.max_step, true, report);
    if (o.baumgarte) check_positive("--baumgarte", *o.baumgarte, true, report);
    if (report.is_ok() && o.tolerance > 0.1)
        report.error(fmt::format("--tolerance {:.6g} is too coarse", o.tolerance), "1e-3 is coarse, 1e-8 the default");
    if (o.max_steps < 1) report.error("--max-steps must be at least 1");
    const std::array begins{std::pair{"--state", o.state.is_given()}, std::pair{"--restart", !o.restart.empty()},
                            std::pair{"--start-from", !o.start_from.empty()}};
    for (std::size_t i = 0; i < begins.size(); ++i) {
        for (std::size_t j = i + 1; j < begins.size(); ++j) {
            if (begins[i].second && begins[j].second)
                report.error(fmt::format("{} and {} both define the initial state", begins[i].first, begins[j].first));
        }
    }
    if (!o.inputs.empty() && !o.drive.empty()) report.error("--inputs and functions of time both drive the inputs");
    report.add(check(o.rows));
    report.add(check(o.state));
    if (!report.is_ok()) return report.problems;
    const auto warn = [&](bool is_idle, const char* option, const char* without) {
        if (is_idle) report.warn(fmt::format("{} has no effect {}", option, without));
    };
    warn(o.rows.samples && !o.rows.times.empty(), "--samples", "with --times");
    warn(o.constraints && o.integrator == motion::Integrator::ida, "--constraints",
         "with --integrator ida, which enforces constraints itself");
    warn(o.baumgarte && o.constraints != motion::ConstraintStabilization::baumgarte, "--baumgarte", "without --constraints baumgarte");
    warn(o.step && o.integrator != motion::Integrator::rk4, "--step", "without --integrator rk4");
    return report.problems;
}

Result<Simulation> simulate(const Session& session, const SimulateOptions& options) {
    Report report;
    report.add(check(options));
    if (!report.is_ok()) return report;
    motion::SimulateOptions o;
    o.tolerance = options.tolerance;
    o.absolute = options.absolute.value_or(o.absolute);
    o.integrator = options.integrator;
    o.keep = options.constraints.value_or(o.keep);
    o.baumgarte = options.baumgarte.value_or(o.baumgarte);
    o.step = options.step.value_or(o.step);
    o.max_step = options.max_step;
    o.max_steps = options.max_steps;
    o.solver.method = options.solver;
    o.at_singular = options.at_singular;

    const bool is_explicit = o.integrator != motion::Integrator::bdf && o.integrator != motion::Integrator::ida;
    const Lease bench =
        borrow(session, "recursive", report, {.only_accelerations = is_explicit, .sampled = model::has_samples(session.model())});
    if (!bench) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    auto events = events_of(e, session.model(), report);
    if (!events) return report;
    o.events = std::move(*events);
    for (const bool stops : {true, false}) {
        for (const std::string& text : stops ? options.stop : options.record) {
            const auto event = read_event(stops ? "--stop" : "--record", text, stops, e, bench->model(), report);
            if (!event) return report;
            o.events.push_back(*event);
        }
    }
    o.singularities = joint_singularities(bench->model(), e);
    const numeric::CompiledEquations& numbers = bench->numbers(options.interpret ? Code::interpreted : Code::native, report);
    for (const EventFunction& event : options.events) o.event_functions.push_back(with_names(event, numbers));
    std::optional<Table> inputs;
    if (!options.inputs.empty()) {
        inputs = read_table(options.inputs, report);
        if (!inputs) return report;
        auto drive = read_inputs(options.inputs, *inputs, numbers, report);
        if (!drive) return report;
        o.drive = std::move(*drive);
    } else if (!options.drive.empty()) {
        auto drive = find_inputs(options.drive, numbers, report);
        if (!drive) return report;
        o.drive = std::move(*drive);
    }
    StartState start;
    if (!options.restart.empty()) {
        const auto state = read_row(options.restart, true, numbers, report);
        if (!state) return report;
        start.state = *state;
    } else {
        StateWords words = options.state;
        if (!options.start_from.empty()) {
            const auto state = read_row(options.start_from, false, numbers, report);
            if (!state) return report;
            words.values = NamedState{.t = state->t, .values = named_values(numbers, *state)};
        }
        start = start_state(words, numbers, report, o.drive);
        if (!start.is_ok()) return report;
        if (inputs) warn_of_start(options.inputs, *inputs, numbers, start.state, report);
    }
    o.resumes = !options.restart.empty() || !options.start_from.empty();
    o.hold_inputs = start.has_inputs;
    const auto times = make_times(options.rows, start.state.t, report);
    if (!times) return report;
    o.times = *times;
    const bool begins_later = o.times.front() > start.state.t;  // the start itself is not asked for
    if (begins_later) o.times.insert(o.times.begin(), start.state.t);
    if (options.on_step) o.on_step = [&](double t) { return options.on_step({t, o.times.front(), o.times.back()}); };

    Simulation r{.names = names_of(e), .motion = motion::simulate(numbers, start.state, o)};
    motion::Motion& motion = r.motion;
    if (begins_later && !motion.rows.empty()) motion.rows.erase(motion.rows.begin());
    for (const std::string& warning : motion.warnings) report.warn(warning);
    for (const std::string& note : motion.notes) report.note(note);
    const motion::Statistics& figures = motion.statistics;
    if (figures.energy_error > 1e4 * o.tolerance * figures.largest_kinetic + rounding_of_energy(motion)) {
        report.warn(fmt::format(
            "the energy does not balance, by {:.2g} at most: something jumps (a given motion with a kink, an impact), or "
            "the steps are too coarse for it; try {}",
            figures.energy_error,
            o.integrator == motion::Integrator::rk4 ? "a smaller --step" : "a smaller --tolerance, --max-step, or --integrator bdf"));
    }
    if (motion.stop == motion::Stop::failed || motion.stop == motion::Stop::interrupted) {
        const std::string rows = motion.rows.empty() ? "" : kept(motion.rows.size());
        report.fail(motion.why, motion.advice.empty() || rows.empty() ? motion.advice + rows : motion.advice + "; " + rows);
    }
    tell_not_finite(not_finite(motion.columns, motion.rows), report);
    warn_beyond_theory(numbers, states_of(numbers, motion), report);
    return {report, std::move(r)};
}

Json to_json(const Simulation& simulation) {
    const motion::Motion& motion = simulation.motion;
    Json j;
    j["model"] = simulation.names.model;
    j["columns"] = to_json(simulation.table());
    j["events"] = Json::array();
    for (const motion::EventRecord& r : motion.events) {
        Json values;
        for (std::size_t c = 0; c < motion.columns.size(); ++c) values[motion.columns[c]] = r.row[c] + 0.0;
        j["events"].push_back({{"t", r.t}, {"name", r.name}, {"values", values}});
    }
    j["singular"] = motion.singular;
    j["stop"] = {{"reason", word(motion.stop)}, {"t", motion.t}, {"why", motion.why}};
    const motion::Statistics& s = motion.statistics;
    j["statistics"] = {{"steps", s.steps},
                       {"evaluations", s.evaluations},
                       {"jacobians", s.jacobians},
                       {"failures", s.failures},
                       {"projections", s.projections},
                       {"choices", s.choices},
                       {"eliminations", s.eliminations},
                       {"pivot_choices", s.pivot_choices},
                       {"passages", s.passages},
                       {"cpu_seconds", s.cpu_seconds},
                       {"energy_error", s.energy_error},
                       {"largest_kinetic", s.largest_kinetic},
                       {"position", s.position},
                       {"velocity", s.velocity}};
    j["warnings"] = motion.warnings;
    j["notes"] = motion.notes;
    return j;
}

}  // namespace linkwright::session
