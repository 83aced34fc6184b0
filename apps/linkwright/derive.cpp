#include <fmt/format.h>

#include "linkwright/base/text.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/present/present.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    std::string to = "text", form = "readable", axes = "body";
    std::vector<std::string> only;
    bool steps = false;
};

/// Nobody reads a formula of more terms than this; it is written with intermediates instead.
constexpr std::size_t longest_to_read = 600;

/// One of a few words; anything else is told.
template <class T>
std::optional<T> choose(const std::string& option, const std::string& word, std::initializer_list<std::pair<const char*, T>> choices) {
    std::vector<std::string> known;
    for (const auto& [name, value] : choices) {
        if (word == name) return value;
        known.emplace_back(name);
    }
    const auto meant = did_you_mean(word, known);
    report_error(fmt::format("{} takes {}, not '{}'", option, fmt::join(known, ", "), word), meant ? fmt::format("did you mean {}?", *meant) : "");
    return std::nullopt;
}

int derive(const Options& options) {
    using present::Form;
    using present::To;
    const auto to = choose<To>("--to", options.common.json ? "json" : options.to,
                               {{"text", To::text}, {"latex", To::latex}, {"markdown", To::markdown}, {"json", To::json}});
    const auto form = choose<Form>("--form", options.form, {{"readable", Form::readable}, {"recursive", Form::recursive}});
    const auto axes = choose<formulation::Axes>("--axes", options.axes, {{"body", formulation::Axes::body}, {"ground", formulation::Axes::ground}});
    bool is_wrong = !to || !form || !axes;
    bool wants_B = false;
    std::vector<std::string> known(present::parts().begin(), present::parts().end());
    for (const std::string& part : options.only) {
        wants_B |= part == "B";
        if (std::ranges::find(known, part) != known.end()) continue;
        report_error(fmt::format("--only: no part '{}'", part), fmt::format("the parts are {}", fmt::join(known, ", ")));
        is_wrong = true;
    }
    if (is_wrong) return wrong_input;
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded, {.partial_velocities = wants_B, .axes = *axes});
    if (!equations) return wrong_input;
    present::Options how{.to = *to, .form = *form, .only = options.only};
    if (*to != To::json) how.budget.terms = longest_to_read;
    if (options.steps && how.only.empty()) how.only = {"q"};  // the last step has M and f
    if (!options.steps) return deliver(options.common, present::present(*equations, how));
    const formulation::Formulation& formulation = *formulation::find_formulation(options.common.formulation);
    if (!formulation.explain) {
        report_error(fmt::format("--steps: the formulation '{}' is written for machines and has no worked derivation", formulation.name),
                   "for example --formulation kane");
        return wrong_input;
    }
    const eom::Derivation steps = formulation.explain(*loaded->model, loaded->topology, *equations);
    return deliver(options.common, present::present(steps, *equations, how));
}

}  // namespace

Work declare_derive(CLI::App& words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common);
    words.add_option("--to", options->to, "text, latex, markdown or json")->type_name("FORMAT");
    words.add_option("--form", options->form, "readable (formulas collected to be read) or recursive (named intermediates)")->type_name("FORM");
    words.add_option("--only", options->only, "Only these parts: M,f,G,energy,B,q,momentum,power,outputs,parameters")->type_name("PARTS")->delimiter(',')->take_all()->allow_extra_args(false);
    words.add_option("--axes", options->axes, "Axes in which B is written: body or ground")->type_name("AXES");
    words.add_flag("--steps", options->steps, "The worked derivation, step by step");
    return [options] { return derive(*options); };
}

}  // namespace linkwright::cli
