#pragma once
// Functions on 0 ≤ ξ ≤ 1 that are put together of pieces: shapes that come from finite elements, cubic in each of them.
//
// A piece is an ExponentialPolynomial of t = ξ − ξ_k, counted from where the piece begins: powers of ξ itself would cancel where pieces are short.
// Sums of exponentials and waves that hold from 0 to 1 are carried over to t by shifting them, so that products of both kinds have closed integrals.

#include "linkwright/flex/exponential_polynomial.hpp"

namespace linkwright::flex {

class Piecewise {
public:
    using Piece = ExponentialPolynomial<double>;

    /// `from` ascends from 0; the last piece goes to 1.
    Piecewise(std::vector<double> from, std::vector<Piece> pieces) : from_(std::move(from)), pieces_(std::move(pieces)) {}
    /// Cubic between places 0 = ξ_0 < … < ξ_n = 1, with these values and slopes by ξ there: Hermite's.
    static Piecewise cubic(const std::vector<double>& xi, const std::vector<double>& value, const std::vector<double>& slope);
    /// A function that is one formula, cut at the places of another.
    static Piecewise cut(const Piece& f, const std::vector<double>& from);

    const std::vector<double>& from() const { return from_; }
    Piecewise derivative() const;
    Piecewise integral() const;  ///< from 0
    double at(double xi) const;
    sym::Expr at(const sym::Expr& xi) const;
    double between(double from, double to) const;
    /// How large the terms are that the value at ξ is the sum of.
    double size_at(double xi) const;

    friend Piecewise operator*(const Piecewise& f, const Piecewise& g);

private:
    std::size_t piece_at(double xi) const;

    std::vector<double> from_;
    std::vector<Piece> pieces_;
};

}  // namespace linkwright::flex
