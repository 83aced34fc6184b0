#pragma once
// What a page says of the values of parameters. Internal to the room.

#include <vector>

#include "linkwright/eom/equations.hpp"

namespace linkwright::present {

/// The formula of each parameter, in their order; or its number, where it is long or an iteration was written out: such a formula shares its parts, and
/// spelled out it would fill books.
std::vector<sym::Expr> given_values(const eom::EquationsOfMotion& e);

}  // namespace linkwright::present
