#pragma once
// Doubles that know how wrong they may be: a running bound on the rounding error. Used where "these two differ" must be
// certain, not likely.

#include <cmath>
#include <limits>

#include "linkwright/sym/evaluate.hpp"

namespace linkwright::sym {

/// The true value lies within `error` of `value`. An infinite or NaN error means nothing is known.
struct Approximate {
    double value = 0, error = 0;
    Approximate() = default;
    Approximate(double v) : value(v) {}  // NOLINT: an exact double
    Approximate(double v, double e) : value(v), error(e + rounding * std::abs(v) + tiny) {}

    static constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();  // covers glibc's functions, < 2 ulp
    static constexpr double tiny = std::numeric_limits<double>::min();

    bool is_known() const { return std::isfinite(value) && std::isfinite(error); }
    bool is_positive() const { return value > error; }
    bool is_negative() const { return -value > error; }
};

inline Approximate unknown_value() {
    Approximate x;
    x.value = std::numeric_limits<double>::quiet_NaN();
    x.error = std::numeric_limits<double>::infinity();
    return x;
}
inline Approximate operator-(const Approximate& x) {
    Approximate y;
    y.value = -x.value;
    y.error = x.error;
    return y;
}
inline Approximate operator+(const Approximate& x, const Approximate& y) { return {x.value + y.value, x.error + y.error}; }
inline Approximate operator-(const Approximate& x, const Approximate& y) { return x + -y; }
inline Approximate operator*(const Approximate& x, const Approximate& y) {
    return {x.value * y.value, std::abs(x.value) * y.error + std::abs(y.value) * x.error + x.error * y.error};
}
inline Approximate operator/(const Approximate& x, const Approximate& y) {
    if (!y.is_positive() && !y.is_negative()) return unknown_value();
    const double smallest = std::abs(y.value) - y.error, q = x.value / y.value;
    return {q, (x.error + std::abs(q) * y.error) / smallest};
}

template <>
struct Scalar<Approximate> {
    using S = Approximate;
    static S undefined() { return unknown_value(); }
    static S number(const Rational& r) { return {r.to_double(), 0.0}; }
    static S pi() { return {3.14159265358979323846, 0.0}; }
    static S power(const S& x, const Rational& r) {
        if (r.is_integer() && r.is_inline() && linkwright::sym::abs(r) < Rational(1024)) {
            const std::int64_t n = *r.small_numerator();
            S result(1.0);
            for (std::int64_t i = 0; i < std::abs(n); ++i) result = result * x;
            return n < 0 ? S(1.0) / result : result;
        }
        if (!x.is_positive()) return unknown_value();
        const double a = r.to_double(), low = std::pow(x.value - x.error, a), high = std::pow(x.value + x.error, a);
        S result = around(std::pow(x.value, a), low, high);
        result.error += S::rounding * std::abs(result.value * a * std::log(x.value));  // the exponent was rounded too
        return result;
    }
    static S apply(Op f, const S& x) {
        const double v = x.value, low = v - x.error, high = v + x.error;
        switch (f) {
            case Op::tan: return apply(Op::sin, x) / apply(Op::cos, x);
            case Op::abs: return {std::abs(v), x.error};
            case Op::sign: return x.is_positive() ? S(1.0) : x.is_negative() ? S(-1.0) : unknown_value();
            default: break;
        }
        const ElementaryFunction& row = elementary_function(f);
        const auto at = [f](double a) { return calc_library_function(f, a); };
        if (row.spread == Spread::contraction) return {at(v), x.error};
        if (row.spread != Spread::monotone || low < row.from || high > row.to) return unknown_value();
        return around(at(v), at(low), at(high));
    }
    static S apply(Op f, const S& x, const S& y) {
        switch (f) {  // min and max move no more than their arguments
            case Op::min: return {std::min(x.value, y.value), std::max(x.error, y.error)};
            case Op::max: return {std::max(x.value, y.value), std::max(x.error, y.error)};
            case Op::atan2: {
                const double reach = std::hypot(x.value, y.value) - x.error - y.error;
                const bool at_the_cut = !y.is_positive() && !x.is_positive() && !x.is_negative();
                return reach <= 0 || at_the_cut ? unknown_value() : S(std::atan2(x.value, y.value), 2 * (x.error + y.error) / reach);
            }
            default: return unknown_value();
        }
    }
    static S select(const S& condition, const S& a, const S& b) {
        return condition.is_positive() ? a : condition.is_negative() ? b : unknown_value();
    }

private:
    static S around(double value, double low, double high) {
        return {value, std::max(std::abs(value - low), std::abs(high - value)) + rounding_of(low) + rounding_of(high)};
    }
    static double rounding_of(double x) { return S::rounding * std::abs(x); }
};

}  // namespace linkwright::sym
