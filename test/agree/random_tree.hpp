#pragma once
// Trees of every kind, drawn from a seed.

#include "linkwright/model/build.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {

/// Joints of every type, either way round, between frames of every kind; wheels, given motions, springs, massless links.
inline model::Model random_tree(std::uint64_t seed, bool with_parameters) {
    using model::JointType;
    using spatial::Rotation;
    using spatial::Vec3;
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.vector(9);
    static constexpr std::array types{JointType::revolute,  JointType::prismatic, JointType::screw,     JointType::cylindrical,
                                      JointType::universal, JointType::planar,    JointType::gimbal,    JointType::translation,
                                      JointType::spherical, JointType::free,      JointType::free_axes, JointType::weld,
                                      JointType::revolute,  JointType::revolute};
    const std::size_t n = 3 + random.below(4);
    for (std::size_t b = 1; b <= n; ++b) {
        const std::string name = std::to_string(b);
        model::BodyOptions body{.mass = random.number(0.5, 3), .inertia = random.inertia(), .com = random.vector(0.4)};
        if (random.below(4) == 0)
            body.com = {}, body.inertia = spatial::diagonal(sym::Rational(1, 5), sym::Rational(1, 5), sym::Rational(1, 7));
        if (random.below(4) == 0) {
            model::Rotor rotor{random.direction(), sym::Rational(1, 20), {}, {}, {}, {}};
            if (random.below(2) == 0) {
                rotor.speed = random.number(1, 9);
            } else {
                rotor.torque = random.number(-1, 1);
            }
            body.rotors.push_back(rotor);
        }
        const model::BodyIndex outer = model::body(m, "b" + name, body), inner = random.below(3) == 0 ? random.below(outer) : outer - 1;
        const JointType type = types[random.below(types.size())];
        model::JointOptions joint{.parent_at = random.vector(0.5), .child_at = random.vector(0.5)};
        if (with_parameters) {
            joint.parent_axes = random.frame(m);
            joint.child_axes = random.frame(m);
        } else if (random.below(2) == 0) {
            const Vec3 z{{random.number(0.2, 1), random.number(-1, 1), random.number(-1, 1)}};
            joint.parent_axes = Rotation(*spatial::frame_from_axes(2, z, 0, cross(z, {{0, 1, 2}})));
        }
        if (type == JointType::universal)
            joint.axes = random.orthogonal(2);
        else if (type == JointType::gimbal || type == JointType::free_axes)
            joint.axes = random.orthogonal(3);
        else if (type == JointType::translation)
            joint.axes = {*spatial::normalized({{1, 2, static_cast<int>(random.below(3))}}), spatial::unit(1)};
        else if (type == JointType::planar)
            joint.axes = {spatial::unit(random.below(3))};
        else if (type != JointType::spherical && type != JointType::free && type != JointType::weld)
            joint.axes = {random.direction()};
        if (type == JointType::screw) joint.pitch = random.number(0.1, 0.5);
        if (type != JointType::weld) joint.damping = {random.number(0, 1)};
        const bool is_reversed = random.below(3) == 0;
        const std::size_t j =
            is_reversed ? model::joint(m, type, "j" + name, outer, inner, joint) : model::joint(m, type, "j" + name, inner, outer, joint);
        if ((type == JointType::spherical || type == JointType::free) && random.below(3) == 0) {
            const Vec3 travel = type == JointType::free ? Vec3{{sin(m.t), m.t / 3, 0}} : Vec3{};
            m.joint_motions.push_back({j, travel, {spatial::unit(2), random.direction()}, {sin(2 * m.t), m.t / 2}, {}});
        }
        if (type == JointType::revolute && random.below(3) == 0) m.motions.push_back({m.joints[j].coordinates[0], sin(3 * m.t) / 2, {}});
    }
    const auto point = [&] { return model::PointOf{random.below(m.bodies.size()), random.vector(0.4), ""}; };
    m.springs.push_back({"spring", point(), {n, random.vector(0.4), ""}, 3, sym::Rational(1, 10), sym::Rational(1, 2), 0, {}});
    m.forces.push_back({"force", point(), random.vector(2), n, {}, {}});
    return m;
}

}  // namespace linkwright::agree
