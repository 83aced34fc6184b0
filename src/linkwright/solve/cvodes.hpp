#pragma once
// ẋ = f(t, x) together with what small changes of it do: Ṡ = ∂f/∂x S + ∂f/∂p, by CVODES.
//
// In each step x is found first and S after it, from a linear equation with the matrix of x's own iteration (the staggered
// corrector of [feehery97]). S takes part in the choice of step and order if wished. A stepper's x() is here x and, after it, the columns
// of S: so `integrate` gives rows of both.

#include "linkwright/solve/ode.hpp"

namespace linkwright::solve {

struct SensitiveOde {
    Ode ode;            ///< of x alone, but that `project` is given x and S in a row
    Index columns = 0;  ///< of S
    /// Fills Ṡ; columns in a row, as S. False where there is none.
    std::function<bool(double t, const double* x, const double* S, double* rate)> rate;
    MatrixXd absolute;  ///< tolerance of each entry of S; the relative one is that of x
    bool control_errors = true;
};

/// As their namesakes in ode.hpp; `x` has size·(1 + columns) entries.
std::unique_ptr<Stepper> make_adams(const SensitiveOde& ode, double t, const VectorXd& x);
std::unique_ptr<Stepper> make_bdf(const SensitiveOde& ode, double t, const VectorXd& x);

}  // namespace linkwright::solve
