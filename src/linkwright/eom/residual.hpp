#pragma once
// The equations of motion as what must vanish, in terms of the symbols u̇ and λ: the form to be differentiated.

#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

/// M u̇ − f, one row for each speed: by the formulation's own recursion where it has one.
std::vector<Expr> unconstrained_residual(const EquationsOfMotion& equations);
/// M u̇ + Gᵀλ − f.
std::vector<Expr> force_residual(const EquationsOfMotion& equations);
/// G u̇ − γ, one row for each constraint.
std::vector<Expr> acceleration_residual(const EquationsOfMotion& equations);

}  // namespace linkwright::eom
