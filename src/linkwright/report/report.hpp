#pragma once
// A mechanism on one page: pictures, motion, equations, small motions, and why to believe them. One file of HTML that needs no network;
// docs/formats/report.md says what is in it.

#include "linkwright/session/session.hpp"
#include "linkwright/session/simulate.hpp"

namespace linkwright::report {

struct ReportOptions {
    std::vector<std::string> only{};                    ///< of sections(); empty: all but perturbation
    std::vector<std::string> also{};                    ///< beside these: perturbation
    std::vector<std::string> live{};                    ///< parameters with a slider, beside those that have `min` and `max` in the file
    std::vector<std::string> versus{};                  ///< "k=20, c=1": another motion with these values, for each
    session::SimulateOptions motion{};                  ///< rows: 10 s, 600 intervals, unless it says otherwise
    std::vector<std::string> languages{"c", "python"};  ///< of the code that is shown
    std::string command{};                              ///< that makes this page, as one would type it
    session::OnStep on_step{};
};
Diagnostics check(const ReportOptions& options);

/// mechanism motion equations analysis perturbation trust
std::span<const std::string_view> sections();

/// The page. What could not be worked out is said on it: a model without motion, or a proof that failed, has a page all the same.
session::Result<std::string> report(const session::Session& session, const ReportOptions& options = {});

struct Verification {
    struct Line {
        std::string what, stated, found;
        bool is_same() const { return stated == found; }
    };
    std::vector<Line> lines;
    bool is_right() const;
};
/// Reads the model in the page again, derives its equations and code again, and compares digests: is the code of the page that of the equations
/// shown, and are these the model's? Nothing of the page is run. A difference is status numerical_failure, with a value.
session::Result<Verification> verify(std::string_view html);

}  // namespace linkwright::report
