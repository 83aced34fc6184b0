#include "words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

#include "command_description.hpp"
#include "linkwright/base/text.hpp"

namespace linkwright::cli {

namespace {

std::map<const CLI::Option*, std::vector<std::string>>& known_choices() {
    static std::map<const CLI::Option*, std::vector<std::string>> choices;
    return choices;
}

}  // namespace

std::vector<std::string> choices_of(const CLI::Option& option) {
    const auto at = known_choices().find(&option);
    return at == known_choices().end() ? std::vector<std::string>{} : at->second;
}

Option Option::type_name(const std::string& name) { return option_->type_name(name), *this; }
Option Option::about(const std::string& text) { return option_->description(text), *this; }
Option Option::delimiter(char between) { return option_->delimiter(between), *this; }
Option Option::repeatable() { return option_->take_all()->allow_extra_args(false), *this; }
Option Option::required() { return option_->required(), *this; }
Option Option::one_of(std::vector<std::string> values) {
    known_choices()[option_] = values;
    return option_->check(CLI::IsMember(std::move(values))), *this;
}
Option Option::check(std::function<std::string(const std::string&)> problem) { return option_->check(std::move(problem)), *this; }
bool Option::is_given() const { return option_->count() > 0; }

namespace {

/// An empty word is no number; CLI11 would take it for 0.
Option number(CLI::Option* option) {
    option->check([](const std::string& word) { return word.empty() ? std::string("a number is missing") : std::string(); });
    return Option(option);
}

}  // namespace

Option Words::add_option(const std::string& name, std::string& value, const std::string& about) {
    return Option(app_->add_option(name, value, about));
}
Option Words::add_option(const std::string& name, std::vector<std::string>& value, const std::string& about) {
    return Option(app_->add_option(name, value, about));
}
Option Words::add_option(const std::string& name, double& value, const std::string& about) {
    return number(app_->add_option(name, value, about));
}
Option Words::add_option(const std::string& name, std::vector<double>& value, const std::string& about) {
    return number(app_->add_option(name, value, about));
}
Option Words::add_option(const std::string& name, long& value, const std::string& about) {
    return number(app_->add_option(name, value, about));
}
Option Words::add_option(const std::string& name, std::optional<double>& value, const std::string& about) {
    return number(app_->add_option(name, value, about));
}
Option Words::add_option(const std::string& name, std::optional<long>& value, const std::string& about) {
    return number(app_->add_option(name, value, about));
}
Option Words::add_option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& about) {
    return number(app_->add_option(name, value, about));
}
Option Words::add_flag(const std::string& name, bool& value, const std::string& about) {
    return Option(app_->add_flag(name, value, about));
}

namespace {

CLI::Option* input(CLI::Option* option) {
    if (option->get_name() == "file")
        option->transform([](const std::string& word) { return word == "-" ? std::string(standard_input) : word; });
    return option->type_name("FILE");
}

}  // namespace

Option Words::add_input(const std::string& name, std::string& value, const std::string& about) {
    return Option(inputs_->emplace_back(input(app_->add_option(name, value, about))));
}
Option Words::add_input(const std::string& name, std::vector<std::string>& values, const std::string& about) {
    return Option(inputs_->emplace_back(input(app_->add_option(name, values, about))));
}

std::vector<std::string> Words::inputs() const {
    std::vector<std::string> files;
    for (const CLI::Option* option : *inputs_) files.insert(files.end(), option->results().begin(), option->results().end());
    return files;
}

Option Words::add_choice(const std::string& name, std::vector<std::string> choices, std::function<void(std::size_t)> take,
                         const std::string& about) {
    const auto read = [name, choices, take = std::move(take)](const std::string& word) {
        const auto at = std::ranges::find(choices, word);
        if (at != choices.end()) return take(static_cast<std::size_t>(at - choices.begin()));
        const auto meant = did_you_mean(word, choices);
        throw CLI::ValidationError(
            fmt::format("{}: unknown value '{}'; {}", name, word,
                        meant ? fmt::format("did you mean {}?", *meant) : fmt::format("choose from {}", fmt::join(choices, ", "))));
    };
    CLI::Option* option = app_->add_option_function<std::string>(name, read, about);
    known_choices()[option] = std::move(choices);
    return Option(option).type_name("NAME");
}

std::vector<CommandDescription> Words::describe_program() const { return describe(*app_->get_parent()); }

Option Words::find(const std::string& name) const { return Option(app_->get_option(name)); }
bool Words::has(const std::string& name) const { return app_->get_option_no_throw(name) != nullptr; }
void Words::remove(const std::string& name) {
    std::erase(*inputs_, app_->get_option(name));
    app_->remove_option(app_->get_option(name));
}
void Words::footer(const std::string& text) {
    const std::string before = app_->get_footer();
    app_->footer(before.empty() ? text : before + "\n\n" + text);
}

}  // namespace linkwright::cli
