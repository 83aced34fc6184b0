#include "linkwright/kinematics/loads.hpp"

#include "linkwright/sym/dependency.hpp"

namespace linkwright::kinematics {

namespace {

class Gathering {
public:
    explicit Gathering(const Mechanism& m) : m_(m) {
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
                result_.tau[m_.freedoms_of[b][i]] += force(joint, i, joint.coordinates, joint.speeds);
            }
        }
    }
    void rotor_torques() {
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            const Freedom& freedom = m_.freedoms[i];
            if (freedom.is_rotor()) result_.tau[i] += *m_.model->bodies[freedom.body].rotors[freedom.rotor].torque;
        }
    }
    void cut_joint_forces(std::span<const CutJoint> cut_joints) {
        for (const CutJoint& cut : cut_joints) {
            const model::Joint& joint = m_.model->joints[cut.joint];
            if (joint.forces.empty()) continue;
            std::vector<Expr> tau;
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) tau.push_back(force(joint, i, cut.coordinates, cut.speeds));
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
            Expr per_length = -spring.stiffness;
            if (!spring.damping.is_literally(0)) per_length -= spring.damping * dot(d, rate) / l2;
            const Expr along = spring.stiffness * spring.rest + spring.actuator;
            if (!along.is_literally(0)) per_length += along / l;
            push(spring.to, per_length * d);
            push(spring.from, -(per_length * d));
            const Expr energy = spring.rest.is_literally(0) ? l2 : pow(l - spring.rest, 2);
            if (has_potential(spring.stiffness, spring.rest)) result_.potential += spring.stiffness * energy / 2;
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
    /// A spring whose stiffness or rest follows speeds or inputs stores nothing that could be called energy: it is a force.
    static bool has_potential(const Expr& stiffness, const Expr& rest) {
        for (const Expr& e : {stiffness, rest}) {
            for (const Expr& s : sym::symbols_in(e)) {
                if (s.symbol().role == sym::Role::speed || s.symbol().role == sym::Role::input) return false;
            }
        }
        return true;
    }
    void push(const model::PointOf& point, const Vec3& force) {  // ground axes
        const Vec3 f = m_.X_W[point.body].R.back(force);
        result_.on[point.body] += Wrench{cross(point.at, f), f};
    }
    Expr force(const model::Joint& joint, std::size_t i, std::span<const Expr> q, std::span<const Expr> u) {
        const model::JointForce& f = joint.forces[i];
        const Expr along = joint_force(f, q[i], u[i]);
        if (f.stiffness.is_literally(0)) return along;
        const Expr stretch = q[i] - f.rest;
        if (has_potential(f.stiffness, f.rest)) result_.potential += f.stiffness * stretch * stretch / 2;
        return along;
    }

    const Mechanism& m_;
    Loads result_;
};

}  // namespace

Loads loads(const Mechanism& m, std::span<const CutJoint> cut_joints) {
    Gathering gathering(m);
    gathering.joint_forces();
    gathering.rotor_torques();
    gathering.cut_joint_forces(cut_joints);
    gathering.springs();
    gathering.forces();
    return std::move(gathering).result();
}

Expr gravity_potential(const Mechanism& m) {
    Expr V = 0;
    for (BodyIndex b = 1; b < m.X_W.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        if (!body.mass.is_literally(0)) V -= body.mass * dot(m.model->gravity, m.X_W[b] * body.com);
    }
    return V;
}

}  // namespace linkwright::kinematics
