#pragma once
// A P = Q R by Householder's reflections, for one small matrix after the other in the same memory [golub13 §5.1, §5.4]:
//
//     Q = H_0 H_1 … H_{r−1},   H_j = 1 − β_j v_j v_jᵀ,   v_j zero before entry j
//
// The longest column of what is left is next, so that |R_jj| descend. Lengths are added up anew whenever columns change: carried along
// by differences they lose digits, and the last ones decide a rank. Q is never written out. A symmetric M is turned by it from
// both sides, a product and an update of rank two for each reflection:
//
//     H M H = M − v wᵀ − w vᵀ,   p = β M v,   w = p − ½β (vᵀp) v                                              [golub13 §8.3]
//
// Matrices have n rows, padded with zeros to a multiple of four (fours.hpp). Entries should not be far from 1: squares of 1e-140 count
// as nothing.

#include <vector>

#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/fours.hpp"

namespace linkwright::solve {

class Reflections {
public:
    /// Takes A (in_fours(n)×m) apart and uses it up; `count` ≤ min(n, m) reflections.
    void compute(MatrixXd& a, Index n, Index count);

    Index count() const { return count_; }
    double pivot(Index i) const { return std::abs(r_(i, i)); }
    Index order(Index k) const { return order_[k]; }  ///< column k of A P is this column of A
    const MatrixXd& r() const { return r_; }          ///< count×m, upper trapezoidal

    void to_turned(double* x) const;    ///< x ← Qᵀx, in_fours(n) entries
    void from_turned(double* x) const;  ///< x ← Q x
    void from_turned(MatrixXd& x) const;
    /// M ← QᵀMQ; in_fours(n)×n, symmetric.
    void turn(MatrixXd& M);

    /// y with Rᵀy = Pᵀg, and x with R Pᵀx = c, which is used up. For m = count, and no pivot 0.
    void solve_transposed(const double* g, double* y) const;
    void solve(double* c, double* x) const;

private:
    Index n_ = 0, count_ = 0;
    MatrixXd v_, r_;
    VectorXd beta_, w_, lengths_;
    std::vector<Index> order_;
};

}  // namespace linkwright::solve
