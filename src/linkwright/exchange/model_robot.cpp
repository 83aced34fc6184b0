#include "linkwright/exchange/model_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "linkwright/exchange/model_actuation.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::exchange {

namespace {

using model::Expr;
using model::JointStep;
using model::StepKind;
using Kind = RobotJoint::Kind;

class Maker {
public:
    Maker(const model::Model& m, const Assembled* loops, Diagnostics& problems) : m_(m), loops_(loops), problems_(problems), value_(m) {}

    std::optional<Robot> make() {
        refuse_what_is_no_tree();
        if (is_wrong_) return std::nullopt;
        tell_what_is_left_out();
        robot_.name = m_.name.empty() ? "robot" : m_.name;
        for (std::size_t k = 0; k < 3; ++k) robot_.gravity[k] = number(m_.gravity[k], {}, "gravity");
        link_of_.assign(m_.bodies.size(), the_ground);
        X_BL_.resize(m_.bodies.size());
        find_tree();
        for (std::size_t b = 1; b < m_.bodies.size(); ++b) {
            if (!held_.contains(b)) error(m_.bodies[b].where, fmt::format("nothing holds body '{}'", m_.bodies[b].name));
        }
        if (is_wrong_) return std::nullopt;
        for (std::size_t b = 1; b < m_.bodies.size(); ++b) add_link(b);
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            if (chords_.contains(j))
                add_closure(m_.joints[j]);
            else
                add_joint(j);
        }
        for (const model::Rod& rod : m_.rods) add_distance(rod);
        for (const model::Gear& gear : m_.gears) add_gear(gear);
        for (const model::Constraint& c : m_.constraints) {
            if (loops_ != nullptr)
                add_coupling(c);
            else
                add_constraint(c);
        }
        for (const model::DrawnShape& shape : m_.shapes) add_shape(shape);
        if (loops_ != nullptr && !is_wrong_) {
            acting_.link_of = link_of_;
            acting_.X_BL = X_BL_;
            add_actuation(m_, acting_, robot_, problems_);
        }
        return is_wrong_ ? std::nullopt : std::optional(std::move(robot_));
    }

private:
    const model::Model& m_;
    const Assembled* loops_;  ///< null: a tree is asked for
    Diagnostics& problems_;
    model::ParameterValues value_;
    Robot robot_{};
    Acting acting_{};  ///< of what is written with loops
    bool is_wrong_ = false;
    std::vector<std::size_t> link_of_{};             ///< of each body
    std::vector<Frame> X_BL_{};                      ///< its link's frame in the body
    std::vector<bool> is_backwards_{};               ///< of each joint: the tree passes it from child to parent
    std::set<std::size_t> held_{};                   ///< bodies that the tree reaches
    std::set<std::size_t> chords_{};                 ///< joints that close loops
    std::map<std::string, std::size_t> joint_of_{};  ///< by the name of a coordinate

    void error(Position where, std::string what, std::string hint = {}) {
        is_wrong_ = true;
        problems_.push_back({.file = m_.file, .where = where, .what = std::move(what), .hint = std::move(hint)});
    }
    void warning(Position where, std::string what) {
        problems_.push_back(
            {.severity = Diagnostic::Severity::warning, .file = m_.file, .where = where, .what = std::move(what), .hint = {}});
    }

    double number(const Expr& e, Position where, std::string_view what) {
        const double x = value_(e);
        if (std::isfinite(x)) return x;
        warning(where, fmt::format("{} is no constant and is left out", what));
        return 0;
    }
    Vector vector(const model::Vec3& v, Position where, std::string_view what) {
        return {number(v[0], where, what), number(v[1], where, what), number(v[2], where, what)};
    }
    Matrix matrix(const model::Mat3& A, Position where, std::string_view what) {
        Matrix out{};
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) out[i][j] = number(A[i][j], where, what);
        }
        return out;
    }

    void refuse_what_is_no_tree() {
        const std::string hint = "rigid trees have such a file; freeze or leave out the rest";
        for (const model::Body& body : m_.bodies) {
            if (body.beam) error(body.where, fmt::format("body '{}' is elastic", body.name), hint);
            if (!body.rotors.empty()) error(body.where, fmt::format("body '{}' has a rotor", body.name), hint);
        }
        if (loops_ == nullptr)
            for (const model::Rod& rod : m_.rods) error(rod.where, fmt::format("the rod '{}' closes a loop", rod.name), hint);
        for (const model::Rolling& r : m_.rollings) error(r.where, fmt::format("'{}' rolls, and such files have no rolling", r.name), hint);
    }

    void tell_what_is_left_out() {
        const auto tell = [&](const auto& list, std::string_view what) {
            if (!list.empty()) warning(list.front().where, fmt::format("left out: {} {}", list.size(), what));
        };
        tell(m_.springs, "[[spring]]");
        if (loops_ == nullptr) {
            tell(m_.forces, "[[force]]");
            tell(m_.torques, "[[torque]]");
        }
        tell(m_.motors, "[[motor]]");
        tell(m_.motions, "[[motion]]: the coordinate moves freely there");
        tell(m_.joint_motions, "[[motion]]: the joint moves freely there");
    }

    bool is_cut(std::size_t j) const {
        return loops_ != nullptr && loops_->is_cut.size() == m_.joints.size() ? loops_->is_cut[j] : m_.joints[j].cut;
    }

    /// From the ground outwards, joints earlier in the file first.
    void find_tree() {
        std::vector<std::vector<std::size_t>> at(m_.bodies.size());
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            at[m_.joints[j].parent].push_back(j);
            at[m_.joints[j].child].push_back(j);
        }
        is_backwards_.assign(m_.joints.size(), false);
        held_ = {model::ground};
        std::set<std::size_t> used;
        std::vector<std::size_t> todo{model::ground};
        for (std::size_t i = 0; i < todo.size(); ++i) {
            for (const std::size_t j : at[todo[i]]) {
                const model::Joint& joint = m_.joints[j];
                const bool is_backwards = joint.parent != todo[i];
                const std::size_t outer = is_backwards ? joint.parent : joint.child;
                if (used.contains(j) || held_.contains(outer) || is_cut(j)) continue;
                used.insert(j);
                held_.insert(outer);
                is_backwards_[j] = is_backwards;
                X_BL_[outer] = frame_in(joint, !is_backwards);
                todo.push_back(outer);
            }
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            if (used.contains(j)) continue;
            chords_.insert(j);
            if (loops_ == nullptr)
                error(m_.joints[j].where, fmt::format("the joint '{}' closes a loop", m_.joints[j].name),
                      "such a file has a tree; MJCF takes loops");
        }
    }

    /// The joint's frame in the child, or in the parent.
    Frame frame_in(const model::Joint& joint, bool in_child) {
        const std::string what = fmt::format("the place of the joint '{}'", joint.name);
        const model::Rotation& R = in_child ? joint.child_axes : joint.parent_axes;
        return {vector(in_child ? joint.child_at : joint.parent_at, joint.where, what), rpy_of(matrix(R.matrix(), joint.where, what))};
    }

    void add_link(std::size_t b) {
        const model::Body& body = m_.bodies[b];
        link_of_[b] = robot_.links.size();
        Link link;
        link.name = body.name;
        const Frame X_LB = inverse(X_BL_[b]);
        const Matrix R_LB = rotation(X_LB.rpy);
        Inertial own;
        own.mass = number(body.mass, body.where, fmt::format("the mass of '{}'", body.name));
        own.com = sum(X_LB.at, R_LB * vector(body.com, body.where, "a centre of mass"));
        own.inertia = turned(R_LB, matrix(body.inertia, body.where, fmt::format("the inertia of '{}'", body.name)));
        if (own.mass != 0 || own.inertia != Matrix{}) link.inertial = own;
        robot_.links.push_back(std::move(link));
    }

    static Kind kind_of(const JointStep& step) {
        switch (step.kind) {
            case StepKind::turn: return Kind::revolute;
            case StepKind::slide: return Kind::prismatic;
            case StepKind::screw: return Kind::screw;
            case StepKind::ball: return Kind::ball;
            case StepKind::place: return Kind::floating;
        }
        return Kind::fixed;
    }

    /// One joint of the model: a row of joints of the robot.
    void add_joint(std::size_t j) {
        const model::Joint& joint = m_.joints[j];
        const bool is_backwards = is_backwards_[j];
        const std::size_t inner = is_backwards ? joint.child : joint.parent, outer = is_backwards ? joint.parent : joint.child;
        std::vector<JointStep> steps = model::joint_steps(joint);
        if (is_backwards) std::ranges::reverse(steps);
        if (steps.size() == 2 && steps[0].kind == StepKind::place && steps[1].kind == StepKind::ball) steps.pop_back();  // a free joint
        const bool is_free = !steps.empty() && steps[0].kind == StepKind::place;
        if (is_backwards && steps.size() == 2 && steps[1].kind == StepKind::place)
            return error(joint.where, fmt::format("the free joint '{}' is written from the body to the ground", joint.name),
                         "exchange its parent and child");
        std::size_t from = link_of_[inner];
        Frame X_LF = compose(inverse(X_BL_[inner]), frame_in(joint, is_backwards));
        for (std::size_t i = 0; i < std::max<std::size_t>(steps.size(), 1); ++i) {
            RobotJoint out;
            out.name = joint.name;
            out.parent = from;
            out.X_PF = X_LF;
            if (!steps.empty()) {
                const JointStep& step = steps[i];
                out.kind = kind_of(step);
                if (steps.size() > 1 || !is_free) out.name = joint.coordinates[step.coordinate].symbol().name;
                if (step.kind == StepKind::ball || is_free) out.name = joint.name;
                Vector axis = vector(step.axis, joint.where, "an axis");
                if (is_backwards) axis = {-axis[0], -axis[1], -axis[2]};
                if (out.kind != Kind::ball && out.kind != Kind::floating) out.axes = {axis};
                out.pitch = out.kind == Kind::screw ? number(step.pitch, joint.where, "a pitch") : 0;
                add_forces(joint, step, is_free, out);
                if (loops_ != nullptr) {
                    show(joint, step, is_free, out);
                    note_forces(joint, step, is_free);
                }
            }
            const bool is_last = i + 1 >= steps.size();
            out.child = is_last ? link_of_[outer] : robot_.links.size();
            if (!is_last) robot_.links.push_back({.name = fmt::format("{}_step{}", joint.name, i + 1)});
            if (!steps.empty() && !is_free && out.kind != Kind::ball) joint_of_[out.name] = robot_.joints.size();
            from = out.child;
            X_LF = {};
            robot_.joints.push_back(std::move(out));
        }
    }

    void add_forces(const model::Joint& joint, const JointStep& step, bool is_free, RobotJoint& out) {
        const std::size_t count = is_free ? 6 : model::speeds_of(step.kind);
        const std::size_t first = is_free ? 0 : step.speed;
        for (std::size_t i = first; i < std::min(first + count, joint.forces.size()); ++i) {
            const model::JointForce& f = joint.forces[i];
            const std::string of = fmt::format(" of the joint '{}'", joint.name);
            out.damping.push_back(number(f.damping, joint.where, "damping" + of));
            out.stiffness.push_back(number(f.stiffness, joint.where, "stiffness" + of));
            out.rest.push_back(number(f.rest, joint.where, "rest" + of));
            if (loops_ != nullptr) continue;  // add_actuation() has more words
            const bool is_input = std::ranges::any_of(m_.inputs, [&](const model::Input& input) { return input.symbol == f.actuator; });
            if (is_input && count == 1) out.is_driven = true, out.input = f.actuator.symbol().name;
            if ((!is_input && value_(f.actuator) != 0) || (is_input && count > 1)) warning(joint.where, "left out: the actuator" + of);
        }
    }

    /// Of the joint that is added next.
    void note_forces(const model::Joint& joint, const JointStep& step, bool is_free) {
        const std::size_t count = is_free ? 6 : model::speeds_of(step.kind), first = is_free ? 0 : step.speed;
        const auto force = [&](std::size_t i) { return i < joint.forces.size() ? joint.forces[i].actuator : Expr(0); };
        if (count == 1)
            return acting_.axes.push_back(
                {robot_.joints.size(), joint.coordinates[step.coordinate], joint.speeds[step.speed], force(first), joint.where});
        Acting::Ball ball{robot_.joints.size(), {}, joint.where};
        for (std::size_t i = 0; i < count; ++i) ball.force.push_back(force(first + i));
        acting_.balls.push_back(std::move(ball));
    }

    /// Where the file is to show it.
    void show(const model::Joint& joint, const JointStep& step, bool is_free, RobotJoint& out) const {
        const auto at = [&](std::size_t i) { return loops_->value(joint.coordinates[i].symbol().name); };
        if (out.kind != Kind::ball && !is_free) {
            out.shown = at(step.coordinate);
            return;
        }
        const std::size_t first = is_free ? step.coordinate + 3 : step.coordinate;
        const Vector e{at(first + 1), at(first + 2), at(first + 3)};
        out.shown_frame.rpy = rpy_of(rotation_of(at(first), e));
        if (is_free) out.shown_frame.at = {at(step.coordinate), at(step.coordinate + 1), at(step.coordinate + 2)};
    }

    static Matrix rotation_of(double w, const Vector& e) {
        const double size = w * w + e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        if (size < 1e-20) return identity();
        Matrix R = identity();
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            R[i][i] = 1 - 2 * (e[j] * e[j] + e[k] * e[k]) / size;
            R[i][j] = 2 * (e[i] * e[j] - w * e[k]) / size;
            R[i][k] = 2 * (e[i] * e[k] + w * e[j]) / size;
        }
        return R;
    }

    /// A joint that is cut: a point, an axis or everything of two links is held together.
    void add_closure(const model::Joint& joint) {
        const std::vector<JointStep> steps = model::joint_steps(joint);
        const bool is_one = steps.size() == 1;
        if (!steps.empty() && !(is_one && (steps[0].kind == StepKind::turn || steps[0].kind == StepKind::ball)))
            return error(joint.where,
                         fmt::format("the joint '{}' closes a loop, and such a file closes none by a joint of its type", joint.name),
                         "cut the loop at a revolute, spherical or welded joint: cut = true");
        Closure c{.name = joint.name, .a = link_of_[joint.parent], .b = link_of_[joint.child]};
        c.kind = steps.empty() ? Closure::Kind::weld : steps[0].kind == StepKind::turn ? Closure::Kind::axis : Closure::Kind::point;
        c.X_AF = compose(inverse(X_BL_[joint.parent]), frame_in(joint, false));
        c.X_BF = compose(inverse(X_BL_[joint.child]), frame_in(joint, true));
        if (c.kind == Closure::Kind::axis) c.axis = vector(steps[0].axis, joint.where, "an axis");
        const auto acts = [&](const model::JointForce& f) {
            return !f.stiffness.is_literally(0) || !f.damping.is_literally(0) || !f.actuator.is_literally(0);
        };
        if (std::ranges::any_of(joint.forces, acts))
            warning(joint.where, fmt::format("left out: what acts along the joint '{}', which closes a loop", joint.name));
        robot_.closures.push_back(std::move(c));
    }

    void add_distance(const model::Rod& rod) {
        const auto in_link = [&](const model::PointOf& p) {
            const Frame X_LB = inverse(X_BL_[p.body]);
            return sum(X_LB.at, rotation(X_LB.rpy) * vector(p.at, rod.where, "a point"));
        };
        robot_.distances.push_back({rod.name, link_of_[rod.from.body], link_of_[rod.to.body], in_link(rod.from), in_link(rod.to),
                                    number(rod.length, rod.where, "a length")});
    }

    RobotJoint* joint_named(const Expr& coordinate) {
        if (!coordinate.is_symbol()) return nullptr;
        const auto at = joint_of_.find(coordinate.symbol().name);
        return at == joint_of_.end() ? nullptr : &robot_.joints[at->second];
    }

    void follow(RobotJoint* follower, const RobotJoint* leader, double multiplier, double offset, const std::string& name, Position where) {
        if (follower == nullptr || leader == nullptr || follower->mimic)
            return error(where, fmt::format("'{}' has no equal in such a file", name), "a coordinate of a joint follows another one");
        follower->mimic = Mimic{leader->name, multiplier, offset, {}};
    }

    void add_gear(const model::Gear& gear) {
        if (loops_ != nullptr) {
            const RobotJoint *drive = joint_named(gear.drive), *driven = joint_named(gear.driven);
            if (drive == nullptr || driven == nullptr)
                return error(gear.where, fmt::format("'{}' has no equal in such a file", gear.name), "it couples joints of the tree");
            robot_.couplings.push_back({gear.name, {{drive->name, 1}, {driven->name, -number(gear.ratio, gear.where, "a ratio")}}, 0});
            return;
        }
        follow(joint_named(gear.drive), joint_named(gear.driven), number(gear.ratio, gear.where, "a ratio"), 0, gear.name, gear.where);
    }

    /// Linear with constant coefficients.
    void add_coupling(const model::Constraint& c) {
        Coupling out{.name = c.name};
        Expr rest = c.expression;
        bool is_linear = c.is_holonomic;
        for (const Expr& s : sym::symbols_in(c.expression)) {
            const RobotJoint* joint = joint_named(s);
            if (joint == nullptr) continue;
            const Expr slope = sym::derivative(c.expression, s);
            out.terms.emplace_back(joint->name, value_(slope));
            is_linear = is_linear && std::isfinite(out.terms.back().second);
            rest = rest - slope * s;
        }
        out.constant = value_(rest);
        if (!is_linear || out.terms.empty() || !std::isfinite(out.constant))
            return error(c.where, fmt::format("the constraint '{}' has no equal in such a file", c.name),
                         "holonomic ones that are linear in coordinates of the tree have one");
        robot_.couplings.push_back(std::move(out));
    }

    /// a·x + b·y + c = 0 with constants, which is x = −(b/a) y − c/a.
    void add_constraint(const model::Constraint& c) {
        const std::vector<Expr> symbols = sym::symbols_in(c.expression);
        std::vector<Expr> moving;
        for (const Expr& s : symbols) {
            if (joint_named(s) != nullptr) moving.push_back(s);
        }
        if (!c.is_holonomic || moving.size() != 2)
            return error(c.where, fmt::format("the constraint '{}' has no equal in such a file", c.name),
                         "leave it out, or export to MJCF");
        // The one that follows: not one that follows already, and rather one that the other is not divided for.
        const auto slope = [&](const Expr& of) { return std::abs(value_(sym::derivative(c.expression, of))); };
        if (joint_named(moving[0])->mimic || (slope(moving[0]) != 1 && slope(moving[1]) == 1 && !joint_named(moving[1])->mimic))
            std::swap(moving[0], moving[1]);
        const Expr a = sym::derivative(c.expression, moving[0]), b = sym::derivative(c.expression, moving[1]);
        const double slope_a = value_(a), slope_b = value_(b);
        const double rest = value_(c.expression - a * moving[0] - b * moving[1]);
        if (!std::isfinite(slope_a) || !std::isfinite(slope_b) || !std::isfinite(rest) || slope_a == 0)
            return error(c.where, fmt::format("the constraint '{}' has no equal in such a file", c.name),
                         "leave it out, or export to MJCF");
        follow(joint_named(moving[0]), joint_named(moving[1]), -slope_b / slope_a, -rest / slope_a + 0.0, c.name, c.where);
    }

    void add_shape(const model::DrawnShape& s) {
        if (s.kind == model::DrawnShape::Kind::polyline || s.on == model::ground) return;
        Visual v;
        v.kind = s.kind == model::DrawnShape::Kind::box        ? Visual::Kind::box
                 : s.kind == model::DrawnShape::Kind::cylinder ? Visual::Kind::cylinder
                 : s.kind == model::DrawnShape::Kind::sphere   ? Visual::Kind::sphere
                 : s.kind == model::DrawnShape::Kind::capsule  ? Visual::Kind::capsule
                                                               : Visual::Kind::mesh;
        const Frame X_BS{vector(s.at, s.where, "a shape"), rpy_of(matrix(s.axes.matrix(), s.where, "a shape"))};
        v.frame = compose(inverse(X_BL_[s.on]), X_BS);
        v.size = vector(s.size, s.where, "a shape");
        v.radius = number(s.radius, s.where, "a shape");
        v.length = number(s.length, s.where, "a shape");
        v.file = s.file;
        v.scale = s.kind == model::DrawnShape::Kind::mesh ? number(s.scale, s.where, "a shape") : 1;
        if (s.colour) {
            for (const std::uint8_t c : *s.colour) v.colour.push_back(c / 255.0);
        }
        robot_.links[link_of_[s.on]].visuals.push_back(std::move(v));
    }
};

}  // namespace

std::optional<Robot> robot_of(const model::Model& model, Diagnostics& problems) {
    const sym::PoolScope scope(*model.pool);
    return Maker(model, nullptr, problems).make();
}

std::optional<Robot> robot_with_loops(const model::Model& model, const Assembled& assembled, Diagnostics& problems) {
    const sym::PoolScope scope(*model.pool);
    return Maker(model, &assembled, problems).make();
}

void warn_of_armature(const model::Model& model, std::string_view format, Diagnostics& problems) {
    for (const model::Joint& joint : model.joints) {
        if (std::ranges::all_of(joint.armature, [](const Expr& a) { return a.is_literally(0); })) continue;
        problems.push_back({.severity = Diagnostic::Severity::warning,
                            .file = model.file,
                            .where = joint.where,
                            .what = fmt::format("left out: the armature of the joint '{}', for which {} has no word", joint.name, format),
                            .hint = {}});
    }
}

}  // namespace linkwright::exchange
