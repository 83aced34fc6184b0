#pragma once
// What becomes of a small push: the verdict on an equilibrium, from its linear model.

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/linear/linearize.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Judgement {
    Stability stability = Stability::neutral;
    std::string verdict;
    Eigen::VectorXcd poles;  ///< the rightmost first
    std::vector<std::string> notes;
};

/// `ignorable` are coordinates on which nothing depends, as indices of q; in steady motion their poles at zero are left aside, and so are
/// those that only lead to a neighbouring steady motion.
///
/// At rest, with damping that never feeds and no circulatory forces, the potential decides (Lagrange, Dirichlet; Kelvin, Tait, Chetaev):
/// the eigenvalues of K x = λ M x. Otherwise the poles do.
Judgement judge(const Linearization& linear, const eom::EquationsOfMotion& equations, std::span<const std::size_t> ignorable,
                bool is_steady);

}  // namespace linkwright::linear
