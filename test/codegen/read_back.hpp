#pragma once
// Emitted Julia and Modelica read back, for there may be nothing here to run them. The straight-line part of a function
// is parsed by the language's own precedence and evaluated; what the grammar forbids (a sign after an operator in
// Modelica), a name that has no value yet, a value that is assigned twice: each is an error and says so.

#include "codegen/support.hpp"

namespace linkwright::codegen::test {

enum class Language : std::uint8_t { julia, modelica };

/// The results of this function at a point, dense, row by row; NaN where nothing was assigned. Throws
/// std::runtime_error with the line that cannot be understood.
std::vector<Values> read_back(Language language, const std::string& text, const Function& function, const Package& package,
                              const Point& point);

/// Every function read back at a point against the interpreter, within their rounding.
void expect_read_back(Language language, const std::string& text, const Specimen& specimen, const Point& point);

/// What is wrong with the blocks of a file (function … end and their like, brackets); empty when nothing is.
std::string find_open_block(Language language, const std::string& text);

}  // namespace linkwright::codegen::test
