#pragma once
// What perturb found, as data.

#include <nlohmann/json.hpp>

#include "perturb_study.hpp"

namespace linkwright::cli {

/// Numbers throughout; where there are formulas, the same under "symbolic" with coefficients as text.
nlohmann::ordered_json perturbation_json(const Study& study, bool orders);

nlohmann::ordered_json to_json(const perturb::SteadyState& state);
nlohmann::ordered_json to_json(const perturb::FrequencyResponse& response);

}  // namespace linkwright::cli
