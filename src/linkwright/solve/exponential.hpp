#pragma once
// e^A of a small square matrix: scaled until it is small, a quotient of polynomials, squared back [golub13 §9.3.1].

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// Relative error near that of rounding, times the condition of the problem. Of what is not finite, the result is not either.
MatrixXd exponential(const MatrixXd& A);

}  // namespace linkwright::solve
