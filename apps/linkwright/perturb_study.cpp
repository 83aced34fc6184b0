#include "perturb_study.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace linkwright::cli {

using analysis::Complex, analysis::HarmonicTerm, analysis::PolarForm, analysis::ShapeTerm;
using sym::Expr;

bool is_nothing(double x) { return x == 0; }
bool is_nothing(const Expr& x) { return x.is_number() && x.number().is_zero(); }

namespace {

double as(double x, double) { return x; }
Expr as(double x, const Expr&) { return Expr(sym::Rational::from_double(x).value_or(sym::Rational(0))); }

/// Whether this one of a conjugate pair is the one to be written: the angle's first multiple is positive, harmonics first.
bool leads(const std::vector<int>& phases, int harmonic) {
    for (const int p : phases) {
        if (p != 0) return p > 0;
    }
    return harmonic >= 0;
}

}  // namespace

template <class Real>
std::vector<Wave<Real>> waves(const std::vector<HarmonicTerm<Real>>& terms) {
    std::vector<Wave<Real>> all;
    for (const HarmonicTerm<Real>& term : terms) {
        const std::size_t n = term.powers.size() / 2;
        Wave<Real> w;
        w.order = term.order;
        w.harmonic = term.harmonic;
        double scale = 1;
        bool is_still = term.harmonic == 0;
        for (std::size_t j = 0; j < n; ++j) {
            const unsigned sum = term.powers[j] + term.powers[n + j];
            w.powers.push_back(static_cast<std::uint8_t>(sum));
            w.phases.push_back(int(term.powers[j]) - int(term.powers[n + j]));
            is_still = is_still && w.phases.back() == 0;
            scale = std::ldexp(scale, -static_cast<int>(sum));
        }
        // c e^{iψ} + conjugate = 2 re c cos ψ − 2 im c sin ψ: each of the pair brings half.
        const Real size = as(scale, Real{0});
        w.cosine = size * term.coefficient.re;
        w.sine = is_still ? Real{0} : Real{0} - size * term.coefficient.im;
        if (!leads(w.phases, w.harmonic)) {
            for (int& p : w.phases) p = -p;
            w.harmonic = -w.harmonic;
            w.sine = Real{0} - w.sine;
        }
        const auto same = std::ranges::find_if(all, [&](const Wave<Real>& o) { return o.powers == w.powers && o.phases == w.phases && o.harmonic == w.harmonic; });
        if (same == all.end()) {
            all.push_back(std::move(w));
        } else {
            same->cosine = same->cosine + w.cosine;
            same->sine = same->sine + w.sine;
            same->order = std::min(same->order, w.order);
        }
    }
    std::erase_if(all, [](const Wave<Real>& w) { return is_nothing(w.cosine) && is_nothing(w.sine); });
    std::ranges::stable_sort(all, {}, &Wave<Real>::order);
    return all;
}

template <class Real>
std::vector<HarmonicTerm<Real>> composed(const std::vector<ShapeTerm<Real>>& shape, const std::vector<std::vector<HarmonicTerm<Real>>>& solution) {
    using Key = std::pair<std::vector<int>, std::pair<int, unsigned>>;
    using Polynomial = std::map<Key, Complex<Real>>;
    unsigned highest = 0;
    for (const auto& mode : solution) {
        for (const auto& term : mode) highest = std::max(highest, term.order);
    }
    const std::size_t n = solution.size();
    const auto times = [&](const Polynomial& p, const std::vector<HarmonicTerm<Real>>& q) {
        Polynomial out;
        for (const auto& [key, c] : p) {
            for (const HarmonicTerm<Real>& t : q) {
                if (key.second.second + t.order > highest) continue;
                Key k = key;
                for (std::size_t j = 0; j < 2 * n; ++j) k.first[j] += t.powers[j];
                k.second.first += t.harmonic;
                k.second.second += t.order;
                const auto [at, is_new] = out.try_emplace(k, c * t.coefficient);
                if (!is_new) at->second = at->second + c * t.coefficient;
            }
        }
        return out;
    };
    Polynomial sum;
    for (const ShapeTerm<Real>& s : shape) {
        Polynomial p{{Key{std::vector<int>(2 * n, 0), {0, 0}}, Complex<Real>{s.coefficient, Real{0}}}};
        for (std::size_t j = 0; j < n; ++j) {
            for (unsigned i = 0; i < s.powers[j]; ++i) p = times(p, solution[j]);
        }
        for (const auto& [key, c] : p) {
            const auto [at, is_new] = sum.try_emplace(key, c);
            if (!is_new) at->second = at->second + c;
        }
    }
    std::vector<HarmonicTerm<Real>> out;
    for (const auto& [key, c] : sum) {
        if (is_nothing(c.re) && is_nothing(c.im)) continue;
        HarmonicTerm<Real> t;
        t.coefficient = c;
        t.powers.assign(key.first.begin(), key.first.end());
        t.harmonic = key.second.first;
        t.order = key.second.second;
        out.push_back(std::move(t));
    }
    std::ranges::stable_sort(out, {}, &HarmonicTerm<Real>::order);
    return out;
}

template <class Real>
std::vector<SlowAngle> slow_angles(const PolarForm<Real>& polar) {
    std::vector<SlowAngle> all;
    const auto look = [&](const auto& equations) {
        for (const auto& equation : equations) {
            for (const auto& term : equation) {
                if (find(all, term.phases, term.harmonic).sign != 0) continue;
                SlowAngle angle{term.phases, term.harmonic};
                const bool is_none = angle.harmonic == 0 && std::ranges::all_of(angle.phases, [](int p) { return p == 0; });
                if (is_none) continue;
                // Ω t − β; among modes the largest multiple is positive.
                int lead = angle.harmonic;
                if (lead == 0) {
                    for (const int p : angle.phases) lead = std::abs(p) > std::abs(lead) ? p : lead;
                }
                if (lead < 0) {
                    for (int& p : angle.phases) p = -p;
                    angle.harmonic = -angle.harmonic;
                }
                all.push_back(angle);
            }
        }
    };
    look(polar.amplitude);
    look(polar.phase);
    return all;
}

Found find(const std::vector<SlowAngle>& angles, const std::vector<int>& phases, int harmonic) {
    for (std::size_t i = 0; i < angles.size(); ++i) {
        if (angles[i].phases == phases && angles[i].harmonic == harmonic) return {i, 1};
        std::vector<int> negative = phases;
        for (int& p : negative) p = -p;
        if (angles[i].phases == negative && angles[i].harmonic == -harmonic) return {i, -1};
    }
    return {};
}

template std::vector<Wave<double>> waves(const std::vector<HarmonicTerm<double>>&);
template std::vector<Wave<Expr>> waves(const std::vector<HarmonicTerm<Expr>>&);
template std::vector<HarmonicTerm<double>> composed(const std::vector<ShapeTerm<double>>&, const std::vector<std::vector<HarmonicTerm<double>>>&);
template std::vector<HarmonicTerm<Expr>> composed(const std::vector<ShapeTerm<Expr>>&, const std::vector<std::vector<HarmonicTerm<Expr>>>&);
template std::vector<SlowAngle> slow_angles(const PolarForm<double>&);
template std::vector<SlowAngle> slow_angles(const PolarForm<Expr>&);

}  // namespace linkwright::cli
