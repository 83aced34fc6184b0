#pragma once
// Coefficients that a person can hold.

#include "linkwright/sym/formula.hpp"

namespace linkwright::present {

/// The same function without factors such as 2.18e-106 before a sum of terms of 1e105: factors that are long fractions and far from 1 go into
/// the sum. Directions are made orthonormal in fractions of many digits; where two of them should cancel, a term of 1e-20 stays. Such terms, long
/// fractions less than 2^−50 of the largest coefficient beside them, are left out: the digits of a page cannot show them.
sym::Formula even_scales(const sym::Formula& formula);

}  // namespace linkwright::present
