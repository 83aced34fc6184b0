#include "linkwright/solve/rank.hpp"

#include <algorithm>
#include <cmath>

namespace linkwright::solve {

VectorXd row_scale(const MatrixXd& a, const VectorXd& errors) {
    VectorXd scale = VectorXd::Zero(a.rows());
    VectorXd length(a.rows());
    for (Index i = 0; i < a.rows(); ++i) length(i) = a.row(i).stableNorm();
    const double longest = a.rows() == 0 ? 0 : length.maxCoeff();
    const bool is_known = errors.size() == a.rows();
    const double rest = longest < 1e-13 ? 1e-13 : 1e-12 * longest;
    for (Index i = 0; i < a.rows(); ++i) {
        const bool counts = is_known ? length(i) > clearly * errors(i) : length(i) > rest;
        if (counts && std::isfinite(1 / length(i))) scale(i) = 1 / length(i);
    }
    return scale;
}

MatrixXd scaled_rows(const MatrixXd& a, const VectorXd& errors) { return row_scale(a, errors).asDiagonal() * a; }

double rank_tolerance(const MatrixXd& a, const VectorXd& errors, double tolerance) {
    if (errors.size() != a.rows()) return tolerance;
    for (Index i = 0; i < a.rows(); ++i) {
        const double length = a.row(i).stableNorm();
        if (length > clearly * errors(i)) tolerance = std::max(tolerance, 8 * errors(i) / length);
    }
    return tolerance;
}

Index rank_of_rows(const MatrixXd& a, const VectorXd& errors, double tolerance) {
    if (a.rows() == 0) return 0;
    return independent_rows(scaled_rows(a, errors), rank_tolerance(a, errors, tolerance)).rank;
}

}  // namespace linkwright::solve
