#pragma once
// A = U diag(s) Vᴴ by Jacobi's rotations, as it stands: nothing is scaled, no verdict passed, and only those vectors are made that
// are asked for. Eigen's, compiled once and for all here; make_svd (dense.hpp) checks and scales besides.

#include <cstdint>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// Which singular vectors of an m×n matrix.
enum class SingularVectors : std::uint8_t {
    none,
    thin,  ///< min(m, n) of them
    full,  ///< a basis of the whole space
};

struct SingularValues {
    VectorXd s;       ///< descending, min(m, n) of them
    MatrixXd u, v;    ///< columns; empty where not asked for
    Index rank = 0;   ///< how many exceed min(m, n)·ε times the largest
    bool ok = false;  ///< every entry of A was finite; else all numbers are NaN
};
/// Of a matrix that is not empty.
SingularValues singular_values(const MatrixXd& a, SingularVectors u, SingularVectors v);

/// Likewise of a complex matrix, s alone. NaN where an entry is not finite.
VectorXd singular_values(const Eigen::MatrixXcd& a);

}  // namespace linkwright::solve
