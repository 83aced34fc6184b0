#pragma once
// Of all x that close, the one nearest to the guess. assemble() ends somewhere near: where its last steps led, which changes by jumps when the
// number of steps does. A state that others differentiate must be defined by an equation instead:
//
//     x − guess + Jᵀμ = 0,   φ(x) = 0          the least |x − guess|² on φ = 0, by Lagrange's rule; J = ∂φ/∂x
//
// Newton's method within φ = 0: with N a basis of the x that J leaves free, a step N y solves Nᵀ(1 + Σ μᵢ ∂²φᵢ/∂x²) N y = −Nᵀ(x − guess), and
// φ = 0 is closed again behind it. The second derivatives along N are differences of J; they only decide how fast it goes.

#include "linkwright/solve/assemble.hpp"

namespace linkwright::solve {

struct NearestClosure {
    VectorXd x;
    Index iterations = 0;
    bool ok = false;  ///< x is such a place, to 1e-10; otherwise as near as it came
};

/// From `closed`, which assemble() found for the same closure, guess and held unknowns.
NearestClosure nearest_closure(const Closure& closure, const VectorXd& guess, const VectorXd& closed, std::span<const Index> held = {},
                               AssembleOptions options = {});

}  // namespace linkwright::solve
