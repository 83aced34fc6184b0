#pragma once
// What drives in the joints (kinematics/armature.hpp) add to the equations of motion, whatever the formulation.
//
// With w = J(q) u a drive's force is −a ẇ = −a (J u̇ + J̇ u). Along the freedoms that is −Jᵀ a ẇ, so
//
//     M gains Σ a Jᵀ J        f gains −Σ a Jᵀ J̇ u        C gains Σ a Jᵀ J̇
//
// and Ṁ − 2C stays skew-symmetric. For a joint of the tree J is a row of the unit matrix: M_ii gains a, and nothing else changes.

#include "linkwright/formulation/finish.hpp"

namespace linkwright::formulation {

struct ArmatureTerms {
    Matrix M, C;
    std::vector<Expr> f;
};

/// Of all drives in terms of the mechanism's freedoms, given ones as if they were free.
ArmatureTerms armature_terms(const System& system);

/// Of each freedom, what drives along it add to its diagonal entry.
std::vector<Expr> armature_of_freedoms(const System& system);
/// Whether there are drives along something else: the speed of a cut joint, of a joint that moves as given as a whole.
bool has_armature_across(const System& system);

enum class Drives : std::uint8_t { all, across };
/// M, f and, where it is there, the inverse gain the terms of these drives.
void add_armature(const System& system, Drives which, FormulatedEquations& raw);

/// ẇ of each drive, in terms of the symbols u̇.
std::vector<Expr> armature_accelerations(const System& system);

/// On the child of a cut joint, in its joint axes, what its drives exert; `accelerations` as above. Nothing when it has none.
std::optional<Wrench> armature_wrench(const System& system, const kinematics::CutJoint& cut, std::span<const Expr> accelerations);

}  // namespace linkwright::formulation
