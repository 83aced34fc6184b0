#pragma once
// How the motion of a tree's frames changes with coordinates and speeds, and what bodies ask for it: what both ways to differentiate
// accelerations begin with (derivatives.hpp has the equations).

#include "linkwright/formulation/recursive/articulated.hpp"
#include "linkwright/formulation/recursive/passes.hpp"

namespace linkwright::formulation::recursive {

/// t = T w, f = F w: what a change w of the angular velocity asks for.
struct VelocityInertia {
    Mat3 T, F;
};
VelocityInertia operator+(const VelocityInertia& a, const VelocityInertia& b);
Wrench times(const VelocityInertia& B, const Vec3& w);
/// Of a body that turns with w, its origin moving with v.
VelocityInertia of_body(const Moments& body, const Vec3& w, const Vec3& v);
VelocityInertia inwards(const Move& move, const VelocityInertia& B);
/// R H Rᵀ.
Mat3 carried(const Move& move, const Mat3& H);
Twist outwards(const Move& move, const Twist& V);

/// Of every frame; `motion` with all accelerations, v the velocity of the origin.
struct Moving {
    std::vector<Motion> motion;
    std::vector<Vec3> v;
};
/// When the freedoms accelerate by `a`: that of u̇ = 0 and the difference, both of which are there already.
Moving calc_moving(const Task& task, std::span<const Expr> a);
/// What every move carries.
std::vector<Wrench> carried_wrenches(const Task& task, std::span<const Motion> motion, std::span<const Expr> a);

/// A change at a move.
struct MotionChange {
    Twist X{};        ///< (α, a) of its frame
    Vec3 w{};         ///< δω of its frame
    Wrench beside{};  ///< that its inner frame feels besides
    Wrench wrench{};  ///< that its frame asks for besides
};
using PutChange = std::function<void(std::size_t move, const MotionChange&)>;
/// Of every move that a coordinate takes part in.
void for_each_change(const Task& task, std::span<const Motion> motion, std::span<const Vec3> v, std::span<const Wrench> carried,
                     const Expr& q, const PutChange& put);
/// Of every move whose speed is that of a freedom.
void for_each_change(const Task& task, std::span<const Motion> motion, std::span<const Vec3> v, std::size_t freedom, const PutChange& put);

/// How forces, loads on bodies and wheels whose speed is held change with each column, as forces on the freedoms; none where nothing depends on it.
std::vector<std::vector<Expr>> changes_of_forces(const Task& task, std::span<const Motion> motion, std::span<const Expr> columns);

}  // namespace linkwright::formulation::recursive
