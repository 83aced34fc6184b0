#pragma once
// Small verbs on matrices that the solvers share.

#include <cmath>
#include <span>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// Factors that give each row the length 1; 1 for a row of zeros. Rows of constraints come in any unit.
inline VectorXd row_scale(const MatrixXd& a) {
    VectorXd scale = VectorXd::Ones(a.rows());
    for (Index i = 0; i < a.rows(); ++i) {
        const double length = a.row(i).stableNorm();
        if (length > 0 && std::isfinite(1 / length)) scale(i) = 1 / length;
    }
    return scale;
}

/// The listed columns, in that order.
inline MatrixXd take_columns(const MatrixXd& a, std::span<const Index> list) {
    MatrixXd part(a.rows(), static_cast<Index>(list.size()));
    for (std::size_t k = 0; k < list.size(); ++k) part.col(static_cast<Index>(k)) = a.col(list[k]);
    return part;
}

}  // namespace linkwright::solve
