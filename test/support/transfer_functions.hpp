#pragma once
// Linear systems written down as ratios of polynomials.

#include <complex>
#include <vector>

#include "linkwright/linear/transfer_function.hpp"
#include "linkwright/solve/eigenvalues.hpp"

namespace linkwright::test {

using Complex = std::complex<double>;

/// Coefficients, the constant one first, of Π(s − r).
inline std::vector<double> polynomial(const std::vector<Complex>& roots) {
    std::vector<Complex> p{1};
    for (const Complex r : roots) {
        p.insert(p.begin(), 0.0);
        for (std::size_t i = 0; i + 1 < p.size(); ++i) p[i] -= r * p[i + 1];
    }
    std::vector<double> real;
    for (const Complex c : p) real.push_back(c.real());
    return real;
}

/// Controllable form of gain Π(s − zeros)/Π(s − poles), no more zeros than poles.
inline linear::LinearSystem from_roots(double gain, const std::vector<Complex>& zeros, const std::vector<Complex>& poles) {
    using Index = Eigen::Index;
    const std::vector<double> b = polynomial(zeros), a = polynomial(poles);
    const auto n = static_cast<Index>(poles.size());
    linear::LinearSystem s;
    s.A.setZero(n, n), s.B.setZero(n, 1), s.C.setZero(1, n), s.D.setZero(1, 1);
    for (Index i = 0; i + 1 < n; ++i) s.A(i, i + 1) = 1;
    for (Index i = 0; i < n; ++i) s.A(n - 1, i) = -a[static_cast<std::size_t>(i)];
    s.B(n - 1, 0) = 1;
    const double through = zeros.size() == poles.size() ? gain : 0;
    for (Index i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        s.C(0, i) = (k < b.size() ? gain * b[k] : 0) - through * a[k];
    }
    s.D(0, 0) = through;
    s.inputs = {"w"}, s.outputs = {"o"};
    s.poles = Eigen::Map<const Eigen::VectorXcd>(poles.data(), n);
    return s;
}

}  // namespace linkwright::test
