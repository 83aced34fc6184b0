#pragma once
// The normal form: an expression as a fraction of polynomials over the rationals. It is how expressions are read
// (expanded, collected, printed) and the exact second witness beside the fingerprint. It is never how they are computed:
// expansion costs what it costs, so everything here takes a budget and says "too large" instead of hanging.
//
// Generators are what polynomials are made of: symbols, π, the sine and cosine of each independent angle, roots
// x^(1/d), unit quaternions, and every opaque function as a letter of its own. Angles are opened: sin(q1 + 2·q2) becomes
// a polynomial in the sines and cosines of q1 and q2 (of q/2 where q/2 occurs). Polynomials are reduced modulo
//
//     s² = 1 − c²        e0² = 1 − e1² − e2² − e3²        r^d = x  for r = x^(1/d)
//
// in a lexicographic order in which each left side leads; the leading terms are coprime, so without roots of
// polynomials and opaque functions the form is unique: equal functions have equal numerators over equal denominators.
// Denominators are kept as a product of factors; fractions are compared by cross-multiplication.

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linkwright/sym/expr.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/terms.hpp"

namespace linkwright::sym {

/// How much a normal form may cost: terms of any one polynomial, and time in all.
struct Budget {
    std::size_t terms = 100'000;
    std::chrono::milliseconds time{5'000};
};

/// A value, or the sentence why there is none ("more than 100000 terms", "out of time").
template <class T>
struct Affordable {
    std::optional<T> value;
    std::string why_not;
    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const { return *value; }
    const T* operator->() const { return &*value; }
};

/// numerator / Π denominator^power, each a list of terms in the ring's order.
struct NormalForm {
    struct Denominator {
        Terms base;
        std::int64_t power;
    };
    Terms numerator;
    std::vector<Denominator> denominators;
    /// No opaque functions, no roots of polynomials, no angles beyond independent monomials: unequal forms are unequal
    /// functions.
    bool is_unique = true;
    /// A denominator is identically zero.
    bool is_undefined = false;
};

/// The normal form of e. Generators are expressions of `plain`, which must not fold: a folding pool takes sin(q) for
/// whatever equals it (std::invalid_argument, here and below). e itself may live in any pool.
Affordable<NormalForm> normal_form(const Expr& e, Pool& plain, Budget budget = {});

/// Exact equality: no probability in it. `unknown` when the forms differ but are not unique, or when it is too large
/// (then why_not says so).
struct ExactVerdict {
    Verdict verdict = Verdict::unknown;
    std::string why_not;
};
ExactVerdict equal_exactly(const Expr& a, const Expr& b, Budget budget = {});

/// e as a sum of terms over a product of denominators, built in `plain` (a folding pool would give e back).
Affordable<Expr> expand(const Expr& e, Pool& plain, Budget budget = {});

/// e with products of sines and cosines merged into sines and cosines of sums: cos a cos b − sin a sin b → cos(a + b).
Affordable<Expr> merge_angles(const Expr& e, Pool& plain, Budget budget = {});

/// e = Σ monomial · coefficient, the monomials being products of the chosen symbols; sines and cosines of a chosen symbol
/// count as chosen. Coefficients are free of them. A denominator that contains a chosen symbol is told in why_not.
struct Collected {
    Expr monomial, coefficient;
};
Affordable<std::vector<Collected>> collect(const Expr& e, std::span<const Expr> symbols, Pool& plain, Budget budget = {});

/// The whole fraction as an expression of `pool`.
Expr to_expr(const NormalForm& form, Pool& pool);

}  // namespace linkwright::sym
