#pragma once
// Derivatives of accelerations by those of inverse dynamics: ∂u̇ = M⁻¹ (∂τ − ∂ID), ID = M u̇ − f + τ at fixed u̇ [carpentier18], [singh22].
//
// Nothing gives way here, so composite bodies serve, and what a joint does not feel may be counted with the inner link. With (α, a, w) of a change, as
// in derivatives.hpp, a freedom outside of it feels (Sᵀ I) · (α, a) + (Sᵀ B) · w: both rows are carried inwards, the first being what the
// mass matrix is made of. Freedoms inside feel the wrench of the change. M is factored along the branches (eom/sparse_rows.hpp), and
// every column is a solution. Takes 2n operations an entry where derivatives.hpp takes some thirty: shorter for few or little coupled freedoms.

#include "linkwright/eom/acceleration_derivatives.hpp"
#include "linkwright/formulation/recursive/passes.hpp"

namespace linkwright::formulation::recursive {

/// Writes a and its derivatives by the symbols of `d`; the task is in its pool.
void solve_inverse_derivatives(const Task& task, bool from_ground, eom::AccelerationDerivatives& d);

}  // namespace linkwright::formulation::recursive
