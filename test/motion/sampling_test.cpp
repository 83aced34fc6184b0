// Filters as a computer runs them: against what they do by definition.

#include "linkwright/motion/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace linkwright::motion {
namespace {

using std::complex;

/// (s² + 2 s + 5)/(s² + 3 s + 7) in observable form: −a 1; β = b − D a.
const MatrixXd A{{-3, 1}, {-7, 0}};
const VectorXd B{{-1, -2}};
constexpr double D = 1;

/// C (z − A)⁻¹ B + D of a discrete filter of second order.
complex<double> transfer(const DiscreteFilter& d, complex<double> z) {
    const complex<double> a = z - d.A(0, 0), b = -d.A(0, 1), c = -d.A(1, 0), e = z - d.A(1, 1), det = a * e - b * c;
    const complex<double> x = (e * d.B[0] - b * d.B[1]) / det, y = (a * d.B[1] - c * d.B[0]) / det;
    return d.C[0] * x + d.C[1] * y + d.D;
}

TEST(Discretise, TustinPutsTheBilinearRuleForS) {
    const double T = 0.1;
    const DiscreteFilter d = discretise(A, B, D, T, SampleMethod::tustin);
    for (const double w : {0.1, 1.0, 5.0, 20.0}) {
        const complex<double> z = std::exp(complex<double>(0, w * T)), s = 2.0 * (z - 1.0) / (T * (z + 1.0));
        const complex<double> expected = (s * s + 2.0 * s + 5.0) / (s * s + 3.0 * s + 7.0);
        EXPECT_LT(std::abs(transfer(d, z) - expected), 1e-13) << w;
    }
}

TEST(Discretise, HoldIsExactForAStep) {
    // the step response of the continuous one at kT: G(0) + what the poles leave
    const double T = 0.2;
    const DiscreteFilter d = discretise(A, B, D, T, SampleMethod::hold);
    VectorXd x = VectorXd::Zero(2), fine = x;
    for (int k = 0; k < 20; ++k) {
        EXPECT_NEAR(d.C.dot(x) + d.D, fine[0] + D, 1e-9) << k;
        x = d.A * x + d.B;
        for (int i = 0; i < 200; ++i) {  // the classical rule in short steps
            const double h = T / 200;
            const auto rate = [&](const VectorXd& y) { return VectorXd(A * y + B); };
            const VectorXd p = rate(fine), q = rate(fine + h / 2 * p), r = rate(fine + h / 2 * q), s = rate(fine + h * r);
            fine += h / 6 * (p + 2 * q + 2 * r + s);
        }
    }
}

TEST(Discretise, BothRestWhereTheFilterDoes) {
    for (const SampleMethod method : {SampleMethod::hold, SampleMethod::tustin}) {
        const DiscreteFilter d = discretise(A, B, D, 0.3, method);
        const VectorXd x{{5.0 / 7 - 1, 0}};  // A x + B = 0 gives x₁ = −2/7 and x₂ = 1 + 3 x₁
        const VectorXd rest{{x[0], 1 + 3 * x[0]}};
        EXPECT_LT((d.A * rest + d.B - rest).norm(), 1e-14);
        EXPECT_NEAR(d.C.dot(rest) + d.D, 5.0 / 7, 1e-14);
    }
}

TEST(Discretise, AGainStaysOne) {
    const DiscreteFilter d = discretise(MatrixXd(0, 0), VectorXd(0), 3, 0.1, SampleMethod::tustin);
    EXPECT_EQ(d.D, 3);
    EXPECT_EQ(d.C.size(), 0);
}

}  // namespace
}  // namespace linkwright::motion
