#pragma once
// A function on 0 ≤ ξ ≤ 1, by numbers, exactly or in pieces, and what becomes of it at places and between limits that may be expressions.
//
// Eigenfunctions have wave numbers of many digits, so their coefficients are doubles; polynomials have exact ones. At a number
// they give a number. At an expression (a mass at x = a, a piece up to x = a, with a parameter a) they give the closed form, which can be
// differentiated by that parameter.
//
// Numbers that come of doubles are cut to fifteen digits, and what is nothing but rounding beside its own terms is 0: so a constant that
// vanishes by symmetry or orthogonality is exactly zero, on every machine.

#include <variant>

#include "linkwright/flex/piecewise.hpp"
#include "linkwright/flex/shapes.hpp"

namespace linkwright::flex {

class ShapeFunction {
public:
    ShapeFunction() : f_(ExponentialPolynomial<sym::Expr>()) {}
    ShapeFunction(ExponentialPolynomial<double> f) : f_(std::move(f)) {}     // NOLINT: a shape is one
    ShapeFunction(ExponentialPolynomial<sym::Expr> f) : f_(std::move(f)) {}  // NOLINT
    ShapeFunction(Piecewise f) : f_(std::move(f)) {}                         // NOLINT

    ShapeFunction derivative() const;
    ShapeFunction integral() const;  ///< from 0
    sym::Expr at(const sym::Expr& xi) const;
    /// ∫ f dξ
    sym::Expr between(const sym::Expr& from, const sym::Expr& to) const;

    friend ShapeFunction operator*(const ShapeFunction& f, const ShapeFunction& g);

private:
    std::variant<ExponentialPolynomial<double>, ExponentialPolynomial<sym::Expr>, Piecewise> f_;
};

/// The number with fifteen digits.
sym::Expr fifteen_digits(double x);

}  // namespace linkwright::flex
