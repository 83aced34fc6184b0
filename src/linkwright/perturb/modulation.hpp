#pragma once
// Modulation equations in amplitude and phase, and what follows from them: backbone curves, steady states, frequency response.
//
//     A_k = ½ a_k e^{i(ω_k t + β_k)}:      ȧ_k = …,   a_k β̇_k = …        in the slow angles γ of the resonances

#include <functional>

#include "linkwright/perturb/multiple_scales.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// coefficient · Π a_j^p_j · sin or cos of Σ phases_j β_j − (the detuning's angle); phases all zero: no angle.
template <class Real>
struct PolarTerm {
    Real coefficient{0};
    std::vector<std::uint8_t> powers;  ///< of a_j
    std::vector<int> phases;           ///< of β_j
    int harmonic = 0;                  ///< and of Ω t: the angle is Σ phases_j (ω_j t + β_j) + harmonic Ω t, slow
    bool is_sine = false;
    unsigned order = 0;
};

/// Of each mode: ȧ_k and a_k β̇_k as sums of terms.
template <class Real>
struct PolarForm {
    std::vector<std::vector<PolarTerm<Real>>> amplitude, phase;
};
PolarForm<double> polar_form(const MultipleScales<double>& scales);
PolarForm<sym::Expr> polar_form(const MultipleScales<sym::Expr>& scales);

/// ω(a) of one mode moving alone, the others at rest: ω_k + c2 a² + c4 a⁴ …
struct Backbone {
    std::size_t mode = 0;
    std::vector<double> coefficients;  ///< c0 = ω_k (a little less where there is damping, to higher orders), c1 = 0, c2, …
    std::vector<double>
        in_reach;        ///< the same in powers of the reach instead of the first harmonic a: η_k where it turns, on its positive side
    bool exists = true;  ///< false where a resonance drags other modes along; why says. Damping leaves it: the motion sinks along it
    std::string why;
};
std::vector<Backbone> backbones(const MultipleScales<double>& scales);

/// The largest |η_k| of each mode in the motion that starts with amplitudes A at time 0 and goes on with these frequencies.
VectorXd reaches_of(const MultipleScales<double>& scales, const Eigen::VectorXcd& A, const VectorXd& frequencies);

/// A motion whose amplitudes and slow angles do not change.
struct SteadyState {
    double Omega = 0;                             ///< of the excitation
    VectorXd a, beta;                             ///< β relative to the excitation; free ones 0
    std::vector<std::complex<double>> exponents;  ///< of small disturbances
    bool is_stable = false;
    double reach = 0;  ///< largest |η| over a period, each mode's in `reaches`
    VectorXd reaches;
    VectorXd frequencies;   ///< of each mode, ω_k + β̇_k
    VectorXd eta, eta_dot;  ///< where it is at time 0
};

/// All steady states that many starts find at the form's own Ω (free systems: limit cycles), each once whatever its free phases and the
/// period of the excitation in which it begins, and each checked; images by a symmetry are states of their own. Free oscillations without damping are steady
/// at any amplitude: these are no single states but `backbones`, and not told here. States so large that the series no longer falls
/// off are left out. Stopped: those found so far.
std::vector<SteadyState> steady_states(const MultipleScales<double>& scales, const GoesOn& goes_on = {});

/// Steady states along Ω (or a limit cycle's family): branches through folds by arc length, each with its stability.
struct ResponseBranch {
    std::vector<SteadyState> states;
    std::vector<std::size_t> folds;  ///< where stability changes
};
/// A modal form for each Ω.
using FormAt = std::function<ModalForm<double>(double Omega)>;
struct FrequencyResponse {
    std::vector<ResponseBranch> branches;
    std::vector<std::string> notes;
    bool is_stopped = false;  ///< not all of the range was looked at
};
/// Around each resonance that acts within the range its ordering is kept, with nothing expanded in the detuning; beyond a few times of what
/// counts as near, and between two of them, the answer is the one without resonance. So every state has the accuracy of the order asked for.
/// `reaches` go on smoothly from one to the other; amplitudes a are of what turns with the modes, and that may be nothing of a mode
/// which is only pushed. `options.goes_on` is told how many of the steps are done.
FrequencyResponse frequency_response(const FormAt& form, const ScalesOptions& options, double from, double until, std::size_t steps);
/// The same with coefficients that do not depend on Ω.
FrequencyResponse frequency_response(const ModalForm<double>& form, const ScalesOptions& options, double from, double until,
                                     std::size_t steps);

/// Amplitudes carried forward in slow time: a and β at these times.
struct Modulation {
    std::vector<double> times;
    std::vector<Eigen::VectorXcd> A;
    bool is_ok = true;
    std::string why;
};
Modulation modulate(const MultipleScales<double>& scales, const Eigen::VectorXcd& A0, const std::vector<double>& times);

}  // namespace linkwright::perturb
