#pragma once
// The user's own generalized speeds: s = Y(q, t) u + z(q, t), as Kane's method deserves.

#include <optional>

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

/// u = N s + ν, where s are the user's speeds and the natural ones that stay.
struct UserSpeeds {
    std::vector<Expr> s, sdot;  ///< symbols
    Matrix N;
    std::vector<Expr> nu;
};

/// `u` are the natural speeds, `definitions` the user's, in terms of them. s lists the user's speeds in their order, then the
/// natural ones that stay: those that leave are chosen where the definitions have numbers, if they can be. Empty when the
/// definitions are dependent.
std::optional<UserSpeeds> choose_speeds(std::span<const Expr> u, std::span<const Expr> udot, std::span<const model::UserSpeed> definitions,
                                        sym::Pool& pool);

}  // namespace linkwright::formulation
