#include "linkwright/solve/eigenvalues.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

namespace linkwright::solve {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class Solver>
VectorXcd values_of(const Solver& eigen, Index n) {
    if (eigen.info() == Eigen::Success) return eigen.eigenvalues();
    return VectorXcd::Constant(n, not_a_number);
}

/// Eigen's iterations compare entries to find where they are, and leave the matrix where a comparison with NaN misleads them.
SymmetricEigen not_finite(Index n) { return {VectorXd::Constant(n, not_a_number), MatrixXd::Constant(n, n, not_a_number), false}; }

}  // namespace

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
    if (!A.allFinite()) return not_finite(A.rows());
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(A);
    return {eigen.eigenvalues(), eigen.eigenvectors(), eigen.info() == Eigen::Success};
}

SymmetricEigen symmetric_eigen(const MatrixXd& K, const MatrixXd& M) {
    if (!K.allFinite() || !M.allFinite()) return not_finite(K.rows());
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(K, M);
    return {eigen.eigenvalues(), eigen.eigenvectors(), eigen.info() == Eigen::Success};
}

SymmetricEigen symmetric_eigenvalues(const MatrixXd& K, const MatrixXd& M) {
    if (!K.allFinite() || !M.allFinite()) return {not_finite(K.rows()).values, {}, false};
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(K, M, Eigen::EigenvaluesOnly);
    return {eigen.eigenvalues(), {}, eigen.info() == Eigen::Success};
}

VectorXcd eigenvalues(const MatrixXd& A) {
    if (!A.allFinite()) return VectorXcd::Constant(A.rows(), not_a_number);
    return values_of(Eigen::EigenSolver<MatrixXd>(A, false), A.rows());
}
VectorXcd eigenvalues(const MatrixXcd& A) {
    if (!A.allFinite()) return VectorXcd::Constant(A.rows(), not_a_number);
    return values_of(Eigen::ComplexEigenSolver<MatrixXcd>(A, false), A.rows());
}

ComplexEigen complex_eigen(const MatrixXcd& A) {
    if (!A.allFinite()) return {};
    const Eigen::ComplexEigenSolver<MatrixXcd> eigen(A);
    if (eigen.info() != Eigen::Success) return {};
    return {eigen.eigenvalues(), eigen.eigenvectors(), true};
}

Hessenberg hessenberg(const MatrixXd& A) {
    const Eigen::HessenbergDecomposition<MatrixXd> h(A);
    return {h.matrixQ(), h.matrixH()};
}

}  // namespace linkwright::solve
