#pragma once
// What need not be computed again and again.

#include "linkwright/sym/parts.hpp"

namespace linkwright::program {

/// The largest parts of `outputs` that depend on the symbols `fixed` alone, numbers aside; a fixed symbol that stands by
/// itself is such a part. Lower these to a setup program, and the outputs with them as inputs.
inline std::vector<sym::Expr> fixed_parts(std::span<const sym::Expr> outputs, std::span<const sym::Expr> fixed) {
    return sym::parts_known(outputs, fixed);
}

}  // namespace linkwright::program
