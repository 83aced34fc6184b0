#include "common.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>

#include "linkwright/session/write_files.hpp"

namespace linkwright::cli {

void declare(Words words, SharedOptions& common) {
    common.inputs = [words] { return words.inputs(); };
    words.add_input("model", common.model, "The model file").required();
    words.add_option("--set", common.set, "Give a parameter or input another value: name=value, l=30cm (repeatable)")
        .type_name("NAME=VALUE")
        .repeatable();
    words.add_option("--initial", common.initial, "Where a coordinate, speed or state begins, instead of [initial]: hip=20deg (repeatable)")
        .type_name("NAME=VALUE")
        .repeatable();
    words.add_option("--freeze", common.freeze, "Fold parameters into numbers: names, or 'all'")
        .type_name("NAMES")
        .delimiter(',')
        .repeatable();
    words
        .add_option("--formulation", common.formulation,
                    fmt::format("How the equations are derived: {} (default {})", session::known_formulations(), common.formulation))
        .type_name("NAME");
    words.add_option("-o,--output", common.output, "Write the result to this file").type_name("FILE");
    words.add_flag("--json", common.json, "Machine-readable result");
    words.add_flag("--quiet", common.quiet, "No warnings");
}

void report_error(const std::string& what, const std::string& hint) {
    std::cerr << "linkwright: error: " << what << '\n';
    if (!hint.empty()) std::cerr << "    hint: " << hint << '\n';
}

void report(const Diagnostics& problems, bool quiet) {
    for (const Diagnostic& d : problems) {
        if (d.severity == Diagnostic::Severity::error || !quiet)
            std::cerr << (d.file.empty() && d.where.line == 0 ? "linkwright: " : "") << to_string(d) << '\n';
    }
}

void tell_note(const SharedOptions& common, const std::string& what) {
    if (!common.quiet) std::cerr << "linkwright: note: " << what << '\n';
}

bool are_right(const Diagnostics& problems, const SharedOptions& common) {
    if (!session::has_error(problems)) return true;
    report(problems, common.quiet);
    return false;
}

bool may_write(const SharedOptions& common, const std::filesystem::path& output) {
    for (const std::string& input : common.inputs()) {
        if (!session::is_same_file(input, output)) continue;
        report_error(fmt::format("{} is read, and would be overwritten", input), "give the result another name");
        return false;
    }
    return true;
}

std::optional<Session> open(const SharedOptions& common) {
    if (!common.output.empty() && !may_write(common, common.output)) return std::nullopt;
    const auto opened = session::open(
        common.model, {.set = common.set, .freeze = common.freeze, .formulation = common.formulation, .initial = common.initial});
    report(opened.problems, common.quiet);
    return opened.value;
}

int deliver(const SharedOptions& common, const std::string& text) {
    if (common.output.empty()) {
        errno = 0;
        if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return done;
        const std::string reason = errno == 0 ? "the write failed" : std::strerror(errno);
        report_error("cannot write to standard output: " + reason);
        std::clearerr(stdout);  // told
        return numerical_failure;
    }
    const std::string trouble = session::write_files(std::array{session::NewFile{common.output, text}});
    if (trouble.empty()) return done;
    report_error(trouble);
    return numerical_failure;
}

}  // namespace linkwright::cli
