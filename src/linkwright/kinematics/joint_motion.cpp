#include "linkwright/kinematics/joint_motion.hpp"

#include <algorithm>

#include "linkwright/model/form_beam.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::kinematics {

using model::Joint;
using model::JointStep;
using model::StepKind;
using spatial::Rotation;

namespace {

std::array<Expr, 4> four(std::span<const Expr> e) { return {e[0], e[1], e[2], e[3]}; }

bool is_coordinate_axis(const Vec3& a) {
    for (std::size_t k = 0; k < 3; ++k) {
        if (a == spatial::unit(k) || a == -spatial::unit(k)) return true;
    }
    return false;
}

}  // namespace

JointMotion then_fixed(JointMotion motion, const Pose& X_BC) {
    motion.X = motion.X * X_BC;
    for (Twist& column : motion.S) column = to_inner(X_BC, column);
    return motion;
}

JointMotion after_fixed(const Pose& X_ZA, JointMotion motion) {
    motion.X = X_ZA * motion.X;
    return motion;
}

JointMotion inverse(const JointMotion& motion) {
    JointMotion back{motion.X.inverse(), {}};
    for (const Twist& column : motion.S) back.S.push_back(-to_outer(motion.X, column));
    return back;
}

JointMotion in_joint_axes(const Joint& joint, std::span<const Expr> q) {
    JointMotion motion;
    motion.S.resize(joint.speeds.size());
    std::vector<std::size_t> used;  // columns, which every step moves along
    const auto move = [&](const Pose& X) {
        for (const std::size_t k : used) motion.S[k] = to_inner(X, motion.S[k]);
        motion.X = motion.X * X;
    };
    const auto add = [&](std::size_t speed, const Twist& column) {
        motion.S[speed] = column;
        used.push_back(speed);
    };
    for (const JointStep& step : joint_steps(joint)) {
        const std::span<const Expr> of_step = q.subspan(step.coordinate, coordinates_of(step.kind));
        switch (step.kind) {
            case StepKind::turn:
                move({Rotation::turn(step.axis, of_step[0]), {}});
                add(step.speed, {step.axis, {}});
                break;
            case StepKind::slide:
                move({Rotation(), of_step[0] * step.axis});
                add(step.speed, {{}, step.axis});
                break;
            case StepKind::screw:
                move({Rotation::turn(step.axis, of_step[0]), (step.pitch * of_step[0]) * step.axis});
                add(step.speed, {step.axis, step.pitch * step.axis});
                break;
            case StepKind::ball:
                move({Rotation::euler_parameters(four(of_step)), {}});
                for (std::size_t k = 0; k < 3; ++k) add(step.speed + k, {spatial::unit(k), {}});
                break;
            case StepKind::place:  // measured in the axes reached at last: no step moves its columns
                move({Rotation(), {{of_step[0], of_step[1], of_step[2]}}});
                for (std::size_t k = 0; k < 3; ++k) motion.S[step.speed + k] = {{}, spatial::unit(k)};
                break;
        }
    }
    return motion;
}

Pose parent_frame(const Joint& joint) {
    if (!joint.section) return {joint.parent_axes, joint.parent_at};
    return {model::section_axes(joint.section->angles), joint.parent_at};  // with the turn that it ends in
}
Pose child_frame(const Joint& joint) { return {joint.child_axes, joint.child_at}; }

JointMotion of_child_in_parent(const Joint& joint, std::span<const Expr> q) {
    return after_fixed(parent_frame(joint), then_fixed(in_joint_axes(joint, q), child_frame(joint).inverse()));
}

std::vector<Expr> coordinate_rates(const Joint& joint, std::span<const Expr> q, std::span<const Expr> u) {
    const auto at = model::quaternion_at(joint.type);
    if (!at) return {u.begin(), u.end()};
    std::vector<Expr> rates(q.size());
    const std::array<Expr, 4> e = four(q.subspan(*at, 4));
    for (const JointStep& step : joint_steps(joint)) {
        const auto put = [&](const Vec3& rate, std::size_t first) {
            std::ranges::copy(rate.e, rates.begin() + static_cast<std::ptrdiff_t>(first));
        };
        if (coordinates_of(step.kind) == 1) {
            rates[step.coordinate] = u[step.speed];
            continue;
        }
        const Vec3 of_step{{u[step.speed], u[step.speed + 1], u[step.speed + 2]}};
        if (step.kind == StepKind::place) {
            put(Rotation::euler_parameters(e) * of_step, step.coordinate);
            continue;
        }
        // ė0 = −½ e·ω, ė = ½ (e0 ω + e × ω), ω in the axes fixed in the child
        const Vec3 ev{{e[1], e[2], e[3]}};
        const Expr half = sym::Rational(1, 2);
        rates[step.coordinate] = -half * dot(ev, of_step);
        put(half * (e[0] * of_step + cross(ev, of_step)), step.coordinate + 1);
    }
    return rates;
}

Expr joint_force(const model::JointForce& force, const Expr& q, const Expr& u) {
    const Expr rest = force.actuator - force.damping * u;  // no spring on Euler parameters: q is then no freedom of its own
    return force.stiffness.is_literally(0) ? rest : rest - force.stiffness * (q - force.rest);
}

Wrench wrench_of(const Joint& joint, const JointMotion& motion, std::span<const Expr> tau) {
    Wrench W;
    std::vector<std::size_t> turns, slides, others;  // by their speeds
    bool are_square = true;                          // slides along coordinate axes
    for (const JointStep& step : joint_steps(joint)) {
        if (step.kind == StepKind::screw) {  // along the travel, by which a cut screw is measured
            W.f = (tau[step.speed] / step.pitch) * motion.S[step.speed].w;
            return W;
        }
        std::vector<std::size_t>& of_kind = step.kind == StepKind::turn ? turns : step.kind == StepKind::slide ? slides : others;
        for (std::size_t k = 0; k < speeds_of(step.kind); ++k) of_kind.push_back(step.speed + k);
        if (step.kind == StepKind::slide) are_square = are_square && is_coordinate_axis(step.axis);
    }
    const auto add = [&](std::size_t i, const Expr& by) {
        W.t += by * motion.S[i].w;
        W.f += by * motion.S[i].v;
    };
    const bool are_oblique = slides.size() > 1 && !are_square;
    if (turns.size() < 2 && !are_oblique) {
        for (std::size_t i = 0; i < tau.size(); ++i) add(i, tau[i]);
        return W;
    }
    // Turns in a row are not orthogonal, and slides need not be: the torque T = Σ c_i S_i with S_i·T = τ_i, likewise the force
    const auto add_oblique = [&](const std::vector<std::size_t>& speeds, Vec3 Twist::* part) {
        sym::Matrix gram = sym::zeros(speeds.size(), speeds.size());
        std::vector<Expr> b;
        for (std::size_t i = 0; i < speeds.size(); ++i) {
            for (std::size_t j = 0; j < speeds.size(); ++j) gram[i][j] = dot(motion.S[speeds[i]].*part, motion.S[speeds[j]].*part);
            b.push_back(tau[speeds[i]]);
        }
        const std::vector<Expr> c = solve(gram, b);
        for (std::size_t i = 0; i < speeds.size(); ++i) add(speeds[i], c[i]);
    };
    add_oblique(turns, &Twist::w);
    if (are_oblique)
        add_oblique(slides, &Twist::v);
    else
        others.insert(others.begin(), slides.begin(), slides.end());
    for (const std::size_t i : others) add(i, tau[i]);
    return W;
}

}  // namespace linkwright::kinematics
