#pragma once
// Matrices of expressions, of any size: mass matrices, Jacobians, the entries that a page shows. Small fixed ones are those of spatial.
//
// A matrix is the list of its rows and nothing else, A[i][j], so that whoever holds one may fill it, cut it and read it as it likes. A
// matrix without rows does not know how many columns it has; where that matters the verb is told.
//
// Building is remembered: in a pool that folds, of two equal expressions the one that was built first is the one that stays. The order in
// which a verb below builds its sums and products is therefore a part of what it does. That is why there are two determinants, and a third
// inside the inverse: equal as functions, but three expressions, and what is printed and counted is the expression.
//
// New numbers are made in the current pool.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

using Matrix = std::vector<std::vector<Expr>>;  ///< rows

Matrix zeros(std::size_t rows, std::size_t columns);
Matrix identity(std::size_t n);
Matrix column(std::span<const Expr> v);  ///< n × 1

std::size_t columns_of(const Matrix& A);  ///< those of the first row; 0 when there is none
std::vector<Expr> flat(const Matrix& A);  ///< row after row
bool is_literally_zero(const Matrix& A);  ///< every entry is the number 0, or there is none
Matrix without(const Matrix& A, std::size_t row, std::size_t column);

/// Aᵀ of an A with so many columns.
Matrix transpose(const Matrix& A, std::size_t columns);
inline Matrix transpose(const Matrix& A) { return transpose(A, columns_of(A)); }

/// A B, where B has so many columns. What is literally zero is passed over.
Matrix product(const Matrix& A, const Matrix& B, std::size_t columns);
inline Matrix product(const Matrix& A, const Matrix& B) { return product(A, B, columns_of(B)); }

/// det A of a square A, without a division: by minors of the first rows, each of them built once. 2ⁿ of them, so for small n.
Expr determinant(const Matrix& A);

/// adj A = (det A) A⁻¹, whose entries are determinants.
Matrix adjugate(const Matrix& A);

/// det A as the product of the pivots A[0][0], A[1][1] − …, none of which may vanish identically: rows and columns come in an order that
/// was chosen so. n³ operations; divides by every pivot but the last.
Expr determinant_by_pivots(Matrix A);

/// A⁻¹, or nothing when A is singular by fingerprint. Rows and columns that have nothing to do with each other are inverted
/// apart. Blocks of up to four are the adjugate over the determinant, so that nothing but the determinant is divided by;
/// larger ones are eliminated.
std::optional<Matrix> inverse(const Matrix& A);

/// x with A x = b for a few unknowns. A singular matrix gives undefined entries.
std::vector<Expr> solve(const Matrix& A, const std::vector<Expr>& b);

}  // namespace linkwright::sym
