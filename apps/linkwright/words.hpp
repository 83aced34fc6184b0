#pragma once
// The words after a verb. CLI11 parses them; its header is thousands of lines of templates, so it is included where this is implemented and
// where the program begins, and verbs see these handles only. Both may be copied; what they stand for lives as long as the program.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace linkwright::cli {

struct CommandDescription;

/// The only values that an option takes, where add_choice or one_of said so.
std::vector<std::string> choices_of(const CLI::Option& option);

/// What '-' comes to for the file of compare; the model is read by a way of its own.
inline constexpr const char* standard_input = "/dev/stdin";

/// An option that has been added; each function returns it again.
class Option {
public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option type_name(const std::string& name);       ///< what --help calls its value
    Option about(const std::string& text);           ///< another sentence in --help
    Option delimiter(char between);                  ///< several values in one word
    Option repeatable();                             ///< may be given again; each takes one word
    Option required();                               ///< --help and messages say so
    Option one_of(std::vector<std::string> values);  ///< nothing else
    /// Of each word: what is wrong with it, or nothing.
    Option check(std::function<std::string(const std::string&)> problem);
    bool is_given() const;  ///< once the words are parsed

private:
    CLI::Option* option_;
};

/// Those of one verb.
class Words {
public:
    explicit Words(CLI::App& app) : app_(&app), inputs_(std::make_shared<std::vector<CLI::Option*>>()) {}

    Option add_option(const std::string& name, std::string& value, const std::string& about);
    Option add_option(const std::string& name, std::vector<std::string>& value, const std::string& about);
    Option add_option(const std::string& name, double& value, const std::string& about);
    Option add_option(const std::string& name, std::vector<double>& value, const std::string& about);
    Option add_option(const std::string& name, long& value, const std::string& about);
    Option add_option(const std::string& name, std::optional<double>& value, const std::string& about);
    Option add_option(const std::string& name, std::optional<long>& value, const std::string& about);
    Option add_option(const std::string& name, std::optional<std::uint64_t>& value, const std::string& about);
    Option add_flag(const std::string& name, bool& value, const std::string& about);
    /// A file that is read: the result may not take its place.
    Option add_input(const std::string& name, std::string& value, const std::string& about);
    Option add_input(const std::string& name, std::vector<std::string>& values, const std::string& about);
    /// One of a few words; `take` is told which.
    Option add_choice(const std::string& name, std::vector<std::string> choices, std::function<void(std::size_t)> take,
                      const std::string& about);

    Option find(const std::string& name) const;
    void remove(const std::string& name);
    void footer(const std::string& text);  ///< of --help; another goes below those before it
    bool has(const std::string& name) const;
    bool is_given(const std::string& name) const { return find(name).is_given(); }
    std::vector<CommandDescription> describe_program() const;  ///< all commands, not only this one
    std::vector<std::string> inputs() const;                   ///< values of those that are read, once the words are parsed

private:
    CLI::App* app_;
    std::shared_ptr<std::vector<CLI::Option*>> inputs_;
};

}  // namespace linkwright::cli
