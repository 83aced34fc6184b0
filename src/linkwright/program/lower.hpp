#pragma once
// From the graph to a program. Lowering turns exact expressions into arithmetic of doubles and chooses, for each node,
// the cheapest lines that mean the same:
//
//     x + (−1)·y → x − y              x^n → products by repeated squaring      x^(n/2) → sqrt x and products
//     x · y^(−n) → x / y^n            when nothing else needs y^(−n); otherwise 1/y^n is worked out once and multiplied
//     other x^r → pow(x, r)           sums and products with constants 0, 1, −1 → nothing, or a sign
//
// What is written in this way is then looked at as a whole and made shorter: see factor.hpp. Numbers are rounded once, here. With constants given for some symbols all that depends on nothing else is worked out
// here too, in doubles, and what a zero makes void is gone.

#include <span>

#include "linkwright/program/program.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::program {

/// The program that computes `outputs` from `inputs`, in that order. An input is a symbol, or any other expression that is to
/// be taken as given: nothing below it is computed for its sake.
///
/// - Shared nodes are computed once; lines keep the order in which the graph was built; dead code is absent.
/// - `constants` binds symbols to expressions without symbols; they are folded in. A symbol that is an
///   input as well keeps its place among the inputs, and what is passed there is ignored.
/// - An undefined expression is a NaN.
/// - Reads the pool, adds nothing to it; no recursion, however deep the graph.
///
/// A mistake of the calling program throws std::invalid_argument: a symbol below `outputs` that is neither an input nor
/// constant (the message names them all), a bound thing that is no symbol, an input named twice, a constant that depends on a
/// symbol, expressions of two pools.
Program lower(std::span<const sym::Expr> outputs, std::span<const sym::Expr> inputs, std::span<const sym::Binding> constants = {});

/// The same line by line as the graph has it, not made shorter: `factor` of it is what `lower` gives. That takes longer than everything else here, and
/// is not worth while for what is evaluated a few times. `origins`, if given, become the nodes for which the lines were written.
Program transcribe(std::span<const sym::Expr> outputs, std::span<const sym::Expr> inputs, std::span<const sym::Binding> constants = {},
                   std::vector<sym::NodeId>* origins = nullptr);

}  // namespace linkwright::program
