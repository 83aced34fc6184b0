#pragma once
// Auxiliary states that begin steady: where their rates vanish while the mechanism is where it is.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

/// Rows that vanish when all is steady, and the places in x of what they determine. Rates are linear in their states mostly; control laws
/// between them need not be. Of what a computer samples, the filter behind it comes to rest, and what is held is what it puts out.
struct SteadyRows {
    std::vector<Expr> rows;
    std::vector<std::size_t> x;
};
/// Without those of `is_given`.
SteadyRows steady_rows(const eom::EquationsOfMotion& equations, const std::vector<bool>& is_given);

/// Newton's method on these rows for the states in them, from where they are; of many solutions (an integrator without input rests
/// anywhere) the nearest. Empty when they vanish, otherwise what does not.
std::string settle(const CompiledEquations& numbers, const std::vector<bool>& is_given, State& state);

}  // namespace linkwright::numeric
