#include "support/numeric_path.hpp"

#include <functional>

#include "linkwright/model/joint_steps.hpp"
#include "support/beam_numbers.hpp"

namespace linkwright::laws {

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using model::BodyIndex;
using model::Joint;
using model::JointType;
using sym::Expr;
using Index = Eigen::Index;
using Quaternion = Eigen::Vector4d;  // scalar first

Quaternion product(const Quaternion& a, const Quaternion& b) {
    const Vector3d av = a.tail<3>(), bv = b.tail<3>();
    Quaternion c;
    c << a[0] * b[0] - av.dot(bv), a[0] * bv + b[0] * av + av.cross(bv);
    return c;
}
Quaternion pure(const Vector3d& v) {
    Quaternion q;
    q << 0, v;
    return q;
}

/// R = 1 + 2 e0 [e] + 2 [e]², with jets.
JetMat rotation(const std::array<Jet, 4>& e) {
    const auto part = [&](const Jet& j, int order) { return order == 0 ? j.x : order == 1 ? j.v : j.a; };
    std::array<std::array<Jet, 3>, 3> S{{{Jet(0), -e[3], e[2]}, {e[3], Jet(0), -e[1]}, {-e[2], e[1], Jet(0)}}};
    JetMat R;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            Jet sum = Jet(2) * e[0] * S[i][j] + (i == j ? Jet(1) : Jet(0));
            for (std::size_t k = 0; k < 3; ++k) sum = sum + Jet(2) * S[i][k] * S[k][j];
            R.x(i, j) = part(sum, 0), R.v(i, j) = part(sum, 1), R.a(i, j) = part(sum, 2);
        }
    }
    return R;
}

Vector3d from_skew(const Matrix3d& m) { return {(m(2, 1) - m(1, 2)) / 2, (m(0, 2) - m(2, 0)) / 2, (m(1, 0) - m(0, 1)) / 2}; }
Vector3d angular_velocity(const JetMat& R) { return from_skew(R.v * R.x.transpose()); }
Vector3d angular_acceleration(const JetMat& R) { return from_skew(R.a * R.x.transpose()); }  // [ω]² is symmetric

/// The index cyclically after k.
Vector3d unit(std::size_t k) { return Vector3d::Unit(k % 3); }

class Path {
public:
    Path(const model::Model& model, const std::vector<bool>& is_cut, double t, const NamedValues& values)
        : m_(model), is_cut_(is_cut), t_(t), values_(values) {}

    NumericResult solve() {
        declare();
        place();
        measure_gaps();
        tie_joints();
        give_motions();
        add_constraints();
        load();
        solve_for_accelerations();
        add_invariants();
        return std::move(result_);
    }

private:
    // Numbers for expressions

    Jet parameter(const Expr& s) {
        const std::string& name = s.symbol().name;
        if (const auto at = parameters_.find(name); at != parameters_.end()) return at->second;
        for (const model::Parameter& p : m_.parameters) {
            if (p.symbol == s) return parameters_[name] = number(p.value, VectorXd());
        }
        for (const model::Input& w : m_.inputs) {
            if (w.symbol == s) return parameters_[name] = jet(w.value, VectorXd());
        }
        throw std::runtime_error("no value for " + name);
    }
    /// With accelerations z; an empty z is zero.
    Jet jet(const Expr& e, const VectorXd& z) {
        return sym::evaluate<Jet>(e, [&](const Expr& s) -> Jet {
            if (s == m_.t) return {t_, 1, 0};
            const std::string& name = s.symbol().name;
            if (const auto at = coordinate_at_.find(name); at != coordinate_at_.end())
                return coordinates(at->second.first, z)[at->second.second];
            if (const auto at = speed_at_.find(name); at != speed_at_.end()) return speeds(at->second.first, z)[at->second.second];
            if (const auto at = elastic_at_.find(name); at != elastic_at_.end()) {
                const auto [beam, k, is_speed] = at->second;
                const Jet q = elastic(beams_[beam], z)[k];
                return is_speed ? Jet(q.v, q.a, 0) : q;
            }
            if (const auto at = values_.find(name); at != values_.end()) return at->second;  // a rotor's spin
            return parameter(s);
        });
    }
    double number(const Expr& e, const VectorXd& z = {}) { return jet(e, z).x; }
    Vector3d vector(const spatial::Vec3& v) { return {number(v[0]), number(v[1]), number(v[2])}; }
    Matrix3d matrix(const spatial::Mat3& m) {
        Matrix3d r;
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) r(static_cast<Index>(i), static_cast<Index>(j)) = number(m[i][j]);
        }
        return r;
    }

    // Joints

    struct JointData {
        Vector3d parent_at, child_at;
        Matrix3d parent_axes, child_axes;
        std::vector<Vector3d> axes;
        double pitch = 0;
        std::vector<double> q, u;
        std::vector<std::optional<Jet>> given;  // by coordinate
        const model::JointMotion* motion = nullptr;
        Index at = 0;   // of its u̇ in z
        Index row = 0;  // of its six rows
        // Of a section
        std::optional<std::size_t> beam;
        BeamNumbers::Station station{};
        double beyond = 0;
        bool turns = true, is_com = false;
    };

    void declare() {
        Index n = 6 * static_cast<Index>(m_.bodies.size() - 1);
        for (const model::Body& body : m_.bodies) com_.push_back(vector(body.com));
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const Joint& joint = m_.joints[j];
            JointData d;
            if (!joint.section) d.parent_at = vector(joint.parent_at), d.parent_axes = matrix(joint.parent_axes.matrix());
            d.child_at = vector(joint.child_at), d.child_axes = matrix(joint.child_axes.matrix());
            for (const spatial::Vec3& a : joint.axes) d.axes.push_back(vector(a));
            d.pitch = number(joint.pitch);
            for (const model::JointMotion& motion : m_.joint_motions) {
                if (motion.joint == j) d.motion = &motion;
            }
            d.given.resize(joint.coordinates.size());
            d.at = n;
            if (!d.motion) {
                n += static_cast<Index>(joint.speeds.size());
                for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
                    for (const model::Motion& motion : m_.motions) {
                        if (motion.coordinate == joint.coordinates[i]) d.given[i] = jet(motion.equals, VectorXd());
                    }
                    d.q.push_back(d.given[i] ? d.given[i]->x : value(joint.coordinates[i]));
                }
                for (std::size_t i = 0; i < joint.speeds.size(); ++i) {
                    const bool is_given = d.given.size() == joint.speeds.size() && d.given[i];
                    d.u.push_back(is_given ? d.given[i]->v : value(joint.speeds[i]));
                }
            }
            joints_.push_back(std::move(d));
            for (std::size_t i = 0; i < joint.coordinates.size(); ++i) coordinate_at_[joint.coordinates[i].symbol().name] = {j, i};
            for (std::size_t i = 0; i < joint.speeds.size(); ++i) speed_at_[joint.speeds[i].symbol().name] = {j, i};
        }
        for (BodyIndex b = 1; b < m_.bodies.size(); ++b) {
            for (const model::Rotor& rotor : m_.bodies[b].rotors) rotors_.push_back({b, &rotor, rotor.spin ? n++ : -1});
        }
        for (BodyIndex b = 1; b < m_.bodies.size(); ++b) {
            if (m_.bodies[b].beam) n = declare_beam(b, n);
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            if (m_.joints[j].section) declare_section(j);
        }
        size_ = n;
        M_ = MatrixXd::Zero(n, n);
        Q_ = VectorXd::Zero(n);
    }
    double value(const Expr& s) const {
        const auto at = values_.find(s.symbol().name);
        if (at == values_.end()) throw std::runtime_error("no value for " + s.symbol().name);
        return at->second;
    }

    std::vector<Jet> speeds(std::size_t j, const VectorXd& z) const {
        std::vector<Jet> u;
        for (std::size_t i = 0; i < joints_[j].u.size(); ++i) {
            u.emplace_back(joints_[j].u[i], z.size() == 0 ? 0 : z[joints_[j].at + static_cast<Index>(i)], 0);
        }
        return u;
    }
    std::vector<Jet> coordinates(std::size_t j, const VectorXd& z) const {
        const std::vector<double>& q = joints_[j].q;
        const std::vector<Jet> u = speeds(j, z);
        std::vector<Jet> c;
        const JointType type = m_.joints[j].type;
        const bool is_on_line = type == JointType::point_on_line;
        if (type != JointType::spherical && type != JointType::free && !is_on_line) {
            for (std::size_t i = 0; i < q.size(); ++i) c.emplace_back(q[i], u[i].x, u[i].v);
            return c;
        }
        const std::size_t first = type == JointType::free ? 3 : is_on_line ? 1 : 0, k0 = is_on_line ? 1 : 0;
        const Vector3d w(u[k0].x, u[k0 + 1].x, u[k0 + 2].x), dw(u[k0].v, u[k0 + 1].v, u[k0 + 2].v);
        const Quaternion e(q[first], q[first + 1], q[first + 2], q[first + 3]);
        const Quaternion de = product(e, pure(w)) / 2, dde = (product(de, pure(w)) + product(e, pure(dw))) / 2;
        std::array<Jet, 4> jets;
        for (std::size_t k = 0; k < 4; ++k) jets[k] = {e[k], de[k], dde[k]};
        if (is_on_line) c.emplace_back(q[0], u[0].x, u[0].v);
        if (type == JointType::free) {  // ṗ = R v
            const JetMat R = rotation(jets);
            const Vector3d v(u[3].x, u[4].x, u[5].x), dv(u[3].v, u[4].v, u[5].v);
            const Vector3d rate = R.x * v, change = R.v * v + R.x * dv;
            for (std::size_t k = 0; k < 3; ++k) c.emplace_back(q[k], rate[k], change[k]);
        }
        c.insert(c.end(), jets.begin(), jets.end());
        return c;
    }

    /// The child's joint frame in the parent's.
    Placement across(std::size_t j, const VectorXd& z) {
        const Joint& joint = m_.joints[j];
        const JointData& d = joints_[j];
        Placement X;
        if (d.motion) {
            const bool is_on_line = joint.type == JointType::point_on_line;
            if (is_on_line) X.p = jet(d.motion->translation[0], VectorXd()) * fixed(d.axes[0]);
            for (std::size_t k = 0; k < 3 && !is_on_line; ++k) X.p = X.p + jet(d.motion->translation[k], VectorXd()) * fixed(unit(k));
            for (std::size_t k = 0; k < d.motion->axes.size(); ++k) {
                X.R = X.R * turn(vector(d.motion->axes[k]), jet(d.motion->angles[k], VectorXd()));
            }
            return X;
        }
        const std::vector<Jet> q = coordinates(j, z);
        const auto slide = [&](const Vector3d& axis, const Jet& by) { X.p = X.p + by * fixed(axis); };
        const auto turns = [&](std::size_t first) {
            for (std::size_t k = 0; k < d.axes.size(); ++k) X.R = X.R * turn(d.axes[k], q[first + k]);
        };
        switch (joint.type) {
            case JointType::weld: break;
            case JointType::revolute:
            case JointType::universal:
            case JointType::gimbal: turns(0); break;
            case JointType::prismatic: slide(d.axes[0], q[0]); break;
            case JointType::screw: slide(d.axes[0], Jet(d.pitch) * q[0]), turns(0); break;
            case JointType::cylindrical: slide(d.axes[0], q[1]), turns(0); break;
            case JointType::planar: {
                Index k = 0;
                d.axes[0].maxCoeff(&k);
                slide(unit(static_cast<std::size_t>(k) + 1), q[0]);
                slide(unit(static_cast<std::size_t>(k) + 2), q[1]);
                turns(2);
                break;
            }
            case JointType::translation:
                for (std::size_t k = 0; k < d.axes.size(); ++k) slide(d.axes[k], q[k]);
                break;
            case JointType::free_axes:
                for (std::size_t k = 0; k < 3; ++k) slide(unit(k), q[k]);
                turns(3);
                break;
            case JointType::free:
                for (std::size_t k = 0; k < 3; ++k) slide(unit(k), q[k]);
                X.R = rotation({q[3], q[4], q[5], q[6]});
                break;
            case JointType::spherical: X.R = rotation({q[0], q[1], q[2], q[3]}); break;
            case JointType::point_on_line: slide(d.axes[0], q[0]), X.R = rotation({q[1], q[2], q[3], q[4]}); break;
        }
        return X;
    }
    /// The speeds of a joint with their rates, also where its motion is given as a whole: ω and v in the child's joint axes.
    std::vector<Jet> own_speeds(std::size_t j, const VectorXd& z) {
        if (!joints_[j].motion) return speeds(j, z);
        const Placement X = across(j, z);
        const Matrix3d back = X.R.x.transpose();
        const Vector3d w = back * angular_velocity(X.R), dw = back * angular_acceleration(X.R);
        const Vector3d v = back * X.p.v, dv = back * X.p.a + X.R.v.transpose() * X.p.v;
        std::vector<Jet> u;
        if (m_.joints[j].type == JointType::point_on_line) u.emplace_back(joints_[j].axes[0].dot(X.p.v), joints_[j].axes[0].dot(X.p.a), 0);
        for (Index k = 0; k < 3; ++k) u.emplace_back(w[k], dw[k], 0);
        for (Index k = 0; k < 3 && m_.joints[j].type == JointType::free; ++k) u.emplace_back(v[k], dv[k], 0);
        return u;
    }
    /// The child body in the parent body.
    Placement relative(std::size_t j, const VectorXd& z) {
        const JointData& d = joints_[j];
        if (d.beam) return on_beam(d, z);
        const Placement F{{d.parent_axes, Matrix3d::Zero(), Matrix3d::Zero()}, fixed(d.parent_at)};
        const Placement C{{d.child_axes, Matrix3d::Zero(), Matrix3d::Zero()}, fixed(d.child_at)};
        return F * across(j, z) * C.inverse();
    }

    // Beams

    struct Flexible {
        BodyIndex body = 0;
        Index at = 0;  // of its coordinates' second derivatives in z
        BeamNumbers numbers;
        std::vector<double> q, u;
        std::vector<std::optional<Jet>> given{};
        struct Particle {
            double mass, torsion_inertia, rotary;  // times the weight of the node
            BeamNumbers::Station station;
        };
        std::vector<Particle> particles{};
        MatrixXd K{}, C{};
    };

    Index declare_beam(BodyIndex b, Index n) {
        const model::Beam& beam = *m_.bodies[b].beam;
        Flexible f{.body = b, .at = n, .numbers = BeamNumbers(beam, [&](const Expr& e) { return number(e); }), .q = {}, .u = {}};
        for (const BeamNumbers::Piece& p : f.numbers.pieces()) {
            for (const Node& node : gauss_nodes(p.from, p.to)) {
                f.particles.push_back(
                    {node.weight * p.mass, node.weight * p.torsion_inertia, node.weight * p.rotary, f.numbers.station(node.x)});
            }
        }
        f.K = f.numbers.stiffness();
        for (std::size_t k = 0; k < f.numbers.count(); ++k) {
            const Expr &q = beam.elastic.coordinates[k], &u = beam.elastic.speeds[k];
            f.given.emplace_back();
            for (const model::Motion& motion : m_.motions) {
                if (motion.coordinate == q) f.given[k] = jet(motion.equals, VectorXd());
            }
            f.q.push_back(f.given[k] ? f.given[k]->x : value(q)), f.u.push_back(f.given[k] ? f.given[k]->v : value(u));
            elastic_at_[beam.elastic.coordinates[k].symbol().name] = {beams_.size(), k, false};
            elastic_at_[beam.elastic.speeds[k].symbol().name] = {beams_.size(), k, true};
        }
        beams_.push_back(std::move(f));
        return n + static_cast<Index>(beams_.back().q.size());
    }
    void declare_section(std::size_t j) {
        const model::Section& section = *m_.joints[j].section;
        for (std::size_t i = 0; i < beams_.size(); ++i) {
            if (beams_[i].body == m_.joints[j].parent) joints_[j].beam = i;
        }
        JointData& d = joints_[j];
        const double x = number(section.at);
        d.station = beams_[*d.beam].numbers.station(x);
        d.beyond = x - d.station.x;
        d.turns = section.turns;
        d.is_com = m_.joints[j].name.ends_with(".com_now");
    }

    std::vector<Jet> elastic(const Flexible& beam, const VectorXd& z) const {
        std::vector<Jet> q;
        for (std::size_t k = 0; k < beam.q.size(); ++k) {
            q.emplace_back(beam.q[k], beam.u[k], z.size() == 0 ? 0 : z[beam.at + static_cast<Index>(k)]);
        }
        return q;
    }
    /// A section in the frame of its beam.
    Placement on_beam(const JointData& d, const VectorXd& z) {
        const Flexible& beam = beams_[*d.beam];
        const std::vector<Jet> q = elastic(beam, z);
        if (d.is_com) return {{}, centre(beam, z)};
        const JetMat R = beam.numbers.axes(d.station, q);
        return {d.turns ? R : JetMat{}, beam.numbers.place(d.station, q) + R * fixed({d.beyond, 0, 0})};
    }
    /// The centre of mass of a beam with all that is on it, in its frame.
    JetVec centre(const Flexible& beam, const VectorXd& z) {
        const model::Body& body = m_.bodies[beam.body];
        const std::vector<Jet> q = elastic(beam, z);
        double mass = number(body.mass);
        JetVec sum = Jet(mass) * fixed(com_[beam.body]);
        for (const Flexible::Particle& p : beam.particles) {
            mass += p.mass;
            sum = sum + Jet(p.mass) * beam.numbers.place(p.station, q);
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const JointData& d = joints_[j];
            if (!d.beam || &beams_[*d.beam] != &beam || d.is_com) continue;
            const BodyIndex child = m_.joints[j].child;
            const Placement X = on_beam(d, z);
            const double m = number(m_.bodies[child].mass);
            mass += m;
            sum = sum + Jet(m) * (X.p + X.R * fixed(com_[child]));
        }
        return Jet(1 / mass) * sum;
    }

    /// Particles and turning sections: acceleration = J z + rest, over the body's six and the beam's own.
    void load_beam(Flexible& beam, const Vector3d& g) {
        const Index n = static_cast<Index>(beam.q.size());
        std::vector<Index> columns;
        for (Index k = 0; k < 6; ++k) columns.push_back(at(beam.body) + k);
        for (Index k = 0; k < n; ++k) columns.push_back(beam.at + k);
        const auto add = [&](const MatrixXd& J, double mass, const VectorXd& force) {
            for (std::size_t i = 0; i < columns.size(); ++i) {
                Q_[columns[i]] += J.col(static_cast<Index>(i)).dot(force);
                for (std::size_t j = 0; j < columns.size(); ++j) {
                    M_(columns[i], columns[j]) += mass * J.col(static_cast<Index>(i)).dot(J.col(static_cast<Index>(j)));
                }
            }
        };
        const Placement& X = bodies_[beam.body];
        const Vector3d w = angular_velocity(X.R);
        for (const Flexible::Particle& p : beam.particles) {
            VectorXd z = VectorXd::Zero(size_);
            const JetVec rest = particle(beam, p, z);
            MatrixXd J(3, columns.size());
            for (std::size_t i = 0; i < columns.size(); ++i) {
                z[columns[i]] = 1;
                J.col(static_cast<Index>(i)) = particle(beam, p, z).a - rest.a;
                z[columns[i]] = 0;
            }
            add(J, p.mass, p.mass * (g - rest.a));
            result_.kinetic += p.mass * rest.v.squaredNorm() / 2;
            result_.potential -= p.mass * g.dot(rest.x);
            for (const Spin& s : spins(beam, p)) {
                MatrixXd along = MatrixXd::Zero(1, static_cast<Index>(columns.size()));
                along.block<1, 3>(0, 0) = s.axis.transpose();
                along.block(0, 6, 1, n) = s.slopes.transpose();
                add(along, s.inertia, VectorXd::Zero(1));
                Q_.segment<3>(at(beam.body)) -= s.inertia * s.rate * w.cross(s.axis);
                result_.kinetic += s.inertia * s.rate * s.rate / 2;
            }
        }
        const VectorXd q = Eigen::Map<const VectorXd>(beam.q.data(), n), u = Eigen::Map<const VectorXd>(beam.u.data(), n);
        beam.C = damping(beam);
        Q_.segment(beam.at, n) -= beam.K * q + beam.C * u;
        result_.potential += q.dot(beam.K * q) / 2;
    }
    JetVec particle(const Flexible& beam, const Flexible::Particle& p, const VectorXd& z) const {
        const Placement X = moving(beam.body, z);
        return X.p + X.R * beam.numbers.place(p.station, elastic(beam, z));
    }
    /// ½ρ(ω_axis + Σ slope q̇)²: twist about x, bending about z and y.
    struct Spin {
        double inertia;
        Vector3d axis;    // ground
        VectorXd slopes;  // by the beam's speeds
        double rate;
    };
    std::vector<Spin> spins(const Flexible& beam, const Flexible::Particle& p) const {
        using Direction = BeamNumbers::Direction;
        std::vector<Spin> list;
        const Matrix3d& R = bodies_[beam.body].R.x;
        const Vector3d w = angular_velocity(bodies_[beam.body].R);
        for (const auto& [direction, axis, sign, inertia] :
             {std::tuple(Direction::twist, 0, 1, p.torsion_inertia), std::tuple(Direction::y, 2, 1, p.rotary),
              std::tuple(Direction::z, 1, -1, p.rotary)}) {
            if (inertia == 0) continue;
            Spin s{inertia, R.col(axis), VectorXd::Zero(static_cast<Index>(beam.q.size())), R.col(axis).dot(w)};
            for (std::size_t k = 0; k < beam.q.size(); ++k) {
                if (beam.numbers.direction(k) != direction) continue;
                s.slopes[static_cast<Index>(k)] = sign * p.station.shape[k][direction == Direction::twist ? 0 : 1];
                s.rate += s.slopes[static_cast<Index>(k)] * beam.u[k];
            }
            list.push_back(std::move(s));
        }
        return list;
    }
    /// Φ⁻ᵀ diag(2ζω) Φ⁻¹ of the beam at rest in its frame, with what is on it. A list of ratios goes by the frequencies of each direction.
    MatrixXd damping(const Flexible& beam) {
        using Direction = BeamNumbers::Direction;
        const model::Beam& description = *m_.bodies[beam.body].beam;
        const Index n = static_cast<Index>(beam.q.size());
        MatrixXd C = MatrixXd::Zero(n, n), N = MatrixXd::Zero(n, n);
        if (description.damping.empty()) return C;
        const auto still = [&](Index k) {
            std::vector<Jet> q(beam.q.size(), Jet(0));
            if (k >= 0) q[static_cast<std::size_t>(k)].v = 1;
            return q;
        };
        for (const Flexible::Particle& p : beam.particles) {
            MatrixXd J(3, n);
            for (Index k = 0; k < n; ++k) J.col(k) = beam.numbers.place(p.station, still(k)).v;
            N += p.mass * J.transpose() * J;
            for (const Spin& s : spins(beam, p)) N += s.inertia * s.slopes * s.slopes.transpose();
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const JointData& d = joints_[j];
            if (!d.beam || &beams_[*d.beam] != &beam || d.is_com) continue;
            const BodyIndex child = m_.joints[j].child;
            MatrixXd J(3, n), W(3, n);
            for (Index k = 0; k < n; ++k) {
                const std::vector<Jet> q = still(k);
                const JetMat R = beam.numbers.axes(d.station, q);
                J.col(k) = (beam.numbers.place(d.station, q) + R * fixed(Vector3d(d.beyond, 0, 0) + com_[child])).v;
                W.col(k) = angular_velocity(R);
            }
            N += number(m_.bodies[child].mass) * J.transpose() * J + W.transpose() * matrix(m_.bodies[child].inertia) * W;
        }
        const auto damp = [&](const std::vector<Index>& of) {
            const Index k = static_cast<Index>(of.size());
            MatrixXd Nk(k, k), Kk(k, k);
            VectorXd twice(k);
            for (Index a = 0; a < k; ++a) {
                for (Index b = 0; b < k; ++b) Nk(a, b) = N(of[a], of[b]), Kk(a, b) = beam.K(of[a], of[b]);
            }
            const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(Kk, Nk);
            for (Index a = 0; a < k; ++a) {
                const std::size_t of_ratio = description.damping.size() == 1 ? 0 : static_cast<std::size_t>(of[a]);
                twice[a] = 2 * number(description.damping[of_ratio]) * std::sqrt(eigen.eigenvalues()[a]);
            }
            const MatrixXd back = eigen.eigenvectors().inverse();
            const MatrixXd Ck = back.transpose() * twice.asDiagonal() * back;
            for (Index a = 0; a < k; ++a) {
                for (Index b = 0; b < k; ++b) C(of[a], of[b]) = Ck(a, b);
            }
        };
        if (description.damping.size() == 1) {
            std::vector<Index> all;
            for (Index k = 0; k < n; ++k) all.push_back(k);
            damp(all);
            return C;
        }
        for (const Direction direction : {Direction::y, Direction::z, Direction::x, Direction::twist}) {
            std::vector<Index> of;
            for (Index k = 0; k < n; ++k) {
                if (beam.numbers.direction(static_cast<std::size_t>(k)) == direction) of.push_back(k);
            }
            if (!of.empty()) damp(of);
        }
        return C;
    }
    void add_beam_invariants(const Flexible& beam) {
        NumericResult& r = result_;
        const Index n = static_cast<Index>(beam.q.size());
        const BodyMotion& body = r.bodies[beam.body];
        for (const Flexible::Particle& p : beam.particles) {
            const JetVec x = particle(beam, p, z_);
            r.energy_rate += p.mass * x.v.dot(x.a);
            r.linear += p.mass * x.v;
            r.linear_rate += p.mass * x.a;
            r.angular += p.mass * x.x.cross(x.v);
            r.angular_rate += p.mass * x.x.cross(x.a);
            for (const Spin& s : spins(beam, p)) {
                const double change = s.axis.dot(body.alpha) + s.slopes.dot(z_.segment(beam.at, n));
                r.energy_rate += s.inertia * s.rate * change;
                r.angular += s.inertia * s.rate * s.axis;
                r.angular_rate += s.inertia * (change * s.axis + s.rate * body.w.cross(s.axis));
            }
        }
    }
    Jet beam_potential(const Flexible& beam) {
        Jet V;
        for (const Flexible::Particle& p : beam.particles) {
            const JetVec x = particle(beam, p, z_);
            for (Index k = 0; k < 3; ++k) V = V - Jet(p.mass) * jet(m_.gravity[static_cast<std::size_t>(k)], z_) * Jet(x.x[k], x.v[k], 0);
        }
        const std::vector<Jet> q = elastic(beam, z_);
        for (std::size_t k = 0; k < q.size(); ++k) {
            for (std::size_t l = 0; l < q.size(); ++l) V = V + Jet(beam.K(static_cast<Index>(k), static_cast<Index>(l)) / 2) * q[k] * q[l];
        }
        return V;
    }

    // Bodies

    void place() {
        bodies_.resize(m_.bodies.size());
        std::vector<bool> is_placed(m_.bodies.size(), false);
        is_placed[0] = true;
        for (bool again = true; again;) {
            again = false;
            for (std::size_t j = 0; j < m_.joints.size(); ++j) {
                const Joint& joint = m_.joints[j];
                if (is_cut_[j] || is_placed[joint.parent] == is_placed[joint.child]) continue;
                const Placement X = relative(j, VectorXd());
                if (is_placed[joint.parent]) {
                    bodies_[joint.child] = bodies_[joint.parent] * X;
                } else {
                    bodies_[joint.parent] = bodies_[joint.child] * X.inverse();
                }
                is_placed[joint.parent] = is_placed[joint.child] = again = true;
            }
        }
        for (Placement& X : bodies_) X.R.a.setZero(), X.p.a.setZero();
    }
    void measure_gaps() {
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const Placement X = bodies_[m_.joints[j].parent] * relative(j, VectorXd()), &Y = bodies_[m_.joints[j].child];
            result_.open = std::max({result_.open, (X.R.x - Y.R.x).cwiseAbs().maxCoeff(), (X.p.x - Y.p.x).cwiseAbs().maxCoeff()});
            result_.opening = std::max({result_.opening, (X.R.v - Y.R.v).cwiseAbs().maxCoeff(), (X.p.v - Y.p.v).cwiseAbs().maxCoeff()});
        }
    }
    static Index at(BodyIndex b) { return 6 * static_cast<Index>(b - 1); }
    /// A body with the accelerations that z has for it.
    Placement moving(BodyIndex b, const VectorXd& z) const {
        Placement X = bodies_[b];
        if (b == model::ground) return X;
        const Matrix3d W = skew(angular_velocity(X.R));
        const Vector3d alpha = z.segment<3>(at(b)), a = z.segment<3>(at(b) + 3);
        X.R.a = (skew(alpha) + W * W) * X.R.x;
        X.p.a = a - X.R.a * com_[b];
        return X;
    }
    JetVec point(const model::PointOf& p, const VectorXd& z) {
        const Placement X = moving(p.body, z);
        return X.p + X.R * fixed(vector(p.at));
    }

    // Rows

    /// A row that is affine in z, by asking at zero and at every unit: C z = c.
    void add_row(const std::function<double(const VectorXd&)>& residual) {
        VectorXd z = VectorXd::Zero(size_), row(size_);
        const double rest = residual(z);
        for (Index k = 0; k < size_; ++k) {
            z[k] = 1;
            row[k] = residual(z) - rest;
            z[k] = 0;
        }
        rows_.push_back(std::move(row));
        right_.push_back(-rest);
    }
    void tie_joints() {
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const Joint& joint = m_.joints[j];
            joints_[j].row = static_cast<Index>(rows_.size());
            const auto six = [&](const VectorXd& z) {  // the child's accelerations, as the parent and the joint make them
                const Placement X = moving(joint.parent, z) * relative(j, z);
                const JetVec com = X.p + X.R * fixed(com_[joint.child]);
                Eigen::Matrix<double, 6, 1> r;
                r << angular_acceleration(X.R), com.a;
                return r;
            };
            MatrixXd C = MatrixXd::Zero(6, size_);
            VectorXd z = VectorXd::Zero(size_);
            const Eigen::Matrix<double, 6, 1> rest = six(z);
            const auto ask = [&](Index first, Index count) {
                for (Index k = first; k < first + count; ++k) {
                    z[k] = 1;
                    C.col(k) -= six(z) - rest;
                    z[k] = 0;
                }
            };
            if (joint.parent != model::ground) ask(at(joint.parent), 6);
            if (joints_[j].beam) ask(beams_[*joints_[j].beam].at, static_cast<Index>(beams_[*joints_[j].beam].q.size()));
            ask(joints_[j].at, static_cast<Index>(joints_[j].u.size()));
            if (joint.child != model::ground) C.block<6, 6>(0, at(joint.child)).setIdentity();
            for (Index k = 0; k < 6; ++k) rows_.push_back(C.row(k)), right_.push_back(rest[k]);
        }
    }
    void give_motions() {
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            for (std::size_t i = 0; i < joints_[j].given.size(); ++i) {
                if (!joints_[j].given[i] || joints_[j].motion) continue;
                drive_rows_[m_.joints[j].coordinates[i].symbol().name] = rows_.size();
                VectorXd row = VectorXd::Zero(size_);
                row[joints_[j].at + static_cast<Index>(i)] = 1;
                rows_.push_back(row);
                right_.push_back(joints_[j].given[i]->a);
            }
        }
        for (const Flexible& beam : beams_) {
            for (std::size_t k = 0; k < beam.given.size(); ++k) {
                if (!beam.given[k]) continue;
                drive_rows_[m_.bodies[beam.body].beam->elastic.coordinates[k].symbol().name] = rows_.size();
                VectorXd row = VectorXd::Zero(size_);
                row[beam.at + static_cast<Index>(k)] = 1;
                rows_.push_back(row);
                right_.push_back(beam.given[k]->a);
            }
        }
    }
    void add_constraints() {
        for (const model::Rod& rod : m_.rods) {
            add_row([&](const VectorXd& z) {
                const JetVec d = point(rod.to, z) - point(rod.from, z);
                return (sqrt(dot(d, d)) - jet(rod.length, z)).a;
            });
        }
        for (const model::Gear& gear : m_.gears)
            add_row([&](const VectorXd& z) { return jet(gear.drive - gear.ratio * gear.driven, z).a; });
        for (const model::Constraint& c : m_.constraints) {
            add_row([&](const VectorXd& z) { return c.is_holonomic ? jet(c.expression, z).a : jet(c.expression, z).v; });
        }
        for (const model::Rolling& rolling : m_.rollings) add_rolling(rolling);
    }
    void add_rolling(const model::Rolling& rolling) {
        const Vector3d n = vector(rolling.normal), x = n.unitOrthogonal(), y = n.cross(x), axis = vector(rolling.axis);
        const double r = number(rolling.radius);
        const Vector3d plane = vector(rolling.plane_at);
        const bool is_disk = rolling.type == model::RollingType::disk, is_blade = rolling.type == model::RollingType::knife_edge;
        // From the centre to the lowest point: along the steepest line in the disk's plane.
        const auto arm = [=, this](const VectorXd& z) {
            if (is_blade) return fixed(Vector3d::Zero());
            if (!is_disk) return fixed(-r * n);
            const JetVec a = moving(rolling.on.body, z).R * fixed(axis);
            const JetVec steepest = dot(fixed(n), a) * a - fixed(n);
            return Jet(r) / sqrt(dot(steepest, steepest)) * steepest;
        };
        add_row([=, this](const VectorXd& z) { return dot(point(rolling.on, z) + arm(z) - fixed(plane), fixed(n)).a; });
        const auto slip_rate = [=, this](const VectorXd& z) -> Vector3d {  // d/dt (ċ + ω × arm)
            const JetMat R = moving(rolling.on.body, z).R;
            const JetVec to = arm(z);
            return point(rolling.on, z).a + angular_acceleration(R).cross(to.x) + angular_velocity(R).cross(to.v);
        };
        if (!is_blade) {
            add_row([=](const VectorXd& z) { return slip_rate(z).dot(x); });
            add_row([=](const VectorXd& z) { return slip_rate(z).dot(y); });
            return;
        }
        add_row([=, this](const VectorXd& z) {  // ċ·b = 0, b the blade's normal brought into the plane
            const JetVec a = moving(rolling.on.body, z).R * fixed(axis), flat = a - dot(a, fixed(n)) * fixed(n);
            const JetVec b = Jet(1) / sqrt(dot(flat, flat)) * flat, c = point(rolling.on, z);
            return c.a.dot(b.x) + c.v.dot(b.v);
        });
    }

    // Inertia and forces

    void push(BodyIndex b, const Vector3d& at_point, const Vector3d& force, const Vector3d& torque) {
        if (b == model::ground) return;
        Q_.segment<3>(at(b)) += torque + (at_point - com(b)).cross(force);
        Q_.segment<3>(at(b) + 3) += force;
    }
    Vector3d com(BodyIndex b) const { return bodies_[b].p.x + bodies_[b].R.x * com_[b]; }
    Vector3d com_velocity(BodyIndex b) const { return bodies_[b].p.v + bodies_[b].R.v * com_[b]; }
    Matrix3d inertia(BodyIndex b) {
        const Matrix3d& R = bodies_[b].R.x;
        return R * matrix(m_.bodies[b].inertia) * R.transpose();
    }

    void load() {
        const Vector3d g = vector(m_.gravity);
        for (BodyIndex b = 1; b < m_.bodies.size(); ++b) {
            const double mass = number(m_.bodies[b].mass);
            const Vector3d w = angular_velocity(bodies_[b].R);
            const Matrix3d I = inertia(b);
            M_.block<3, 3>(at(b), at(b)) = I;
            M_.block<3, 3>(at(b) + 3, at(b) + 3) = mass * Matrix3d::Identity();
            push(b, com(b), mass * g, -w.cross(I * w));
            const Vector3d v = com_velocity(b);
            result_.kinetic += (mass * v.dot(v) + w.dot(I * w)) / 2;
            result_.potential -= mass * g.dot(com(b));
        }
        for (const Wheel& wheel : rotors_) load_rotor(wheel);
        for (Flexible& beam : beams_) load_beam(beam, g);
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            if (joints_[j].motion) continue;
            for (std::size_t i = 0; i < m_.joints[j].forces.size(); ++i) {
                const model::JointForce& f = m_.joints[j].forces[i];
                const double k = number(f.stiffness);
                double tau = number(f.actuator) - number(f.damping) * joints_[j].u[i];
                if (k != 0) {
                    const double stretch = joints_[j].q[i] - number(f.rest);
                    tau -= k * stretch;
                    result_.potential += k * stretch * stretch / 2;
                }
                Q_[joints_[j].at + static_cast<Index>(i)] += tau;
            }
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) load_drives(j);
        const VectorXd still = VectorXd::Zero(size_);
        for (const model::Spring& s : m_.springs) {
            const JetVec from = point(s.from, still), to = point(s.to, still), d = to - from;
            const double l = d.x.norm(), rate = d.x.dot(d.v) / l, k = number(s.stiffness), rest = number(s.rest);
            const Vector3d f = (-k * (l - rest) - number(s.damping) * rate + number(s.actuator)) / l * d.x;
            push(s.to.body, to.x, f, Vector3d::Zero());
            push(s.from.body, from.x, -f, Vector3d::Zero());
            result_.potential += k * (l - rest) * (l - rest) / 2;
        }
        for (const model::Force& f : m_.forces) {
            const Vector3d force = bodies_[f.in].R.x * vector(f.vector);
            push(f.on.body, point(f.on, still).x, force, Vector3d::Zero());
            if (f.from) push(f.from->body, point(*f.from, still).x, -force, Vector3d::Zero());
        }
        for (const model::Torque& f : m_.torques) {
            const Vector3d torque = bodies_[f.in].R.x * vector(f.vector);
            push(f.on, Vector3d::Zero(), Vector3d::Zero(), torque);
            if (f.from) push(*f.from, Vector3d::Zero(), Vector3d::Zero(), -torque);
        }
    }

    struct Wheel {
        BodyIndex body;
        const model::Rotor* rotor;
        Index at;  // of its spin's rate in z; −1 when it is held
    };
    void load_rotor(const Wheel& wheel) {
        const double I = number(wheel.rotor->inertia);
        const Vector3d a = bodies_[wheel.body].R.x * vector(wheel.rotor->axis), w = angular_velocity(bodies_[wheel.body].R);
        const Jet spin = wheel.at < 0 ? jet(*wheel.rotor->speed, VectorXd::Zero(size_)) : Jet(value(*wheel.rotor->spin));
        result_.kinetic += I * spin.x * (spin.x / 2 + a.dot(w));
        Q_.segment<3>(at(wheel.body)) -= I * spin.x * w.cross(a);
        if (wheel.at < 0) {
            Q_.segment<3>(at(wheel.body)) -= I * spin.v * a;
            return;
        }
        M_(wheel.at, wheel.at) = I;
        M_.block<3, 1>(at(wheel.body), wheel.at) += I * a;
        M_.block<1, 3>(wheel.at, at(wheel.body)) += I * a.transpose();
        Q_[wheel.at] += number(*wheel.rotor->torque);
    }

    /// Rotors that turn with the joint: a u̇ in the row of u.
    void load_drives(std::size_t j) {
        const std::vector<Expr>& armature = m_.joints[j].armature;
        if (armature.empty()) return;
        const std::vector<Jet> u = own_speeds(j, VectorXd());
        for (std::size_t i = 0; i < armature.size(); ++i) {
            const double a = number(armature[i]);
            const Index at = joints_[j].at + static_cast<Index>(i);
            if (!joints_[j].motion) M_(at, at) += a;
            result_.kinetic += a * u[i].x * u[i].x / 2;
        }
    }

    void solve_for_accelerations() {
        const Index r = static_cast<Index>(rows_.size()), n = size_;
        MatrixXd A = MatrixXd::Zero(n + r, n + r);
        VectorXd b(n + r);
        A.topLeftCorner(n, n) = M_;
        for (Index k = 0; k < r; ++k) {
            A.row(n + k).head(n) = rows_[k].transpose();
            A.col(n + k).head(n) = rows_[k];
            b[n + k] = right_[k];
        }
        b.head(n) = Q_;
        const Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition(A);
        result_.is_determined = decomposition.rank() == n + r;
        VectorXd x = decomposition.solve(b);
        x += decomposition.solve(b - A * x);
        result_.residual = (b - A * x).cwiseAbs().maxCoeff();
        z_ = x.head(n);
        const VectorXd mu = x.tail(r);
        for (BodyIndex k = 0; k < m_.bodies.size(); ++k) {
            const Placement& X = bodies_[k];
            BodyMotion body{X.R.x, X.p.x, com(k), angular_velocity(X.R), com_velocity(k), Vector3d::Zero(), Vector3d::Zero()};
            if (k != model::ground) body.alpha = z_.segment<3>(at(k)), body.a = z_.segment<3>(at(k) + 3);
            result_.bodies.push_back(body);
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const BodyIndex child = m_.joints[j].child;
            const Vector3d torque = -mu.segment<3>(joints_[j].row), force = -mu.segment<3>(joints_[j].row + 3);
            const Vector3d point_at = bodies_[child].p.x + bodies_[child].R.x * joints_[j].child_at;
            result_.across.push_back(joints_[j].beam ? relative(j, z_) : across(j, z_));
            result_.force.push_back(force);
            result_.torque.push_back(torque + (com(child) - point_at).cross(force));
            for (std::size_t i = 0; i < joints_[j].u.size(); ++i) {
                result_.accelerations[m_.joints[j].speeds[i].symbol().name] = z_[joints_[j].at + static_cast<Index>(i)];
            }
        }
        for (const Wheel& wheel : rotors_) {
            if (wheel.at >= 0) result_.accelerations[wheel.rotor->spin->symbol().name] = z_[wheel.at];
        }
        for (const Flexible& beam : beams_) {
            for (std::size_t k = 0; k < beam.q.size(); ++k) {
                const Expr& u = m_.bodies[beam.body].beam->elastic.speeds[k];
                result_.accelerations[u.symbol().name] = z_[beam.at + static_cast<Index>(k)];
            }
        }
        for (const auto& [name, row] : drive_rows_) result_.drives[name] = -mu[row];
    }

    /// Gravity and springs, whose parts may move by themselves.
    Jet potential() {
        Jet V;
        for (BodyIndex b = 1; b < m_.bodies.size(); ++b) {
            const Placement X = moving(b, z_);
            const JetVec com = X.p + X.R * fixed(com_[b]);
            const std::array<Jet, 3> at{Jet(com.x[0], com.v[0], 0), Jet(com.x[1], com.v[1], 0), Jet(com.x[2], com.v[2], 0)};
            for (std::size_t k = 0; k < 3; ++k) V = V - jet(m_.bodies[b].mass, z_) * jet(m_.gravity[k], z_) * at[k];
        }
        for (const Flexible& beam : beams_) V = V + beam_potential(beam);
        const auto stretched = [&](const Expr& stiffness, const Expr& rest, const Jet& length) {
            const Jet stretch = length - jet(rest, z_);
            V = V + Jet(0.5) * jet(stiffness, z_) * stretch * stretch;
        };
        for (const model::Spring& s : m_.springs) {
            const JetVec d = point(s.to, z_) - point(s.from, z_);
            stretched(s.stiffness, s.rest, sqrt(dot(d, d)));
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const std::vector<model::JointForce>& forces = m_.joints[j].forces;
            if (joints_[j].motion) continue;  // a joint that moves as given passes its springs over, as it does its dampers
            const std::vector<Jet> q = coordinates(j, z_);
            for (std::size_t i = 0; i < forces.size(); ++i) {  // no springs on quaternions
                if (model::is_rate(m_.joints[j].type, i)) stretched(forces[i].stiffness, forces[i].rest, q[i]);
            }
        }
        return V;
    }

    void add_invariants() {
        NumericResult& r = result_;
        r.energy_rate = potential().v;
        r.linear = r.angular = r.linear_rate = r.angular_rate = Vector3d::Zero();
        for (BodyIndex b = 1; b < m_.bodies.size(); ++b) {
            const double mass = number(m_.bodies[b].mass);
            const BodyMotion& body = r.bodies[b];
            const Matrix3d I = inertia(b);
            r.energy_rate += mass * body.v.dot(body.a) + body.w.dot(I * body.alpha);
            r.linear += mass * body.v;
            r.linear_rate += mass * body.a;
            r.angular += mass * body.com.cross(body.v) + I * body.w;
            r.angular_rate += mass * body.com.cross(body.a) + I * body.alpha + body.w.cross(I * body.w);
        }
        for (std::size_t j = 0; j < m_.joints.size(); ++j) {
            const std::vector<Expr>& armature = m_.joints[j].armature;
            const std::vector<Jet> u = armature.empty() ? std::vector<Jet>{} : own_speeds(j, z_);
            for (std::size_t i = 0; i < armature.size(); ++i) r.energy_rate += number(armature[i]) * u[i].x * u[i].v;
        }
        for (const Flexible& beam : beams_) add_beam_invariants(beam);
        for (const Wheel& wheel : rotors_) {
            const double I = number(wheel.rotor->inertia);
            const Vector3d a = bodies_[wheel.body].R.x * vector(wheel.rotor->axis), w = r.bodies[wheel.body].w;
            const Jet spin = wheel.at < 0 ? jet(*wheel.rotor->speed, z_) : Jet(value(*wheel.rotor->spin), z_[wheel.at], 0);
            r.energy_rate += I * (spin.v * (spin.x + a.dot(w)) + spin.x * a.dot(r.bodies[wheel.body].alpha));
            r.angular += I * spin.x * a;
            r.angular_rate += I * spin.v * a + I * spin.x * w.cross(a);
        }
    }

    const model::Model& m_;
    const std::vector<bool>& is_cut_;
    double t_;
    const NamedValues& values_;
    std::unordered_map<std::string, Jet> parameters_;
    std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> coordinate_at_, speed_at_;
    std::vector<JointData> joints_;
    std::vector<Wheel> rotors_;
    std::vector<Flexible> beams_;
    std::unordered_map<std::string, std::tuple<std::size_t, std::size_t, bool>> elastic_at_;
    std::vector<Vector3d> com_;
    std::vector<Placement> bodies_;
    Index size_ = 0;
    MatrixXd M_;
    VectorXd Q_, z_;
    std::vector<VectorXd> rows_;
    std::vector<double> right_;
    std::map<std::string, std::size_t> drive_rows_;
    NumericResult result_;
};

}  // namespace

NumericResult solve_numerically(const model::Model& model, const std::vector<bool>& is_cut, double t, const NamedValues& values) {
    return Path(model, is_cut, t, values).solve();
}

}  // namespace linkwright::laws
