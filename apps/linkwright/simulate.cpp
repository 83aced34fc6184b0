#include "linkwright/motion/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>

#include "linkwright/sym/parse.hpp"
#include "progress.hpp"
#include "samples.hpp"
#include "start.hpp"
#include "table.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    std::string state, restart, inputs;
    std::optional<double> until;
    long samples = 100;
    std::vector<double> times;
    motion::SimulateOptions simulate;
    std::vector<std::string> stop, record;
    std::optional<double> absolute;
    bool interpret = false;
    const CLI::Option *samples_given = nullptr, *constraints = nullptr, *baumgarte = nullptr, *step = nullptr;  ///< to see whether they were given
};

/// Options that mean nothing beside the others.
void warn_of_idle_options(const Options& options) {
    const auto warn = [&](const CLI::Option* option, bool is_idle, const char* without) {
        if (option->count() > 0 && is_idle) std::cerr << fmt::format("linkwright: warning: {} does nothing {}\n", option->get_name(), without);
    };
    const motion::SimulateOptions& o = options.simulate;
    warn(options.samples_given, !options.times.empty(), "beside --times");
    warn(options.constraints, o.integrator == motion::Integrator::ida, "with --integrator ida, which keeps constraints itself");
    warn(options.baumgarte, o.keep != motion::ConstraintStabilization::baumgarte, "without --constraints baumgarte");
    warn(options.step, o.integrator != motion::Integrator::rk4, "without --integrator rk4");
}

/// NAME=EXPRESSION or EXPRESSION, with "rising " or "falling " before it when only one direction counts.
std::optional<eom::Event> read_event(const char* option, std::string text, bool stops, const eom::EquationsOfMotion& e) {
    eom::Event event;
    event.stops = stops;
    const std::string whole = text;
    const auto take = [&](std::string_view word, eom::Event::Direction direction) {
        if (!text.starts_with(word)) return;
        event.direction = direction;
        text.erase(0, word.size());
    };
    take("rising ", eom::Event::Direction::up);
    take("falling ", eom::Event::Direction::down);
    const std::size_t equals = text.find('=');
    event.name = whole;
    const std::string before = text.substr(0, equals == std::string::npos ? 0 : equals), name = before.substr(0, before.find_last_not_of(' ') + 1);
    if (equals != std::string::npos && sym::is_name(name)) {
        event.name = name;
        text.erase(0, equals + 1);
    }
    const auto when = read_expression(option, text, e);
    if (!when) return std::nullopt;
    if (when->is_number()) {
        report_error(fmt::format("{} \"{}\" never changes", option, whole), "an event is an expression that crosses zero");
        return std::nullopt;
    }
    event.when = *when;
    return event;
}

/// The function of time that the samples of a file describe, for some or all of the inputs.
std::optional<std::function<void(double, Eigen::VectorXd&)>> read_inputs(const std::string& path, const numeric::CompiledEquations& numbers) {
    std::vector<std::string> names;
    for (const eom::Input& w : numbers.equations().inputs) names.push_back(w.symbol.symbol().name);
    auto samples = read_samples(path, names, "input");
    if (!samples) return std::nullopt;
    return [samples = std::move(*samples), &numbers](double t, Eigen::VectorXd& w) {
        Eigen::VectorXd x;
        samples.curve(t, x);
        if (samples.which.size() < static_cast<std::size_t>(w.size())) w = numbers.input_values(t);
        for (std::size_t c = 0; c < samples.which.size(); ++c) w[samples.which[c]] = x[c];
    };
}

/// The last row of an earlier result as a state.
std::optional<numeric::State> read_last_row(const std::string& path, const numeric::CompiledEquations& numbers) {
    const auto table = read_table(path);
    if (!table) return std::nullopt;
    if (table->rows.empty()) return report_error(path + ": there is no row to go on from"), std::nullopt;
    const eom::EquationsOfMotion& e = numbers.equations();
    std::vector<std::string> missing;
    const auto value = [&](const std::string& name) {
        const auto column = table->find(name);
        if (!column) return missing.push_back(name), 0.0;
        return table->rows.back()[*column];
    };
    numeric::State s = numbers.zero_state(value("t"));
    for (std::size_t i = 0; i < e.q.size(); ++i) s.q[i] = value(e.q[i].symbol().name);
    for (std::size_t i = 0; i < e.u.size(); ++i) s.u[i] = value(e.u[i].symbol().name);
    if (missing.empty()) return s;
    report_error(fmt::format("{}: no column {}", path, fmt::join(missing, ", ")), "is it a result of this model?");
    return std::nullopt;
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

nlohmann::ordered_json as_json(const motion::Motion& motion, const std::string& model) {
    nlohmann::ordered_json j;
    j["model"] = model;
    j["columns"] = to_json(Table{motion.columns, motion.rows});
    j["events"] = nlohmann::ordered_json::array();
    for (const motion::EventRecord& r : motion.events) {
        nlohmann::ordered_json values;
        for (std::size_t c = 0; c < motion.columns.size(); ++c) values[motion.columns[c]] = r.row[c] + 0.0;
        j["events"].push_back({{"t", r.t}, {"name", r.name}, {"values", values}});
    }
    j["stop"] = {{"reason", word(motion.stop)}, {"t", motion.t}, {"why", motion.why}};
    const motion::Statistics& s = motion.statistics;
    j["statistics"] = {{"steps", s.steps}, {"evaluations", s.evaluations}, {"jacobians", s.jacobians}, {"failures", s.failures},
                       {"projections", s.projections}, {"choices", s.choices}, {"cpu_seconds", s.cpu_seconds}, {"energy_error", s.energy_error},
                       {"largest_kinetic", s.largest_kinetic}, {"position", s.position}, {"velocity", s.velocity}};
    j["warnings"] = motion.warnings;
    return j;
}

void summarise(const motion::Motion& motion, bool has_constraints) {
    const motion::Statistics& s = motion.statistics;
    std::cerr << fmt::format("{} steps, {} evaluations, {:.3g} s of CPU; energy error {:.2g}", s.steps, s.evaluations, s.cpu_seconds, s.energy_error);
    if (has_constraints) std::cerr << fmt::format("; constraints off by at most {:.2g} (positions), {:.2g} (speeds)", s.position, s.velocity);
    std::cerr << '\n';
    for (const motion::EventRecord& r : motion.events) std::cerr << fmt::format("event {} at t = {:.10g}\n", r.name, r.t);
}

int simulate(Options& options) {
    const auto positive = [](const char* name, double x, bool may_be_zero) {
        if (std::isfinite(x) && (x > 0 || (may_be_zero && x == 0))) return true;
        report_error(fmt::format("{} {:.6g} is not a positive number", name, x));
        return false;
    };
    motion::SimulateOptions& o = options.simulate;
    bool is_right = positive("--tolerance", o.tolerance, false);
    if (options.absolute) is_right &= positive("--absolute", *options.absolute, false), o.absolute = *options.absolute;
    is_right &= positive("--step", o.step, true) & positive("--max-step", o.max_step, true) & positive("--baumgarte", o.baumgarte, true);
    if (is_right && o.tolerance > 0.1) is_right = (report_error(fmt::format("--tolerance {:.6g} is too coarse to mean anything", o.tolerance), "1e-3 is coarse, 1e-8 the default"), false);
    if (o.max_steps < 1) is_right = (report_error("--max-steps must be at least 1"), false);
    if (!options.state.empty() && !options.restart.empty()) is_right = (report_error("--state and --restart both say where to begin"), false);
    if (!is_right) return wrong_input;
    if (!options.common.quiet) warn_of_idle_options(options);

    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations) return wrong_input;
    o.events = equations->events;
    for (const bool stops : {true, false}) {
        for (const std::string& text : stops ? options.stop : options.record) {
            const auto event = read_event(stops ? "--stop" : "--record", text, stops, *equations);
            if (!event) return wrong_input;
            o.events.push_back(*event);
        }
    }
    const numeric::CompiledEquations numbers(*equations, options.interpret ? numeric::Compile(numeric::interpret) : native_code(options.common.quiet));

    Start start;
    if (options.restart.empty()) {
        start = start_state(options.state, numbers, options.common.quiet);
        if (start.status != done || !start.has_state) return start.status;
    } else {
        const auto state = read_last_row(options.restart, numbers);
        if (!state) return wrong_input;
        start.state = *state;
    }
    o.hold_inputs = start.has_inputs;
    if (!options.inputs.empty()) {
        auto drive = read_inputs(options.inputs, numbers);
        if (!drive) return wrong_input;
        o.drive = std::move(*drive);
    }
    const auto times = read_times(start.state.t, options.until, options.samples, options.times);
    if (!times) return wrong_input;
    o.times = *times;
    const bool begins_later = o.times.front() > start.state.t;  // the start itself is not asked for
    if (begins_later) o.times.insert(o.times.begin(), start.state.t);

    Progress progress("simulating", o.times.front(), o.times.back(), options.common.quiet);
    o.on_step = [&](double t) { return progress(t); };
    motion::Motion motion = motion::simulate(numbers, start.state, o);
    if (begins_later && !motion.rows.empty()) motion.rows.erase(motion.rows.begin());
    for (const std::string& warning : motion.warnings) {
        if (!options.common.quiet) std::cerr << "linkwright: warning: " << warning << '\n';
    }
    const motion::Statistics& figures = motion.statistics;
    if (!options.common.quiet && figures.energy_error > 1e4 * o.tolerance * figures.largest_kinetic) {
        std::cerr << fmt::format("linkwright: warning: the energy does not balance, by {:.2g} at most: something jumps (a given motion with a kink, an impact), or "
                                 "the steps are too coarse for it; try {}\n", figures.energy_error,
                                 o.integrator == motion::Integrator::rk4 ? "a smaller --step" : "a smaller --tolerance, --max-step, or --integrator bdf");
    }
    int status = done;
    if (motion.stop == motion::Stop::failed || motion.stop == motion::Stop::interrupted) {
        report_error(motion.why, motion.rows.empty() ? "" : kept(motion.rows.size()));
        status = numerical_failure;
    } else if (!options.common.quiet && motion.stop == motion::Stop::event) {
        std::cerr << motion.why << '\n';
    }
    if (!options.common.quiet) summarise(motion, !equations->constraints.empty());
    const int delivered = deliver(options.common, options.common.json ? dump(as_json(motion, equations->name)) : to_csv({motion.columns, motion.rows}));
    return delivered == done ? status : delivered;
}

}  // namespace

Work declare_simulate(CLI::App& words) {
    auto options = std::make_shared<Options>();
    motion::SimulateOptions& o = options->simulate;
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.add_option("--until", options->until, "When to end")->type_name("T");
    options->samples_given = words.add_option("--samples", options->samples, "Rows at equal intervals: N of them, N+1 rows (100)")->type_name("N");
    words.add_option("--times", options->times, "Rows at these times instead")->type_name("T,T,...")->delimiter(',');
    words.add_option("--state", options->state, "Begin at this state, closed first; without it: [initial]")->type_name("FILE");
    words.add_option("--restart", options->restart, "Go on from the last row of an earlier result")->type_name("FILE");
    words.add_option("--inputs", options->inputs, "Inputs as samples: CSV with t and names of inputs, a cubic spline between")->type_name("FILE");
    words.add_option("--tolerance", o.tolerance, "Relative error allowed in a step (1e-8)")->type_name("R");
    words.add_option("--absolute", options->absolute, "Absolute error allowed in a step (tolerance/100)")->type_name("A");
    add_choice(words, "--integrator", {"adams", "bdf", "rk", "rk4", "ida"}, [&o](std::size_t i) { o.integrator = static_cast<motion::Integrator>(i); },
               "adams (smooth motion, the default), bdf (stiff), rk (order 8), rk4 (fixed step), ida (descriptor form)");
    options->constraints = add_choice(words, "--constraints", {"projection", "baumgarte", "partition", "nullspace", "none"}, [&o](std::size_t i) { o.keep = static_cast<motion::ConstraintStabilization>(i); },
               "How loops stay closed: projection (default), baumgarte, partition, nullspace, none");
    add_choice(words, "--solver", {"nullspace", "schur", "kkt"}, [&o](std::size_t i) { o.solver.method = static_cast<solve::DescriptorMethod>(i); },
               "How accelerations of loops are solved for: nullspace (default), schur, kkt");
    options->baumgarte = words.add_option("--baumgarte", o.baumgarte, "Rate of Baumgarte's stabilisation, 1/s (20)")->type_name("ALPHA");
    options->step = words.add_option("--step", o.step, "Step of rk4 (a thousandth of the whole)")->type_name("H");
    words.add_option("--max-step", o.max_step, "No step longer than this")->type_name("H");
    words.add_option("--max-steps", o.max_steps, "Give up after so many steps")->type_name("N");
    words.add_option("--stop", options->stop, "End when this expression crosses zero; 'rising' or 'falling' before it, NAME= after that (repeatable)")->type_name("EXPR")->take_all()->allow_extra_args(false);
    words.add_option("--record", options->record, "Note when this expression crosses zero (repeatable)")->type_name("EXPR")->take_all()->allow_extra_args(false);
    words.add_flag("--interpret", options->interpret, "Run the interpreter, not native code");
    return [options] { return simulate(*options); };
}

}  // namespace linkwright::cli
