#pragma once
// From lines to statements: comments, continued lines and labels of three languages, and tokens. Only printed.cpp uses it.

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

/// Ends with an end token.
std::vector<Token> tokens_of(const Letters& letters, Language language);

}  // namespace linkwright::compare
