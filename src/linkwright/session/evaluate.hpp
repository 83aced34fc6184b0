#pragma once
// Numbers at a state: mass matrix, forcing, accelerations, energies, outputs.

#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/session.hpp"
#include "linkwright/session/state_file.hpp"
#include "linkwright/session/units.hpp"

namespace linkwright::session {

struct EvaluateOptions {
    StateWords state{};     ///< as it stands; none: the assembled initial state
    bool assemble = false;  ///< close the loops of that state first
};
Diagnostics check(const EvaluateOptions& options);

struct EvaluatedState {
    Names names;
    numeric::State state;
    numeric::Evaluation evaluation;
    Units units{};
};

Result<EvaluatedState> evaluate(const Session& session, const EvaluateOptions& options = {});
Json to_json(const EvaluatedState& result);

/// The initial state, closed.
Result<numeric::State> initial_state(const Session& session);
/// The state that is meant, closed.
Result<numeric::State> closed_state(const Session& session, const StateWords& words);

}  // namespace linkwright::session
