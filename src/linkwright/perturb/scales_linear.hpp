#pragma once
// What multiple scales make of the linear part, held against what it is.
//
// Damping, gyroscopic and circulatory terms count as small beside η̈ + ω²η. How small they are is seen where it matters: in the
// eigenvalues of the linear motion with all its terms, and those of the linear terms among the modulation equations.

#include <complex>
#include <vector>

#include "linkwright/perturb/multiple_scales.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;

/// Eigenvalues with Im λ ≥ 0, one for each mode, by their imaginary parts. Of modes that do not oscillate both members of a pair would
/// serve; the slower one is told.
std::vector<std::complex<double>> linear_exponents(const ModalForm<double>& form, bool with_damping = true);

/// The largest |λ − λ of the modulation| against |λ|, of a form that is linear and free of time.
double linear_gap(const ModalForm<double>& form, const MultipleScales<double>& scales);

/// Whether what couples modes linearly is so strong that its first order will not do: then it has to be ordered ε.
bool is_strongly_coupled(const ModalForm<double>& form, double closeness);

}  // namespace linkwright::perturb
