#pragma once
// Repeated chains as routines: what eom::Substructures says in expressions, lowered.

#include "linkwright/eom/substructures.hpp"
#include "linkwright/program/lower_calls.hpp"

namespace linkwright::codegen {

/// A computation whose calls are of lowered routines.
struct Called {
    std::vector<program::CallSite> calls;
    std::vector<sym::Expr> values;
};

struct Routines {
    std::shared_ptr<const program::Library> library;
    Called accelerations, inverse, forcing;
};

/// The computations are built in `pool`, where symbols have their names. What a routine would make of fixed arguments alone, its
/// callers pass instead, so that it can be worked out once for all calls.
Routines lower_routines(const eom::Substructures& substructures, sym::Pool& pool);

}  // namespace linkwright::codegen
