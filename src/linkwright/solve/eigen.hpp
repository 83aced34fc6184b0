#pragma once
// Eigenvalues and vectors, by LAPACK. Four kinds of problem occur in mechanics, and each has its own trouble:
//
//     K x = λ M x       symmetric, M definite: units make M and K badly scaled, stiff and soft parts stand side by side
//     A x = λ x         any real matrix: defective where a motion is rigid or critically damped
//     A x = λ B x       a pencil: infinite eigenvalues where constraints stand in it, no eigenvalues at all where it is singular
//     G z = 0           the motions that constraints leave
//
// What an eigenvalue is worth is part of the answer: its condition, and a bound on what rounding did to it.

#include <Eigen/Core>
#include <complex>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

/// K x = λ M x: λ ascending, columns x with xᵀM x = 1 and the largest entry (in units of 1/√M_ii) positive.
struct SymmetricSpectrum {
    VectorXd lambda;
    MatrixXd x;
    double condition = 1;    ///< of M, units aside
    bool is_graded = false;  ///< K has no negative eigenvalue, and small λ have as many digits as large ones
    Index bad = -1;          ///< the row where M turned out not to be positive
    VectorXd direction;      ///< a motion without inertia (or with a negative one), empty when ok
    bool ok = false;
    std::string why;
};

/// Of the symmetric parts of K and M. M = L Lᵀ, units taken out first. Where K = F Fᵀ, by a Cholesky factorisation with pivoting,
/// √λ are singular values of L⁻¹F: found by Jacobi's rotations, they keep their digits however far apart [drmac08], and the λ of
/// directions that F lacks are zeros. Otherwise they are eigenvalues of L⁻¹K L⁻ᵀ, good to a few roundings of the largest.
/// `k_size`, entry by entry, says what K's own rounding errors are proportional to, if that is more than K.
SymmetricSpectrum symmetric_spectrum(const MatrixXd& K, const MatrixXd& M, const MatrixXd& k_size = {});

/// A x = λ x, yᴴA = λ yᴴ. Pairs of conjugates stand together, the upper one first. Where A falls into blocks that do not act on one
/// another both ways, each block's eigenvalues are found by themselves: rigid motions of the one then leave the digits of the other alone.
struct Spectrum {
    VectorXcd values;
    MatrixXcd right, left;  ///< columns of length 1
    VectorXd condition;     ///< 1/|yᴴx| of the balanced matrix: how far λ moves for a change of A of size 1; infinite when defective
    VectorXd error;         ///< ε ‖A‖ times that, within its block: what rounding may have done
    VectorXd separation;    ///< distance to the rest of the spectrum as the vector feels it
    double norm = 0;        ///< of the balanced matrix
    bool ok = false;
    std::string why;
};
/// `noise`, if given, says entry by entry what A is not worth: eigenvalues 0 are then counted by ranks (zero_chains.hpp), block by block,
/// and are 0 with an error of 0. Their vectors are what LAPACK makes of them; zero_chains has better ones.
Spectrum spectrum(const MatrixXd& A, const MatrixXd& noise = {});

/// A x = λ B x, yᴴA = λ yᴴB; the finite ones, and how many are infinite.
///
/// Where B is singular, QZ alone returns infinite eigenvalues as finite ones of 1e8 or 1e5: they come in chains of two or
/// three, and rounding is taken to the power ½ or ⅓. So they are split off first, by orthogonal transformations that bring
/// out one link of each chain after the other [vandooren79]; each is a decision about the rank of a part of B. QZ does the rest.
struct PencilSpectrum {
    VectorXcd values;       ///< finite ones; pairs together
    MatrixXcd right, left;  ///< columns of length 1
    VectorXd condition;     ///< ‖x‖‖y‖ √(|yᴴAx|² + |yᴴBx|²)⁻¹ of the scaled pencil: of λ on the sphere
    Index infinite = 0;
    std::vector<Index> chains;  ///< how many links were split off in each step: {3, 3} are three chains of two
    Index undetermined = 0;     ///< of a singular pencil: how many directions A and B both ignore
    double scale = 1;           ///< λ are of the order ‖A‖/‖B‖
    bool ok = false;
    std::string why;
};

struct PencilOptions {
    double b_tolerance = 1e-13;  ///< of the largest singular value: what is less in B is zero
    double a_tolerance = 1e-11;  ///< likewise for A on what B ignores: what is less makes the pencil singular
};
PencilSpectrum pencil_spectrum(const MatrixXd& A, const MatrixXd& B, const PencilOptions& options = {});

/// The z with G z = 0, as orthonormal columns, and a choice of rows that say all: QR of Gᵀ with pivoting, rows scaled to length 1.
struct NullSpace {
    MatrixXd z;
    Index rank = 0;
    std::vector<Index> independent, dependent;  ///< rows, ascending
    bool ok = false;
    std::string why;
};
NullSpace null_space_by_qr(const MatrixXd& G, double tolerance = default_rank_tolerance);

/// The assignment of least total cost [kuhn55]: for each row a column, −1 where there are fewer columns than rows.
std::vector<Index> assign(const MatrixXd& cost);

}  // namespace linkwright::solve
