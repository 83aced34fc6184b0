#pragma once

#include "linkwright/spatial/pose.hpp"

namespace linkwright::spatial {

/// A rigid body's inertia about the origin O of the frame it is given in: mass m, first moment h = m·c, and the inertia
/// tensor I about O. Sums of inertias in one frame are inertias.
struct Inertia {
    Expr m;
    Vec3 h;
    Mat3 I;
};
Inertia operator+(const Inertia& a, const Inertia& b);
/// Momentum of the body when its frame moves with V; also inertia force per acceleration.
Wrench operator*(const Inertia& a, const Twist& V);

/// From mass, centre of mass c and the tensor about the centre of mass (parallel axes).
Inertia inertia_about_origin(const Expr& m, const Vec3& c, const Mat3& I_c);

/// Given in B, wanted in A.
Inertia to_outer(const Pose& X_AB, const Inertia& a);

}  // namespace linkwright::spatial
