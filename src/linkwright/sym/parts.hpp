#pragma once
// What of some expressions can be worked out before the rest.

#include <span>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

/// The largest parts of `outputs` that depend on `known` alone, numbers aside; something known that stands by itself is such a
/// part. `known` are symbols. In the order in which they were built.
std::vector<Expr> parts_known(std::span<const Expr> outputs, std::span<const Expr> known);

}  // namespace linkwright::sym
