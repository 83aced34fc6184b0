#include "linkwright/perturb/modulation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "linkwright/perturb/harmonic_polynomial.hpp"
#include "linkwright/perturb/slow_flow.hpp"
#include "linkwright/solve/ode.hpp"

namespace linkwright::perturb {

namespace {

double half_power(unsigned n, double) { return std::ldexp(1.0, -static_cast<int>(n)); }
sym::Expr half_power(unsigned n, const sym::Expr&) { return sym::pow(sym::Expr(2), -static_cast<int>(n)); }

/// Terms with the same amplitudes and angle are one.
template <class Real>
class PolarSum {
public:
    void add(Real c, std::vector<std::uint8_t> powers, std::vector<int> phases, int harmonic, bool is_sine, unsigned order) {
        // The angle with its first nonzero phase positive: sin(−θ) = −sin θ.
        int lead = 0;
        for (const int p : phases)
            if (lead == 0) lead = p;
        if (lead == 0) lead = harmonic;
        if (lead == 0 && is_sine) return;
        if (lead < 0) {
            for (int& p : phases) p = -p;
            harmonic = -harmonic;
            if (is_sine) c = -c;
        }
        auto [at, is_new] = terms_.try_emplace({order, powers, phases, harmonic, is_sine});
        at->second.first = is_new ? c : at->second.first + c;
        at->second.second += size_of(Complex<Real>{c, Real{0}});
    }
    std::vector<PolarTerm<Real>> terms() const {
        std::vector<PolarTerm<Real>> list;
        for (const auto& [key, c] : terms_) {
            if (is_nothing(Complex<Real>{c.first, Real{0}}, c.second)) continue;
            const auto& [order, powers, phases, harmonic, is_sine] = key;
            list.push_back({c.first, powers, phases, harmonic, is_sine, order});
        }
        return list;
    }

private:
    std::map<std::tuple<unsigned, std::vector<std::uint8_t>, std::vector<int>, int, bool>, std::pair<Real, double>> terms_;
};

/// ½(ȧ + i a β̇) = Σ c Π (a/2)^p e^{iθ}
template <class Real>
PolarForm<Real> polar(const MultipleScales<Real>& scales) {
    PolarForm<Real> form;
    const std::size_t n = scales.omega.size();
    for (std::size_t k = 0; k < n; ++k) {
        PolarSum<Real> amplitude, phase;
        if (k < scales.modulation.size()) {
            for (const auto& t : scales.modulation[k]) {
                std::vector<std::uint8_t> powers(n);
                std::vector<int> phases(n);
                unsigned degree = 0;
                for (std::size_t j = 0; j < n; ++j) {
                    powers[j] = static_cast<std::uint8_t>(t.powers[j] + t.powers[n + j]);
                    phases[j] = t.powers[j] - t.powers[n + j] - (j == k ? 1 : 0);
                    degree += powers[j];
                }
                const Real scale = Real{2} * half_power(degree, Real{0});
                const auto c = scale * t.coefficient;
                if (!is_nothing(Complex<Real>{c.re, Real{0}}, 0)) {
                    amplitude.add(c.re, powers, phases, t.harmonic, false, t.order);
                    phase.add(c.re, powers, phases, t.harmonic, true, t.order);
                }
                if (!is_nothing(Complex<Real>{c.im, Real{0}}, 0)) {
                    amplitude.add(-c.im, powers, phases, t.harmonic, true, t.order);
                    phase.add(c.im, powers, phases, t.harmonic, false, t.order);
                }
            }
        }
        form.amplitude.push_back(amplitude.terms());
        form.phase.push_back(phase.terms());
    }
    return form;
}

/// y(x) = Σ y_i x^i with x = Σ_{i≥1} r_i a^i given y(a): the coefficients in x, by comparing powers.
std::vector<double> in_powers_of(const std::vector<double>& reach, const std::vector<double>& y) {
    const std::size_t n = y.size();
    std::vector<std::vector<double>> powers(n, std::vector<double>(n, 0));  // of x, in a
    powers[0][0] = 1;
    for (std::size_t p = 1; p < n; ++p)
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 1; i + j < n && j < reach.size(); ++j) powers[p][i + j] += powers[p - 1][i] * reach[j];
    std::vector<double> result(n, 0), rest = y;
    for (std::size_t i = 0; i < n; ++i) {
        result[i] = rest[i] / powers[i][i];
        for (std::size_t j = i; j < n; ++j) rest[j] -= result[i] * powers[i][j];
    }
    return result;
}

}  // namespace

PolarForm<double> polar_form(const MultipleScales<double>& scales) { return polar(scales); }

PolarForm<sym::Expr> polar_form(const MultipleScales<sym::Expr>& scales) {
    if (scales.omega.empty()) return {};
    const sym::PoolScope scope(scales.omega.front().pool());
    return polar(scales);
}

std::vector<Backbone> backbones(const MultipleScales<double>& scales) {
    std::vector<Backbone> list;
    const std::size_t n = scales.omega_value.size();
    for (std::size_t k = 0; k < n && k < scales.modulation.size(); ++k) {
        Backbone b;
        b.mode = k;
        b.coefficients = {scales.omega_value[k]};
        const auto stop = [&](std::string why) {
            if (b.exists) b.why = std::move(why);
            b.exists = false;
        };
        const auto is_own = [&](const HarmonicTerm<double>& t) {
            for (std::size_t j = 0; j < n; ++j)
                if (j != k && (t.powers[j] != 0 || t.powers[n + j] != 0)) return false;
            return true;
        };
        // Terms of order beyond the one at which something was left out would not be all.
        for (std::size_t i = 0; i < n; ++i) {
            for (const auto& t : scales.modulation[i]) {
                if (!is_own(t)) continue;
                if (t.harmonic != 0) continue;  // excitation: of the free motion nothing is said by it
                if (i != k) {
                    stop(fmt::format("mode {} does not move alone: mode {} is dragged along by a resonance", k + 1, i + 1));
                    continue;
                }
                if (t.powers[k] != t.powers[n + k] + 1) {
                    stop(fmt::format("mode {} has a resonance with itself", k + 1));
                    continue;
                }
                const std::size_t power = 2 * t.powers[n + k];
                if (b.coefficients.size() <= power) b.coefficients.resize(power + 1, 0);
                b.coefficients[power] += t.coefficient.im * std::ldexp(1.0, -static_cast<int>(power));
            }
        }
        for (double& c : b.coefficients) c = std::abs(c) <= 1e-13 * b.coefficients[0] ? 0 : c;
        while (b.coefficients.size() > 1 && b.coefficients.back() == 0) b.coefficients.pop_back();
        std::vector<double> reach(scales.orders.size() + 1, 0);
        for (const auto& t : scales.solution[k]) {
            if (!is_own(t) || t.harmonic != 0) continue;
            const std::size_t power = t.powers[k] + t.powers[n + k];
            if (power < reach.size()) reach[power] += t.coefficient.re * std::ldexp(1.0, -static_cast<int>(power));
        }
        if (b.exists) b.in_reach = in_powers_of(reach, b.coefficients);
        list.push_back(std::move(b));
    }
    return list;
}

VectorXd reaches_of(const MultipleScales<double>& scales, const Eigen::VectorXcd& A, const VectorXd& frequencies) {
    const auto n = A.size();
    double lowest = INFINITY, highest = 0;
    int moving = 0;
    const auto count = [&](double f) {
        if (!(f > 0)) return;
        lowest = std::min(lowest, f), highest = std::max(highest, f), ++moving;
    };
    const double largest = A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff();
    for (Eigen::Index k = 0; k < n; ++k)
        if (std::abs(A[k]) > 1e-12 * largest && largest > 0) count(std::abs(frequencies[k]));
    bool is_driven = false;
    for (const auto& mode : scales.solution)
        for (const auto& t : mode) is_driven = is_driven || t.harmonic != 0;
    if (is_driven) count(scales.Omega_value);
    VectorXd reach = VectorXd::Zero(n);
    // η_k = Re Σ size e^{i frequency t}
    struct Turning {
        double frequency;
        std::complex<double> size;
    };
    const auto turnings_of = [&](Eigen::Index k) {
        std::map<std::vector<int>, Turning> all;  // by multiples of the frequencies
        for (const auto& term : scales.solution[k]) {
            std::vector<int> multiples(static_cast<std::size_t>(n) + 1, 0);
            std::complex<double> p(term.coefficient.re, term.coefficient.im);
            double frequency = term.harmonic * scales.Omega_value;
            multiples.back() = term.harmonic;
            for (Eigen::Index j = 0; j < n; ++j) {
                const int with = term.powers[j], against = term.powers[n + j];
                for (int i = 0; i < with; ++i) p *= A[j];
                for (int i = 0; i < against; ++i) p *= std::conj(A[j]);
                multiples[j] = with - against;
                frequency += (with - against) * frequencies[j];
            }
            if (p == 0.0) continue;
            // A turn backwards has the same real part as its conjugate forwards.
            const auto lead = std::ranges::find_if(multiples, [](int x) { return x != 0; });
            if (lead != multiples.end() && *lead < 0) {
                for (int& x : multiples) x = -x;
                frequency = -frequency, p = std::conj(p);
            }
            const auto [at, is_new] = all.try_emplace(std::move(multiples), Turning{frequency, p});
            if (!is_new) at->second.size += p;
        }
        std::vector<Turning> list;
        for (const auto& [multiples, turning] : all) list.push_back(turning);
        return list;
    };
    const auto one_at = [](const std::vector<Turning>& turnings, double t) {
        double sum = 0;
        for (const Turning& x : turnings) sum += (x.size * std::polar(1.0, x.frequency * t)).real();
        return std::abs(sum);
    };
    double terms = 1;
    for (const auto& mode : scales.solution) terms += static_cast<double>(mode.size());
    const double T = moving == 0 ? 0 : (moving == 1 ? 1 : 6) * 2 * M_PI / lowest;
    // Long series are looked at less often, so that this never takes long.
    const int samples =
        moving == 0 ? 1 : static_cast<int>(std::clamp(24 * T * highest / (2 * M_PI), 48.0, std::max(48.0, std::min(2000.0, 4e6 / terms))));
    for (Eigen::Index k = 0; k < n; ++k) {
        const std::vector<Turning> turnings = turnings_of(k);
        double where = 0;
        std::vector<std::complex<double>> now, step;  // turned from sample to sample
        for (const Turning& x : turnings) now.push_back(x.size), step.push_back(std::polar(1.0, x.frequency * T / samples));
        for (int i = 0; i < samples; ++i) {
            double eta = 0;
            for (std::size_t j = 0; j < now.size(); ++j) eta += now[j].real(), now[j] *= step[j];
            if (std::abs(eta) > reach[k]) reach[k] = std::abs(eta), where = T * i / samples;
        }
        if (moving == 0) continue;
        reach[k] = one_at(turnings, where);
        double a = where - T / samples, b = where + T / samples;  // golden section around the best
        constexpr double g = 0.6180339887498949;
        for (int i = 0; i < 30; ++i) {
            const double c = b - g * (b - a), d = a + g * (b - a);
            if (one_at(turnings, c) > one_at(turnings, d))
                b = d;
            else
                a = c;
        }
        reach[k] = std::max(reach[k], one_at(turnings, (a + b) / 2));
    }
    return reach;
}

Modulation modulate(const MultipleScales<double>& scales, const Eigen::VectorXcd& A0, const std::vector<double>& times) {
    Modulation m;
    if (times.empty()) return m;
    if (!scales.is_ok || A0.size() != static_cast<Eigen::Index>(scales.modulation.size())) {
        m.is_ok = false;
        m.why = scales.is_ok ? "there must be one amplitude for each mode" : scales.why;
        return m;
    }
    const SlowFlow flow(scales);
    const auto turned = [&](const Eigen::VectorXcd& A, double t, int sign) {
        Eigen::VectorXcd B = A;
        for (Eigen::Index k = 0; k < B.size(); ++k) B[k] *= std::polar(1.0, sign * flow.frame()[k] * t);
        return B;
    };
    solve::Ode ode;
    ode.size = 2 * A0.size();
    ode.rate = [&](double, const double* x, double* rate) {
        const VectorXd r = parts_of(flow.rate(whole_of(Eigen::Map<const VectorXd>(x, ode.size))));
        std::copy(r.data(), r.data() + r.size(), rate);
        return r.allFinite();
    };
    ode.jacobian = [&](double, const double* x, double* columns) {
        const MatrixXd J = flow.jacobian(whole_of(Eigen::Map<const VectorXd>(x, ode.size)));
        std::copy(J.data(), J.data() + J.size(), columns);
        return J.allFinite();
    };
    const Eigen::VectorXcd B0 = turned(A0, times.front(), -1);
    ode.relative = 1e-10;
    ode.absolute = VectorXd::Constant(ode.size, 1e-12 * std::max(1e-6, B0.cwiseAbs().maxCoeff()));
    ode.end = times.back();
    const auto stepper = solve::make_adams(ode, times.front(), parts_of(B0));
    solve::Watch watch;
    watch.max_steps = 1'000'000;
    watch.row = [&](double t, const VectorXd& x) {
        m.times.push_back(t);
        m.A.push_back(turned(whole_of(x), t, 1));
        return x.allFinite();
    };
    if (times.size() == 1 || !(times.back() > times.front())) {
        m.times = {times.front()};
        m.A = {A0};
        return m;
    }
    const auto report = solve::integrate(*stepper, times, watch);
    if (report.status != solve::OdeReport::Status::reached) {
        m.is_ok = false;
        m.why = report.why.empty() ? "the amplitudes grow beyond all bounds" : report.why;
    }
    return m;
}

}  // namespace linkwright::perturb
