#pragma once
// A joint as Newton and Euler see it: two bodies that move on their own, directions in which the joint holds them together, and
// directions in which it lets them go.

#include <string>

#include "linkwright/kinematics/mechanism.hpp"

namespace linkwright::formulation::newton_euler {

using kinematics::Mechanism;
using model::BodyIndex;
using spatial::Pose;
using spatial::Twist;
using spatial::Vec3;
using spatial::Wrench;
using sym::Expr;

/// A direction that a joint holds: the wrench c with c · S_i = 0 for every free motion S_i of the joint.
struct Held {
    std::string part;   ///< "fx": a force along x of the joint's axes; "t2": a torque along a direction without a letter
    std::string about;  ///< in words: "its point along x of its axes"
    Wrench c;
};

/// A joint of the tree. F is its frame in the parent, C its frame in the child; twists and wrenches are those of C in F, on the
/// child, in the axes of C and at its origin, whichever way the tree runs.
///
/// `held` spans what the joint resists (Mufti's q_j, and forces beside them), `along` reads its speeds: with V_FC = Σ S_i u_i,
///
///     c_k · V_FC = 0        6 − f rows                          [mufti83 (8), (47)]
///     u_i = along_i · V_FC  because along_i · S_j = δ_ij
///
/// and along_i is also the wrench of a unit force or torque of the joint's spring, damper or actuator.
struct Hinge {
    std::size_t joint;
    Pose X_FC;
    Twist V_FC;  ///< in terms of the bodies' own speeds
    std::vector<Held> held;
    std::vector<Wrench> along;  ///< one for each speed of the joint
};

/// `V` are the twists of all bodies, each in its own axes at its origin.
Hinge hinge_of(const Mechanism& mechanism, BodyIndex outer, std::span<const Twist> V);

/// What a wrench on the child at C is on the child and, opposite, on the parent: body axes, about the body's origin.
Wrench on_child(const model::Joint& joint, const Wrench& W);
Wrench on_parent(const model::Joint& joint, const Pose& X_FC, const Wrench& W);

}  // namespace linkwright::formulation::newton_euler
