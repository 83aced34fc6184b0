// linkwright VERB MODEL [options]: parses the command line, calls the verb, tells what went wrong.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <sstream>
#include <vector>

#include "common.hpp"
#include "linkwright/base/text.hpp"
#include "paint.hpp"
#include "verb.hpp"

namespace linkwright::cli {
namespace {

int complain(Exit status, const std::string& what, const std::string& hint) {
    report_error(what, hint);
    return status;
}

/// `linkwright help`, `linkwright help VERB`: what --help says.
std::vector<std::string> without_help(std::vector<std::string> words) {
    if (words.empty() || words.front() != "help") return words;
    words.erase(words.begin());
    words.resize(std::min<std::size_t>(words.size(), 1));
    words.emplace_back("--help");
    return words;
}

/// What a verb has beside its own words: colours, and examples below its help.
void add_common_words(Words words, const Verb& verb) {
    words
        .add_choice(
            "--color", {"auto", "always", "never"}, [](std::size_t i) { choose_color(static_cast<Color>(i)); },
            "Colours: auto (on a terminal, unless NO_COLOR is set), always, never")
        .type_name("WHEN");
    std::string text = verb.examples.size() == 1 ? "Example:" : "Examples:";
    for (const std::string& example : verb.examples) text += "\n  linkwright " + example;
    words.footer(text);
}

/// A full disk shows only when the last buffer is written: `status`, unless standard output was lost.
int flushed(int status) {
    errno = 0;
    const bool was_lost = std::ferror(stdout) != 0;
    if (std::fflush(stdout) == 0 && !was_lost) return status;
    const std::string reason = errno == 0 ? "the write failed" : std::strerror(errno);
    return complain(numerical_failure, "cannot write to standard output: " + reason, "");
}

int reject_word(const std::string& word, const CLI::App& app) {
    const bool is_option = word.starts_with('-') && word != "-";
    std::vector<std::string> known;
    if (is_option) {
        for (const CLI::Option* option : app.get_options()) known.push_back("--" + option->get_lnames().front());
    } else {
        for (const Verb& verb : verbs()) known.push_back(verb.name);
    }
    std::string hint = "see linkwright --help";
    if (const auto meant = did_you_mean(word, known)) {
        hint = fmt::format("did you mean {}?", *meant);
    } else if (!is_option && known.empty()) {
        hint = "this version has no commands yet, only --help and --version";
    } else if (!is_option) {
        hint = fmt::format("the commands are {}", fmt::join(known, ", "));
    }
    return complain(wrong_input, fmt::format("unknown {} '{}'", is_option ? "option" : "command", word), hint);
}

/// What the parser found wrong, in words of ours.
int complain_about(const CLI::ParseError& wrong, const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    const std::string help = chosen.empty() ? "see linkwright --help" : fmt::format("see linkwright {} --help", chosen.front()->get_name());
    const auto ends = [&](std::string_view word) { return std::string_view(wrong.what()).find(word) != std::string_view::npos; };
    if (const auto* extras = dynamic_cast<const CLI::ExtrasError*>(&wrong); extras != nullptr && !chosen.empty()) {
        const CLI::App& verb = *chosen.front();
        std::vector<std::string> words = verb.remaining(), known;
        const auto option = std::ranges::find_if(words, [](const std::string& w) { return w.starts_with('-'); });
        if (option == words.end()) {
            return complain(wrong_input, fmt::format("unexpected argument '{}'", words.empty() ? "" : words.front()),
                            "values with spaces need quotes");
        }
        for (const CLI::Option* o : verb.get_options()) {
            if (!o->get_lnames().empty()) known.push_back("--" + o->get_lnames().front());
        }
        const auto meant = did_you_mean(*option, known);
        return complain(wrong_input, fmt::format("{} has no option '{}'", verb.get_name(), *option),
                        meant ? fmt::format("did you mean {}?", *meant) : help);
    }
    std::string what = wrong.what();
    if (constexpr std::string_view failed = "Could not convert: "; what.starts_with(failed)) {  // "--tolerance = abc"
        what.erase(0, failed.size());
        const std::size_t equals = what.find(" = ");
        if (equals != std::string::npos) what = fmt::format("{}: '{}' is not a number", what.substr(0, equals), what.substr(equals + 3));
    } else if (ends(": At Most 1 required but received")) {
        what = what.substr(0, what.find(':')) + " is given more than once";
    } else if (ends(" missing") && ends(" required ")) {
        what = what.substr(0, what.find(':')) + " needs a value after it";
    }
    return complain(wrong_input, what, help);
}

std::string& remembered_command() {
    static std::string command;
    return command;
}

/// As a shell would take it.
std::string quoted_for_shell(const std::string& word) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%";
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

int run(int argc, char** argv) {
    remembered_command() = "linkwright";
    for (int i = 1; i < argc; ++i) remembered_command() += " " + quoted_for_shell(argv[i]);
    CLI::App app("Equations of motion of mechanisms, from a model file.", "linkwright");
    app.set_help_flag("-h,--help", "Print this text and exit");
    app.set_version_flag("--version", "linkwright " LINKWRIGHT_VERSION, "Print the version and exit");
    app.require_subcommand(0, 1);

    int status = done;
    for (const Verb& verb : verbs()) {
        CLI::App* words = app.add_subcommand(verb.name, verb.about)->group("Commands");
        words->callback([&status, work = verb.declare(Words(*words))] { status = work(); });
        add_common_words(Words(*words), verb);
    }
    app.get_formatter()->label("SUBCOMMAND", "COMMAND");
    app.footer("linkwright help COMMAND, or linkwright COMMAND --help, prints the options of a command, with examples.");
    std::vector<std::string> words = without_help({argv + 1, argv + argc});
    // The first word is a verb or an option, whatever stands after it: `linkwright derrive --help` is a slip, not a question.
    const std::string first = words.empty() ? "" : words.front();
    const bool is_verb = std::ranges::find(verbs(), first, &Verb::name) != verbs().end();
    if (!words.empty() && !first.starts_with('-') && !is_verb) return reject_word(first, app);
    try {
        std::ranges::reverse(words);  // as CLI11 takes them
        app.parse(std::move(words));
    } catch (const CLI::Success& asked) {  // --help or --version
        std::ostringstream text;
        app.exit(asked, text, text);
        std::fputs(text.str().c_str(), stdout);
        return flushed(done);
    } catch (const CLI::ParseError& wrong) {
        for (const std::string& word : app.remaining()) {
            if (word != "--") return reject_word(word, app);
        }
        return complain_about(wrong, app);
    }
    if (app.get_subcommands().empty()) {
        std::cerr << app.help();
        return wrong_input;
    }
    return flushed(status);
}

}  // namespace

const std::string& command_line() { return remembered_command(); }

}  // namespace linkwright::cli

int main(int argc, char** argv) {
    try {
        return linkwright::cli::run(argc, argv);
    } catch (const std::exception& trouble) {
        return linkwright::cli::complain(linkwright::cli::numerical_failure, trouble.what(), "");
    }
}
