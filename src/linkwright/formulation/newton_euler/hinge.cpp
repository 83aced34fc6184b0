#include "linkwright/formulation/newton_euler/hinge.hpp"

#include "linkwright/kinematics/small_solve.hpp"

namespace linkwright::formulation::newton_euler {

using model::Joint;
using model::JointType;
using spatial::unit;

namespace {

/// The directions of forces and torques that a joint type takes up.
class Holding {
public:
    explicit Holding(const Joint& joint) : joint_(joint) {}

    void forces() {
        for (std::size_t k = 0; k < 3; ++k) force(unit(k));
    }
    void torques() {
        for (std::size_t k = 0; k < 3; ++k) torque(unit(k));
    }
    void forces_across(const Vec3& axis) {
        const auto [x, y] = kinematics::plane_axes(axis);
        force(x), force(y);
    }
    void torques_across(const Vec3& axis) {
        const auto [x, y] = kinematics::plane_axes(axis);
        torque(x), torque(y);
    }
    void force(const Vec3& d) { add("f", "its point along ", d, {{}, d}); }
    void torque(const Vec3& d) { add("t", "its attitude about ", d, {d, {}}); }
    /// Travel and turn of a screw go together: a force along the axis comes with the torque −pitch · force.
    void thread(const Vec3& axis) { held_.push_back({"s", "its travel to its angle", {-joint_.pitch * axis, axis}}); }

    std::vector<Held> result() && { return std::move(held_); }

private:
    void add(const std::string& kind, const std::string& about, const Vec3& d, const Wrench& c) {
        std::string letter;
        for (std::size_t k = 0; k < 3; ++k) {
            if (d == unit(k) || d == -unit(k)) letter = std::string(1, "xyz"[k]);
        }
        std::size_t number = 1;
        for (const Held& h : held_) number += h.part.starts_with(kind) ? 1 : 0;
        if (letter.empty()) letter = std::to_string(number);
        held_.push_back({kind + letter, about + letter + " of its axes", c});
    }
    const Joint& joint_;
    std::vector<Held> held_;
};

std::vector<Held> held_by(const Joint& joint, const kinematics::JointMotion& motion) {
    Holding h(joint);
    const std::vector<Vec3>& a = joint.axes;
    switch (joint.type) {
        case JointType::weld: h.forces(), h.torques(); break;
        case JointType::revolute: h.forces(), h.torques_across(a[0]); break;
        case JointType::prismatic: h.forces_across(a[0]), h.torques(); break;
        case JointType::screw: h.forces_across(a[0]), h.thread(a[0]), h.torques_across(a[0]); break;
        case JointType::cylindrical: h.forces_across(a[0]), h.torques_across(a[0]); break;
        case JointType::universal: h.forces(), h.torque(cross(motion.S[0].w, motion.S[1].w)); break;  // as long as the sine between the axes
        case JointType::planar: h.force(a[0]), h.torques_across(a[0]); break;
        case JointType::translation:
            if (a.size() == 1) h.forces_across(a[0]);
            if (a.size() == 2) h.force(cross(a[0], a[1]));
            h.torques();
            break;
        case JointType::gimbal: case JointType::spherical: h.forces(); break;
        case JointType::free: case JointType::free_axes: break;
    }
    return std::move(h).result();
}

std::vector<Wrench> along(const Joint& joint, const kinematics::JointMotion& motion) {
    const std::size_t n = joint.speeds.size();
    if (joint.type == JointType::screw) return {{joint.axes[0], {}}};  // by its turn, so that the pitch may vanish
    std::vector<Wrench> result;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<Expr> one(n);
        one[i] = 1;
        result.push_back(kinematics::wrench_of(joint, motion, one));
    }
    return result;
}

}  // namespace

Hinge hinge_of(const Mechanism& m, BodyIndex outer, std::span<const Twist> V) {
    const topology::Arc& arc = *m.topology->arc[outer];
    const Joint& joint = m.model->joints[arc.joint];
    kinematics::JointMotion motion = kinematics::in_joint_axes(joint, joint.coordinates);
    for (const model::JointMotion& given : m.model->joint_motions) {  // turns of its own, where the joint's coordinates would be
        if (given.joint != arc.joint) continue;
        const Pose X_PC = arc.is_reversed ? m.X_inner[outer].inverse() : m.X_inner[outer];
        motion.X = kinematics::parent_frame(joint).inverse() * X_PC * kinematics::child_frame(joint);
    }
    const Twist V_F = to_inner(kinematics::parent_frame(joint), V[joint.parent]);
    const Twist V_C = to_inner(kinematics::child_frame(joint), V[joint.child]);
    return {arc.joint, motion.X, V_C - to_inner(motion.X, V_F), held_by(joint, motion), along(joint, motion)};
}

Wrench on_child(const Joint& joint, const Wrench& W) { return to_outer(kinematics::child_frame(joint), W); }

Wrench on_parent(const Joint& joint, const Pose& X_FC, const Wrench& W) {
    return Wrench{} - to_outer(kinematics::parent_frame(joint) * X_FC, W);
}

}  // namespace linkwright::formulation::newton_euler
