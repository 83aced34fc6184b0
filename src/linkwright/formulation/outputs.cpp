#include "linkwright/formulation/outputs.hpp"

#include <algorithm>

#include "linkwright/formulation/armature.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation {

using model::Output;

const std::vector<Twist>& Observables::accelerations() {
    if (accelerations_.empty()) {
        std::vector<Expr> udot;
        for (const kinematics::Freedom& freedom : s_.mechanism.freedoms) udot.push_back(freedom.udot);
        accelerations_ = kinematics::accelerations(s_.mechanism, {}, udot);
    }
    return accelerations_;
}

const std::vector<Wrench>& Observables::wrenches() {
    if (!wrenches_.empty()) return wrenches_;
    const Mechanism& m = s_.mechanism;
    std::vector<Wrench> loads = s_.loads.on;
    for (BodyIndex b = 1; b < loads.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        const Vec3 weight = m.X_W[b].R.back(body.mass * m.model->gravity);
        loads[b] += Wrench{cross(body.com, weight), weight};
        for (const auto& c : m.contributions[b]) {
            const spatial::Inertia own = c->locked_inertia();
            const Vec3 g = m.X_W[b].R.back(m.model->gravity);
            loads[b] += Wrench{cross(own.h, g), own.m * g};
        }
    }
    for (std::size_t r = 0; r < s_.rows.size(); ++r) {
        for (const kinematics::Row::Share& share : s_.rows[r].shares) {
            loads[share.body] -= Wrench{s_.lambda[r] * share.on.t, s_.lambda[r] * share.on.f};
        }
    }
    if (has_armature_across(s_)) {
        const std::vector<Expr> accelerations = armature_accelerations(s_);
        for (const kinematics::CutJoint& cut : s_.cut_joints) {
            const auto W = armature_wrench(s_, cut, accelerations);
            if (!W) continue;
            for (const kinematics::Row::Share& share : kinematics::shares_of(m.model->joints[cut.joint], cut, *W))
                loads[share.body] += share.on;
        }
    }
    std::vector<Expr> udot;
    for (const kinematics::Freedom& freedom : m.freedoms) udot.push_back(freedom.udot);
    wrenches_ = joint_wrenches(s_, accelerations(), loads, udot);
    return wrenches_;
}

Wrench Observables::reaction(std::size_t j) {
    const Mechanism& m = s_.mechanism;
    const model::Joint& joint = m.model->joints[j];
    const auto in_ground = [&](BodyIndex body, const Wrench& W, const Vec3& at) {  // reduced to the point `at` of the body
        const spatial::Rotation& R = m.X_W[body].R;
        return Wrench{R * (W.t - cross(at, W.f)), R * W.f};
    };
    for (const kinematics::CutJoint& cut : s_.cut_joints) {
        if (cut.joint != j) continue;
        Wrench W;
        for (std::size_t r = 0; r < s_.rows.size(); ++r) {
            for (const kinematics::Row::Share& share : s_.rows[r].shares) {
                if (share.through == j) W -= Wrench{s_.lambda[r] * share.on.t, s_.lambda[r] * share.on.f};
            }
        }
        if (!joint.forces.empty()) {
            std::vector<Expr> tau;
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                const model::JointForce& f = joint.forces[i];
                tau.push_back(kinematics::joint_force(f, cut.coordinates[i], cut.speeds[i]));
            }
            W += to_outer(kinematics::child_frame(joint),
                          kinematics::wrench_of(joint, kinematics::in_joint_axes(joint, cut.coordinates), tau));
        }
        if (const auto drives = armature_wrench(s_, cut, armature_accelerations(s_)))
            W += to_outer(kinematics::child_frame(joint), *drives);
        return in_ground(joint.child, W, joint.child_at);
    }
    if (reaction_in_tree_) return reaction_in_tree_(j);
    const BodyIndex outer = m.topology->arc[joint.child] && m.topology->arc[joint.child]->joint == j ? joint.child : joint.parent;
    const Wrench W = wrenches()[outer];
    if (outer == joint.child) return in_ground(outer, W, joint.child_at);
    // The tree runs the other way: what the child passes to the parent is W; on the child acts its opposite, reduced to the
    // joint's point on the child.
    const Vec3 at = m.X_W[joint.parent].inverse() * (m.X_W[joint.child] * joint.child_at);
    const Wrench on_parent = in_ground(outer, W, at);
    return Wrench{} - on_parent;
}

Vec3 Observables::position(const Output& o) const {
    const Mechanism& m = s_.mechanism;
    Vec3 p = kinematics::position(m, o.point);
    if (o.relative_to) p -= kinematics::position(m, *o.relative_to);
    return m.X_W[o.in].R.back(p);
}

Vec3 Observables::velocity(const Output& o) const {
    const Mechanism& m = s_.mechanism;
    Vec3 v = kinematics::velocity(m, o.point);
    if (o.relative_to) {  // seen from the body: v − v_Q − ω × d
        const BodyIndex b = o.relative_to->body;
        const Vec3 d = kinematics::position(m, o.point) - kinematics::position(m, *o.relative_to);
        v -= kinematics::velocity(m, *o.relative_to) + cross(m.X_W[b].R * m.V[b].w, d);
    }
    return m.X_W[o.in].R.back(v);
}

Vec3 Observables::point_acceleration(const model::PointOf& point) {
    const Mechanism& m = s_.mechanism;
    const Twist &A = accelerations()[point.body], &V = m.V[point.body];
    return m.X_W[point.body].R * (A.v + cross(V.w, V.v) + cross(A.w, point.at) + cross(V.w, cross(V.w, point.at)));
}

Vec3 Observables::acceleration(const Output& o) {
    const Mechanism& m = s_.mechanism;
    Vec3 a = point_acceleration(o.point);
    if (o.relative_to) {  // a − a_Q − α × d − ω × (ω × d) − 2 ω × v_rel
        const BodyIndex b = o.relative_to->body;
        const Vec3 d = kinematics::position(m, o.point) - kinematics::position(m, *o.relative_to);
        const Vec3 w = m.X_W[b].R * m.V[b].w, alpha = m.X_W[b].R * accelerations()[b].w;
        const Vec3 v = kinematics::velocity(m, o.point) - kinematics::velocity(m, *o.relative_to) - cross(w, d);
        a -= point_acceleration(*o.relative_to) + cross(alpha, d) + cross(w, cross(w, d)) + Expr(2) * cross(w, v);
    }
    return m.X_W[o.in].R.back(a);
}

std::vector<eom::Output> outputs(const System& s, Observables& sight) {
    const Mechanism& m = s.mechanism;
    std::vector<eom::Output> out;
    const auto add_vector = [&](const std::string& name, const Vec3& v, std::initializer_list<const char*> parts) {
        std::size_t k = 0;
        for (const char* part : parts) out.push_back({name + part, v[k++]});
    };
    for (const kinematics::CutJoint& cut : s.cut_joints) {
        const model::Joint& joint = m.model->joints[cut.joint];
        for (std::size_t i = 0; i < cut.coordinates.size(); ++i) out.push_back({joint.coordinates[i].symbol().name, cut.coordinates[i]});
        for (std::size_t i = 0; i < cut.speeds.size(); ++i) out.push_back({joint.speeds[i].symbol().name, cut.speeds[i]});
    }
    for (std::size_t r = 0; r < s.rows.size(); ++r) {
        for (const model::Rod& rod : m.model->rods) {
            if (rod.name == s.rows[r].name) out.push_back({rod.name + ".tension", s.lambda[r]});
        }
        for (const model::Constraint& c : m.model->constraints) {
            if (c.name == s.rows[r].name) out.push_back({c.name + ".force", -s.lambda[r]});
        }
        for (const model::Gear& gear : m.model->gears) {
            if (gear.name == s.rows[r].name) out.push_back({gear.name + ".force", -s.lambda[r]});
        }
        for (const model::Motion& motion : m.model->motions) {  // of a cut joint
            if (motion.coordinate.symbol().name == s.rows[r].name) out.push_back({s.rows[r].name + ".force", -s.lambda[r]});
        }
        for (const model::Rolling& rolling : m.model->rollings) {
            for (const char* part : {".normal", ".along", ".across"}) {
                if (rolling.name + part == s.rows[r].name) out.push_back({s.rows[r].name, -s.lambda[r]});
            }
        }
    }
    for (std::size_t i = 0; i < s.contacts.size(); ++i) {
        add_vector(m.model->rollings[i].name + ".point", s.contacts[i].point, {".x", ".y", ".z"});
    }
    for (const Output& o : m.model->outputs) {
        switch (o.kind) {
            case Output::Kind::position: add_vector(o.name, sight.position(o), {".x", ".y", ".z"}); break;
            case Output::Kind::velocity: add_vector(o.name, sight.velocity(o), {".x", ".y", ".z"}); break;
            case Output::Kind::acceleration: add_vector(o.name, sight.acceleration(o), {".x", ".y", ".z"}); break;
            case Output::Kind::orientation: {
                const spatial::Rotation R = m.X_W[o.in].R.inverse() * m.X_W[o.point.body].R;
                for (std::size_t i = 0; i < 3; ++i) {
                    for (std::size_t j = 0; j < 3; ++j) {
                        out.push_back({o.name + "." + "xyz"[i] + "xyz"[j], R.matrix()[i][j]});
                    }
                }
                break;
            }
            case Output::Kind::reaction: {
                const Wrench W = sight.reaction(o.joint);
                add_vector(o.name, W.f, {".fx", ".fy", ".fz"});
                add_vector(o.name, W.t, {".tx", ".ty", ".tz"});
                break;
            }
            case Output::Kind::expression: out.push_back({o.name, o.expression}); break;
        }
    }
    return out;
}

}  // namespace linkwright::formulation
