#include "linkwright/formulation/newton_euler/hinge.hpp"

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/spatial/exact.hpp"

namespace linkwright::formulation::newton_euler {

using model::Joint;
using model::JointStep;
using model::StepKind;
using spatial::Rotation;
using spatial::unit;

namespace {

/// The directions of forces and torques that a joint takes up: those that its steps leave out.
///
/// Directions across a slide are fixed in the parent's joint axes. The turns that follow carry the child's away from them, but
/// for a turn that keeps them among themselves; then they may as well be taken as fixed in the child.
class Holding {
public:
    Holding(const Joint& joint, const kinematics::JointMotion& motion) : motion_(motion) {
        for (JointStep& step : joint_steps(joint)) {
            switch (step.kind) {
                case StepKind::turn: turns_.push_back(std::move(step)); break;
                case StepKind::slide: slides_.push_back(std::move(step)); break;
                case StepKind::screw: turns_.push_back(step), slides_.push_back(std::move(step)); break;
                case StepKind::ball: turns_any_way_ = true; break;
                case StepKind::place: travels_any_way_ = true; break;
            }
        }
    }

    std::vector<Held> result() && {
        hold_point();
        for (const JointStep& step : turns_) {
            if (step.kind == StepKind::screw) hold_thread(step);
        }
        hold_attitude();
        return std::move(held_);
    }

private:
    void hold_point() {
        if (travels_any_way_ || slides_.size() == 3) return;
        if (slides_.empty()) {
            for (std::size_t k = 0; k < 3; ++k) force(unit(k), {});
        } else if (slides_.size() == 1) {
            const Vec3& axis = slides_[0].axis;
            const auto [x, y] = spatial::plane_axes(axis);
            const Rotation R = is_kept(axis) ? Rotation() : motion_.X.R;
            force(x, R), force(y, R);
        } else {
            const Vec3 normal = cross(slides_[0].axis, slides_[1].axis);
            force(normal, is_kept(normal) ? Rotation() : motion_.X.R);
        }
    }
    /// Whether turning leaves the axis where it is.
    bool is_kept(const Vec3& axis) const { return !turns_any_way_ && (turns_.empty() || (turns_.size() == 1 && turns_[0].axis == axis)); }
    /// Travel and turn of a screw go together: a force along the axis comes with the torque −pitch · force.
    void hold_thread(const JointStep& step) { held_.push_back({"s", "its travel to its angle", {-step.pitch * step.axis, step.axis}}); }
    void hold_attitude() {
        if (turns_any_way_ || turns_.size() == 3) return;
        if (turns_.empty()) {
            for (std::size_t k = 0; k < 3; ++k) torque(unit(k));
        } else if (turns_.size() == 1) {
            const auto [x, y] = spatial::plane_axes(turns_[0].axis);
            torque(x), torque(y);
        } else {
            torque(cross(motion_.S[turns_[0].speed].w, motion_.S[turns_[1].speed].w));  // as long as the sine between the axes
        }
    }
    void force(const Vec3& d, const Rotation& R) { add("f", ++forces_, "its point along ", d, {{}, R.back(d)}); }
    void torque(const Vec3& d) { add("t", ++torques_, "its attitude about ", d, {d, {}}); }
    /// Named by its axis, or by its number among those of its kind.
    void add(const std::string& kind, std::size_t number, const std::string& about, const Vec3& d, const Wrench& c) {
        std::string letter;
        for (std::size_t k = 0; k < 3; ++k) {
            if (d == unit(k) || d == -unit(k)) letter = std::string(1, "xyz"[k]);
        }
        if (letter.empty()) letter = std::to_string(number);
        held_.push_back({kind + letter, about + letter + " of its axes", c});
    }

    const kinematics::JointMotion& motion_;
    std::vector<JointStep> turns_, slides_;
    bool turns_any_way_ = false, travels_any_way_ = false;
    std::size_t forces_ = 0, torques_ = 0;
    std::vector<Held> held_;
};

std::vector<Wrench> along(const Joint& joint, const kinematics::JointMotion& motion) {
    const std::size_t n = joint.speeds.size();
    for (const JointStep& step : joint_steps(joint)) {
        if (step.kind == StepKind::screw) return {{step.axis, {}}};  // by its turn, so that the pitch may vanish
    }
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
        for (const JointStep& step : joint_steps(joint)) {
            if (step.kind == StepKind::slide) motion.S[step.speed].v = motion.X.R.back(step.axis);
        }
    }
    const Twist V_F = to_inner(kinematics::parent_frame(joint), V[joint.parent]);
    const Twist V_C = to_inner(kinematics::child_frame(joint), V[joint.child]);
    return {arc.joint, motion.X, V_C - to_inner(motion.X, V_F), Holding(joint, motion).result(), along(joint, motion)};
}

Wrench on_child(const Joint& joint, const Wrench& W) { return to_outer(kinematics::child_frame(joint), W); }

Wrench on_parent(const Joint& joint, const Pose& X_FC, const Wrench& W) {
    return Wrench{} - to_outer(kinematics::parent_frame(joint) * X_FC, W);
}

}  // namespace linkwright::formulation::newton_euler
