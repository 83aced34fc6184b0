#include "common.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "linkwright/base/text.hpp"

namespace linkwright::cli {

void declare(Words words, SharedOptions& common) {
    words.add_option("model", common.model, "The model file").required();
    words.add_option("--set", common.set, "Give a parameter or input another value: name=value (repeatable)")
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

std::optional<Session> open(const SharedOptions& common) {
    const auto opened = session::open(common.model, {.set = common.set, .freeze = common.freeze, .formulation = common.formulation});
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
    namespace fs = std::filesystem;
    fs::path target(common.output);
    std::error_code unknown;
    const fs::file_status what = fs::status(target, unknown);
    const bool is_special = common.output.starts_with("/dev/") || common.output.starts_with("/proc/") ||
                            (fs::exists(what) && !fs::is_regular_file(what) && !fs::is_directory(what));
    if (!is_special && fs::is_symlink(target, unknown) && fs::exists(what))
        target = fs::canonical(target, unknown);  // the link stays a link
    if (is_special) {                             // a device or a pipe: nothing to rename onto
        errno = 0;
        std::ofstream there(target, std::ios::binary | std::ios::app);  // redirected output is not cut short
        there << text;
        there.close();
        if (there) return done;
        report_error(fmt::format("cannot write {}: {}", common.output, errno == 0 ? "the write failed" : std::strerror(errno)));
        return numerical_failure;
    }
    const fs::path beside = target.string() + fmt::format(".{}.part", ::getpid());
    errno = 0;
    std::ofstream file(beside, std::ios::binary);
    file << text;
    file.close();
    std::error_code trouble;
    if (!file) {
        const std::string reason = errno == 0 ? "the write failed" : std::strerror(errno);
        fs::remove(beside, trouble);
        report_error(fmt::format("cannot write {}: {}", common.output, reason));
        return numerical_failure;
    }
    fs::rename(beside, target, trouble);
    if (!trouble) return done;
    std::error_code ignored;
    fs::remove(beside, ignored);
    report_error(fmt::format("cannot write {}: {}", common.output, trouble.message()));
    return numerical_failure;
}

}  // namespace linkwright::cli
