#pragma once
// A = L D Lᵀ of a small definite matrix, one after the other in the same memory. Pivots that are plainly positive are all it takes; where
// one could be rounding it says so, and `factor_definite`, which looks more closely, may decide and be put in its place.

#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/fours.hpp"

namespace linkwright::solve {

class DefiniteFactor {
public:
    /// Of the lower right corner of A (rows padded to a multiple of four), from row and column `first` to before `end`; its lower triangle is
    /// read. False: a diagonal entry is not above `floor`, or a pivot not above 1e-10 of its diagonal entry.
    bool compute(const MatrixXd& a, Index first, Index end, double floor);
    /// A factor found elsewhere.
    void take(const Definite& factor);

    double condition() const { return condition_; }  ///< as that of Definite
    void solve(double* x) const;                     ///< x ← A⁻¹x; in_fours(size) entries, the last of them zeros

private:
    void resize(Index size);

    Index size_ = 0;
    MatrixXd l_;        ///< strictly below the diagonal; zeros elsewhere
    VectorXd inverse_;  ///< 1/D
    double condition_ = 1;
};

}  // namespace linkwright::solve
