#pragma once
// The quantities of Roberson and Schwertassek's method, in the letters of Forehand, Cartmell and Khanin's paper.
//
// Bodies i, j, k are the vertices of a graph, joints its branches; the joints of the spanning tree are its arcs a, b, the others
// its chords c. A joint runs from its parent f(a) to its child. Across an arc the child moves with
//
//     G[a] = (Ω[a], V[a]) = Σ φ g             relative to f(a), in the axes of f(a)                    [forehand (14), (18)]
//
// where V is the velocity of the joint's attachment point P[a], which is a point of the child. Each column φ is a free mode, g
// its speed. c_hat[i,a] runs from the centre of mass of body i to P[a]: constant in the child, moving in f(a) when the joint
// slides. Then, with the incidence matrix S and the path matrix T (topology/matrices.hpp),
//
//     a_hat[i,j] = Σ_a S[i,a] T[a,j] c_hat[i,a]                                                               [forehand (50)]
//
// is what body i contributes to the way from the centre of mass of body j back to the ground: r[j] = − Σ_i a_hat[i,j]. It is zero
// unless i lies on that way, and the same for all j behind one and the same outer arc of i. So the double sums of the paper are
// sums along the tree; they are accumulated here, and written out literally in literal.hpp.
//
// In the paper vectors stand in ground axes. Here a body's vectors are in its own axes, an arc's in those of f(a), and only the
// rotations between neighbours are multiplied: A[f(a),0] … A[0,f(b)] never needs the ground.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::roberson_schwertassek {

/// The joint through which the tree reaches a body. Axes of f(a) unless said otherwise.
struct ArcTerms {
    BodyIndex outer = 0, inner = 0;
    std::size_t joint = 0;
    int T = -1;                         ///< T[a,i] of every body i behind the arc: −1 when it runs outwards, +1 inwards
    Vec3 c_outer, c_inner;              ///< c_hat of the outer and the inner body, each in that body's axes
    std::vector<std::size_t> freedoms;  ///< whose modes these are, in the order of the mechanism's speeds
    std::vector<Twist> phi, phidot;     ///< free modes and their rates
    Twist G;                            ///< Σ φ g: Ω and V
    Twist moving;                       ///< Σ φ̇ g
    Wrench Q;                           ///< Q₁ and Q₂ of the arc                                          [forehand (78), (80)]
    Wrench X;                           ///< Q − Σ_b J[a,b] φ̇[b] g[b]                                           [forehand (30)]

    BodyIndex from() const { return T < 0 ? inner : outer; }
    BodyIndex to() const { return T < 0 ? outer : inner; }
};

/// Of each body, in its axes.
///
/// Accelerations at u̇ = 0 (and φ̇ = 0) are ω̇ = Q_III and r̈ = lever + Q_I + Q_IV + Q_V. In the paper's (84) the sum over K Q_III
/// has a minus; with Q_III as (88) defines it the sign is plus, since ω̇[j] = Q_III[j] − Σ_a T[a,j] A[0,f(a)] Ω̇[a]. In its plane
/// example that term is zero.
struct BodyTerms {
    Vec3 w;           ///< absolute angular velocity                                                        [forehand (87)]
    Vec3 Q_I;         ///< attachment points that move in their body: zero, for they do not                 [forehand (84)]
    Vec3 Q_II;        ///< ω × (I ω + h) + ḣ, h the momentum of what spins in it                             [forehand (86)]
    Vec3 Q_III;       ///< Σ_a T[a,i] A[i,f(a)] (Ω[a] × ω[f(a)])                                            [forehand (88)]
    Vec3 Q_IV;        ///< Σ_j A[i,j] (ω² − ω ωᵀ) a_hat[j,i]                                                [forehand (94)]
    Vec3 Q_V;         ///< −2 Σ_a T[a,i] A[i,f(a)] (ω[f(a)] × V[a])                                         [forehand (84)]
    Vec3 lever;       ///< Σ_k a_hat[k,i] × Q_III[k]
    Vec3 L, F;        ///< applied torque about the centre of mass, applied force; gravity is in F          [forehand (102)]
    Wrench Q_second;  ///< Q₁″ = Q_II + Σ_k K[i,k] Q_III[k] − Σ_k m[k] a_hat[i,k] × (Q_I + Q_IV + Q_V)[k]   [forehand (84)]
                      ///< Q₂″ = m (lever + Q_I + Q_IV + Q_V)
    Wrench Q_prime;   ///< Q₁′ = −L + Σ_j a_hat[i,j] × F[j],  Q₂′ = −F                                     [forehand (101)]
};

/// What an arc carries: the bodies behind it as if they were one, in the axes of the outer body.
///
///     D = Σ_{i,k} K[i,k]      S = Σ_{k} Σ_j m[j] a_hat[k,j]      mu = Σ_j m[j]        all of them behind the arc
struct Carried {
    spatial::Mat3 D;
    Vec3 S;
    Expr mu;
};

/// Everything, by the number of the body; entry 0, the ground, is empty. `arcs[b]` leads to body b.
struct Terms {
    std::vector<ArcTerms> arcs;
    std::vector<BodyTerms> bodies;
    std::vector<Carried> carried;
    std::vector<Vec3> alpha;  ///< ω̇ of each body at u̇ = 0, moving modes included; body axes
};

/// The system must outlive nothing: the result is plain data. Linear in the number of bodies.
Terms calc_terms(const System& system);

/// From the arc's outer body to its f(a), and back.
Vec3 to_from(const Mechanism& mechanism, const ArcTerms& arc, const Vec3& in_outer);
Vec3 to_outer_body(const Mechanism& mechanism, const ArcTerms& arc, const Vec3& in_from);

/// a_hat[inner(b), j] for every j behind arc b, in the axes of the inner body: c_hat of its own arc minus that of arc b.
Vec3 step(const Terms& terms, BodyIndex b);

/// J_I of every pair of modes: φᵀ J φ, with rows and columns of what spins freely in a body.   [forehand (29)]
Matrix generalized_inertia(const System& system, const Terms& terms);

/// χ + λ: φᵀ X and what springs, dampers and actuators bring up in the joint.   [forehand (28), (30), (31)]
std::vector<Expr> generalized_forces(const System& system, const Terms& terms);

}  // namespace linkwright::formulation::roberson_schwertassek
