#pragma once
// What a worked derivation says of beams: where a particle is, what is integrated over them, what they add to M and f.

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

bool has_beams(const Mechanism& mechanism);
/// A section of a beam without mass, to which nothing is hinged: a point of it.
bool is_bare_section(const Mechanism& mechanism, BodyIndex body);

/// For each beam the place of a particle, the locked inertia, the momentum of unit speeds, their inertia and their stiffness [lee90 2.1–2.3].
std::vector<eom::Step> explain_beams(const Mechanism& mechanism);

}  // namespace linkwright::formulation
