#pragma once
// Small verbs on matrices that the solvers share.

#include <algorithm>
#include <cmath>
#include <span>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// Factors that give each row the length 1. Rows of constraints come in any unit; but a row that is nothing beside the
/// longest (1e-12 of it, or of 1 when all are short) is what rounding left of zero, and stays nothing.
inline VectorXd row_scale(const MatrixXd& a) {
    VectorXd scale = VectorXd::Ones(a.rows());
    double longest = 0;
    for (Index i = 0; i < a.rows(); ++i) longest = std::max(longest, a.row(i).stableNorm());
    const double dust = longest < 1e-13 ? 1e-13 : 1e-12 * longest;
    for (Index i = 0; i < a.rows(); ++i) {
        const double length = a.row(i).stableNorm();
        if (length > dust && std::isfinite(1 / length)) {
            scale(i) = 1 / length;
        } else if (longest > dust) {
            scale(i) = 1 / longest;
        }
    }
    return scale;
}

/// The listed columns, in that order.
inline MatrixXd take_columns(const MatrixXd& a, std::span<const Index> list) {
    MatrixXd part(a.rows(), static_cast<Index>(list.size()));
    for (std::size_t k = 0; k < list.size(); ++k) part.col(k) = a.col(list[k]);
    return part;
}

}  // namespace linkwright::solve
