#pragma once
// Is a row redundant, or only here? At a change point or a dead centre rows of constraints depend on each other that do so nowhere else: the
// rank at that state says nothing about the mechanism's freedoms. So one looks beside it, on the constraints.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::numeric {

struct RankNearby {
    Eigen::Index here = 0;             ///< rank of G at the state
    std::vector<Eigen::Index> beside;  ///< ranks of G at closed states close by, each once, ascending; empty when none was found
    VectorXd lengths{};                ///< of the rows of G, the longest they are here and beside
    /// What the constraints take away from the motions of the mechanism, not of this state.
    Eigen::Index generic() const { return beside.empty() ? here : std::max(here, beside.back()); }
    bool is_singular() const { return generic() > here; }
};

/// `state` is closed. Steps of 2 % (of a turn's radian, of the mechanism's length) in a few directions, always the same. With a larger
/// tolerance a state that is not in a singular position but very near it is seen too.
RankNearby rank_nearby(const CompiledEquations& numbers, const State& state, double tolerance = solve::default_rank_tolerance);

/// The rank of G at a closed state, its rows measured by `lengths`.
Eigen::Index rank_of_rows(const CompiledEquations& numbers, const State& state, const VectorXd& lengths);

}  // namespace linkwright::numeric
