#pragma once
// Energies and momenta, from the velocities of the bodies alone: no formulation has a hand in them.

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

/// Velocity of a body's centre of mass, body axes.
Vec3 com_velocity(const Mechanism& mechanism, BodyIndex body);

/// ½ Σ (m v² + ωᵀ I ω) and what moves inside the bodies; gravity and springs.
eom::Energy energy(const System& system);
eom::Momentum momentum(const Mechanism& mechanism);

/// d(T + V)/dt apart from what given motions and constraints bring in: loads that have no potential, a potential that
/// changes by itself, and the motors inside the bodies. `accelerations` are those of the bodies,
/// body axes; only those of bodies with such motors are looked at.
Expr power_of_loads(const System& system, const std::vector<Twist>& accelerations);

}  // namespace linkwright::formulation
