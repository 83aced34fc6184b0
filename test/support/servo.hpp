#pragma once
// A pendulum that a motor moves: its current, a filtered angle and the wound-up error are auxiliary states. The mechanism is one that can be
// written down by hand.

#include "linkwright/model/build.hpp"

namespace linkwright::test {

inline model::Model servo() {
    using namespace model;
    Model m = empty_model("Servo");
    const sym::PoolScope scope(*m.pool);
    const Expr g = parameter(m, "g", 9.81), l = parameter(m, "l", 0.5), mass = parameter(m, "m", 2), c = parameter(m, "c", 0.1),
               k = parameter(m, "k", 3), L = parameter(m, "L", 0.05), R = parameter(m, "R", 1.5), T = parameter(m, "T", 0.1),
               gain = parameter(m, "gain", 12), integral = parameter(m, "integral", 2), ref = parameter(m, "ref", 0.7);
    m.gravity = {{0, -g, 0}};
    const Expr volts = input(m, "volts", 0.4, {"V", "beside what the controller asks for"});
    const Expr current = state(m, "current", 0, {"A", "in the motor"}), smooth = state(m, "smooth"), wound = state(m, "wound");
    const BodyIndex bob = body(m, "bob", {.mass = mass, .com = {{0, -l, 0}}});
    joint(m, JointType::revolute, "hip", ground, bob, {.damping = {c}, .actuator = {k * current}});
    const Expr hip = *find_coordinate(m, "hip"), hip_rate = *find_speed(m, "hip'");
    m.states[0].rate = (volts - gain * (smooth - ref) - wound - R * current - k * hip_rate) / L;
    m.states[1].rate = (hip - smooth) / T;
    m.states[2].rate = integral * (hip - ref);
    m.initial.push_back({hip, Expr(0.3), {}});
    m.initial.push_back({current, sym::Rational(1, 5) * R, {}});
    m.outputs.push_back(
        {.name = "torque", .kind = Output::Kind::expression, .point = {}, .relative_to = {}, .expression = k * current, .where = {}});
    return m;
}

/// The same motor on the first joint of any model that has one with a coordinate.
inline void add_motor(model::Model& m) {
    using namespace model;
    const sym::PoolScope scope(*m.pool);
    const auto at = std::ranges::find_if(m.joints, [](const Joint& j) { return j.type == JointType::revolute; });
    const Expr current = state(m, "current", 0, {"A", ""}), volts = input(m, "volts", 2);
    m.states.back().rate = (volts - current - sym::Rational(1, 2) * at->speeds[0]) * 5;
    at->forces.resize(1);
    at->forces[0].actuator += 3 * current;
}

}  // namespace linkwright::test
