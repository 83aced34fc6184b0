#pragma once
// Drives: motors that turn with a joint through a gear.
//
// A rotor of inertia I behind a gear of ratio n turns n times as fast as the joint, so its kinetic energy is ½ I n² w² with w the speed of
// the joint, and a = I n² is the joint's armature [featherstone08 §9.6, where the gyroscopic terms of the spin are left out as here]. The
// drive resists changes of w by the force −a ẇ along the joint and does nothing else: its weight, and its inertia as the joint's bodies
// carry it about, belong to these bodies.

#include <optional>

#include "linkwright/kinematics/mechanism.hpp"

namespace linkwright::kinematics {

struct Armature {
    std::size_t joint;
    std::size_t part;                    ///< which of the joint's speeds
    Expr inertia;                        ///< a
    Expr speed;                          ///< w, in terms of the mechanism's coordinates and speeds
    std::optional<std::size_t> freedom;  ///< whose speed w is; empty for cut joints, and for joints whose motion is given as a whole
};

/// In the order of the file, those that are 0 left out. What cut joints measure must be among `defined`.
std::vector<Armature> armatures(const Mechanism& mechanism);

}  // namespace linkwright::kinematics
