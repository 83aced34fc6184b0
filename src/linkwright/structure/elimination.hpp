#pragma once
// x = T y for all x with G x = 0, G sparse: rows one after the other, each solved for the entry with the largest coefficient.
//
// Columns of G are scaled beforehand, so that displacements and turns can be compared. A row of which less than `tolerance` is left, once
// the rows before it are put in, says nothing new: joints of a plane mechanism hold it in the plane more than once.

#include "linkwright/solve/sparse.hpp"

namespace linkwright::structure {

struct Elimination {
    solve::SparseMatrix T;                  ///< entries of y are entries of x
    std::vector<Eigen::Index> kept;         ///< which, ascending
    std::vector<Eigen::Index> eliminated;   ///< the others, ascending
    std::vector<Eigen::Index> independent;  ///< rows of G that say something new
};

/// A column j of G stands for x_j / scale_j.
Elimination eliminate(const solve::SparseMatrix& G, const Eigen::VectorXd& scale, double tolerance = 1e-9);

}  // namespace linkwright::structure
