#include "command_description.hpp"

#include <CLI/CLI.hpp>

#include "words.hpp"

namespace linkwright::cli {

namespace {

OptionDescription describe(const CLI::Option& option) {
    OptionDescription d;
    for (const std::string& name : option.get_snames()) d.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) d.names.push_back("--" + name);
    const bool has_value = option.get_items_expected_max() > 0;
    if (d.names.empty()) {
        d.value = option.get_name(true);
    } else if (has_value) {
        d.value = option.get_type_name().empty() ? "VALUE" : option.get_type_name();
    }
    d.about = option.get_description();
    d.choices = choices_of(option);
    d.takes_file =
        d.value == "FILE" || d.value == "MODEL" || d.value == "DIR" || d.value == "model" || d.value == "models" || d.value == "file";
    d.is_repeatable = option.get_items_expected_max() > 1;
    d.is_required = option.get_required();
    return d;
}

}  // namespace

std::vector<CommandDescription> describe(const CLI::App& program) {
    std::vector<CommandDescription> all;
    const auto add = [&](const CLI::App& app) {
        CommandDescription c{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
        for (const CLI::Option* option : app.get_options()) {
            if (option->get_group().empty()) continue;  // hidden
            (option->get_positional() ? c.arguments : c.options).push_back(describe(*option));
        }
        all.push_back(std::move(c));
    };
    add(program);
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) add(*command);
    return all;
}

}  // namespace linkwright::cli
