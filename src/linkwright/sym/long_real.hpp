#pragma once
// Expressions in numbers of eleven more bits than a double: to see what doubles lose, and by how little constants were rounded.

#include <cmath>
#include <limits>

#include "linkwright/sym/evaluate.hpp"

namespace linkwright::sym {

template <>
struct Scalar<long double> {
    using S = long double;
    static S undefined() { return std::numeric_limits<S>::quiet_NaN(); }
    /// Rounded twice: what the nearest double leaves over is added.
    static S number(const Rational& r) {
        const double near = r.to_double();
        const auto exact = Rational::from_double(near);
        return static_cast<S>(near) + (exact ? static_cast<S>((r - *exact).to_double()) : S{0});
    }
    static S pi() { return 3.14159265358979323846264338327950288L; }
    static S power(const S& x, const Rational& r) {
        if (r == Rational(1, 2)) return std::sqrt(x);
        if (!r.is_integer() || !r.is_inline()) return std::pow(x, number(r));
        const std::int64_t exponent = *r.small_numerator();
        S result = 1, square = x;
        for (std::uint64_t n = static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent); n != 0; n >>= 1) {
            if ((n & 1) != 0) result *= square;
            square *= square;
        }
        return exponent < 0 ? 1 / result : result;
    }
    static S apply(Op f, const S& x) {
        switch (f) {
            case Op::abs: return std::abs(x);
            case Op::sign: return x > 0 ? 1 : x < 0 ? -1 : x;
            default: return calc_library_function(f, x);
        }
    }
    static S apply(Op f, const S& x, const S& y) {
        switch (f) {
            case Op::min: return y < x ? y : x;
            case Op::max: return x < y ? y : x;
            case Op::atan2: return std::atan2(x, y);
            default: return undefined();
        }
    }
    static S select(const S& condition, const S& a, const S& b) { return condition > 0 ? a : b; }
};

}  // namespace linkwright::sym
