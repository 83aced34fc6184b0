#pragma once
// A polynomial spelled out: terms of numbers and letters. What the normal form gives to read, and verbs that rearrange it.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

/// A product of generators, a letter each.
struct Factor {
    Expr generator;
    std::int64_t exponent;
};
struct Term {
    Rational coefficient;
    std::vector<Factor> factors;
};
using Terms = std::vector<Term>;

/// Largest numeric factor and monomial that all terms share, taken out: content · rest.
struct ContentAndRest {
    Term content;
    Terms rest;
};
ContentAndRest factor_content(Terms terms);

/// Irreducible factors with their powers, letters taken as independent; empty when there is only one, or when there are
/// too many terms to try.
struct Factored {
    Rational coefficient;
    std::vector<std::pair<Terms, std::int64_t>> factors;
};
std::optional<Factored> factor(const Terms& terms);

/// Products of sines and cosines as sums, on terms (cos a cos b → ½ cos(a−b) + ½ cos(a+b)); equal terms gathered.
Terms merged_angles(const Terms& terms, Pool& pool);

/// Of sin² = 1 − cos² and cos² = 1 − sin², whichever makes fewer terms, angle by angle.
Terms shorter_squares(const Terms& terms);

/// Σ terms as an expression of `pool`.
Expr to_expr(const Terms& terms, Pool& pool);

}  // namespace linkwright::sym
