#pragma once
// What acts on the bodies besides inertia and constraints.

#include "linkwright/kinematics/closure.hpp"

namespace linkwright::kinematics {

struct Loads {
    std::vector<Wrench> on;  ///< on each body, its axes, about its origin; gravity is not among them
    std::vector<Expr> tau;   ///< along each freedom: springs, dampers and actuators of the joints, and those inside the bodies
    Expr potential;          ///< of all springs, inside bodies too; gravity is not in it
};

/// Springs, forces, torques, and the forces in joints, cut ones included.
Loads loads(const Mechanism& mechanism, std::span<const CutJoint> cut_joints);

/// The same without the springs that a potential gives back: those of the tree's joints and between points, when stiffness and
/// rest are made of parameters and t. `potential` is then that of the springs left out, and its gradient their forces.
/// A stiffness that follows the motion is not among them, for −k(q)·(q − rest) is no gradient of k(q)·(q − rest)²/2; nor is a
/// cut joint's spring, whose coordinate is a function of the tree's only where the loop is closed.
Loads loads_without_potential(const Mechanism& mechanism, std::span<const CutJoint> cut_joints);

/// The gravity of all bodies: −Σ m g·p.
Expr gravity_potential(const Mechanism& mechanism);

}  // namespace linkwright::kinematics
