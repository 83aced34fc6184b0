#pragma once
// A symmetric matrix by what is in it: that of a tree has an entry for two freedoms on one way to the ground, and nothing between branches.

#include <map>
#include <vector>

#include "linkwright/sym/matrix.hpp"

namespace linkwright::eom {

/// Of each row its entries by column, both halves; no entry is literally 0.
using SparseRows = std::vector<std::map<std::size_t, sym::Expr>>;

SparseRows sparse_rows(const sym::Matrix& matrix);

/// x with M x = f, eliminated as eom/accelerations.hpp says, in time that follows the entries.
std::vector<sym::Expr> factored_accelerations(SparseRows M, const std::vector<sym::Expr>& f);

}  // namespace linkwright::eom
