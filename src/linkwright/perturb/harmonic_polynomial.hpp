#pragma once
// Polynomials in A_j, Ā_j and e^{iΩt}: every function of time in the method of multiple scales is one.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "linkwright/perturb/multiple_scales.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::perturb {

/// Powers of A (n), of Ā (n), and, last and signed, of e^{iΩt}. A string, because short ones need no memory of their own.
using Monomial = std::string;

inline Monomial unit_monomial(std::size_t modes) { return Monomial(2 * modes + 1, '\0'); }
inline int power_of(const Monomial& m, std::size_t i) { return static_cast<signed char>(m[i]); }
inline int harmonic_of(const Monomial& m) { return static_cast<signed char>(m.back()); }

inline Monomial product(const Monomial& a, const Monomial& b) {
    Monomial c = a;
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = static_cast<char>(static_cast<signed char>(a[i]) + static_cast<signed char>(b[i]));
    return c;
}

inline Monomial conjugate(const Monomial& m) {
    Monomial c = m;
    const std::size_t n = m.size() / 2;
    for (std::size_t j = 0; j < n; ++j) std::swap(c[j], c[n + j]);
    c.back() = static_cast<char>(-harmonic_of(m));
    return c;
}

inline double size_of(const Complex<double>& c) { return std::hypot(c.re, c.im); }
inline double size_of(const Complex<sym::Expr>&) { return 0; }

/// Whether a sum is nothing: numbers against what was summed up, expressions by their fingerprints.
inline bool is_nothing(const Complex<double>& c, double summed) { return !(size_of(c) > 1e-11 * summed); }
inline bool is_nothing(const Complex<sym::Expr>& c, double) {
    return sym::is_zero(c.re) == sym::Verdict::equal && sym::is_zero(c.im) == sym::Verdict::equal;
}

/// A real or imaginary part that is only the rounding of the other.
inline void tidy(Complex<double>& c, double summed) {
    if (std::abs(c.re) <= 1e-15 * summed) c.re = 0;
    if (std::abs(c.im) <= 1e-15 * summed) c.im = 0;
}
inline void tidy(Complex<sym::Expr>&, double) {}

template <class Real>
class HarmonicPolynomial {
public:
    struct Coefficient {
        Complex<Real> value;
        double summed = 0;  ///< Σ|contributions|, against which a rest is judged
    };
    using Map = std::map<Monomial, Coefficient>;

    const Map& terms() const { return terms_; }
    bool is_empty() const { return terms_.empty(); }

    void add(const Monomial& m, const Complex<Real>& c) {
        auto [at, is_new] = terms_.try_emplace(m);
        at->second.value = is_new ? c : at->second.value + c;
        at->second.summed += size_of(c);
    }
    void add(const HarmonicPolynomial& p) {
        for (const auto& [m, c] : p.terms_) add(m, c.value);
    }
    void add(const HarmonicPolynomial& p, const Complex<Real>& factor) {
        for (const auto& [m, c] : p.terms_) add(m, factor * c.value);
    }
    void add_product(const HarmonicPolynomial& a, const HarmonicPolynomial& b) {
        for (const auto& [m, c] : a.terms_)
            for (const auto& [k, d] : b.terms_) add(product(m, k), c.value * d.value);
    }
    /// Drops what cancelled.
    void clean() {
        std::erase_if(terms_, [](const auto& t) { return is_nothing(t.second.value, t.second.summed); });
        for (auto& [m, c] : terms_) tidy(c.value, c.summed), c.summed = size_of(c.value);
    }

private:
    Map terms_;
};

template <class Real>
HarmonicPolynomial<Real> conjugate(const HarmonicPolynomial<Real>& p) {
    HarmonicPolynomial<Real> c;
    for (const auto& [m, x] : p.terms()) c.add(conjugate(m), conj(x.value));
    return c;
}

template <class Real>
void append(std::vector<HarmonicTerm<Real>>& list, const HarmonicPolynomial<Real>& p, unsigned order) {
    for (const auto& [m, c] : p.terms()) {
        HarmonicTerm<Real> t;
        t.coefficient = c.value;
        t.powers.assign(m.begin(), m.end() - 1);
        t.harmonic = harmonic_of(m);
        t.order = order;
        list.push_back(std::move(t));
    }
}

}  // namespace linkwright::perturb
