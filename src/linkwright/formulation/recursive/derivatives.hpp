#pragma once
// Derivatives of a tree's accelerations by coordinates, auxiliary states, speeds, inputs and forces, in O(1) operations an entry.
//
// A coordinate that changes by δq moves the frames inside its joint against those outside. To what lies outside that is another motion of
// the frame it stands on; to what lies inside it is another wrench. With ω and the velocity v of the origin of each frame, and
//
//     α = δω̇ + ω × δω,      a = δ(true acceleration of the origin) − 2 δω × v,      w = δω
//
// a change goes outwards like an acceleration, α and a as the parts of a twist, w as a vector: joints add S δu̇ and nothing else. The wrench that
// a body asks for is its inertia times (α, a) and B w, where
//
//     B w = ∫ (r × ; 1) 2 w × v dm = ( 2 (tr K 1 − K) w ; 2 w × P ),     K = ∫ v rᵀ dm = v hᵀ + [ω]× J,     P = m v + ω × h
//
// and freedoms that give way are eliminated from B as from articulated inertias: B ← B − U (Sᵀ B)/D (the recursion of [featherstone08 §7.3] differentiated;
// [carpentier18] and [singh22] differentiate inverse dynamics instead and multiply by M⁻¹, which takes n operations an entry).
//
// So each column is: a change (α, a, w) at its joint, the wrench that makes inwards, the response of everything else to this wrench, which is
// known from the columns of M⁻¹ (the acceleration of a frame for a unit force of a freedom is the freedom's acceleration for a unit wrench on the
// frame), and a sweep outwards.

#include "linkwright/eom/acceleration_derivatives.hpp"
#include "linkwright/formulation/recursive/passes.hpp"

namespace linkwright::formulation::recursive {

/// How changes are written; the same numbers, more or fewer operations.
struct Manner {
    /// All frames are looked at from the ground: joints in between cost nothing, but no entry is zero or one.
    bool from_ground = false;
    /// How a frame gives way to a wrench is kept as a 6 × 6 matrix for each joint, instead of adding up what the joints within do.
    bool with_compliance = false;
    /// Inverse dynamics is differentiated instead and multiplied by M⁻¹ (inverse_derivatives.hpp); nothing is said about compliances then.
    bool by_inverse = false;
};

/// Of a rigid tree whose speeds are the joints' own, in the shortest manner; nothing otherwise: closed chains, beams, drives between joints, the
/// user's speeds and whatever cannot be derived.
std::optional<eom::AccelerationDerivatives> differentiate_accelerations(const model::Model& model, const topology::Topology& topology);
/// The same in one manner.
std::optional<eom::AccelerationDerivatives> differentiate_accelerations(const model::Model& model, const topology::Topology& topology,
                                                                        Manner manner);

}  // namespace linkwright::formulation::recursive
