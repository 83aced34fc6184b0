#include "linkwright/perturb/scales_linear.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "linkwright/solve/elimination.hpp"

namespace linkwright::perturb {

namespace {

using Complexes = std::vector<std::complex<double>>;

Complexes sorted(Complexes list) {
    std::ranges::stable_sort(list, [](auto a, auto b) { return a.imag() != b.imag() ? a.imag() < b.imag() : a.real() < b.real(); });
    return list;
}

Complexes of(const Eigen::MatrixXcd& L) {
    const Eigen::VectorXcd values = solve::eigenvalues(L);
    return sorted({values.begin(), values.end()});
}

double gap_between(const Complexes& exact, const Complexes& approximate) {
    double gap = 0;
    for (std::size_t k = 0; k < exact.size(); ++k) gap = std::max(gap, std::abs(exact[k] - approximate[k]) / std::abs(exact[k]));
    return std::isfinite(gap) ? gap : 1;
}

/// Calls f(k, v, c) for each linear term c of variable v in equation k.
template <class F>
void each_linear(const ModalForm<double>& form, F&& f) {
    for (std::size_t k = 0; k < form.terms.size(); ++k) {
        for (const auto& t : form.terms[k]) {
            if (t.degree() != 1 || t.harmonic != 0) continue;
            f(k, static_cast<std::size_t>(std::ranges::find(t.powers, 1) - t.powers.begin()), t.coefficient.re);
        }
    }
}

}  // namespace

Complexes linear_exponents(const ModalForm<double>& form, bool with_damping) {
    const std::size_t count = form.omega_value.size();
    const auto n = static_cast<Eigen::Index>(count);
    MatrixXd M = MatrixXd::Identity(n, n), C = MatrixXd::Zero(n, n), K = C;
    for (Eigen::Index k = 0; k < n; ++k) K(k, k) = std::pow(form.omega_value[k], 2);
    each_linear(form, [&](std::size_t k, std::size_t v, double c) {
        if (!with_damping && v == count + k) return;
        (v < count ? K : v < 2 * count ? C : M)(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v % count)) += c;
    });
    MatrixXd A = MatrixXd::Zero(2 * n, 2 * n);
    const solve::Lu lu(M);
    A.topRightCorner(n, n).setIdentity();
    A.bottomLeftCorner(n, n) = -lu.solve(K);
    A.bottomRightCorner(n, n) = -lu.solve(C);
    const Eigen::VectorXcd values = solve::eigenvalues(A);
    Complexes list(values.begin(), values.end());
    std::ranges::stable_sort(list, [](auto a, auto b) { return a.imag() != b.imag() ? a.imag() > b.imag() : a.real() > b.real(); });
    list.resize(count);
    return sorted(std::move(list));
}

double linear_gap(const ModalForm<double>& form, const MultipleScales<double>& scales) {
    const auto n = static_cast<Eigen::Index>(form.omega_value.size());
    Eigen::MatrixXcd L = Eigen::MatrixXcd::Zero(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
        L(k, k) = {0, form.omega_value[k]};
        for (const auto& t : scales.modulation[k]) {
            if (t.harmonic != 0) continue;
            const auto one = std::ranges::find(t.powers, 1);
            unsigned degree = 0;
            for (const auto p : t.powers) degree += p;
            const auto v = static_cast<Eigen::Index>(one - t.powers.begin());
            if (degree == 1 && v < n) L(k, v) += std::complex<double>(t.coefficient.re, t.coefficient.im);
        }
    }
    return gap_between(linear_exponents(form), of(L));
}

bool is_strongly_coupled(const ModalForm<double>& form, double closeness) {
    const std::size_t n = form.omega_value.size();
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::MatrixXcd L = Eigen::MatrixXcd::Zero(size, size);
    bool is_coupled = false;
    for (std::size_t k = 0; k < n; ++k) L(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k)) = {0, form.omega_value[k]};
    each_linear(form, [&](std::size_t k, std::size_t v, double c) {
        const std::size_t j = v % n;
        if (j == k) return;
        is_coupled = true;
        const double w = form.omega_value[k], own = form.omega_value[j];
        if (std::abs(w - own) > closeness * std::min(w, own)) return;
        const std::complex<double> rate(0, own), push = c * (v < n ? 1.0 : v < 2 * n ? rate : rate * rate);
        L(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) -= push / std::complex<double>(0, 2 * w);
    });
    return is_coupled && gap_between(linear_exponents(form, false), of(L)) > 2e-3;
}

}  // namespace linkwright::perturb
