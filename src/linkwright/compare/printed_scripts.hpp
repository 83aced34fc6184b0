#pragma once
// Python and MATLAB: from lines to statements, and from a statement that gives a whole array to one for each entry.
//
//     M = np.array([[a, b],            M = [a, b        M[0,0] = a    M(1,1) = a
//                   [b, c]])                b, c];      M[0,1] = b    M(1,2) = b  …
//     th1, th2 = q                                      th1 = q[0]    th2 = q[1]
//
// An array of one column or one row has one index. Only printed.cpp uses this.

#include "linkwright/compare/printed_lines.hpp"

namespace linkwright::compare {

/// Comments, continued lines, open brackets, several statements on a line, texts in quotes.
Cut cut_python(const std::vector<std::string>& lines);
Cut cut_matlab(const std::vector<std::string>& lines);

/// The '=' (or '+=' …) outside of all brackets; that of the end when there is none.
std::size_t find_assignment(const std::vector<Token>& tokens);

/// Headers, imports, returns, calls for their own sake, arrays of zeros, declarations of symbols: nothing to compare.
bool is_passed_over_in_script(const std::vector<Token>& tokens, Language language);

/// A statement for each entry of an array, or for each of several names on the left; the statement itself when there is but one.
std::vector<std::vector<Token>> entries_of(std::vector<Token> tokens, Language language);

}  // namespace linkwright::compare
