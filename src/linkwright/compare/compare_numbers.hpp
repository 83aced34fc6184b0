#pragma once
// Two formulas as numbers, where symbols cannot decide: √(l²) is l only where l is positive, and cos(asin(x)) is a root of which no
// fingerprint knows. The model says which values are meant, so the question is asked there: at its parameters and near them, in
// many states near the one it starts from. Every number carries a bound of its rounding error, so that "different" is certain.

#include "linkwright/compare/quantities.hpp"

namespace linkwright::compare {

enum class AsNumbers : std::uint8_t {
    equal,      ///< to nine figures, at every point
    different,  ///< certainly, at the model's own parameters
    nearby,     ///< equal at the model's parameters near its first state, different farther away
    unknown,    ///< no point gave a value
};

/// Whether symbols alone cannot decide about e: a function stands in it that no finite field has.
bool is_opaque(const Expr& e);

AsNumbers compare_numbers(const Quantities& ours, const Expr& a, const Expr& b, std::uint64_t seed);

}  // namespace linkwright::compare
