#pragma once
// What every formulation starts from: the mechanism in motion, its rows of constraints, what acts on it.

#include <memory>

#include "linkwright/kinematics/armature.hpp"
#include "linkwright/kinematics/loads.hpp"
#include "linkwright/kinematics/rolling.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::formulation {

using kinematics::Mechanism;
using kinematics::Wrench;
using model::BodyIndex;
using spatial::Twist;
using spatial::Vec3;
using sym::Expr;
using sym::Matrix;

struct System {
    Mechanism mechanism;
    std::vector<kinematics::CutJoint> cut_joints;
    std::vector<kinematics::Contact> contacts;  ///< one for each rolling of the model
    std::vector<kinematics::Row> rows;          ///< of all constraints but those in `satisfied`
    std::vector<kinematics::Row> satisfied;     ///< hold whatever the coordinates are: other joints see to it
    std::vector<Expr> lambda;                   ///< a multiplier for each row
    kinematics::Loads loads;
    std::vector<kinematics::Armature> armatures;
    Diagnostics problems;  ///< rows that no motion can fulfil
    /// The model with the meanings of its signals put in (signals.hpp), where it has some: the mechanism refers to it.
    std::shared_ptr<const model::Model> with_signals{};
    std::vector<model::Motor> motors{};  ///< of the model as it was written; their forces are among the actuators
};

/// The model and topology must outlive the result.
System set_up(const model::Model& model, const topology::Topology& topology);
/// With other things in the bodies than the model says.
System set_up(const model::Model& model, const topology::Topology& topology, kinematics::Contributions contributions);

/// Whether something that moves inside a body moves mass.
bool has_mass_inside(const Mechanism& mechanism);
/// A problem when a body is a beam: for formulations that know bodies by mass, centre and tensor alone.
Diagnostics only_rigid(const System& system, std::string_view formulation);

/// coordinate − value for a cut joint's coordinate: angles, which are measured from −π to π, are compared up to whole turns.
Expr difference(const model::Model& model, const Expr& coordinate, const Expr& value);

/// For every body the wrench that its joint must bring to it, body axes and origin, when the bodies accelerate by A (with
/// gravity as an acceleration of the ground) and carry `loads`: Newton and Euler for each body, summed inwards.
/// Of `udot` only what moves inside the bodies is looked at; the rest is in A.
std::vector<Wrench> joint_wrenches(const System& system, std::span<const Twist> A, std::span<const Wrench> loads,
                                   std::span<const Expr> udot);

}  // namespace linkwright::formulation
