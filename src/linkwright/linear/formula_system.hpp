#pragma once
// Linear equations whose coefficients are formulas, solved to be read.
//
//     A X = B,     X = adj(A) B / det A
//
// Elimination divides by each pivot as it goes, so its pivots stand in the result above and below, and where one of them vanishes the
// formula is 0/0 though the solution is not. Determinants have no pivots: where unknowns hang together in small groups each group is solved by Cramer's rule,
// numerator and determinant are read each for itself, and what they share is cancelled. Of the two solutions the shorter one, as it will be
// written, is kept; large groups, and whatever is too long to read, are eliminated.
//
// Equations are chosen, and pivots, by their values at a point: among those of a good size the simplest formula. So a solution holds at the
// point, and around it.

#include <Eigen/Core>
#include <chrono>
#include <optional>
#include <vector>

#include "linkwright/linear/linear_form.hpp"

namespace linkwright::linear {

using sym::Expr;
using Places = std::vector<std::size_t>;

struct FormulaSystem {
    const Matrix& A;
    const Eigen::MatrixXd& value;  ///< of A at the point
    const Places& unknowns;        ///< columns of A; the others do not matter
    const Matrix& B;               ///< a row for each row of A
};

/// A row for each unknown, in the pool of A. Rows beyond the rank say nothing new. Empty when the rank at the point is less than the unknowns.
/// After the deadline nothing is read any more, only eliminated.
std::optional<Matrix> solution(const FormulaSystem& system, std::chrono::steady_clock::time_point deadline);

}  // namespace linkwright::linear
