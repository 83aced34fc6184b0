#pragma once
// The motion that multiple scales predict, in the coordinates of the mechanism, and the numerical one beside it.
//
// The modulation equations carry the amplitudes forward, the series makes modal coordinates of them, the shapes make coordinates
// and speeds. What differs from the simulated motion of the full equations is the error of the method: over times t = O(1/ε^p) it
// is smaller than the motion by the power of ε that was left out.

#include "linkwright/perturb/expansion.hpp"
#include "linkwright/perturb/modulation.hpp"

namespace linkwright::perturb {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Modal coordinates of a state, as of state_of(): η and η̇ nearest to it. Empty where none are.
struct ModalPlace {
    VectorXd eta, eta_dot;
    double misfit = 0;  ///< how far the state of these is from the given one
    bool is_ok = false;
};
/// `near`: modal coordinates to begin at, η then η̇; empty: rest.
ModalPlace modal_place(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                       const numeric::State& state, const VectorXd& near = {});

/// Amplitudes A that belong to a state: η and η̇ nearest to it, then A by the series. Empty, and `why` says it, when there are none.
struct StartAmplitudes {
    Eigen::VectorXcd A;
    double misfit = 0;  ///< how far the state of these amplitudes is from the given one: what does not lie on the modes
    std::string why;
    bool is_ok() const { return why.empty(); }
};
StartAmplitudes amplitudes_at(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                              const MultipleScales<double>& scales, const numeric::State& state);

struct ScalesMotion {
    std::vector<double> times;
    std::vector<VectorXd> simulated, approximate;  ///< q at each time
    std::vector<Eigen::VectorXcd> A;               ///< amplitudes at each time
    VectorXd reach;                                ///< of each coordinate: largest distance from rest, simulated
    VectorXd error;                                ///< of each coordinate: largest difference of the two
    bool is_ok = true;
    std::string why;          ///< the motion grew too large, or could not be simulated
    double relative() const;  ///< largest error against the largest reach
};

/// Both motions from amplitudes A at the first of `times`. `on_step` is told the time of the simulated one; false stops, and what there is
/// of both is kept.
ScalesMotion compare_motion(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& at, const ModalForm<double>& form,
                            const MultipleScales<double>& scales, const Eigen::VectorXcd& A, const std::vector<double>& times,
                            double tolerance = 1e-10, const std::function<bool(double t)>& on_step = {});

/// The lowest power of ε in the modulation: amplitudes change over times 1/ε^p. 0: they do not change.
unsigned slowness(const MultipleScales<double>& scales);

}  // namespace linkwright::perturb
