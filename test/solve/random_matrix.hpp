#pragma once

#include <Eigen/Core>
#include <random>

namespace linkwright::solve::test {

/// Seeded matrices with entries in [−1, 1).
class RandomMatrix {
public:
    explicit RandomMatrix(std::uint64_t seed) : random_(seed) {}
    Eigen::MatrixXd operator()(Eigen::Index rows, Eigen::Index columns) {
        Eigen::MatrixXd a(rows, columns);
        for (Eigen::Index j = 0; j < columns; ++j) {
            for (Eigen::Index i = 0; i < rows; ++i) a(i, j) = static_cast<double>(random_() >> 11) * 0x1p-52 - 1;
        }
        return a;
    }
    Eigen::VectorXd vector(Eigen::Index n) { return (*this)(n, 1).col(0); }
    /// Symmetric, positive definite, of moderate condition.
    Eigen::MatrixXd definite(Eigen::Index n) {
        const Eigen::MatrixXd a = (*this)(n, n);
        return a * a.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    }
    Eigen::Index below(Eigen::Index n) { return static_cast<Eigen::Index>(random_() % static_cast<std::uint64_t>(n)); }

private:
    std::mt19937_64 random_;
};

}  // namespace linkwright::solve::test
