#pragma once
// What acts on a mechanism, by cause.
//
//     gravity     the weight of all bodies
//     springs     −stiffness·(q − rest) of joints, springs between points, the elasticity of beams
//     dampers     −damping·u of joints, of springs between points, of beams
//     actuators   `actuator` of joints and springs, `torque` of rotors: what control laws in the model make of the state
//     motors      the forces of [[motor]]
//     forces      [[force]] and [[torque]]
//     inputs      of actuators and forces, what the inputs bring: where these are affine in the inputs, the part that is
//                 proportional to them; otherwise all of it
//
// Each is found by itself: a copy of the model in which all else vanishes is asked for its loads. What motion brings, and given motions, is
// the business of coriolis.hpp and of finish.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

struct ForceCause {
    std::string name;
    std::vector<Expr> f;  ///< along every freedom
};

/// In the order above, all of them, also those that bring nothing.
std::vector<ForceCause> force_causes(const System& system);

}  // namespace linkwright::formulation
