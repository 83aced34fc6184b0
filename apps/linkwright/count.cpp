#include "linkwright/session/count.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common.hpp"
#include "linkwright/codegen/elimination.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/session/kane_evaluations.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using session::CountedFormulation, session::CountedProgram;

struct Options {
    SharedOptions common;
    bool base_parameters = false, derivatives = false;
    std::string evaluation;
};

std::string as_text(const CountedFormulation& f) {
    std::string out = fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}\n", f.formulation, "add", "mul", "div", "sqrt", "sincos",
                                  "other", "total", "setup");
    for (const CountedProgram& c : f.programs) {
        const program::Operations& n = c.run;
        out += fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}   {}\n", c.name, n.add, n.mul, n.div, n.sqrt, n.sincos, n.other,
                           n.total(), c.setup.total(), c.about);
    }
    out += "setup: operations on parameters alone, computed once; none with --freeze all\n";
    if (f.pivots)
        out += "elimination: " + codegen::in_words(*f.pivots) + "\n";
    else if (f.has_constraints)
        out += fmt::format("elimination: none in emitted code, where a general solver serves ({})\n", f.why_no_pivots);
    return out;
}

/// Every formulation, a row for each: sums, products and quotients.
std::string as_text(const std::vector<CountedFormulation>& all) {
    std::string out = fmt::format("{:<22}{:>10}{:>10}{:>13}{:>9}\n", "add + mul + div", "forward", "inverse", "mass matrix", "setup");
    const auto of = [](const program::Operations& n) { return n.add + n.mul + n.div; };
    for (const CountedFormulation& f : all) {
        out += fmt::format("{:<22}{:>10}{:>10}{:>13}{:>9}{}\n", f.formulation, of(f.programs[0].run), of(f.programs[1].run),
                           of(f.programs[2].run), of(f.programs[0].setup), f.has_constraints ? "   *" : "");
    }
    if (std::ranges::any_of(all, &CountedFormulation::has_constraints))
        out += "* constraints: forward is M, f, G, gamma; a linear system is solved after it\n";
    return out + "setup: of forward, operations on parameters alone, computed once; none with --freeze all\n";
}

/// What the equations depend on.
std::string as_text(const formulation::recursive::BaseParameters& base) {
    std::string out = fmt::format("{} base parameters of {} inertial ones; {} of them are 0 in this model\n", base.all.size() + base.zeros,
                                  base.standard, base.zeros);
    std::size_t width = 0;
    for (const auto& p : base.all) width = std::max(width, p.name.size());
    for (const auto& p : base.all) out += fmt::format("{:<{}} {:>13.6g} = {}\n", p.name, width, p.value, session::written(p.definition));
    if (!base.without_effect.empty()) out += fmt::format("without effect: {}\n", fmt::join(base.without_effect, ", "));
    if (!base.zeros_without_effect.empty()) out += fmt::format("without effect and 0: {} more\n", base.zeros_without_effect.size());
    return out +
           "M mass, X Y Z first moments, XX XY ... inertia of a link and all that is lumped with it, z along its joint's axis;\n"
           "XX is XX - YY where YY is lumped with the inner link\n";
}

std::string as_text(const session::KaneEvaluations& r) {
    using formulation::kane::Evaluation;
    std::string out = fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}\n", "M and f", "add", "mul", "div", "sqrt", "sincos",
                                  "other", "total", "setup");
    std::string remarks;
    for (const session::KaneEvaluationCount& c : r.counts) {
        const program::Operations& n = c.run;
        out += fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}{}\n", to_string(c.evaluation), n.add, n.mul, n.div, n.sqrt,
                           n.sincos, n.other, n.total(), c.setup.total(), c.why_not.empty() ? "" : "   and more");
        if (c.evaluation == Evaluation::expanded && c.why_not.empty()) remarks += fmt::format("expanded: {} products in all\n", c.terms);
        if (!c.why_not.empty()) remarks += fmt::format("expanded: {}\n", c.why_not);
        if (c.evaluation == Evaluation::matrices)
            remarks += fmt::format("matrices: {} operations in the entries, {} in the loops that multiply them\n", c.matrices, c.loops);
    }
    return out + remarks + "setup: operations on parameters alone, computed once; none with --freeze all\n";
}

int run(const Options& options) {
    const bool is_all = options.common.formulation == "all";
    SharedOptions common = options.common;
    if (is_all) common.formulation = formulation::formulations().front().name;
    const auto session = open(common);
    if (!session) return wrong_input;
    const auto show = [&](const auto& r) { return common.json ? dump(to_json(r)) : as_text(r); };
    if (!options.evaluation.empty()) return deliver(common, count_kane_evaluations(*session, options.evaluation), show);
    if (options.base_parameters) {
        return deliver(common, base_parameters(*session), [&](const formulation::recursive::BaseParameters& r) {
            return common.json ? dump(session::to_json(r, session->model().name)) : as_text(r);
        });
    }
    return is_all ? deliver(common, count_all(*session),
                            [&](const std::vector<CountedFormulation>& r) { return common.json ? dump(session::to_json(r)) : as_text(r); })
                  : deliver(common, count(*session, options.derivatives), show);
}

}  // namespace

Work declare_count(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.find("--formulation").about("A formulation as in derive, or all for a table (default recursive; kane with --evaluation)");
    words.add_flag("--base-parameters", options->base_parameters,
                   "Base parameters: the combinations of masses and inertias that the equations depend on, and those without effect");
    words.add_flag("--derivatives", options->derivatives,
                   "Count accelerations with all their derivatives by q, u, inputs and forces too; of rigid trees");
    words
        .add_option("--evaluation", options->evaluation,
                    "Count Kane's M and f evaluated in other ways: expanded, matrices, intermediates, or all three")
        .type_name("NAME");
    return [options, formulation = words.find("--formulation")] {
        if (!formulation.is_given() && !options->evaluation.empty()) options->common.formulation = "kane";
        return run(*options);
    };
}

}  // namespace linkwright::cli
