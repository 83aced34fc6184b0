#pragma once
// The mechanism in motion: poses and velocities of all bodies in terms of coordinates and speeds, built outwards along the
// tree, every quantity once.

#include "linkwright/kinematics/contribution.hpp"
#include "linkwright/kinematics/joint_motion.hpp"
#include "linkwright/sym/substitute.hpp"
#include "linkwright/topology/topology.hpp"

namespace linkwright::kinematics {

using model::BodyIndex;

/// One generalized speed, of a joint of the tree or of a body's own.
struct Freedom {
    Expr u, udot;                              ///< symbols
    BodyIndex body;                            ///< the outer body of its joint, or the body inside which it moves
    std::shared_ptr<const Contribution> of{};  ///< whose it is, when it moves inside
    std::size_t column = 0;                    ///< which of its freedoms
    /// A motion that is given: u = rate(t), u̇ = acceleration(t).
    struct Given {
        Expr rate, acceleration;
    };
    std::optional<Given> given{};

    bool is_own() const { return of != nullptr; }
};

/// The motion of a body's frame in its inner body for a unit rate of one freedom, axes and origin of the body.
struct Column {
    std::size_t freedom;
    Twist S;
};

/// A coordinate, its rate in terms of the speeds, and its function of time when it is given.
struct Coordinate {
    Expr q, rate;
    std::optional<Expr> given;
};

/// Everything in here treats given coordinates as if they were free; `put_in_given` replaces them at the end. So their
/// columns, and the forces that drive them, are there to be had.
struct Mechanism {
    const model::Model* model;
    const topology::Topology* topology;
    std::vector<Coordinate> coordinates;
    std::vector<Freedom> freedoms;                      ///< joints in the order of the file, then the bodies' own
    std::vector<std::vector<std::size_t>> freedoms_of;  ///< of each body's joint to its inner body: indices, in joint order
    /// All that moves each body in its inner body: columns of its joint, or of a section. One freedom may stand at several bodies: what
    /// bends a beam moves all its sections; where the tree reaches a beam by a section, it moves the beam in that section, too.
    std::vector<std::vector<Column>> across;
    std::vector<Pose> X_inner;              ///< of each body in its inner body
    std::vector<Pose> X_W;                  ///< of each body in the ground
    std::vector<Twist> V;                   ///< of each body in the ground, body axes
    std::vector<Twist> V_joint;             ///< across to each body: Σ S u
    std::vector<spatial::Inertia> inertia;  ///< of each body about its origin, body axes, what moves inside locked
    Contributions contributions;            ///< what moves inside each body
    std::vector<sym::Binding> given;        ///< q, u, u̇ of given motions, and what joints with given motion define
    std::vector<sym::Binding> defined;      ///< coordinates and speeds of cut joints in terms of the others
};

/// Poses and velocities. The model and topology must outlive the result.
Mechanism move(const model::Model& model, const topology::Topology& topology);
/// With other things in the bodies than the model says.
Mechanism move(const model::Model& model, const topology::Topology& topology, Contributions contributions);

/// q → q̇, u → u̇ (or 0 when `with_udot` is false), t → 1.
std::vector<sym::Binding> rates(const Mechanism& mechanism, bool with_udot);

/// Of `all`, which has something for each freedom, what belongs to the freedoms of one contribution.
std::vector<Expr> own_part(const Mechanism& mechanism, const Contribution& of, std::span<const Expr> all);

/// Position and velocity (ground axes) of a point of a body.
Vec3 position(const Mechanism& mechanism, const model::PointOf& point);
Vec3 velocity(const Mechanism& mechanism, const model::PointOf& point);

/// Spatial accelerations of all bodies, body axes, when the ground is accelerated by `ground` (ground axes) and the speeds
/// change by `udot`: A_B = X⁻¹ A_A + S u̇ + Ṡ u + V_B × V_joint [featherstone08 (2.48), (5.9)]. The linear part is that of the
/// field at the origin; the true acceleration of the origin is A.v + ω × v.
std::vector<Twist> accelerations(const Mechanism& mechanism, const Vec3& ground, std::span<const Expr> udot);

/// V × m for motions, and V ×* F for wrenches [featherstone08 (2.31), (2.32)].
Twist cross_motion(const Twist& V, const Twist& m);
Wrench cross_force(const Twist& V, const Wrench& F);

}  // namespace linkwright::kinematics
