#pragma once
// The implicit function theorem on the rows of balance.hpp.

#include "linkwright/analysis/balance.hpp"
#include "linkwright/analysis/equilibrium.hpp"

namespace linkwright::analysis {

Slopes balance_slopes(const Balance& balance, const Equilibrium& at, const EquilibriumOptions& options, std::span<const std::size_t> parameters);

}  // namespace linkwright::analysis
