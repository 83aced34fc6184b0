#include "linkwright/report/report.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "common.hpp"
#include "paint.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    std::string verify;
    report::ReportOptions report;
};

std::string text_of(const report::Verification& v) {
    std::string out;
    for (const auto& line : v.lines) {
        out +=
            fmt::format("{}  {:<24} {}\n", line.is_same() ? paint(Ink::good, "same") : paint(Ink::bad, "DIFFERENT"), line.what, line.found);
        if (!line.is_same()) out += fmt::format("      the page says {:>17} {}\n", "", line.stated);
    }
    return out;
}

int verify(const Options& options) {
    std::ifstream in(options.verify, std::ios::binary);
    if (!in) {
        report_error(fmt::format("cannot read {}", options.verify));
        return wrong_input;
    }
    const std::string html{std::istreambuf_iterator<char>(in), {}};
    return deliver(options.common, report::verify(html), text_of);
}

int make_report(Options& options) {
    const SharedOptions& common = options.common;
    if (!options.verify.empty()) {
        if (!common.model.empty()) {
            report_error("--verify takes a page and no model", "the model is in the page");
            return wrong_input;
        }
        return verify(options);
    }
    if (common.model.empty()) {
        report_error("a model file is missing", "linkwright report MODEL -o page.html, or linkwright report --verify page.html");
        return wrong_input;
    }
    if (!are_right(check(options.report), common)) return wrong_input;
    const auto session = open(common);
    if (!session) return wrong_input;
    Progress progress("making the page", common.quiet);
    options.report.on_step = progress.on_step();
    options.report.motion.on_step = options.report.on_step;
    options.report.command = command_line();
    return deliver(common, report::report(*session, options.report), [](const std::string& page) { return page; });
}

}  // namespace

Work declare_report(Words words) {
    auto options = std::make_shared<Options>();
    report::ReportOptions& o = options->report;
    options->common.formulation = "";
    declare(words, options->common);
    words.remove("--formulation");
    words.remove("--json");
    words.remove("model");
    words.add_input("model", options->common.model, "The model file; - is standard input");
    words.add_option("--only", o.only, "These sections: mechanism, motion, equations, analysis, perturbation, trust (all but perturbation)")
        .type_name("SECTIONS")
        .delimiter(',');
    words.add_option("--also", o.also, "A section beside those: perturbation (the method of multiple scales)")
        .type_name("SECTIONS")
        .delimiter(',');
    words.add_option("--live", o.live, "Parameters with a slider, beside those with min and max in the file")
        .type_name("NAMES")
        .delimiter(',');
    words.add_option("--versus", o.versus, "A second motion with other values: \"k=20, c=1\" (repeatable)")
        .type_name("VALUES")
        .repeatable();
    words.add_option("--until", o.motion.rows.until, "When the motion ends (10)").type_name("T");
    words.add_option("--samples", o.motion.rows.samples, "Rows of the motion at equal intervals (600)").type_name("N");
    words.add_option("--tolerance", o.motion.tolerance, "Relative error allowed in a step (1e-8)").type_name("R");
    words.add_input("--inputs", o.motion.inputs, "Inputs as samples: CSV with t and names of inputs");
    words.add_option("--language", o.languages, "Languages of the code that is shown (c,python)").type_name("NAMES").delimiter(',');
    words.add_input("--verify", options->verify, "Check a page: derive its equations and code again and compare digests");
    return [options] { return make_report(*options); };
}

}  // namespace linkwright::cli
