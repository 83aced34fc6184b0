#include "linkwright/flex/shapes.hpp"

#include <cmath>
#include <numbers>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::flex {

namespace {

constexpr double pi = std::numbers::pi;

/// The root of f near β, where f is nearly a sine: Newton's method.
template <class F, class D>
double root(double beta, F f, D derivative) {
    for (int step = 0; step < 50; ++step) {
        const double next = beta - f(beta) / derivative(beta);
        if (std::abs(next - beta) <= 1e-16 * beta) return next;
        beta = next;
    }
    return beta;
}

double wave_number(Family family, std::size_t i) {
    const auto n = static_cast<double>(i);
    const auto sech = [](double b) { return 1 / std::cosh(b); };
    // divided by cosh β, which makes them differ from a cosine or sine by what vanishes as β grows
    switch (family) {
        case Family::pinned_pinned: return n * pi;
        case Family::clamped_free:
            return root(
                i == 1 ? 1.9 : (n - 0.5) * pi, [&](double b) { return std::cos(b) + sech(b); },
                [&](double b) { return -std::sin(b) - sech(b) * std::tanh(b); });
        case Family::clamped_pinned:
            return root((n + 0.25) * pi, [](double b) { return std::sin(b) - std::tanh(b) * std::cos(b); },
                        [&](double b) { return std::cos(b) - sech(b) * sech(b) * std::cos(b) + std::tanh(b) * std::sin(b); });
        case Family::free_free:
            return root((n + 0.5) * pi, [&](double b) { return std::cos(b) - sech(b); },
                        [&](double b) { return -std::sin(b) + sech(b) * std::tanh(b); });
    }
    return 0;
}

/// cosh βξ ∓ cos βξ − σ(sinh βξ ∓ sin βξ), above of what is clamped at 0, below of what is free there.
Shape bent(Family family, double beta) {
    const double decay = std::exp(-beta), sine = std::sin(beta), cosine = std::cos(beta);
    // B = (1 − σ)e^β/2 with σ = (cosh β + cos β)/(sinh β + sin β), or with both signs changed
    const double B = family == Family::clamped_free ? (-decay + sine - cosine) / (1 - decay * decay + 2 * decay * sine)
                                                    : (-decay - sine + cosine) / (1 - decay * decay - 2 * decay * sine);
    const double sigma = 1 - 2 * B * decay, sign = family == Family::free_free ? 1 : -1;
    return Shape::exponential(-beta, 0, (1 + sigma) / 2) + Shape::exponential(beta, -beta, B) + Shape::wave(beta, sign, -sign * sigma);
}

using Polynomial = ExponentialPolynomial<sym::Expr>;

sym::Expr binomial(std::size_t n, std::size_t k) {
    sym::Expr c = 1;
    for (std::size_t i = 1; i <= k; ++i) c = c * sym::Expr(n - k + i) / sym::Expr(i);
    return c;
}

/// P_n of Jacobi with weight (1 − ξ)^α ξ^β: Σ_s C(n + α, n − s) C(n + β, s) (ξ − 1)^s ξ^(n−s)
Polynomial jacobi(std::size_t n, std::size_t alpha, std::size_t beta) {
    Polynomial sum, power = Polynomial::monomial(0);
    const Polynomial back = Polynomial::monomial(1) + Polynomial::monomial(0, -1);
    for (std::size_t s = 0; s <= n; ++s, power = power * back) {
        sum += binomial(n + alpha, n - s) * binomial(n + beta, s) * (power * Polynomial::monomial(static_cast<int>(n - s)));
    }
    return sum;
}

}  // namespace

std::vector<Polynomial> bending_polynomials(Frame frame, std::size_t count) {
    std::vector<Polynomial> list;
    for (std::size_t i = 0; i < count; ++i) {
        switch (frame) {
            case Frame::tangent: list.push_back(Polynomial::monomial(2) * jacobi(i, 0, 4)); break;
            case Frame::chord: list.push_back((Polynomial::monomial(1) + Polynomial::monomial(2, -1)) * jacobi(i, 2, 2)); break;
            case Frame::mean: list.push_back(jacobi(i + 2, 0, 0)); break;
        }
    }
    return list;
}

std::vector<Polynomial> second_order_polynomials(Frame frame, std::size_t count) {
    std::vector<Polynomial> list;
    for (std::size_t i = 0; i < count; ++i)
        list.push_back(frame == Frame::mean ? jacobi(i + 1, 0, 0) : Polynomial::monomial(1) * jacobi(i, 0, 2));
    return list;
}

namespace {

/// The characteristic equation over cosh β; d = e^(−β), so that nothing grows.
template <class S>
S clamped_mass_equation(const S& beta, const S& eta, const S& tau) {
    using std::cos, std::exp, std::sin;
    const S d = exp(-beta), c = cos(beta), s = sin(beta), sech = 2 * d / (1 + d * d), th = (1 - d * d) / (1 + d * d);
    const S b2 = beta * beta;
    return sech + c + eta * beta * (th * c - s) - tau * b2 * beta * (s + th * c) + eta * tau * b2 * b2 * (sech - c);
}

}  // namespace

std::vector<double> clamped_mass_wave_numbers(double eta, double tau, std::size_t count) {
    std::vector<double> list;
    const auto f = [&](double b) { return clamped_mass_equation(b, eta, tau); };
    constexpr double step = pi / 64;
    double low = 1e-3, at_low = f(low);
    for (int k = 1; list.size() < count && k < 100'000; ++k) {
        const double high = k * step, at_high = f(high);
        if ((at_low > 0) != (at_high > 0)) {
            double a = low, b = high;
            for (int halving = 0; halving < 60 && b - a > 1e-15 * b; ++halving) {
                const double middle = (a + b) / 2;
                ((f(middle) > 0) == (at_low > 0) ? a : b) = middle;
            }
            list.push_back((a + b) / 2);
        }
        low = high, at_low = at_high;
    }
    return list;
}

sym::Expr clamped_mass_wave_number(const sym::Expr& eta, const sym::Expr& tau, double start) {
    const sym::Expr x = sym::symbol("flex.beta", sym::Role::auxiliary), f = clamped_mass_equation(x, eta, tau),
                    slope = sym::derivative(f, x);
    sym::Expr beta = start;
    for (int step = 0; step < 6; ++step) {
        sym::Substitution here({sym::Binding{x, beta}});
        beta = beta - here(f) / here(slope);
    }
    return beta;
}

Polynomial clamped_mass_shape(const sym::Expr& beta, const sym::Expr& eta) {
    const sym::Expr d = exp(-beta), c = cos(beta), s = sin(beta), load = eta * beta;
    // the shear at the tip, φ‴(1) = −ηβ⁴φ(1), gives 1 − σ, and B = (1 − σ)e^β/2
    const sym::Expr B = (d + c + s + load * (c - s - d)) / (1 + d * d + 2 * c * d + load * (1 - d * d - 2 * s * d));
    const sym::Expr sigma = 1 - 2 * B * d;
    return Polynomial::exponential(-beta, 0, (1 + sigma) / 2) + Polynomial::exponential(beta, -beta, B) + Polynomial::wave(beta, -1, sigma);
}

std::vector<double> wave_numbers(Family family, std::size_t count) {
    std::vector<double> list;
    for (std::size_t i = 1; i <= count; ++i) list.push_back(wave_number(family, i));
    return list;
}

std::vector<Shape> bending_shapes(Family family, std::size_t count) {
    std::vector<Shape> list;
    for (const double beta : wave_numbers(family, count)) {
        list.push_back(family == Family::pinned_pinned ? Shape::wave(beta, 0, 1) : bent(family, beta));
    }
    return list;
}

std::vector<Shape> second_order_shapes(Family family, std::size_t count) {
    std::vector<Shape> list;
    for (std::size_t i = 1; i <= count; ++i) {
        const auto n = static_cast<double>(i);
        if (family == Family::free_free)
            list.push_back(Shape::wave(n * pi, 1, 0));
        else
            list.push_back(Shape::wave(family == Family::clamped_free ? (n - 0.5) * pi : n * pi, 0, 1));
    }
    return list;
}

}  // namespace linkwright::flex
