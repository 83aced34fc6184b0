#include "linkwright/formulation/newton_euler/body_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::formulation::newton_euler {

namespace {

using kinematics::Row;
using Names = std::unordered_set<std::string>;

/// Whatever the model and its outputs call by a name.
Names names_in(const Mechanism& m) {
    const model::Model& model = *m.model;
    Names names{"t"};
    for (const model::Parameter& p : model.parameters) names.insert(p.symbol.symbol().name);
    for (const model::Input& w : model.inputs) names.insert(w.symbol.symbol().name);
    for (const model::UserSpeed& s : model.speeds) names.insert(s.symbol.symbol().name);
    for (const kinematics::Coordinate& c : m.coordinates) names.insert(c.q.symbol().name);
    for (const kinematics::Freedom& f : m.freedoms) names.insert(f.u.symbol().name), names.insert(f.udot.symbol().name);
    for (const sym::Binding& b : m.defined) names.insert(b.first.symbol().name), names.insert(b.first.symbol().name + "'");
    for (const model::Output& o : model.outputs) {
        names.insert(o.name);
        for (const char* part : {".x", ".y", ".z", ".fx", ".fy", ".fz", ".tx", ".ty", ".tz"}) names.insert(o.name + part);
    }
    return names;
}

/// A symbol that nobody else means.
Expr own_symbol(sym::Pool& pool, std::string name, sym::Role role, const Names& taken) {
    for (;; name += "_") {
        if (taken.contains(name)) continue;
        const auto known = pool.find_symbol(name);
        if (!known || known->symbol().role == role) return pool.symbol(name, role);
    }
}

Twist shifted(const Twist& at_com, const Vec3& com) { return {at_com.w, at_com.v - cross(at_com.w, com)}; }

class TakingApart {
public:
    explicit TakingApart(const System& s) : s_(s), m_(s.mechanism), model_(*m_.model), pool_(*model_.pool), taken_(names_in(m_)) {
        r_.system = s;
    }

    BodySystem take() && {
        name_speeds();
        Mechanism& m = r_.system.mechanism;
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) m.V[b] = shifted(r_.speeds[b], model_.bodies[b].com);
        put_up_hinges();
        place_poses();
        measure_cut_joints();
        define_user_speeds();
        gather_loads();
        measure_drives();
        hold_hinges();
        r_.rows_of_joints = rows_.size();
        hold_the_rest();
        return std::move(r_);
    }

private:
    void name_speeds() {
        std::vector<kinematics::Freedom> freedoms;
        r_.speeds.resize(model_.bodies.size());
        r_.rates_of_speeds.resize(model_.bodies.size());
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            std::string name = sym::is_name(model_.bodies[b].name) ? model_.bodies[b].name : fmt::format("body{}", b);
            const auto is_taken = [&] {
                return std::ranges::any_of(std::array{"wx", "wy", "wz", "vx", "vy", "vz"}, [&](const char* part) {
                    return taken_.contains(name + "." + part) || taken_.contains(name + "." + part + "'");
                });
            };
            while (is_taken()) name += ".body";
            for (std::size_t k = 0; k < 6; ++k) {
                const std::string full = fmt::format("{}.{}{}", name, k < 3 ? 'w' : 'v', "xyz"[k % 3]);
                const Expr u = own_symbol(pool_, full, sym::Role::speed, taken_);
                const Expr udot = own_symbol(pool_, u.symbol().name + "'", sym::Role::acceleration, taken_);
                taken_.insert(u.symbol().name), taken_.insert(udot.symbol().name);
                (k < 3 ? r_.speeds[b].w : r_.speeds[b].v)[k % 3] = u;
                (k < 3 ? r_.rates_of_speeds[b].w : r_.rates_of_speeds[b].v)[k % 3] = udot;
                freedoms.push_back({u, udot, b});
            }
        }
        for (const kinematics::Freedom& f : m_.freedoms) {
            if (f.is_own()) freedoms.push_back(f);
        }
        Mechanism& m = r_.system.mechanism;
        m.freedoms = std::move(freedoms);
        for (auto& of_body : m.freedoms_of) of_body.clear();
        for (auto& of_body : m.across) of_body.clear();
    }

    bool is_given_as_a_whole(std::size_t joint) const {
        return std::ranges::any_of(model_.joint_motions, [&](const model::JointMotion& g) { return g.joint == joint; });
    }

    /// What the joints' speeds and the rates of the coordinates are now.
    void put_up_hinges() {
        Mechanism& m = r_.system.mechanism;
        r_.hinges.resize(model_.bodies.size());
        r_.passing.resize(model_.bodies.size());
        std::unordered_map<sym::NodeId, Expr> rate_of;
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            const Hinge& hinge = r_.hinges[b] = hinge_of(m_, b, m.V);
            const model::Joint& joint = model_.joints[hinge.joint];
            if (is_given_as_a_whole(hinge.joint)) continue;
            std::vector<Expr> speeds;
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                const kinematics::Freedom& freedom = m_.freedoms[m_.freedoms_of[b][i]];
                speeds.push_back(freedom.given ? freedom.given->rate : dot(hinge.V_FC, hinge.along[i]));
                if (!freedom.given) natural_.emplace_back(freedom.u, speeds.back());
            }
            const std::vector<Expr> rates = kinematics::coordinate_rates(joint, joint.coordinates, speeds);
            for (std::size_t i = 0; i < rates.size(); ++i) rate_of.emplace(joint.coordinates[i].id(), rates[i]);
        }
        for (kinematics::Coordinate& c : m.coordinates) {
            if (const auto known = rate_of.find(c.q.id()); known != rate_of.end()) c.rate = known->second;
            if (c.given) c.rate = derivative(*c.given, model_.t);
        }
    }

    /// Ṙ = R [ω]×, ṗ = R v: symbols for the poses of the bodies that cut joints tie.
    void place_poses() {
        Mechanism& m = r_.system.mechanism;
        X_W_ = m.X_W;
        for (const kinematics::CutJoint& cut : s_.cut_joints) {
            for (const BodyIndex b : {model_.joints[cut.joint].parent, model_.joints[cut.joint].child}) {
                if (b == model::ground || is_placed_.contains(b)) continue;
                is_placed_.insert(b);
                const auto symbol = [&](const std::string& part, const Expr& value) {
                    const Expr s = own_symbol(pool_, fmt::format("pose{}.{}", b, part), sym::Role::auxiliary, taken_);
                    m.given.emplace_back(s, value);
                    return s;
                };
                const Pose& X = m.X_W[b];
                spatial::Mat3 R;
                Vec3 p;
                for (std::size_t i = 0; i < 3; ++i) {
                    p[i] = symbol(fmt::format("p{}", i + 1), X.p[i]);
                    for (std::size_t j = 0; j < 3; ++j) R[i][j] = symbol(fmt::format("r{}{}", i + 1, j + 1), X.R.matrix()[i][j]);
                }
                const spatial::Mat3 Rdot = R * spatial::skew(m.V[b].w);
                const Vec3 pdot = R * m.V[b].v;
                for (std::size_t i = 0; i < 3; ++i) {
                    m.coordinates.push_back({p[i], pdot[i], X.p[i]});
                    for (std::size_t j = 0; j < 3; ++j) m.coordinates.push_back({R[i][j], Rdot[i][j], X.R.matrix()[i][j]});
                }
                X_W_[b] = {spatial::Rotation(R), p};
            }
        }
    }

    void measure_cut_joints() {
        Mechanism& m = r_.system.mechanism;
        Mechanism by_pose = m;
        by_pose.X_W = X_W_;
        std::vector<sym::Binding> defined;
        sym::Substitution given(m_.given);
        for (const sym::Binding& b : m_.defined) defined.emplace_back(b.first, given(b.second));  // of joints that move as given
        for (kinematics::CutJoint& cut : r_.system.cut_joints) {
            const Expr same_way = cut.same_way;
            cut = kinematics::close(by_pose, cut.joint);
            cut.same_way = same_way;
            const model::Joint& joint = model_.joints[cut.joint];
            const auto redefine = [&](const Expr& symbol, const Expr& value) {
                for (sym::Binding& b : defined) {
                    if (b.first == symbol) b.second = value;
                }
            };
            for (std::size_t i = 0; i < joint.coordinates.size(); ++i) redefine(joint.coordinates[i], cut.coordinates[i]);
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) redefine(joint.speeds[i], cut.speeds[i]);
        }
        m.defined = defined;
        m.defined.insert(m.defined.end(), natural_.begin(), natural_.end());
        std::vector<sym::Binding> all = m_.given;
        all.insert(all.end(), m.defined.begin(), m.defined.end());
        in_bodies_.emplace(all);
    }

    void define_user_speeds() {
        for (const model::UserSpeed& s : model_.speeds) {
            r_.system.mechanism.defined.emplace_back(s.symbol, (*in_bodies_)(s.definition));
        }
    }

    void gather_loads() {
        Mechanism with_bodies = m_;  // freedoms of the joints, velocities of the bodies
        with_bodies.V = r_.system.mechanism.V;
        kinematics::Loads loads = kinematics::loads(with_bodies, r_.system.cut_joints);
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            const Hinge& hinge = r_.hinges[b];
            const model::Joint& joint = model_.joints[hinge.joint];
            if (is_given_as_a_whole(hinge.joint)) continue;
            Wrench& W = r_.passing[b].load;
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                const Expr& tau = loads.tau[m_.freedoms_of[b][i]];
                W += Wrench{tau * hinge.along[i].t, tau * hinge.along[i].f};
            }
            loads.on[joint.child] += on_child(joint, W);
            loads.on[joint.parent] += on_parent(joint, hinge.X_FC, W);
        }
        std::vector<Expr> tau(r_.system.mechanism.freedoms.size());
        std::size_t at = 6 * (model_.bodies.size() - 1);
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            if (m_.freedoms[i].is_own()) tau[at++] = loads.tau[i];
        }
        loads.tau = std::move(tau);
        loads.potential = s_.loads.potential;
        r_.system.loads = std::move(loads);
    }

    /// Drives turn with what the bodies do, also where a row sees to it that this is as given.
    void measure_drives() {
        for (kinematics::Armature& a : r_.system.armatures) {
            a.freedom.reset();
            for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
                if (r_.hinges[b].joint == a.joint) a.speed = dot(r_.hinges[b].V_FC, r_.hinges[b].along[a.part]);
            }
            for (const kinematics::CutJoint& cut : r_.system.cut_joints) {
                if (cut.joint == a.joint) a.speed = cut.speeds[a.part];
            }
        }
    }

    /// A row on · V_FC = value(t) of a joint of the tree.
    void hold(BodyIndex b, std::string name, std::string about, const Wrench& on, const Expr& value) {
        const Hinge& hinge = r_.hinges[b];
        const model::Joint& joint = model_.joints[hinge.joint];
        const auto is_known = [&] { return std::ranges::find(s_.rows, name, &Row::name) != s_.rows.end(); };
        while (is_known()) name += "_";
        Row row{std::move(name), std::move(about), true, 0, 0, {}, joint.where};
        row.shares.push_back({joint.child, on_child(joint, on)});
        row.shares.push_back({joint.parent, on_parent(joint, hinge.X_FC, on)});
        r_.passing[b].rows.emplace_back(rows_.size(), on);
        lambda_.push_back(pool_.symbol("lambda." + row.name, sym::Role::multiplier));
        r_.rates.push_back(dot(hinge.V_FC, on) - value);
        rows_.push_back(std::move(row));
    }

    /// What drives a speed of a joint that moves as given as a whole, by its step: a torque about, or a force along one of its axes.
    static std::string part_of(const model::Joint& joint, std::size_t speed) {
        for (const model::JointStep& step : model::joint_steps(joint)) {
            if (speed < step.speed || speed >= step.speed + speeds_of(step.kind)) continue;
            const std::string kind = step.kind == model::StepKind::ball ? "t" : "f";
            if (speeds_of(step.kind) == 3) return kind + "xyz"[speed - step.speed];
            for (std::size_t k = 0; k < 3; ++k) {
                if (step.axis == spatial::unit(k) || step.axis == -spatial::unit(k)) return kind + "xyz"[k];
            }
            return kind + std::to_string(3);  // across it the joint holds 1 and 2
        }
        return {};
    }

    void hold_hinges() {
        std::vector<BodyIndex> by_joint;
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) by_joint.push_back(b);
        std::ranges::sort(by_joint, {}, [&](BodyIndex b) { return r_.hinges[b].joint; });
        sym::Substitution given(m_.given);
        for (const BodyIndex b : by_joint) {
            const Hinge& hinge = r_.hinges[b];
            const model::Joint& joint = model_.joints[hinge.joint];
            for (const Held& h : hinge.held) {
                hold(b, joint.name + "." + h.part, "joint '" + joint.name + "' holds " + h.about, Wrench{} - h.c, 0);
            }
            if (is_given_as_a_whole(hinge.joint)) {
                for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                    const auto at = std::ranges::find(m_.defined, joint.speeds[i], &sym::Binding::first);
                    const std::string part = part_of(joint, i);
                    hold(b, joint.name + "." + part, fmt::format("the motion given to '{}'", joint.name), Wrench{} - hinge.along[i],
                         -given(at->second));
                }
                continue;
            }
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                const kinematics::Freedom& freedom = m_.freedoms[m_.freedoms_of[b][i]];
                const std::string& name = model::is_rate(joint.type, i) ? joint.coordinates[i].symbol().name : joint.name;
                if (freedom.given) hold(b, name, "the motion given to '" + name + "'", hinge.along[i], freedom.given->rate);
            }
        }
    }

    /// What the model writes between coordinates and speeds, under the name of a row; in the joints' speeds, not its own.
    std::optional<Expr> written(const Row& row) const {
        const auto is_of_cut = [](const Row::Share& share) { return share.through != Row::no_joint; };
        if (!row.shares.empty() && std::ranges::none_of(row.shares, is_of_cut)) return std::nullopt;  // it pushes points and no joints
        for (const model::Gear& gear : model_.gears) {
            if (gear.name == row.name) return gear.drive - gear.ratio * gear.driven;
        }
        for (const model::Constraint& c : model_.constraints) {
            if (c.name != row.name) continue;
            std::vector<sym::Binding> own;
            for (const model::UserSpeed& speed : model_.speeds) own.emplace_back(speed.symbol, speed.definition);
            return sym::Substitution(own)(c.expression);
        }
        for (const model::Motion& motion : model_.motions) {
            if (motion.coordinate.symbol().name == row.name) return difference(model_, motion.coordinate, motion.equals);
        }
        return std::nullopt;
    }

    /// Rows of cut joints, rods, wheels, gears and the user's own.
    void hold_the_rest() {
        Mechanism& m = r_.system.mechanism;
        sym::Tangent rate(kinematics::rates(m, false)), of_time({sym::Binding{model_.t, Expr(1)}});
        std::vector<sym::Binding> coordinates;
        for (const sym::Binding& b : m.defined) {
            if (b.first.symbol().role == sym::Role::coordinate) coordinates.push_back(b);
        }
        sym::Substitution put_in(coordinates);
        for (std::size_t r = 0; r < s_.rows.size(); ++r) {
            Row row = s_.rows[r];
            if (const Row* of_cut = find_cut_row(row.name)) {
                row = *of_cut;
                r_.rates.push_back(rate(row.phi));
            } else if (const auto expression = written(row)) {
                row.phi = row.is_holonomic ? put_in(*expression) : Expr(0);
                row.rate = row.is_holonomic ? Expr(0) : (*in_bodies_)(*expression);
                r_.rates.push_back(row.is_holonomic ? rate(row.phi) : row.rate);
                pass_through_hinges(*expression, row.is_holonomic);
            } else {  // a rod, a wheel, a point that is held: as its wrenches say
                Expr sum = row.is_holonomic ? of_time(row.phi) : Expr(0);
                for (const Row::Share& share : row.shares) sum += dot(m.V[share.body], share.on);
                r_.rates.push_back(sum);
            }
            rows_.push_back(std::move(row));
            lambda_.push_back(s_.lambda[r]);
        }
        r_.system.rows = std::move(rows_);
        r_.system.lambda = std::move(lambda_);
    }

    const Row* find_cut_row(const std::string& name) const {
        for (const kinematics::CutJoint& cut : r_.system.cut_joints) {
            const auto at = std::ranges::find(cut.rows, name, &Row::name);
            if (at != cut.rows.end()) return &*at;
        }
        return nullptr;
    }

    /// The next row acts along speeds of joints of the tree, as actuators would.
    void pass_through_hinges(const Expr& expression, bool is_holonomic) {
        if (!of_tree_) of_tree_.emplace(kinematics::rates(m_, false));
        const Expr rate = is_holonomic ? (*of_tree_)(expression) : expression;
        for (BodyIndex b = 1; b < model_.bodies.size(); ++b) {
            const Hinge& hinge = r_.hinges[b];
            if (is_given_as_a_whole(hinge.joint)) continue;
            Wrench on;
            bool acts = false;
            for (std::size_t i = 0; i < hinge.along.size(); ++i) {
                const Expr tau = derivative(rate, model_.joints[hinge.joint].speeds[i]);
                acts |= !tau.is_literally(0);
                on += Wrench{tau * hinge.along[i].t, tau * hinge.along[i].f};
            }
            if (acts) r_.passing[b].rows.emplace_back(rows_.size(), on);
        }
    }

    const System& s_;
    const Mechanism& m_;  ///< with the joints' speeds
    const model::Model& model_;
    sym::Pool& pool_;
    Names taken_;
    BodySystem r_;
    std::vector<sym::Binding> natural_;  ///< speeds of joints in terms of the bodies'
    std::vector<Pose> X_W_;              ///< with symbols for bodies at cut joints
    std::unordered_set<BodyIndex> is_placed_;
    std::optional<sym::Substitution> in_bodies_;
    std::optional<sym::Tangent> of_tree_;
    std::vector<Row> rows_;
    std::vector<Expr> lambda_;
};

}  // namespace

BodySystem take_apart(const System& system) { return TakingApart(system).take(); }

}  // namespace linkwright::formulation::newton_euler
