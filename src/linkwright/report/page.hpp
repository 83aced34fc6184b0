#pragma once
// One file of HTML: the front end with a report and code put in; and what such a file holds.

#include <optional>
#include <string>
#include <string_view>

#include "linkwright/session/json.hpp"

namespace linkwright::report {

using session::Json;

/// `code`: a script that sets globalThis.linkwrightModel; `start`: one that puts in where the motion starts. Whatever texts the report holds, none of them can end its element.
std::string make_page(const Json& report, std::string_view code, std::string_view start);

struct PageContents {
    std::string report;  ///< JSON
    std::string code;
};
/// Empty when it is no page of ours.
std::optional<PageContents> read_page(std::string_view html);

}  // namespace linkwright::report
