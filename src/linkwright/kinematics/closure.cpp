#include "linkwright/kinematics/closure.hpp"

#include "linkwright/model/joint_steps.hpp"
#include "linkwright/spatial/exact.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::kinematics {

using model::Joint;
using model::JointStep;
using model::JointType;
using model::StepKind;
using spatial::unit;

namespace {

/// "x" for a coordinate axis, a number otherwise: the last part of a row's name.
std::string letter(const Vec3& direction, std::size_t number) {
    for (std::size_t k = 0; k < 3; ++k) {
        if (direction == unit(k) || direction == -unit(k)) return std::string(1, "xyz"[k]);
    }
    return std::to_string(number);
}

class Closing {
public:
    Closing(const Mechanism& m, std::size_t j) : m_(m), joint_(m.model->joints[j]) {
        cut_.joint = j;
        cut_.X_WF = m.X_W[joint_.parent] * parent_frame(joint_);
        cut_.X_WC = m.X_W[joint_.child] * child_frame(joint_);
        cut_.X_FC = cut_.X_WF.inverse() * cut_.X_WC;
        d_ = cut_.X_WC.p - cut_.X_WF.p;
        cut_.same_way = 1;
    }

    CutJoint close() && {
        add_rows();
        measure();
        return std::move(cut_);
    }

private:
    const Vec3& axis() const { return joint_.axes.front(); }

    /// A force f at the child's point and a torque t on the child, ground axes; the parent has the opposite at the same place.
    void add(const std::string& part, const std::string& holds, const Expr& phi, const Vec3& f, const Vec3& t, Row::Measure measure) {
        Row row{joint_.name + "." + part, "joint '" + joint_.name + "' holds " + holds, true, phi, 0, {}, joint_.where, measure};
        const auto share = [&](BodyIndex body, const Vec3& at, const Vec3& force, const Vec3& torque, std::size_t through) {
            const spatial::Rotation& R = m_.X_W[body].R;
            const Vec3 f_B = R.back(force);
            row.shares.push_back({body, {R.back(torque) + cross(at, f_B), f_B}, through});
        };
        share(joint_.child, joint_.child_at, f, t, cut_.joint);
        share(joint_.parent, parent_frame(joint_) * cut_.X_FC.p, -f, -t, Row::no_joint);
        cut_.rows.push_back(std::move(row));
    }

    void hold_point() {
        for (std::size_t k = 0; k < 3; ++k)
            add(std::string(1, "xyz"[k]), std::string("its point along ") + "xyz"[k] + " of the ground", d_[k], unit(k), {},
                Row::Measure::length);
    }
    /// d·b = 0 for a direction b fixed in the parent's joint axes.
    void hold_across(const Vec3& b, std::size_t number) {
        add("p" + letter(b, number), "its point along " + letter(b, number) + " of its axes", dot(b, cut_.X_FC.p), cut_.X_WF.R * b, {},
            Row::Measure::length);
    }
    /// b·c = value for b fixed in the parent's joint axes, c in the child's: torque c × b.
    void hold_angle(const std::string& part, const std::string& holds, const Vec3& b, const Vec3& c, const Expr& value) {
        add(part, holds, dot(b, cut_.X_FC.R * c) - value, {}, cross(cut_.X_WC.R * c, cut_.X_WF.R * b), Row::Measure::turn);
    }
    /// Against turning about an axis that has this letter.
    void hold_turn(const std::string& letter, const Vec3& b, const Vec3& c) {
        hold_angle("r" + letter, "its attitude about " + letter + " of its axes", b, c, 0);
    }
    void hold_axis() {
        const auto [x, y] = plane_axes(axis());
        hold_turn(letter(y, 2), -x, axis());  // a turn about y moves the axis along x
        hold_turn(letter(x, 1), y, axis());
        cut_.same_way = dot(axis(), cut_.X_FC.R * axis());
    }
    /// The antisymmetric part of R_GC: a small rotation, row by row. G is the parent's frame, or turned in it as given.
    void hold_attitude(const spatial::Rotation& R_FG = {}) {
        const spatial::Rotation R_WG = cut_.X_WF.R * R_FG, R_GC = R_FG.inverse() * cut_.X_FC.R;
        const spatial::Mat3& R = R_GC.matrix();
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
            const Vec3 bi = R_WG * unit(i), bj = R_WG * unit(j);
            const Vec3 ci = cut_.X_WC.R * unit(i), cj = cut_.X_WC.R * unit(j);
            const Expr half = sym::Rational(1, 2);
            add(std::string("r") + "xyz"[k], std::string("its attitude about ") + "xyz"[k] + " of its axes", half * (R[j][i] - R[i][j]), {},
                half * (cross(ci, bj) - cross(cj, bi)), Row::Measure::turn);
        }
        cut_.same_way = R[0][0] + R[1][1] + R[2][2];
    }

    /// A joint with Euler parameters that moves as given: nothing of it is left free.
    void hold_pose(const model::JointMotion& motion) {
        const auto hold_place = [&](const Vec3& axis, std::size_t coordinate) {
            const std::string part = letter(axis, 3);
            add("p" + part, "its place along " + part + " of its axes", dot(axis, cut_.X_FC.p) - motion.translation[coordinate],
                cut_.X_WF.R * axis, {}, Row::Measure::length);
        };
        if (!model::travels(joint_.type)) hold_point();
        for (const JointStep& step : joint_steps(joint_)) {
            if (step.kind == StepKind::slide) hold_travel(), hold_place(step.axis, step.coordinate);
            for (std::size_t k = 0; step.kind == StepKind::place && k < 3; ++k) hold_place(unit(k), step.coordinate + k);
        }
        spatial::Rotation R;
        for (std::size_t k = 0; k < motion.axes.size(); ++k) R = R * spatial::Rotation::turn(motion.axes[k], motion.angles[k]);
        hold_attitude(R);
    }

    void add_rows() {
        for (const model::JointMotion& motion : m_.model->joint_motions) {
            if (motion.joint == cut_.joint) return hold_pose(motion);
        }
        switch (joint_.type) {
            case JointType::weld: hold_point(), hold_attitude(); break;
            case JointType::revolute: hold_point(), hold_axis(); break;
            case JointType::prismatic:
            case JointType::translation: hold_travel(), hold_attitude(); break;
            case JointType::cylindrical: hold_travel(), hold_axis(); break;
            case JointType::screw: hold_travel(), hold_axis(), hold_screw(); break;
            case JointType::universal:
                hold_point();
                hold_angle("r1", "the angle between its axes", joint_.axes[0], joint_.axes[1], dot(joint_.axes[0], joint_.axes[1]));
                break;
            case JointType::planar: hold_across(axis(), 3), hold_axis(); break;
            case JointType::gimbal:
            case JointType::spherical: hold_point(); break;
            case JointType::point_on_line: hold_travel(); break;
            case JointType::free:
            case JointType::free_axes: break;
        }
    }
    /// Travel is free along the axes, held across them.
    void hold_travel() {
        if (joint_.axes.size() == 1) {
            const auto [x, y] = plane_axes(axis());
            hold_across(x, 1);
            hold_across(y, 2);
        } else if (joint_.axes.size() == 2) {
            hold_across(cross(joint_.axes[0], joint_.axes[1]), 3);
        }
    }
    /// travel = pitch · angle, as sin(travel/pitch − angle) = 0: right for any number of turns.
    void hold_screw() {
        const auto [c, s] = cos_sin_about(axis());
        const Expr turns = dot(axis(), cut_.X_FC.p) / joint_.pitch;
        const Expr along = cos(turns) * c + sin(turns) * s;  // cos(travel/pitch − angle)
        const Vec3 a = cut_.X_WF.R * axis();
        add("s", "travel to angle", sin(turns) * c - cos(turns) * s, (along / joint_.pitch) * a, -(along * a), Row::Measure::turn);
        cut_.same_way = min(cut_.same_way, along);  // half a turn off is as closed, but wrong
    }

    std::pair<Expr, Expr> cos_sin_about(const Vec3& a) const {
        const Vec3 x = plane_axes(a).first;
        const Vec3 turned = cut_.X_FC.R * x;
        return {dot(x, turned), dot(cross(a, x), turned)};
    }
    Expr angle_about(const Vec3& a) const {
        const auto [c, s] = cos_sin_about(a);
        return atan2(s, c);
    }

    /// The joint's own coordinates, from the relative pose; its speeds, from the relative motion.
    void measure() {
        std::vector<Expr>& q = cut_.coordinates;
        const Vec3& p = cut_.X_FC.p;
        const std::vector<Vec3>& a = joint_.axes;
        switch (joint_.type) {
            case JointType::weld: break;
            case JointType::revolute: q = {angle_about(a[0])}; break;
            case JointType::prismatic: q = {dot(a[0], p)}; break;
            case JointType::screw: q = {dot(a[0], p) / joint_.pitch}; break;
            case JointType::cylindrical: q = {angle_about(a[0]), dot(a[0], p)}; break;
            case JointType::universal: q = universal_angles(a[0], a[1]); break;
            case JointType::planar: {
                const auto [x, y] = plane_axes(a[0]);
                q = {dot(x, p), dot(y, p), angle_about(a[0])};
                break;
            }
            case JointType::gimbal: q = gimbal_angles(a); break;
            case JointType::translation: q = along(a, p); break;
            case JointType::free_axes:
                q = {p[0], p[1], p[2]};
                for (const Expr& angle : gimbal_angles(a)) q.push_back(angle);
                break;
            case JointType::spherical:
            case JointType::point_on_line:
            case JointType::free: {
                if (joint_.type == JointType::point_on_line) q = {dot(a[0], p)};
                if (joint_.type == JointType::free) q = {p[0], p[1], p[2]};
                for (const Expr& e : euler_parameters()) q.push_back(e);
                break;
            }
        }
        const Twist V_F = to_inner(parent_frame(joint_), m_.V[joint_.parent]);
        cut_.V_FC = to_inner(child_frame(joint_), m_.V[joint_.child]) - to_inner(cut_.X_FC, V_F);
        cut_.speeds.resize(joint_.speeds.size());
        std::optional<sym::Tangent> rate;
        for (std::size_t i = 0; i < joint_.speeds.size(); ++i) {
            if (!model::is_rate(joint_.type, i)) continue;
            if (!rate) rate.emplace(rates(m_, false));
            cut_.speeds[i] = (*rate)(q[i]);
        }
        for (const JointStep& step : joint_steps(joint_)) {
            const Vec3& of_step = step.kind == StepKind::ball ? cut_.V_FC.w : cut_.V_FC.v;
            for (std::size_t k = 0; k < 3 && speeds_of(step.kind) == 3; ++k) cut_.speeds[step.speed + k] = of_step[k];
        }
    }

    std::array<Expr, 4> euler_parameters() const {
        const spatial::Mat3& r = cut_.X_FC.R.matrix();
        std::array<Expr, 4> e;
        e[0] = sqrt(1 + r[0][0] + r[1][1] + r[2][2]) / 2;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
            e[k + 1] = (r[j][i] - r[i][j]) / (4 * e[0]);
        }
        return e;
    }

    std::vector<Expr> along(const std::vector<Vec3>& a, const Vec3& p) const {
        sym::Matrix gram = sym::zeros(a.size(), a.size());
        std::vector<Expr> b;
        for (std::size_t i = 0; i < a.size(); ++i) {
            b.push_back(dot(a[i], p));
            for (std::size_t j = 0; j < a.size(); ++j) gram[i][j] = dot(a[i], a[j]);
        }
        return solve(gram, b);
    }

    /// R = turn(a1, q1) turn(a2, q2): q1 takes a2 to R a2 about a1, q2 takes Rᵀ a1 to a1 about a2.
    std::vector<Expr> universal_angles(const Vec3& a1, const Vec3& a2) const {
        const Vec3 b2 = cut_.X_FC.R * a2, b1 = cut_.X_FC.R.back(a1);
        const Expr c = dot(a1, a2), c2 = c * c;
        return {atan2(dot(a1, cross(a2, b2)), dot(a2, b2) - c2), atan2(dot(a2, cross(b1, a1)), dot(a1, b1) - c2)};
    }

    /// Three turns. When neighbours are orthogonal: a3 = ±a1 × a2 (angles as of a ship) or a3 = a1 (Euler's).
    std::vector<Expr> gimbal_angles(const std::vector<Vec3>& a) const {
        const Vec3 b3 = cut_.X_FC.R * a[2], b1 = cut_.X_FC.R.back(a[0]);
        const Expr sigma = dot(cross(a[0], a[1]), a[2]), c12 = dot(a[0], a[1]), c23 = dot(a[1], a[2]);
        const auto vanishes = [](const Expr& e) { return sym::is_zero(e) == sym::Verdict::equal; };
        const bool is_square = vanishes(c12) && vanishes(c23) && (vanishes(sigma * sigma - 1) || a[0] == a[2]);
        if (!is_square) {
            // a1·R a3 = c12 c23 + A cos q2 + B sin q2; of its two roots the one that is 0 when nothing is turned
            const Expr A = dot(a[0], a[2]) - c12 * c23, B = sigma;
            const Expr opening = acos((dot(a[0], b3) - c12 * c23) / sqrt(A * A + B * B));
            const Expr q2 = atan2(B, A) - (vanishes(B) ? Expr(-1) : sign(B)) * opening;
            const Vec3 w = spatial::Rotation::turn(a[1], q2) * a[2], z = spatial::Rotation::turn(a[1], q2).back(a[0]);
            return {atan2(dot(a[0], cross(w, b3)), dot(w, b3) - dot(a[0], w) * dot(a[0], b3)), q2,
                    atan2(dot(a[2], cross(b1, z)), dot(z, b1) - dot(a[2], z) * dot(a[2], b1))};
        }
        if (vanishes(sigma)) {
            const Vec3 c = cross(a[1], a[0]);
            return {atan2(dot(a[1], b3), dot(c, b3)), acos(dot(a[0], b3)), atan2(dot(a[1], b1), -dot(c, b1))};
        }
        return {atan2(-sigma * dot(a[1], b3), dot(a[2], b3)), asin(sigma * dot(a[0], b3)), atan2(-sigma * dot(a[1], b1), dot(a[0], b1))};
    }

    const Mechanism& m_;
    const Joint& joint_;
    Vec3 d_;
    CutJoint cut_;
};

}  // namespace

CutJoint close(const Mechanism& mechanism, std::size_t joint) { return Closing(mechanism, joint).close(); }

std::array<Row::Share, 2> shares_of(const Joint& joint, const CutJoint& cut, const Wrench& W) {
    const Wrench on_parent = to_outer(parent_frame(joint) * cut.X_FC, W);
    return {Row::Share{joint.child, to_outer(child_frame(joint), W), cut.joint}, Row::Share{joint.parent, Wrench{} - on_parent}};
}

}  // namespace linkwright::kinematics
