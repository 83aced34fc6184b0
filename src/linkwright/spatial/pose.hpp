#pragma once
// Poses, twists and wrenches in monogram notation: X_AB = (R_AB, p_AB). In six-vectors the rotational part comes first.

#include "linkwright/spatial/rotation.hpp"

namespace linkwright::spatial {

/// Where frame B stands in frame A: p_AB in A, R_AB from B to A.
struct Pose {
    Rotation R;
    Vec3 p;

    Vec3 operator*(const Vec3& p_BQ) const;  ///< a point given in B, in A
    Pose inverse() const;
};
Pose operator*(const Pose& X_AB, const Pose& X_BC);

/// Angular velocity and the velocity of the frame's origin; also spatial accelerations.
struct Twist {
    Vec3 w, v;

    friend Twist operator+(const Twist& a, const Twist& b) { return {a.w + b.w, a.v + b.v}; }
    friend Twist operator-(const Twist& a, const Twist& b) { return {a.w - b.w, a.v - b.v}; }
    friend Twist operator-(const Twist& a) { return {-a.w, -a.v}; }
    friend Twist operator*(const Expr& s, const Twist& a) { return {s * a.w, s * a.v}; }
    Twist& operator+=(const Twist& b) { return *this = *this + b; }
};

/// The same rigid motion seen from frame B, when V is that of frame A: X_AB says where B is.
Twist to_inner(const Pose& X_AB, const Twist& V);
/// And from A, when V is that of B.
Twist to_outer(const Pose& X_AB, const Twist& V);

/// Torque about the frame's origin and force.
struct Wrench {
    Vec3 t, f;

    friend Wrench operator+(const Wrench& a, const Wrench& b) { return {a.t + b.t, a.f + b.f}; }
    friend Wrench operator-(const Wrench& a, const Wrench& b) { return {a.t - b.t, a.f - b.f}; }
    Wrench& operator+=(const Wrench& b) { return *this = *this + b; }
    Wrench& operator-=(const Wrench& b) { return *this = *this - b; }
};

/// The same wrench reduced to the origin of A, when F is reduced to that of B.
Wrench to_outer(const Pose& X_AB, const Wrench& F);

Expr dot(const Twist& V, const Wrench& F);  ///< power

}  // namespace linkwright::spatial
