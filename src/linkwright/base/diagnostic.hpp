#pragma once
// What is wrong with the user's input, told kindly: where, what, and what to try.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linkwright {

/// A place in a text: line and column count from 1; columns count characters (UTF-8 code points), not bytes. Line 0 is no place at all.
struct Position {
    std::uint32_t line = 1;
    std::uint32_t column = 1;
    bool operator==(const Position&) const = default;
};

/// The position of byte `offset` of `text`. An offset past the end gives the position just after the last character.
Position position_at(std::string_view text, std::size_t offset);

struct Diagnostic {
    enum class Severity : std::uint8_t { error, warning, note };
    Severity severity = Severity::error;
    std::string file;  ///< empty: the text did not come from a file
    Position where;
    std::string what;  ///< one sentence, lower case, no full stop
    std::string hint;  ///< what to try; may be empty
    bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// `file:line:col: error: what`, and the hint on a line of its own. What has no place is just `error: what`.
std::string to_string(const Diagnostic& diagnostic);
std::string to_string(const Diagnostics& diagnostics);

}  // namespace linkwright
