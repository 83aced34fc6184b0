#pragma once
// Where a motion begins.

#include "linkwright/session/state_file.hpp"

namespace linkwright::session {

struct StartState {
    numeric::State state;
    bool has_state = false;   ///< false: nothing to go on with; the report says why
    bool is_closed = true;    ///< false: the nearest approach, which is no start of a motion; that is in the report too
    bool has_inputs = false;  ///< the words say what the inputs are
    bool is_ok() const { return has_state && is_closed; }
};

/// The state that the words mean, closed; without any the initial state of the model. More given than the loops leave free is taken as a guess,
/// with a warning. What closing moved is noted. `inputs` are those that drive the motion, where they are not the model's: what begins steady does so with them.
StartState start_state(const StateWords& words, const numeric::CompiledEquations& numbers, Report& report,
                       const numeric::InputsAt& inputs = {});

}  // namespace linkwright::session
