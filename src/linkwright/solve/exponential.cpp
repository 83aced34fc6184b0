#include "linkwright/solve/exponential.hpp"

#include <Eigen/LU>
#include <cmath>

namespace linkwright::solve {

MatrixXd exponential(const MatrixXd& A) {
    const Index n = A.rows();
    if (n == 0 || !A.allFinite()) return A;
    const double size = A.cwiseAbs().rowwise().sum().maxCoeff();
    const int squarings = size > 0.5 ? std::max(0, static_cast<int>(std::ceil(std::log2(size / 0.5)))) : 0;
    const MatrixXd X = std::ldexp(1.0, -squarings) * A;
    // Padé's quotient of degree 8: its error is below rounding where |X| ≤ 1/2.
    constexpr int degree = 8;
    MatrixXd power = MatrixXd::Identity(n, n), N = power, D = power;
    double c = 1;
    for (int k = 1; k <= degree; ++k) {
        c *= static_cast<double>(degree - k + 1) / static_cast<double>(k * (2 * degree - k + 1));
        power = X * power;
        N += c * power;
        D += (k % 2 == 0 ? c : -c) * power;
    }
    MatrixXd R = D.partialPivLu().solve(N);
    for (int k = 0; k < squarings; ++k) R = R * R;
    return R;
}

}  // namespace linkwright::solve
