#pragma once
// Mechanisms for tests of the graph: bodies of unit mass and inertia, joints where they are asked for.

#include <string>

#include "linkwright/model/model.hpp"

namespace linkwright::topology {

inline model::Model graph(std::size_t bodies) {
    model::Model m;
    m.bodies.resize(1);
    m.bodies[0].name = "ground";
    for (std::size_t i = 1; i <= bodies; ++i) {
        model::Body body;
        body.name = "b" + std::to_string(i);
        body.mass = 1;
        body.inertia = spatial::identity();
        body.where = {.line = static_cast<std::uint32_t>(i), .column = 1};
        m.bodies.push_back(body);
    }
    return m;
}

inline model::Joint& connect(model::Model& m, model::BodyIndex parent, model::BodyIndex child,
                             model::JointType type = model::JointType::revolute, std::size_t axis = 2) {
    using model::JointType;
    model::Joint joint;
    joint.name = "j" + std::to_string(m.joints.size());
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    joint.where = {.line = static_cast<std::uint32_t>(100 + m.joints.size()), .column = 1};
    if (type == JointType::universal) {
        joint.axes = {spatial::unit(0), spatial::unit(1)};
    } else if (type == JointType::gimbal || type == JointType::free || type == JointType::free_axes) {
        joint.axes = {spatial::unit(0), spatial::unit(1), spatial::unit(2)};
    } else if (type != JointType::weld && type != JointType::spherical) {
        joint.axes = {spatial::unit(axis)};
    }
    const model::JointNames names = joint_names(type, joint.name, {});
    for (const std::string& q : names.coordinates) joint.coordinates.push_back(sym::symbol(q, sym::Role::coordinate));
    for (const std::string& u : names.speeds) joint.speeds.push_back(sym::symbol(u, sym::Role::speed));
    m.joints.push_back(joint);
    return m.joints.back();
}

}  // namespace linkwright::topology
