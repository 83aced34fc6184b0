#include "linkwright/session/report.hpp"

#include <algorithm>

namespace linkwright::session {

using Severity = Diagnostic::Severity;

namespace {

Diagnostic nowhere(Severity severity, std::string what, std::string hint = {}) {
    return {.severity = severity, .file = {}, .where = {0, 0}, .what = std::move(what), .hint = std::move(hint)};
}

}  // namespace

void Report::error(std::string what, std::string hint) {
    problems.push_back(nowhere(Severity::error, std::move(what), std::move(hint)));
    status = Status::wrong_input;
}

void Report::fail(std::string what, std::string hint) {
    problems.push_back(nowhere(Severity::error, std::move(what), std::move(hint)));
    status = std::max(status, Status::numerical_failure);
}

void Report::warn(std::string what) { problems.push_back(nowhere(Severity::warning, std::move(what))); }
void Report::note(std::string what) { problems.push_back(nowhere(Severity::note, std::move(what))); }

void Report::add(const Diagnostics& others) {
    problems.insert(problems.end(), others.begin(), others.end());
    if (has_error(others)) status = Status::wrong_input;
}

void Report::add(const Report& other) {
    problems.insert(problems.end(), other.problems.begin(), other.problems.end());
    status = std::max(status, other.status);
}

bool has_error(const Diagnostics& problems) {
    return std::ranges::any_of(problems, [](const Diagnostic& d) { return d.severity == Severity::error; });
}

}  // namespace linkwright::session
