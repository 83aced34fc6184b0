#pragma once
// A symmetric wheel that spins in a body: what makes a gyrostat of it.
//
// The wheel turns about an axis a fixed in the body, with inertia I about it, by σ relative to the body. Its mass, and its inertia
// when it does not spin, are counted with the body's: spinning moves no mass. So it adds a momentum I σ a, no force, and
//
//     2T = … + I σ (σ + 2 a·ω)
//
// Either σ(t) is held by a motor, or it is a freedom under a torque; the angle itself enters nowhere.

#include "linkwright/kinematics/contribution.hpp"

namespace linkwright::kinematics {

class Rotor final : public Contribution {
public:
    Rotor(const model::Rotor& rotor, Expr t);

    const Vec3& axis() const { return rotor_.axis; }
    const Expr& axial_inertia() const { return rotor_.inertia; }
    const std::optional<Expr>& held_speed() const { return rotor_.speed; }

    std::string_view plural() const override { return "rotors"; }
    Expr twice_kinetic_energy(const Twist& V) const override;
    std::optional<GivenMomentum> given_momentum(const Twist& V) const override;
    Wrench momentum() const override;
    Wrench momentum_rate(const Twist& V) const override;
    Wrench inertial_wrench(const Twist& V, std::span<const Expr> wdot) const override;
    Expr inertia_force(std::size_t k, const Twist& V, const Twist& A, std::span<const Expr> wdot) const override;
    Expr load(std::size_t k) const override;
    bool has_motor() const override { return rotor_.speed.has_value(); }
    Expr motor_power(const Twist& A) const override;
    Wrench partial_momentum(std::size_t k) const override;
    Expr coupling(std::size_t k, const Twist& S) const override;
    Expr inertia(std::size_t k, std::size_t l) const override;

private:
    const Expr& spin() const { return rotor_.speed ? *rotor_.speed : *rotor_.spin; }
    Expr speed_rate() const;  ///< of what is held

    model::Rotor rotor_;
    Expr t_;
};

}  // namespace linkwright::kinematics
