#pragma once
// What the verbs on structures share: words for joints, and the state at which a structure is taken. Internal to the room.

#include <map>

#include "linkwright/session/start_state.hpp"
#include "linkwright/structure/gather.hpp"
#include "linkwright/structure/synthesis.hpp"

namespace linkwright::session {

/// How joints hold, by words.
struct JointWords {
    structure::Hold all = structure::Hold::as_modelled;
    std::map<std::string, structure::Hold> some;
    bool says_free = false;  ///< somebody wants motions of the whole
};

std::optional<JointWords> read_joint_words(const std::vector<std::string>& words, const model::Model& model, Report& report);

/// Coordinates and inputs by name at the state that the words mean, beams straight.
std::optional<structure::GatherOptions> structure_state(const StateWords& words, const model::Model& model,
                                                        const numeric::CompiledEquations& numbers, Report& report);

/// A synthesis needs beams that are tied to something; those that are not are told.
bool has_interfaces(const structure::Assembly& a, const structure::Structure& s, structure::Method method, const model::Model& model,
                    Report& report);

}  // namespace linkwright::session
