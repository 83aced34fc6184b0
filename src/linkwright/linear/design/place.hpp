#pragma once
// Parameters for wanted eigenvalues: Newton's method with exact derivatives [lynch88 §6.5, tables 6.1 and 6.2], and least squares
// within bounds where there are more or fewer parameters than wishes. With r and J = dr/dp of eigenvalue_targets.hpp,
//
//     minimise |r|², low ≤ p ≤ high
//     J d = −r                                the full step, taken whenever it makes |r| smaller
//     (JᵀJ + ν D⁻²) d = −Jᵀr                  otherwise, ν growing until one does [more78]
//
// each a problem of linear least squares within the bounds (solve/bounded.hpp). Where |r| hardly sinks any more, because what is wanted
// cannot be had, the gradient Jᵀr is differentiated too, and Newton's step for its zero leads to the minimum. A minimum it is when no
// step within the bounds is seen to win. Being short of what is wanted, it is left for a few starts elsewhere, and kept unless one of
// them ends lower. The operating point is found anew for each p, from where it was before.
//
// Where wished eigenvalues coincide, a derivative belongs to a direction: J is that of the branches along d itself, so d is
// improved until both agree, from several directions, and the best is taken. Where all derivatives along some direction vanish, as by
// the symmetry of equal halves, and the walk ends there, it goes a little way along that direction, and on if that was downhill.
// Poles that must change their kind, pairs into real ones or the reverse, go there by sums and products; where two real ones meet, the
// derivatives of these are taken by differences, for those of the poles do not exist.

#include "linkwright/linear/design/eigenvalue_targets.hpp"
#include "linkwright/linear/equilibrium/operating.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

struct PlaceOptions {
    EigenvalueTargets wish;
    std::vector<std::size_t> vary;  ///< indices of equations().parameters
    std::vector<double> low, high;  ///< of these; may be infinite
    std::size_t iterations = 60;
    double tolerance = 1e-10;  ///< of the largest relative error
    GoesOn goes_on{};          ///< asked before every look at other parameters; stopped: not converged, the best so far
};

struct Placement {
    struct Iteration {
        VectorXd parameters;       ///< of `vary`
        VectorXcd eigenvalues;     ///< of the wishes, in their order
        double error = 0;          ///< largest |λ − λ*|/|λ*|
        bool is_full_step = true;  ///< Newton's for r = 0; otherwise a shorter one, one for a minimum, or a start elsewhere
    };
    std::vector<Iteration> walk;        ///< the first is where it began, the last the best
    numeric::OperatingPoint point;      ///< at the last
    std::vector<std::size_t> at_bound;  ///< places in `vary` that are at a bound in the end
    std::vector<std::string> notes;
    bool is_converged = false;
    bool is_wrong_input = false;  ///< what is wanted cannot be asked: no λ, more wishes than eigenvalues
    std::string why;              ///< when not converged
    std::string hint;             ///< what may help
};

/// `numbers` are live; they keep the parameters of the last iteration. The other three are made of them.
Placement place(numeric::CompiledEquations& numbers, const OperatingPoints& points, const Linearizer& linearizer,
                const Sensitivity& sensitivity, const PlaceOptions& options);

}  // namespace linkwright::linear
