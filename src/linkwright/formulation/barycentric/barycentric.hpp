#pragma once
// The barycentric formulation: absolute rotations and slides of augmented bodies, then relative coordinates.
//
// Newton's law for the bodies is multiplied by the barycentric vectors d_jk of augmented.hpp and summed, which removes the
// forces in the hinges and leaves an equation for the turning of each body [mufti83 (28), (38)] and, where a joint slides, one
// for its slide [Remark 5]:
//
//     Σ_j K_ij ω̇_j + Σ_j (slides) = t_i + torques in the hinges of i
//
// Then ω = −Tᵀ P u [mufti83 (60)] puts in the joints' speeds, and −Pᵀ T of the equations removes what the hinges bear [(57)]:
// Pᵀ T K Tᵀ P u̇ = −Pᵀ T t, Mufti's (61). Multiplying by T adds up everything beyond a hinge. Because K_ij = −d̃_ij b̃_j, these
// sums collapse: Σ_k K_ik over the k beyond a hinge is −d̃ times the outward mass moment Σ_k b_k. So K is never written out, and
// the cost is that of M: bodies times depth. (explain.hpp writes it out.)

#include "linkwright/formulation/barycentric/augmented.hpp"
#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation::barycentric {

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options = {});

/// Pᵀ T K Tᵀ P with the slides, over all freedoms.
Matrix mass_matrix(const Mechanism& mechanism, const Augmented& augmented);
/// The right-hand side that goes with it.
std::vector<Expr> forcing(const System& system, const Augmented& augmented);

/// Of each body at u̇ = 0, its own axes.
struct Motion {
    Vec3 w;      ///< ω
    Vec3 alpha;  ///< ω̇
    Vec3 slide;  ///< acceleration that the slide of its hinge adds, Coriolis' included
    Vec3 fall;   ///< gravity less the acceleration of its inner hinge
};
std::vector<Motion> motion_at_rest(const Mechanism& mechanism, const Augmented& augmented);

/// What a body's equations have on the right, its own axes: the torque of (38) about the inner hinge, and the force on
/// everything beyond the hinge less what it takes to move it relative to the hinge.
struct Burden {
    Vec3 t, f;
};
std::vector<Burden> burdens(const System& system, const Augmented& augmented, const std::vector<Motion>& motion);

}  // namespace linkwright::formulation::barycentric
