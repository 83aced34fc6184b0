#pragma once
// The words around emitted code: what it is, what its numbers mean, how much arithmetic it takes. Lines without the
// language's comment signs; plain ASCII but for what the model's author wrote.

#include <string>
#include <vector>

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen {

/// "linkwright 0.1.0"
std::string made_by();

/// On one line, without control characters; those that turn the direction of writing are named instead: <U+202E>.
std::string one_line(const std::string& text);

/// "12 add, 30 mul, 1 div, 3 sincos"; "none" for no operations.
std::string describe(const program::Operations& operations);

/// "p -> c", "t q u w c -> M f"
std::string signature(const Function& function, const Package& package);

/// The head of a file: name, formulation, equations, tables of symbols, constraints and outputs, operation counts.
/// Indices begin with `first`.
std::vector<std::string> head(const Package& package, std::size_t first = 0);

/// Text in lines of at most `width` bytes where blanks allow it; later lines begin with `indent` blanks.
std::vector<std::string> wrap(const std::string& text, std::size_t width, std::size_t indent = 0);

/// A blank that wrap() does not break at, to be replaced afterwards; and a list of arguments with such blanks but after commas.
inline constexpr const char* held = "\x05";
std::string unbroken(const std::string& arguments);

/// What an entry of c is: "m" for a parameter, "c0 = m*l^2" for a formula that is not too long, otherwise "c0".
std::string formula_of(const Entry& constant, const Package& package);

/// Every `from` in `text` replaced.
std::string replace(std::string text, const std::string& from, const std::string& to);

}  // namespace linkwright::codegen
