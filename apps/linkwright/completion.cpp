#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "command_description.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using Commands = std::vector<CommandDescription>;

/// As a word between single quotes of a shell.
std::string in_quotes(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : c == '\n' ? std::string(" ") : std::string(1, c);
    return "'" + out + "'";
}

std::vector<std::string> names(const std::vector<OptionDescription>& options) {
    std::vector<std::string> all;
    for (const OptionDescription& o : options) all.insert(all.end(), o.names.begin(), o.names.end());
    return all;
}

std::vector<std::string> command_names(const Commands& commands) {
    std::vector<std::string> all;
    for (std::size_t i = 1; i < commands.size(); ++i) all.push_back(commands[i].name);
    return all;
}

/// A function with two questions: which command, and is the word before an option with values of its own?
std::string bash(const Commands& commands) {
    std::string cases, values;
    for (std::size_t i = 1; i < commands.size(); ++i) {
        const CommandDescription& c = commands[i];
        std::string argument;
        for (const OptionDescription& a : c.arguments) {
            if (!a.choices.empty())
                argument += fmt::format(" [[ $word == -* ]] || {{ COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return; }};",
                                        fmt::join(a.choices, " "));
        }
        cases += fmt::format("        {}) options=\"{}\";{} ;;\n", c.name, fmt::join(names(c.options), " "), argument);
        for (const OptionDescription& o : c.options) {
            if (o.choices.empty()) continue;
            const std::string patterns = fmt::format("{}:{}", c.name, fmt::join(o.names, fmt::format("|{}:", c.name)));
            values +=
                fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n", patterns, fmt::join(o.choices, " "));
        }
    }
    return fmt::format(
        "# bash completion of linkwright\n"
        "_linkwright() {{\n"
        "    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}} options=\n"
        "    COMPREPLY=()\n"
        "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
        "        COMPREPLY=($(compgen -W \"{} help {}\" -- \"$word\"))\n"
        "        return\n"
        "    fi\n"
        "    case \"$command:$before\" in\n{}    esac\n"
        "    case \"$command\" in\n{}        help) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n    esac\n"
        "    if [[ $word == -* ]]; then\n"
        "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
        "    else\n"
        "        compopt -o filenames 2>/dev/null\n"
        "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
        "    fi\n"
        "}}\n"
        "complete -F _linkwright linkwright\n",
        fmt::join(command_names(commands), " "), fmt::join(names(commands.front().options), " "), values, cases,
        fmt::join(command_names(commands), " "));
}

/// Brackets and colons have a meaning in the lists of _arguments.
std::string for_zsh(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh(const Commands& commands) {
    std::string list, cases;
    for (std::size_t i = 1; i < commands.size(); ++i) {
        const CommandDescription& c = commands[i];
        list += fmt::format("        {}\n", in_quotes(for_zsh(c.name) + ":" + for_zsh(c.about)));
        cases += fmt::format("        {})\n            _arguments", c.name);
        for (const OptionDescription& o : c.options) {
            for (const std::string& name : o.names) {
                std::string entry = fmt::format("{}{}[{}]", o.is_repeatable ? "*" : "", name, for_zsh(o.about));
                if (!o.value.empty())
                    entry += fmt::format(":{}:{}", for_zsh(o.value),
                                         !o.choices.empty() ? fmt::format("({})", fmt::join(o.choices, " "))
                                         : o.takes_file     ? "_files"
                                                            : " ");
                cases += " \\\n                " + in_quotes(entry);
            }
        }
        const auto choices = c.arguments.empty() ? std::vector<std::string>{} : c.arguments.front().choices;
        cases += fmt::format(" \\\n                {} ;;\n",
                             in_quotes(choices.empty() ? "*:file:_files" : fmt::format("*:value:({})", fmt::join(choices, " "))));
    }
    return fmt::format(
        "#compdef linkwright\n"
        "# zsh completion of linkwright\n"
        "_linkwright() {{\n"
        "    local -a commands\n"
        "    commands=(\n{}    )\n"
        "    if (( CURRENT == 2 )); then\n"
        "        _describe command commands\n"
        "        return\n"
        "    fi\n"
        "    local command=$words[2]\n"
        "    shift words\n"
        "    (( CURRENT-- ))\n"
        "    case $command in\n{}    esac\n"
        "}}\n"
        "if [ \"$funcstack[1]\" = _linkwright ]; then _linkwright \"$@\"; else compdef _linkwright linkwright; fi\n",
        list, cases);
}

std::string fish(const Commands& commands) {
    std::string out = "# fish completion of linkwright\n";
    const std::string all = fmt::format("{}", fmt::join(command_names(commands), " "));
    for (std::size_t i = 1; i < commands.size(); ++i) {
        const CommandDescription& c = commands[i];
        out +=
            fmt::format("complete -c linkwright -n 'not __fish_seen_subcommand_from {}' -f -a {} -d {}\n", all, c.name, in_quotes(c.about));
        const std::string where = fmt::format("complete -c linkwright -n '__fish_seen_subcommand_from {}'", c.name);
        for (const OptionDescription& o : c.options) {
            std::string line = where;
            for (const std::string& name : o.names)
                line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2)) : fmt::format(" -s {}", name.substr(1));
            if (!o.value.empty()) line += o.takes_file ? " -r -F" : " -x";
            if (!o.choices.empty()) line += fmt::format(" -a '{}'", fmt::join(o.choices, " "));
            out += line + " -d " + in_quotes(o.about) + "\n";
        }
        for (const OptionDescription& a : c.arguments) {
            if (!a.choices.empty()) out += fmt::format("{} -f -a '{}'\n", where, fmt::join(a.choices, " "));
        }
    }
    return out;
}

}  // namespace

std::string write_completion(const Commands& commands, const std::string& shell) {
    return shell == "zsh" ? zsh(commands) : shell == "fish" ? fish(commands) : bash(commands);
}

Work declare_completion(Words words) {
    auto shell = std::make_shared<std::string>();
    words.add_option("shell", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
    return [words, shell] {
        return std::fputs(write_completion(words.describe_program(), *shell).c_str(), stdout) < 0 ? numerical_failure : done;
    };
}

}  // namespace linkwright::cli
