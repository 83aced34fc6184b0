#pragma once
// Equations of motion as polynomials: expanded about an equilibrium, loops reduced to independent coordinates by series, then
// brought to modal coordinates.

#include <optional>

#include "linkwright/base/goes_on.hpp"
#include "linkwright/perturb/modal_form.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

struct ExpansionOptions {
    unsigned degree = 3;                 ///< 3 or 5 as a rule; any from 1 to 7
    bool symbolic = true;                ///< expressions where possible; otherwise numbers only
    std::vector<std::string> kept;       ///< coordinates wished independent
    double largest_damping_ratio = 0.3;  ///< linear damping beyond is not small: said in notes
    GoesOn goes_on{};                    ///< asked at every phase of the excitation and between stages; stopped: not ok
};

/// Either form, or the reason why there is none: an unstable or neutral linear part (which mode, which λ), a state that is no
/// equilibrium, time that enters otherwise than through sines and cosines of multiples of one Ω t, kinks (|x| at 0), nonholonomic rows.
struct Expansion {
    std::optional<ModalForm<double>> numeric;      ///< always when ok
    std::optional<ModalForm<sym::Expr>> symbolic;  ///< where the linear part is diagonal in parameters; its symbols live in `pool`
    std::shared_ptr<sym::Pool> pool;
    std::optional<sym::Expr> Omega;  ///< of the excitation, in the equations' own parameters
    double moved = 0;                ///< from the state to where the mean force vanishes: what is expanded about
    std::vector<std::string> notes;
    bool is_ok = true;
    std::string why;
};

/// About a state of rest (an excitation that depends on time may be there: its mean rests).
Expansion expand(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ExpansionOptions& options);

/// The state at η, η̇: coordinates by the series, speeds likewise; closed by `assemble` where there are loops.
numeric::State state_of(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                        const VectorXd& eta, const VectorXd& eta_dot, double t);

}  // namespace linkwright::perturb
