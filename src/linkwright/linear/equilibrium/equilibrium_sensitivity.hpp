#pragma once
// How operating points move with parameters: the implicit function theorem on the rows of balance.hpp, and on those that close a state.
//
// The derivatives of these rows are compiled once and kept, so that they serve at every step of a walk with live parameters.

#include "linkwright/linear/equilibrium/balance.hpp"
#include "linkwright/linear/equilibrium/equilibrium.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using sym::Expr;

/// Threads may share one. `numbers` must outlive it.
class PointSensitivity {
public:
    explicit PointSensitivity(const numeric::CompiledEquations& numbers);
    ~PointSensitivity();
    PointSensitivity(const PointSensitivity&) = delete;
    PointSensitivity& operator=(const PointSensitivity&) = delete;

    PointDerivatives of_equilibrium(const Balance& balance, const Equilibrium& at, const EquilibriumOptions& options,
                                    std::span<const std::size_t> parameters) const;
    /// As initial_sensitivity and given_sensitivity say.
    PointDerivatives of_initial(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters) const;
    PointDerivatives of_given(const numeric::OperatingPoint& at, std::span<const std::size_t> parameters) const;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

}  // namespace linkwright::linear
