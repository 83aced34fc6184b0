#pragma once
// A body cut free of its joints: what it weighs and what pulls at it, in its own axes about its centre of mass.

#include "linkwright/formulation/newton_euler/body_system.hpp"

namespace linkwright::formulation::newton_euler {

/// J ω̇ + gyroscopic = torque, m v̇ + turning = force; the joints' wrenches come on top as multipliers  [mufti83 (2), (3)].
struct FreeBody {
    spatial::Mat3 J;
    Expr m;
    Vec3 torque;      ///< of loads, springs and actuators, about the centre of mass
    Vec3 force;       ///< gravity included
    Vec3 gyroscopic;  ///< ω × (J ω + wheels), and what wheels held at a changing speed ask for
    Vec3 turning;     ///< m ω × v, because v is written in axes that turn
};
FreeBody free_body(const BodySystem& bodies, BodyIndex body);

}  // namespace linkwright::formulation::newton_euler
