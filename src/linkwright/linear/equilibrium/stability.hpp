#pragma once
// What becomes of a small push: the verdict on an equilibrium, from its linear model and its energy.

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/linear/linearize.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Judgement {
    Stability stability = Stability::undecided;
    RestsOn rests_on = RestsOn::neither;
    std::string verdict;
    Eigen::VectorXcd poles;  ///< the rightmost first
    std::vector<std::string> notes;
};

struct Circumstances {
    /// Coordinates on which nothing depends, as indices of q; in steady motion their poles at zero are left aside, and so are those that
    /// only lead to a neighbouring steady motion.
    std::span<const std::size_t> ignorable;
    bool is_steady = false;
    bool has_time = false;  ///< the linear model is that of one moment
};

/// Poles to the left or right of the axis decide to first order (Lyapunov). Poles on the axis do not; there the energy may: at rest, without
/// circulatory forces, where the potential is a minimum and no force feeds in (Lagrange, Dirichlet; Kelvin, Tait, Chetaev) or, in one
/// freedom, forces feed in with every motion. Poles at zero are what zero_chains says they are, and none of them grows.
Judgement judge(const Linearization& linear, const numeric::CompiledEquations& numbers, const Circumstances& at);

}  // namespace linkwright::linear
