#pragma once
// Plain numbers for symbols: the slow, obvious evaluator that everything faster is compared with.

#include <cmath>
#include <complex>
#include <limits>
#include <span>
#include <vector>

#include "linkwright/sym/functions.hpp"
#include "linkwright/sym/sweep.hpp"

namespace linkwright::sym {

/// What the evaluator needs to know of a number type beyond + and *. This one serves double and std::complex<double>;
/// decisions (abs, sign, min, max, if) look at the real part, so that a complex step passes through them.
template <class S>
struct Scalar {
    static S undefined() { return S(std::numeric_limits<double>::quiet_NaN()); }
    static S number(const Rational& r) { return S(r.to_double()); }
    static S pi() { return S(3.14159265358979323846); }
    static S power(const S& x, const Rational& r) {
        if (r == Rational(1, 2)) return std::sqrt(x);
        if (!r.is_integer() || !r.is_inline()) return std::pow(x, r.to_double());
        const std::int64_t exponent = *r.small_numerator();
        S result(1.0), square = x;
        for (std::uint64_t n = static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent); n != 0; n >>= 1) {
            if ((n & 1) != 0) result = result * square;
            square = square * square;
        }
        return exponent < 0 ? S(1.0) / result : result;
    }
    static S apply(Op f, const S& x) {
        switch (f) {
            case Op::abs: return std::real(x) < 0 ? -x : x;
            case Op::sign: return S(std::real(x) > 0 ? 1.0 : std::real(x) < 0 ? -1.0 : std::real(x));
            default: return calc_library_function(f, x);
        }
    }
    static S apply(Op f, const S& x, const S& y) {
        switch (f) {
            case Op::min: return std::real(y) < std::real(x) ? y : x;
            case Op::max: return std::real(x) < std::real(y) ? y : x;
            case Op::atan2: return atan2(x, y);
            default: return undefined();
        }
    }
    static S select(const S& condition, const S& a, const S& b) { return std::real(condition) > 0 ? a : b; }

private:
    static double atan2(double y, double x) { return std::atan2(y, x); }
    template <class C>
    static C atan2(const C& y, const C& x) {  // the branch from the real parts, the rest from the smaller quotient
        const double b = y.real(), a = x.real(), branch = std::atan2(b, a);
        if (std::abs(a) > std::abs(b)) return std::atan(y / x) + C(branch - std::atan(b / a));
        return C(branch + std::atan(a / b)) - std::atan(x / y);
    }
};

/// Values of the roots of a sweep where the symbol s has the value `of(s)`. An undefined node is NaN; a function outside its domain
/// gives what the standard library gives.
template <class S, class Values>
std::vector<S> evaluate(Pool& pool, const Sweep& s, Values of) {
    std::vector<S> value;
    value.reserve(s.steps.size());
    for (const Sweep::Step& step : s.steps) {
        const Expr e(pool, step.id);
        const auto x = [&](std::size_t i) -> const S& { return value[step.args[i]]; };
        const auto calc = [&]() -> S {
            switch (e.op()) {
                case Op::undefined: return Scalar<S>::undefined();
                case Op::number: return Scalar<S>::number(e.number());
                case Op::pi: return Scalar<S>::pi();
                case Op::symbol: return S(of(e));
                case Op::add: return x(0) + x(1);
                case Op::mul: return x(0) * x(1);
                case Op::pow: return Scalar<S>::power(x(0), e.exponent());
                case Op::atan2:
                case Op::min:
                case Op::max: return Scalar<S>::apply(e.op(), x(0), x(1));
                case Op::select: return Scalar<S>::select(x(0), x(1), x(2));
                default: return Scalar<S>::apply(e.op(), x(0));
            }
        };
        value.push_back(calc());
    }
    std::vector<S> out;
    for (const std::uint32_t root : s.roots) out.push_back(value[root]);
    return out;
}

template <class S, class Values>
std::vector<S> evaluate(std::span<const Expr> roots, Values of) {
    if (roots.empty()) return {};
    return evaluate<S>(roots.front().pool(), sweep(roots), of);
}

template <class S, class Values>
S evaluate(const Expr& e, Values of) {
    return evaluate<S>(std::span(&e, 1), of).front();
}

}  // namespace linkwright::sym
