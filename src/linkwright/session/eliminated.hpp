#pragma once
// The linear system of a closed chain by straight-line code, as emitted code has it: pivots chosen where the mechanism starts.

#include "linkwright/codegen/package.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

struct Eliminated {
    codegen::Package package;  ///< with the function `elimination` and its pivots, or without
    std::string why_not;       ///< there are none
};
Eliminated eliminate_at_start(Workbench& bench);

}  // namespace linkwright::session
