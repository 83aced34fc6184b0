#pragma once
// The mass of a beam that bends in its frame.
//
// A particle at x is at ρ = Σ_a g_a(x) s_a(q) e_a in the frame of the body, e_a an axis of the frame, s_a a product of elastic coordinates (model/beam.hpp).
// With S_a = ∫g_a dm and G_ab = ∫g_a g_b dm every integral over the beam is a sum over the terms:
//
//     first moment          h = Σ S_a s_a e_a
//     locked inertia        I = tr(Q) 1 − Q,  Q = ∫ρρᵀ dm = Σ G_ab s_a s_b e_a e_bᵀ
//     unit speed k          P_k = (Σ G_ab s_a ∂_k s_b e_a × e_b,  Σ S_a ∂_k s_a e_a)
//     among themselves      N_kl = Σ G_ab ∂_k s_a ∂_l s_b e_a·e_b
//
// [lee90 (2.23)–(2.28)] has them for one direction without shortening, [baruh (24)–(32)] with it. Sections that turn against the frame
// (twist, rotary inertia) add ½∫ρ(ω_axis + Σ s_k q̇_k)² dx.

#include "linkwright/kinematics/contribution.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::kinematics {

class Elastic final : public Contribution {
public:
    explicit Elastic(const model::Elastic& elastic);

    std::string_view plural() const override { return "beams"; }
    bool moves_mass() const override { return true; }
    spatial::Inertia locked_inertia() const override { return locked_; }
    Expr twice_kinetic_energy(const Twist& V) const override;
    Expr potential() const override;
    Wrench momentum() const override;
    Wrench momentum_rate(const Twist& V) const override;
    Wrench inertial_wrench(const Twist& V, std::span<const Expr> wdot) const override;
    Expr inertia_force(std::size_t k, const Twist& V, const Twist& A, std::span<const Expr> wdot) const override;
    Expr load(std::size_t k) const override;
    Wrench partial_momentum(std::size_t k) const override;
    Expr coupling(std::size_t k, const Twist& S) const override;
    Expr inertia(std::size_t k, std::size_t l) const override;

private:
    std::size_t terms() const { return e_.terms.size(); }
    std::size_t axis(std::size_t a) const { return e_.terms[a].axis; }
    const Expr& q(std::size_t k) const { return e_.coordinates[k]; }
    const Expr& w(std::size_t k) const { return e_.speeds[k]; }
    /// Of s_a, when the speeds change by wdot.
    std::vector<Expr> second_rates(std::span<const Expr> wdot) const;
    /// Σ_a G_ab x_a over the terms along each axis: sums of two indices are done once, whatever meets them.
    std::vector<Vec3> gathered(std::span<const Expr> x) const;

    model::Elastic e_;
    std::vector<Expr> s_, rate_;                 ///< s_a and ṡ_a
    std::vector<std::vector<Expr>> slope_;       ///< ∂_k s_a
    std::vector<Vec3> place_, velocity_;         ///< s and ṡ gathered
    std::vector<std::vector<Expr>> own_moment_;  ///< Σ_a G_ab ∂_k s_a along the axis of b
    spatial::Inertia locked_;
};

}  // namespace linkwright::kinematics
