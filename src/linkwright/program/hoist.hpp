#pragma once
// What need not be computed again and again.

#include "linkwright/program/program.hpp"
#include "linkwright/sym/parts.hpp"

namespace linkwright::program {

/// The largest parts of `outputs` that depend on the symbols `fixed` alone, numbers aside; a fixed symbol that stands by
/// itself is such a part. Lower these to a setup program, and the outputs with them as inputs.
inline std::vector<sym::Expr> fixed_parts(std::span<const sym::Expr> outputs, std::span<const sym::Expr> fixed) {
    return sym::parts_known(outputs, fixed);
}

/// A program in two: `setup` makes, of the fixed symbols' values, what `run` takes after its own inputs.
struct Hoisted {
    Program setup, run;
};

/// The program of `outputs` with all that `fixed` alone decide done once. Sums and products are arranged for that: numbers go with
/// fixed factors, and p·x + q·x is (p + q)·x.
Hoisted hoisted(std::span<const sym::Expr> outputs, std::span<const sym::Expr> inputs, std::span<const sym::Expr> fixed);

}  // namespace linkwright::program
