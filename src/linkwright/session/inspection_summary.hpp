#pragma once
// A mechanism in one sentence.

#include "linkwright/session/inspect.hpp"

namespace linkwright::session {

/// "A closed mechanism of 3 rigid bodies and 4 joints with 1 planar loop: 1 degree of freedom, 3 redundant constraints."
std::string summarise(const Inspection& inspection, const Session& session);

/// "1 row", "2 rows"; `many` where an s does not do.
std::string counted(long n, const std::string& one, const std::string& many = {});

}  // namespace linkwright::session
