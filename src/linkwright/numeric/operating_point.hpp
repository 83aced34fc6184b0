#pragma once
// Where equations are linearized: a state, and the accelerations and multipliers that belong to it.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

using Eigen::VectorXd;

struct OperatingPoint {
    State state;
    VectorXd udot, lambda;  ///< of redundant rows the shortest λ
    bool is_ok = true;
    std::string why;  ///< a singular mass matrix, numbers that are not finite
    /// Largest |u̇_i|, against 1 and the largest acceleration that f would cause without the constraints.
    double relative_acceleration = 0;
    /// The coordinates do not move: a state of rest rather than a steady motion. Auxiliary states may still be on their way.
    bool is_at_rest = true;
};

/// Completes a closed state.
OperatingPoint operating_point(const CompiledEquations& numbers, const State& state);

/// How an operating point moves with a parameter p, exactly: derivatives of q, u, w, u̇, λ, x.
struct PointDerivative {
    VectorXd q, u, w, udot, lambda, x{};
};

/// dp_k/dp of every parameter: 1 for itself, and the chain rule for those that are derived from it. One that has been given a
/// value of its own (CompiledEquations::set) no longer follows.
VectorXd parameter_derivatives(const CompiledEquations& numbers, std::size_t parameter);

}  // namespace linkwright::numeric
