#include "linkwright/kinematics/rotor.hpp"

#include "linkwright/sym/derivative.hpp"

namespace linkwright::kinematics {

namespace {

std::vector<OwnFreedom> freedoms_of(const model::Rotor& rotor) {
    if (rotor.speed) return {};
    return {{*rotor.spin, std::nullopt}};
}

}  // namespace

Rotor::Rotor(const model::Rotor& rotor, Expr t) : Contribution(freedoms_of(rotor)), rotor_(rotor), t_(std::move(t)) {}

Expr Rotor::speed_rate() const { return sym::Tangent({{t_, Expr(1)}})(*rotor_.speed); }

Expr Rotor::twice_kinetic_energy(const Twist& V) const { return rotor_.inertia * spin() * (spin() + 2 * dot(rotor_.axis, V.w)); }

std::optional<GivenMomentum> Rotor::given_momentum(const Twist& V) const {
    if (!rotor_.speed) return std::nullopt;
    const Expr along = dot(rotor_.axis, V.w);
    return GivenMomentum{rotor_.inertia * *rotor_.speed, along};
}

Wrench Rotor::momentum() const { return {(rotor_.inertia * spin()) * rotor_.axis, {}}; }

Wrench Rotor::momentum_rate(const Twist&) const {
    if (!rotor_.speed) return {};
    return {(rotor_.inertia * speed_rate()) * rotor_.axis, {}};
}

Wrench Rotor::inertial_wrench(const Twist& V, std::span<const Expr> wdot) const {
    const Vec3 H = (rotor_.inertia * spin()) * rotor_.axis;
    return {cross(V.w, H) + (rotor_.inertia * (rotor_.speed ? speed_rate() : wdot[0])) * rotor_.axis, {}};
}

Expr Rotor::inertia_force(std::size_t, const Twist&, const Twist& A, std::span<const Expr> wdot) const {
    return rotor_.inertia * (dot(rotor_.axis, A.w) + wdot[0]);
}

Expr Rotor::load(std::size_t) const { return *rotor_.torque; }

/// The motor turns against the body, and both turn.
Expr Rotor::motor_power(const Twist& A) const { return rotor_.inertia * (dot(rotor_.axis, A.w) + speed_rate()) * *rotor_.speed; }

Wrench Rotor::partial_momentum(std::size_t) const { return {rotor_.inertia * rotor_.axis, {}}; }

Expr Rotor::coupling(std::size_t, const Twist& S) const { return rotor_.inertia * dot(rotor_.axis, S.w); }

Expr Rotor::inertia(std::size_t, std::size_t) const { return rotor_.inertia; }

}  // namespace linkwright::kinematics
