#pragma once
// What the numbers of a result are called.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linkwright/eom/equations.hpp"

namespace linkwright::session {

/// In the order of the equations.
struct Names {
    std::string model, formulation;
    std::vector<std::string> coordinates, speeds, accelerations, auxiliary, inputs, parameters, constraints, outputs;
};
Names names_of(const eom::EquationsOfMotion& equations);
std::vector<std::string> names_of(const std::vector<sym::Expr>& symbols);

/// "did you mean hip?"; without a likely one: "there are hip, knee"; of an empty list `otherwise`.
std::string hint_for(const std::string& word, std::span<const std::string> known, const std::string& otherwise = {},
                     const std::string& before = "there are ");

/// Without blanks and tabs at both ends.
std::string trimmed(const std::string& text);
/// Parts between commas (or another sign), each trimmed; those inside parentheses stay together. Empty parts are left out.
std::vector<std::string> split_list(const std::vector<std::string>& words);

}  // namespace linkwright::session
