#pragma once
// Parameters that are formulas of others, and how they follow. One that has been given a value of its own (CompiledEquations::set) no longer does.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

using Eigen::VectorXd;
using sym::Expr;

/// `numbers` must outlive it; their parameters may be live.
class DerivedParameters {
public:
    explicit DerivedParameters(const CompiledEquations& numbers);

    bool empty() const { return followers_.empty(); }
    /// For each of `parameters`, dp_i/dp of every parameter: 1 for itself, and the chain rule for those that are derived from it.
    std::vector<VectorXd> derivatives(std::span<const std::size_t> parameters) const;
    /// Those that may follow from some of `parameters`, and these themselves, ascending.
    std::vector<std::size_t> reached_from(std::span<const std::size_t> parameters) const;

private:
    struct Follower {
        std::size_t parameter;
        std::vector<std::pair<std::size_t, Expr>> by;  ///< ∂p_i/∂p_k
    };
    const CompiledEquations& numbers_;
    std::vector<Follower> followers_;
};

}  // namespace linkwright::numeric
