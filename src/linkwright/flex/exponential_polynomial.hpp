#pragma once
// Functions on 0 ≤ ξ ≤ 1 of which shapes of beams are made:
//
//     f(ξ) = Σ ξ^k e^(aξ + s) (p cos bξ + q sin bξ)
//
// Eigenfunctions of uniform beams, rods and shafts are such sums, and so are polynomials, products, derivatives and integrals of
// these. So ∫φ dm, ∫φᵢφⱼ dm, ∫φᵢ'φⱼ' and the integrals of shortening have closed forms, whatever the limits are, and nobody chooses
// points of quadrature.
//
// s keeps what grows small: e^(βξ) times a factor of e^(−β) is written e^(β(ξ − 1)), a number below 1 throughout. Products of such
// stay below 1, and shapes with dozens of waves keep their digits.
//
// The numbers are doubles, or expressions where limits or wave numbers are parameters of a model.

#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::flex {

template <class S>
class ExponentialPolynomial {
public:
    struct Term {
        int k = 0;       ///< power of ξ
        S a, b, s;       ///< e^(aξ + s), cos bξ, sin bξ
        S p = 0, q = 0;  ///< of the cosine, of the sine
    };

    ExponentialPolynomial() = default;
    explicit ExponentialPolynomial(std::vector<Term> terms);
    /// c ξ^k
    static ExponentialPolynomial monomial(int k, S c = 1);
    /// p cos bξ + q sin bξ
    static ExponentialPolynomial wave(S b, S p, S q);
    /// c e^(aξ + s)
    static ExponentialPolynomial exponential(S a, S s, S c);

    const std::vector<Term>& terms() const { return terms_; }

    ExponentialPolynomial derivative() const;
    ExponentialPolynomial integral() const;  ///< from 0
    S at(const S& xi) const;
    S between(const S& from, const S& to) const;  ///< ∫ f dξ

    ExponentialPolynomial& operator+=(const ExponentialPolynomial& other);
    friend ExponentialPolynomial operator+(ExponentialPolynomial f, const ExponentialPolynomial& g) { return f += g; }
    friend ExponentialPolynomial operator*(const S& c, ExponentialPolynomial f) {
        for (Term& t : f.terms_) t.p = c * t.p, t.q = c * t.q;
        return f;
    }
    friend ExponentialPolynomial operator*(const ExponentialPolynomial& f, const ExponentialPolynomial& g) { return product(f, g); }

private:
    static ExponentialPolynomial product(const ExponentialPolynomial& f, const ExponentialPolynomial& g);
    ExponentialPolynomial antiderivative() const;
    void add(const Term& term);  ///< to its like, if there is one

    std::vector<Term> terms_;
};

extern template class ExponentialPolynomial<double>;
extern template class ExponentialPolynomial<sym::Expr>;

}  // namespace linkwright::flex
