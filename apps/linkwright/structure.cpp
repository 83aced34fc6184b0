#include "linkwright/session/structure_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "common.hpp"
#include "progress.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using Eigen::Index;
using session::FoundStructure;
using session::SynthesisRow;
using structure::Method;

struct Options {
    SharedOptions common;
    session::StructureOptions structure;
    std::string method = "full", at, sweep;
    std::vector<std::string> retain;
    std::optional<long> elements;
};

std::string heading(const FoundStructure& r) {
    const std::size_t elements = std::accumulate(r.elements.begin(), r.elements.end(), std::size_t{0});
    std::string out = fmt::format("{}: {} {}, {} finite {}, {} {}\n", r.model.empty() ? "The model" : r.model, r.bodies.size(),
                                  r.bodies.size() == 1 ? "body" : "bodies", elements, elements == 1 ? "element" : "elements",
                                  r.full_freedoms, r.full_freedoms == 1 ? "degree of freedom" : "degrees of freedom");
    if (!r.joints.empty()) out += fmt::format("joints: {}\n", fmt::join(r.joints, ", "));
    return out;
}

/// "A 70 %, B 30 %"
std::string parts_of(const FoundStructure& r, Index mode) {
    std::vector<std::pair<double, std::string>> parts;
    for (std::size_t b = 0; b < r.bodies.size(); ++b) {
        const double part = r.energy(static_cast<Index>(b), mode);
        if (part >= 0.005) parts.emplace_back(part, r.bodies[b]);
    }
    std::ranges::stable_sort(parts, std::greater<>(), &std::pair<double, std::string>::first);
    std::vector<std::string> words;
    for (const auto& [part, name] : parts) words.push_back(fmt::format("{} {:.0f} %", name, 100 * part));
    return fmt::format("{}", fmt::join(words, ", "));
}

std::string modes_text(const FoundStructure& r) {
    const Eigen::VectorXd f = r.modes.frequencies();
    std::string out = fmt::format("\n{:>4}  {:>16}  {:>16}   {}\n", "mode", "Hz", "rad/s", "kinetic energy");
    for (Index k = 0; k < f.size(); ++k) {
        const bool is_rigid = k < r.modes.rigid;
        out += fmt::format("{:>4}  {:>16.10g}  {:>16.10g}   {}{}\n", k + 1, f[k], 2 * std::numbers::pi * f[k], parts_of(r, k),
                           is_rigid                ? " (rigid-body mode)"
                           : r.modes.omega2[k] < 0 ? " (unstable)"
                                                   : "");
    }
    return out;
}

std::string table_text(const FoundStructure& r) {
    Index most = 0;
    for (const SynthesisRow& row : r.table) most = std::max(most, row.error.size());
    most = std::min<Index>(most, 8);
    std::string numbers;
    for (Index k = 1; k <= most; ++k) numbers += fmt::format("{:>14}", k);
    std::string out = fmt::format("\nfrequencies of the structure, Hz\n{:>6}{:>10}{}\n", "modes", "DOF", numbers);
    for (const SynthesisRow& row : r.table) {
        out += fmt::format("{:>6}{:>10}", row.modes, row.freedoms);
        for (Index k = 0; k < std::min(most, row.error.size()); ++k) out += fmt::format("{:>14.8g}", row.frequencies[k]);
        out += "\n";
    }
    out += fmt::format("{:>6}{:>10}", "full", r.full_freedoms);
    for (Index k = 0; k < std::min<Index>(most, r.full.size()); ++k) out += fmt::format("{:>14.8g}", r.full[k]);
    out += fmt::format("\n\nerror, %\n{:>6}{:>10}{}\n", "modes", "DOF", numbers);
    for (const SynthesisRow& row : r.table) {
        out += fmt::format("{:>6}{:>10}", row.modes, row.freedoms);
        for (Index k = 0; k < std::min(most, row.error.size()); ++k)
            out += fmt::format("{:>14.3g}", std::abs(row.error[k]) < 1e-9 ? 0.0 : row.error[k]);
        out += "\n";
    }
    return out;
}

std::string components_text(const FoundStructure& r) {
    static constexpr std::string_view interfaces[]{"", "held", "free", "free, with residual flexibility", "loaded"};
    std::string out = fmt::format("\ncomponents, interfaces {}\n", interfaces[static_cast<std::size_t>(r.method)]);
    for (const structure::ComponentModes& c : r.components) {
        structure::NaturalModes own;
        own.omega2 = c.omega2;
        std::vector<std::string> words;
        for (const double f : own.frequencies()) words.push_back(fmt::format("{:.7g}", f));
        if (c.rigid > 0) words.insert(words.begin(), fmt::format("{} rigid", c.rigid));
        out += fmt::format("    {:<12}{}{}\n", c.name, fmt::join(words, ", "), c.omega2.size() > 0 ? " Hz" : "");
    }
    return out;
}

std::string as_text(const FoundStructure& r) {
    if (r.method == Method::full) return heading(r) + modes_text(r);
    return heading(r) + table_text(r) + components_text(r);
}

std::string retained_words(const session::SweptStructure& r) {
    return fmt::format(
        "{} degrees of freedom instead of {}, modes at {} points; at {} others the largest relative error of a frequency is {:.2g}",
        r.retained.size(), r.retained.full_freedoms, r.retained.points, r.retained.checks, r.retained.error);
}

std::string retained_text(const session::SweptStructure& r) {
    std::string out = fmt::format("{}: K and M as functions of", r.model.empty() ? "The model" : r.model);
    for (const structure::RetainedParameter& p : r.retained.parameters)
        out +=
            fmt::format("{} {} from {:.6g} to {:.6g}", &p == r.retained.parameters.data() ? "" : ",", p.symbol.symbol().name, p.from, p.to);
    out +=
        fmt::format("\n{}\n\nsums of constant matrices ({} x {}), each times\n", retained_words(r), r.retained.size(), r.retained.size());
    for (const std::string& c : r.coefficients) out += fmt::format("    {}\n", c);
    return out;
}

int run(Options& options) {
    const auto method = structure::method_by(options.method);
    if (!method) {
        report_error(fmt::format("--method: unknown method '{}'", options.method),
                     "the methods are full, fixed, free, free-residual, loaded");
        return wrong_input;
    }
    options.structure.method = *method;
    options.structure.elements = options.elements;
    if (options.at != "initial") options.structure.state.file = options.at;
    const auto session = open(options.common);
    if (!session) return wrong_input;
    Progress progress("assembling", options.common.quiet, Progress::Of::steps);
    options.structure.on_step = progress.on_step();
    if (!options.sweep.empty() || !options.retain.empty()) {
        const session::StructureSweepOptions o{.structure = options.structure, .retain = options.retain, .along = options.sweep};
        return deliver(options.common, session::sweep_structure(*session, o), [&](const session::SweptStructure& r) {
            if (options.common.json) return dump(to_json(r));
            if (r.table.rows.empty()) return retained_text(r);
            if (!r.retained.parameters.empty()) tell_note(options.common, retained_words(r));
            return to_csv(r.table);
        });
    }
    return deliver(options.common, session::structure(*session, options.structure), [&](const FoundStructure& r) {
        if (options.common.json) return dump(to_json(r));
        for (const std::string& note : r.notes) tell_note(options.common, note);
        return as_text(r);
    });
}

}  // namespace

Work declare_structure(Words words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words
        .add_option("--joints", options->structure.joints,
                    "State of the joints: locked or free for all, JOINT=locked, JOINT=free, JOINT=open (removed) for one; default: as "
                    "modelled, and the structure must not have rigid-body modes")
        .type_name("WORDS")
        .repeatable();
    words.add_option("--elements", options->elements, "Finite elements of every beam (default: 'elements' of the beam, or 20)")
        .type_name("N");
    words
        .add_option("--method", options->method,
                    "full: all elements (default); component modes with interfaces held (fixed), free, free-residual, or loaded")
        .type_name("NAME");
    words
        .add_option(
            "--modes", options->structure.modes,
            "Number of modes (10); with component modes the number for each component (2), or 1:8 for a table beside the full model")
        .type_name("N");
    words
        .add_option("--retain", options->retain,
                    "Keep parameters as symbols in a reduced model: with --sweep its frequencies, without it its terms and its error")
        .type_name("NAMES")
        .repeatable();
    words
        .add_option("--sweep", options->sweep,
                    "Frequencies along a parameter, as CSV: NAME=FROM:TO:INTERVALS; without --retain the structure is assembled again at "
                    "every value")
        .type_name("SWEEP");
    words.add_input(
        "--at", options->at,
        "State of the structure, with its loops closed and its beams straight (default, or 'initial': the assembled initial state)");
    return [options] { return run(*options); };
}

}  // namespace linkwright::cli
