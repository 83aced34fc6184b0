#pragma once
// Control closes its loop over what is measured: a motor's voltage may follow the velocity of a point, a strain, an energy; a tyre pushes by
// how deep its hub stands (model/point_name.hpp). Those are known
// when the mechanism can move, and before anything that acts on it is asked for; so their meanings are put in here, once, and no
// formulation knows that there are signals. What follows from accelerations comes too late: there such a name is a problem.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

/// Whether the model has signals, or loads or rates of auxiliary states that name outputs.
bool has_signals(const model::Model& model);

/// The model of `measured` in which motors are actuators, and signals, points, outputs of positions and velocities, lengths of springs, their
/// rates, energies and momenta are what they mean, wherever they are named. Signals have become outputs.
model::Model put_in_signals(const System& measured, Diagnostics& problems);

}  // namespace linkwright::formulation
