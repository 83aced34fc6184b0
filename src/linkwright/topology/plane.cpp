#include "linkwright/topology/plane.hpp"

#include <algorithm>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::topology {

namespace {

using model::Joint;
using model::JointStep;
using model::StepKind;
using spatial::Vec3;

/// What a joint that may keep a plane in itself does: one turn at most, and slides.
struct InPlane {
    std::optional<Vec3> turn;
    std::vector<Vec3> slides;
};
std::optional<InPlane> in_plane(const Joint& joint) {
    std::size_t turns = 0;
    for (const model::StepPattern& step : steps_of(joint.type, joint.axes.size())) {
        turns += step.kind == StepKind::turn ? 1 : 0;
        if ((step.kind != StepKind::turn && step.kind != StepKind::slide) || turns > 1) return std::nullopt;
    }
    InPlane p;
    for (const JointStep& step : joint_steps(joint)) {
        if (step.kind == StepKind::slide)
            p.slides.push_back(step.axis);
        else
            p.turn = step.axis;
    }
    if (p.turn && std::ranges::find(p.slides, *p.turn) != p.slides.end()) return std::nullopt;  // along the normal
    return p;
}

/// The direction about which a joint turns in its plane, in joint axes; a prismatic joint or a weld has none of its own.
std::optional<Vec3> turning_axis(const Joint& joint) {
    const auto p = in_plane(joint);
    return p ? p->turn : std::nullopt;
}

bool is_parallel(const Vec3& a, const Vec3& b) {
    const Vec3 c = cross(a, b);
    return is_zero(c[0]) == sym::Verdict::equal && is_zero(c[1]) == sym::Verdict::equal && is_zero(c[2]) == sym::Verdict::equal;
}

/// Whether the joint keeps a plane normal to `normal` (joint axes) in itself.
bool keeps(const Joint& joint, const Vec3& normal) {
    const auto p = in_plane(joint);
    if (!p || (p->turn && !is_parallel(*p->turn, normal))) return false;
    return std::ranges::all_of(p->slides, [&](const Vec3& axis) { return is_zero(dot(axis, normal)) == sym::Verdict::equal; });
}

}  // namespace

bool is_planar(const model::Model& model, const Loop& loop) {
    std::vector<std::size_t> ring = loop.joints;  // parent of the chord … child of the chord, and back through the chord
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
