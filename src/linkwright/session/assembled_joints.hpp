#pragma once
// Where the joints stand at a state: every coordinate of every joint, also of those that were cut and of those that move as given.

#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct AssembledJoint {
    enum class How : std::uint8_t { state, given, cut };
    struct Value {
        std::string name, unit;
        double value = 0;
        bool is_speed = false;
    };
    std::string name, type, parent, child;
    How how = How::state;           ///< in the state vector, given as a function of time, or what the others leave it
    std::vector<Value> values;      ///< coordinates; after them the speeds of those in the state
    std::vector<Value> armature{};  ///< of the drives along its speeds, by these; empty when there are none
};

/// In the order of the file, without the sections of beams. Speeds are there where they are those of the equations.
std::vector<AssembledJoint> assembled_joints(const Session& session, const eom::EquationsOfMotion& equations, const numeric::State& state,
                                             const numeric::Evaluation& evaluation);

}  // namespace linkwright::session
