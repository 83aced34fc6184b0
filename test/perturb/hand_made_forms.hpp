#pragma once
// Modal forms written by hand, and their motion by numerical integration.

#include <Eigen/Dense>
#include <cmath>
#include <complex>
#include <numbers>

#include "linkwright/perturb/multiple_scales.hpp"
#include "linkwright/solve/ode.hpp"

namespace linkwright::perturb {

template <class Real>
ModalForm<Real> modal_form(std::vector<Real> omega, std::vector<double> values, unsigned degree, Real Omega = Real{0},
                           double Omega_value = 0) {
    ModalForm<Real> f;
    f.omega = std::move(omega);
    f.omega_value = std::move(values);
    f.terms.resize(f.omega.size());
    f.Omega = Omega;
    f.Omega_value = Omega_value;
    f.degree = degree;
    return f;
}
inline ModalForm<double> modal_form(const std::vector<double>& omega, unsigned degree, double Omega = 0) {
    return modal_form<double>(omega, omega, degree, Omega, Omega);
}

/// A term of equation k: the product of variables j (η_j), n + j (η̇_j), 2n + j (η̈_j).
template <class Real>
void put(ModalForm<Real>& f, std::size_t k, const Real& c, const std::vector<std::size_t>& variables) {
    ModalTerm<Real> t;
    t.coefficient = {c, Real{0}};
    t.powers.assign(3 * f.omega.size(), 0);
    for (const auto v : variables) ++t.powers[v];
    f.terms[k].push_back(t);
}
/// The same times cos hΩt.
template <class Real>
void put_cos(ModalForm<Real>& f, std::size_t k, const Real& c, const std::vector<std::size_t>& variables, int h = 1) {
    for (const int s : {1, -1}) {
        put(f, k, c / Real{2}, variables);
        f.terms[k].back().harmonic = s * h;
    }
}

/// x = (η, η̇) at each time, by the equations as they are: they are linear in η̈.
inline std::vector<VectorXd> integrate_form(const ModalForm<double>& f, const VectorXd& x0, const std::vector<double>& times,
                                            double tolerance = 1e-12) {
    const auto n = static_cast<Eigen::Index>(f.omega.size());
    const auto residual = [&f, n](double t, const double* x, const VectorXd& acceleration) {
        VectorXd r(n);
        for (Eigen::Index k = 0; k < n; ++k) {
            const auto i = static_cast<std::size_t>(k);
            r[k] = acceleration[k] + f.omega[i] * f.omega[i] * x[k];
            for (const auto& term : f.terms[i]) {
                double p = term.coefficient.re;
                if (term.harmonic != 0)
                    p = (std::complex<double>(p, term.coefficient.im) * std::polar(1.0, term.harmonic * f.Omega * t)).real();
                for (std::size_t v = 0; v < term.powers.size(); ++v)
                    for (int e = 0; e < term.powers[v]; ++e)
                        p *= v < 2 * f.omega.size() ? x[v] : acceleration[static_cast<Eigen::Index>(v) - 2 * n];
                r[k] += p;
            }
        }
        return r;
    };
    solve::Ode ode;
    ode.size = 2 * n;
    ode.rate = [=](double t, const double* x, double* rate) {
        const VectorXd r0 = residual(t, x, VectorXd::Zero(n));
        MatrixXd M(n, n);
        for (Eigen::Index j = 0; j < n; ++j) M.col(j) = residual(t, x, VectorXd::Unit(n, j)) - r0;
        const VectorXd a = M.partialPivLu().solve(-r0);
        for (Eigen::Index k = 0; k < n; ++k) rate[k] = x[n + k], rate[n + k] = a[k];
        return a.allFinite();
    };
    ode.absolute = VectorXd::Constant(2 * n, tolerance * std::max(1e-3, x0.lpNorm<Eigen::Infinity>()));
    ode.relative = tolerance;
    ode.end = times.back();
    std::vector<VectorXd> rows;
    const auto stepper = solve::make_adams(ode, times.front(), x0);
    solve::Watch watch;
    watch.row = [&](double, const VectorXd& x) {
        rows.push_back(x);
        return true;
    };
    solve::integrate(*stepper, times, watch);
    return rows;
}

/// η̈ + ω0²η + αη³ = 0, with 2μη̇ and k cos Ωt if wished.
inline ModalForm<double> duffing(double w0, double alpha, double mu = 0, double k = 0, double Omega = 0, unsigned degree = 3) {
    auto f = modal_form({w0}, degree, Omega);
    put(f, 0, alpha, {0, 0, 0});
    if (mu != 0) put(f, 0, 2 * mu, {1});
    if (k != 0) put_cos(f, 0, -k, {});
    return f;
}
/// η̈ + ω0² sin η = 0
inline ModalForm<double> pendulum(double w0, unsigned degree) {
    auto f = modal_form({w0}, degree);
    put(f, 0, -w0 * w0 / 6, {0, 0, 0});
    if (degree >= 5) put(f, 0, w0 * w0 / 120, {0, 0, 0, 0, 0});
    return f;
}
/// η̈ + μ(η² − 1)η̇ + η = 0
inline ModalForm<double> van_der_pol(double mu, unsigned degree = 3) {
    auto f = modal_form({1}, degree);
    put(f, 0, -mu, {1});
    put(f, 0, mu, {0, 0, 1});
    return f;
}
/// A mass on a spring that swings, to third degree: x along the spring (mode 1), θ (mode 2); l with the mass hanging at rest.
///
///     ẍ + w1²x − (l + x)θ̇² + g(1 − cos θ) = 0        (l + x)²θ̈ + 2(l + x)ẋθ̇ + g(l + x)sin θ = 0, divided by l²
template <class Real>
void put_spring_pendulum(ModalForm<Real>& f, const Real& l, const Real& w2) {
    const Real g = w2 * w2 * l;
    put(f, 0, -l, {3, 3});
    put(f, 0, -Real{1}, {0, 3, 3});
    put(f, 0, g / Real{2}, {1, 1});
    put(f, 1, Real{2} / l, {0, 5});
    put(f, 1, Real{1} / (l * l), {0, 0, 5});
    put(f, 1, Real{2} / l, {2, 3});
    put(f, 1, Real{2} / (l * l), {0, 2, 3});
    put(f, 1, g / (l * l), {0, 1});
    put(f, 1, -g / (l * Real{6}), {1, 1, 1});
}
inline ModalForm<double> spring_pendulum(double l, double w1, double w2) {
    auto f = modal_form({w1, w2}, 3);
    put_spring_pendulum(f, l, w2);
    return f;
}

}  // namespace linkwright::perturb
