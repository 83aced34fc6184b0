#pragma once
// Where the angles of a joint fail: three turns in a row whose first and last axis come to lie in one plane with the middle one. The body may turn
// there as it likes; its angles cannot follow, and what depends on their rates (dampers, actuators) grows without bound.
//
//     sin(θ − θ₀) = a₁ · (a₂ × R(a₂, θ) a₃) / (|a₁ × a₂| |a₂ × a₃|)        θ the middle angle, R by Rodrigues' formula

#include "linkwright/model/model.hpp"
#include "linkwright/motion/simulate.hpp"

namespace linkwright::session {

/// Of the joints whose angles stand in the equations: those of the tree, and cut ones with forces along their coordinates. The model is that of
/// the equations.
std::vector<motion::Singularity> joint_singularities(const model::Model& model, const eom::EquationsOfMotion& equations);

}  // namespace linkwright::session
