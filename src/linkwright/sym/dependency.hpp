#pragma once
// Which symbols an expression is made of. Structural: x − x + y is y, but x·y − x·y·1 in a pool that does not fold is not.

#include <span>
#include <utility>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

/// The symbols below `roots`, each once, in the order they were made.
std::vector<Expr> symbols_in(std::span<const Expr> roots);
std::vector<Expr> symbols_in(const Expr& e);

bool depends_on(const Expr& e, const Expr& symbol);

/// The (row, column) pairs where rows[row] depends on symbols[column], ascending. 64 symbols a pass.
std::vector<std::pair<std::uint32_t, std::uint32_t>> sparsity(std::span<const Expr> rows, std::span<const Expr> symbols);

}  // namespace linkwright::sym
