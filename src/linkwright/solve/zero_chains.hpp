#pragma once
// The eigenvalue 0 of a real matrix, counted by ranks.
//
// A rigid motion is a pole at 0 twice over, a drone that hovers one four times over: place, speed, tilt, rate of tilt. The eigenvalues
// themselves are then good to ε^½ and ε^¼, but the ranks that make them zeros are good to ε. So the staircase [golub76] finds
//
//     level 1     A v = 0                  a displacement that stays
//     level 2     A v in level 1           one that grows with t
//     level k     A v in levels below k    with t^(k−1)
//
// by orthogonal transformations, one decision about a rank after the other; what is left of A has the other eigenvalues. A singular
// value is zero where the noise of A's entries explains it, carried along to first order from level to level.

#include <vector>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

struct ZeroChains {
    MatrixXd basis;             ///< columns, level by level, in echelon form: each has an entry 1 where those of its level and below have 0
    std::vector<Index> levels;  ///< of each column, ascending from 1
    std::vector<Index> lengths;  ///< of the Jordan chains, the longest first
    MatrixXd rest;               ///< similar to what A is beside them, balanced: it has the other eigenvalues

    Index count() const { return basis.cols(); }
};

/// Of a square, finite A; `noise` says, entry by entry, what its entries are not worth.
ZeroChains zero_chains(const MatrixXd& A, const MatrixXd& noise);

}  // namespace linkwright::solve
