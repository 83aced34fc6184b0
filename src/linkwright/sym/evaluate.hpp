#pragma once
// Plain numbers for symbols: the slow, obvious evaluator that everything faster is compared with.

#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "linkwright/sym/node_map.hpp"

namespace linkwright::sym {

/// The functions an evaluator needs beyond + − * /, for double. Other scalars give overloads found by their type.
namespace scalar {

template <class S>
S from_rational(const Rational& r) { return S(r.to_double()); }

inline double real_part(double x) { return x; }
inline double real_part(const std::complex<double>& x) { return x.real(); }

inline double sign(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }
template <class S>
S sign(const S& x) { return S(sign(real_part(x))); }
template <class S>
S abs(const S& x) { return real_part(x) < 0 ? -x : x; }  // along the real line, so that complex steps work
template <class S>
S atan2(const S& y, const S& x) {
    if constexpr (std::is_same_v<S, double>) {
        return std::atan2(y, x);
    } else {
        const double branch = std::atan2(real_part(y), real_part(x));
        // The branch from the real parts, the rest from the quotient that is small there.
        if (std::abs(real_part(x)) > std::abs(real_part(y))) {
            return std::atan(y / x) + S(branch - std::atan(real_part(y) / real_part(x)));
        }
        return -std::atan(x / y) + S(branch + std::atan(real_part(x) / real_part(y)));
    }
}

template <class S>
S power(const S& x, const Rational& r) {
    if (r.is_integer() && r.is_inline() && abs(r) < Rational(1024)) {
        std::int64_t n = *r.small_numerator();
        const bool inverted = n < 0;
        S result(1.0), square = x;
        for (n = inverted ? -n : n; n != 0; n >>= 1) {
            if ((n & 1) != 0) result = result * square;
            square = square * square;
        }
        return inverted ? S(1.0) / result : result;
    }
    if (r == Rational(1, 2)) {
        using std::sqrt;
        return sqrt(x);
    }
    using std::pow;
    return pow(x, r.to_double());
}

}  // namespace scalar

/// Values of `roots` where the symbol s has the value `of(s)`. S is double, std::complex<double>, or a type like them.
/// An undefined node is NaN; a function outside its domain gives what the standard library gives.
template <class S, class Values>
std::vector<S> evaluate(std::span<const Expr> roots, Values of) {
    using namespace std;  // sin, cos, … for double and complex; others by their own namespace
    NodeMap<S> value;
    for (const Expr& e : nodes_below(roots)) {
        const auto args = arguments(e.node());
        const auto x = [&](std::size_t i) -> const S& { return value.at(args[i]); };
        const auto result = [&]() -> S {
            switch (e.op()) {
                case Op::undefined: return S(numeric_limits<double>::quiet_NaN());
                case Op::number: return scalar::from_rational<S>(e.number());
                case Op::pi: return S(3.14159265358979323846);
                case Op::symbol: return of(e);
                case Op::add: return x(0) + x(1);
                case Op::mul: return x(0) * x(1);
                case Op::pow: return scalar::power(x(0), e.exponent());
                case Op::sin: return sin(x(0));
                case Op::cos: return cos(x(0));
                case Op::tan: return tan(x(0));
                case Op::asin: return asin(x(0));
                case Op::acos: return acos(x(0));
                case Op::atan: return atan(x(0));
                case Op::exp: return exp(x(0));
                case Op::log: return log(x(0));
                case Op::tanh: return tanh(x(0));
                case Op::abs: return scalar::abs(x(0));
                case Op::sign: return scalar::sign(x(0));
                case Op::atan2: return scalar::atan2(x(0), x(1));
                case Op::min: return scalar::real_part(x(1)) < scalar::real_part(x(0)) ? x(1) : x(0);
                case Op::max: return scalar::real_part(x(0)) < scalar::real_part(x(1)) ? x(1) : x(0);
                case Op::select: return scalar::real_part(x(0)) > 0 ? x(1) : x(2);
            }
            return S();
        };
        value.insert(e.id(), result());
    }
    std::vector<S> out;
    for (const Expr& root : roots) out.push_back(value.at(root.id()));
    return out;
}

template <class S, class Values>
S evaluate(const Expr& e, Values of) {
    return evaluate<S>(std::span(&e, 1), of).front();
}

}  // namespace linkwright::sym
