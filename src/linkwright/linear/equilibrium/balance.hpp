#pragma once
// What must vanish for a state to persist, and its derivatives, exact, compiled once.
//
//     r = f(q, u, x, w, t) − Gᵀλ,   φ,   φ̇ = G u + φ_t,   q̇ = N u + ν,   ẋ = g(q, u, x, w, t)
//
// Coordinates move by q + T η, T = ∂q̇/∂u: η is a small displacement with one entry for each speed, and unit quaternions stay on
// their sphere to first order.

#include "linkwright/linear/equilibrium/model_scale.hpp"
#include "linkwright/numeric/jacobian_function.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class Balance {
public:
    explicit Balance(const numeric::CompiledEquations& numbers);

    /// Without derivatives.
    struct Values {
        VectorXd f, phi, rate, qdot, xdot;  ///< phi of every row, 0 for nonholonomic ones
        MatrixXd G, T;
        bool is_finite() const;
    };
    Values values(const numeric::State& state) const;

    /// Derivatives of r (with λ given), φ, rates, q̇ and ẋ by η, u, w and x; those by u only `with_speeds`.
    struct Jacobians {
        MatrixXd r_q, r_u, r_w, r_x, phi_q, rate_q, rate_u, qdot_q, qdot_u, xdot_q, xdot_u, xdot_w, xdot_x;
        bool is_finite() const;
    };
    Jacobians derivatives(const numeric::State& state, const VectorXd& lambda, const MatrixXd& T, bool with_speeds) const;

    /// q̇ is linear in u: nothing moves by itself when u = 0.
    bool rests_without_speeds() const { return rests_; }
    /// Time stands in the equations: given motions, inputs as functions of time are not meant.
    bool has_time() const { return has_time_; }
    /// Nothing is decided in the equations (no abs, min, if): what vanishes in some region vanishes everywhere.
    bool is_analytic() const { return is_analytic_; }
    /// Coordinates on which nothing depends, as indices of q.
    const std::vector<std::size_t>& ignorable() const { return ignorable_; }

    /// f, φ, rates, q̇ and ẋ as expressions, one after the other; f with its recursion where there is one (u̇ = 0 is to be put in).
    const std::vector<Expr>& rows() const { return rows_; }
    const numeric::CompiledEquations& numbers() const { return numbers_; }
    const ModelScales& scales() const { return scales_; }
    /// The row of arguments with u̇ = 0.
    VectorXd arguments(const numeric::State& state, const VectorXd& lambda) const;

private:
    void find_ignorable();

    const numeric::CompiledEquations& numbers_;
    ModelScales scales_;
    std::vector<Expr> rows_, balanced_;  ///< the latter with −Gᵀλ in the first ones
    numeric::CompiledEquations::Function values_;
    numeric::JacobianFunction by_q_;  ///< by q, w, x
    struct Later {
        std::once_flag once;
        numeric::JacobianFunction by_u;
    };
    std::unique_ptr<Later> later_;
    std::vector<std::size_t> ignorable_;
    bool rests_ = true, has_time_ = false, is_analytic_ = true;
};

}  // namespace linkwright::linear
