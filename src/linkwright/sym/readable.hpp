#pragma once
// Formulas for people: the normal form, collected and factored until it is short.

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"

namespace linkwright::sym {

/// e arranged to be read. Three forms are arranged (arrangement.hpp), and the shortest wins:
///   - the normal form, everything over one denominator;
///   - with roots and denominators kept apart (stand_ins.hpp): x/√a + y/√b, and not over √a·√b;
///   - as it stands, with nothing in parentheses multiplied out: (x + a)² + (y + b)².
/// What stands below roots and in parentheses is arranged in the same way. The formula is the same function as e. When the normal form is too large there is no value and why_not says so;
/// faithful(e) always works.
Affordable<Formula> readable(const Expr& e, Budget budget = {.terms = 20'000, .time = std::chrono::milliseconds(2'000)});

/// The formula back as an expression of `pool`. Names must be symbols of the pool already.
Expr to_expr(const Formula& formula, Pool& pool);

}  // namespace linkwright::sym
