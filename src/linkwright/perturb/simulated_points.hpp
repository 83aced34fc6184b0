#pragma once
// Points of the full equations for the curves of multiple scales: nothing in them is expanded or averaged. The series only says where to begin.
//
//     free      the motion that begins where the series puts mode k alone. Its frequency is that of the passages of η_k upward through the
//               middle of its range, its amplitude the first harmonic of η_k over these whole periods
//     forced    P(y) = y with y = (η, η̇): P carries y through so many periods of the excitation. Newton's method, the slopes of P by
//               differences; their eigenvalues, Floquet's multipliers, say whether the motion lasts [nayfeh79 §5.2]

#include <functional>

#include "linkwright/perturb/expansion.hpp"
#include "linkwright/perturb/modulation.hpp"

namespace linkwright::perturb {

/// How many steps of integration are left, for all simulations that share it.
struct StepBudget {
    long left = 0;
    std::function<bool()> goes_on{};  ///< asked at every step; empty: always
    bool is_spent() const { return left <= 0; }
};

struct SimulatedPoint {
    double frequency = 0;  ///< rad/s: of the motion, or of the excitation
    double size = 0;       ///< free: first harmonic of η_k; forced: the largest |η| over a period
    bool is_stable = true;
    std::string why;  ///< there is none: it did not converge, the mechanism cannot be there, the budget is spent
    bool is_ok() const { return why.empty(); }
};

/// What points are simulated of.
struct SimulatedMechanism {
    const numeric::CompiledEquations& numbers;
    const numeric::OperatingPoint& at;
    const ModalForm<double>& form;
    double tolerance = 1e-9;
};

/// Mode k alone, with first harmonic a by the series.
SimulatedPoint simulate_free(const SimulatedMechanism& mechanism, const MultipleScales<double>& scales, std::size_t mode, double a,
                             StepBudget& budget);

/// The periodic motion near a steady state. One whose modes turn otherwise than in fractions of Ω closes in no few periods: there is none.
SimulatedPoint simulate_forced(const SimulatedMechanism& mechanism, const SteadyState& near, StepBudget& budget);

}  // namespace linkwright::perturb
