#pragma once
// The command line as data: what `manual` and `completion` write, read off the words that the verbs have declared.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace linkwright::cli {

struct OptionDescription {
    std::vector<std::string> names;  ///< "-o", "--output"; empty for a positional argument
    std::string value;               ///< what --help calls its value, "FILE"; empty for a flag
    std::string about;
    std::vector<std::string> choices;  ///< the only values, where these are few
    bool takes_file = false, is_repeatable = false, is_required = false;
};

struct CommandDescription {
    std::string name, about, footer;
    std::vector<OptionDescription> arguments;  ///< positional ones, in their order
    std::vector<OptionDescription> options;
};

/// The program itself first, then its commands.
std::vector<CommandDescription> describe(const CLI::App& program);

/// linkwright(1), in the language of man.
std::string write_manual(const std::vector<CommandDescription>& commands);

/// For bash, zsh or fish.
std::string write_completion(const std::vector<CommandDescription>& commands, const std::string& shell);

}  // namespace linkwright::cli
