#pragma once
// Augmented bodies and barycentric vectors [mufti83 (26)–(31), Remark 3].
//
// The centre of mass of body k is reached from the ground by a walk through the bodies on the way. In every body j of the
// walk stands one vector d_jk, from the hinge by which one enters j to the hinge by which one leaves it, or, in k itself, to
// its centre of mass:
//
//     r_k = Σ_j d_jk                    D = −L T: S incidence, T = S⁻¹, L the hinge vectors
//     d_jk = 0                          when j is not on the way to k
//
// All bodies beyond one outer hinge see the same vector in j. So whatever is summed over bodies k with weights m_k is a sum
// over the hinges of j, each loaded with the mass of everything beyond it: the augmented body. It has the mass `mass`, the first
// moment b_j = Σ m_k d_jk and the tensor K_jj = J_j − Σ m_k d̃_jk d̃_jk, both about its inner hinge. Between two bodies, j
// beyond i, K_ij = −Σ m_k d̃_ik d̃_jk = −d̃_ij b̃_j; bodies of which neither is beyond the other have nothing to do with each other.
//
// When a joint slides, the vector in the inner body ends where the slide has brought the outer body's hinge: d_jk then
// changes within j, and its rate is a further unknown of the method [mufti83 Remark 5].
//
// Mufti's first form has no ground: the tree floats, and the motion of its mass centre is eliminated too. Then the hinge by
// which one enters carries the mass of the rest, every augmented body has the mass m of the whole, and its centre of mass, the
// barycentre, takes the place of the inner hinge: `float_free`.

#include "linkwright/kinematics/mechanism.hpp"

namespace linkwright::formulation::barycentric {

using kinematics::Mechanism;
using model::BodyIndex;
using spatial::Mat3;
using spatial::Vec3;
using sym::Expr;

/// What one speed of a joint does to the outer body: turns it by `p`, shifts its hinge by `s`; axes of the outer body.
struct Mode {
    Vec3 p, s;
};

/// One body with what hangs on it. Vectors are in its own axes unless said otherwise.
struct AugmentedBody {
    Vec3 hinge;           ///< from the body's origin to its inner hinge
    Vec3 arm;             ///< axes of the inner body: from that body's own inner hinge to this body's, the slide included
    bool slides = false;  ///< the arm changes within the inner body
    Vec3 own;             ///< d_jj: from the inner hinge to the centre of mass
    Expr mass;            ///< its own and that of everything beyond it
    Vec3 b;               ///< Σ m_k d_jk: the barycentre is at b/mass from the inner hinge
    Mat3 K;               ///< about the inner hinge
};

/// Every body, the ground with its hinge at its origin; and what every freedom does (nothing, when it moves inside a body).
struct Augmented {
    std::vector<AugmentedBody> bodies;
    std::vector<Mode> modes;
};

/// The ground is a body like the others, but has no inertia of its own.
Augmented augment(const Mechanism& mechanism);

/// Whether k lies beyond j, or is j.
bool is_beyond(const topology::Topology& topology, BodyIndex j, BodyIndex k);

/// d_jk, in the axes of j.
Vec3 barycentric_vector(const Augmented& augmented, const topology::Topology& topology, BodyIndex j, BodyIndex k);

/// K_ij: from components in the axes of j to components in those of i. K_ji = K_ijᵀ.
Mat3 coupling(const Augmented& augmented, const Mechanism& mechanism, BodyIndex i, BodyIndex j);

/// A tree that floats: what is beyond `root` as if nothing held it [mufti83 (26)–(31)].
struct Floating {
    Expr mass;                         ///< m, of the whole and of every augmented body
    std::vector<BodyIndex> bodies;     ///< root first, inner before outer
    std::vector<std::vector<Vec3>> d;  ///< of these: from the barycentre of i towards k, axes of i; Σ_k m_k d_ik = 0
    std::vector<Mat3> K;               ///< K_ii about the barycentre, body axes; K_ij = m d̃_ij d̃_ji otherwise
};

/// D = −L T₂ μ with μ = 1 − M 1 1ᵀ/m takes b_i/m from every vector of body i; K_ij thereby gets b̃_i b̃_j/m more. That is
/// what is left of the equations when the three of the root's travel are solved for it: it decouples.
/// The tree must have a mass.
Floating float_free(const Augmented& augmented, const Mechanism& mechanism, BodyIndex root);

}  // namespace linkwright::formulation::barycentric
