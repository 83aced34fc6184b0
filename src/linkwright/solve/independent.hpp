#pragma once
// Which coordinates may be chosen freely. G u̇ = γ fixes rank(G) of the unknowns once the others are given; the choice
// is good when the columns of the fixed ones are well conditioned.

#include <span>

#include "linkwright/solve/dense.hpp"

namespace linkwright::solve {

/// How to choose.
struct IndependentOptions {
    double rank_tolerance = default_rank_tolerance;
    /// A wish is granted while the column that must stand in for the wished one has at least this part of the largest
    /// pivot to offer.
    double well_conditioned = 0.05;
    VectorXd errors{};  ///< of the entries of each row, where they are known (rank.hpp)
};

/// The choice: dependent columns form a block of full rank, so G_d u̇_d = γ − G_i u̇_i can be solved.
struct Partition {
    Index rank = 0;
    std::vector<Index> dependent;    ///< `rank` columns, ascending
    std::vector<Index> independent;  ///< the others, ascending
    double condition = 1;            ///< of the dependent block, rows scaled: largest over smallest singular value
    std::vector<Index> refused;      ///< wished independent, made dependent all the same
    bool ok = false;
    std::string why;
};

/// Splits the columns of G, rows scaled to length 1. `wished` lists columns that should be independent, dearest first;
/// what must give way, because too few others are left or they are too close to singular, is the last of the list.
Partition choose_independent(const MatrixXd& G, std::span<const Index> wished = {}, const IndependentOptions& options = {});

}  // namespace linkwright::solve
