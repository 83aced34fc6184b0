#pragma once
// Where a verb is to look at a model: at an equilibrium and what it may be like, at the initial state, at a state that is given.

#include "linkwright/linear/equilibrium/operating.hpp"
#include "linkwright/session/start_state.hpp"
#include "linkwright/session/watch.hpp"

namespace linkwright::session {

/// What kind of equilibrium is asked for, by names.
struct EquilibriumWords {
    std::vector<std::string> hold{};    ///< name=value; values are numbers or expressions in parameters
    std::vector<std::string> moving{};  ///< coordinates
    std::vector<std::string> trim{};    ///< inputs
    bool steady = false;
};

struct OperatingWords {
    std::optional<linear::Operating::At> at{};  ///< empty: equilibrium, or the given state if there is one
    StateWords state{};
    EquilibriumWords equilibrium{};
};

/// What can be said without a model: forms, and words that exclude one another.
Diagnostics check(const EquilibriumWords& words);
Diagnostics check(const OperatingWords& words);

/// The options behind the words; empty when they are wrong, and the report says why. Steady motion without any speed held holds those
/// of [initial] whose coordinates may move; speeds of [initial] that are not kept are noted.
std::optional<linear::EquilibriumOptions> read_equilibrium(const EquilibriumWords& words, const numeric::CompiledEquations& numbers,
                                                           const linear::Equilibria& equilibria, Report& report);

/// What to try when there is none.
std::string hint_without_equilibrium(const linear::Equilibrium& tried, const linear::EquilibriumOptions& options,
                                     const numeric::CompiledEquations& numbers, const linear::Equilibria& equilibria);

struct OperatingState {
    numeric::OperatingPoint point;
    linear::Operating what;                          ///< for OperatingPoints, to find it again with other parameters
    std::optional<linear::Equilibrium> equilibrium;  ///< when it is one
};

/// The point that the words mean. Empty: nothing to go on with, and the report says why. The watch is asked at every step of the search, and
/// again whenever the point is looked for anew: it must outlive the result.
std::optional<OperatingState> operating_state(const OperatingWords& words, const numeric::CompiledEquations& numbers, Watch& watch,
                                              Report& report);

/// Whether these equations can be linearized at all: those with more speeds than freedoms (newton_euler) cannot.
bool can_linearize(const eom::EquationsOfMotion& equations, Report& report);

/// It stands still, rotors as well: a rotor's spin moves no coordinate.
bool rests(const numeric::OperatingPoint& point);

/// "at equilibrium", "in steady motion", "at the initial state", "at the given state"; `is_at_rest` as the caller sees it.
std::string describe(const linear::Operating& what, bool is_at_rest);

}  // namespace linkwright::session
