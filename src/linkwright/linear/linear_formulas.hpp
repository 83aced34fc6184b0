#pragma once
// The matrices of linear_form.hpp as formulas at one operating point: what is exactly known there is put in, the rest stays a symbol
// with its value beside it.
//
// Exact are zero and, of coordinates, the multiples of π/12, where sines and cosines are, and ± a parameter where a constraint
// holds them there; what the model itself gives at the beginning, as a number or as an expression in parameters (a wheel's speed −v/r), as long
// as the point has that value; and the inputs' own numbers. A value that is 0.5 because of the values of parameters stays a symbol, so the formulas hold for other parameters as well, as long as the
// values beside them are those that belong there.
//
// Multipliers follow from the balance Gᵀλ = f − M u̇. Where up to three of them hang together and nothing but parameters is left in
// their equations, λ is put in as well: the string of a hanging bob pulls with m·g, and its K is m·g/l.

#include "linkwright/linear/linear_form.hpp"
#include "linkwright/numeric/operating_point.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using sym::Expr;

struct LinearFormulas {
    LinearForm form;  ///< in a pool of its own
    /// What became of a symbol of the point.
    struct Value {
        std::string name;
        double value = 0;
        Expr exact;              ///< put in; in the pool of `form`
        bool is_symbol = false;  ///< stays, because its value is not exact or it was asked to
        bool is_used = false;    ///< stands in the equations at all
    };
    std::vector<Value> values;  ///< of q, u, x, w, t, then u̇ and λ
};

/// `keep`: names of symbols that stay; "all" for every coordinate and speed. Unknown names: std::invalid_argument.
LinearFormulas linear_formulas(const numeric::CompiledEquations& numbers, const numeric::OperatingPoint& point,
                               const std::vector<std::string>& keep = {});

}  // namespace linkwright::linear
