#include "linkwright/perturb/multiple_scales.hpp"

#include <fmt/format.h>

#include <cmath>
#include <complex>

#include "linkwright/perturb/scales_linear.hpp"
#include "linkwright/perturb/scales_series.hpp"
#include "linkwright/solve/orthogonal.hpp"

namespace linkwright::perturb {

namespace {

/// What the form holds, as far as the choice of an ordering needs it.
struct Inventory {
    ExcitationKinds excitation;
    bool is_nonlinear = false, is_damped = false;
    unsigned harmonics = 1;
    bool has_principal = false;  ///< some linear excitation couples modes with hΩ ≈ ω_j ± ω_k
};

std::vector<double> frequencies_of(const auto& form) {
    auto f = form.omega_value;
    f.push_back(form.Omega_value);
    return f;
}

template <class Real>
Inventory inventory_of(const ModalForm<Real>& form, double closeness) {
    Inventory v;
    const std::size_t n = form.omega.size();
    const auto frequencies = frequencies_of(form);
    for (std::size_t k = 0; k < n; ++k) {
        for (const auto& t : form.terms[k]) {
            if (is_nothing(t.coefficient, 0)) continue;
            const unsigned degree = t.degree();
            if (degree >= 2) v.is_nonlinear = true;
            if (degree == 1 && t.harmonic == 0) v.is_damped = true;
            if (t.harmonic == 0) continue;
            v.harmonics = std::max(v.harmonics, static_cast<unsigned>(std::abs(t.harmonic)));
            (degree == 0 ? v.excitation.is_forced : v.excitation.is_parametric) = true;
            if (degree != 1) continue;
            for (std::size_t j = 0; j < n; ++j) {
                if (t.powers[j] + t.powers[n + j] + t.powers[2 * n + j] == 0) continue;
                for (const int sign : {1, -1}) {
                    Multiples m(n + 1, 0);
                    m[n] = std::abs(t.harmonic);
                    m[j] -= 1;
                    m[k] -= sign;
                    for (const int side : {1, -1}) {
                        Multiples turned = m;
                        for (std::size_t i = 0; i < n; ++i) turned[i] *= side;
                        if (is_near(turned, frequencies, closeness)) v.has_principal = true;
                    }
                }
            }
        }
    }
    return v;
}

std::string sentence_about(const Ordering& o, const Inventory& v, bool is_parametric_chosen) {
    std::string s;
    const auto put = [&](const std::string& part) { s += (s.empty() ? "" : ", ") + part; };
    if (v.is_damped) put(fmt::format("damping (and other small linear terms) ε^{}", o.damping));
    if (!o.soft.empty()) put(fmt::format("resonant forces ε^{}", o.forcing));
    if (v.excitation.is_forced && o.soft.empty()) put("forces away from resonance ε^1");
    if (v.excitation.is_parametric) put(fmt::format("parametric excitation ε^{}", o.parametric));
    if (s.empty()) return s;
    s = "Ordered with motions of order ε: " + s + ".";
    if (is_parametric_chosen && v.excitation.is_parametric && !o.soft.empty() && o.parametric != o.forcing)
        s += fmt::format(
            " Where one parameter makes the force and changes coefficients too, it is ordered in two ways here; --parametric {} orders "
            "both alike.",
            o.forcing);
    return s;
}

/// What is weaker than the order asked for shows.
std::string sentence_about_absent(const Ordering& o, const Inventory& v, unsigned order) {
    const bool no_damping = v.is_damped && o.damping > order, no_force = !o.soft.empty() && o.forcing > order + 1;
    if (!no_damping && !no_force) return "";
    const unsigned needed = std::max(no_damping ? o.damping : 0, no_force ? o.forcing - 1 : 0);
    const char* what = no_damping && no_force ? "damping and the resonant force act"
                       : no_damping           ? "damping acts"
                                              : "the resonant force acts";
    return fmt::format("{} from order {} on and {} not seen here; --order {} shows {}", what, needed, no_damping && no_force ? "are" : "is",
                       needed, no_damping && no_force ? "them" : "it");
}

std::string sentence_about_gap(const ModalForm<double>& form, double gap) {
    const auto exact = linear_exponents(form);
    std::string list;
    bool oscillates = true;
    for (const auto& x : exact) {
        const bool is_real = std::abs(x.imag()) <= 1e-12 * std::abs(x);
        oscillates &= !is_real;
        list += fmt::format("{}{:.5g}{}", list.empty() ? "" : ", ", x.real(), is_real ? "" : fmt::format("{:+.5g}i", x.imag()));
    }
    const std::string what = fmt::format("linear damping and coupling are not small: the exponents of the linear motion are {} 1/s", list);
    if (!oscillates) return what + ", and what has a real one does not oscillate";
    return what + (gap > 1 ? ", and here they come out quite different"
                           : fmt::format(", and here they come out up to {} % off",
                                         gap >= 0.1 ? fmt::format("{:.0f}", 100 * gap) : fmt::format("{:.2g}", 100 * gap)));
}

template <class Real>
MultipleScales<Real> refused(MultipleScales<Real> m, std::string why) {
    m.is_ok = false;
    m.why = std::move(why);
    return m;
}

template <class Real>
void collect(MultipleScales<Real>& m, const ScalesSeries<Real>& series, const BaseFrequencies& base) {
    const std::size_t n = m.omega.size();
    m.modulation.assign(n, {});
    m.solution.assign(n, {});
    for (std::size_t k = 0; k < n; ++k) m.base.push_back(series.base(k));
    m.base_Omega = series.base(n);
    for (unsigned q = 1; q <= series.order(); ++q) {
        ScaleOrder<Real> order;
        order.order = q;
        order.right.resize(n);
        order.secular.resize(n);
        for (std::size_t k = 0; k < n; ++k) {
            append(m.solution[k], series.eta(k, q), q);
            append(order.right[k], series.right(k, q), q);
            append(order.secular[k], series.secular(k, q), q);
            if (q == 1) continue;
            HarmonicPolynomial<Real> g = series.g(k, q - 1);
            if (base.is_moved(k) && base.order(k) == q - 1) {  // i ω A belongs to the left
                Monomial a = unit_monomial(n);
                a[k] = 1;
                g.add(a, {Real{0}, -series.shift(k)});
                g.clean();
            }
            append(m.modulation[k], g, q - 1);
        }
        m.orders.push_back(std::move(order));
    }
    if constexpr (std::is_same_v<Real, double>) {  // a detuning that is but rounding leaves terms like those of lower orders
        const auto size = [](const HarmonicTerm<double>& t) { return std::hypot(t.coefficient.re, t.coefficient.im); };
        for (auto& terms : m.modulation) {
            const auto all = terms;
            for (HarmonicTerm<double>& t : terms) {
                for (const HarmonicTerm<double>& o : all) {
                    if (o.order >= t.order || o.harmonic != t.harmonic || o.powers != t.powers) continue;
                    for (double* part : {&t.coefficient.re, &t.coefficient.im}) *part = std::abs(*part) <= 1e-13 * size(o) ? 0 : *part;
                }
            }
            std::erase_if(terms, [&](const HarmonicTerm<double>& t) { return size(t) == 0; });
        }
    }
}

/// Near relations, those that act first, without those that follow from others.
template <class Real>
void tell_resonances(MultipleScales<Real>& m, const Inventory& inventory, unsigned degree, double closeness) {
    const std::size_t n = m.omega.size();
    auto frequencies = m.omega_value;
    frequencies.push_back(m.Omega_value);
    std::map<Multiples, unsigned> acting;
    for (std::size_t k = 0; k < n; ++k) {
        for (const auto& t : m.modulation[k]) {
            Multiples r(n + 1, 0);
            for (std::size_t j = 0; j < n; ++j) r[j] = t.powers[j] - t.powers[n + j];
            r[k] -= 1;
            r[n] = t.harmonic;
            if (std::all_of(r.begin(), r.end(), [](int x) { return x == 0; })) continue;
            const auto [at, is_new] = acting.try_emplace(normalised(r, frequencies), t.order);
            if (!is_new) at->second = std::min(at->second, t.order);
        }
    }
    std::vector<std::pair<Multiples, unsigned>> candidates(acting.begin(), acting.end());
    const auto length = [](const Multiples& r) {
        int l = 0;
        for (const int x : r) l += std::abs(x);
        return l;
    };
    std::stable_sort(candidates.begin(), candidates.end(), [&](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : length(a.first) < length(b.first);
    });
    for (auto& r : near_relations(frequencies, degree + 1, inventory.harmonics, closeness)) candidates.emplace_back(std::move(r), 0);
    std::vector<Multiples> kept;
    for (const auto& [relation, order] : candidates) {
        kept.push_back(relation);
        if (rank_of(kept) < kept.size()) {
            kept.pop_back();
            continue;
        }
        auto r = describe(relation, frequencies, inventory.excitation);
        r.symbol = fmt::format("sigma{}", kept.size());
        r.is_active = order != 0;
        r.order = order;
        m.resonances.push_back(std::move(r));
    }
}

template <class Real>
std::string complaint_about(const ModalForm<Real>& form) {
    const std::size_t n = form.omega.size();
    if (n == 0) return "there is no mode that could oscillate";
    if (n > 60) return fmt::format("{} modes are too many for a polynomial of all of them; keep fewer", n);
    for (std::size_t k = 0; k < n; ++k)
        if (!(form.omega_value[k] > 0) || !std::isfinite(form.omega_value[k]))
            return fmt::format("mode {} does not oscillate: its frequency is {}", k + 1, form.omega_value[k]);
    for (std::size_t k = 0; k < n; ++k)
        for (const auto& t : form.terms[k]) {
            if (t.harmonic != 0 && !(form.Omega_value > 0)) return "there is excitation, but its frequency Ω is not positive";
            if constexpr (std::is_same_v<Real, double>)
                if (!std::isfinite(t.coefficient.re) || !std::isfinite(t.coefficient.im))
                    return fmt::format("a coefficient in the equation of mode {} is not a finite number", k + 1);
        }
    return "";
}

template <class Real>
MultipleScales<Real> work(const ModalForm<Real>& form, const ScalesOptions& options, const Ordering* given) {
    MultipleScales<Real> m;
    const auto note = [&](std::string text, ScalesNote::About about = ScalesNote::About::validity) {
        m.notes.push_back({about, std::move(text)});
    };
    m.omega = form.omega;
    m.Omega = form.Omega;
    m.omega_value = form.omega_value;
    m.Omega_value = form.Omega_value;
    if (auto why = complaint_about(form); !why.empty()) return refused(std::move(m), why);
    const auto inventory = inventory_of(form, options.closeness);
    const unsigned order = options.order != 0 ? options.order : inventory.is_nonlinear ? std::max(1U, form.degree - 1) : 2;
    if (order > 8) return refused(std::move(m), fmt::format("order {} is too expensive; 8 is the highest", order));
    if (inventory.harmonics * (order + 1) > 120)
        return refused(std::move(m), fmt::format("harmonics up to {} Ω are too many for order {}", inventory.harmonics, order));
    // Monomials of the highest degree there may be: what time and memory go with.
    double monomials = 1;
    for (unsigned i = 1; i <= order + 1; ++i) monomials *= static_cast<double>(2 * form.omega.size() + i) / i;
    if (monomials > 40'000 || (order > 2 && monomials > 12'000))
        return refused(std::move(m), fmt::format("{} modes to order {} make polynomials of {:.0f} terms: too many; use a lower order",
                                                 form.omega.size(), order, monomials));
    const auto frequencies = frequencies_of(form);

    Ordering chosen;
    bool is_quadratic = !inventory.is_nonlinear;  // g_1 ≠ 0: everything balances at ε
    bool is_coupled = false;                      // linear terms must be seen to their second order
    if constexpr (std::is_same_v<Real, double>)
        is_coupled = options.damping == 0 && given == nullptr && is_strongly_coupled(form, options.closeness);
    std::vector<int> soft;
    double closeness = options.closeness;
    const auto begin = [&] {
        chosen = {};
        const unsigned weak = is_quadratic ? 1 : 2;
        chosen.damping = options.damping != 0 ? options.damping : is_coupled ? 1 : weak;
        chosen.forcing = options.forcing != 0 ? options.forcing : std::max(weak, options.damping) + 1;
        chosen.parametric = options.parametric != 0 ? options.parametric : inventory.has_principal ? std::max(weak, options.damping) : 1;
        chosen.soft = soft;
    };
    begin();
    if (given != nullptr) chosen = *given;
    for (int attempt = 0; attempt < 400; ++attempt) {
        BaseFrequencies base(frequencies, given != nullptr ? 1e6 : 2 * closeness + 1e-5, given != nullptr);
        for (const auto& r : chosen.relations) base.impose(r.multiples, r.order);
        ScalesSeries<Real> series(form, chosen, base, given != nullptr ? 0 : closeness, options.divides_by_damping);
        std::vector<Need> needs;
        bool again = false;
        while (series.order() < order + 1 && !again) {
            if (!goes_on(options.goes_on)) return refused(std::move(m), interrupted);
            series.advance(needs);
            if (!needs.empty()) {
                if (given != nullptr) return refused(std::move(m), "another resonance is met at this frequency of the excitation");
                std::stable_sort(needs.begin(), needs.end(), [](const Need& a, const Need& b) {
                    const auto length = [](const Multiples& r) {
                        int l = 0;
                        for (const int x : r) l += std::abs(x);
                        return l;
                    };
                    return length(a.relation) < length(b.relation);
                });
                for (const auto& need : needs) {
                    if (need.soft != 0) {
                        if (chosen.forcing < 2)
                            return refused(std::move(m),
                                           "a force at a natural frequency must be ordered ε^2 or weaker; ε^1 would make the linear motion "
                                           "grow without bound");
                        if (std::find(soft.begin(), soft.end(), need.soft) == soft.end()) soft.push_back(need.soft);
                        chosen.soft = soft;
                        again = true;
                        continue;
                    }
                    if (base.is_exact(need.relation)) continue;
                    if (!base.impose(need.relation, need.order)) {  // too many: only the nearest can be meant
                        closeness /= 2;
                        is_quadratic = !inventory.is_nonlinear;
                        soft.clear();
                        begin();
                        again = true;
                        break;
                    }
                    chosen.relations.push_back({need.relation, need.order});
                    again = true;
                }
                if (!again) break;
            } else if (given == nullptr && series.order() == 2 && !is_quadratic) {
                for (std::size_t k = 0; k < form.omega.size(); ++k) {
                    for (const auto& [mono, c] : series.secular(k, 2).terms()) {
                        Multiples r(form.omega.size() + 1, 0);
                        for (std::size_t j = 0; j < form.omega.size(); ++j)
                            r[j] = power_of(mono, j) - power_of(mono, form.omega.size() + j);
                        r[k] -= 1;
                        r.back() = harmonic_of(mono);
                        int degree = 0;
                        for (std::size_t j = 0; j < 2 * form.omega.size(); ++j) degree += power_of(mono, j);
                        const bool is_damping = chosen.damping == 1 && harmonic_of(mono) == 0 && degree == 1;
                        const bool is_trivial = std::all_of(r.begin(), r.end(), [](int x) { return x == 0; });
                        const bool is_force = chosen.forcing == 2 &&
                                              std::find(soft.begin(), soft.end(), std::abs(harmonic_of(mono))) != soft.end() &&
                                              std::all_of(mono.begin(), mono.end() - 1, [](char x) { return x == 0; });
                        if (!is_trivial && !is_damping && !is_force) is_quadratic = true;
                    }
                }
                if (is_quadratic) {  // the balance is at ε: begin anew
                    soft.clear();
                    begin();
                    again = true;
                }
            }
        }
        if (again) continue;
        if (!needs.empty()) break;
        if (closeness < options.closeness)
            note(
                fmt::format("So many resonances are near that they cannot all be met at once: as near counts what is within {:.3g} of the "
                            "lowest frequency concerned.",
                            closeness));
        m.ordering = chosen;
        m.damping = chosen.damping;
        m.forcing = chosen.forcing;
        m.parametric = chosen.parametric;
        collect(m, series, base);
        tell_resonances(m, inventory, std::max(form.degree, order + 1), closeness);
        if constexpr (std::is_same_v<Real, double>) {
            if (given == nullptr && inventory.is_damped && (inventory.is_nonlinear || form.Omega_value > 0)) {
                // The linear part by itself, ordered as it was here: excitation and amplitudes change exponents too.
                ModalForm<double> linear = form;
                for (auto& terms : linear.terms) std::erase_if(terms, [](const auto& t) { return t.degree() != 1 || t.harmonic != 0; });
                linear.Omega = linear.Omega_value = 0;
                const auto alone = work(linear,
                                        {.order = std::max(order, chosen.damping),
                                         .closeness = options.closeness,
                                         .damping = chosen.damping,
                                         .goes_on = options.goes_on},
                                        nullptr);
                const double gap = alone.is_ok ? linear_gap(linear, alone) : 0;
                if (!goes_on(options.goes_on)) return refused(std::move(m), interrupted);
                if (gap > 0.1 || !alone.is_ok) return refused(std::move(m), sentence_about_gap(form, gap));
                if (gap > 5e-3) note(sentence_about_gap(form, gap));
            }
        }
        if (given == nullptr) {
            if (auto s = sentence_about_absent(chosen, inventory, order); !s.empty()) note(s);
        }
        if (auto s = sentence_about(chosen, inventory, options.parametric == 0); !s.empty()) note(s, ScalesNote::About::ordering);
        if (order + 1 > form.degree && inventory.is_nonlinear)
            note(fmt::format("Terms beyond degree {} are not in the expansion: what is of order ε^{} and higher in dA/dt is incomplete.",
                             form.degree, form.degree));
        return m;
    }
    return refused(std::move(m), "no set of commensurable frequencies was found for all the near resonances; use a smaller closeness");
}

/// Values of terms and of their derivatives at amplitudes and an angle Ωt.
class TermValue {
public:
    TermValue(const Eigen::VectorXcd& A, double turn)
        : n_(static_cast<std::size_t>(A.size())), turn_(turn), z_(A.data(), A.data() + A.size()) {
        for (std::size_t j = 0; j < n_; ++j) z_.push_back(std::conj(z_[j]));
    }
    std::complex<double> operator()(const HarmonicTerm<double>& t) const { return without(t, 2 * n_); }
    /// ∂/∂A_j, or ∂/∂Ā_j for v = n + j
    std::complex<double> derivative(const HarmonicTerm<double>& t, std::size_t v) const {
        return static_cast<double>(t.powers[v]) * without(t, v);
    }

private:
    /// The term with one power less of variable v.
    std::complex<double> without(const HarmonicTerm<double>& t, std::size_t v) const {
        std::complex<double> p(t.coefficient.re, t.coefficient.im);
        if (t.harmonic != 0) p *= std::polar(1.0, t.harmonic * turn_);
        for (std::size_t j = 0; j < 2 * n_; ++j)
            for (int i = t.powers[j] - (j == v ? 1 : 0); i > 0; --i) p *= z_[j];
        return p;
    }
    std::size_t n_;
    double turn_;
    std::vector<std::complex<double>> z_;
};

}  // namespace

MultipleScales<double> multiple_scales(const ModalForm<double>& form, const ScalesOptions& options) { return work(form, options, nullptr); }

MultipleScales<double> multiple_scales(const ModalForm<double>& form, const ScalesOptions& options, const Ordering& ordering) {
    return work(form, options, &ordering);
}

MultipleScales<sym::Expr> multiple_scales(const ModalForm<sym::Expr>& form, const ScalesOptions& options) {
    if (form.omega.empty()) return work(form, options, nullptr);
    const sym::PoolScope scope(form.omega.front().pool());
    return work(form, options, nullptr);
}

Eigen::VectorXcd rate_of(const MultipleScales<double>& scales, const Eigen::VectorXcd& A, double t) {
    const TermValue value_of(A, scales.Omega_value * t);
    Eigen::VectorXcd rate(A.size());
    for (Eigen::Index k = 0; k < A.size(); ++k) {
        rate[k] = std::complex<double>(0, scales.omega_value[k]) * A[k];
        for (const auto& term : scales.modulation[k]) rate[k] += value_of(term);
    }
    return rate;
}

ModalMotion motion_at(const MultipleScales<double>& scales, const Eigen::VectorXcd& A, double t) {
    const TermValue value_of(A, scales.Omega_value * t);
    const Eigen::VectorXcd rate = rate_of(scales, A, t);
    const auto n = static_cast<std::size_t>(A.size());
    ModalMotion motion{VectorXd::Zero(A.size()), VectorXd::Zero(A.size())};
    for (std::size_t k = 0; k < n; ++k) {
        std::complex<double> value = 0, derivative = 0;
        for (const auto& term : scales.solution[k]) {
            const auto p = value_of(term);
            value += p;
            derivative += std::complex<double>(0, term.harmonic * scales.Omega_value) * p;
            for (std::size_t j = 0; j < n; ++j) {
                const auto r = rate[j];
                if (term.powers[j] != 0) derivative += value_of.derivative(term, j) * r;
                if (term.powers[n + j] != 0) derivative += value_of.derivative(term, n + j) * std::conj(r);
            }
        }
        motion.eta[k] = value.real();
        motion.eta_dot[k] = derivative.real();
    }
    return motion;
}

Eigen::VectorXcd amplitudes_of(const MultipleScales<double>& scales, const VectorXd& eta, const VectorXd& eta_dot, double t) {
    const Eigen::Index n = eta.size();
    const auto unpack = [&](const VectorXd& x) {
        Eigen::VectorXcd A(n);
        for (Eigen::Index k = 0; k < n; ++k) A[k] = {x[k], x[n + k]};
        return A;
    };
    // Residuals in lengths: η̇ is divided by ω.
    const auto residual = [&](const VectorXd& x) {
        const auto m = motion_at(scales, unpack(x), t);
        VectorXd r(2 * n);
        for (Eigen::Index k = 0; k < n; ++k) {
            r[k] = m.eta[k] - eta[k];
            r[n + k] = (m.eta_dot[k] - eta_dot[k]) / scales.omega_value[k];
        }
        return r;
    };
    VectorXd x(2 * n);
    for (Eigen::Index k = 0; k < n; ++k) {
        x[k] = eta[k] / 2;
        x[n + k] = -eta_dot[k] / (2 * scales.omega_value[k]);
    }
    VectorXd r = residual(x);
    const double scale = std::max({1e-300, x.lpNorm<Eigen::Infinity>(), eta.lpNorm<Eigen::Infinity>()});
    for (int step = 0; step < 40; ++step) {
        if (!r.allFinite()) return {};
        if (r.lpNorm<Eigen::Infinity>() <= 1e-14 * scale) return unpack(x);
        MatrixXd J(2 * n, 2 * n);
        const double h = 1e-6 * scale;
        for (Eigen::Index i = 0; i < 2 * n; ++i) {
            VectorXd y = x;
            y[i] += h;
            const VectorXd up = residual(y);
            y[i] -= 2 * h;
            J.col(i) = (up - residual(y)) / (2 * h);
        }
        const VectorXd dx = solve::CompleteOrthogonal(J).solve(-r);
        double length = 1;
        bool is_better = false;
        for (int half = 0; half < 12 && !is_better; ++half, length /= 2) {
            const VectorXd y = x + length * dx;
            const VectorXd ry = residual(y);
            if (!ry.allFinite() || !(ry.norm() < r.norm())) continue;
            x = y, r = ry, is_better = true;
        }
        if (!is_better) return r.lpNorm<Eigen::Infinity>() <= 1e-9 * scale ? unpack(x) : Eigen::VectorXcd();
    }
    return r.lpNorm<Eigen::Infinity>() <= 1e-9 * scale ? unpack(x) : Eigen::VectorXcd();
}

}  // namespace linkwright::perturb
