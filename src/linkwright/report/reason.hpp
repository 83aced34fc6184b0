#pragma once
// Why a verb has no answer, in a few words for a note on the page.

#include "linkwright/session/report.hpp"

namespace linkwright::report {

/// The first error; where there is none, the first thing said.
inline std::string reason(const session::Report& report) {
    for (const Diagnostic& d : report.problems) {
        if (d.severity == Diagnostic::Severity::error) return d.what;
    }
    return report.problems.empty() ? "no reason is known" : report.problems.front().what;
}

}  // namespace linkwright::report
