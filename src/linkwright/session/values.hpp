#pragma once
// Numbers in a row, as one word: a range, or a list.

#include <optional>
#include <string>
#include <vector>

#include "linkwright/session/report.hpp"

namespace linkwright::session {

/// "0:10:100" a hundred equal intervals (without a number of them a hundred too), "0.1:100:60:log" sixty of equal ratios, "1,2,5" these values; they
/// rise, or fall. Empty when the words are wrong; the report says why, with `option` before it.
std::optional<std::vector<double>> read_values(const std::string& option, const std::string& text, const std::string& hint, Report& report);

}  // namespace linkwright::session
