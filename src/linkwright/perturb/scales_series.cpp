#include "linkwright/perturb/scales_series.hpp"

namespace linkwright::perturb {

namespace {

double real_of(const sym::Rational& r, double) { return r.to_double(); }
sym::Expr real_of(const sym::Rational& r, const sym::Expr&) { return sym::Expr(r); }

/// i f c
template <class Real>
Complex<Real> times_i(const Real& f, const Complex<Real>& c) {
    return {-(f * c.im), f * c.re};
}

/// Terms that are rounding beside the others of their kind, measured at unit amplitudes.
double weight(const ModalForm<double>& form, const ModalTerm<double>& t) {
    double w = size_of(t.coefficient);
    const std::size_t n = form.omega.size();
    for (std::size_t j = 0; j < n; ++j) w *= std::pow(form.omega_value[j], t.powers[n + j] + 2 * t.powers[2 * n + j]);
    return w;
}
double weight(const ModalForm<sym::Expr>&, const ModalTerm<sym::Expr>&) { return 1; }

/// Of the excitation alone, without any A.
bool is_pushed(const Monomial& m) {
    return std::all_of(m.begin(), m.end() - 1, [](char x) { return x == 0; });
}

}  // namespace

template <class Real>
ScalesSeries<Real>::ScalesSeries(const ModalForm<Real>& form, const Ordering& ordering, const BaseFrequencies& base, double closeness,
                                 bool divides_by_damping)
    : form_(form), ordering_(ordering), base_(base), closeness_(closeness), n_(form.omega.size()) {
    actual_ = form.omega;
    actual_.push_back(form.Omega);
    for (std::size_t k = 0; k <= n_; ++k) {
        Real sum{0};
        for (std::size_t j = 0; j <= n_; ++j)
            if (!(base.part()[k][j] == sym::Rational(0))) sum = sum + real_of(base.part()[k][j], sum) * actual_[j];
        base_real_.push_back(base.is_moved(k) ? sum : actual_[k]);
        shift_.push_back(base.is_moved(k) ? actual_[k] - base_real_[k] : Real{0});
    }
    eta_.assign(n_, Orders(1));
    eta_dot_ = eta_ddot_ = g_ = g_conjugate_ = right_ = secular_ = eta_;
    terms_.resize(n_);
    damping_.assign(n_, Real{0});
    for (std::size_t k = 0; k < n_; ++k) {
        std::map<std::pair<unsigned, bool>, double> largest;
        for (const auto& t : form.terms[k]) {
            auto& l = largest[{t.degree(), t.harmonic != 0}];
            l = std::max(l, weight(form, t));
        }
        for (const auto& t : form.terms[k]) {
            if (is_nothing(t.coefficient, 0) || weight(form, t) < 1e-13 * largest[{t.degree(), t.harmonic != 0}]) continue;
            const unsigned degree = t.degree();
            unsigned extra = 0;
            if (degree == 0) {
                const int h = std::abs(t.harmonic);
                const bool is_soft = std::find(ordering.soft.begin(), ordering.soft.end(), h) != ordering.soft.end();
                extra = is_soft ? ordering.forcing : h == 0 ? 2 : 1;
            } else if (t.harmonic != 0) {
                extra = ordering.parametric;
            } else if (degree == 1) {
                extra = ordering.damping;
            }
            const bool is_own = divides_by_damping && !base.is_moved(n_) && degree == 1 && t.harmonic == 0 && t.powers[n_ + k] == 1;
            if (is_own) damping_[k] = damping_[k] + t.coefficient.re;
            terms_[k].push_back({t.coefficient, product_of(t.powers), t.harmonic, extra, is_own});
        }
    }
}

template <class Real>
std::size_t ScalesSeries<Real>::product_of(const std::vector<std::uint8_t>& powers) {
    if (const auto found = product_index_.find(powers); found != product_index_.end()) return found->second;
    Product p{0, 0, 0, {}};
    for (const auto x : powers) p.degree += x;
    if (p.degree == 0) {
        Polynomial one;
        one.add(unit_monomial(n_), {Real{1}, Real{0}});
        p.series.push_back(one);
    } else {
        auto shorter = powers;
        p.variable = static_cast<std::size_t>(std::find_if(shorter.rbegin(), shorter.rend(), [](auto x) { return x != 0; }).base() -
                                              shorter.begin()) -
                     1;
        --shorter[p.variable];
        p.before = product_of(shorter);
        p.series.resize(1);
    }
    products_.push_back(std::move(p));
    return product_index_[powers] = products_.size() - 1;
}

template <class Real>
auto ScalesSeries<Real>::variable(std::size_t v) const -> const Orders& {
    return v < n_ ? eta_[v] : v < 2 * n_ ? eta_dot_[v - n_] : eta_ddot_[v - 2 * n_];
}

/// Shorter products stand before longer ones. Those of one variable would need the order that is sought: it enters with a factor ε at
/// least, so one order less will do.
template <class Real>
void ScalesSeries<Real>::extend_products(unsigned order) {
    for (auto& p : products_) {
        p.series.resize(order + 1);
        if (p.degree == 0) continue;
        const auto& x = variable(p.variable);
        if (p.degree == 1) {
            if (order >= 1) p.series[order - 1] = x[order - 1];
            continue;
        }
        const auto& before = products_[p.before];
        auto& sum = p.series[order];
        for (unsigned a = 1; a < order; ++a) {
            const unsigned b = order - a;
            if (b < before.degree || a >= x.size()) continue;
            sum.add_product(before.degree == 1 ? variable(before.variable)[b] : before.series[b], x[a]);
        }
        sum.clean();
    }
}

template <class Real>
double ScalesSeries<Real>::frequency_value(const Monomial& m) const {
    double f = harmonic_of(m) * base_.value(n_);
    for (std::size_t j = 0; j < n_; ++j) f += (power_of(m, j) - power_of(m, n_ + j)) * base_.value(j);
    return f;
}

template <class Real>
Real ScalesSeries<Real>::frequency(const Monomial& m) {
    std::string net(n_ + 1, '\0');
    for (std::size_t j = 0; j < n_; ++j) net[j] = static_cast<char>(power_of(m, j) - power_of(m, n_ + j));
    net[n_] = m.back();
    if (const auto found = frequencies_.find(net); found != frequencies_.end()) return found->second;
    Real f{0};
    for (std::size_t i = 0; i <= n_; ++i) {
        sym::Rational sum(0);
        for (std::size_t j = 0; j <= n_; ++j)
            if (net[j] != 0) sum = sum + sym::Rational(static_cast<int>(static_cast<signed char>(net[j]))) * base_.part()[j][i];
        if (!(sum == sym::Rational(0))) f = f + real_of(sum, f) * actual_[i];
    }
    return frequencies_.emplace(net, f).first->second;
}

template <class Real>
auto ScalesSeries<Real>::turned(const Polynomial& p) -> Polynomial {
    Polynomial d;
    for (const auto& [m, c] : p.terms()) {
        const auto x = times_i(frequency(m), c.value);
        if (!is_nothing(x, 0)) d.add(m, x);
    }
    return d;
}

template <class Real>
void ScalesSeries<Real>::add_slow(Polynomial& sum, const Polynomial& p, unsigned order) {
    for (const auto& [m, c] : p.terms()) {
        for (std::size_t v = 0; v < 2 * n_; ++v) {
            if (m[v] == 0) continue;
            const auto& g = v < n_ ? g_[v][order] : g_conjugate_[v - n_][order];
            if (g.is_empty()) continue;
            Monomial rest = m;
            --rest[v];
            const auto factor = Real(power_of(m, v)) * c.value;
            for (const auto& [k, d] : g.terms()) sum.add(product(rest, k), factor * d.value);
        }
        if (harmonic_of(m) != 0 && base_.is_moved(n_) && base_.order(n_) == order)
            sum.add(m, times_i(Real(harmonic_of(m)) * shift_[n_], c.value));
    }
}

template <class Real>
auto ScalesSeries<Real>::turning(std::size_t k) const -> Polynomial {
    Polynomial p;
    Monomial a = unit_monomial(n_);
    a[k] = 1;
    p.add(a, {Real{1}, Real{0}});
    p.add(conjugate(a), {Real{1}, Real{0}});
    return p;
}

template <class Real>
void ScalesSeries<Real>::advance(std::vector<Need>& needs) {
    const unsigned q = order() + 1;
    for (auto* s : {&eta_, &eta_dot_, &eta_ddot_, &g_, &g_conjugate_, &right_, &secular_})
        for (auto& orders : *s) orders.resize(q + 1);
    extend_products(q);
    const Complex<Real> minus{Real{-1}, Real{0}};
    const std::size_t enough = needs.size();
    for (std::size_t k = 0; k < n_; ++k) {
        Polynomial sum;
        for (const auto& t : terms_[k]) {
            if (t.extra > q) continue;
            const auto& p = products_[t.product];
            const unsigned at = q - t.extra;
            if (at >= p.series.size()) continue;
            for (const auto& [m, c] : p.series[at].terms()) {
                if (t.is_divided_by && is_pushed(m)) continue;
                Monomial shifted = m;
                shifted.back() = static_cast<char>(harmonic_of(m) + t.harmonic);
                sum.add(shifted, t.coefficient * c.value);
            }
        }
        // ω² − ω̂² = 2ω̂δ ε^p + δ² ε^2p
        if (base_.is_moved(k)) {
            const unsigned p = base_.order(k);
            const Real twice = Real{2} * base_real_[k] * shift_[k];
            if (base_.keeps_Omega()) {
                if (q == p + 1) sum.add(turning(k), {twice + shift_[k] * shift_[k], Real{0}});
            } else if (q > p) {
                sum.add(eta_[k][q - p], {twice, Real{0}});
            }
            if (!base_.keeps_Omega() && q > 2 * p) sum.add(eta_[k][q - 2 * p], {shift_[k] * shift_[k], Real{0}});
        }
        Polynomial slow;
        for (unsigned m = 1; m < q; ++m) add_slow(slow, eta_[k][q - m], m);
        sum.add(turned(slow));
        for (unsigned m = 1; m < q; ++m) add_slow(sum, eta_dot_[k][q - m], m);
        auto& right = right_[k][q];
        right.add(sum, minus);
        right.clean();
        for (const auto& [m, c] : right.terms()) {
            const auto relation_to = [&](int sign) {
                Multiples r(n_ + 1);
                for (std::size_t j = 0; j < n_; ++j) r[j] = power_of(m, j) - power_of(m, n_ + j);
                r[n_] = harmonic_of(m);
                r[k] -= sign;
                return r;
            };
            bool is_secular = false;
            for (const int sign : {1, -1}) {
                const double gap = frequency_value(m) - sign * base_.value(k);
                if (std::abs(gap) > 2 * closeness_ * base_.value(k) + 1e-9 * base_.value(k)) continue;
                const Multiples relation = relation_to(sign);
                if (base_.is_exact(relation)) {
                    is_secular = true;
                    if (q == 1)
                        needs.push_back({normalised(relation, base_.actual()), 1, std::abs(harmonic_of(m))});
                    else if (sign == 1)
                        secular_[k][q].add(m, c.value);
                    break;
                }
                if (is_near(relation, base_.actual(), closeness_) || std::abs(gap) < 1e-6 * base_.value(k))
                    needs.push_back({normalised(relation, base_.actual()), q - 1, q == 1 ? std::abs(harmonic_of(m)) : 0});
            }
            if (is_secular || needs.size() > enough) continue;
            const Real f = frequency(m);
            const Real& own = base_.keeps_Omega() ? actual_[k] : base_real_[k];
            const Real divisor = own * own - f * f, drag = f * damping_[k];
            if (is_pushed(m) && !is_nothing(Complex<Real>{drag, Real{0}}, 0))
                eta_[k][q].add(m, Complex<Real>{divisor, -drag} * c.value / (divisor * divisor + drag * drag));
            else
                eta_[k][q].add(m, c.value / divisor);
        }
    }
    if (needs.size() > enough) return;
    for (std::size_t k = 0; k < n_; ++k) {
        if (q == 1) {
            eta_[k][1].add(turning(k));
        } else {
            // g = secular / 2iω̂
            for (const auto& [m, c] : secular_[k][q].terms()) g_[k][q - 1].add(m, times_i(Real{-1} / (Real{2} * base_real_[k]), c.value));
            g_conjugate_[k][q - 1] = conjugate(g_[k][q - 1]);
        }
    }
    for (std::size_t k = 0; k < n_; ++k) {
        auto& first = eta_dot_[k][q];
        first = turned(eta_[k][q]);
        for (unsigned m = 1; m < q; ++m) add_slow(first, eta_[k][q - m], m);
        first.clean();
        auto& second = eta_ddot_[k][q];
        second = turned(first);
        for (unsigned m = 1; m < q; ++m) add_slow(second, eta_dot_[k][q - m], m);
        second.clean();
    }
}

template class ScalesSeries<double>;
template class ScalesSeries<sym::Expr>;

}  // namespace linkwright::perturb
