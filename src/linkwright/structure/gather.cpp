#include "linkwright/structure/gather.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linkwright/kinematics/closure.hpp"
#include "linkwright/kinematics/mechanism.hpp"
#include "linkwright/model/beam_numbers.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"

namespace linkwright::structure {

namespace {

using sym::Expr;

bool names_points(const Expr& e) {
    return std::ranges::any_of(symbols_in(e), [](const Expr& s) { return s.symbol().role == sym::Role::auxiliary; });
}

class Gathering {
public:
    Gathering(const model::Model& model, const topology::Topology& topology, const GatherOptions& options)
        : model_(model), options_(options), scope_(*model.pool), parameters_(model), mechanism_(kinematics::move(model, topology)) {
        values_[model.t.id()] = options.t;
        for (const model::Input& x : model.inputs) values_[x.symbol.id()] = named(x.symbol);
        for (const kinematics::Coordinate& c : mechanism_.coordinates) {
            if (!c.given) values_[c.q.id()] = named(c.q);
        }
        for (const model::Body& b : model.bodies) {  // straight
            if (!b.beam) continue;
            for (const Expr& q : b.beam->elastic.coordinates) values_[q.id()] = 0;
        }
        for (const kinematics::Coordinate& c : mechanism_.coordinates) {
            if (c.given) values_[c.q.id()] = value(*c.given);
        }
        for (const sym::Binding& b : mechanism_.defined) values_[b.first.id()] = value(b.second);
        for (const std::size_t chord : topology.chords) {
            const kinematics::CutJoint cut = kinematics::close(mechanism_, chord);
            for (std::size_t i = 0; i < cut.coordinates.size(); ++i)
                values_[model.joints[chord].coordinates[i].id()] = value(cut.coordinates[i]);
        }
    }

    Gathered run() {
        out_.structure.name = model_.name;
        find_sections();
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) add_body(b);
        for (std::size_t j = 0; j < model_.joints.size(); ++j) add_joint(j);
        for (const model::Spring& x : model_.springs) add_spring(x);
        for (const model::Rod& x : model_.rods) add_rod(x);
        for (const model::Gear& x : model_.gears) {
            tie("gear '" + x.name + "'", x.where, x.drive - x.ratio * x.driven);
        }
        for (const model::Constraint& x : model_.constraints) {
            if (names_points(x.expression))
                refuse(x.where,
                       fmt::format("the constraint '{}' names points, which a structure does not know: write it in coordinates", x.name));
            else if (x.is_holonomic)
                tie("constraint '" + x.name + "'", x.where, x.expression);
            else
                refuse(x.where, fmt::format("the constraint '{}' holds velocities: it cannot be part of a structure", x.name));
        }
        for (const model::Rolling& x : model_.rollings)
            refuse(x.where, fmt::format("the rolling contact '{}' cannot be part of a structure", x.name));
        remark();
        return std::move(out_);
    }

private:
    double named(const Expr& symbol) const {
        const auto at = options_.values.find(symbol.symbol().name);
        return at == options_.values.end() ? 0 : at->second;
    }
    double value(const Expr& e) const {
        return sym::evaluate<double>(e, [&](const Expr& s) {
            const auto at = values_.find(s.id());
            return at != values_.end() ? at->second : parameters_(s);
        });
    }
    Vector3d value(const spatial::Vec3& v) const { return {value(v[0]), value(v[1]), value(v[2])}; }
    Matrix3d value(const spatial::Mat3& m) const {
        Matrix3d r;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) r(i, j) = value(m[i][j]);
        }
        return r;
    }

    void refuse(Position where, std::string what, std::string hint = {}) {
        out_.problems.push_back({Diagnostic::Severity::error, model_.file, where, std::move(what), std::move(hint)});
    }

    void find_sections() {
        section_of_.resize(model_.bodies.size());
        for (const model::Joint& j : model_.joints) {
            if (j.section) section_of_[j.child] = &j;
        }
        index_.resize(model_.bodies.size());
        for (std::size_t b = 0, n = 0; b < model_.bodies.size(); ++b) {
            if (section_of_[b] == nullptr) index_[b] = n++;
        }
    }

    void add_body(std::size_t b) {
        if (section_of_[b] != nullptr) return;
        const model::Body& body = model_.bodies[b];
        Body out{.name = body.name, .is_ground = b == model::ground, .where = body.where};
        out.R = value(mechanism_.X_W[b].R.matrix()), out.p = value(mechanism_.X_W[b].p);
        if (body.beam) {
            out.beam = model::beam_numbers(*body.beam, [&](const Expr& e) { return value(e); });
            out.elements = body.beam->elements > 0 && !options_.overrides ? body.beam->elements : options_.elements;
        } else if (!out.is_ground) {
            out.mass = value(body.mass), out.com = value(body.com), out.inertia = value(body.inertia);
        }
        out_.structure.bodies.push_back(std::move(out));
    }

    /// What a body of the model is fixed to; offset from there.
    Place place(std::size_t body, const Vector3d& offset) const {
        const model::Joint* on = section_of_[body];
        if (on == nullptr) return {.body = index_[body], .offset = offset};
        return {
            .body = index_[on->parent], .is_section = true, .at = value(on->section->at), .turns = on->section->turns, .offset = offset};
    }
    Place place(const model::PointOf& point) const { return place(point.body, value(point.at)); }
    /// Where the place is, beams straight.
    Vector3d position(const Place& p) const {
        const Body& body = out_.structure.bodies[p.body];
        return body.p + body.R * (p.offset + (p.is_section ? Vector3d(p.at, 0, 0) : Vector3d::Zero()));
    }
    /// The same place with an offset that leads to a point of the ground.
    Place leading_to(Place p, const Vector3d& point) const {
        p.offset.setZero();
        p.offset = out_.structure.bodies[p.body].R.transpose() * (point - position(p));
        for (double& x : p.offset) {
            if (std::abs(x) < 1e-14 * (1 + point.norm())) x = 0;
        }
        return p;
    }

    Hold hold_of(const model::Joint& joint) const {
        const auto at = options_.joints.find(joint.name);
        return at == options_.joints.end() ? options_.hold : at->second;
    }

    bool is_driven(std::size_t j, std::size_t freedom) const {
        const model::Joint& joint = model_.joints[j];
        if (std::ranges::any_of(model_.joint_motions, [&](const model::JointMotion& m) { return m.joint == j; })) return true;
        if (!model::is_rate(joint.type, freedom)) return false;
        return std::ranges::any_of(model_.motions, [&](const model::Motion& m) { return m.coordinate == joint.coordinates[freedom]; });
    }

    void add_joint(std::size_t j) {
        const model::Joint& joint = model_.joints[j];
        if (joint.section) return;
        joint_index_[j] = out_.structure.joints.size();
        const Hold hold = hold_of(joint);
        Joint out;
        out.name = joint.name, out.is_open = hold == Hold::open, out.where = joint.where;
        const Place child = place(joint.child, value(joint.child_at));
        out.point = position(child);
        out.child = leading_to(child, out.point);
        out.parent = leading_to(place(joint.parent, value(joint.parent_at)), out.point);
        out.R = out_.structure.bodies[child.body].R * value(joint.child_axes.matrix());
        const kinematics::JointMotion motion = kinematics::in_joint_axes(joint, joint.coordinates);
        for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
            Freedom f;
            f.name = (model::is_rate(joint.type, i) ? joint.coordinates[i] : joint.speeds[i]).symbol().name;
            f.motion << value(motion.S[i].v), value(motion.S[i].w);
            if (!joint.forces.empty()) f.stiffness = value(joint.forces[i].stiffness);
            if (!joint.armature.empty()) f.armature = value(joint.armature[i]);
            f.is_held = hold == Hold::locked || (hold == Hold::as_modelled && is_driven(j, i));
            out.freedoms.push_back(std::move(f));
        }
        out_.structure.joints.push_back(std::move(out));
    }

    void add_spring(const model::Spring& x) {
        Spring out{.name = x.name, .from = place(x.from), .to = place(x.to), .stiffness = value(x.stiffness)};
        const Vector3d d = position(out.to) - position(out.from);
        out.length = d.norm();
        const double force = out.stiffness * (out.length - value(x.rest)) - value(x.actuator);
        const double size = std::abs(out.stiffness) * (out.length + std::abs(value(x.rest))) + std::abs(value(x.actuator));
        if (std::abs(force) > 1e-9 * size) out.tension = force;
        if (!(out.length > 0)) {
            if (out.stiffness == 0 && out.tension == 0) return;
            refuse(x.where, fmt::format("the spring '{}' has no length at this state, and so no direction", x.name));
            return;
        }
        out.direction = d / out.length;
        out_.structure.springs.push_back(std::move(out));
    }

    void add_rod(const model::Rod& x) {
        Rod out{.name = x.name, .from = place(x.from), .to = place(x.to)};
        out.direction = (position(out.to) - position(out.from)).normalized();
        out_.structure.rods.push_back(std::move(out));
    }

    /// A relation between coordinates of joints, linearized at the state.
    void tie(const std::string& what, Position where, const Expr& relation) {
        Tie out{.name = what, .terms = {}};
        for (const Expr& s : sym::symbols_in(relation)) {
            if (s.symbol().role != sym::Role::coordinate) continue;
            const double slope = value(sym::derivative(relation, s));
            bool is_found = false;
            for (const auto& [j, at] : joint_index_) {
                const model::Joint& joint = model_.joints[j];
                for (std::size_t i = 0; i < joint.coordinates.size() && i < joint.speeds.size(); ++i) {
                    if (!(joint.coordinates[i] == s) || !model::is_rate(joint.type, i)) continue;
                    is_found = true;
                    if (slope != 0) out.terms.push_back({at, i, slope});
                }
            }
            if (is_found) continue;
            refuse(where, fmt::format("the {} holds '{}', which is not a travel or angle of a joint: it cannot be part of a structure",
                                      what, s.symbol().name));
            return;
        }
        if (!out.terms.empty()) out_.structure.ties.push_back(std::move(out));
    }

    void remark() {
        const auto count = [&](std::size_t n, const char* what) {
            if (n > 0) out_.notes.emplace_back(what);
        };
        count(static_cast<std::size_t>(std::ranges::count_if(model_.bodies, [](const model::Body& b) { return !b.rotors.empty(); })),
              "rotors count as locked: gyroscopic forces are left out of a structure");
        if (std::ranges::any_of(out_.structure.springs, [](const Spring& s) { return s.tension != 0; }))
            out_.notes.emplace_back(
                "springs are strained at this state: their tension is in the stiffness; weight and other forces are not");
    }

    const model::Model& model_;
    const GatherOptions& options_;
    const sym::PoolScope scope_;
    const model::ParameterValues parameters_;
    const kinematics::Mechanism mechanism_;
    std::unordered_map<sym::NodeId, double> values_;
    std::vector<const model::Joint*> section_of_;
    std::vector<std::size_t> index_;
    std::map<std::size_t, std::size_t> joint_index_;
    Gathered out_;
};

}  // namespace

Gathered gather(const model::Model& model, const topology::Topology& topology, const GatherOptions& options) {
    return Gathering(model, topology, options).run();
}

}  // namespace linkwright::structure
