#pragma once
// The expansion once more with parameters as letters, where the linear part is diagonal as it stands: then modes are coordinates and
// frequencies have closed forms.
//
// Letters of its own: omega (omega1, omega2 …) for frequencies, in place of √(K/M); a coefficient is written with them where that
// makes it shorter, so that a pendulum's is −ω²/6 and not −g/(6 l). A coordinate whose equilibrium is no multiple of π/12 is a
// letter as well (stretch_0), with its meaning where that follows from one linear equation.

#include "linkwright/perturb/excitation.hpp"
#include "linkwright/perturb/modal_form.hpp"
#include "linkwright/perturb/motion_series.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using sym::Expr;

struct SymbolicRequest {
    const numeric::CompiledEquations& numbers;
    const LocalCoordinates& local;
    const MotionRoots& roots;
    const Excitation& excitation;
    const numeric::State& state;  ///< inputs that do not depend on time have these values
    const std::vector<std::size_t>&independent, &dependent;
    const MatrixXd& X;                 ///< a permutation
    const ModalForm<double>& numeric;  ///< the result is held against it
    const GoesOn& goes_on;
};

/// In `pool`, which folds. Empty with a reason.
std::optional<ModalForm<sym::Expr>> symbolic_form(const SymbolicRequest& request, sym::Pool& pool, std::string& why);

}  // namespace linkwright::perturb
