#pragma once
// Accelerations, and how they change with coordinates, auxiliary states, speeds, inputs and forces on the freedoms, in numbers.
//
// A tree whose derivatives stand written out (eom/acceleration_derivatives.hpp) has one program for all of them. Everything else,
// closed chains above all, is differentiated where u̇ and λ are known: with the residuals r = M u̇ + Gᵀλ − f and s = G u̇ − γ
//
//     [M Gᵀ; G 0] d(u̇, λ) = −∂(r, s)    at fixed u̇ and λ
//
// one factor for u̇, λ and all columns. Where they are asked for often, all of this is one program: straight-line code eliminates the constraints and goes through
// the columns (eliminated_dynamics.hpp), in the domain of its pivots; outside of it, before, and where rows are redundant, dense matrices serve.

#include "linkwright/eom/acceleration_derivatives.hpp"
#include "linkwright/numeric/eliminated_dynamics.hpp"
#include "linkwright/numeric/jacobian_function.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace linkwright::numeric {

/// The program of u̇ and all derivatives that are not zero by structure, in t, q, x, u, w; parameters have their values. Outputs: u̇, then the
/// entries of each row, by columns q, x, u, w, τ.
struct DerivativeProgram {
    program::Program program;
    struct Place {
        Eigen::Index row, column;
    };
    std::vector<Place> places;  ///< of the outputs after u̇
};
DerivativeProgram lower(const eom::AccelerationDerivatives& derivatives, const CompiledEquations& equations);

class AccelerationDerivatives {
public:
    /// `written`: those of a tree, where there are some. Of closed chains the rank of G is that at the first state that is looked at.
    explicit AccelerationDerivatives(const CompiledEquations& equations, Compile compile,
                                     const std::optional<eom::AccelerationDerivatives>& written = std::nullopt);

    /// Derivatives have a column for each q, x, u, w and each force τ on a freedom, in this order.
    struct Values {
        VectorXd udot, lambda;
        MatrixXd of_udot, of_lambda;
    };
    /// At t, q, x, u, w in a row, as Layout says. False where there are none, and why() tells; memory is taken once.
    bool operator()(std::span<const double> in, Values& values);

    Eigen::Index columns() const { return at_.nq + at_.nx + at_.nu + at_.nw + at_.nu; }
    Eigen::Index column_of_u() const { return at_.nq + at_.nx; }
    Eigen::Index column_of_w() const { return column_of_u() + at_.nu; }
    Eigen::Index column_of_tau() const { return column_of_w() + at_.nw; }
    bool is_written() const { return run_ != nullptr; }
    bool is_eliminated() const {
        return eliminated_ && eliminated_->has_choice() && !is_contradictory_;
    }  ///< by straight-line code, where its pivots are good
    const std::string& why() const { return why_; }

private:
    bool by_residuals(std::span<const double> in, Values& values);
    void prepare_elimination(const CompiledEquations& equations);
    void offer_elimination();

    const CompiledEquations* equations_;
    Layout at_;
    std::unique_ptr<program::Evaluator> run_;  ///< of what is written
    std::vector<DerivativeProgram::Place> places_;
    CompiledEquations::Function matrices_;  ///< M, f, G, γ
    JacobianFunction residuals_;            ///< of r and s by q, x, u, w
    solve::DescriptorFactor factor_;
    program::Program eliminated_program_;  ///< until the rank is known
    std::shared_ptr<const program::RightHandSides> right_;
    std::unique_ptr<EliminatedDynamics> eliminated_;
    Eigen::Index rank_ = -1;
    VectorXd out_, out_of_residuals_, all_, f_, gamma_, r_, s_, udot_, lambda_;
    MatrixXd M_, G_, derivative_;
    std::vector<double> system_;
    bool is_contradictory_ = false;
    std::string why_;
};

}  // namespace linkwright::numeric
