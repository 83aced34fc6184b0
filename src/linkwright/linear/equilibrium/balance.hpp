#pragma once
// What must vanish for a state to persist, and its derivatives, exact, compiled once.
//
//     r = f(q, u, w, t) − Gᵀλ,   φ,   φ̇ = G u + φ_t,   q̇ = N u + ν
//
// Coordinates move by q + T η, T = ∂q̇/∂u: η is a small displacement with one entry for each speed, and unit quaternions stay on
// their sphere to first order.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

class Balance {
public:
    explicit Balance(const numeric::CompiledEquations& numbers);

    /// Without derivatives.
    struct Values {
        VectorXd f, phi, rate, qdot;  ///< phi of every row, 0 for nonholonomic ones
        MatrixXd G, T;
        bool is_finite() const;
    };
    Values values(const numeric::State& state) const;

    /// Derivatives of r (with λ given), φ, rates and q̇ by η, u and w; those by u only `with_speeds`.
    struct Jacobians {
        MatrixXd r_q, r_u, r_w, phi_q, rate_q, rate_u, qdot_q, qdot_u;
        bool is_finite() const;
    };
    Jacobians derivatives(const numeric::State& state, const VectorXd& lambda, const MatrixXd& T, bool with_speeds) const;

    /// q̇ is linear in u: nothing moves by itself when u = 0.
    bool rests_without_speeds() const { return rests_; }
    /// Time stands in the equations: given motions, inputs as functions of time are not meant.
    bool has_time() const { return has_time_; }
    /// Coordinates on which nothing depends, as indices of q.
    const std::vector<std::size_t>& ignorable() const { return ignorable_; }

    /// f, φ, rates and q̇ as expressions, one after the other; f with its recursion where there is one (u̇ = 0 is to be put in).
    const std::vector<Expr>& rows() const { return rows_; }
    const numeric::CompiledEquations& numbers() const { return numbers_; }
    /// t, q, u, w, u̇ = 0, λ in a row.
    VectorXd arguments(const numeric::State& state, const VectorXd& lambda) const;

private:
    struct Sparse {
        numeric::CompiledEquations::Function function;
        std::vector<std::pair<Eigen::Index, Eigen::Index>> places;
    };
    Sparse make(const std::vector<Expr>& rows, const std::vector<Expr>& columns) const;
    MatrixXd run(const Sparse& sparse, Eigen::Index rows, Eigen::Index columns, const VectorXd& in) const;
    void find_ignorable();

    const numeric::CompiledEquations& numbers_;
    std::vector<Expr> rows_, balanced_;  ///< the latter with −Gᵀλ in the first ones
    numeric::CompiledEquations::Function values_;
    Sparse by_q_;
    struct Later {
        std::once_flag once;
        Sparse by_u;
    };
    std::unique_ptr<Later> later_;
    std::vector<std::size_t> ignorable_;
    bool rests_ = true, has_time_ = false;
};

}  // namespace linkwright::linear
