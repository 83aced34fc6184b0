#include "linkwright/kinematics/loads.hpp"

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::kinematics {

namespace {

class Gathering {
public:
    explicit Gathering(const Mechanism& m, bool without_potential) : m_(m), without_potential_(without_potential) {
        result_.on.resize(m.X_W.size());
        result_.tau.resize(m.freedoms.size());
    }

    void joint_forces() {
        for (BodyIndex b = 1; b < m_.X_W.size(); ++b) {
            const model::Joint& joint = m_.model->joints[m_.topology->arc[b]->joint];
            const bool has_given_motion = m_.freedoms_of[b].size() != joint.speeds.size() ||
                                          (!joint.speeds.empty() && !(m_.freedoms[m_.freedoms_of[b][0]].u == joint.speeds[0]));
            if (joint.forces.empty() || has_given_motion) continue;
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                result_.tau[m_.freedoms_of[b][i]] += force(joint, i, joint.coordinates, joint.speeds, true);
            }
        }
    }
    void own_forces() {
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            const Freedom& freedom = m_.freedoms[i];
            if (!freedom.is_own()) continue;
            result_.tau[i] += freedom.of->load(freedom.column);
            const std::optional<Expr>& q = freedom.of->freedoms()[freedom.column].q;
            if (q && !without_potential_) result_.tau[i] -= derivative(freedom.of->potential(), *q);
        }
        for (const auto& of_body : m_.contributions) {
            for (const auto& c : of_body) result_.potential += c->potential();
        }
    }
    void cut_joint_forces(std::span<const CutJoint> cut_joints) {
        for (const CutJoint& cut : cut_joints) {
            const model::Joint& joint = m_.model->joints[cut.joint];
            if (joint.forces.empty()) continue;
            std::vector<Expr> tau;
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) tau.push_back(force(joint, i, cut.coordinates, cut.speeds, false));
            const Wrench W = wrench_of(joint, in_joint_axes(joint, cut.coordinates), tau);
            result_.on[joint.child] += to_outer(child_frame(joint), W);
            result_.on[joint.parent] -= to_outer(parent_frame(joint) * cut.X_FC, W);
        }
    }
    void springs() {
        for (const model::Spring& spring : m_.model->springs) {
            const Vec3 d = position(m_, spring.to) - position(m_, spring.from);
            const Vec3 rate = velocity(m_, spring.to) - velocity(m_, spring.from);
            // Along increasing length: −k (l − rest) − c l̇ + actuator, on `to`; times d/l. Where a term is free of the length
            // itself (k l · d/l = k d) no root is taken, so a spring without rest length may shrink to nothing.
            const Expr l2 = dot(d, d), l = sqrt(l2);
            const bool is_left_out = without_potential_ && is_gradient(spring.stiffness, spring.rest);
            Expr per_length = is_left_out ? Expr(0) : -spring.stiffness;
            if (!spring.damping.is_literally(0)) per_length -= spring.damping * dot(d, rate) / l2;
            const Expr along = is_left_out ? spring.actuator : spring.stiffness * spring.rest + spring.actuator;
            if (!along.is_literally(0)) per_length += along / l;
            push(spring.to, per_length * d);
            push(spring.from, -(per_length * d));
            // (l − rest)², which to be differentiated is opened: the root then stands alone, as it does in the force
            const Expr energy = spring.rest.is_literally(0) ? l2
                                : is_left_out               ? l2 - 2 * spring.rest * l + spring.rest * spring.rest
                                                            : pow(l - spring.rest, 2);
            if (stores(spring.stiffness, spring.rest, is_left_out)) result_.potential += spring.stiffness * energy / 2;
        }
    }
    void forces() {
        for (const model::Force& force : m_.model->forces) {
            const Vec3 vector = m_.X_W[force.in].R * force.vector;
            push(force.on, vector);
            if (force.from) push(*force.from, -vector);
        }
        for (const model::Torque& torque : m_.model->torques) {
            const Vec3 vector = m_.X_W[torque.in].R * torque.vector;
            result_.on[torque.on].t += m_.X_W[torque.on].R.back(vector);
            if (torque.from) result_.on[*torque.from].t -= m_.X_W[*torque.from].R.back(vector);
        }
    }
    Loads result() && { return std::move(result_); }

private:
    /// A spring whose stiffness or rest follows speeds, inputs or auxiliary states stores nothing that could be called energy: it is a force.
    static bool has_potential(const Expr& stiffness, const Expr& rest) {
        for (const Expr& e : {stiffness, rest}) {
            for (const Expr& s : sym::symbols_in(e)) {
                const sym::Role role = s.symbol().role;
                const bool follows_motion = role == sym::Role::speed || role == sym::Role::input || role == sym::Role::state;
                if (follows_motion || role == sym::Role::auxiliary) return false;
            }
        }
        return true;
    }
    /// The force is minus the gradient of the potential.
    static bool is_gradient(const Expr& stiffness, const Expr& rest) {
        for (const Expr& e : {stiffness, rest}) {
            for (const Expr& s : sym::symbols_in(e)) {
                if (s.symbol().role != sym::Role::parameter && s.symbol().role != sym::Role::time) return false;
            }
        }
        return true;
    }
    bool stores(const Expr& stiffness, const Expr& rest, bool is_left_out) const {
        return without_potential_ ? is_left_out : has_potential(stiffness, rest);
    }
    void push(const model::PointOf& point, const Vec3& force) {  // ground axes
        const Vec3 f = m_.X_W[point.body].R.back(force);
        result_.on[point.body] += Wrench{cross(point.at, f), f};
    }
    Expr force(const model::Joint& joint, std::size_t i, std::span<const Expr> q, std::span<const Expr> u, bool is_of_tree) {
        const model::JointForce& f = joint.forces[i];
        if (f.stiffness.is_literally(0)) return joint_force(f, q[i], u[i]);
        const bool is_left_out = without_potential_ && is_of_tree && model::is_rate(joint.type, i) && is_gradient(f.stiffness, f.rest);
        const Expr along = is_left_out ? f.actuator - f.damping * u[i] : joint_force(f, q[i], u[i]);
        const Expr stretch = q[i] - f.rest;
        if (stores(f.stiffness, f.rest, is_left_out)) result_.potential += f.stiffness * stretch * stretch / 2;
        return along;
    }

    const Mechanism& m_;
    bool without_potential_;
    Loads result_;
};

Loads gather(const Mechanism& m, std::span<const CutJoint> cut_joints, bool without_potential) {
    Gathering gathering(m, without_potential);
    gathering.joint_forces();
    gathering.own_forces();
    gathering.cut_joint_forces(cut_joints);
    gathering.springs();
    gathering.forces();
    return std::move(gathering).result();
}

}  // namespace

Loads loads(const Mechanism& m, std::span<const CutJoint> cut_joints) { return gather(m, cut_joints, false); }

Loads loads_without_potential(const Mechanism& m, std::span<const CutJoint> cut_joints) { return gather(m, cut_joints, true); }

Expr gravity_potential(const Mechanism& m) {
    Expr V = 0;
    for (BodyIndex b = 1; b < m.X_W.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        if (!body.mass.is_literally(0)) V -= body.mass * dot(m.model->gravity, m.X_W[b] * body.com);
        for (const auto& c : m.contributions[b]) {
            const spatial::Inertia own = c->locked_inertia();
            V -= dot(m.model->gravity, own.m * m.X_W[b].p + m.X_W[b].R * own.h);
        }
    }
    return V;
}

}  // namespace linkwright::kinematics
