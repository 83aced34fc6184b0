#pragma once
// States of rest and steady motion, with multipliers and a verdict.

#include "linkwright/session/carried.hpp"
#include "linkwright/session/json.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct EquilibriumOptions {
    EquilibriumWords words{};
    StateWords state{};         ///< where to start; none: [initial]
    long starts = 1, seed = 1;  ///< more than one: list the different ones; looked for from so many where not all can be had
    OnStep on_step{};           ///< told the starts that are done
};
Diagnostics check(const EquilibriumOptions& options);

struct FoundEquilibria {
    Names names;
    std::vector<std::string> input_units;
    std::vector<linear::Equilibrium> found;  ///< the nearest first; one that is not ok when there is none
    linear::EquilibriumList list{};          ///< whether these are all, in words; its own list is empty
    std::vector<double> potential;           ///< energy of each
    /// Rotors that turn at a given speed are no freedoms, and yet part of what is steady.
    std::vector<std::pair<std::string, double>> spins;
    std::vector<std::string> springs{}, joints{};  ///< names of those of which `carried` tells
    std::vector<Carried> carried{};                ///< by each that was found: outputs, forces of springs, reactions
};

/// Where none was found: status numerical_failure, and how close it came. Stopped: no value.
Result<FoundEquilibria> equilibrium(const Session& session, const EquilibriumOptions& options = {});
Json to_json(const FoundEquilibria& result);

}  // namespace linkwright::session
