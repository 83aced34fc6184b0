#include "linkwright/topology/plane.hpp"

#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::topology {

namespace {

using model::Joint;
using model::JointType;
using spatial::Vec3;

/// The direction about which a joint turns, in joint axes; a prismatic joint or a weld has none of its own.
std::optional<Vec3> turning_axis(const Joint& joint) {
    if (joint.type == JointType::revolute || joint.type == JointType::planar) return joint.axes.front();
    return std::nullopt;
}

bool is_parallel(const Vec3& a, const Vec3& b) {
    const Vec3 c = cross(a, b);
    return is_zero(c[0]) == sym::Verdict::equal && is_zero(c[1]) == sym::Verdict::equal &&
           is_zero(c[2]) == sym::Verdict::equal;
}

/// Whether the joint keeps a plane normal to `normal` (joint axes) in itself.
bool keeps(const Joint& joint, const Vec3& normal) {
    switch (joint.type) {
        case JointType::weld: return true;
        case JointType::revolute: case JointType::planar: return is_parallel(joint.axes.front(), normal);
        case JointType::prismatic: case JointType::translation:
            for (const Vec3& axis : joint.axes) {
                if (is_zero(dot(axis, normal)) != sym::Verdict::equal) return false;
            }
            return true;
        default: return false;
    }
}

}  // namespace

bool is_planar(const model::Model& model, const Loop& loop) {
    std::vector<std::size_t> ring =
        loop.joints;  // parent of the chord … child of the chord, and back through the chord
    ring.push_back(loop.chord);
    // The normal, carried round in body axes; it starts at a joint that turns.
    std::size_t start = 0;
    while (start < ring.size() && !turning_axis(model.joints[ring[start]])) ++start;
    if (start == ring.size()) return false;
    // Which way each joint is passed: body by body along the ring.
    std::vector<bool> is_forward(ring.size());
    BodyIndex body = model.joints[loop.chord].parent;
    for (std::size_t k = 0; k < ring.size(); ++k) {
        const Joint& joint = model.joints[ring[k]];
        is_forward[k] = joint.parent == body;
        body = is_forward[k] ? joint.child : joint.parent;
    }
    Vec3 normal = *turning_axis(model.joints[ring[start]]);  // in joint axes, kept by the joint itself
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const std::size_t k = (start + i) % ring.size();
        const Joint& joint = model.joints[ring[k]];
        if (i > 0) normal = (is_forward[k] ? joint.parent_axes : joint.child_axes).back(normal);
        if (!keeps(joint, normal)) return false;
        normal = (is_forward[k] ? joint.child_axes : joint.parent_axes) * normal;
    }
    const Joint& first = model.joints[ring[start]];
    normal = (is_forward[start] ? first.parent_axes : first.child_axes).back(normal);
    return is_parallel(normal, *turning_axis(first));
}

}  // namespace linkwright::topology
