#pragma once
// Does anything feed energy in, near a state of rest? Asked of d(T + V)/dt at states around it.

#include "linkwright/linear/linearize.hpp"

namespace linkwright::linear {

enum class EnergySupply : std::uint8_t {
    none,     ///< T + V, with the potential of forces that depend on position alone, never grows nearby
    feeds,    ///< there are states nearby where forces that depend on speed feed in
    always,   ///< they do at every state nearby that was tried, and there is one freedom: T + V grows with every motion
    unknown,  ///< forces depend on position and may have no potential, or the power could not be found
};

/// P(q, u) + P(q, −u) is what forces that depend on speed bring, with the sign of friction where they brake. The rest is the power of
/// forces that depend on position alone: they have a potential if they are constant, if there is one freedom, or if their derivatives are
/// symmetric nearby, which is tried where no constraints are in the way.
EnergySupply energy_supply(const Linearization& linear, const numeric::CompiledEquations& numbers);

}  // namespace linkwright::linear
