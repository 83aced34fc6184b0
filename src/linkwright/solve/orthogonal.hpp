#pragma once
// A = Q R with an orthogonal Q, by Householder's reflections [golub13 §5.2, §5.4], [lawson95]:
//
//     A = Q R                  plainly
//     A P = Q R                columns exchanged, so that |R_ii| descend: which columns are independent, and how much
//     A P = Q [T 0; 0 0] Z     orthogonal from both sides: of the x that minimise |A x − b| the shortest
//
// These are Eigen's, compiled once and for all here; other rooms name them and compile nothing. They pass no judgement: what is
// not finite makes what is not finite. Those that do, and say why, are in dense.hpp.
//
// The classes are values: copies share the factors until one of them computes anew. Nothing but assignment and compute() may be
// done with one that has not computed.

#include <memory>

#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/right_side.hpp"

namespace linkwright::solve {

/// A = Q R of an m×n matrix: Q is m×m, R upper triangular (or trapezoidal) with min(m, n) rows.
struct PlainQr {
    MatrixXd q, r;
};
PlainQr plain_qr(const MatrixXd& a);
/// R alone.
MatrixXd triangular_factor(const MatrixXd& a);

/// A P = Q R of an m×n matrix.
class PivotedQr {
public:
    PivotedQr() = default;
    explicit PivotedQr(const MatrixXd& a) { compute(a); }
    /// Anew, in the memory of the last time.
    void compute(const MatrixXd& a);

    double pivot(Index i) const;           ///< |R_ii|
    VectorXd pivots() const;               ///< min(m, n) of them, descending up to rounding
    const Eigen::VectorXi& order() const;  ///< column k of A P is column order()[k] of A
    MatrixXd q() const;                    ///< m×m
    MatrixXd r() const;                    ///< min(m, n) rows
    /// x that minimises |A x − b|, its entries zero for columns without a pivot. No column counts as dependent unless what is left
    /// of it is rounding: where the rank is in doubt use CompleteOrthogonal.
    VectorXd solve(const VectorXd& b) const;
    MatrixXd solve(const MatrixXd& b) const;
    template <class B>
    auto solve(const Eigen::MatrixBase<B>& b) const {
        return solve(evaluated(b));
    }
    /// Into the memory of x, which must not be b.
    void solve_into(const VectorXd& b, VectorXd& x) const;

private:
    struct Inside;
    std::shared_ptr<Inside> inside_;
};

/// x that minimises |Aᵀx − b| by Aᵀ P = Q R; the transpose is taken as it lies in memory, row by row.
VectorXd solve_transposed(const MatrixXd& a, const VectorXd& b);

/// A P = Q [T 0; 0 0] Z of an m×n matrix.
class CompleteOrthogonal {
public:
    CompleteOrthogonal() = default;
    /// Pivots above min(m, n)·ε times the largest count.
    explicit CompleteOrthogonal(const MatrixXd& a);
    /// Pivots above threshold times the largest count.
    CompleteOrthogonal(const MatrixXd& a, double threshold) { compute(a, threshold); }
    /// Anew, in the memory of the last time.
    void compute(const MatrixXd& a, double threshold);

    Index rank() const;
    MatrixXd pseudo_inverse() const;
    /// The shortest x among those that minimise |A x − b|.
    VectorXd solve(const VectorXd& b) const;
    MatrixXd solve(const MatrixXd& b) const;
    template <class B>
    auto solve(const Eigen::MatrixBase<B>& b) const {
        return solve(evaluated(b));
    }
    /// Into the memory of x, which must not be b.
    void solve_into(const VectorXd& b, VectorXd& x) const;

private:
    struct Inside;
    std::shared_ptr<Inside> inside_;
};

}  // namespace linkwright::solve
