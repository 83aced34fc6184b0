#pragma once
// Sums written so that the graph finds them again. A pool pulls numbers out of products and keeps a − b and b − a apart; both
// are right, and both cost operations where frames are turned and quantities come with either sign.

#include "linkwright/spatial/vector.hpp"

namespace linkwright::formulation::recursive {

using spatial::Expr;
using spatial::Vec3;

/// x + y; where y' + x' with both signs changed was there before, minus that.
Expr sum(const Expr& x, const Expr& y);
/// a x + b y; a number that both x and y are multiples of is multiplied last.
Expr combination(const Expr& a, const Expr& x, const Expr& b, const Expr& y);
Vec3 sum(const Vec3& x, const Vec3& y);

}  // namespace linkwright::formulation::recursive
