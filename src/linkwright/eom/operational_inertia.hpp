#pragma once
// What a tree weighs at a frame, as expressions [khatib87]:
//
//     Λ = (J M⁻¹ Jᵀ)⁻¹,     J M⁻¹ Jᵀ = L D Lᵀ,     Λ = L⁻ᵀ D⁻¹ L⁻¹
//
// of the rows of J that some speed moves. J M⁻¹ Jᵀ is eliminated row by row, without exchanges: it is positive definite wherever the frame can be moved
// in all of these directions, and there every pivot is positive. A pivot that vanishes identically says that its row depends on those before it
// at every position, and that there is no Λ. One that vanishes at some position says so there: a singular position.
//
// Where J has as many rows as there are speeds, up to three, Λ = J⁻ᵀ M J⁻¹ is the shorter formula: cofactors of J over its determinant, no M⁻¹.

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

struct OperationalInertia {
    std::vector<std::size_t> moved;  ///< rows of J that some speed moves
    std::vector<Expr>
        pivots;  ///< one for each, D over the diagonal of J M⁻¹ Jᵀ: from 1 to 0, where the row cannot be moved apart from those before it
    Matrix inertia;  ///< Λ of these rows; empty when there is none
    std::string why_none;
};

/// J M⁻¹ Jᵀ, all rows. Only for equations without constraints.
Matrix mobility(const EquationsOfMotion& equations, const Matrix& J);

/// Λ of one frame by elimination, for programs; for closed chains the reason why there is none.
OperationalInertia operational_inertia(const EquationsOfMotion& equations, const FrameJacobian& frame);

/// The same to be read: without pivots, and by cofactors where that is shorter. Ask for it first: a pool keeps of equal expressions what was built first.
OperationalInertia readable_inertia(const EquationsOfMotion& equations, const FrameJacobian& frame);

}  // namespace linkwright::eom
