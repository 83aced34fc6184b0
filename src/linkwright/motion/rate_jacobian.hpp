#pragma once
// ∂ẋ/∂x of x = (q, u), auxiliary states among the q, and, after them, the work done, without a formula for u̇: what M u̇ + Gᵀλ = f, G u̇ = γ become when x changes,
//
//     M δu̇ + Gᵀδλ = −∂(M u̇ + Gᵀλ − f)/∂x δx,   G δu̇ = −∂(G u̇ − γ)/∂x δx,
//
// solved with the matrices already taken apart. The derivatives on the right are exact, by the graph.

#include "linkwright/motion/motion_system.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class RateJacobian {
public:
    RateJacobian(MotionSystem& system, const SimulateOptions& options);
    /// By columns at the place where the system is put. False where there are no rates.
    bool calc(double t, const double* x, double* columns);

private:
    MotionSystem& system_;
    numeric::JacobianFunction function_;  ///< rows: r (n), s (m), q̇ (nq), P (1), φ and its rates for Baumgarte; columns: q, u, u̇, λ
    VectorXd out_, udot_, lambda_, r_, s_;
    double baumgarte_ = 0;
    std::vector<bool> is_holonomic_;
    MatrixXd derivative_;
    solve::DescriptorFactor tree_factor_;
};

}  // namespace linkwright::motion
