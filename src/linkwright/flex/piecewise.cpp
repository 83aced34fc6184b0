#include "linkwright/flex/piecewise.hpp"

#include <algorithm>
#include <cmath>

namespace linkwright::flex {

namespace {

using Piece = Piecewise::Piece;

/// f(t + by) as a function of t: powers by the binomial theorem, waves by their sums of angles.
Piece shifted(const Piece& f, double by) {
    Piece result;
    for (const Piece::Term& x : f.terms()) {
        const double c = std::cos(x.b * by), s = std::sin(x.b * by), grown = x.s + x.a * by;
        const double p = x.p * c + x.q * s, q = x.q * c - x.p * s;
        double binomial = 1;
        for (int j = 0; j <= x.k; ++j) {
            const double weight = binomial * std::pow(by, x.k - j);
            result += Piece({{.k = j, .a = x.a, .b = x.b, .s = grown, .p = weight * p, .q = weight * q}});
            binomial = binomial * (x.k - j) / (j + 1);
        }
    }
    return result;
}

sym::Expr at_expression(const Piece& f, const sym::Expr& t) {
    std::vector<ExponentialPolynomial<sym::Expr>::Term> terms;
    for (const Piece::Term& x : f.terms()) terms.push_back({.k = x.k, .a = x.a, .b = x.b, .s = x.s, .p = x.p, .q = x.q});
    return ExponentialPolynomial<sym::Expr>(std::move(terms)).at(t);
}

}  // namespace

Piecewise Piecewise::cubic(const std::vector<double>& xi, const std::vector<double>& value, const std::vector<double>& slope) {
    std::vector<double> from;
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k + 1 < xi.size(); ++k) {
        const double h = xi[k + 1] - xi[k], rise = (value[k + 1] - value[k]) / h;
        from.push_back(xi[k]);
        pieces.push_back(Piece::monomial(0, value[k]) + Piece::monomial(1, slope[k]) +
                         Piece::monomial(2, (3 * rise - 2 * slope[k] - slope[k + 1]) / h) +
                         Piece::monomial(3, (slope[k] + slope[k + 1] - 2 * rise) / (h * h)));
    }
    return {std::move(from), std::move(pieces)};
}

Piecewise Piecewise::cut(const Piece& f, const std::vector<double>& from) {
    std::vector<Piece> pieces;
    for (const double at : from) pieces.push_back(shifted(f, at));
    return {from, std::move(pieces)};
}

std::size_t Piecewise::piece_at(double xi) const {
    const auto next = std::upper_bound(from_.begin(), from_.end(), xi);
    return next == from_.begin() ? 0 : static_cast<std::size_t>(next - from_.begin()) - 1;
}

Piecewise Piecewise::derivative() const {
    std::vector<Piece> pieces;
    for (const Piece& p : pieces_) pieces.push_back(p.derivative());
    return {from_, std::move(pieces)};
}

Piecewise Piecewise::integral() const {
    std::vector<Piece> pieces;
    double before = 0;
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
        pieces.push_back(pieces_[k].integral() + Piece::monomial(0, before));
        if (k + 1 < pieces_.size()) before = pieces.back().at(from_[k + 1] - from_[k]);
    }
    return {from_, std::move(pieces)};
}

double Piecewise::at(double xi) const {
    const std::size_t k = piece_at(xi);
    return pieces_[k].at(xi - from_[k]);
}

double Piecewise::size_at(double xi) const {
    const std::size_t k = piece_at(xi);
    const double t = xi - from_[k];
    double size = 0;
    for (const Piece::Term& x : pieces_[k].terms()) size += (std::abs(x.p) + std::abs(x.q)) * std::exp(x.a * t + x.s) * std::pow(t, x.k);
    return size;
}

sym::Expr Piecewise::at(const sym::Expr& xi) const {
    sym::Expr value = at_expression(pieces_[0], xi);
    for (std::size_t k = 1; k < pieces_.size(); ++k) value = select(xi - from_[k], at_expression(pieces_[k], xi - from_[k]), value);
    return value;
}

double Piecewise::between(double from, double to) const {
    const Piecewise F = integral();
    return F.at(to) - F.at(from);
}

Piecewise operator*(const Piecewise& f, const Piecewise& g) {
    std::vector<double> from = f.from_;
    from.insert(from.end(), g.from_.begin(), g.from_.end());
    std::ranges::sort(from);
    from.erase(std::unique(from.begin(), from.end()), from.end());
    std::vector<Piece> pieces;
    for (const double at : from) {
        const std::size_t i = f.piece_at(at), j = g.piece_at(at);
        pieces.push_back(shifted(f.pieces_[i], at - f.from_[i]) * shifted(g.pieces_[j], at - g.from_[j]));
    }
    return {std::move(from), std::move(pieces)};
}

}  // namespace linkwright::flex
