#include "linkwright/model/interface_loads.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linkwright/model/beam_numbers.hpp"
#include "linkwright/model/joint_steps.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/solve/orthogonal.hpp"

namespace linkwright::model {

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

Matrix3d skew_of(const Vector3d& c) {
    Matrix3d m;
    m << 0, -c[2], c[1], c[2], 0, -c[0], -c[1], c[0], 0;
    return m;
}

/// Where a frame stands in another.
struct Placed {
    Matrix3d R = Matrix3d::Identity();
    Vector3d p = Vector3d::Zero();
    Placed operator*(const Placed& inner) const { return {R * inner.R, p + R * inner.p}; }
    Placed inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
    /// Displacement and turn of this frame, in its own axes, from those of the other frame in its axes.
    Matrix6 motion() const {
        Matrix6 m;
        m << R.transpose(), -R.transpose() * skew_of(p), Matrix3d::Zero(), R.transpose();
        return m;
    }
};

class Hanging {
public:
    explicit Hanging(const Model& model) : model_(model), value_(model), inner_(model.bodies.size(), none) {
        for (const auto* list : {&model.guess, &model.initial}) {
            for (const InitialValue& x : *list) begins_[x.symbol.id()] = value_(x.value);
        }
        plant();
    }

    std::map<std::string, std::vector<flex::InterfaceLoad>> run() {
        std::map<std::string, std::vector<flex::InterfaceLoad>> all;
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            if (!model_.bodies[b].beam) continue;
            auto& loads = all[model_.bodies[b].name];
            for (std::size_t j = 0; j < model_.joints.size(); ++j) {
                const Joint& joint = model_.joints[j];
                if (joint.section) continue;
                for (const bool beam_is_parent : {true, false}) {
                    if (beam_of(beam_is_parent ? joint.parent : joint.child) == b) add(loads, b, j, beam_is_parent);
                }
            }
        }
        return all;
    }

private:
    static constexpr std::size_t none = -1;

    /// A tree from the ground, joints in the order of the file, those marked cut last.
    void plant() {
        std::vector<bool> is_reached(model_.bodies.size(), false);
        is_reached[ground] = true;
        for (const bool takes_cut : {false, true}) {
            for (bool grows = true; grows;) {
                grows = false;
                for (std::size_t j = 0; j < model_.joints.size(); ++j) {
                    const Joint& joint = model_.joints[j];
                    if ((joint.cut && !takes_cut) || is_reached[joint.parent] == is_reached[joint.child]) continue;
                    inner_[is_reached[joint.parent] ? joint.child : joint.parent] = j;
                    is_reached[joint.parent] = is_reached[joint.child] = true;
                    grows = true;
                }
            }
        }
    }

    /// The beam that a body is, or is a section of.
    std::size_t beam_of(BodyIndex body) const {
        if (model_.bodies[body].beam) return body;
        for (const Joint& j : model_.joints) {
            if (j.section && j.child == body) return j.parent;
        }
        return none;
    }

    Vector3d value(const Vec3& v) const { return {value_(v[0]), value_(v[1]), value_(v[2])}; }
    Matrix3d value(const Mat3& m) const {
        Matrix3d r;
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) r(i, k) = value_(m[i][k]);
        }
        return r;
    }
    double begin(const Joint& joint, std::size_t coordinate) const {
        const auto at = begins_.find(joint.coordinates[coordinate].id());
        if (at != begins_.end()) return at->second;
        for (const Motion& m : model_.motions) {
            if (!(m.coordinate == joint.coordinates[coordinate])) continue;
            const double given = value_(m.equals);
            return std::isfinite(given) ? given : 0;
        }
        const auto quaternion = quaternion_at(joint.type);
        return quaternion && *quaternion == coordinate ? 1 : 0;
    }

    static Matrix3d turn(const Vector3d& axis, double angle) {
        const Matrix3d k = skew_of(axis);
        return Matrix3d::Identity() + std::sin(angle) * k + (1 - std::cos(angle)) * k * k;
    }

    /// The child's joint frame in the parent's as it begins, and motions that are free there: displacement and turn in axes of the parent's.
    struct Begun {
        Placed child;
        MatrixXd free = MatrixXd(6, 0);
    };
    Begun begun(const Joint& joint) const {
        Begun r;
        Placed& X = r.child;
        const auto add_free = [&](const Vector3d& v, const Vector3d& w) {
            r.free.conservativeResize(6, r.free.cols() + 1);
            r.free.rightCols(1) << v + skew_of(X.p) * w, w;
        };
        for (const JointStep& step : joint_steps(joint)) {
            const auto q = [&](std::size_t k) { return begin(joint, step.coordinate + k); };
            const Vector3d a = X.R * value(step.axis);
            switch (step.kind) {
                case StepKind::turn:
                    add_free(Vector3d::Zero(), a);
                    X.R = X.R * turn(value(step.axis), q(0));
                    break;
                case StepKind::slide:
                    add_free(a, Vector3d::Zero());
                    X.p += q(0) * a;
                    break;
                case StepKind::screw:
                    add_free(value_(step.pitch) * a, a);
                    X.R = X.R * turn(value(step.axis), q(0)), X.p += value_(step.pitch) * q(0) * a;
                    break;
                case StepKind::ball: {
                    for (int k = 0; k < 3; ++k) add_free(Vector3d::Zero(), Vector3d::Unit(k));
                    const Vector3d e(q(1), q(2), q(3));
                    const double angle = 2 * std::atan2(e.norm(), q(0));
                    if (e.norm() > 0) X.R = X.R * turn(e.normalized(), angle);
                    break;
                }
                case StepKind::place:
                    for (int k = 0; k < 3; ++k) add_free(Vector3d::Unit(k), Vector3d::Zero());
                    X.p += X.R * Vector3d(q(0), q(1), q(2));
                    break;
            }
        }
        return r;
    }

    /// The child in the parent as the joint begins; a section in its straight beam.
    Placed child_in_parent(const Joint& joint) const {
        if (joint.section) return {Matrix3d::Identity(), {value_(joint.section->at), 0, 0}};
        return parent_frame(joint) * begun(joint).child * child_frame(joint).inverse();
    }
    Placed parent_frame(const Joint& joint) const { return {value(joint.parent_axes.matrix()), value(joint.parent_at)}; }
    Placed child_frame(const Joint& joint) const { return {value(joint.child_axes.matrix()), value(joint.child_at)}; }

    /// Everything beyond a body, itself included, as one rigid body about its origin.
    Matrix6 locked(BodyIndex body) const {
        Matrix6 sum = own(body);
        for (BodyIndex b = 0; b < model_.bodies.size(); ++b) {
            if (inner_[b] == none) continue;
            const Joint& joint = model_.joints[inner_[b]];
            const bool outward = joint.parent == body && joint.child == b, backward = joint.child == body && joint.parent == b;
            if (!outward && !backward) continue;
            const Matrix6 m = (outward ? child_in_parent(joint) : child_in_parent(joint).inverse()).motion();
            sum += m.transpose() * locked(b) * m;
        }
        return sum;
    }
    Matrix6 own(BodyIndex b) const {
        const Body& body = model_.bodies[b];
        if (!body.beam) {
            if (beam_of(b) != none) return Matrix6::Zero();  // a section: what it carries counts with its beam
            return flex::point_inertia(value_(body.mass), value(body.com), value(body.inertia));
        }
        const flex::BeamMesh mesh(beam_numbers(*body.beam, [&](const Expr& e) { return value_(e); }), 1, {});
        const MatrixXd R = mesh.rigid();
        return R.transpose() * solve::times(mesh.mass(), R);
    }

    void add(std::vector<flex::InterfaceLoad>& loads, std::size_t beam, std::size_t j, bool beam_is_parent) const {
        const Joint& joint = model_.joints[j];
        const BodyIndex here = beam_is_parent ? joint.parent : joint.child, there = beam_is_parent ? joint.child : joint.parent;
        flex::InterfaceLoad load;
        for (const Joint& s : model_.joints) {
            if (s.section && s.child == here) load.at = value_(s.section->at);
        }
        const bool is_frame = here == beam;
        const bool leads_out = inner_[there] == j;
        if (is_frame && !leads_out) return;
        // Motions that the joint leaves free, at the section, in axes of the beam.
        const Begun b = begun(joint);
        const Placed here_to_joint = beam_is_parent ? parent_frame(joint) : child_frame(joint);
        Placed to_parent_joint = beam_is_parent ? here_to_joint : here_to_joint * b.child.inverse();
        const MatrixXd free = to_parent_joint.inverse().motion() * b.free;
        for (int c = 0; c < 6; ++c) {
            double lost = 0;
            if (free.cols() > 0) {
                const MatrixXd q = solve::CompleteOrthogonal(free, 1e-9).pseudo_inverse();
                lost = (free * (q * Eigen::Matrix<double, 6, 1>::Unit(c)))[c];
            }
            load.passes[c] = lost < 0.5;
        }
        if (leads_out) {
            const Placed out = beam_is_parent ? child_in_parent(joint) : child_in_parent(joint).inverse();
            const Matrix6 m = out.motion();
            const Matrix6 I = m.transpose() * locked(there) * m;
            load.inertia = I;
            const bool is_driven = std::ranges::any_of(model_.motions, [&](const Motion& x) {
                return std::ranges::find(joint.coordinates, x.coordinate) != joint.coordinates.end();
            });
            if (free.cols() > 0 && !is_driven)
                load.inertia -=
                    I * free * solve::CompleteOrthogonal(free.transpose() * I * free, 1e-12).pseudo_inverse() * free.transpose() * I;
        }
        loads.push_back(load);
    }

    const Model& model_;
    const ParameterValues value_;
    std::unordered_map<sym::NodeId, double> begins_;
    std::vector<std::size_t> inner_;  ///< the joint through which each body is reached
};

}  // namespace

std::map<std::string, std::vector<flex::InterfaceLoad>> interface_loads(const Model& model) { return Hanging(model).run(); }

}  // namespace linkwright::model
