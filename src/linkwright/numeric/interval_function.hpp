#pragma once
// Expressions of t, q, x, u, w, u̇, λ and parameters on intervals: bounds for their values at every state of a region.

#include "linkwright/numeric/compiled_equations.hpp"
#include "linkwright/solve/interval.hpp"

namespace linkwright::numeric {

class IntervalFunction {
public:
    IntervalFunction(const CompiledEquations& equations, std::span<const Expr> expressions);

    /// An expression on a region. Where it has a value nowhere, `bounds` are empty.
    struct Value {
        solve::Interval bounds;
        /// It has a value everywhere in the region and does not jump: signs, decisions and poles lie outside. Only then do bounds of its
        /// derivatives say how far its values are apart.
        bool is_continuous = true;
    };
    /// `in` as Layout says, with accelerations.
    std::vector<Value> operator()(std::span<const solve::Interval> in) const;

private:
    const CompiledEquations& equations_;
    program::Program program_;  ///< without calls
};

}  // namespace linkwright::numeric
