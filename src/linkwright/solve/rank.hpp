#pragma once
// Which rows of constraints count: every decision about a rank of constraints begins here.
//
// Rows come in any unit, so each is scaled to length 1. But a row that vanishes is not 0 in a computer: it is what rounding left of the terms
// it was made of, and scaled to length 1 it would lock the mechanism. How much that may be only those know who added up the terms. They
// say so in RowErrors; a row that is not clearly longer than its error is no row. Without RowErrors a row that is nothing beside the
// longest (1e-12 of it, or of 1 when all are short) is taken for such a rest.

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// Bounds for errors of the rows of G u̇ = γ; empty where nobody has followed them.
struct RowErrors {
    VectorXd G;      ///< of every entry of row i
    VectorXd gamma;  ///< of γ_i
};

/// A row counts when it is this many times longer than its error; it is contradicted when it is missed by more than this many errors.
constexpr double clearly = 1e3;

/// Factors that give each row of A the length 1, and 0 to rows that do not count. `errors`: of the entries of each row, or empty.
VectorXd row_scale(const MatrixXd& a, const VectorXd& errors = {});

/// The rows so scaled.
MatrixXd scaled_rows(const MatrixXd& a, const VectorXd& errors = {});

/// The tolerance for pivots of rows so scaled: `tolerance`, or more where rows are shorter than they should be for that many digits.
double rank_tolerance(const MatrixXd& a, const VectorXd& errors, double tolerance = default_rank_tolerance);

/// `rank` of rows as they are, in any units.
Index rank_of_rows(const MatrixXd& a, const VectorXd& errors = {}, double tolerance = default_rank_tolerance);

}  // namespace linkwright::solve
