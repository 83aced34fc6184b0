#pragma once

#include <span>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

/// One symbol of an expansion: it goes from `at` to `at + ε·step`.
struct Increment {
    Expr symbol, at, step;
};

/// The coefficients c_0 … c_order of e(at + ε·step) = Σ c_k ε^k + O(ε^(order+1)): truncated power series carried through
/// the graph, one per node. c_1 is the directional derivative, 2·c_2 the second one; c_k is homogeneous of degree k in
/// the steps.
///
/// A coefficient is undefined, and all after it are, where the expansion does not exist: 1/x or √x about 0; |x|, sign,
/// min, max or a conditional whose condition passes through zero at the point (the value there still exists). So are
/// fractional powers of what vanishes there, even of x⁴.
std::vector<Expr> taylor(const Expr& e, std::span<const Increment> about, std::size_t order);

}  // namespace linkwright::sym
