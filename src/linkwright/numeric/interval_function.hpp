#pragma once
// Expressions of t, q, x, u, w, u̇, λ and parameters on intervals: bounds for their values at every state of a region.

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/solve/interval.hpp"

namespace linkwright::numeric {

class IntervalFunction {
public:
    IntervalFunction(const CompiledEquations& equations, std::span<const Expr> expressions);

    /// `in` as Layout says, with accelerations. An expression that has a value nowhere in the region is empty.
    std::vector<solve::Interval> operator()(std::span<const solve::Interval> in) const;

private:
    const CompiledEquations& equations_;
    program::Program program_;  ///< without calls
};

}  // namespace linkwright::numeric
