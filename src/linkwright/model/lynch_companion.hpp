#pragma once
// What the companion of a Lynch file says beside a model file: corrections, names. Internal to the room.

#include <optional>
#include <string>
#include <string_view>

#include "linkwright/model/lynch_syntax.hpp"
#include "linkwright/model/toml_value.hpp"

namespace linkwright::model {

/// Puts the values of [[correction]] into the statements. Each one is told as a warning, with what stood there and why.
/// Problems are the companion's, without a file name.
void apply_corrections(const Value& companion, LynchStatements& statements, Diagnostics& problems);

/// The companion as a model file: `instead` in the place of the key `lynch`, [names] and [[correction]] as comments. No
/// line moves. Empty when these are not tables with headers.
std::optional<std::string> plain_companion(std::string_view text, const Value& companion, const std::string& instead,
                                           Diagnostics& problems);

}  // namespace linkwright::model
