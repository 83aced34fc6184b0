#pragma once
// What a model asks to see beside the motion: positions, velocities, accelerations, attitudes, reactions, expressions.

#include <functional>

#include "linkwright/eom/equations.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation {

/// Everything that outputs are made of, worked out when first asked for.
class Observables {
public:
    explicit Observables(const System& system) : s_(system) {}
    /// Of a formulation that has accelerations of bodies, and reactions of the tree's joints, by its own means.
    Observables(const System& system, std::vector<Twist> accelerations, std::function<Wrench(std::size_t)> reaction_in_tree)
        : s_(system), accelerations_(std::move(accelerations)), reaction_in_tree_(std::move(reaction_in_tree)) {}

    /// Spatial accelerations of the bodies in terms of the symbols u̇; gravity is not in them.
    const std::vector<Twist>& accelerations();
    /// On the child at the joint, ground axes: all that the joint passes on, its springs and actuators included.
    Wrench reaction(std::size_t joint);

    Vec3 position(const model::Output& output) const;
    Vec3 velocity(const model::Output& output) const;
    Vec3 acceleration(const model::Output& output);

private:
    Vec3 point_acceleration(const model::PointOf& point);  ///< ground axes
    const std::vector<Wrench>& wrenches();
    const System& s_;
    std::vector<Twist> accelerations_;
    std::vector<Wrench> wrenches_;
    std::function<Wrench(std::size_t)> reaction_in_tree_;
};

/// The outputs of the model and those that come by themselves: coordinates and speeds of cut joints, contact forces and
/// points, tensions of rods. Expressions still hold the auxiliary symbols of other outputs.
std::vector<eom::Output> outputs(const System& system, Observables& sight);

}  // namespace linkwright::formulation
