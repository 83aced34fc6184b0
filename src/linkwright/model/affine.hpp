#pragma once

#include "linkwright/sym/expr.hpp"

namespace linkwright::model {

/// Whether e is a sum of terms at most linear in the symbols of that role. Seen from the shape of the expression; where
/// that does not tell, (u + 1)² − u², the second derivatives are asked.
bool is_affine(const sym::Expr& e, sym::Role role);

}  // namespace linkwright::model
