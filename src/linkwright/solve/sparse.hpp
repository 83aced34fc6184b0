#pragma once
// Matrices that are mostly empty: what rooms above put together entry by entry and hand to solvers of this room.

#include <Eigen/SparseCore>
#include <vector>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Triplet = Eigen::Triplet<double, Index>;

/// Entries at the same place are added.
SparseMatrix make_sparse(Index rows, Index columns, const std::vector<Triplet>& entries);
/// The diagonal matrix of these.
SparseMatrix make_diagonal(const VectorXd& d);
SparseMatrix identity(Index n);
MatrixXd dense(const SparseMatrix& a);
SparseMatrix sparse(const MatrixXd& a);
/// aᵀ b, a b
SparseMatrix transposed_times(const SparseMatrix& a, const SparseMatrix& b);
SparseMatrix times(const SparseMatrix& a, const SparseMatrix& b);
/// tᵀ a t
SparseMatrix congruence(const SparseMatrix& a, const SparseMatrix& t);
MatrixXd times(const SparseMatrix& a, const MatrixXd& b);
MatrixXd transposed_times(const SparseMatrix& a, const MatrixXd& b);
/// These columns of a, in this order.
SparseMatrix columns(const SparseMatrix& a, const std::vector<Index>& which);

}  // namespace linkwright::solve
