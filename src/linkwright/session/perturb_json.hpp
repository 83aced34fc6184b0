#pragma once
// What perturb found, as data.

#include "linkwright/session/json.hpp"
#include "linkwright/session/perturb_study.hpp"

namespace linkwright::session {

/// Numbers throughout; where there are formulas, the same under "symbolic" with coefficients as text.
Json perturbation_json(const Study& study, bool orders);

Json to_json(const perturb::SteadyState& state);
Json to_json(const perturb::FrequencyResponse& response);

}  // namespace linkwright::session
