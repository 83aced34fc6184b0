#pragma once
// Formulas for people: the normal form, collected and factored until it is short.

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::sym {

/// e arranged to be read. From the normal form several arrangements are tried and the one with the fewest operations
/// wins, then the shortest:
///   - products of sines and cosines, or sines and cosines of sums; sin² or cos² written by the other;
///   - terms gathered by speeds and other moving symbols, by sines and cosines, by parameters, by the most frequent
///     factor; what a group shares taken out in front.
/// The formula is the same function as e. When the normal form is too large there is no value and why_not says so;
/// faithful(e) always works.
Affordable<Formula> readable(const Expr& e, Budget budget = {.terms = 20'000, .time = std::chrono::milliseconds(2'000)});

/// The formula back as an expression of `pool`. Names must be symbols of the pool already.
Expr to_expr(const Formula& formula, Pool& pool);

}  // namespace linkwright::sym
