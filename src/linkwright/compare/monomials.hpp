#pragma once
// An expression as a sum of monomials: what a person would call its terms.

#include <optional>

#include "linkwright/sym/terms.hpp"

namespace linkwright::compare {

/// sin(a + b) as it is, or as sin a cos b + cos a sin b.
enum class Angles : std::uint8_t { merged, opened };

/// Empty when it is no such sum, or one of more than `most` terms. Divisors that are monomials are letters with negative exponents.
std::optional<sym::Terms> monomials(const sym::Expr& e, Angles angles, sym::Pool& desk, std::size_t most = 2000);

/// Which of the two makes fewer terms.
Angles shorter_angles(const sym::Expr& e, sym::Pool& desk);

}  // namespace linkwright::compare
