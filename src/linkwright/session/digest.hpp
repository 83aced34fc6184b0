#pragma once
// Which text a session was made of.

#include "linkwright/session/session.hpp"

namespace linkwright::session {

/// SHA-256 of the model file; empty for a model made in C++. Files that it names (given shapes, Lynch's own input) are not in it.
const std::string& sha256_of(const Session& session);

}  // namespace linkwright::session
