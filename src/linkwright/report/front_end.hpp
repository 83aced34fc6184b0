#pragma once
// The front end of a report, built from web/: one file of HTML that the program carries with it.

#include <string_view>

namespace linkwright::report {

/// With the two places `<!--linkwright:report-->` and `<!--linkwright:code-->`.
std::string_view front_end();

}  // namespace linkwright::report
