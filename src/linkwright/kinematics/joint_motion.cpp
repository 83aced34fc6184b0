#include "linkwright/kinematics/joint_motion.hpp"

#include "linkwright/kinematics/small_solve.hpp"

namespace linkwright::kinematics {

using model::Joint;
using model::JointType;
using spatial::Rotation;

namespace {

/// Steps in a row; every step moves the frame and adds columns seen from the frame it has reached.
class Steps {
public:
    explicit Steps(std::size_t freedoms) { motion_.S.resize(freedoms); }

    void turn(std::size_t i, const Vec3& axis, const Expr& q) { step({Rotation::turn(axis, q), {}}, i, {axis, {}}); }
    void slide(std::size_t i, const Vec3& axis, const Expr& q) { step({Rotation(), q * axis}, i, {{}, axis}); }
    void screw(std::size_t i, const Vec3& axis, const Expr& pitch, const Expr& q) {
        step({Rotation::turn(axis, q), (pitch * q) * axis}, i, {axis, pitch * axis});
    }
    JointMotion result() && { return std::move(motion_); }

private:
    void step(const Pose& X, std::size_t i, const Twist& column) {
        for (const std::size_t k : used_) motion_.S[k] = to_inner(X, motion_.S[k]);
        motion_.X = motion_.X * X;
        motion_.S[i] = column;
        used_.push_back(i);
    }
    JointMotion motion_;
    std::vector<std::size_t> used_;
};

std::array<Expr, 4> four(std::span<const Expr> e) { return {e[0], e[1], e[2], e[3]}; }

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
    Steps steps(joint.speeds.size());
    const std::vector<Vec3>& a = joint.axes;
    switch (joint.type) {
        case JointType::weld: break;
        case JointType::revolute: steps.turn(0, a[0], q[0]); break;
        case JointType::prismatic: steps.slide(0, a[0], q[0]); break;
        case JointType::screw: steps.screw(0, a[0], joint.pitch, q[0]); break;
        case JointType::cylindrical:
            steps.slide(1, a[0], q[1]);
            steps.turn(0, a[0], q[0]);
            break;
        case JointType::universal: case JointType::gimbal:
            for (std::size_t i = 0; i < a.size(); ++i) steps.turn(i, a[i], q[i]);
            break;
        case JointType::planar: {
            const auto [x, y] = plane_axes(a[0]);
            steps.slide(0, x, q[0]);
            steps.slide(1, y, q[1]);
            steps.turn(2, a[0], q[2]);
            break;
        }
        case JointType::translation:
            for (std::size_t i = 0; i < a.size(); ++i) steps.slide(i, a[i], q[i]);
            break;
        case JointType::free_axes:
            for (std::size_t i = 0; i < 3; ++i) steps.slide(i, spatial::unit(i), q[i]);
            for (std::size_t i = 0; i < 3; ++i) steps.turn(3 + i, a[i], q[3 + i]);
            break;
        case JointType::spherical: case JointType::free: {
            const bool is_free = joint.type == JointType::free;
            JointMotion motion;
            motion.X.R = Rotation::euler_parameters(four(q.subspan(is_free ? 3 : 0, 4)));
            for (std::size_t i = 0; i < 3; ++i) motion.S.push_back({spatial::unit(i), {}});
            if (is_free) {
                motion.X.p = {{q[0], q[1], q[2]}};
                for (std::size_t i = 0; i < 3; ++i) motion.S.push_back({{}, spatial::unit(i)});
            }
            return motion;
        }
    }
    return std::move(steps).result();
}

Pose parent_frame(const Joint& joint) { return {joint.parent_axes, joint.parent_at}; }
Pose child_frame(const Joint& joint) { return {joint.child_axes, joint.child_at}; }

JointMotion of_child_in_parent(const Joint& joint, std::span<const Expr> q) {
    return after_fixed(parent_frame(joint), then_fixed(in_joint_axes(joint, q), child_frame(joint).inverse()));
}

std::vector<Expr> coordinate_rates(const Joint& joint, std::span<const Expr> q, std::span<const Expr> u) {
    const auto at = model::quaternion_at(joint.type);
    if (!at) return {u.begin(), u.end()};
    std::vector<Expr> rates;
    const std::array<Expr, 4> e = four(q.subspan(*at, 4));
    if (joint.type == JointType::free) {
        const Vec3 v = Rotation::euler_parameters(e) * Vec3{{u[3], u[4], u[5]}};
        rates.assign(v.e.begin(), v.e.end());
    }
    // ė0 = −½ e·ω, ė = ½ (e0 ω + e × ω), ω in the axes fixed in the child
    const Vec3 ev{{e[1], e[2], e[3]}}, w{{u[0], u[1], u[2]}};
    const Expr half = sym::Rational(1, 2);
    rates.push_back(-half * dot(ev, w));
    const Vec3 de = half * (e[0] * w + cross(ev, w));
    rates.insert(rates.end(), de.e.begin(), de.e.end());
    return rates;
}

Expr joint_force(const model::JointForce& force, const Expr& q, const Expr& u) {
    const Expr rest = force.actuator - force.damping * u;  // no spring on Euler parameters: q is then no freedom of its own
    return force.stiffness.is_literally(0) ? rest : rest - force.stiffness * (q - force.rest);
}

Wrench wrench_of(const Joint& joint, const JointMotion& motion, std::span<const Expr> tau) {
    const std::size_t size = motion.S.size();
    if (joint.type == JointType::translation) {  // directions need not be orthogonal: the force F = Σ c_i S_i with S_i·F = τ_i
        std::vector<std::vector<Expr>> gram(size, std::vector<Expr>(size));
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < size; ++j) gram[i][j] = dot(motion.S[i].v, motion.S[j].v);
        }
        const std::vector<Expr> c = solve(gram, {tau.begin(), tau.end()});
        Wrench W;
        for (std::size_t i = 0; i < size; ++i) W.f += c[i] * motion.S[i].v;
        return W;
    }
    if (joint.type == JointType::universal || joint.type == JointType::gimbal || joint.type == JointType::free_axes) {
        // Turns in a row are not orthogonal: the torque T = Σ c_i S_i with S_i·T = τ_i
        const std::size_t first = joint.type == JointType::free_axes ? 3 : 0, n = motion.S.size() - first;
        std::vector<std::vector<Expr>> gram(n, std::vector<Expr>(n));
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) gram[i][j] = dot(motion.S[first + i].w, motion.S[first + j].w);
        }
        const std::vector<Expr> c = solve(gram, {tau.begin() + static_cast<std::ptrdiff_t>(first), tau.end()});
        Wrench W;
        for (std::size_t i = 0; i < n; ++i) W.t += c[i] * motion.S[first + i].w;
        for (std::size_t i = 0; i < first; ++i) W.f += tau[i] * motion.S[i].v;
        return W;
    }
    Wrench W;
    if (joint.type == JointType::screw) {  // along the travel, by which a cut screw is measured
        W.f = (tau[0] / joint.pitch) * motion.S[0].w;
        return W;
    }
    for (std::size_t i = 0; i < size; ++i) {
        W.t += tau[i] * motion.S[i].w;
        W.f += tau[i] * motion.S[i].v;
    }
    return W;
}

}  // namespace linkwright::kinematics
