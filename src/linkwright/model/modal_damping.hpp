#pragma once
// Damping given by ratios of modes, as a function of mass and stiffness. Internal to the room.
//
// With M φ_i ω_i² = K φ_i, φ_iᵀMφ_j = δ_ij,
//
//     C = Σ 2ζ_i ω_i (Mφ_i)(Mφ_i)ᵀ
//
// Modes are found by numbers, and numbers do not follow a parameter. But C is made of matrix functions, and these have iterations of rational
// steps that converge from afar, which can be written out. For equal ratios C = 2ζ M (M⁻¹K)^½, by Denman and Beavers' iteration in symmetric form
//
//     P ← (P + W⁻¹)/2,   W ← (W + P⁻¹)/2,   P₀ = K, W₀ = M⁻¹:   P → M(M⁻¹K)^½, W → P⁻¹                  [higham08 §6.3]
//
// Where ratios differ, the modes above a frequency √μ are told from those below by the sign of a matrix, by Newton's iteration
//
//     Z ← (Z + M Z⁻¹M)/2,   Z₀ = K/μ − M:   (M + Z)/2 → Σ (Mφ_i)(Mφ_i)ᵀ over ω_i² > μ                  [higham08 §5.3]
//
// μ lies between two neighbours and goes with them. Both run in the coordinates of the modes that the file's numbers give, where all is nearly
// diagonal: no pivots need to be looked for, and how many steps it takes is known. A few more are written out, for parameters elsewhere.

#include "linkwright/solve/dense.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::model {

/// C of symmetric positive definite M and K, whose values today are M0 and K0; `ratios` in the order of ascending frequencies. Modes whose
/// frequencies are the same share the mean of their ratios.
sym::Matrix modal_damping(const sym::Matrix& M, const sym::Matrix& K, std::vector<sym::Expr> ratios, const Eigen::MatrixXd& M0,
                          const Eigen::MatrixXd& K0);

}  // namespace linkwright::model
