#pragma once
// What a joint does: the pose of its outer body in the inner one, and the motions it leaves free.

#include <span>
#include <vector>

#include "linkwright/model/model.hpp"
#include "linkwright/spatial/pose.hpp"

namespace linkwright::kinematics {

using spatial::Pose;
using spatial::Twist;
using spatial::Vec3;
using spatial::Wrench;
using sym::Expr;

/// Relative motion of a frame B in a frame A: X_AB(q), and V_AB = Σ S_i u_i in the axes and at the origin of B. The columns
/// S_i depend on q at most; for revolute and prismatic joints they are constant.
struct JointMotion {
    Pose X;
    std::vector<Twist> S;
};

/// B moves in A, C is fixed in B: the motion of C in A.
JointMotion then_fixed(JointMotion motion, const Pose& X_BC);
/// A is fixed in Z: the motion of B in Z.
JointMotion after_fixed(const Pose& X_ZA, JointMotion motion);
/// The motion of A in B.
JointMotion inverse(const JointMotion& motion);

/// The child's joint frame in the parent's joint frame, for these values of the coordinates. Types that turn more than once
/// are turns in a row; travel comes before turning about the same axis.
JointMotion in_joint_axes(const model::Joint& joint, std::span<const Expr> coordinates);

/// The child body in the parent body.
JointMotion of_child_in_parent(const model::Joint& joint, std::span<const Expr> coordinates);

/// Where the joint's frames stand in their bodies.
Pose parent_frame(const model::Joint& joint);
Pose child_frame(const model::Joint& joint);

/// q̇ = N(q) u for the joint's own coordinates and speeds. Only Euler parameters and what is measured in turning axes differ
/// from q̇ = u: ė = ½ E(e) ω and ẋ = R v.
std::vector<Expr> coordinate_rates(const model::Joint& joint, std::span<const Expr> coordinates, std::span<const Expr> speeds);

/// Along one freedom: −stiffness·(q − rest) − damping·u + actuator.
Expr joint_force(const model::JointForce& force, const Expr& q, const Expr& u);

/// A wrench on the child, in its joint axes, that does the power Σ τ_i u_i: what the joint's springs and actuators exert.
Wrench wrench_of(const model::Joint& joint, const JointMotion& motion, std::span<const Expr> tau);

}  // namespace linkwright::kinematics
