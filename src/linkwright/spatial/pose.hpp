#pragma once
// Poses, twists and wrenches in monogram notation: X_AB = (R_AB, p_AB). In six-vectors the rotational part comes first.

#include "linkwright/spatial/rotation.hpp"

namespace linkwright::spatial {

/// Where frame B stands in frame A: p_AB in A, R_AB from B to A.
struct Pose {
    Rotation R;
    Vec3 p;

    friend Pose operator*(const Pose& X_AB, const Pose& X_BC) {
        return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
    }
    Vec3 operator*(const Vec3& p_BQ) const { return p + R * p_BQ; }  ///< a point given in B, in A
    Pose inverse() const {
        const Rotation R_BA = R.inverse();
        return {R_BA, -(R_BA * p)};
    }
};

/// Angular velocity and the velocity of the frame's origin; also their rates (spatial acceleration with the true linear
/// acceleration of the origin in `v`).
struct Twist {
    Vec3 w, v;

    friend Twist operator+(const Twist& a, const Twist& b) { return {a.w + b.w, a.v + b.v}; }
    friend Twist operator-(const Twist& a, const Twist& b) { return {a.w - b.w, a.v - b.v}; }
    friend Twist operator-(const Twist& a) { return {-a.w, -a.v}; }
    friend Twist operator*(const Expr& s, const Twist& a) { return {s * a.w, s * a.v}; }
    Twist& operator+=(const Twist& b) { return *this = *this + b; }
};

/// The same rigid motion seen from frame B, when V is that of frame A: X_AB says where B is.
inline Twist to_inner(const Pose& X_AB, const Twist& V) { return {X_AB.R.back(V.w), X_AB.R.back(V.v + cross(V.w, X_AB.p))}; }
/// And from A, when V is that of B.
inline Twist to_outer(const Pose& X_AB, const Twist& V) {
    const Vec3 w = X_AB.R * V.w;
    return {w, X_AB.R * V.v + cross(X_AB.p, w)};
}

/// Torque about the frame's origin and force.
struct Wrench {
    Vec3 t, f;

    friend Wrench operator+(const Wrench& a, const Wrench& b) { return {a.t + b.t, a.f + b.f}; }
    friend Wrench operator-(const Wrench& a, const Wrench& b) { return {a.t - b.t, a.f - b.f}; }
    Wrench& operator+=(const Wrench& b) { return *this = *this + b; }
    Wrench& operator-=(const Wrench& b) { return *this = *this - b; }
};

/// The same wrench reduced to the origin of A, when F is reduced to that of B.
inline Wrench to_outer(const Pose& X_AB, const Wrench& F) {
    const Vec3 f = X_AB.R * F.f;
    return {X_AB.R * F.t + cross(X_AB.p, f), f};
}

inline Expr dot(const Twist& V, const Wrench& F) { return dot(V.w, F.t) + dot(V.v, F.f); }

}  // namespace linkwright::spatial
