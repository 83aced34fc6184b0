#include "linkwright/kinematics/mechanism.hpp"

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::kinematics {

using model::Joint;
using model::JointStep;
using model::StepKind;

namespace {

constexpr std::size_t none = -1;

std::array<Expr, 4> quaternion_product(const std::array<Expr, 4>& a, const std::array<Expr, 4>& b) {
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

class Builder {
public:
    Builder(const model::Model& model, const topology::Topology& topology, Contributions contributions)
        : m_{&model, &topology, {}, {}, {}, {}, {}, {}, {}, {}, {}, std::move(contributions), {}, {}} {}

    Mechanism build() {
        const model::Model& model = *m_.model;
        const std::size_t n = model.bodies.size();
        m_.freedoms_of.resize(n);
        m_.across.resize(n);
        m_.X_inner.resize(n);
        m_.X_W.resize(n);
        m_.V.resize(n);
        m_.V_joint.resize(n);
        for (BodyIndex b = 0; b < n; ++b) {
            const model::Body& body = model.bodies[b];
            m_.inertia.push_back(spatial::inertia_about_origin(body.mass, body.com, body.inertia));
            for (const auto& c : m_.contributions[b]) m_.inertia[b] = m_.inertia[b] + c->locked_inertia();
        }
        std::vector<BodyIndex> outer_of(model.joints.size(), model::ground);
        for (BodyIndex b = 1; b < n; ++b) outer_of[m_.topology->arc[b]->joint] = b;
        for (std::size_t j = 0; j < model.joints.size(); ++j) {
            if (!m_.topology->is_cut[j]) add_joint(j, outer_of[j]);
        }
        add_own_freedoms();
        for (BodyIndex b = 1; b < n; ++b) {
            const Joint& joint = model.joints[m_.topology->arc[b]->joint];
            if (joint.section) move_section(joint, b);
        }
        for (const BodyIndex b : m_.topology->order) {
            if (b == model::ground) continue;
            const BodyIndex inner = m_.topology->arc[b]->inner;
            m_.X_W[b] = m_.X_W[inner] * m_.X_inner[b];
            for (const auto& [i, S] : m_.across[b]) m_.V_joint[b] += m_.freedoms[i].u * S;
            m_.V[b] = to_inner(m_.X_inner[b], m_.V[inner]) + m_.V_joint[b];
        }
        return std::move(m_);
    }

private:
    Expr acceleration_symbol(const Expr& u) const {
        const std::string& name = u.symbol().name;  // hip' → hip''; fly.wx → fly.wx'
        return m_.model->pool->symbol(name + "'", sym::Role::acceleration);
    }

    /// The functions of time of a joint's coordinates; empty where they are free.
    std::vector<std::optional<Expr>> given_of(const Joint& joint) const {
        std::vector<std::optional<Expr>> given;
        for (const Expr& q : joint.coordinates) given.push_back(given_of(q));
        return given;
    }
    std::optional<Expr> given_of(const Expr& q) const {
        for (const model::Motion& motion : m_.model->motions) {
            if (motion.coordinate == q) return motion.equals;
        }
        return {};
    }

    void add_joint(std::size_t j, BodyIndex outer) {
        const Joint& joint = m_.model->joints[j];
        for (const model::JointMotion& motion : m_.model->joint_motions) {
            if (motion.joint == j) return add_given_joint(joint, motion, outer);
        }
        const std::vector<std::optional<Expr>> given = given_of(joint);
        JointMotion motion = of_child_in_parent(joint, joint.coordinates);
        const std::vector<Expr> rates = coordinate_rates(joint, joint.coordinates, joint.speeds);
        std::vector<std::size_t> coordinate_of(joint.speeds.size(), none);
        for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
            if (model::is_rate(joint.type, i)) coordinate_of[i] = m_.coordinates.size() + i;
        }
        for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
            m_.coordinates.push_back({joint.coordinates[i], rates[i], given[i]});
        }
        place(outer, motion, joint.speeds, coordinate_of);
    }

    /// `coordinate_of`: of which of the mechanism's coordinates each speed is the rate.
    void place(BodyIndex outer, JointMotion motion, std::span<const Expr> speeds, std::span<const std::size_t> coordinate_of) {
        if (m_.topology->arc[outer]->is_reversed) motion = inverse(motion);
        m_.X_inner[outer] = motion.X;
        for (std::size_t i = 0; i < speeds.size(); ++i) {
            m_.freedoms_of[outer].push_back(m_.freedoms.size());
            m_.across[outer].push_back({m_.freedoms.size(), motion.S[i]});
            Freedom freedom{speeds[i], acceleration_symbol(speeds[i]), outer};
            if (coordinate_of[i] != none && m_.coordinates[coordinate_of[i]].given) give(m_.coordinates[coordinate_of[i]], freedom);
            m_.freedoms.push_back(freedom);
        }
    }

    void give(const Coordinate& coordinate, Freedom& freedom) {
        const Expr& value = *coordinate.given;
        const Expr rate = derivative(value, m_.model->t);
        freedom.given = Freedom::Given{rate, derivative(rate, m_.model->t)};
        m_.given.emplace_back(coordinate.q, value);
        m_.given.emplace_back(freedom.u, rate);
        m_.given.emplace_back(freedom.udot, freedom.given->acceleration);
    }

    void add_given_joint(const Joint& joint, const model::JointMotion& given, BodyIndex outer) {
        // Slides and turns in a row, each a coordinate of its own that is a function of time.
        JointMotion motion;
        std::vector<Expr> speeds, travel;
        std::vector<std::size_t> coordinate_of;
        std::array<Expr, 4> e{1, 0, 0, 0};
        const auto add = [&](const std::string& part, const Expr& function) {
            const std::string name = joint.name + "." + part;
            const Expr q = m_.model->pool->symbol(name, sym::Role::coordinate);
            speeds.push_back(m_.model->pool->symbol(name + "'", sym::Role::speed));
            coordinate_of.push_back(m_.coordinates.size());
            m_.coordinates.push_back({q, speeds.back(), function});
            return q;
        };
        const auto slide = [&](const Vec3& axis) {
            travel.push_back(add("given" + std::to_string(travel.size() + 1), given.translation[travel.size()]));
            motion.X.p += travel.back() * axis;
            motion.S.push_back({{}, axis});
        };
        for (const JointStep& step : joint_steps(joint)) {
            if (step.kind == StepKind::slide) slide(step.axis);
            for (std::size_t k = 0; step.kind == StepKind::place && k < 3; ++k) slide(spatial::unit(k));
        }
        for (std::size_t k = 0; k < given.axes.size(); ++k) {
            const Expr q = add("turn" + std::to_string(k + 1), given.angles[k]);
            motion = then_fixed(std::move(motion), {spatial::Rotation::turn(given.axes[k], q), {}});
            motion.S.push_back({given.axes[k], {}});
            const Expr s = sin(q / 2);
            e = quaternion_product(e, {cos(q / 2), s * given.axes[k][0], s * given.axes[k][1], s * given.axes[k][2]});
        }
        Twist V;
        for (std::size_t i = 0; i < speeds.size(); ++i) V += speeds[i] * motion.S[i];
        std::vector<Expr> own(joint.speeds.size());
        for (const JointStep& step : joint_steps(joint)) {
            if (step.kind == StepKind::slide) own[step.speed] = speeds[step.coordinate];
            for (std::size_t k = 0; k < 3 && speeds_of(step.kind) == 3; ++k)
                own[step.speed + k] = (step.kind == StepKind::ball ? V.w : V.v)[k];
        }
        for (std::size_t i = 0; i < travel.size(); ++i) m_.defined.emplace_back(joint.coordinates[i], travel[i]);
        for (std::size_t i = 0; i < 4; ++i) m_.defined.emplace_back(joint.coordinates[travel.size() + i], e[i]);
        for (std::size_t i = 0; i < joint.speeds.size(); ++i) m_.defined.emplace_back(joint.speeds[i], own[i]);
        place(outer, after_fixed(parent_frame(joint), then_fixed(motion, child_frame(joint).inverse())), speeds, coordinate_of);
    }

    /// A section slides and turns in its beam as functions of the beam's own coordinates: its columns are those of slides and turns in a row,
    /// each times the derivative of what it slides or turns by.
    void move_section(const Joint& joint, BodyIndex outer) {
        JointMotion steps;
        std::vector<Expr> travel;
        for (std::size_t k = 0; k < 3; ++k) {
            travel.push_back(joint.parent_at[k]);
            steps.X.p[k] = joint.parent_at[k];
            steps.S.push_back({{}, spatial::unit(k)});
        }
        for (const std::size_t k : {0U, 1U, 2U}) {
            const Vec3 axis = spatial::unit(2 - k);
            const Expr& angle = joint.section->angles[k];
            if (angle.is_literally(0)) continue;
            travel.push_back(angle);
            steps = then_fixed(std::move(steps), {spatial::Rotation::turn(axis, angle), {}});
            steps.S.push_back({axis, {}});
        }
        JointMotion motion{steps.X, {}};
        std::vector<std::size_t> moving;
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            const Freedom& freedom = m_.freedoms[i];
            if (!freedom.is_own() || freedom.body != joint.parent) continue;
            const std::optional<Expr>& q = freedom.of->freedoms()[freedom.column].q;
            if (!q) continue;
            Twist S;
            for (std::size_t k = 0; k < travel.size(); ++k) S += derivative(travel[k], *q) * steps.S[k];
            if (is_zero(S.w) && is_zero(S.v)) continue;
            motion.S.push_back(S);
            moving.push_back(i);
        }
        if (m_.topology->arc[outer]->is_reversed) motion = inverse(motion);
        m_.X_inner[outer] = motion.X;
        for (std::size_t k = 0; k < moving.size(); ++k) m_.across[outer].push_back({moving[k], motion.S[k]});
    }

    void add_own_freedoms() {
        for (BodyIndex b = 1; b < m_.contributions.size(); ++b) {
            for (const auto& c : m_.contributions[b]) {
                for (std::size_t k = 0; k < c->freedoms().size(); ++k) {
                    const OwnFreedom& own = c->freedoms()[k];
                    Freedom freedom{own.u, acceleration_symbol(own.u), b, c, k};
                    if (own.q) m_.coordinates.push_back({*own.q, own.u, given_of(*own.q)});
                    if (own.q && m_.coordinates.back().given) give(m_.coordinates.back(), freedom);
                    m_.freedoms.push_back(std::move(freedom));
                }
            }
        }
    }

    Mechanism m_;
};

}  // namespace

Mechanism move(const model::Model& model, const topology::Topology& topology) { return move(model, topology, contributions(model)); }
Mechanism move(const model::Model& model, const topology::Topology& topology, Contributions contributions) {
    return Builder(model, topology, std::move(contributions)).build();
}

std::vector<Expr> own_part(const Mechanism& m, const Contribution& of, std::span<const Expr> all) {
    std::vector<Expr> own(of.freedoms().size());
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        if (m.freedoms[i].of.get() == &of) own[m.freedoms[i].column] = all[i];
    }
    return own;
}

std::vector<sym::Binding> rates(const Mechanism& m, bool with_udot) {
    std::vector<sym::Binding> r;
    for (const Coordinate& c : m.coordinates) r.emplace_back(c.q, c.rate);
    for (const Freedom& f : m.freedoms) {
        if (with_udot) r.emplace_back(f.u, f.udot);
    }
    for (const model::AuxiliaryState& x : m.model->states) r.emplace_back(x.symbol, x.rate);
    r.emplace_back(m.model->t, Expr(1));
    return r;
}

Vec3 position(const Mechanism& m, const model::PointOf& point) { return m.X_W[point.body] * point.at; }

Vec3 velocity(const Mechanism& m, const model::PointOf& point) {
    const Twist& V = m.V[point.body];
    return m.X_W[point.body].R * (V.v + cross(V.w, point.at));
}

Twist cross_motion(const Twist& V, const Twist& m) { return {cross(V.w, m.w), cross(V.w, m.v) + cross(V.v, m.w)}; }
Wrench cross_force(const Twist& V, const Wrench& F) { return {cross(V.w, F.t) + cross(V.v, F.f), cross(V.w, F.f)}; }

std::vector<Twist> accelerations(const Mechanism& m, const Vec3& ground, std::span<const Expr> udot) {
    sym::Tangent rate(rates(m, false));
    std::vector<Twist> A(m.X_W.size());
    A[model::ground].v = ground;
    for (const BodyIndex b : m.topology->order) {
        if (b == model::ground) continue;
        Twist joint = cross_motion(m.V[b], m.V_joint[b]);
        for (const auto& [i, S] : m.across[b]) {
            for (std::size_t k = 0; k < 3; ++k) {
                joint.w[k] += rate(S.w[k]) * m.freedoms[i].u;
                joint.v[k] += rate(S.v[k]) * m.freedoms[i].u;
            }
            joint += udot[i] * S;
        }
        A[b] = to_inner(m.X_inner[b], A[m.topology->arc[b]->inner]) + joint;
    }
    return A;
}

}  // namespace linkwright::kinematics
