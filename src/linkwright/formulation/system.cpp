#include "linkwright/formulation/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_map>

#include "linkwright/formulation/signals.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/approximate.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::formulation {

namespace {

using kinematics::Row;

bool vanishes(const Row& row) { return is_zero(row.phi) == sym::Verdict::equal && is_zero(row.rate) == sym::Verdict::equal; }

/// The longest arm that a joint has in a body.
double longest_arm(const model::Model& model, const model::ParameterValues& parameters) {
    double longest = 0;
    for (const model::Joint& joint : model.joints) {
        const Vec3 on_parent = joint.section ? Vec3{{joint.section->at, 0, 0}} : joint.parent_at;
        for (const Vec3& at : {on_parent, joint.child_at}) {
            const double arm = std::hypot(parameters(at[0]), parameters(at[1]), parameters(at[2]));
            if (std::isfinite(arm)) longest = std::max(longest, arm);
        }
    }
    return longest > 0 ? longest : 1;
}

/// Rows that are nothing but the rounding of axes and points given as decimals (two frames that should agree differ by 1e-17). Kept,
/// they would be constraints like any other, and lock the mechanism. They vanish at random places (unit quaternions are drawn as such)
/// beside what they are made of: unit vectors, lengths, or the terms of the expression, whose rounding errors are followed.
class Rounding {
public:
    Rounding(const Mechanism& mechanism, const model::ParameterValues& parameters)
        : parameters_(parameters), length_(longest_arm(*mechanism.model, parameters)) {
        for (const model::Joint& joint : mechanism.model->joints) {
            for (const model::JointStep& step : joint_steps(joint)) {
                if (step.kind != model::StepKind::ball) continue;
                quaternions_.push_back({});
                for (std::size_t k = 0; k < 4; ++k) quaternions_.back()[k] = joint.coordinates[step.coordinate + k].id();
            }
        }
    }

    double size(const Row& row) const { return row.measure == Row::Measure::length ? length_ : 1; }

    bool operator()(const Row& row) const {
        constexpr double negligible = 1e-13, times_rounding = 100;
        std::mt19937_64 random(5);
        for (int k = 0; k < 3; ++k) {
            std::unordered_map<sym::NodeId, double> place = draw_quaternions(random);
            const sym::Approximate found = sym::evaluate<sym::Approximate>(row.is_holonomic ? row.phi : row.rate, [&](const Expr& s) {
                const double x =
                    s.symbol().role == sym::Role::parameter ? parameters_(s) : place.try_emplace(s.id(), between(random)).first->second;
                return sym::Approximate(x, 0.0);
            });
            const double left = row.measure == Row::Measure::own ? 0 : negligible * size(row);
            const double error = std::isfinite(found.error) ? found.error : 0;
            if (!(std::abs(found.value) <= std::max(left, times_rounding * error))) return false;
        }
        return true;
    }

private:
    static double between(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; }  // in [−1, 1)

    std::unordered_map<sym::NodeId, double> draw_quaternions(std::mt19937_64& random) const {
        std::unordered_map<sym::NodeId, double> place;
        for (const auto& group : quaternions_) {
            std::array<double, 4> e{};
            double square = 0;
            while (square < 0.01) {
                square = 0;
                for (double& x : e) x = between(random), square += x * x;
            }
            for (std::size_t k = 0; k < 4; ++k) place.emplace(group[k], e[k] / std::sqrt(square));
        }
        return place;
    }

    const model::ParameterValues& parameters_;
    double length_;
    std::vector<std::array<sym::NodeId, 4>> quaternions_;
};

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

/// What holding points does to their bodies: the force ∂φ/∂r at the point; of an entry of a rotation matrix, eᵢ·R eⱼ, the torque R eⱼ × eᵢ.
void hold(const Mechanism& m, const std::vector<HeldPoint>& points, sym::Substitution& put_in, Row& row) {
    for (const HeldPoint& held : points) {
        const model::PointOf& point = held.what.point;
        if (point.body == model::ground) continue;
        Vec3 along{{0, 0, 0}};
        along[held.what.row] = put_in(held.by);
        const Vec3 f = m.X_W[point.body].R.back(along);
        if (held.what.is_of_rotation) {
            Vec3 axis{{0, 0, 0}};
            axis[held.what.column] = 1;
            row.shares.push_back({point.body, {cross(axis, f), Vec3{{0, 0, 0}}}});
        } else {
            row.shares.push_back({point.body, {cross(point.at, f), f}});
        }
    }
}

}  // namespace

bool has_mass_inside(const Mechanism& m) {
    return std::ranges::any_of(
        m.contributions, [](const auto& of_body) { return std::ranges::any_of(of_body, [](const auto& c) { return c->moves_mass(); }); });
}

Diagnostics only_rigid(const System& system, std::string_view formulation) {
    const model::Model& model = *system.mechanism.model;
    for (const model::Body& body : model.bodies) {
        if (!body.beam) continue;
        return {{.severity = Diagnostic::Severity::error,
                 .file = model.file,
                 .where = body.where,
                 .what = fmt::format(
                     "the formulation {} is for rigid bodies, and '{}' is a beam: it describes a body by mass, centre and inertia only",
                     formulation, body.name),
                 .hint = "use kane, lagrange or recursive for beams"}};
    }
    return {};
}

Expr difference(const model::Model& model, const Expr& coordinate, const Expr& value) {
    const Expr d = coordinate - value;
    for (const model::Joint& joint : model.joints) {
        for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
            if (!(joint.coordinates[i] == coordinate)) continue;
            if (model::is_angle(joint.type, i)) return atan2(sin(d), cos(d));
        }
    }
    return d;
}

namespace {

System build(const model::Model& model, const topology::Topology& topology, kinematics::Contributions contributions,
             const std::vector<std::vector<HeldPoint>>& held_points = {});

/// Constraints that name points hold them once it is known where these are.
model::Model without_held_points(const model::Model& model) {
    model::Model m = model;
    std::erase_if(m.constraints, [](const model::Constraint& c) {
        return std::ranges::any_of(symbols_in(c.expression), [](const Expr& s) { return s.symbol().role == sym::Role::auxiliary; });
    });
    return m;
}

/// What drives such a rotor is kept among the things that move inside its body.
bool has_driven_rotor(const model::Model& model) {
    return std::ranges::any_of(model.bodies, [](const model::Body& body) {
        return std::ranges::any_of(body.rotors, [](const model::Rotor& r) { return r.torque.has_value(); });
    });
}

}  // namespace

System set_up(const model::Model& model, const topology::Topology& topology) {
    return set_up(model, topology, kinematics::contributions(model));
}

System set_up(const model::Model& model, const topology::Topology& topology, kinematics::Contributions contributions) {
    if (!has_signals(model)) return build(model, topology, std::move(contributions));
    const model::Model without = without_held_points(model);
    const System measured = build(without, topology, contributions);
    Diagnostics problems;
    Resolved found = put_in_signals(measured, model, problems);
    auto resolved = std::make_shared<const model::Model>(std::move(found.model));
    System s = build(*resolved, topology, has_driven_rotor(*resolved) ? kinematics::contributions(*resolved) : std::move(contributions),
                     found.held_points);
    s.with_signals = std::move(resolved);
    s.motors = model.motors;
    s.problems.insert(s.problems.end(), problems.begin(), problems.end());
    return s;
}

namespace {

System build(const model::Model& model, const topology::Topology& topology, kinematics::Contributions contributions,
             const std::vector<std::vector<HeldPoint>>& held_points) {
    System s{kinematics::move(model, topology, std::move(contributions)), {}, {}, {}, {}, {}, {}, {}, {}};
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
                add_written(s, name, "the motion given to '" + name + "'", true, difference(model, motion.coordinate, motion.equals),
                            motion.where, put_in);
            }
        }
    }
    add_rods(s);
    for (const model::Gear& gear : model.gears) {
        add_written(s, gear.name, "gear '" + gear.name + "' keeps its ratio", true, gear.drive - gear.ratio * gear.driven, gear.where,
                    put_in);
    }
    // The model's own speeds in constraints are what they are defined to be: rows are differentiated by the joints' speeds.
    std::vector<sym::Binding> own;
    for (const model::UserSpeed& speed : model.speeds) own.emplace_back(speed.symbol, speed.definition);
    sym::Substitution define(own);
    for (std::size_t i = 0; i < model.constraints.size(); ++i) {
        const model::Constraint& c = model.constraints[i];
        add_written(s, c.name, "constraint '" + c.name + "'", c.is_holonomic, define(c.expression), c.where, put_in);
        if (i < held_points.size()) hold(m, held_points[i], put_in, s.rows.back());
    }
    for (const model::Rolling& rolling : model.rollings) {
        s.contacts.push_back(kinematics::roll(m, rolling));
        s.rows.insert(s.rows.end(), s.contacts.back().rows.begin(), s.contacts.back().rows.end());
    }
    const model::ParameterValues parameters(model);
    const Rounding is_rounding(m, parameters);
    const auto is_satisfied = [&](const Row& row) {
        if (vanishes(row) || is_rounding(row)) return true;
        // Frames given with nine digits or more agree well enough.
        return cannot_move(row) && std::abs(parameters(row.phi)) < 1e-9 * is_rounding.size(row);
    };
    const auto satisfied = std::stable_partition(s.rows.begin(), s.rows.end(), [&](const Row& row) { return !is_satisfied(row); });
    s.satisfied.assign(std::make_move_iterator(satisfied), std::make_move_iterator(s.rows.end()));
    s.rows.erase(satisfied, s.rows.end());
    for (const Row& row : s.rows) {
        if (!cannot_move(row)) continue;
        s.problems.push_back({.severity = Diagnostic::Severity::error,
                              .file = model.file,
                              .where = row.where,
                              .what = fmt::format("constraint '{}' cannot be satisfied: no coordinate affects it", row.name),
                              .hint = "it is violated in every position; check the lengths, points and axes"});
    }
    for (const Row& row : s.rows) s.lambda.push_back(model.pool->symbol("lambda." + row.name, sym::Role::multiplier));
    s.armatures = kinematics::armatures(m);
    s.loads = kinematics::loads(m, s.cut_joints);
    s.loads.potential = put_in(s.loads.potential);  // it will be differentiated: stiffnesses may name cut joints
    return s;
}

}  // namespace

std::vector<Wrench> joint_wrenches(const System& s, std::span<const Twist> A, std::span<const Wrench> loads, std::span<const Expr> udot) {
    const Mechanism& m = s.mechanism;
    std::vector<Wrench> W(m.X_W.size());
    for (BodyIndex b = 1; b < W.size(); ++b) {
        const spatial::Inertia& inertia = m.inertia[b];
        W[b] = inertia * A[b] + kinematics::cross_force(m.V[b], inertia * m.V[b]) - loads[b];
    }
    for (const bool has_freedoms : {false, true}) {  // what is held comes first
        for (BodyIndex b = 1; b < W.size(); ++b) {
            for (const auto& c : m.contributions[b]) {
                if (c->freedoms().empty() != has_freedoms) W[b] += c->inertial_wrench(m.V[b], own_part(m, *c, udot));
            }
        }
    }
    for (auto b = m.topology->order.rbegin(); b != m.topology->order.rend(); ++b) {
        if (*b != model::ground) W[m.topology->arc[*b]->inner] += to_outer(m.X_inner[*b], W[*b]);
    }
    return W;
}

}  // namespace linkwright::formulation
