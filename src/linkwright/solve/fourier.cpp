#include "linkwright/solve/fourier.hpp"

#include <cmath>
#include <cstddef>
#include <numbers>

namespace linkwright::solve {

namespace {

/// e^(−2πi k/n), 0 ≤ k < n, from the first eighth of the circle.
Complex root(std::size_t k, std::size_t n) {
    const std::size_t eighth = 8 * k / n;  // which of the eight
    const auto angle = [&](std::size_t numerator) {
        return 2 * std::numbers::pi * static_cast<double>(numerator) / static_cast<double>(8 * n);
    };
    // k/n of a turn is 8k/8n; quarter turns are 2n/8n
    const std::size_t at = 8 * k;
    double c = 1, s = 0;
    switch (eighth) {
        case 0: c = std::cos(angle(at)), s = std::sin(angle(at)); break;
        case 1: c = std::sin(angle(2 * n - at)), s = std::cos(angle(2 * n - at)); break;
        case 2: c = -std::sin(angle(at - 2 * n)), s = std::cos(angle(at - 2 * n)); break;
        case 3: c = -std::cos(angle(4 * n - at)), s = std::sin(angle(4 * n - at)); break;
        case 4: c = -std::cos(angle(at - 4 * n)), s = -std::sin(angle(at - 4 * n)); break;
        case 5: c = -std::sin(angle(6 * n - at)), s = -std::cos(angle(6 * n - at)); break;
        case 6: c = std::sin(angle(at - 6 * n)), s = -std::cos(angle(at - 6 * n)); break;
        default: c = std::cos(angle(8 * n - at)), s = -std::sin(angle(8 * n - at)); break;
    }
    return {c, -s};
}

constexpr std::size_t largest_factor = 13;

std::vector<std::size_t> factors_of(std::size_t n) {
    std::vector<std::size_t> factors;
    for (std::size_t f = 2; f * f <= n; ++f) {
        for (; n % f == 0; n /= f) factors.push_back(f);
    }
    if (n > 1) factors.push_back(n);
    return factors;
}

/// One factor r after the other, from one array into another: after it, transforms of length `done`·r stand `stride` apart.
std::vector<Complex> by_factors(std::vector<Complex> x, const std::vector<std::size_t>& factors) {
    const std::size_t n = x.size();
    std::vector<Complex> roots(n), y(n);
    for (std::size_t k = 0; k < n; ++k) roots[k] = root(k, n);
    std::size_t done = 1;
    for (const std::size_t r : factors) {
        const std::size_t rest = n / (done * r);
        for (std::size_t j = 0; j < rest; ++j) {
            for (std::size_t k = 0; k < done; ++k) {
                for (std::size_t p = 0; p < r; ++p) {
                    Complex sum = 0;
                    const std::size_t turn = (k + p * done) * rest;  // of roots, for each further part
                    for (std::size_t i = 0; i < r; ++i) sum += x[(i * rest + j) * done + k] * roots[i * turn % n];
                    y[j * done * r + p * done + k] = sum;
                }
            }
        }
        done *= r;
        x.swap(y);
    }
    return x;
}

/// jk = (j² + k² − (k − j)²)/2
std::vector<Complex> by_convolution(const std::vector<Complex>& x) {
    const std::size_t n = x.size();
    std::size_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    std::vector<Complex> chirp(n), a(m), b(m);
    for (std::size_t k = 0; k < n; ++k) {
        chirp[k] = root(k * k % (2 * n), 2 * n);
        a[k] = x[k] * chirp[k];
        b[k] = std::conj(chirp[k]);
        if (k > 0) b[m - k] = b[k];
    }
    a = fourier(a);
    b = fourier(b);
    for (std::size_t k = 0; k < m; ++k) a[k] *= b[k];
    a = inverse_fourier(a);
    for (std::size_t k = 0; k < n; ++k) chirp[k] *= a[k];
    return chirp;
}

}  // namespace

std::vector<Complex> fourier(const std::vector<Complex>& x) {
    const std::vector<std::size_t> factors = factors_of(x.size());
    if (factors.empty()) return x;
    return factors.back() > largest_factor ? by_convolution(x) : by_factors(x, factors);
}

std::vector<Complex> inverse_fourier(const std::vector<Complex>& X) {
    std::vector<Complex> x(X.size());
    for (std::size_t k = 0; k < X.size(); ++k) x[k] = std::conj(X[k]);
    x = fourier(x);
    for (Complex& value : x) value = std::conj(value) / static_cast<double>(x.size());
    return x;
}

}  // namespace linkwright::solve
