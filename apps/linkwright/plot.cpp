#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <iostream>
#include <iterator>

#include "common.hpp"
#include "linkwright/report/plot_png.hpp"
#include "linkwright/report/plot_svg.hpp"
#include "linkwright/report/plot_terminal.hpp"
#include "linkwright/session/simulate.hpp"
#include "linkwright/session/units.hpp"
#include "linkwright/session/write_files.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

enum class Medium : std::uint8_t { svg, png, terminal };

struct Options {
    SharedOptions common;
    report::PlotOptions plot;
    session::SimulateOptions simulate;
    std::optional<Medium> to;
    std::function<std::vector<std::string>()> of_models;  ///< options given that only models have
};

bool is_model(const std::string& file) { return file.ends_with(".toml"); }

/// What --to says, otherwise the end of the file's name.
Medium medium_of(const Options& options) {
    if (options.to) return *options.to;
    if (options.common.output.ends_with(".svg")) return Medium::svg;
    if (options.common.output.ends_with(".png")) return Medium::png;
    return Medium::terminal;
}

/// A motion of the model as a table with units. One that ended early has a status.
session::Result<session::Table> simulated(Options& options) {
    session::Report report;
    const auto session = open(options.common);
    if (!session) {
        report.status = session::Status::wrong_input;  // told
        return report;
    }
    Progress progress("simulating", options.common.quiet);
    options.simulate.on_step = [&](const session::Step& step) { return progress(step); };
    const auto motion = session::simulate(*session, options.simulate);
    report.add(static_cast<const session::Report&>(motion));
    if (!motion) return report;
    session::Table table = motion->table();
    table.units = session::units_for(table.columns, session->model());
    return {report, std::move(table)};
}

session::Result<session::Table> read(const Options& options) {
    session::Report report;
    for (const std::string& name : options.of_models())
        report.error(fmt::format("{} is for models, and {} is a table", name, options.common.model));
    if (!report.is_ok()) return report;
    const bool is_standard = options.common.model == "-";
    auto table = is_standard
                     ? session::parse_table({std::istreambuf_iterator<char>(std::cin), {}}, "<stdin>", report, session::Gaps::allowed)
                     : session::read_table(options.common.model, report, session::Gaps::allowed);
    if (!table) return report;
    return {report, std::move(*table)};
}

/// A picture goes as it is: bytes of a PNG may look like a colour.
int deliver_picture(const SharedOptions& common, const std::string& bytes) {
    if (common.output.empty() || common.output == "-") {
        if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size() && std::fflush(stdout) == 0) return done;
        report_error("cannot write to standard output");
        std::clearerr(stdout);  // told
        return numerical_failure;
    }
    const std::string trouble = session::write_files(std::array{session::NewFile{common.output, bytes}});
    if (trouble.empty()) return done;
    report_error(trouble);
    return numerical_failure;
}

int deliver(const Options& options, const report::Plot& plot) {
    switch (medium_of(options)) {
        case Medium::terminal: return deliver(options.common, report::to_terminal(plot));
        case Medium::svg: return deliver_picture(options.common, report::to_svg(report::lay_out(plot)));
        case Medium::png: break;
    }
    const std::string png = report::to_png(report::lay_out(plot));
    if (!png.empty()) return deliver_picture(options.common, png);
    report_error("there is no memory for a picture of this size", "fewer --columns");
    return numerical_failure;
}

int plot(Options& options) {
    const SharedOptions& common = options.common;
    if (medium_of(options) == Medium::png && common.output.empty()) {
        report_error("a PNG is not for terminals", "-o FILE.png says where to put it; -o - is standard output");
        return wrong_input;
    }
    if (is_model(common.model) && !are_right(check(options.simulate), common)) return wrong_input;
    if (!common.output.empty() && !may_write(common, common.output)) return wrong_input;
    const auto table = is_model(common.model) ? simulated(options) : read(options);
    report(table.problems, common.quiet);
    if (!table) return static_cast<int>(table.status);
    const auto plot = report::make_plot(*table, options.plot);
    report(plot.problems, common.quiet);
    if (!plot) return static_cast<int>(plot.status);
    const int delivered = deliver(options, *plot);
    return delivered == done ? static_cast<int>(table.status) : delivered;
}

}  // namespace

Work declare_plot(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.remove("--json");
    words.find("model").about(
        "A table of simulate, inverse or another program (CSV, or JSON with columns), or a model (.toml), which is simulated; - is a table "
        "on standard input");
    words.add_option("--columns", options->plot.columns, "What to plot; without it the first six columns")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words.add_option("--against", options->plot.against, "Over which column: t, or the first one, unless it is said here")
        .type_name("NAME");
    words.add_choice(
        "--to", {"svg", "png", "terminal"}, [options](std::size_t i) { options->to = static_cast<Medium>(i); },
        "svg, png, terminal (default: by the name of -o, otherwise terminal)");
    words.add_option("--until", options->simulate.rows.until, "Of a model: when its motion ends").type_name("T");
    words.add_option("--samples", options->simulate.rows.samples, "Of a model: so many intervals (2000)").type_name("N");
    options->of_models = [words] {
        std::vector<std::string> given;
        for (const char* name : {"--set", "--initial", "--freeze", "--formulation", "--until", "--samples"}) {
            if (words.is_given(name)) given.emplace_back(name);
        }
        return given;
    };
    return [options] {
        if (!options->simulate.rows.samples) options->simulate.rows.samples = 2000;
        return plot(*options);
    };
}

}  // namespace linkwright::cli
