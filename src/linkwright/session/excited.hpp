#pragma once
// A model whose given motions may deviate from what is given, for verbs that take them as inputs.

#include "linkwright/linear/linearize.hpp"
#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct Excited {
    Session session;
    std::vector<linear::GivenMotion> motions;
};

/// The session itself where no motion is given. Empty when the equations cannot be set up, and that is in the report.
std::optional<Excited> excited(const Session& session, Report& report);

}  // namespace linkwright::session
