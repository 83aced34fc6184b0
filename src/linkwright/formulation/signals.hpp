#pragma once
// Control closes its loop over what is measured: a motor's voltage may follow the velocity of a point, a strain, an energy; a tyre pushes by
// how deep its hub stands (model/point_name.hpp). Those are known
// when the mechanism can move, and before anything that acts on it is asked for; so their meanings are put in here, once, and no
// formulation knows that there are signals. What follows from accelerations comes too late: there such a name is a problem.

#include "linkwright/formulation/system.hpp"
#include "linkwright/model/point_name.hpp"

namespace linkwright::formulation {

/// Whether the model has signals, or loads, constraints or rates of auxiliary states that name outputs or points.
bool has_signals(const model::Model& model);

/// What a constraint that names a point does to it: the derivative of its expression by that component.
struct HeldPoint {
    model::PointComponent what;
    Expr by;
};

struct Resolved {
    model::Model model;
    /// For each constraint. None where it holds velocities, or where coordinates stand beside points: then it acts along joints, as a gear does.
    std::vector<std::vector<HeldPoint>> held_points;
};
/// The model in which motors are actuators, and signals, points, outputs of positions and velocities, lengths of springs, their
/// rates, energies and momenta are what they mean, wherever they are named. Signals have become outputs. `measured` is its mechanism; it may lack the constraints that name points.
Resolved put_in_signals(const System& measured, const model::Model& model, Diagnostics& problems);

}  // namespace linkwright::formulation
