#include "linkwright/flex/shape_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace linkwright::flex {

namespace {

using sym::Expr;
using Numbers = ExponentialPolynomial<double>;
using Exact = ExponentialPolynomial<Expr>;

bool is_polynomial(const Exact& f) {
    return std::ranges::all_of(f.terms(),
                               [](const Exact::Term& t) { return t.a.is_literally(0) && t.b.is_literally(0) && t.p.is_number(); });
}

/// Of polynomials: their coefficients are numbers.
Numbers in_numbers(const Exact& f) {
    std::vector<Numbers::Term> terms;
    for (const Exact::Term& t : f.terms()) terms.push_back({.k = t.k, .a = 0, .b = 0, .s = 0, .p = t.p.number().to_double(), .q = 0});
    return Numbers(std::move(terms));
}

Exact in_expressions(const Numbers& f) {
    std::vector<Exact::Term> terms;
    for (const Numbers::Term& t : f.terms()) terms.push_back({.k = t.k, .a = t.a, .b = t.b, .s = t.s, .p = t.p, .q = t.q});
    return Exact(std::move(terms));
}

/// How large the terms are that f is the sum of.
double size_at(const Numbers& f, double xi) {
    double size = 0;
    for (const Numbers::Term& t : f.terms()) size += (std::abs(t.p) + std::abs(t.q)) * std::exp(t.a * xi + t.s) * std::pow(xi, t.k);
    return size;
}

Expr without_rounding(double value, double size) { return std::abs(value) <= 1e-13 * size ? Expr(0) : fifteen_digits(value); }

}  // namespace

Expr fifteen_digits(double x) { return std::strtod(fmt::format("{:.14e}", x).c_str(), nullptr); }

ShapeFunction ShapeFunction::derivative() const {
    return std::visit([](const auto& f) { return ShapeFunction(f.derivative()); }, f_);
}

ShapeFunction ShapeFunction::integral() const {
    return std::visit([](const auto& f) { return ShapeFunction(f.integral()); }, f_);
}

ShapeFunction operator*(const ShapeFunction& f, const ShapeFunction& g) {
    const auto *fe = std::get_if<Exact>(&f.f_), *ge = std::get_if<Exact>(&g.f_);
    if (fe != nullptr && ge != nullptr) return *fe * *ge;
    const auto *fn = std::get_if<Numbers>(&f.f_), *gn = std::get_if<Numbers>(&g.f_);
    if (fe != nullptr && gn != nullptr && !is_polynomial(*fe)) return *fe * in_expressions(*gn);
    if (ge != nullptr && fn != nullptr && !is_polynomial(*ge)) return in_expressions(*fn) * *ge;
    const auto *fp = std::get_if<Piecewise>(&f.f_), *gp = std::get_if<Piecewise>(&g.f_);
    const auto numbers = [](const ShapeFunction& x, const Exact* exact) {
        return exact != nullptr ? in_numbers(*exact) : std::get<Numbers>(x.f_);
    };
    if (fp == nullptr && gp == nullptr) return numbers(f, fe) * numbers(g, ge);
    if (fp == nullptr) return Piecewise::cut(numbers(f, fe), gp->from()) * *gp;
    if (gp == nullptr) return *fp * Piecewise::cut(numbers(g, ge), fp->from());
    return *fp * *gp;
}

Expr ShapeFunction::at(const Expr& xi) const {
    if (const auto* exact = std::get_if<Exact>(&f_)) return exact->at(xi);
    const auto* pieces = std::get_if<Piecewise>(&f_);
    if (!xi.is_number()) return pieces != nullptr ? pieces->at(xi) : in_expressions(std::get<Numbers>(f_)).at(xi);
    const double x = xi.number().to_double();
    if (pieces != nullptr) return without_rounding(pieces->at(x), pieces->size_at(x));
    const auto& f = std::get<Numbers>(f_);
    return without_rounding(f.at(x), size_at(f, x));
}

Expr ShapeFunction::between(const Expr& from, const Expr& to) const {
    if (const auto* exact = std::get_if<Exact>(&f_)) return exact->between(from, to);
    const bool is_number = from.is_number() && to.is_number();
    const double a = is_number ? from.number().to_double() : 0, b = is_number ? to.number().to_double() : 0;
    if (const auto* pieces = std::get_if<Piecewise>(&f_)) {
        const Piecewise F = pieces->integral();
        return is_number ? without_rounding(F.at(b) - F.at(a), F.size_at(b) + F.size_at(a)) : F.at(to) - F.at(from);
    }
    const Numbers F = std::get<Numbers>(f_).integral();
    if (is_number) return without_rounding(F.at(b) - F.at(a), size_at(F, b) + size_at(F, a));
    const Exact closed = in_expressions(F);
    return closed.at(to) - closed.at(from);
}

}  // namespace linkwright::flex
