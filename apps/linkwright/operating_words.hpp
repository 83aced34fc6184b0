#pragma once
// Where a verb is to look at a model, as it is typed: --at equilibrium|initial, --state FILE, and what an equilibrium may be like.

#include "common.hpp"
#include "linkwright/session/operating_state.hpp"

namespace linkwright::cli {

void declare(Words words, session::EquilibriumWords& equilibrium);
void declare(Words words, session::OperatingWords& operating);

}  // namespace linkwright::cli
