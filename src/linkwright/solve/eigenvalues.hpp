#pragma once
// Eigenvalues of small matrices (not empty ones), plainly: QR iterations without verdicts, conditions or orders of modes. They are Eigen's, compiled
// once and for all here; other rooms name them and compile nothing. What an eigenvalue of a mechanism is worth is said in eigen.hpp,
// by LAPACK.
//
//     A x = λ x,  A = Aᵀ            λ ascending, x orthonormal
//     K x = λ M x,  M = L Lᵀ        the same for L⁻¹K L⁻ᵀ: xᵀM x = 1; M must be definite, and nobody checks
//     A x = λ x                     any A, real or complex
//     A = Q H Qᵀ                    H zero below its first subdiagonal: s − A solved for many s at little cost [laub81]

#include <complex>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

/// When it is not ok the iteration did not converge, and values and vectors are where it stopped. What is not finite in a matrix makes
/// values that are not, ok or not.
struct SymmetricEigen {
    VectorXd values;   ///< ascending
    MatrixXd vectors;  ///< columns; empty where not asked for
    bool ok = false;
};
/// Of A, of which the lower triangle is read.
SymmetricEigen symmetric_eigen(const MatrixXd& A);
/// K x = λ M x, of which the lower triangles are read.
SymmetricEigen symmetric_eigen(const MatrixXd& K, const MatrixXd& M);
/// The same without x.
SymmetricEigen symmetric_eigenvalues(const MatrixXd& K, const MatrixXd& M);

/// λ of a real matrix: pairs of conjugates stand together, the upper one first. NaN when the iteration did not converge.
VectorXcd eigenvalues(const MatrixXd& A);
/// λ of a complex matrix. NaN when the iteration did not converge.
VectorXcd eigenvalues(const MatrixXcd& A);

/// A x = λ x of a complex matrix. When it is not ok the iteration did not converge, and both are empty.
struct ComplexEigen {
    VectorXcd values;
    MatrixXcd vectors;  ///< columns of length 1
    bool ok = false;
};
ComplexEigen complex_eigen(const MatrixXcd& A);

/// A = Q H Qᵀ of a matrix of two rows or more.
struct Hessenberg {
    MatrixXd q, h;
};
Hessenberg hessenberg(const MatrixXd& A);

}  // namespace linkwright::solve
