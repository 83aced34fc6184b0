#include "linkwright/solve/eigenvalues.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

namespace linkwright::solve {
namespace {

template <class Solver>
VectorXcd values_of(const Solver& eigen, Index n) {
    if (eigen.info() == Eigen::Success) return eigen.eigenvalues();
    return VectorXcd::Constant(n, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

SymmetricEigen symmetric_eigen(const MatrixXd& A) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(A);
    return {eigen.eigenvalues(), eigen.eigenvectors(), eigen.info() == Eigen::Success};
}

SymmetricEigen symmetric_eigen(const MatrixXd& K, const MatrixXd& M) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(K, M);
    return {eigen.eigenvalues(), eigen.eigenvectors(), eigen.info() == Eigen::Success};
}

SymmetricEigen symmetric_eigenvalues(const MatrixXd& K, const MatrixXd& M) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(K, M, Eigen::EigenvaluesOnly);
    return {eigen.eigenvalues(), {}, eigen.info() == Eigen::Success};
}

VectorXcd eigenvalues(const MatrixXd& A) { return values_of(Eigen::EigenSolver<MatrixXd>(A, false), A.rows()); }
VectorXcd eigenvalues(const MatrixXcd& A) { return values_of(Eigen::ComplexEigenSolver<MatrixXcd>(A, false), A.rows()); }

ComplexEigen complex_eigen(const MatrixXcd& A) {
    const Eigen::ComplexEigenSolver<MatrixXcd> eigen(A);
    if (eigen.info() != Eigen::Success) return {};
    return {eigen.eigenvalues(), eigen.eigenvectors(), true};
}

Hessenberg hessenberg(const MatrixXd& A) {
    const Eigen::HessenbergDecomposition<MatrixXd> h(A);
    return {h.matrixQ(), h.matrixH()};
}

}  // namespace linkwright::solve
