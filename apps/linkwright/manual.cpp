#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "command_description.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

/// A text as man takes it: no line begins with a dot or a quote, backslashes and hyphens are themselves.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool begins = out.empty() || out.back() == '\n';
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

std::string synopsis(const CommandDescription& c) {
    std::string out = fmt::format("\\fBlinkwright {}\\fR", roff(c.name));
    for (const OptionDescription& a : c.arguments) {
        const std::string name = fmt::format("\\fI{}\\fR{}", roff(a.value), a.is_repeatable ? " ..." : "");
        out += a.is_required ? " " + name : " [" + name + "]";
    }
    return out + (c.options.empty() ? "" : " [\\fIoptions\\fR]");
}

std::string options(const std::vector<OptionDescription>& list) {
    std::string out;
    for (const OptionDescription& o : list) {
        std::vector<std::string> names;
        for (const std::string& name : o.names) names.push_back(fmt::format("\\fB{}\\fR", roff(name)));
        if (names.empty()) names.push_back(fmt::format("\\fI{}\\fR", roff(o.value)));
        const std::string value = o.names.empty() || o.value.empty() ? "" : fmt::format(" \\fI{}\\fR", roff(o.value));
        out += fmt::format(".TP\n{}{}\n{}\n", fmt::join(names, ", "), value, roff(o.about));
    }
    return out;
}

/// Examples below the help of a command: lines, kept as they are.
std::string kept(const std::string& text) { return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", roff(text)); }

}  // namespace

std::string write_manual(const std::vector<CommandDescription>& commands) {
    std::string out = fmt::format(
        ".TH LINKWRIGHT 1 \"\" \"linkwright {}\" \"User Commands\"\n"
        ".SH NAME\nlinkwright \\- equations of motion of mechanisms: derived, proved, compiled, simulated\n"
        ".SH SYNOPSIS\n.B linkwright\n\\fICOMMAND\\fR [\\fIMODEL\\fR] [\\fIoptions\\fR]\n"
        ".SH DESCRIPTION\n{}\n"
        "A model is a file (TOML) that describes bodies, joints, forces and constraints; each command answers one question about it.\n"
        "Results go to standard output, everything else to standard error.\n"
        ".SH OPTIONS\n{}.SH COMMANDS\n",
        LINKWRIGHT_VERSION, roff(commands.front().about), options(commands.front().options));
    for (std::size_t i = 1; i < commands.size(); ++i) {
        const CommandDescription& c = commands[i];
        out += fmt::format(".SS {}\n{}\n.PP\n{}\n{}{}{}", roff(c.name), synopsis(c), roff(c.about), options(c.arguments),
                           options(c.options), kept(c.footer));
    }
    return out +
           ".SH EXIT STATUS\n"
           ".TP\n.B 0\ndone\n"
           ".TP\n.B 1\nthe numbers would not: no convergence, constraints lost, an output that could not be written; what was reached is "
           "told\n"
           ".TP\n.B 2\nthe input is wrong: every problem of the file at once, with its line and column\n"
           ".TP\n.B 3\nof \\fBcompare\\fR: equal as numbers at random states, not shown to be the same function\n"
           ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours, whatever standard output is\n";
}

Work declare_manual(Words words) {
    return [words] { return std::fputs(write_manual(words.describe_program()).c_str(), stdout) < 0 ? numerical_failure : done; };
}

}  // namespace linkwright::cli
