#include "linkwright/session/perturb_study.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace linkwright::session {

using perturb::Complex, perturb::HarmonicTerm, perturb::PolarForm, perturb::ShapeTerm;
using sym::Expr, sym::Rational;

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

/// Phases with the harmonic last.
std::vector<int> row(std::vector<int> phases, int harmonic) {
    phases.push_back(harmonic);
    return phases;
}
bool is_still(const std::vector<int>& angle) {
    return std::ranges::all_of(angle, [](int x) { return x == 0; });
}
/// Of γ and −γ the one to be named: Ω t − β; among modes the largest multiple is positive.
std::vector<int> forward(std::vector<int> angle) {
    int lead = angle.back();
    if (lead == 0) {
        for (const int x : angle) lead = std::abs(x) > std::abs(lead) ? x : lead;
    }
    if (lead < 0) {
        for (int& x : angle) x = -x;
    }
    return angle;
}
/// c of Σ c_r row_r = angle, for rows that are independent (but for those of zeros, which have none); empty where there is no such.
std::vector<Rational> parts_by(const std::vector<std::vector<int>>& rows, const std::vector<int>& angle) {
    std::vector<std::vector<Rational>> a(angle.size());  // a column for each row, and the angle last
    for (std::size_t i = 0; i < angle.size(); ++i) {
        for (const auto& r : rows) a[i].emplace_back(r[i]);
        a[i].emplace_back(angle[i]);
    }
    std::vector<Rational> parts(rows.size(), Rational(0));
    std::vector<std::size_t> columns;
    for (std::size_t c = 0; c < rows.size(); ++c) {
        const std::size_t done = columns.size();
        const auto pivot =
            std::find_if(a.begin() + static_cast<std::ptrdiff_t>(done), a.end(), [&](const auto& line) { return !line[c].is_zero(); });
        if (pivot == a.end()) continue;
        std::swap(*pivot, a[done]);
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (i == done || a[i][c].is_zero()) continue;
            const Rational f = a[i][c] / a[done][c];
            for (std::size_t k = 0; k <= rows.size(); ++k) a[i][k] = a[i][k] - f * a[done][k];
        }
        columns.push_back(c);
    }
    for (std::size_t i = columns.size(); i < a.size(); ++i) {
        if (!a[i].back().is_zero()) return {};
    }
    for (std::size_t i = 0; i < columns.size(); ++i) parts[columns[i]] = a[i].back() / a[i][columns[i]];
    return parts;
}
bool are_whole(const std::vector<Rational>& parts) {
    return !parts.empty() && std::ranges::all_of(parts, [](const Rational& x) { return x.denominator().is_one(); });
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
        const auto same = std::ranges::find_if(
            all, [&](const Wave<Real>& o) { return o.powers == w.powers && o.phases == w.phases && o.harmonic == w.harmonic; });
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
std::vector<HarmonicTerm<Real>> composed(const std::vector<ShapeTerm<Real>>& shape,
                                         const std::vector<std::vector<HarmonicTerm<Real>>>& solution) {
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
SlowAngles::SlowAngles(const PolarForm<Real>& polar, const std::vector<perturb::Resonance>& resonances) {
    for (const auto& r : resonances) {
        rows_.emplace_back(r.multiples.size() + 1, 0);
        if (!r.is_active || r.symbol.empty()) continue;
        rows_.back() = r.multiples;
        rows_.back().push_back(r.harmonic);
    }
    std::vector<std::vector<int>> others;
    std::set<std::size_t> used;
    for (const auto* equations : {&polar.amplitude, &polar.phase}) {
        for (const auto& equation : *equations) {
            for (const auto& term : equation) {
                const std::vector<int> angle = row(term.phases, term.harmonic);
                if (is_still(angle)) continue;
                const auto parts = parts_by(rows_, angle);
                if (are_whole(parts)) {
                    for (std::size_t r = 0; r < parts.size(); ++r) {
                        if (!parts[r].is_zero()) used.insert(r);
                    }
                } else if (std::ranges::find(others, forward(angle)) == others.end()) {
                    others.push_back(forward(angle));
                }
            }
        }
    }
    const auto put = [&](std::vector<int> angle) {
        auto detunings = parts_by(rows_, angle);
        const int harmonic = angle.back();
        angle.pop_back();
        list_.push_back({std::move(angle), harmonic, std::move(detunings)});
    };
    for (const std::size_t r : used) put(forward(rows_[r])), of_resonance_.push_back(r);
    for (const auto& angle : others) put(angle);
}

std::vector<int> SlowAngles::multiples(const std::vector<int>& phases, int harmonic) const {
    std::vector<int> out(list_.size(), 0);
    const std::vector<int> angle = row(phases, harmonic);
    if (is_still(angle)) return out;
    const auto parts = parts_by(rows_, angle);
    const bool is_whole = are_whole(parts);
    for (std::size_t g = 0; g < list_.size(); ++g) {
        const std::vector<int> own = row(list_[g].phases, list_[g].harmonic);
        if (g < of_resonance_.size()) {
            const std::size_t r = of_resonance_[g];
            if (is_whole) out[g] = static_cast<int>(parts[r].to_double()) * (own == rows_[r] ? 1 : -1);
        } else if (!is_whole && own == forward(angle)) {
            out[g] = own == angle ? 1 : -1;
        }
    }
    return out;
}

template std::vector<Wave<double>> waves(const std::vector<HarmonicTerm<double>>&);
template std::vector<Wave<Expr>> waves(const std::vector<HarmonicTerm<Expr>>&);
template std::vector<HarmonicTerm<double>> composed(const std::vector<ShapeTerm<double>>&,
                                                    const std::vector<std::vector<HarmonicTerm<double>>>&);
template std::vector<HarmonicTerm<Expr>> composed(const std::vector<ShapeTerm<Expr>>&, const std::vector<std::vector<HarmonicTerm<Expr>>>&);
template SlowAngles::SlowAngles(const PolarForm<double>&, const std::vector<perturb::Resonance>&);
template SlowAngles::SlowAngles(const PolarForm<Expr>&, const std::vector<perturb::Resonance>&);

}  // namespace linkwright::session
