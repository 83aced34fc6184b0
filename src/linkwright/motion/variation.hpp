#pragma once
// Small changes along a motion: δx = (δq, δu), auxiliary states among the q, of columns that belong to parameters, or to the start alone.
//
//     r = M u̇ + Gᵀλ − f,  s = G u̇ − γ
//     M δu̇ + Gᵀδλ = −∂r/∂x δx − dr/dp,   G δu̇ = −∂s/∂x δx − ds/dp
//     δq̇ = ∂q̇/∂q δq + N δu + dq̇/dp
//
// d/dp is total: parameters derived from p follow, and so do inputs whose own expressions contain it.

#include "linkwright/motion/motion_system.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class Variation {
public:
    /// Column k < parameters.size() of any δx belongs to parameters[k]. `observed` may use u̇ and λ.
    Variation(MotionSystem& system, const SimulateOptions& options, std::span<const std::size_t> parameters,
              std::span<const Expr> observed);

    /// Looks around at a state. False where there are no rates; the system says why.
    bool at(double t, const double* x);
    /// δẋ there.
    void rates(const Eigen::Ref<const MatrixXd>& S, Eigen::Ref<MatrixXd> rate);
    /// Onto ∂φ/∂q δq + dφ/dp = 0 and the same for speeds, by the shortest way in the metric of M; quaternions along their spheres.
    bool project(Eigen::Ref<MatrixXd> S);
    /// What is left of these there.
    double position_residual(const Eigen::Ref<const MatrixXd>& S) const;
    double velocity_residual(const Eigen::Ref<const MatrixXd>& S) const;
    /// What is observed, and how it changes.
    VectorXd observe() const;
    MatrixXd observe(const Eigen::Ref<const MatrixXd>& S);

private:
    bool factor();
    MatrixXd open(Eigen::Index row, const Eigen::Ref<const MatrixXd>& S) const;  ///< m rows from there: ∂/∂x δx + d/dp

    MotionSystem& system_;
    Eigen::Index nq_, n_, m_, p_;
    /// By symbols: q, u, inputs, the parameters that matter; of observed expressions also u̇, λ.
    struct Jacobian {
        numeric::JacobianFunction function;
        VectorXd out;
        MatrixXd by;
        bool calc(std::span<const double> in) { return function(in, out, by); }
    };
    Jacobian rows_;  ///< r (n), s (m), q̇ and ẋ (nq), φ (m), φ̇ (m)
    Jacobian observed_;
    Jacobian inputs_;  ///< by the parameters that matter
    numeric::CompiledEquations::Function values_;
    Eigen::Index observations_ = 0;
    MatrixXd follow_;  ///< dp_i/dp_k of the parameters that matter
    MatrixXd direct_;  ///< dw/dp above them: what multiplies the columns after q, u
    bool inputs_follow_ = false, is_known_ = false;
    double t_ = 0;
    VectorXd x_;
    solve::DescriptorFactor tree_factor_, holonomic_factor_;
    solve::DescriptorFactor* factor_ = nullptr;
    MatrixXd udot_, lambda_;  ///< of the last rates
    VectorXd r_, s_, a_, l_;
};

}  // namespace linkwright::motion
