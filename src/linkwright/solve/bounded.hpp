#pragma once
// Least squares within bounds: x with |A x − b| least and low ≤ x ≤ high.
//
// Bounds that are reached are an active set. Among the x that are free the unbounded problem is solved; towards its answer x goes as far
// as the bounds allow, and the first that it meets is held. When none is met, the gradient tells which held x would rather
// come back inside, and the one with the most reason is released [lawson95 chapter 23, stark95]. Each turn makes |A x − b| smaller or leaves it,
// so it never ends worse than at its beginning, the point of the bounds next to zero.

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// Bounds may be infinite. Of several least x the shortest among those that are free.
VectorXd least_squares_within(const MatrixXd& A, const VectorXd& b, const VectorXd& low, const VectorXd& high,
                              double rank_tolerance = 1e-12);

}  // namespace linkwright::solve
