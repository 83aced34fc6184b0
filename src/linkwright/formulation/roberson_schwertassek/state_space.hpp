#pragma once
// From equations with constraints to the state-space form of as many equations as there are independent speeds.
//
// For a tree the speeds of the joints are independent and (28) is the state-space form already. Loops, rolling and other
// constraints G u̇ = γ leave fewer; then
//
//     u̇ = B ġ + b,   G B = 0,   G b = γ          g some of the speeds u, chosen here
//     J_I = Bᵀ M B,   χ = Bᵀ (f − M b)           J_I ġ = χ: no multipliers are left             [forehand (28)–(31), (32)]
//
// The choice is made once and for all, by what the entries of G are as functions: dependent speeds are those with pivots that
// are not zero by fingerprint, numbers first, then parameters, then what is short; among equals the ones last in the list. What
// is divided by is a function of the position and may vanish somewhere: `determinant` is the function to watch, and where it
// does another choice is needed. Rows that depend on each other only where the loops are closed (a Bennett loop) are not seen.

#include <optional>
#include <span>
#include <string>

#include "linkwright/eom/equations.hpp"

namespace linkwright::formulation::roberson_schwertassek {

using sym::Expr;
using sym::Matrix;

struct StateSpace {
    std::vector<std::size_t> independent, dependent;  ///< which speeds, ascending
    Matrix B;                                         ///< a row for each speed, a column for each independent one
    std::vector<Expr> b;
    Matrix J_I;  ///< symmetric
    std::vector<Expr> chi;
    Expr determinant = 1;  ///< of the dependent speeds' columns: where it is 0 the choice is bad
};

struct Reduced {
    std::optional<StateSpace> form;
    std::string why_not;  ///< one sentence, when there is none
};

/// `wanted` are speeds that should stay independent, by their place in u; they are used as far as they can be.
Reduced reduce(const eom::EquationsOfMotion& equations, std::span<const std::size_t> wanted = {});

}  // namespace linkwright::formulation::roberson_schwertassek
