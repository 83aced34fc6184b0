#pragma once
// What Lagrange's equations are made of: energies as functions of q, u and t, and the forces that have no potential.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::lagrange {

/// T = kinetic + Σ momentum · along of what motors hold inside the bodies, and terms without u.
struct Lagrangian {
    Expr kinetic;  ///< ½ uᵀM u
    std::vector<kinematics::GivenMomentum> given_momenta;
    Expr potential;  ///< of gravity and of those springs whose force is its gradient
    /// One for each freedom: dampers, actuators, forces, torques, and springs that have no potential or stand in a cut joint.
    std::vector<Expr> forces;
};

Lagrangian lagrangian(const System& system);

/// M = Σ Jᵀ I J over the bodies, and what moves inside them [lee90 (A.5)]. Symmetric; the same node on both sides.
Matrix mass_matrix(const Mechanism& mechanism);

}  // namespace linkwright::formulation::lagrange
