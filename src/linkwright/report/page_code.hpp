#pragma once
// The equations as a script for the page.

#include "linkwright/session/workbench.hpp"

namespace linkwright::report {

struct PageCode {
    std::string text;         ///< sets globalThis.linkwrightModel
    std::string sha256;       ///< of that
    std::vector<bool> loads;  ///< which numbers of the code's `loads` it knows; empty where there are none
    std::string start;        ///< puts in where the motion starts: numbers that rounding may make differ from machine to machine
};

/// `geometry`: expressions of parameters, in the pool of the session's model.
PageCode make_page_code(session::Workbench& bench, const std::vector<sym::Expr>& geometry, session::Report& report);

}  // namespace linkwright::report
