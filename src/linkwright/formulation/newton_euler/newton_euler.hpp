#pragma once
// Newton's and Euler's equations, body by body, with the forces and torques of the hinges as multipliers.
//
//     ⎡ M  Gᵀ ⎤ ⎡ u̇ ⎤   ⎡ f ⎤
//     ⎣ G  0  ⎦ ⎣ λ ⎦ = ⎣ γ ⎦        [mufti83 (10), (49); (63) with closed chains]
//
// u holds ω and the velocity of the centre of mass of every body, in the body's axes: M is constant and made of blocks,
// diag(J, m 1) for each body. A row of G touches the two bodies of its joint, so both matrices are nearly empty.

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation::newton_euler {

/// Speeds BODY.wx BODY.wy BODY.wz BODY.vx BODY.vy BODY.vz, then the bodies' own; coordinates are those of the joints, as
/// everywhere. Multipliers are named by joint and direction: `lambda.hip.fx` is the force that the joint 'hip' exerts on its child along
/// x of the joint's axes (those in the child), `lambda.hip.ty` a torque about y; `lambda.crank` of a motion given to 'crank' is minus the
/// force that drives it; cut joints, rods, wheels and gears have theirs as in every formulation. `reduction` leads back to
/// the speeds of the joints.
Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options = {});

}  // namespace linkwright::formulation::newton_euler
