#pragma once
// Equations of motion as they stand in books, left = right: which row of ours they are, up to what factor, or which combination.

#include "linkwright/compare/compare.hpp"

namespace linkwright::compare {

void judge_equation(Binder& binder, Repairer& repairer, std::size_t statement, std::chrono::milliseconds patience, ComparedEntry& entry);

/// e arranged to be read, or nothing when that is longer than `longest` characters.
std::string readable_text(const Expr& e, std::size_t longest);

}  // namespace linkwright::compare
