// Steady states of classical resonances: as many as there are, where they are, and whether they last. Each resonance comes with its averaged
// equations as a book has them, in frames that turn with the answer, and with all their steady states in closed form, or by a dense scan
// of one unknown where none is known. Nothing of what is tested takes part in that.
//
//     A_k = B_k e^{iφ_k t},   Ḃ = rate(B),   steady: Ḃ_k = i s_k B_k, all |B_k| constant

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "linkwright/perturb/modulation.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "perturb/hand_made_forms.hpp"

namespace linkwright::perturb {
namespace {

using Complex = std::complex<double>;
using Eigen::VectorXcd;
const Complex i(0, 1);

struct Expected {
    VectorXcd B;
    VectorXd spin;
};

struct Resonant {
    ModalForm<double> form;
    ScalesOptions options;
    std::function<VectorXcd(const VectorXcd&)> rate;
    std::vector<Expected> states;
};

/// All x in (from, until) with f(x) = 0, where f is continuous or undefined (NaN): a dense scan, then halving.
std::vector<double> roots(const std::function<double(double)>& f, double from, double until, int parts = 20'000) {
    std::vector<double> list;
    double a = from, fa = f(a);
    for (int part = 1; part <= parts; ++part) {
        double b = from + (until - from) * part / parts;
        const double next = b, fb = f(b), at_next = fb;
        if (fa * fb < 0) {
            double low = a, flow = fa;
            for (int step = 0; step < 200 && low != b; ++step) {
                const double m = (low + b) / 2, fm = f(m);
                if (m == low || m == b) break;
                if (flow * fm <= 0)
                    b = m;
                else
                    low = m, flow = fm;
            }
            list.push_back(b);
        }
        a = next, fa = at_next;
    }
    return list;
}

VectorXcd one(Complex B) { return VectorXcd::Constant(1, B); }
VectorXcd two(Complex B1, Complex B2) {
    VectorXcd B(2);
    B << B1, B2;
    return B;
}
Expected standing(const VectorXcd& B) { return {B, VectorXd::Zero(B.size())}; }

/// Exponents of small disturbances in frames that turn with s, by differences.
VectorXcd exponents_of(const Resonant& r, const Expected& state) {
    const Eigen::Index n = state.B.size();
    const auto rate = [&](const VectorXcd& B) {
        VectorXcd d = r.rate(B);
        for (Eigen::Index k = 0; k < n; ++k) d[k] -= i * state.spin[k] * B[k];
        return d;
    };
    MatrixXd J(2 * n, 2 * n);
    const double h = 1e-5 * std::max(1e-2, state.B.cwiseAbs().maxCoeff());
    for (Eigen::Index c = 0; c < 2 * n; ++c) {
        VectorXcd up = state.B, down = state.B;
        const Complex step = c < n ? Complex(h) : i * h;
        up[c % n] += step, down[c % n] -= step;
        const VectorXcd d = (rate(up) - rate(down)) / (2 * h);
        J.col(c) << d.real(), d.imag();
    }
    return solve::eigenvalues(J);
}

double fastest(const VectorXcd& exponents) { return exponents.size() == 0 ? 0 : exponents.real().maxCoeff(); }

/// The listed states are the expected ones: each amplitude, the largest exponent, and no state more or less.
void expect_exactly(const Resonant& r, double tolerance = 1e-8) {
    const auto scales = multiple_scales(r.form, r.options);
    ASSERT_TRUE(scales.is_ok) << scales.why;
    auto listed = steady_states(scales);
    std::ostringstream all;
    for (const auto& s : listed)
        all << "\n  " << s.a.transpose() << (s.is_stable ? " stable" : " unstable") << ", β " << s.beta.transpose();
    EXPECT_EQ(listed.size(), r.states.size()) << "listed:" << all.str();
    for (const Expected& e : r.states) {
        const VectorXcd left = r.rate(e.B) - i * e.spin.cast<Complex>().cwiseProduct(e.B);
        ASSERT_LT(left.norm(), 1e-9 * (1e-3 + e.B.norm())) << "expected in vain: " << e.B.transpose();
        const VectorXd a = 2 * e.B.cwiseAbs();
        const double growth = fastest(exponents_of(r, e));
        const auto at = std::ranges::find_if(listed, [&](const SteadyState& s) {
            return (s.a - a).norm() <= tolerance * (a.norm() + 1e-3) &&
                   std::abs(s.exponents.front().real() - growth) <= 1e-5 * (1e-2 + std::abs(growth));
        });
        if (at == listed.end()) {
            ADD_FAILURE() << "not listed: " << a.transpose() << ", growth " << growth << "; listed:" << all.str();
            continue;
        }
        EXPECT_EQ(at->is_stable, growth <= 1e-7) << a.transpose();
        listed.erase(at);
    }
    for (const auto& s : listed) ADD_FAILURE() << "listed, but not a steady state: " << s.a.transpose();
}

// ------------------------------------------------------------------------------------------------------------------- one mode

/// (−m + iK(|B|²))B + f = 0
std::vector<Expected> answers(double m, const std::function<double(double)>& K, Complex f, double until) {
    std::vector<Expected> states;
    for (const double x : roots([&](double y) { return (m * m + K(y) * K(y)) * y - std::norm(f); }, 0, until))
        states.push_back(standing(one(f / (m - i * K(x)))));
    return states;
}
/// (−m + iK(|B|²))B + i c B̄^(p−1) = 0 and rest; of the p phases that differ by 2π/p so many.
std::vector<Expected> fractions(double m, const std::function<double(double)>& K, double c, int p, double until, int phases = 1) {
    std::vector<Expected> states{standing(one(0))};
    for (const double x : roots([&](double y) { return m * m + K(y) * K(y) - c * c * std::pow(y, p - 2); }, 1e-9, until)) {
        const double phase = -std::arg((m - i * K(x)) / (i * c)) / p;
        for (int turn = 0; turn < phases; ++turn)
            states.push_back(standing(one(std::polar(std::sqrt(x), phase + 2 * std::numbers::pi * turn / p))));
    }
    return states;
}

/// [nayfeh79 §4.1]
Resonant primary(double sigma, double k) {
    const double w = 1.3, al = 0.7, mu = 0.01;
    const auto K = [=](double x) { return -sigma + 1.5 * al * x / w; };
    const Complex f = -i * k / (4 * w);
    return {duffing(w, al, mu, k, w + sigma),
            {},
            [=](const VectorXcd& B) { return one((-mu + i * K(std::norm(B[0]))) * B[0] + f); },
            answers(mu, K, f, 2)};
}
TEST(ClassicalResonance, DuffingPrimary) {
    for (const double sigma : {-0.05, 0.02, 0.038, 0.11}) expect_exactly(primary(sigma, 0.012));
    EXPECT_EQ(primary(0.038, 0.012).states.size(), 3U);
}

/// [nayfeh79 §4.1]
Resonant superharmonic_of_three(double sigma) {
    const double w = 1, al = 1, mu = 0.002, k = 0.35, L = k / (2 * (w * w - w * w / 9));
    const auto K = [=](double x) { return -sigma + al / (2 * w) * (3 * x + 6 * L * L); };
    const Complex f = i * al * L * L * L / (2 * w);
    return {duffing(w, al, mu, k, (w + sigma) / 3),
            {.closeness = 0.7},
            [=](const VectorXcd& B) { return one((-mu + i * K(std::norm(B[0]))) * B[0] + f); },
            answers(mu, K, f, 2)};
}
TEST(ClassicalResonance, DuffingSuperharmonicOfOrderThree) {
    for (const double sigma : {0.05, 0.12, 0.16, 0.2}) expect_exactly(superharmonic_of_three(sigma));
    EXPECT_EQ(superharmonic_of_three(0.2).states.size(), 3U);
}

/// [nayfeh79 §4.1]
Resonant subharmonic_of_three(double sigma) {
    const double w = 1, al = 1, mu = 0.002, k = 1, L = k / (2 * (w * w - 9 * w * w)), c = 3 * al * L / (2 * w);
    const auto K = [=](double x) { return -sigma / 3 + al / (2 * w) * (3 * x + 6 * L * L); };
    return {duffing(w, al, mu, k, 3 * w + sigma),
            {.closeness = 0.3},
            [=](const VectorXcd& B) {
                const Complex z = std::conj(B[0]);
                return one((-mu + i * K(std::norm(z))) * B[0] + i * c * z * z);
            },
            fractions(mu, K, c, 3, 2)};
}
TEST(ClassicalResonance, DuffingSubharmonicOfOrderThree) {
    for (const double sigma : {-0.05, 0.05, 0.09, 0.2}) expect_exactly(subharmonic_of_three(sigma));
    EXPECT_EQ(subharmonic_of_three(0.09).states.size(), 3U);
}

/// 2Ω = ω by a quadratic spring [nayfeh79 §4.2]
TEST(ClassicalResonance, SuperharmonicOfOrderTwo) {
    const double w = 1, mu = 0.01, k = 0.2, al = 0.3, L = k / (2 * (w * w - w * w / 4));
    for (const double sigma : {-0.03, 0.0, 0.04}) {
        auto form = modal_form({w}, 2, (w + sigma) / 2);
        put(form, 0, al, {0, 0}), put(form, 0, 2 * mu, {1}), put_cos(form, 0, -k, {});
        const auto K = [=](double) { return -sigma; };
        const Complex f = i * al * L * L / (2 * w);
        expect_exactly({form, {}, [=](const VectorXcd& B) { return one((-mu + i * K(0)) * B[0] + f); }, answers(mu, K, f, 4)});
    }
}

/// Ω = 2ω by a quadratic spring [nayfeh79 §4.2]: to first order rest is all there is, and it grows inside the tongue.
TEST(ClassicalResonance, SubharmonicOfOrderTwo) {
    const double w = 1, mu = 0.01, k = 0.2, al = 0.5, L = k / (2 * (w * w - 4 * w * w)), c = al * L / w;
    for (const double sigma : {-0.08, 0.03, 0.08}) {
        auto form = modal_form({w}, 2, 2 * w + sigma);
        put(form, 0, al, {0, 0}), put(form, 0, 2 * mu, {1}), put_cos(form, 0, -k, {});
        expect_exactly({form,
                        {},
                        [=](const VectorXcd& B) { return one((-mu - i * sigma / 2.0) * B[0] + i * c * std::conj(B[0])); },
                        {standing(one(0))}});
    }
}

/// η̈ + 2μη̇ + (ω² + q cos Ωt)η + αη³ = 0, Ω = 2ω + σ [nayfeh79 ch. 5]
Resonant parametric(double sigma) {
    const double w = 1.2, al = 0.8, mu = 0.01, q = 0.15, c = q / (4 * w);
    auto form = duffing(w, al, mu, 0, 2 * w + sigma);
    put_cos(form, 0, q, {0});
    const auto K = [=](double x) { return -sigma / 2 + 1.5 * al * x / w; };
    return {form,
            {},
            [=](const VectorXcd& B) { return one((-mu + i * K(std::norm(B[0]))) * B[0] + i * c * std::conj(B[0])); },
            fractions(mu, K, c, 2, 2)};
}
TEST(ClassicalResonance, MathieuPrincipal) {
    for (const double sigma : {-0.1, 0.0, 0.1}) expect_exactly(parametric(sigma));
    EXPECT_EQ(parametric(-0.1).states.size(), 1U);
    EXPECT_EQ(parametric(0).states.size(), 2U);
    EXPECT_EQ(parametric(0.1).states.size(), 3U);
}

/// Ω = ω + σ: the second tongue, ω² − Ω² = q²/6 ± q²/4 at its edges [nayfeh79 ch. 5]. The answer has the period of the excitation,
/// so η and −η are two motions.
Resonant second_tongue(double sigma) {
    const double al = 0.5, mu = 0.002, q = 0.25, c = -q * q / 8;
    auto form = duffing(1, al, mu, 0, 1 + sigma);
    put_cos(form, 0, q, {0});
    const auto K = [=](double x) { return -sigma - q * q / 12 + 1.5 * al * x; };
    return {form,
            {},
            [=](const VectorXcd& B) { return one((-mu + i * K(std::norm(B[0]))) * B[0] + i * c * std::conj(B[0])); },
            fractions(mu, K, c, 2, 2, 2)};
}
TEST(ClassicalResonance, MathieuSecondTongue) {
    for (const double sigma : {-0.03, -0.005, 0.02}) expect_exactly(second_tongue(sigma));
    EXPECT_EQ(second_tongue(-0.005).states.size(), 3U);
    EXPECT_EQ(second_tongue(0.02).states.size(), 5U);
}

/// A push at Ω and a spring that changes at 2Ω, both near resonance: (−m + iK)B + icB̄ + f = 0 is linear in B once |B|² is given.
TEST(ClassicalResonance, PrimaryWithParametricAtTwiceItsFrequency) {
    const double al = 1, mu = 0.01, q = 0.12, k = 0.006, c = q / 4;
    for (const double sigma : {-0.02, 0.03, 0.07}) {
        auto form = duffing(1, al, mu, k, 1 + sigma);
        put_cos(form, 0, q, {0}, 2);
        const Complex f = -i * k / 4.0;
        const auto K = [=](double x) { return -sigma + 1.5 * al * x; };
        const auto answer = [=](double x) {  // u B + icB̄ = −f and its conjugate
            const Complex u = -mu + i * K(x);
            return (-f * std::conj(u) + i * c * std::conj(f)) / (std::norm(u) - c * c);
        };
        std::vector<Expected> states;
        // |answer|² = x, multiplied by the denominator's square: no poles.
        const auto gap = [&](double x) {
            const double d = mu * mu + K(x) * K(x) - c * c;
            return std::norm(answer(x) * d) - x * d * d;
        };
        for (const double x : roots(gap, 0, 1)) states.push_back(standing(one(answer(x))));
        expect_exactly({form,
                        {.parametric = 2},
                        [=](const VectorXcd& B) { return one((-mu + i * K(std::norm(B[0]))) * B[0] + i * c * std::conj(B[0]) + f); },
                        states});
    }
}

/// ȧ = (μ/2)a(1 − a²/4) [nayfeh79 ch. 3]
TEST(ClassicalResonance, VanDerPolFree) {
    const double mu = 0.1;
    expect_exactly({van_der_pol(mu),
                    {},
                    [=](const VectorXcd& B) { return one(mu / 2 * (1 - std::norm(B[0])) * B[0]); },
                    {standing(one(0)), standing(one(1))}});
}

/// [nayfeh79 §4.3]
Resonant entrained(double sigma, double k) {
    const double mu = 0.1;
    auto form = van_der_pol(mu);
    form.Omega = form.Omega_value = 1 + sigma;
    put_cos(form, 0, -k, {});
    const auto rate = [=](const VectorXcd& B) { return one((mu / 2 * (1 - std::norm(B[0])) - i * sigma) * B[0] - i * k / 4.0); };
    std::vector<Expected> states;
    const auto u = [=](double x) { return mu / 2 * (1 - x) - i * sigma; };
    for (const double x : roots([&](double y) { return std::norm(u(y)) * y - k * k / 16; }, 0, 4))
        states.push_back(standing(one(i * k / 4.0 / u(x))));
    return {form, {}, rate, states};
}
TEST(ClassicalResonance, VanDerPolEntrained) {
    for (const double sigma : {0.0, 0.012, 0.03, 0.06}) expect_exactly(entrained(sigma, 0.05));
    EXPECT_EQ(entrained(0.012, 0.05).states.size(), 3U);
    EXPECT_EQ(entrained(0.06, 0.05).states.size(), 1U);
}

// ------------------------------------------------------------------------------------------------------- two modes, internal

/// Ḃ_low = u B_low + i p B_high B̄_low + f_low,  Ḃ_high = v B_high + i r B_low² + f_high
struct TwoToOne {
    double p, r;
    Complex u, v, f_low, f_high;

    VectorXcd rate(const VectorXcd& B) const {
        return two(u * B[0] + i * p * B[1] * std::conj(B[0]) + f_low, v * B[1] + i * r * B[0] * B[0] + f_high);
    }
    /// A force on the high mode: it moves alone, or |u| = p|B_high| whatever the force (saturation).
    std::vector<Expected> saturated() const {
        std::vector<Expected> states{standing(two(0, -f_high / v))};
        const double high = std::abs(u) / std::abs(p);
        // With B_low = √x e^{iφ}: B_high = (iu/p)e^{2iφ}, so v B_high + i r B_low² = i(uv/p + r x)e^{2iφ} = −f.
        for (const double x : roots([&](double y) { return std::abs(u * v / p + r * y) - std::abs(f_high); }, 0, 1)) {
            const Complex twice = -f_high / (i * (u * v / p + r * x)), low = std::sqrt(x) * std::sqrt(twice / std::abs(twice));
            states.push_back(standing(two(low, std::polar(high, std::arg(i * u / p * twice)))));
        }
        return states;
    }
    /// A force on the low mode: B_high = −i r B_low²/v.
    std::vector<Expected> driven_low() const {
        std::vector<Expected> states;
        for (const double x : roots([&](double y) { return std::abs(u + p * r * y / v) * std::sqrt(y) - std::abs(f_low); }, 0, 1)) {
            const Complex low = -f_low / (u + p * r * x / v);
            states.push_back(standing(two(low, -i * r * low * low / v)));
        }
        return states;
    }
};

/// η̈₁ + 2μ₁η̇₁ + ω₁²η₁ + α₁η₁η₂ = k₁ cos Ωt, η̈₂ + 2μ₂η̇₂ + ω₂²η₂ + α₂η₁² = k₂ cos Ωt, ω₂ = 2ω₁ + δ [nayfeh79 §6.5]
ModalForm<double> two_to_one(double delta, double k1, double k2, double Omega) {
    auto form = modal_form({1, 2 + delta}, 2, Omega);
    put(form, 0, 2 * 0.01, {2}), put(form, 1, 2 * 0.015, {3}), put(form, 0, 0.4, {0, 1}), put(form, 1, 0.3, {0, 0});
    if (k1 != 0) put_cos(form, 0, -k1, {});
    if (k2 != 0) put_cos(form, 1, -k2, {});
    return form;
}
Resonant saturation(double sigma, double k) {
    const double delta = 0.02, W = 2 + delta + sigma;
    const TwoToOne t{0.4 / 2, 0.3 / 4, {-0.01, -(W / 2 - 1)}, {-0.015, -sigma}, 0, -i * k / 8.0};
    return {two_to_one(delta, 0, k, W), {}, [=](const VectorXcd& B) { return t.rate(B); }, t.saturated()};
}
TEST(ClassicalResonance, TwoToOneForcedOnTheHighModeSaturates) {
    for (const double sigma : {-0.04, 0.0, 0.03})
        for (const double k : {0.002, 0.01, 0.03}) expect_exactly(saturation(sigma, k));
    EXPECT_EQ(saturation(0.0, 0.002).states.size(), 1U);
    EXPECT_EQ(saturation(0.0, 0.03).states.size(), 2U);
    EXPECT_EQ(saturation(-0.04, 0.03).states.size(), 2U);
}
TEST(ClassicalResonance, TwoToOneForcedOnTheLowMode) {
    std::size_t most = 0;
    for (const double sigma : {-0.05, -0.02, 0.0, 0.03, 0.06}) {
        const double delta = 0.02, k = 0.04, W = 1 + sigma;
        const TwoToOne t{0.4 / 2, 0.3 / 4, {-0.01, -sigma}, {-0.015, -(2 * W - 2 - delta)}, -i * k / 4.0, 0};
        const Resonant r{two_to_one(delta, k, 0, W), {}, [=](const VectorXcd& B) { return t.rate(B); }, t.driven_low()};
        expect_exactly(r);
        most = std::max(most, r.states.size());
    }
    EXPECT_EQ(most, 3U);
}

/// A mass on a spring, its bounce pushed: the swing answers at half the frequency. ȧ_swing = (3ω/4l) a_bounce a_swing sin γ,
/// ȧ_bounce = −(3lω/16) a_swing² sin γ [nayfeh79 §6.2]
TEST(ClassicalResonance, SpringPendulumIsAutoparametric) {
    const double l = 1.3, w = 1, mu = 0.01, k = 0.004;
    for (const double sigma : {-0.03, 0.0, 0.015}) {
        auto form = spring_pendulum(l, 2 * w, w);  // bounce, then swing
        form.Omega = form.Omega_value = 2 * w + sigma;
        put(form, 0, 2 * mu, {2}), put(form, 1, 2 * mu, {3}), put_cos(form, 0, -k, {});
        const TwoToOne t{1.5 * w / l, 3 * l * w / 8, {-mu, -sigma / 2}, {-mu, -sigma}, 0, -i * k / (8.0 * w)};
        const auto rate = [=](const VectorXcd& B) { return VectorXcd(t.rate(B.reverse()).reverse()); };
        std::vector<Expected> states = t.saturated();
        for (auto& s : states) s.B.reverseInPlace();
        expect_exactly({form, {.order = 1}, rate, states});
    }
}

/// Ḃ₁ = u B₁ + i(3α/2)|B₁|²B₁ + i(β/2)B̄₁²B₂ + f, Ḃ₂ = v B₂ + i(δ/2ω₂)B₁³ [nayfeh79 §6.6]
TEST(ClassicalResonance, ThreeToOne) {
    const double al = 0.4, be = 0.5, de = 0.6, mu1 = 0.006, mu2 = 0.008, gap = 0.03, k = 0.01;
    std::size_t most = 0;
    for (const double sigma : {-0.03, 0.01, 0.025, 0.05}) {
        const double W = 1 + sigma;
        auto form = modal_form({1, 3 + gap}, 3, W);
        put(form, 0, 2 * mu1, {2}), put(form, 1, 2 * mu2, {3}), put_cos(form, 0, -k, {});
        put(form, 0, al, {0, 0, 0}), put(form, 0, be, {0, 0, 1}), put(form, 1, de, {0, 0, 0});
        const Complex u(-mu1, -sigma), v(-mu2, -(3 * W - 3 - gap)), f = -i * k / 4.0;
        const auto rate = [=](const VectorXcd& B) {
            const Complex z = std::conj(B[0]);
            return two((u + 1.5 * i * al * std::norm(z)) * B[0] + 0.5 * i * be * z * z * B[1] + f,
                       v * B[1] + i * de / 6.0 * std::pow(B[0], 3));
        };
        const auto whole = [=](double x) { return u + 1.5 * i * al * x + be * de / 12 * x * x / v; };
        std::vector<Expected> states;
        for (const double x : roots([&](double y) { return std::norm(whole(y)) * y - std::norm(f); }, 0, 2)) {
            const Complex B = -f / whole(x);
            states.push_back(standing(two(B, -i * de / 6.0 * std::pow(B, 3) / v)));
        }
        most = std::max(most, states.size());
        expect_exactly({form, {}, rate, states});
    }
    EXPECT_GE(most, 3U);
}

/// A string, pushed in one plane: α(η₁² + η₂²)η. With R = B₁ + iB₂, L = B₁ − iB₂: (u + iκ(|R|² + 2|L|²))R + f = 0 and so for L
/// [nayfeh79 ch. 7]. |R| = |L| stays in the plane; a whirl has an image with R and L exchanged, and both are listed.
Resonant whirls(double sigma, double mu, double k) {
    const double al = 1, ka = al / 2;
    auto form = modal_form({1, 1}, 3, 1 + sigma);
    for (const std::size_t j : {0U, 1U}) put(form, j, 2 * mu, {2 + j}), put(form, j, al, {0, 0, j}), put(form, j, al, {1, 1, j});
    put_cos(form, 0, -k, {});
    const Complex f = -i * k / 4.0;
    const auto u = [=](double x, double y) { return -mu + i * (-sigma + ka * (x + 2 * y)); };
    const auto rate = [=](const VectorXcd& B) {
        const Complex R = B[0] + i * B[1], L = B[0] - i * B[1];
        const Complex r = u(std::norm(R), std::norm(L)) * R + f, s = u(std::norm(L), std::norm(R)) * L + f;
        return two((r + s) / 2.0, (r - s) / (2.0 * i));
    };
    std::vector<Expected> states;
    const auto put_state = [&](double x, double y) {
        const Complex R = -f / u(x, y), L = -f / u(y, x);
        states.push_back(standing(two((R + L) / 2.0, std::abs(R - L) < 1e-12 ? 0 : (R - L) / (2.0 * i))));
    };
    for (const double x : roots([&](double z) { return std::norm(u(z, z)) * z - std::norm(f); }, 0, 2)) put_state(x, x);
    // Of R's equation |L|² as a function of |R|², two of them; then L's.
    for (const double sign : {-1.0, 1.0}) {
        const auto other = [&](double x) {
            const double root = std::norm(f) / x - mu * mu;
            return ((sigma + sign * std::sqrt(root)) / ka - x) / 2;
        };
        for (const double x : roots(
                 [&](double z) {
                     const double y = other(z);
                     return y > 0 ? std::norm(u(y, z)) * y - std::norm(f) : NAN;
                 },
                 1e-6, std::norm(f) / (mu * mu), 200'000))
            if (std::abs(x - other(x)) > 1e-6) put_state(x, other(x));
    }
    return {form, {}, rate, states};
}
TEST(ClassicalResonance, OneToOneWhirls) {
    std::size_t most = 0;
    for (const double sigma : {-0.03, 0.02, 0.05, 0.08}) {
        const Resonant r = whirls(sigma, 0.01, 0.02);
        most = std::max(most, r.states.size());
        expect_exactly(r);
    }
    EXPECT_GE(most, 5U);
}
/// Saddles among them that hardly any start leads to.
TEST(ClassicalResonance, OneToOneWhirlsOfAllKinds) {
    std::set<std::size_t> counts;
    for (const double mu : {0.003, 0.006, 0.01}) {
        for (const double k : {0.0083, 0.0103, 0.0126}) {
            for (const double sigma : {0.03, 0.04, 0.05, 0.06, 0.07, 0.09}) {
                const Resonant r = whirls(sigma, mu, k);
                counts.insert(r.states.size());
                expect_exactly(r);
            }
        }
    }
    EXPECT_GE(counts.size(), 3U);
}

// ---------------------------------------------------------------------------------------------- two modes, a phase left free

/// Two modes tied by the sum (or the difference) of their frequencies:
///
///     Ḃ₁ = (−μ₁ + i(c₁₁|B₁|² + c₁₂|B₂|²))B₁ + i g₁B₂*        Ḃ₂ = (−μ₂ − iσ + i(c₂₁|B₁|² + c₂₂|B₂|²))B₂ + i g₂B₁*
///
/// where * is the conjugate for a sum, and nothing for a difference. Frames turn with ω₁ and, the whole detuning σ in it, with the
/// rest of the excitation's frequency. With q = |B₂|/|B₁| and ψ = arg(B₂*/B₁) the real parts give q and sin ψ, so two values of cos ψ,
/// and that the turning rates add up to nothing (or are the same) is linear in |B₁|².
struct Pair {
    double mu1, mu2, sigma;
    double c11, c12, c21, c22, g1, g2;
    bool is_sum;

    VectorXcd rate(const VectorXcd& B) const {
        const double x = std::norm(B[0]), y = std::norm(B[1]);
        const Complex other1 = is_sum ? std::conj(B[1]) : B[1], other2 = is_sum ? std::conj(B[0]) : B[0];
        // The whole detuning is put on mode 2.
        return two((-mu1 + i * (c11 * x + c12 * y)) * B[0] + i * g1 * other1,
                   (-mu2 + i * (-sigma + c21 * x + c22 * y)) * B[1] + i * g2 * other2);
    }
    std::vector<Expected> states() const {
        std::vector<Expected> list{standing(two(0, 0))};
        // −g₁ q sin ψ = μ₁ and −g₂ sin ψ/q = ±μ₂: in the equation of mode 2 the angle is ψ for a sum, −ψ for a difference
        const double sign = is_sum ? 1 : -1, square = sign * mu1 * g2 / (mu2 * g1);
        if (!(square > 0)) return list;
        const double q = std::sqrt(square), sine = -mu1 / (g1 * q);
        if (std::abs(sine) >= 1) return list;
        for (const double cosine : {-std::sqrt(1 - sine * sine), std::sqrt(1 - sine * sine)}) {
            // s₁ = (c11 + c12q²)x + g₁q cos ψ, s₂ = −σ + (c21 + c22q²)x + g₂cos ψ/q, s₁ ± s₂ = 0
            const double slope = c11 + c12 * square + sign * (c21 + c22 * square);
            const double x = (sign * sigma - (g1 * q + sign * g2 / q) * cosine) / slope;
            if (!(x > 0)) continue;
            const double psi = std::atan2(sine, cosine), s1 = (c11 + c12 * square) * x + g1 * q * cosine;
            // ψ = arg(B₂* / B₁), B₁ real
            list.push_back({two(std::sqrt(x), q * std::sqrt(x) * std::polar(1.0, is_sum ? -psi : psi)), Eigen::Vector2d(s1, -sign * s1)});
        }
        return list;
    }
    Resonant with(ModalForm<double> form) const {
        return {std::move(form), {}, [pair = *this](const VectorXcd& B) { return pair.rate(B); }, states()};
    }
};

/// Ω = ω₁ + ω₂ + σ: η̈₁ + … + h cos Ωt η₂ = 0 and so for the other [nayfeh79 ch. 5]
Resonant combination(double sigma, double factor = 1) {
    const double w1 = 1, w2 = 1.7, b = 0.2, h = 0.1 * factor, c = 0.02 * factor;
    auto form = modal_form({w1, w2}, 3, w1 + w2 + sigma * factor);
    put(form, 0, c, {2}), put(form, 1, 2 * c, {3}), put(form, 0, b, {0, 0, 0}), put(form, 1, b, {1, 1, 1});
    put_cos(form, 0, h, {1}), put_cos(form, 1, h, {0});
    return Pair{c / 2, c, sigma * factor, 1.5 * b / w1, 0, 0, 1.5 * b / w2, h / (4 * w1), h / (4 * w2), true}.with(form);
}
TEST(ClassicalResonance, SumOfTwoFrequenciesParametric) {
    for (const double sigma : {-0.06, 0.01, 0.06}) expect_exactly(combination(sigma));
    EXPECT_EQ(combination(-0.06).states.size(), 1U);
    EXPECT_EQ(combination(0.06).states.size(), 3U);
    const auto r = combination(0.01);
    ASSERT_EQ(r.states.size(), 2U);
    EXPECT_NEAR(2 * std::abs(r.states[1].B[0]), 0.65259, 1e-5);
    for (const auto& s : steady_states(multiple_scales(r.form)))
        if (s.a[0] > 0) EXPECT_NEAR(s.frequencies.sum(), r.form.Omega_value, 1e-12);
}

/// 2Ω = ω₁ + ω₂ + σ by a strong force and a spring c(η₁ + η₂)³ in both: u = A₁ + A₂ + Λe^{iΩt} + conjugates, cubed [nayfeh79 §6.6]
TEST(ClassicalResonance, SumOfTwoFrequenciesByForce) {
    const double w1 = 1, w2 = 1.7, c = 0.3, k = 0.4, mu1 = 0.003, mu2 = 0.004, W0 = (w1 + w2) / 2, L = k / (2 * (w1 * w1 - W0 * W0));
    std::size_t most = 0;
    for (const double sigma : {0.0, 0.08, 0.15}) {
        auto form = modal_form({w1, w2}, 3, W0 + sigma / 2);
        put(form, 0, 2 * mu1, {2}), put(form, 1, 2 * mu2, {3}), put_cos(form, 0, -k, {});
        for (const std::size_t j : {0U, 1U})
            put(form, j, c, {0, 0, 0}), put(form, j, 3 * c, {0, 0, 1}), put(form, j, 3 * c, {0, 1, 1}), put(form, j, c, {1, 1, 1});
        const double n1 = c / (2 * w1), n2 = c / (2 * w2), shift = 6 * L * L * (n1 + n2);
        const Pair pair{mu1, mu2, sigma - shift, 3 * n1, 6 * n1, 6 * n2, 3 * n2, 3 * n1 * L * L, 3 * n2 * L * L, true};
        auto r = pair.with(form);
        r.options.closeness = 0.16;
        expect_exactly(r);
        most = std::max(most, r.states.size());
    }
    EXPECT_GE(most, 2U);
}

/// Ω = ω₂ − ω₁ + σ: grows only where the two couplings have opposite signs [nayfeh79 ch. 5]
TEST(ClassicalResonance, DifferenceOfTwoFrequencies) {
    const double w1 = 1, w2 = 2.6, b = 0.2, c = 0.02;
    for (const double h2 : {-0.15, 0.15}) {
        for (const double sigma : {-0.03, 0.0, 0.04}) {
            const double h1 = 0.15;
            auto form = modal_form({w1, w2}, 3, w2 - w1 + sigma);
            put(form, 0, c, {2}), put(form, 1, 2 * c, {3}), put(form, 0, b, {0, 0, 0}), put(form, 1, b, {1, 1, 1});
            put_cos(form, 0, h1, {1}), put_cos(form, 1, h2, {0});
            expect_exactly(Pair{c / 2, c, sigma, 1.5 * b / w1, 0, 0, 1.5 * b / w2, h1 / (4 * w1), h2 / (4 * w2), false}.with(form));
        }
    }
}

/// Two of van der Pol's oscillators, coupled by a damper k: Ḃ_j = (e(1 − |B_j|²)/2 − k/2)B_j + (k/2)B_other. With ρ = a₂/a₁ the angle
/// follows from ρ, a₁ from either equation, and ρ from their agreement.
TEST(ClassicalResonance, SelfExcitedOneToOne) {
    const double e = 0.05;
    for (const double k : {0.02, 0.03}) {
        for (const double d : {0.003, 0.01, 0.1}) {
            const double w2 = std::sqrt(1 + d), sigma = w2 - 1;
            auto form = modal_form({1, w2}, 3);
            for (const std::size_t j : {0U, 1U}) {
                put(form, j, k - e, {2 + j}), put(form, j, e, {j, j, 2 + j}), put(form, j, -k, {3 - j});
            }
            const auto rate = [=](const VectorXcd& B) {  // frames at ω₁
                return two((e / 2 * (1 - std::norm(B[0])) - k / 2) * B[0] + k / 2 * B[1],
                           (e / 2 * (1 - std::norm(B[1])) - k / 2 + i * sigma) * B[1] + k / 2 * B[0]);
            };
            std::vector<Expected> states{standing(two(0, 0))};
            for (const double sign : {-1.0, 1.0}) {
                // B₂ = ρe^{iγ}B₁; turning rates are equal: (k/2)(ρ + 1/ρ) sin γ = σ
                const auto cosine = [=](double r) {
                    const double s = 2 * sigma / (k * (r + 1 / r));
                    return sign * std::sqrt(1 - s * s);
                };
                const auto x = [=](double r) { return 1 - k / e + k / e * r * cosine(r); };
                const auto gap = [=](double r) { return 1 - k / e + k / e * cosine(r) / r - r * r * x(r); };
                for (const double r : roots(gap, 0.0101, 100, 1'000'000)) {
                    if (!(x(r) > 0)) continue;
                    const double sine = 2 * sigma / (k * (r + 1 / r)), b = std::sqrt(x(r));
                    states.push_back({two(b, b * r * Complex(cosine(r), sine)), VectorXd::Constant(2, k / 2 * r * sine)});
                }
            }
            expect_exactly({form, {.damping = 2}, rate, states});
        }
    }
}

/// The high mode grows, the low one is damped and takes what the high one gives: s₁/μ₁ = s₂/μ₂, |B_high| = |μ₁ + is₁|/p.
TEST(ClassicalResonance, SelfExcitedTwoToOne) {
    for (const double delta : {-0.02, 0.0, 0.03}) {
        for (const double growth : {0.008, 0.03}) {
            const double mu = 0.012, al1 = 0.4, al2 = 0.3, p = al1 / 2, r = al2 / 4;
            auto form = modal_form({1, 2 + delta}, 2);
            put(form, 0, 2 * mu, {2}), put(form, 1, -2 * growth, {3}), put(form, 0, al1, {0, 1}), put(form, 1, al2, {0, 0});
            const TwoToOne t{p, r, -mu, {growth, delta}, 0, 0};  // frames at 1 and 2
            // B low and real, C high: i p C = μ + is, and (growth + i(δ − 2s))|C|² = −i r B²C̄ = (r/p)B²(μ − is)
            const double s = delta * mu / (2 * mu - growth), high = std::hypot(mu, s) / p;
            const double low = std::sqrt(growth * p * high * high / (mu * r));
            const Complex C = (mu + i * s) / (i * p);
            expect_exactly(
                {form, {}, [=](const VectorXcd& B) { return t.rate(B); }, {standing(two(0, 0)), {two(low, C), Eigen::Vector2d(s, 2 * s)}}});
        }
    }
}

/// One oscillator of van der Pol's drives nothing, but changes the spring of another that is near: B₁ = 0, |B₂| = 1, and whether mode 1 stays
/// at rest is seen in a frame that turns with mode 2: −μ ± √((c/2)² − (σ − c)²), c = β|B₂|²/ω.
TEST(ClassicalResonance, AModeAtRestBesideASelfExcitedOne) {
    const double e = 0.04, mu = 0.01;
    std::set<bool> outcomes;
    for (const double be : {0.02, 0.06}) {
        for (const double sigma : {-0.01, 0.03, 0.06}) {
            auto form = modal_form({1, 1 + sigma}, 3);
            put(form, 0, 2 * mu, {2}), put(form, 0, be, {0, 1, 1}), put(form, 0, 0.01, {0, 0, 2});
            put(form, 1, -e, {3}), put(form, 1, e, {1, 1, 3});
            const auto listed = steady_states(multiple_scales(form, {.closeness = 0.2}));
            const auto at = std::ranges::find_if(listed, [](const SteadyState& s) { return s.a[0] == 0 && s.a[1] > 0; });
            ASSERT_NE(at, listed.end());
            EXPECT_NEAR(at->a[1], 2, 1e-9);
            EXPECT_NEAR(at->frequencies[1], 1 + sigma, 1e-9);
            const Complex root = std::sqrt(Complex(be * be / 4 - std::pow(be - sigma, 2)));
            const double growth = std::max(-mu + root.real(), 0.0);  // 0: the phase of mode 2
            EXPECT_NEAR(at->exponents.front().real(), growth, 1e-8) << be << ' ' << sigma;
            EXPECT_EQ(at->is_stable, growth == 0);
            outcomes.insert(at->is_stable);
        }
    }
    EXPECT_EQ(outcomes.size(), 2U);
}

// ------------------------------------------------------------------------------------------------------------------ any units

/// The same equations with η_k measured in other units.
ModalForm<double> in_other_units(ModalForm<double> form, const std::vector<double>& units) {
    const std::size_t n = form.omega.size();
    for (std::size_t k = 0; k < n; ++k) {
        for (auto& t : form.terms[k]) {
            double factor = 1 / units[k];
            for (std::size_t v = 0; v < 3 * n; ++v) factor *= std::pow(units[v % n], t.powers[v]);
            t.coefficient = factor * t.coefficient;
        }
    }
    return form;
}

TEST(SteadyStates, AreTheSameInAnyUnits) {
    for (const auto& r : {saturation(0.03, 0.03), saturation(-0.04, 0.01), combination(0.06)}) {
        const auto plain = steady_states(multiple_scales(r.form, r.options));
        for (const auto& units : {std::vector<double>{1e3, 1}, {1e-3, 1e3}, {1e4, 1e4}}) {
            const auto other = steady_states(multiple_scales(in_other_units(r.form, units), r.options));
            ASSERT_EQ(other.size(), plain.size()) << units[0] << ' ' << units[1];
            for (const auto& s : plain) {
                EXPECT_TRUE(std::ranges::any_of(other, [&](const SteadyState& o) {
                    return std::abs(o.a[0] * units[0] - s.a[0]) <= 1e-8 * s.a[0] && std::abs(o.a[1] * units[1] - s.a[1]) <= 1e-8 * s.a[1] &&
                           o.is_stable == s.is_stable;
                })) << s.a.transpose();
            }
        }
    }
}

}  // namespace
}  // namespace linkwright::perturb
