#include "linkwright/flex/shape_function.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace linkwright::flex {

namespace {

using sym::Expr;
using Numbers = ExponentialPolynomial<double>;
using Exact = ExponentialPolynomial<Expr>;

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
    return (fe != nullptr ? in_numbers(*fe) : std::get<Numbers>(f.f_)) * (ge != nullptr ? in_numbers(*ge) : std::get<Numbers>(g.f_));
}

Expr ShapeFunction::at(const Expr& xi) const {
    if (const auto* exact = std::get_if<Exact>(&f_)) return exact->at(xi);
    const auto& f = std::get<Numbers>(f_);
    if (!xi.is_number()) return in_expressions(f).at(xi);
    const double x = xi.number().to_double();
    return without_rounding(f.at(x), size_at(f, x));
}

Expr ShapeFunction::between(const Expr& from, const Expr& to) const {
    if (const auto* exact = std::get_if<Exact>(&f_)) return exact->between(from, to);
    const Numbers F = std::get<Numbers>(f_).integral();
    if (!from.is_number() || !to.is_number()) {
        const Exact closed = in_expressions(F);
        return closed.at(to) - closed.at(from);
    }
    const double a = from.number().to_double(), b = to.number().to_double();
    return without_rounding(F.at(b) - F.at(a), size_at(F, b) + size_at(F, a));
}

}  // namespace linkwright::flex
