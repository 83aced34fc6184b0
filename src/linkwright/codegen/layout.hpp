#pragma once
// Small verbs that the backends for Python, Julia, MATLAB and Modelica share: lists on lines, and what a function has.

#include <string>
#include <vector>

#include "linkwright/codegen/package.hpp"

namespace linkwright::codegen {

/// Lines of at most `width` letters, made of these pieces with blanks between them; later lines begin with `indent`.
std::vector<std::string> fill(const std::vector<std::string>& pieces, std::size_t width, const std::string& indent);

std::string joined(const std::vector<std::string>& pieces, const std::string& between);

/// The pieces of a list: each but the last with a sign behind.
std::vector<std::string> separated(std::vector<std::string> pieces, const std::string& sign);

/// A model's words between quotes, with a backslash before every character of `special` and before itself.
std::string in_quotes(const std::string& words, const std::string& special = "\"");

std::vector<std::string> result_names(const Function& function);
const Result* find_result(const Function* function, const std::string& name);  ///< null when absent

/// Is it a matrix, even one of a single column: a Jacobian by one symbol?
bool is_matrix(const Result& result);

/// What `rhs_jacobian` solves with: "r_q, r_u, r_w" for the letter r, those that there are.
std::vector<std::string> jacobian_blocks(const Function& jacobians, const std::string& letter);

}  // namespace linkwright::codegen
