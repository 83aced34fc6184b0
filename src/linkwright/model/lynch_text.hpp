#pragma once
// Small verbs on the entries of Lynch's matrices, as text. Internal to the room.

#include <string>
#include <string_view>

namespace linkwright::model {

/// Whether the text names a coordinate: PHI[4].
bool has_coordinate(std::string_view text);

/// PHI[4] as a name of our language, PHI4, as wide as it was.
std::string with_names(std::string_view text);

/// PHI[4] replaced by nothing: "L + PHI[4]" is "L", "PHI[4]" is "0".
std::string without_coordinates(std::string_view text);

/// As TOML has it: a plain number bare, anything else in quotes.
std::string toml_scalar(const std::string& text);

std::string negated(const std::string& text);  ///< "-L" is "L", "a + b" is "-(a + b)"
bool is_zero_text(std::string_view text);      ///< the number 0, however written

}  // namespace linkwright::model
