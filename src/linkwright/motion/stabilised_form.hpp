#pragma once
// The descriptor form as it stands, for a solver of differential-algebraic equations, with positions and speeds both met at
// every step [gear85]:
//
//     q̇ − (N u + ν) + Φᵀμ = 0       Φ = ∂φ/∂q; the further multipliers μ vanish in exact arithmetic
//     M u̇ + Gᵀλ − f = 0
//     G u + φ_t = 0,   φ(q, t) = 0
//
// Index 2 instead of 3, no drift, and no u̇ solved for. Unit quaternions are among φ. Where rows are redundant a set of
// independent ones takes part; it is chosen again when it turns bad.

#include "linkwright/motion/motion_system.hpp"
#include "linkwright/numeric/position_rows.hpp"
#include "linkwright/solve/dae.hpp"
#include "linkwright/solve/row_lengths.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// x is q, u, the work done (where there is power), λ of the chosen rows, μ of the chosen φ.
class StabilisedForm {
public:
    explicit StabilisedForm(MotionSystem& system);

    /// Rows for the place where the system is. False when the constraints have lost rank there.
    bool choose();
    /// How well they serve where the system is, against where they were chosen.
    double calc_quality();
    bool has_redundant_rows() const;

    Eigen::Index size() const;
    bool is_differential(Eigen::Index i) const { return i < states(); }
    /// λ, μ and ẋ that fit the head of x.
    bool complete(double t, VectorXd& x, VectorXd& xdot);
    bool calc_residual(double t, const double* x, const double* xdot, double* residual);
    bool calc_jacobian(double t, double c, const double* x, const double* xdot, double* columns);

private:
    Eigen::Index states() const;  ///< q, u, work
    bool put(double t, const double* x, const double* xdot);

    MotionSystem& system_;
    const eom::EquationsOfMotion& e_;
    numeric::PositionRows positions_;
    numeric::CompiledEquations::Function values_;
    numeric::JacobianFunction derivatives_;           ///< rows: r (n), q̇ (nq), P, rates (m); columns: q, u, u̇, λ
    std::vector<Eigen::Index> rows_, position_rows_;  ///< chosen
    VectorXd in_, values_out_, derivatives_out_;
    MatrixXd derivative_;
    solve::RowLengths lengths_, position_lengths_;
    double quality_ = 1;
};

}  // namespace linkwright::motion
