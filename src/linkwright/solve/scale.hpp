#pragma once
// Small verbs on matrices that the solvers share.

#include <span>

#include "linkwright/solve/rank.hpp"

namespace linkwright::solve {

/// The listed columns, in that order.
inline MatrixXd take_columns(const MatrixXd& a, std::span<const Index> list) {
    MatrixXd part(a.rows(), static_cast<Index>(list.size()));
    for (std::size_t k = 0; k < list.size(); ++k) part.col(k) = a.col(list[k]);
    return part;
}

}  // namespace linkwright::solve
