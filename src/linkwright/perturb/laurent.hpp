#pragma once
// Coefficients of power series where parameters stay letters and time enters through e^{iΩt}: Σ c_h e^{ihΩt}, with complex
// expressions c_h. Beside it ρ t, which only a sine or cosine can take in.

#include <functional>

#include "linkwright/perturb/modal_form.hpp"
#include "linkwright/perturb/power_series.hpp"

namespace linkwright::perturb {

using sym::Expr;

struct Laurent {
    std::vector<std::pair<int, Complex<sym::Expr>>> terms;  ///< harmonics ascending, coefficients not zero
    std::optional<sym::Expr> rate;                          ///< ρ where there is one
    bool is_broken = false;                                 ///< time got in where it cannot be

    /// Free of time.
    bool is_plain() const { return !is_broken && !rate && (terms.empty() || (terms.size() == 1 && terms[0].first == 0)); }
    sym::Expr plain() const { return terms.empty() ? sym::Expr(0) : terms[0].second.re; }
    Complex<sym::Expr> at(int harmonic) const;
};
Laurent laurent(const sym::Expr& x);
Laurent operator+(const Laurent& x, const Laurent& y);
Laurent operator*(const Laurent& x, const Laurent& y);

/// All expressions live in the current pool.
struct LaurentField {
    using Element = Laurent;
    std::optional<sym::Expr> Omega;
    std::function<double(const sym::Expr&)> value;  ///< of an expression of parameters: decides signs

    static bool is_zero(const Laurent& x) { return x.terms.empty() && !x.rate && !x.is_broken; }
    static Laurent number(const sym::Rational& r) { return laurent(sym::Expr(r)); }
    static Laurent pi() { return laurent(sym::pi()); }
    int sign(const Laurent& x, double) const;
    static double size(const Laurent& x) { return is_zero(x) ? 0 : 1; }
    static bool is_fine(const Laurent& x);
    std::optional<std::array<Laurent, 2>> sine_cosine(const Laurent& x) const;
    static std::vector<Laurent> function(sym::Op f, const Laurent& x, unsigned order);
    static std::vector<Laurent> power(const Laurent& x, const sym::Rational& exponent, unsigned order);
    static std::optional<Laurent> atan2(const Laurent& y, const Laurent& x);
};

}  // namespace linkwright::perturb
