#pragma once
// Quantities that are worked out on request, beside the equations:
//
//     g        gravity forces: −g in f
//     C        the matrix of the velocity forces: −C u in f, Ṁ − 2C skew-symmetric
//     causes   f by cause: gravity, velocity, springs, dampers, actuators, motors, forces, inputs, given motions
//     J        Jacobians of frames, their rates, and what the mechanism weighs there
//     Lambda   the same frames; of pages what the mechanism weighs there alone

#include "linkwright/session/session.hpp"

namespace linkwright::session {

struct Quantities {
    std::vector<std::string> also{};    ///< of the names above
    std::vector<std::string> frames{};  ///< of J: outputs, bodies, BODY.POINT; empty: outputs that are positions or orientations

    bool has(std::string_view name) const;
};
/// Messages call the options --also and --frame. `others` are names that the verb itself knows.
Diagnostics check(const Quantities& quantities, const std::vector<std::string>& others = {});

/// What a derivation must be told.
formulation::Options what_it_takes(const Quantities& quantities);

/// −f of gravity; the equations were asked for causes.
std::vector<sym::Expr> gravity_forces(const eom::EquationsOfMotion& equations);

}  // namespace linkwright::session
