#pragma once
// Questions answered by fingerprints: is it zero, are they equal, how sure is that, and at which point was it asked.
//
// A node's residue is its value at a random point of two prime fields (residue.hpp): every angle atom a random point of the
// circle, every unit quaternion a random point of the sphere, every other symbol a random number. A function of formal
// degree d that is not zero vanishes at such a point with probability at most about 2d/p per field [schwartz80, zippel79].
//
// Three answers, because some functions have no value in a finite field: √x, x^r, every function but sin, cos and
// tan, and angles that are not linear in independent monomials, get a keyed hash of their arguments for a residue. Equal
// residues still mean equal. Unequal ones mean different only if a real evaluation with an error bound shows it; otherwise
// the answer is unknown, and normal_form.hpp may know more.
//
// The probability is over the random point. The primes themselves are fixed: two numbers that differ by a multiple of both
// (so beyond 2¹²¹) and were chosen to deceive can; numbers of ordinary size cannot, and the normal form never is.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

enum class Verdict : std::uint8_t { equal, different, unknown };
std::string_view to_string(Verdict verdict);

/// Whether e is the zero function / a and b the same function, at the point of their pool. Cheap: one comparison unless
/// opaque parts ask for numbers. Undefined expressions are unknown, and so are those with a denominator that vanishes at the
/// point: by chance (about once in 2⁶¹) or identically. transplant() to a pool with another seed tells which.
Verdict is_zero(const Expr& e);
Verdict equal(const Expr& a, const Expr& b);

/// How sure "equal" is. `degree` is the formal degree of the numerator over a common denominator, counted on the graph;
/// opaque functions count as fresh variables. `log2_error` bounds the base-2 logarithm of the probability that a function
/// of that degree, not zero, has residue zero in both fields; with `comparisons` > 1, that any of them has (union bound).
struct ErrorBound {
    double degree = 0;
    double log2_error = 0;
    bool is_vacuous() const { return log2_error > -20; }
};
ErrorBound error_bound(std::span<const Expr> functions, double comparisons = 1);  ///< is any of them zero?
ErrorBound error_bound(const Expr& e);
ErrorBound error_bound(const Expr& a, const Expr& b);  ///< are they equal? Fractions are multiplied crosswise.

/// The formal degrees of a fraction, for comparing expressions of two pools. The variables are those of the point: a
/// coordinate q that turns something counts by the point of q/division, for every side the same one.
struct FormalDegree {
    double numerator = 0, denominator = 0;
    bool has_angles = false;
};
std::vector<FormalDegree> formal_degrees(std::span<const Expr> functions, const Rational& division = 1);
/// The common denominator of the factors of angles: a division that serves all of them.
Rational angle_division(std::span<const Expr> functions);
ErrorBound error_bound(const FormalDegree& a, const FormalDegree& b, double comparisons = 1);

/// The random point at which these expressions were judged, for a person who wants to repeat it: seed, primes, and the
/// residues of every symbol.
std::string describe_point(std::span<const Expr> expressions);

}  // namespace linkwright::sym
