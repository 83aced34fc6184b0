#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common.hpp"
#include "linkwright/base/text.hpp"
#include "linkwright/report/report.hpp"
#include "linkwright/session/derive.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    std::string to = "text", form = "shorter", axes = "body";
    std::vector<std::string> only, frames;
    bool steps = false, fragment = false;
    long digits = 6;
};

/// One of a few words; anything else is told.
template <class T>
std::optional<T> choose(const std::string& option, const std::string& word, std::initializer_list<std::pair<const char*, T>> choices) {
    std::vector<std::string> known;
    for (const auto& [name, value] : choices) {
        if (word == name) return value;
        known.emplace_back(name);
    }
    const auto meant = did_you_mean(word, known);
    report_error(fmt::format("{} takes {}, not '{}'", option, fmt::join(known, ", "), word),
                 meant ? fmt::format("did you mean {}?", *meant) : "");
    return std::nullopt;
}

/// A page for a browser: the equations, their recursive form, the worked derivation and code.
int derive_html(const Options& options) {
    const auto session = open(options.common);
    if (!session) return wrong_input;
    report::ReportOptions o;
    o.only = {"equations"};
    o.command = command_line();
    return deliver(options.common, report::report(*session, o), [](const std::string& page) { return page; });
}

int derive(const Options& options) {
    if (options.to == "html" && !options.common.json) return derive_html(options);
    using present::Form;
    using present::To;
    const auto to =
        choose<To>("--to", options.common.json ? "json" : options.to,
                   {{"text", To::text}, {"latex", To::latex}, {"markdown", To::markdown}, {"json", To::json}, {"html", To::json}});
    const auto form =
        choose<Form>("--form", options.form, {{"readable", Form::readable}, {"recursive", Form::recursive}, {"shorter", Form::shorter}});
    const auto axes =
        choose<formulation::Axes>("--axes", options.axes, {{"body", formulation::Axes::body}, {"ground", formulation::Axes::ground}});
    if (!to || !form || !axes) return wrong_input;
    if (options.digits < 1) {
        report_error(fmt::format("--digits takes 1 to 17, not {}", options.digits), "JSON has all digits: --to json");
        return wrong_input;
    }
    const session::DeriveOptions o{.to = *to,
                                   .form = *form,
                                   .axes = *axes,
                                   .only = options.only,
                                   .frames = options.frames,
                                   .steps = options.steps,
                                   .digits = static_cast<std::size_t>(options.digits),
                                   .fragment = options.fragment};
    if (!are_right(check(o), options.common)) return wrong_input;
    const auto session = open(options.common);
    if (!session) return wrong_input;
    return deliver(options.common, session::derive(*session, o), [](const std::string& page) { return page; });
}

}  // namespace

Work declare_derive(Words words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common);
    words.add_option("--to", options->to, "Format: text, latex, markdown, html (a page for a browser) or json").type_name("FORMAT");
    words
        .add_option("--form", options->form,
                    "readable (multiplied out and collected), recursive (named intermediates), or shorter (default): readable, or "
                    "recursive where the readable page is long and the recursive one shorter")
        .type_name("FORM");
    words
        .add_option("--only", options->only,
                    "Print only these parts: M,f,G,elimination,energy,B,q,momentum,power,outputs,parameters; printed only when named: cut "
                    "(coordinates "
                    "of cut joints), g (gravity), C (velocity forces), causes (f by cause), J (Jacobians of frames), Lambda "
                    "(operational-space inertia of frames)")
        .type_name("PARTS")
        .delimiter(',')
        .repeatable();
    words
        .add_option("--frame", options->frames,
                    "Frames of J and Lambda: outputs (position, orientation), bodies or BODY.POINT (default: all such outputs)")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words.add_option("--axes", options->axes, "Axes in which B is written: body or ground").type_name("AXES");
    words.add_option("--digits", options->digits, "Digits of numbers in text, LaTeX and Markdown, 1 to 17 (default 6); JSON is exact")
        .type_name("N");
    words.add_flag("--fragment", options->fragment, "LaTeX to include in a document, without \\documentclass");
    words.add_flag("--steps", options->steps, "Print the derivation step by step");
    return [options] { return derive(*options); };
}

}  // namespace linkwright::cli
