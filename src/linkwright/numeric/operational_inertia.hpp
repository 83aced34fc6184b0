#pragma once
// What a mechanism weighs at a tool [khatib87]. A force F at a frame with the Jacobian J is Jᵀ F along the speeds, and accelerates the frame by
//
//     J A Jᵀ F,     A = M⁻¹ of a tree,     A = Z (ZᵀMZ)⁻¹ Zᵀ, G Z = 0, of a closed chain
//
// Λ = (J A Jᵀ)⁻¹ is the operational-space inertia. It exists where the frame can be moved in every direction that is a row of J.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

struct OperationalInertia {
    MatrixXd mobility;  ///< J A Jᵀ
    MatrixXd inertia;   ///< Λ; empty when not ok
    bool is_ok = false;
    Eigen::Index held = -1;  ///< the row that cannot be moved apart from those before it; −1: none, or that is not the reason
    std::string why;
};

/// `dynamics` are those of the state.
OperationalInertia operational_inertia(const CompiledEquations& numbers, const State& state, const Dynamics& dynamics, const MatrixXd& J);

}  // namespace linkwright::numeric
