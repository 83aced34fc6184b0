#pragma once
// A linear model between inputs and outputs that are named.

#include "linkwright/linear/frequency.hpp"
#include "linkwright/session/names.hpp"
#include "linkwright/session/operating_state.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct NamedSystem {
    Names names;
    linear::LinearSystem system;
};

/// What pushes: inputs and given motions, `from`; what is looked at: outputs, coordinates, speeds, `to`; both by the rules of linear::connect.
/// Empty when the words are wrong, the point is not found, or there is no linear model there, and that is in the report.
std::optional<NamedSystem> linear_system(const Session& session, const OperatingWords& operating, const std::vector<std::string>& from,
                                         const std::vector<std::string>& to, Watch& watch, Report& report);

}  // namespace linkwright::session
