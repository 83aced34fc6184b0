#include "linkwright/ensemble/ensemble.hpp"

#include <fmt/format.h>

#include <iostream>

#include "common.hpp"
#include "linkwright/ensemble/message.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    ensemble::EnsembleOptions ensemble;
    std::optional<std::uint64_t> seed;
    long threads = 0;
};

int run(Options& options) {
    SharedOptions& common = options.common;
    ensemble::EnsembleOptions& o = options.ensemble;
    std::string why;
    const ensemble::Messages* const messages = ensemble::find_messages(why);
    if (messages == nullptr) {
        report_error("several processes were started, but they cannot talk: " + why, "--threads uses the cores of one machine");
        return numerical_failure;
    }
    const bool is_first = messages->rank() == 0;
    if (!is_first) std::cerr.setstate(std::ios::failbit);  // the first process speaks for all
    if (options.seed) o.seed = *options.seed;
    if (options.threads < 0) {
        report_error(fmt::format("--threads {}: 0 means all cores", options.threads));
        return wrong_input;
    }
    o.threads = static_cast<unsigned>(options.threads);
    o.output = common.output;
    if (!are_right(check(o), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    Progress progress("running", common.quiet || !is_first, Progress::Of::steps);
    if (is_first) o.on_step = progress.on_step();
    const auto result = ensemble::run(*session, o);
    if (!is_first) return static_cast<int>(result.status);
    SharedOptions here = common;  // the table went to -o; what it says goes to standard output
    here.output.clear();
    return deliver(here, result, [&](const ensemble::Ensemble& r) {
        const std::size_t now = r.runs - r.resumed;
        const unsigned workers = r.processes > 1 ? r.processes + r.threads - 1 : r.threads;
        if (!common.quiet && now > 0)
            std::cerr << fmt::format("{} runs in {:.3g} s, {:.4g} a second and worker, by {} {}{}\n", now, r.seconds,
                                     static_cast<double>(now) / r.seconds / workers, workers,
                                     r.processes > 1 ? "processes"
                                     : workers == 1  ? "thread"
                                                     : "threads",
                                     r.has_lanes ? ", four motions at a time" : "");
        return common.json ? session::dump(to_json(r)) : to_text(r);
    });
}

}  // namespace

Work declare_ensemble(Words words) {
    auto options = std::make_shared<Options>();
    ensemble::EnsembleOptions& o = options->ensemble;
    session::SimulateOptions& s = o.simulate;
    options->common.formulation = "recursive";
    declare(words, options->common);
    words
        .add_option(
            "--vary", o.vary,
            "A parameter, an input or an initial value by chance: \"m ~ normal(1, 0.1)\", \"k ~ uniform(10, 20) in [12, 20]\" (repeatable)")
        .type_name("NAME~DISTRIBUTION")
        .repeatable()
        .about(
            "normal(mean, sd), uniform(a, b), lognormal(mean, sd of log), triangular(a, c, b), exponential(mean), beta(p, q[, a, b]), "
            "weibull(shape, scale), choice(...)");
    words.add_option("--grid", o.grid, "A quantity on a grid: v=1:10:50 or v=1,2,5 (repeatable)").type_name("NAME=RANGE").repeatable();
    words.add_choice(
        "--sampling", {"random", "latin", "sobol"}, [&o](std::size_t i) { o.sampling = static_cast<ensemble::Sampling>(i); },
        "How draws are spread: random (default), latin (hypercube), sobol (sequence, moved by chance)");
    words.add_option("--runs", o.runs, "Draws at each point of the grid; with --indices the base samples, each of them (varied + 2) runs")
        .type_name("N");
    words.add_option("--seed", options->seed, "Another seed gives other draws (1)").type_name("S");
    words.add_flag("--indices", o.indices, "Sobol's indices of sensitivity, first order and total, with confidence intervals");
    words.add_choice(
        "--of", {"simulate", "modes", "equilibrium", "inverse"}, [&o](std::size_t i) { o.of = static_cast<ensemble::Of>(i); },
        "What a run is: simulate (default), modes, equilibrium, inverse");
    words
        .add_option("--collect", o.collect,
                    "What is kept of a run: final(x), initial(x), at(T, x), min, max, argmin, argmax, mean, rms, crossing, rising, falling "
                    "of an expression; of modes frequency.1 ... (repeatable)")
        .type_name("COLLECTOR")
        .repeatable();
    words.add_option("--until", s.rows.until, "End time").type_name("T");
    words.add_option("--samples", s.rows.samples, "Intervals between the samples that max, mean, crossing ... look at (100)")
        .type_name("N");
    words.add_option("--tolerance", s.tolerance, "Relative error tolerance of a step (1e-8)").type_name("R");
    words.add_option("--absolute", s.absolute, "Absolute error tolerance of a step (tolerance/100)").type_name("A");
    words.add_choice(
        "--integrator", {"adams", "bdf", "rk", "rk4", "ida"},
        [&o](std::size_t i) { o.simulate.integrator = static_cast<motion::Integrator>(i), o.one_by_one = true; },
        "Every motion by itself, with this integrator of simulate");
    words.add_choice(
        "--constraints", {"projection", "baumgarte", "partition", "nullspace", "none"},
        [&s](std::size_t i) { s.constraints = static_cast<motion::ConstraintStabilization>(i); }, "How loops stay closed: as in simulate");
    words.add_option("--max-step", s.max_step, "Largest step").type_name("H");
    words.add_option("--max-steps", s.max_steps, "A run fails after this number of steps").type_name("N");
    words.add_option("--stop", s.stop, "A motion ends when this expression crosses zero (repeatable)").type_name("EXPR").repeatable();
    words.add_option("--motion", o.inverse.motion, "Of inverse: the motion, as there (repeatable)").type_name("MOTION").repeatable();
    words.add_choice(
        "--by", {"inputs", "coordinates"}, [&o](std::size_t i) { o.inverse.by = static_cast<motion::ActuatedBy>(i); },
        "Of inverse: what does the pushing");
    words.add_choice(
        "--at", {"equilibrium", "initial"},
        [&o](std::size_t i) { o.operating.at = i == 0 ? linear::Operating::At::equilibrium : linear::Operating::At::initial; },
        "Of modes: where");
    words.add_option("--trim", o.operating.equilibrium.trim, "Of modes and equilibrium: inputs that are looked for")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words.add_option("--hold", o.operating.equilibrium.hold, "Of modes and equilibrium: NAME=VALUE that is held")
        .type_name("NAME=VALUE")
        .repeatable();
    words.add_option("--quantiles", o.quantiles, "Parts of the runs (0.05,0.25,0.5,0.75,0.95)").type_name("P,P,...").delimiter(',');
    words.add_option("--confidence", o.confidence, "Of the intervals (0.95)").type_name("P");
    words.add_option("--bins", o.bins, "Of the histograms in --json (as many as suit)").type_name("N");
    words.add_option("--threads", options->threads, "So many at once (all cores; one in each process under mpirun)").type_name("N");
    words.add_option("--patience", o.patience, "Under mpirun: a process silent for so long is named, and others do its runs (30)")
        .type_name("SECONDS");
    words.add_flag("--one-by-one", o.one_by_one, "Every motion by itself, even where four can be stepped together");
    words.add_flag("--interpret", s.interpret, "Run the interpreter instead of native code");
    words.add_flag("--overwrite", o.overwrite, "Write -o whatever stands there");
    return [options] { return run(*options); };
}

}  // namespace linkwright::cli
