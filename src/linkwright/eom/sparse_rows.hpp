#pragma once
// A symmetric matrix by what is in it: that of a tree has an entry for two freedoms on one way to the ground, and nothing between branches.

#include <map>
#include <span>
#include <vector>

#include "linkwright/sym/matrix.hpp"

namespace linkwright::eom {

/// Of each row its entries by column, both halves; no entry is literally 0.
using SparseRows = std::vector<std::map<std::size_t, sym::Expr>>;

SparseRows sparse_rows(const sym::Matrix& matrix);

/// M = LᵀDL, eliminated as eom/accelerations.hpp says.
class FactoredRows {
public:
    /// What is given besides is eliminated on the way, as `solve` would.
    explicit FactoredRows(SparseRows M, std::span<sym::Expr> right = {});
    /// x with M x = f.
    std::vector<sym::Expr> solve(std::vector<sym::Expr> f) const;
    /// The second half of `solve`, for what was eliminated on the way.
    void substitute_back(std::span<sym::Expr> right) const;
    /// M⁻¹, symmetric; half of it is worked out.
    sym::Matrix inverse() const;

private:
    struct Elimination {
        std::size_t k;
        sym::Expr inverse;
        std::vector<std::pair<std::size_t, sym::Expr>> row;  ///< neighbours, and the entry over the pivot
    };
    std::vector<Elimination> steps_;
};

/// x with M x = f, eliminated as eom/accelerations.hpp says, in time that follows the entries.
std::vector<sym::Expr> factored_accelerations(SparseRows M, const std::vector<sym::Expr>& f);

}  // namespace linkwright::eom
