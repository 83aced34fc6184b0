#pragma once
// From lines to statements: comments, continued lines and labels of the languages, and tokens. Only printed.cpp and its scripts use it.

#include "linkwright/compare/printed.hpp"

namespace linkwright::compare {

/// The letters of one statement, blanks that mean nothing left out.
struct Letter {
    char c;
    Position where;
    bool starts_line = false;
};
using Letters = std::vector<Letter>;

struct Cut {
    std::vector<Letters> statements;
    std::vector<Remark> remarks;
};
Cut cut(const std::vector<std::string>& lines, Language language, std::string_view file);

std::vector<std::string> lines_of(std::string_view text);

/// The letters of `line` from byte `begin` to byte `end`, appended; signs of print become those of keyboards.
void append(Letters& out, std::string_view line, std::size_t begin, std::size_t end, std::uint32_t number, bool starts_line);
/// The comment that begins at byte `at` of line `number` (from 0), when it is one with an @.
std::optional<Remark> remark_at(const std::string& line, std::uint32_t number, std::size_t at);

/// Ends with an end token.
std::vector<Token> tokens_of(const Letters& letters, Language language);

}  // namespace linkwright::compare
