#include "linkwright/session/perturb.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "linkwright/session/perturb_compare.hpp"
#include "linkwright/session/perturb_json.hpp"
#include "linkwright/session/perturb_page.hpp"
#include "linkwright/session/spellings.hpp"
#include "operating_words.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using Eigen::Index;
using session::ScalesComparison;

struct Options {
    SharedOptions common;
    session::PerturbOptions perturb;
    session::ScalesCompareOptions comparison;
    enum class To : std::uint8_t { text, latex, json };
    std::optional<To> to;
    bool orders = false, compare = false;
    std::string response;

    bool wants_comparison() const { return compare || comparison.halving || !comparison.amplitude.empty(); }
    /// An option of a comparison that nothing will come of; empty: none.
    std::string idle_word() const {
        const session::ScalesCompareOptions& c = comparison;
        if (wants_comparison()) return "";
        return c.until ? "--until" : c.samples ? "--samples" : !c.shrink.empty() ? "--shrink" : c.tolerance ? "--tolerance" : "";
    }
};

/// What would not be listened to.
bool fit_together(Options& o) {
    const auto wrong = [](const std::string& what, const std::string& hint = "") { return report_error(what, hint), false; };
    if (o.common.json && o.to && *o.to != Options::To::json) return wrong("--json and --to exclude each other");
    if (o.to == Options::To::json) o.common.json = true;
    const bool is_response = !o.response.empty();
    if (is_response && o.wants_comparison()) return wrong("--response and --compare exclude each other", "run one after the other");
    if (is_response || o.wants_comparison()) {
        const char* table = is_response ? "--response" : "--compare";
        if (o.to == Options::To::latex)
            return wrong(fmt::format("{} is a table and has no LaTeX form", table), "csv by default, or --json");
        if (o.orders) return wrong(fmt::format("--orders applies to the page of formulas, not to {}", table));
        if (o.perturb.numeric) return wrong(fmt::format("--numeric applies to the page of formulas; {} has numbers only", table));
    }
    if (const std::string word = o.idle_word(); !word.empty())
        return wrong(fmt::format("{} requires a comparison with simulation", word), "add --compare, --amplitude or --halving");
    return true;
}

std::string summary(const ScalesComparison& r) {
    const perturb::ScalesMotion& motion = *r.motion;
    const Eigen::VectorXcd& A = r.A;
    std::string out =
        fmt::format("{}: multiple scales against simulation, t = {:.5g} … {:.5g}\n\n", r.model, motion.times.front(), motion.times.back());
    out += "beginning   ";
    for (Index k = 0; k < A.size(); ++k) out += fmt::format("{}a{} = {:.5g}", k == 0 ? "" : ", ", k + 1, 2 * std::abs(A[k]));
    out += fmt::format("\n\n{:<20}{:>16}{:>16}{:>14}\n", "", "largest motion", "largest error", "relative");
    for (std::size_t i = 0; i < r.coordinates.size(); ++i) {
        const auto k = static_cast<Index>(i);
        const double reach = motion.reach[k];
        out += fmt::format("{:<20}{:>16.5g}{:>16.3g}{:>14}\n", r.coordinates[i], reach, motion.error[k],
                           reach > 0 ? fmt::format("{:.3g}", motion.error[k] / reach) : "");
    }
    return out;
}

std::string halvings(const ScalesComparison& r) {
    const unsigned p = r.slowness;
    std::string out = fmt::format("{}: multiple scales against simulation, amplitudes halved, times as 1/ε{}\n\n", r.model,
                                  p < 2    ? (p == 0 ? "⁰" : "")
                                  : p == 2 ? "²"
                                           : fmt::format("^{}", p));
    out += fmt::format("{:>10}{:>14}{:>16}{:>16}{:>10}\n", "ε", "until", "largest error", "relative", "order");
    for (const ScalesComparison::Halving& row : r.halvings) {
        out += fmt::format("{:>10.6g}{:>14.5g}{:>16.3g}{:>16.3g}{:>10}\n", row.epsilon, row.until, row.error, row.relative,
                           row.order      ? fmt::format("{:.2f}", *row.order)
                           : row.is_exact ? "exact"
                                          : "");
    }
    if (r.has_more) out += "\nDamping and excitation were kept constant; --shrink scales their parameters as well.\n";
    return out;
}

/// Table to the file of -o or, in JSON, to where results go; the summary to standard output.
int compare(const SharedOptions& common, const session::Result<ScalesComparison>& result) {
    if (common.json || !result || !result->motion) {
        return deliver(common, result, [&](const ScalesComparison& r) { return common.json ? dump(to_json(r)) : halvings(r); });
    }
    report(result.problems, common.quiet);
    if (!common.output.empty()) {
        if (const int delivered = deliver(common, to_csv(result->table())); delivered != done) return delivered;
    }
    SharedOptions here = common;
    here.output.clear();
    const int delivered = deliver(here, summary(*result));
    return delivered == done ? static_cast<int>(result.status) : delivered;
}

int perturb(Options& options) {
    SharedOptions& common = options.common;
    if (!are_right(check(options.perturb), common) || !fit_together(options)) return wrong_input;
    Progress progress("multiple scales", common.quiet, Progress::Of::steps);
    options.perturb.on_step = progress.on_step();
    const session::ResponseOptions response{.perturb = options.perturb, .range = options.response};
    if (!options.response.empty() && !are_right(check(response), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    if (options.wants_comparison()) {
        options.comparison.perturb = options.perturb;
        return compare(common, compare_scales(*session, options.comparison));
    }
    if (!options.response.empty()) {
        return deliver(common, steady_response(*session, response),
                       [&](const session::SteadyResponse& r) { return common.json ? dump(to_json(r)) : to_csv(to_table(r)); });
    }
    return deliver(common, session::perturb(*session, options.perturb), [&](const session::Study& study) {
        if (common.json) return dump(perturbation_json(study, options.orders));
        session::PageOptions page;
        page.style = options.to == Options::To::latex ? sym::Style::latex : sym::Style::unicode;
        page.orders = options.orders;
        page.numeric = options.perturb.numeric;
        page.spellings = session::spellings_of(session->model());
        return perturbation_page(study, page);
    });
}

void declare_comparison(Words words, Options& o) {
    session::ScalesCompareOptions& c = o.comparison;
    words.add_flag("--compare", o.compare, "Simulate the full equations as well, and report the error");
    words
        .add_option("--amplitude", c.amplitude,
                    "Initial amplitudes: MODE=VALUE (1=0.1), or COORDINATE=VALUE, measured from the equilibrium (default: [initial])")
        .type_name("NAME=VALUE,...")
        .delimiter(',')
        .repeatable();
    words.add_option("--until", c.until, "End time of the comparison (20 periods of the slowest mode)").type_name("T");
    words.add_option("--samples", c.samples, "Rows of the comparison: N intervals (400)").type_name("N");
    words
        .add_option("--halving", c.halving,
                    "Repeat with all amplitudes halved N times, over the same slow time: how fast the error decreases")
        .type_name("N");
    words.add_option("--shrink", c.shrink, "With --halving: parameters that are scaled by a power of epsilon, for example c=2,F=3")
        .type_name("NAME=POWER,...")
        .delimiter(',')
        .repeatable();
    words.add_option("--tolerance", c.tolerance, "Relative tolerance of the simulation (1e-10)").type_name("R");
}

}  // namespace

Work declare_perturb(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->perturb.operating);
    words.add_option("--degree", options->perturb.degree, "Highest degree of the expanded equations: 3 (default) or 5; from 2 to 7")
        .type_name("N");
    words.add_option("--order", options->perturb.order, "Highest power of epsilon in the modulation equations (default: the degree less 1)")
        .type_name("N");
    words.add_flag("--orders", options->orders, "Show every order: equation, secular terms, solution");
    words.add_flag("--numeric", options->perturb.numeric, "Numbers only, even where formulas in the parameters are available");
    words.add_option("--keep", options->perturb.keep, "Coordinates preferred as independent in closed chains")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words
        .add_option("--closeness", options->perturb.closeness,
                    "Largest detuning, relative to the frequency, that counts as resonance (0.1)")
        .type_name("R");
    words.add_option("--damping", options->perturb.damping, "Power of epsilon of the linear damping (default: automatic)").type_name("N");
    words
        .add_option("--forcing", options->perturb.forcing,
                    "Power of epsilon of resonant forces (default: automatic); others are of order 1")
        .type_name("N");
    words.add_option("--parametric", options->perturb.parametric, "Power of epsilon of the parametric excitation (default: automatic)")
        .type_name("N");
    words.add_option("--response", options->response, "Frequency response: steady states along the frequency of the excitation, CSV")
        .type_name("FROM:UNTIL:STEPS");
    declare_comparison(words, *options);
    words.add_choice(
        "--to", {"text", "latex", "json"}, [options](std::size_t i) { options->to = static_cast<Options::To>(i); },
        "Format: text, latex or json");
    return [options] { return perturb(*options); };
}

}  // namespace linkwright::cli
