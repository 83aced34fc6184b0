#include "common.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>

#include "linkwright/session/write_files.hpp"
#include "paint.hpp"

namespace linkwright::cli {

void declare(Words words, SharedOptions& common) {
    common.inputs = [words] { return words.inputs(); };
    common.start = [words]() -> std::string {
        for (const char* word : {"--state", "--restart", "--start-from"}) {
            if (words.has(word) && words.is_given(word)) return word;
        }
        return {};
    };
    words.add_input("model", common.model, "The model file; - is standard input").required();
    words.add_option("--set", common.set, "Value of a parameter or input, instead of the model's: name=value, l=30cm (repeatable)")
        .type_name("NAME=VALUE")
        .repeatable();
    words
        .add_option("--initial", common.initial,
                    "Initial value of a coordinate, speed or state, instead of [initial]: hip=20deg (repeatable); not with --state")
        .type_name("NAME=VALUE")
        .repeatable();
    words.add_option("--freeze", common.freeze, "Replace parameters by their values before deriving: names, or 'all'")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words
        .add_option("--formulation", common.formulation,
                    fmt::format("Formulation of the equations: {} (default {})", session::known_formulations(), common.formulation))
        .type_name("NAME");
    words.add_option("--base", common.base, "Of URDF and SDF files: hold the root fixed or let it float (default: as the file has it)")
        .type_name("fixed|floating");
    words.add_option("-o,--output", common.output, "Write the result to this file; - is standard output").type_name("FILE");
    words.add_flag("--json", common.json, "Print the result as JSON");
    words.add_flag("--quiet", common.quiet, "Print no warnings");
}

void declare(Words words, SharedOptions& common, std::vector<std::string>& models) {
    declare(words, common);
    words.remove("model");
    words
        .add_input(
            "model", models,
            "The model files; - is standard input. With several, a line is printed for each, and the exit status is the worst of them")
        .required();
}

namespace {

/// The severity and the hint stand out.
std::string painted(const Diagnostic& d) {
    using enum Diagnostic::Severity;
    std::string text = to_string(d);
    const std::string word = d.severity == error ? "error:" : d.severity == warning ? "warning:" : "note:";
    if (const std::size_t at = text.find(word); at != std::string::npos) {
        const Ink ink = d.severity == error ? Ink::bad : d.severity == warning ? Ink::doubtful : Ink::faint;
        text.replace(at, word.size(), paint(ink, word));
    }
    constexpr std::string_view hint = "\n    hint:";
    if (const std::size_t at = text.rfind(hint); !d.hint.empty() && at != std::string::npos)
        text.replace(at, hint.size(), "\n    " + paint(Ink::good, "hint:"));
    return text;
}

void tell(const Diagnostic& d) {
    const std::string from = d.file.empty() && d.where.line == 0 ? "linkwright: " : "";
    std::cerr << shown(from + painted(d), Stream::error) << '\n';
}

Diagnostic without_place(Diagnostic::Severity severity, const std::string& what, const std::string& hint = {}) {
    return {.severity = severity, .file = {}, .where = {0, 0}, .what = what, .hint = hint};
}

}  // namespace

void report_error(const std::string& what, const std::string& hint) { tell(without_place(Diagnostic::Severity::error, what, hint)); }

void report(const Diagnostics& problems, bool quiet) {
    for (const Diagnostic& d : problems) {
        if (d.severity == Diagnostic::Severity::error || !quiet) tell(d);
    }
}

void tell_note(const SharedOptions& common, const std::string& what) {
    if (!common.quiet) tell(without_place(Diagnostic::Severity::note, what));
}

bool are_right(const Diagnostics& problems, const SharedOptions& common) {
    if (!session::has_error(problems)) return true;
    report(problems, common.quiet);
    return false;
}

bool may_write(const SharedOptions& common, const std::filesystem::path& output) {
    for (const std::string& input : common.inputs()) {
        if (!session::is_same_file(input, output)) continue;
        report_error(fmt::format("{} is an input file and would be overwritten", input), "choose another name for the result");
        return false;
    }
    return true;
}

namespace {

/// Standard input is read once.
bool reads_once(const SharedOptions& common) {
    const std::vector<std::string> inputs = common.inputs();
    const auto is_standard = [](const std::string& file) { return file == "-" || file == standard_input; };
    if (std::ranges::count_if(inputs, is_standard) < 2) return true;
    report_error("'-' is given more than once", "standard input can be read only once; give the others as files");
    return false;
}

/// A state that is given leaves nothing of [initial] to replace.
bool begins_once(const SharedOptions& common) {
    const std::string start = common.initial.empty() ? "" : common.start();
    if (start.empty()) return true;
    report_error(fmt::format("{} and --initial both say where to begin", start),
                 "leave one of them out; a state file may hold the value of --initial");
    return false;
}

std::string all_of_standard_input() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

}  // namespace

std::optional<Session> open(const SharedOptions& common) {
    if (!common.output.empty() && !may_write(common, common.output)) return std::nullopt;
    if (!reads_once(common) || !begins_once(common)) return std::nullopt;
    const session::OpenOptions how{
        .set = common.set, .freeze = common.freeze, .formulation = common.formulation, .initial = common.initial, .base = common.base};
    const auto opened =
        common.model == "-" ? session::open_text(all_of_standard_input(), "<stdin>", how) : session::open(common.model, how);
    report(opened.problems, common.quiet);
    return opened.value;
}

int deliver(const SharedOptions& common, const std::string& text) {
    if (common.output.empty() || common.output == "-") {
        errno = 0;
        if (std::fputs(shown(text, Stream::out).c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return done;
        const std::string reason = errno == 0 ? "the write failed" : std::strerror(errno);
        report_error("cannot write to standard output: " + reason);
        std::clearerr(stdout);  // told
        return numerical_failure;
    }
    const std::string trouble = session::write_files(std::array{session::NewFile{common.output, without_colors(text)}});
    if (trouble.empty()) return done;
    report_error(trouble);
    return numerical_failure;
}

}  // namespace linkwright::cli
