#include "linkwright/flex/exponential_polynomial.hpp"

#include <cmath>
#include <complex>

namespace linkwright::flex {

namespace {

using sym::Expr;

bool is_zero(double x) { return x == 0; }
bool is_zero(const Expr& x) { return x.is_literally(0); }
double power(double x, int k) { return std::pow(x, k); }
Expr power(const Expr& x, int k) { return pow(x, sym::Rational(k)); }

}  // namespace

template <class S>
ExponentialPolynomial<S>::ExponentialPolynomial(std::vector<Term> terms) {
    for (const Term& t : terms) add(t);
}

template <class S>
ExponentialPolynomial<S> ExponentialPolynomial<S>::monomial(int k, S c) {
    return ExponentialPolynomial({{.k = k, .a = 0, .b = 0, .s = 0, .p = c, .q = 0}});
}

template <class S>
ExponentialPolynomial<S> ExponentialPolynomial<S>::wave(S b, S p, S q) {
    return ExponentialPolynomial({{.k = 0, .a = 0, .b = b, .s = 0, .p = p, .q = q}});
}

template <class S>
ExponentialPolynomial<S> ExponentialPolynomial<S>::exponential(S a, S s, S c) {
    return ExponentialPolynomial({{.k = 0, .a = a, .b = 0, .s = s, .p = c, .q = 0}});
}

template <class S>
void ExponentialPolynomial<S>::add(const Term& t) {
    if (is_zero(t.p) && (is_zero(t.q) || is_zero(t.b))) return;
    for (Term& own : terms_) {
        if (own.k != t.k || !(own.a == t.a && own.b == t.b && own.s == t.s)) continue;
        own.p = own.p + t.p, own.q = own.q + t.q;
        return;
    }
    terms_.push_back(t);
}

template <class S>
ExponentialPolynomial<S>& ExponentialPolynomial<S>::operator+=(const ExponentialPolynomial& other) {
    const std::vector<Term> terms = other.terms_;  // they may be our own
    for (const Term& t : terms) add(t);
    return *this;
}

// 2 cos x cos y = cos(x − y) + cos(x + y), and so on
template <class S>
ExponentialPolynomial<S> ExponentialPolynomial<S>::product(const ExponentialPolynomial& f, const ExponentialPolynomial& g) {
    ExponentialPolynomial result;
    for (const Term& x : f.terms_) {
        for (const Term& y : g.terms_) {
            Term t{.k = x.k + y.k, .a = x.a + y.a, .b = x.b, .s = x.s + y.s};
            if (is_zero(x.b) || is_zero(y.b)) {
                const Term &flat = is_zero(x.b) ? x : y, &wave = is_zero(x.b) ? y : x;
                t.b = wave.b, t.p = flat.p * wave.p, t.q = flat.p * wave.q;
                result.add(t);
                continue;
            }
            t.b = x.b + y.b, t.p = (x.p * y.p - x.q * y.q) / 2, t.q = (x.p * y.q + x.q * y.p) / 2;
            result.add(t);
            t.b = x.b - y.b, t.p = (x.p * y.p + x.q * y.q) / 2, t.q = (x.q * y.p - x.p * y.q) / 2;
            result.add(t);
        }
    }
    return result;
}

template <class S>
ExponentialPolynomial<S> ExponentialPolynomial<S>::derivative() const {
    ExponentialPolynomial result;
    for (const Term& t : terms_) {
        Term outer = t, inner = t;
        if (t.k > 0) {
            outer.k = t.k - 1, outer.p = t.k * t.p, outer.q = t.k * t.q;
            result.add(outer);
        }
        inner.p = t.a * t.p + t.b * t.q, inner.q = t.a * t.q - t.b * t.p;
        result.add(inner);
    }
    return result;
}

// With z = a + ib and c = p − iq a term is Re(c ξ^k e^(zξ + s)), and ∫ξ^k e^(zξ) = e^(zξ) Σ_j (−1)^j k!/(k − j)! ξ^(k−j) z^(−j−1).
// Where |z| is small these cancel, and the series Σ_m z^m ξ^(k+m+1)/(m! (k + m + 1)) is taken; 3π − (π + 2π) may be what rounding leaves.
template <class S>
ExponentialPolynomial<S> ExponentialPolynomial<S>::antiderivative() const {
    ExponentialPolynomial result;
    for (const Term& t : terms_) {
        Term next = t;
        if (is_zero(t.a) && is_zero(t.b)) {
            next.k = t.k + 1, next.p = t.p / next.k, next.q = 0;
            result.add(next);
            continue;
        }
        const S size = t.a * t.a + t.b * t.b;
        if constexpr (std::is_same_v<S, double>) {
            if (size < 1) {
                std::complex<double> c(t.p, -t.q);
                const std::complex<double> z(t.a, t.b);
                for (int m = 0; m < 20; ++m, c *= z / static_cast<double>(m)) {
                    const int k = t.k + m + 1;
                    result.add({.k = k, .a = 0, .b = 0, .s = t.s, .p = c.real() / k, .q = 0});
                }
                continue;
            }
        }
        for (;; --next.k) {  // divided by z, then by −z and multiplied by the power that is left
            const S p = (t.a * next.p - t.b * next.q) / size, q = (t.a * next.q + t.b * next.p) / size;
            next.p = p, next.q = q;
            result.add(next);
            if (next.k == 0) break;
            next.p = -next.k * p, next.q = -next.k * q;
        }
    }
    return result;
}

template <class S>
ExponentialPolynomial<S> ExponentialPolynomial<S>::integral() const {
    ExponentialPolynomial result = antiderivative();
    return result += monomial(0, -result.at(S(0)));
}

template <class S>
S ExponentialPolynomial<S>::at(const S& xi) const {
    using std::cos, std::exp, std::sin;
    S sum = 0;
    for (const Term& t : terms_) {
        S value = t.p;
        if (!is_zero(t.b)) value = t.p * cos(t.b * xi) + t.q * sin(t.b * xi);
        if (!is_zero(t.a) || !is_zero(t.s)) value = value * exp(t.a * xi + t.s);
        sum = sum + (t.k == 0 ? value : value * power(xi, t.k));
    }
    return sum;
}

template <class S>
S ExponentialPolynomial<S>::between(const S& from, const S& to) const {
    const ExponentialPolynomial f = antiderivative();
    return f.at(to) - f.at(from);
}

template class ExponentialPolynomial<double>;
template class ExponentialPolynomial<Expr>;

}  // namespace linkwright::flex
