#pragma once
// Dense linear systems that say what is wrong with them. A factorisation that meets a zero pivot, a short rank or a
// number that is not finite returns that as a value with a reason; x is finite whatever happened.
//
// Two kinds of tolerance occur. A *pivot* of a definite matrix is compared with the diagonal entries it is left of, so
// the verdict does not depend on units. A *rank* is the number of pivots or singular values above `tolerance` times the
// largest: it does depend on units, and callers who mix metres and radians scale rows first.

#include <Eigen/Core>
#include <string>
#include <vector>

namespace linkwright::solve {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Relative size below which a pivot or singular value counts as zero, unless the caller says otherwise.
constexpr double default_rank_tolerance = 1e-10;

/// What a solver found. When it is not ok, `why` is one sentence for a person and x the best reached, or zeros.
struct Solution {
    VectorXd x;
    Index rank = 0;
    double residual = 0;  ///< largest |A x − b|
    bool ok = false;
    std::string why;
};

/// A = L D Lᵀ of a symmetric matrix, of which the lower triangle is read; L is unit lower triangular.
///
/// Without pivoting, so that a failure names a row of A: `bad` is the first whose pivot d is not positive, and
/// `direction` the z with z_bad = 1, z_i = 0 beyond, (A z)_i = 0 before, zᵀA z = d: a motion without inertia, if A is a
/// mass matrix.
struct Definite {
    MatrixXd l;
    VectorXd d;
    Index bad = -1;
    VectorXd direction;    ///< empty when ok
    double condition = 1;  ///< largest over smallest d/A_ii: an estimate that units leave alone
    bool ok = false;
    std::string why;
};

/// Factors A. A pivot d ≤ tolerance·(Σ |z_i| √A_ii)², z its direction, is not positive: rounding could have made it.
/// `size`, if given, replaces a smaller A_ii there: what rounding errors of A_ii are proportional to, when A was
/// computed with cancellation. A negative tolerance means 8ε.
Definite factor_definite(const MatrixXd& a, double tolerance = -1, const VectorXd& size = {});
/// x with A x = b. Not ok when the factor is not, or b is not finite.
Solution solve(const Definite& factor, const VectorXd& b);
/// Both at once: A x = b for a symmetric positive definite A.
Solution solve_definite(const MatrixXd& a, const VectorXd& b);

/// Which columns (or rows) of a matrix span the others, by QR with column pivoting: the best conditioned come first.
struct Independence {
    Index rank = 0;
    std::vector<Index> independent;  ///< `rank` of them, in order of choice
    std::vector<Index> dependent;    ///< the others, ascending
    double condition = 1;            ///< first over last accepted pivot; infinite when something was not finite
    bool ok = false;
    std::string why;
};
/// Columns of A: the rank is the number of pivots above tolerance times the first.
Independence independent_columns(const MatrixXd& a, double tolerance = default_rank_tolerance);
/// Rows of A, likewise.
Independence independent_rows(const MatrixXd& a, double tolerance = default_rank_tolerance);

/// A = U diag(s) Vᵀ with s descending; U is m×min(m, n), V is n×n, so that its last columns span the null space.
struct Svd {
    MatrixXd u;
    VectorXd s;
    MatrixXd v;
    bool ok = false;
    std::string why;
    /// How many singular values exceed tolerance·s_0.
    Index rank(double tolerance = default_rank_tolerance) const;
};
/// Not ok when A is not finite.
Svd make_svd(const MatrixXd& a);

/// The shortest x among those that minimise |A x − b|. Ok for finite input; `residual` says whether b was reached.
Solution solve_least_squares(const MatrixXd& a, const VectorXd& b, double tolerance = default_rank_tolerance);

/// An orthonormal basis, as columns, of the x with A x = 0. No columns when there is none, or A is not finite.
MatrixXd null_space(const MatrixXd& a, double tolerance = default_rank_tolerance);

}  // namespace linkwright::solve
