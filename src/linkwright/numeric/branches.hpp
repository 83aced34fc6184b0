#pragma once
// The branches of possible motions that meet in a singular position.
//
// Where the constraints have lost rank, G u = 0 allows more speeds u = K a than the mechanism has degrees of freedom. Of those a motion can begin
// with a few only: there must be accelerations with G u̇ = γ, and with the new left null vectors w of G that asks for [muller16]
//
//     w · γ(q, K a) = aᵀ S_w a = 0     for every w,
//
// homogeneous quadratic equations in a, whose solutions are the tangents of the branches. They are looked for by Newton's method from many
// directions; a branch counts when the mechanism closes a little way along it and has its full rank there.

#include <optional>

#include "linkwright/numeric/rank_nearby.hpp"

namespace linkwright::numeric {

struct Branch {
    MatrixXd speeds;  ///< a basis of the speeds along it, as columns, of which the first has 1 where the others have 0, and so on
    State beside;     ///< closed, a little way along it
};

struct Branches {
    std::vector<Branch> found;
    bool is_complete = true;  ///< false: there are, or may be, more than these
    std::string why;          ///< why none is listed; one sentence
};

/// `state` is closed and `rank.is_singular()` there. At most `most` branches.
Branches find_branches(const CompiledEquations& numbers, const State& state, const RankNearby& rank, std::size_t most = 16);

/// "hip' + -2 knee'"; for two degrees of freedom "hip', and knee' + 0.5 foot'": the speeds along a branch.
std::string branch_in_words(const eom::EquationsOfMotion& equations, const Branch& branch);

}  // namespace linkwright::numeric
