#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "common.hpp"
#include "linkwright/report/plot_terminal.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/session/units.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    bool units = false;
    std::vector<std::string> plot;  ///< columns to look at
    session::SimulateOptions simulate;
};

void summarise(const motion::Motion& motion, bool has_constraints) {
    const motion::Statistics& s = motion.statistics;
    std::cerr << fmt::format("{} steps, {} evaluations, {:.3g} s of CPU; energy error {:.2g}", s.steps, s.evaluations, s.cpu_seconds,
                             s.energy_error);
    if (has_constraints)
        std::cerr << fmt::format("; largest residual of the constraints {:.2g} (positions), {:.2g} (velocities)", s.position, s.velocity);
    if (s.choices > 0) std::cerr << fmt::format("; independent coordinates chosen again {} time{}", s.choices, s.choices == 1 ? "" : "s");
    if (s.pivot_choices > 0)
        std::cerr << fmt::format("; {} evaluations by elimination with pivots chosen {} time{}", s.eliminations, s.pivot_choices,
                                 s.pivot_choices == 1 ? "" : "s");
    std::cerr << '\n';
    for (const motion::EventRecord& r : motion.events) std::cerr << fmt::format("event {} at t = {:.10g}\n", r.name, r.t);
}

/// In the terminal.
int show(const Options& options, const session::Simulation& simulation, const Session& session) {
    session::Table table = simulation.table();
    table.units = session::units_for(table.columns, session.model());
    SharedOptions here = options.common;
    here.output.clear();
    return deliver(here, report::make_plot(table, {.columns = options.plot, .against = {}}),
                   [](const report::Plot& plot) { return report::to_terminal(plot); });
}

int simulate(Options& options) {
    const SharedOptions& common = options.common;
    const bool is_plotted = !options.plot.empty();
    if (is_plotted && common.json && common.output.empty()) {
        report_error("--plot and --json both write to standard output", "-o FILE takes the result");
        return wrong_input;
    }
    if (!are_right(check(options.simulate), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    Progress progress("simulating", common.quiet);
    options.simulate.on_step = [&](const session::Step& step) { return progress(step); };
    const auto simulation = session::simulate(*session, options.simulate);
    const int delivered = deliver(common, simulation, [&](const session::Simulation& r) {
        if (!common.quiet && r.motion.stop == motion::Stop::event) std::cerr << r.motion.why << '\n';
        if (!common.quiet) summarise(r.motion, !r.names.constraints.empty());
        if (is_plotted && common.output.empty()) return std::string();  // the plot stands for the rows
        return common.json
                   ? session::dump(to_json(r))
                   : (options.units ? to_csv(r.table(), session::units_for(r.table().columns, session->model())) : to_csv(r.table()));
    });
    const int shown = is_plotted && simulation ? show(options, *simulation, *session) : static_cast<int>(done);
    return std::max(delivered, shown);
}

}  // namespace

Work declare_simulate(Words words) {
    auto options = std::make_shared<Options>();
    session::SimulateOptions& o = options->simulate;
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.add_option("--until", o.rows.until, "End time").type_name("T");
    words.add_option("--samples", o.rows.samples, "Number of equal intervals; N+1 rows are written (100)").type_name("N");
    words.add_option("--times", o.rows.times, "Write rows at these times instead").type_name("T,T,...").delimiter(',');
    words.add_input("--state", o.state.file, "Start from this state, with its loops closed (default: [initial])");
    words.add_input("--restart", o.restart, "Continue from the last row of an earlier result");
    words.add_input("--start-from", o.start_from, "Start from the first row of a table: t, coordinates and speeds, as inverse writes them");
    words.add_input("--inputs", o.inputs, "Sampled inputs: CSV with columns t and names of inputs, interpolated by cubic splines");
    words.add_option("--tolerance", o.tolerance, "Relative error tolerance of a step (1e-8)").type_name("R");
    words.add_option("--absolute", o.absolute, "Absolute error tolerance of a step (tolerance/100)").type_name("A");
    words.add_choice(
        "--integrator", {"adams", "bdf", "rk", "rk4", "ida"}, [&o](std::size_t i) { o.integrator = static_cast<motion::Integrator>(i); },
        "adams (smooth motion, the default), bdf (stiff), rk (order 8), rk4 (fixed step), ida (descriptor form)");
    words.add_choice(
        "--constraints", {"projection", "baumgarte", "partition", "nullspace", "none"},
        [&o](std::size_t i) { o.constraints = static_cast<motion::ConstraintStabilization>(i); },
        "How loops stay closed: projection (default), baumgarte, partition, nullspace, none");
    words.add_choice(
        "--solver", {"nullspace", "schur", "kkt"}, [&o](std::size_t i) { o.solver = static_cast<solve::DescriptorMethod>(i); },
        "How accelerations of loops are solved for: nullspace (default), schur, kkt");
    words.add_choice(
        "--singular", {"pass", "stop"}, [&o](std::size_t i) { o.at_singular = static_cast<motion::AtSingular>(i); },
        "Where loops lose rank on the way: pass along the smooth branch (default), or stop");
    words.add_option("--baumgarte", o.baumgarte, "Rate of Baumgarte's stabilisation, 1/s (20)").type_name("ALPHA");
    words.add_option("--step", o.step, "Step of rk4 (default: a thousandth of the duration)").type_name("H");
    words.add_option("--max-step", o.max_step, "Largest step").type_name("H");
    words.add_option("--max-steps", o.max_steps, "Stop after this number of steps").type_name("N");
    words
        .add_option("--stop", o.stop,
                    "End when this expression crosses zero; 'rising' or 'falling' before it, NAME= after that (repeatable)")
        .type_name("EXPR")
        .repeatable();
    words.add_option("--record", o.record, "Note when this expression crosses zero (repeatable)").type_name("EXPR").repeatable();
    words.add_flag("--interpret", o.interpret, "Run the interpreter instead of native code");
    words.add_flag("--units", options->units, "Units in the header of the table: 'hip [rad]'");
    words.add_option("--plot", options->plot, "Plot these columns in the terminal, instead of the rows where -o does not take them")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    return [options] { return simulate(*options); };
}

}  // namespace linkwright::cli
