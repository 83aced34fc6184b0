#include "linkwright/formulation/system.hpp"

#include <fmt/format.h>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::formulation {

namespace {

using kinematics::Row;

bool vanishes(const Row& row) {
    return is_zero(row.phi) == sym::Verdict::equal && is_zero(row.rate) == sym::Verdict::equal;
}

/// A holonomic row in which nothing moves.
bool cannot_move(const Row& row) {
    if (!row.is_holonomic) return false;
    for (const Expr& s : symbols_in(row.phi)) {
        if (s.symbol().role == sym::Role::coordinate) return false;
    }
    return true;
}

void add_rods(System& s) {
    for (const model::Rod& rod : s.mechanism.model->rods) {
        const Vec3 d = position(s.mechanism, rod.to) - position(s.mechanism, rod.from);
        // (d²/L − L)/2: no root, a residual in metres, and the multiplier is the tension
        Row row{rod.name, "rod '" + rod.name + "' keeps its length", true, (dot(d, d) / rod.length - rod.length) / 2, 0, {}, rod.where};
        const auto share = [&](const model::PointOf& point, const Vec3& force) {
            const Vec3 f = s.mechanism.X_W[point.body].R.back(force);
            row.shares.push_back({point.body, {cross(point.at, f), f}});
        };
        share(rod.to, (1 / rod.length) * d);
        share(rod.from, (-1 / rod.length) * d);
        s.rows.push_back(std::move(row));
    }
}

/// A row of coordinates and speeds as the model writes it; where these are a cut joint's, what that does to its bodies.
void add_written(System& s, std::string name, std::string about, bool is_holonomic, const Expr& expression, Position where,
                 sym::Substitution& put_in) {
    const Expr e = put_in(expression);
    Row row{std::move(name), std::move(about), is_holonomic, is_holonomic ? e : Expr(0), is_holonomic ? Expr(0) : e, {}, where};
    for (const kinematics::CutJoint& cut : s.cut_joints) {
        const model::Joint& joint = s.mechanism.model->joints[cut.joint];
        std::vector<sym::Binding> rates;
        const std::vector<Expr> of_coordinates = kinematics::coordinate_rates(joint, joint.coordinates, joint.speeds);
        for (std::size_t i = 0; i < joint.coordinates.size(); ++i) rates.emplace_back(joint.coordinates[i], of_coordinates[i]);
        const Expr rate = is_holonomic ? sym::Tangent(rates)(expression) : expression;
        std::vector<Expr> tau;
        bool acts = false;
        for (const Expr& u : joint.speeds) {
            tau.push_back(put_in(derivative(rate, u)));
            acts |= !tau.back().is_literally(0);
        }
        if (!acts) continue;
        const Wrench W = kinematics::wrench_of(joint, kinematics::in_joint_axes(joint, cut.coordinates), tau);
        for (const kinematics::Row::Share& share : kinematics::shares_of(joint, cut, W)) row.shares.push_back(share);
    }
    s.rows.push_back(std::move(row));
}

}  // namespace

System set_up(const model::Model& model, const topology::Topology& topology) {
    System s{kinematics::move(model, topology), {}, {}, {}, {}, {}, {}};
    Mechanism& m = s.mechanism;
    for (const std::size_t chord : topology.chords) {
        s.cut_joints.push_back(kinematics::close(m, chord));
        const kinematics::CutJoint& cut = s.cut_joints.back();
        const model::Joint& joint = model.joints[chord];
        for (std::size_t i = 0; i < joint.coordinates.size(); ++i) m.defined.emplace_back(joint.coordinates[i], cut.coordinates[i]);
        for (std::size_t i = 0; i < joint.speeds.size(); ++i) m.defined.emplace_back(joint.speeds[i], cut.speeds[i]);
        s.rows.insert(s.rows.end(), cut.rows.begin(), cut.rows.end());
    }
    sym::Substitution put_in(m.defined);
    // A motion given to a cut joint's coordinate closes that freedom too.
    for (const model::Motion& motion : model.motions) {
        for (const sym::Binding& b : m.defined) {
            if (b.first == motion.coordinate) {
                const std::string& name = b.first.symbol().name;
                add_written(s, name, "the motion given to '" + name + "'", true, motion.coordinate - motion.equals, motion.where, put_in);
            }
        }
    }
    add_rods(s);
    for (const model::Gear& gear : model.gears) {
        add_written(s, gear.name, "gear '" + gear.name + "' keeps its ratio", true, gear.drive - gear.ratio * gear.driven, gear.where, put_in);
    }
    for (const model::Constraint& c : model.constraints) {
        add_written(s, c.name, "constraint '" + c.name + "'", c.is_holonomic, c.expression, c.where, put_in);
    }
    for (const model::Rolling& rolling : model.rollings) {
        s.contacts.push_back(kinematics::roll(m, rolling));
        s.rows.insert(s.rows.end(), s.contacts.back().rows.begin(), s.contacts.back().rows.end());
    }
    std::erase_if(s.rows, vanishes);
    for (const Row& row : s.rows) {
        if (!cannot_move(row)) continue;
        s.problems.push_back({.severity = Diagnostic::Severity::error, .file = model.file, .where = row.where,
            .what = fmt::format("constraint '{}' cannot be met: no coordinate moves what it holds", row.name),
            .hint = "the points or axes of this joint do not meet in any position; look at its points and axes"});
    }
    for (const Row& row : s.rows) s.lambda.push_back(model.pool->symbol("lambda." + row.name, sym::Role::multiplier));
    s.loads = kinematics::loads(m, s.cut_joints);
    s.loads.potential = put_in(s.loads.potential);  // it will be differentiated: stiffnesses may name cut joints
    return s;
}

std::vector<Wrench> joint_wrenches(const System& s, std::span<const Twist> A, std::span<const Wrench> loads,
                                   std::span<const Expr> udot) {
    const Mechanism& m = s.mechanism;
    std::vector<Wrench> W(m.X_W.size());
    sym::Tangent rate(kinematics::rates(m, false));
    for (BodyIndex b = 1; b < W.size(); ++b) {
        const spatial::Inertia& inertia = m.inertia[b];
        W[b] = inertia * A[b] + kinematics::cross_force(m.V[b], inertia * m.V[b]) - loads[b];
        for (const model::Rotor& rotor : m.model->bodies[b].rotors) {
            if (!rotor.speed) continue;
            const Vec3 H = (rotor.inertia * *rotor.speed) * rotor.axis;
            W[b].t += cross(m.V[b].w, H) + (rotor.inertia * rate(*rotor.speed)) * rotor.axis;
        }
    }
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        if (!m.freedoms[i].is_rotor()) continue;
        const BodyIndex b = m.freedoms[i].body;
        const model::Rotor& rotor = m.model->bodies[b].rotors[m.freedoms[i].rotor];
        W[b].t += cross(m.V[b].w, (rotor.inertia * m.freedoms[i].u) * rotor.axis) + (rotor.inertia * udot[i]) * rotor.axis;
    }
    for (auto b = m.topology->order.rbegin(); b != m.topology->order.rend(); ++b) {
        if (*b != model::ground) W[m.topology->arc[*b]->inner] += to_outer(m.X_inner[*b], W[*b]);
    }
    return W;
}

}  // namespace linkwright::formulation
