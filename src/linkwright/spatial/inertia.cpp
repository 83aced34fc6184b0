#include "linkwright/spatial/inertia.hpp"

namespace linkwright::spatial {

Inertia operator+(const Inertia& a, const Inertia& b) { return {a.m + b.m, a.h + b.h, a.I + b.I}; }

Wrench operator*(const Inertia& a, const Twist& V) { return {a.I * V.w + cross(a.h, V.v), a.m * V.v + cross(V.w, a.h)}; }

Inertia inertia_about_origin(const Expr& m, const Vec3& c, const Mat3& I_c) {
    return {m, m * c, I_c + m * (dot(c, c) * identity() - outer(c, c))};
}

Inertia to_outer(const Pose& X_AB, const Inertia& a) {
    const Vec3 h = X_AB.R * a.h;
    const Vec3& p = X_AB.p;
    const Mat3 ph = outer(p, h);
    // Steiner with a first moment: I_A = R I Rᵀ + 2(p·h) 1 − p hᵀ − h pᵀ + m (p² 1 − p pᵀ)
    const Mat3 I =
        X_AB.R.congruence(a.I) + ((2 * dot(p, h)) * identity() - ph - transpose(ph)) + a.m * (dot(p, p) * identity() - outer(p, p));
    return {a.m, h + a.m * p, I};
}

}  // namespace linkwright::spatial
