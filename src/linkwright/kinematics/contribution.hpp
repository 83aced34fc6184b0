#pragma once
// What moves inside a body, and what that adds to the body's mechanics.
//
// A body is a frame and mass. If nothing moves in the frame, V = (ω, v) and the inertia I about the origin say everything:
// 2T = VᵀI V, the momentum is I V, the wrench that it takes is I A + V ×* I V. Now let things move inside: wheels that spin, masses
// on springs, a beam that bends. Each has freedoms w of its own, with or without coordinates y, and perhaps a motion that a
// motor holds. Then, with the *locked* inertia I(y), which is that of the body when w = 0,
//
//     2T = VᵀI(y)V + 2 Vᵀ(P(y)w + h(t)) + wᵀN(y)w + …(t)
//
// P_k is the momentum of a unit speed of freedom k while the frame rests, h the momentum of what is held. The first term is the
// rigid body's and stays where it is: Mechanism::inertia has I(y), and formulations sum composite bodies of it, or take it
// apart into mass, centre and tensor. The rest is a Contribution; a body has a list of them.
//
// One class for each kind of thing (rotor.hpp has the first), and three faces for three kinds of method, so that formulations
// share what a body is and not how its equations are derived:
//
//     energies    twice_kinetic_energy, given_momentum, potential        lagrange; the energy of the invariants
//     momenta     momentum, momentum_rate                                newton_euler, barycentric, roberson_schwertassek; the
//                                                                        momentum of the invariants
//     forces      inertial_wrench, inertia_force                         kane; reactions
//     columns     partial_momentum, coupling, inertia                    mass matrices that are not derivatives of T
//
// Each is written down for itself. test/laws/contribution_test.cpp holds them together: ∂T/∂V and ∂T/∂w are the momenta, the wrench is
// d/dt of the momentum, the own row is Lagrange's, the power of both is dT/dt. A face that says something else is found there.
//
// All is in body axes about the body's origin. V and A are the velocity and the acceleration of the frame as fields, as in
// Mechanism; gravity comes as an acceleration of the ground, in A.

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "linkwright/model/model.hpp"
#include "linkwright/spatial/inertia.hpp"

namespace linkwright::kinematics {

using spatial::Pose;
using spatial::Twist;
using spatial::Vec3;
using spatial::Wrench;
using sym::Expr;

/// A freedom that a body has beside those of its joint.
struct OwnFreedom {
    Expr u;                 ///< its speed, a symbol
    std::optional<Expr> q;  ///< the coordinate whose rate it is; nothing when that is cyclic and nobody asks for it
};

/// The part of T that is linear in the speeds, `momentum` · `along`. The momentum is not the motion's to change: it is
/// differentiated by t and nothing else.
struct GivenMomentum {
    Expr momentum;
    Expr along;  ///< the velocity of the frame that it meets
};

class Contribution {
public:
    explicit Contribution(std::vector<OwnFreedom> freedoms) : freedoms_(std::move(freedoms)) {}
    virtual ~Contribution() = default;
    Contribution(const Contribution&) = delete;
    Contribution& operator=(const Contribution&) = delete;

    /// w; indices k, l below count them.
    const std::vector<OwnFreedom>& freedoms() const { return freedoms_; }
    /// As a page calls several of them: "rotors".
    virtual std::string_view plural() const = 0;
    /// Whether it moves mass inside the body. What does not is balanced, as a wheel is: it has no linear momentum.
    virtual bool moves_mass() const { return false; }

    /// What it adds to the inertia that the model gives the body, everything locked where it is. Its weight acts there.
    virtual spatial::Inertia locked_inertia() const { return {}; }

    // Energies
    /// 2T without the locked body: 2 Vᵀ(P w + h) + wᵀN w.
    virtual Expr twice_kinetic_energy(const Twist& V) const = 0;
    /// When something is held: Vᵀh. Its own freedoms, if it had any, would make this two contributions.
    virtual std::optional<GivenMomentum> given_momentum(const Twist&) const { return std::nullopt; }
    /// Of springs in it; a function of its coordinates. Their forces are its gradient, and not among `load`.
    virtual Expr potential() const { return 0; }

    // Momenta
    /// P w + h.
    virtual Wrench momentum() const = 0;
    /// İ V + Ṗ w + ḣ: how the momentum changes in the axes of the body when V and w do not.
    virtual Wrench momentum_rate(const Twist& V) const = 0;

    // Forces
    /// The wrench that it takes to move all this, without that for the locked body: P ẇ + V ×* (P w + h) + İ V + Ṗ w + ḣ.
    virtual Wrench inertial_wrench(const Twist& V, std::span<const Expr> wdot) const = 0;
    /// The force along freedom k that it takes: (Pᵀ A + N ẇ)_k and what is left at rest, d/dt ∂T/∂w_k − ∂T/∂y_k.
    virtual Expr inertia_force(std::size_t k, const Twist& V, const Twist& A, std::span<const Expr> wdot) const = 0;
    /// What acts along freedom k from inside the body, `potential` apart.
    virtual Expr load(std::size_t k) const = 0;
    /// A motor holds something at its speed, and what it brings in (or takes) when the frame accelerates by A.
    virtual bool has_motor() const { return false; }
    virtual Expr motor_power(const Twist&) const { return 0; }

    // Columns
    virtual Wrench partial_momentum(std::size_t k) const = 0;        ///< P_k
    virtual Expr coupling(std::size_t k, const Twist& S) const = 0;  ///< P_kᵀ S
    virtual Expr inertia(std::size_t k, std::size_t l) const = 0;    ///< N_kl

private:
    std::vector<OwnFreedom> freedoms_;
};

/// Of each body, in the order of the file.
using Contributions = std::vector<std::vector<std::shared_ptr<const Contribution>>>;

/// What the bodies of a model carry: the one place that knows all kinds.
Contributions contributions(const model::Model& model);

}  // namespace linkwright::kinematics
