#pragma once
// Jacobians of points and bodies: how the speeds move a tool.
//
//     v = J(q) u + rest,     v̇ = J u̇ + J̇ u + …
//
// A frame is an output of the model, or a body and one of its points. Of a position the rows are the velocity of the point, components and
// observer as the output says; of an orientation the angular velocity of its body, in the output's axes; of a point of a body ("hand.tip",
// "hand" for its origin) angular velocity and velocity in ground axes. `rest` is what given motions bring.

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

/// Over all freedoms, given ones as if they were free. Names that mean nothing are problems. With `all` every output that is a position or an
/// orientation is a frame, before those that are named.
std::vector<eom::FrameJacobian> frame_jacobians(const System& system, bool all, std::span<const std::string> names, Diagnostics& problems);

}  // namespace linkwright::formulation
