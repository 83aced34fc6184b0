#pragma once
// Lynch's input, checked: who hangs on whom, by which joint, and the vectors as text [lynch88 §9.1]. Internal to the
// room.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "linkwright/model/lynch_syntax.hpp"

namespace linkwright::model {

using LynchVector = std::array<LynchCell, 3>;

enum class LynchJoint : std::uint8_t { none, revolute, translational, spherical, floating };

/// A body and the joint through which it hangs on its inner body.
struct LynchBody {
    int inner = 0;                        ///< counts from 1; 0 for the base
    LynchJoint joint = LynchJoint::none;  ///< of the base: none (it is the ground) or floating
    bool has_rsda = false;                ///< a spring, damper and actuator in the joint, however often it was entered
    LynchVector pqi, pqj, rqi, rqj;       ///< joint axis and a direction across it, in this body and in the inner one
    LynchVector sl;                       ///< from the inner body's centre of mass to the joint, in its axes
    LynchVector dl;                       ///< from the joint to the centre of mass, in this body's axes
    std::array<LynchVector, 3> jip;       ///< inertia about the centre of mass
    Position where;                       ///< of the joint's first vector, or of the inertia
};

struct LynchTsda {
    int i = 0, j = 0;
    LynchVector at_i, at_j;
    Position where;
};

struct LynchInput {
    std::vector<LynchBody> bodies;  ///< bodies[0] is his body 1
    std::vector<LynchTsda> tsda;
    std::size_t gravity_axis = 1;
    LynchCell gravity;  ///< factor of g
};

/// Checks the statements against each other. Empty when `problems` got an error.
std::optional<LynchInput> check_lynch(const LynchStatements& statements, Diagnostics& problems);

}  // namespace linkwright::model
