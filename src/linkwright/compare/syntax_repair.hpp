#pragma once
// Statements that print has damaged until they are no formulas: a bracket too many where a line was broken, a bracket lost, a sign
// lost at the beginning of a line. Every small change that makes a formula of it again is a candidate; which one was meant is
// decided by what the formula should be.

#include "linkwright/compare/term_repair.hpp"

namespace linkwright::compare {

/// A right side that parses again.
struct Mend {
    std::vector<Token> tokens;  ///< the whole statement
    Tree tree;
    Tree::Part root = 0;
    std::vector<Repair> told;  ///< what was changed, in the order of the text
    double cost = 0;
};

/// Shows every candidate to `visit`, in no order; none when the damage is of another kind. `atoms` are names that may have been
/// lost together with an opening bracket.
void for_each_mend(const Statement& statement, Language language, const std::vector<Atom>& atoms, std::chrono::milliseconds patience,
                   const std::function<void(Mend&&)>& visit);

}  // namespace linkwright::compare
