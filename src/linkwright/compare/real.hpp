#pragma once
// Real numbers that know how wrong they may be (sym/approximate.hpp), and whether they are there at all: the root of what is certainly
// negative has no real value, which is another thing than a value that rounding hides.

#include "linkwright/sym/approximate.hpp"

namespace linkwright::compare {

struct Real {
    sym::Approximate number;
    bool is_void = false;  ///< certainly no real value

    Real() = default;
    Real(const sym::Approximate& x) : number(x) {}  // NOLINT: a number
    Real(double x) : number(x) {}                   // NOLINT: an exact one

    bool is_known() const { return !is_void && number.is_known(); }
    bool is_zero() const { return !is_void && number.value == 0 && number.error == 0; }  ///< exactly
    /// Certainly; what lies on the end itself, as in log(0), is left open.
    bool is_outside(double from, double to) const {
        constexpr double tiny = sym::Approximate::tiny;
        return is_known() && (number.value + number.error < from - tiny || number.value - number.error > to + tiny);
    }

    static Real none() {
        Real x(sym::unknown_value());
        x.is_void = true;
        return x;
    }
};
inline Real operator+(const Real& x, const Real& y) {
    if (x.is_void || y.is_void) return Real::none();
    return x.is_zero() ? y : y.is_zero() ? x : Real(x.number + y.number);
}
inline Real operator*(const Real& x, const Real& y) {
    if (x.is_void || y.is_void) return Real::none();
    if ((x.is_zero() && y.is_known()) || (y.is_zero() && x.is_known())) return 0.0;
    return x.number * y.number;
}

}  // namespace linkwright::compare

namespace linkwright::sym {

/// An exact zero stays one through products and sums, so that sign(0) and if(0, …) are decided.
template <>
struct Scalar<compare::Real> {
    using S = compare::Real;
    using Plain = Scalar<Approximate>;
    static S undefined() { return S::none(); }
    static S number(const Rational& r) { return r.is_zero() ? S(0.0) : S(Plain::number(r)); }
    static S pi() { return Plain::pi(); }
    static S power(const S& x, const Rational& r) {
        if (x.is_void) return x;
        if (x.is_zero()) return r.sign() > 0 ? x : S::none();
        if (!r.is_integer() && x.number.is_known() && x.number.is_negative()) return S::none();
        return Plain::power(x.number, r);
    }
    static S apply(Op f, const S& x) {
        if (x.is_void) return x;
        const ElementaryFunction& row = elementary_function(f);
        if (x.is_outside(row.from, row.to)) return S::none();
        if (x.is_zero() && (f == Op::abs || f == Op::sign)) return x;
        return Plain::apply(f, x.number);
    }
    static S apply(Op f, const S& x, const S& y) { return x.is_void || y.is_void ? S::none() : S(Plain::apply(f, x.number, y.number)); }
    static S select(const S& condition, const S& a, const S& b) {
        if (condition.is_void) return condition;
        if (condition.is_zero() || condition.number.is_negative()) return b;
        return condition.number.is_positive() ? a : S(unknown_value());
    }
};

}  // namespace linkwright::sym
