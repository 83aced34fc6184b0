#include "linkwright/perturb/laurent.hpp"

namespace linkwright::perturb {

using sym::Expr;

namespace {

bool is_zero(const Complex<Expr>& c) { return c.re.is_literally(0) && c.im.is_literally(0); }

std::vector<Laurent> plain_ones(const std::vector<Expr>& coefficients) {
    std::vector<Laurent> out;
    for (const Expr& c : coefficients) {
        if (c.is_undefined()) return {};
        out.push_back(laurent(c));
    }
    return out;
}

}  // namespace

Complex<Expr> Laurent::at(int harmonic) const {
    for (const auto& [h, c] : terms) {
        if (h == harmonic) return c;
    }
    return {};
}

Laurent laurent(const Expr& x) {
    Laurent l;
    if (!x.is_literally(0)) l.terms.emplace_back(0, Complex<Expr>{x, Expr(0)});
    return l;
}

Laurent operator+(const Laurent& x, const Laurent& y) {
    Laurent z;
    z.is_broken = x.is_broken || y.is_broken;
    std::size_t i = 0, j = 0;
    while (i < x.terms.size() || j < y.terms.size()) {
        if (j == y.terms.size() || (i < x.terms.size() && x.terms[i].first < y.terms[j].first)) {
            z.terms.push_back(x.terms[i++]);
        } else if (i == x.terms.size() || y.terms[j].first < x.terms[i].first) {
            z.terms.push_back(y.terms[j++]);
        } else {
            const Complex<Expr> c = x.terms[i].second + y.terms[j].second;
            if (!is_zero(c)) z.terms.emplace_back(x.terms[i].first, c);
            ++i, ++j;
        }
    }
    if (x.rate && y.rate) {
        const Expr rate = *x.rate + *y.rate;
        if (!rate.is_literally(0)) z.rate = rate;
    } else {
        z.rate = x.rate ? x.rate : y.rate;
    }
    return z;
}

Laurent operator*(const Laurent& x, const Laurent& y) {
    Laurent z;
    z.is_broken = x.is_broken || y.is_broken || (x.rate && !y.is_plain()) || (y.rate && !x.is_plain());
    for (const auto& [h, c] : x.terms) {
        Laurent row;
        for (const auto& [k, d] : y.terms) {
            const Complex<Expr> product = c * d;
            if (!is_zero(product)) row.terms.emplace_back(h + k, product);
        }
        z = z + row;
    }
    if (x.rate && y.is_plain() && !y.terms.empty()) z.rate = *x.rate * y.plain();
    if (y.rate && x.is_plain() && !x.terms.empty()) z.rate = *y.rate * x.plain();
    return z;
}

int LaurentField::sign(const Laurent& x, double) const {
    if (!x.is_plain() || x.terms.empty()) return 0;
    const double v = value(x.plain());
    return std::abs(v) <= 1e-12 || !std::isfinite(v) ? 0 : v > 0 ? 1 : -1;
}

bool LaurentField::is_fine(const Laurent& x) {
    if (x.is_broken) return false;
    for (const auto& [h, c] : x.terms) {
        if (c.re.is_undefined() || c.im.is_undefined()) return false;
    }
    return true;
}

std::optional<std::array<Laurent, 2>> LaurentField::sine_cosine(const Laurent& x) const {
    if (!x.rate) {
        if (!x.is_plain()) return std::nullopt;
        return std::array{laurent(sin(x.plain())), laurent(cos(x.plain()))};
    }
    Laurent phase = x;
    phase.rate.reset();
    if (!phase.is_plain() || !Omega) return std::nullopt;
    const Expr multiple = *x.rate / *Omega;
    if (!multiple.is_number() || !multiple.number().is_integer()) return std::nullopt;
    const int n = static_cast<int>(*multiple.number().small_numerator());
    const Expr half = sym::Rational(1, 2), c = half * cos(phase.plain()), s = half * sin(phase.plain());
    const int h = std::abs(n), sense = n > 0 ? 1 : -1;
    if (h == 0) return std::nullopt;
    // e^{i(nΩt + φ)} = (cos φ + i sin φ) e^{inΩt}; its real part is the cosine, its imaginary part the sine
    const Complex<Expr> cosine{c, s}, sine{s, -c};
    Laurent cosines, sines;
    cosines.terms = {{-h, sense > 0 ? conj(cosine) : cosine}, {h, sense > 0 ? cosine : conj(cosine)}};
    sines.terms = {{-h, sense > 0 ? conj(sine) : sine}, {h, sense > 0 ? sine : conj(sine)}};
    return std::array{sines, cosines};
}

std::vector<Laurent> LaurentField::function(sym::Op f, const Laurent& x, unsigned order) {
    if (!x.is_plain()) return {};
    return plain_ones(taylor_coefficients<Expr>(f, x.plain(), order));
}

std::vector<Laurent> LaurentField::power(const Laurent& x, const sym::Rational& exponent, unsigned order) {
    if (!x.is_plain()) return {};
    return plain_ones(taylor_coefficients_of_power<Expr>(x.plain(), exponent, order));
}

std::optional<Laurent> LaurentField::atan2(const Laurent& y, const Laurent& x) {
    if (!y.is_plain() || !x.is_plain()) return std::nullopt;
    return laurent(sym::atan2(y.plain(), x.plain()));
}

}  // namespace linkwright::perturb
