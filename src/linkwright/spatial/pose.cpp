#include "linkwright/spatial/pose.hpp"

namespace linkwright::spatial {

Pose operator*(const Pose& X_AB, const Pose& X_BC) { return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p}; }
Vec3 Pose::operator*(const Vec3& p_BQ) const { return p + R * p_BQ; }

Pose Pose::inverse() const {
    const Rotation R_BA = R.inverse();
    return {R_BA, -(R_BA * p)};
}

Twist to_inner(const Pose& X_AB, const Twist& V) { return {X_AB.R.back(V.w), X_AB.R.back(V.v + cross(V.w, X_AB.p))}; }

Twist to_outer(const Pose& X_AB, const Twist& V) {
    const Vec3 w = X_AB.R * V.w;
    return {w, X_AB.R * V.v + cross(X_AB.p, w)};
}

Wrench to_outer(const Pose& X_AB, const Wrench& F) {
    const Vec3 f = X_AB.R * F.f;
    return {X_AB.R * F.t + cross(X_AB.p, f), f};
}

Expr dot(const Twist& V, const Wrench& F) { return dot(V.w, F.t) + dot(V.v, F.f); }

}  // namespace linkwright::spatial
