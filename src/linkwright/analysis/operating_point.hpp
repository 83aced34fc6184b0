#pragma once
// Where equations are linearized: a state, and the accelerations and multipliers that belong to it.

#include "linkwright/analysis/numbers.hpp"

namespace linkwright::analysis {

struct OperatingPoint {
    State state;
    VectorXd udot, lambda;  ///< of redundant rows the shortest λ
    bool is_ok = true;
    std::string why;        ///< a singular mass matrix, numbers that are not finite
    /// Largest |u̇_i| where it is, measured against what the forces could do: (f, M) without constraints.
    double unrest = 0;
    /// The coordinates do not move: a state of rest rather than a steady motion.
    bool is_at_rest = true;
};

/// Completes a closed state.
OperatingPoint operating_point(const Numbers& numbers, const State& state);

/// How an operating point moves with a parameter p, exactly: derivatives of q, u, w, u̇, λ.
struct PointSlope {
    VectorXd q, u, w, udot, lambda;
};

}  // namespace linkwright::analysis
