#pragma once
// Two formulas as numbers, where symbols cannot decide: √(l²) is l only where l is positive, and cos(asin(x)) is a root of which no
// fingerprint knows. The model says which values are meant, so the question is asked there: with its parameters and near them, in
// states near the one it starts from, beyond any turn, at rest, and of every size. Every number carries a bound of its rounding
// error, so that "different" is certain; that they agree is no proof.

#include "linkwright/compare/domain.hpp"

namespace linkwright::compare {

struct AsNumbers {
    enum class Answer : std::uint8_t {
        agree,      ///< within rounding, at every point where both have a value; and both have one, or none
        different,  ///< certainly: two numbers, or a number and none
        unknown,    ///< too few points gave values
    };
    Answer answer = Answer::unknown;
    std::size_t points = 0;  ///< at which both were known well enough to tell them apart
    std::string where;       ///< agree: where that was; different: a point that shows it, and both values
};

/// Whether symbols alone cannot decide about e: a function stands in it that no finite field has.
bool is_opaque(const Expr& e);

/// `domain`: where theirs has a value as it was written. What cancels in theirs − ours is cancelled before numbers are put in, where the
/// normal form is affordable.
AsNumbers compare_numbers(const Quantities& ours, const Expr& a, const Expr& b, const Domain& domain, std::uint64_t seed);

}  // namespace linkwright::compare
