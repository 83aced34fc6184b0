#pragma once
// Why an expression has no finite value at a state: the innermost part that is to blame.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

/// The first part of `e` that is infinite or undefined though what it is made of is finite, with the values it is made of: "x^(-1/2) is
/// infinite where x = 0". `arguments` are those of Layout, with or without u̇ and λ. Empty when `e` is finite there.
std::string not_finite_part(const CompiledEquations& numbers, const Expr& e, const VectorXd& arguments);

}  // namespace linkwright::numeric
