#pragma once
// How a mechanism moves where what is prescribed leaves degrees of freedom open: a redundant arm whose tool follows a path. Of all speeds that
// fulfil the rows A u = b of the path and of the constraints those of least ½ uᵀM u are taken [whitney69; khatib87 §VI],
//
//     M u + Aᵀμ = 0,   A u = b           u = A⁺b,  A⁺ = M⁻¹Aᵀ(A M⁻¹Aᵀ)⁻¹ where the rows are independent
//
// The rule is one for speeds and not for accelerations: an arm whose tool rests is at rest, and no motion within itself builds up, as it does when
// accelerations or torques are made small from moment to moment [hollerbach87]. Accelerations are the derivative of the rule,
//
//     M u̇ + Aᵀμ̇ = −(Ṁ u + Ȧᵀμ),   A u̇ = ḃ − Ȧ u

#include <span>

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::motion {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// How M and A change along a motion, as exact derivatives.
class MetricRates {
public:
    MetricRates() = default;
    /// `rates` are those of what is prescribed, affine in u: the first rows of A. The constraints' rows come after them.
    MetricRates(const numeric::CompiledEquations& numbers, std::span<const Expr> rates);

    /// Ṁ u + Ȧᵀμ.
    VectorXd operator()(const numeric::State& state, const VectorXd& mu) const;

private:
    struct Place {
        Eigen::Index row, column;
    };
    Eigen::Index speeds_ = 0;
    std::vector<Place> places_;  ///< of the entries of A that change
    numeric::CompiledEquations::Function function_;
};

}  // namespace linkwright::motion
