#pragma once
// Closed chains where they are closed: what the random point of a proof cannot see.
//
// Forces inside a loop, and equations that come from another cut of it, agree only at positions that close the loop. So they are
// compared as numbers, at assembled states: accelerations of all bodies, energies, momenta, power, outputs, and the forces in the
// joints where these are determined; and how many freedoms are left, which every formulation and every cut decides by a rank of its own.
// That is no proof, and the pairs say so: their witness is "numeric".

#include <optional>

#include "linkwright/proof/prove.hpp"

namespace linkwright::session {

/// What the first formulation says of the constraints where the motion begins.
struct ConstraintRank {
    std::size_t rows = 0, rank = 0, freedoms = 0;
    double position = 0;      ///< largest residual of the positions
    double acceleration = 0;  ///< of G u̇ − γ: are the rows consistent?
};

struct ClosedStates {
    std::vector<proof::Pair> pairs;
    std::optional<ConstraintRank> constraints;  ///< empty where there are none, or no closed state was found
    std::vector<std::string> remarks;           ///< what could not be compared, and why
    bool is_stopped = false;                    ///< not all was compared
};

/// Every formulation named against the first of them, and the recursive one with each loop cut elsewhere. Nothing for trees. `goes_on` is told
/// what comes next; false stops.
ClosedStates at_closed_states(const model::Model& model, const topology::Topology& topology, const std::vector<std::string>& formulations,
                              std::uint64_t seed, const std::function<bool(const std::string&)>& goes_on);

}  // namespace linkwright::session
