// Programs with few operations may not cost digits. A plain recursion, body by body in the file's own frames with true inertias,
// is run in doubles and in long doubles; the recursive formulation in doubles must stay near the first one's error.

#include <Eigen/Dense>

#include "agree/subject.hpp"
#include "linkwright/kinematics/mechanism.hpp"
#include "support/project_root.hpp"

namespace linkwright::agree {
namespace {

template <class S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using Matrix = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

/// Spatial vectors, the rotational part first [featherstone08 §5.3], of joints that turn, slide or are free.
template <class S>
class Plain {
    using V3 = Eigen::Matrix<S, 3, 1>;
    using M3 = Eigen::Matrix<S, 3, 3>;
    using V6 = Eigen::Matrix<S, 6, 1>;
    using M6 = Eigen::Matrix<S, 6, 6>;

public:
    Plain(const Subject& s, const Values& v) : n_(s.recursive.u.size()), links_(s.model.bodies.size()) {
        const auto of = [&](const Expr& e) {
            return sym::evaluate<S>(e, [&](const Expr& x) { return static_cast<S>(v.at(x.symbol().name)); });
        };
        const auto vector = [&](const spatial::Vec3& x) { return V3(of(x[0]), of(x[1]), of(x[2])); };
        const auto matrix = [&](const spatial::Mat3& m) {
            M3 r;
            for (int i = 0; i < 3; ++i) r.row(i) = vector(spatial::Vec3{m.e[i]}).transpose();
            return r;
        };
        gravity_ = vector(s.model.gravity);
        for (std::size_t i = 0; i < n_; ++i) place_[s.recursive.u[i].symbol().name] = static_cast<Eigen::Index>(i);
        order_ = s.topology.order;
        for (const std::size_t b : order_) {
            if (b == model::ground) continue;
            Link& link = links_[b];
            const topology::Arc& arc = *s.topology.arc[b];
            const model::Joint& joint = s.model.joints[arc.joint];
            if (arc.is_reversed) throw std::runtime_error("reversed");
            link.inner = arc.inner;
            const M3 P = matrix(joint.parent_axes.matrix()), C = matrix(joint.child_axes.matrix());
            M3 R = M3::Identity();
            V3 travel = V3::Zero();
            const V3 c = vector(joint.child_at);
            if (joint.type == model::JointType::free) {
                travel = V3(of(joint.coordinates[0]), of(joint.coordinates[1]), of(joint.coordinates[2]));
                const Eigen::Quaternion<S> q(of(joint.coordinates[3]), of(joint.coordinates[4]), of(joint.coordinates[5]),
                                             of(joint.coordinates[6]));
                R = q.toRotationMatrix();
                link.ways = M6::Identity();
                if (!C.isIdentity() || !c.isZero()) throw std::runtime_error("a free joint elsewhere");
            } else {
                const V3 axis = vector(joint.axes[0]), s_C = C * axis;
                const S q = of(joint.coordinates[0]);
                link.ways = Matrix<S>::Zero(6, 1);
                if (joint.type == model::JointType::revolute) {
                    R = Eigen::AngleAxis<S>(q, axis.normalized()).toRotationMatrix();
                    link.ways << s_C, -s_C.cross(c);
                } else {
                    travel = q * axis;
                    link.ways << V3::Zero(), s_C;
                }
            }
            for (const Expr& u : joint.speeds) link.at.push_back(place_.at(u.symbol().name));
            link.R = P * R * C.transpose();
            link.p = vector(joint.parent_at) + P * travel - link.R * c;
            const model::Body& body = s.model.bodies[b];
            const S m = of(body.mass);
            const M3 x = skew(vector(body.com));
            link.I << matrix(body.inertia) + m * x * x.transpose(), m * x, m * x.transpose(), m * M3::Identity();
        }
    }

    /// M u̇ + bias
    Vector<S> inverse(const Vector<S>& u, const Vector<S>& udot, bool with_gravity = true) const {
        std::vector<V6> v(links_.size(), V6::Zero()), a = v, f = v;
        if (with_gravity) a[0].template tail<3>() = -gravity_;
        Vector<S> tau = Vector<S>::Zero(n_);
        for (const std::size_t b : order_) {
            if (b == model::ground) continue;
            const Link& l = links_[b];
            V6 own = V6::Zero(), rate = V6::Zero();
            for (std::size_t k = 0; k < l.at.size(); ++k) {
                own += l.ways.col(k) * u[l.at[k]];
                rate += l.ways.col(k) * udot[l.at[k]];
            }
            const M6 X = l.X();
            v[b] = X * v[l.inner] + own;
            a[b] = X * a[l.inner] + rate + cross(v[b]) * own;
            f[b] = l.I * a[b] - cross(v[b]).transpose() * (l.I * v[b]);
        }
        for (std::size_t i = order_.size(); i-- > 0;) {
            const std::size_t b = order_[i];
            if (b == model::ground) continue;
            const Link& l = links_[b];
            for (std::size_t k = 0; k < l.at.size(); ++k) tau[l.at[k]] = l.ways.col(k).dot(f[b]);
            f[l.inner] += l.X().transpose() * f[b];
        }
        return tau;
    }

    Vector<S> forward(const Vector<S>& u, const Vector<S>& tau) const {
        const auto n = static_cast<Eigen::Index>(n_);
        Matrix<S> M(n, n);
        const Vector<S> zero = Vector<S>::Zero(n);
        for (Eigen::Index j = 0; j < n; ++j) M.col(j) = inverse(zero, Vector<S>::Unit(n, j), false);
        return M.ldlt().solve(tau - inverse(u, zero));
    }

private:
    static M3 skew(const V3& v) {
        M3 r;
        r << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
        return r;
    }
    static M6 cross(const V6& v) {
        M6 r = M6::Zero();
        r.template topLeftCorner<3, 3>() = r.template bottomRightCorner<3, 3>() = skew(v.template head<3>());
        r.template bottomLeftCorner<3, 3>() = skew(v.template tail<3>());
        return r;
    }
    struct Link {
        std::size_t inner = 0;
        M3 R;
        V3 p;
        Matrix<S> ways;
        M6 I;
        std::vector<Eigen::Index> at;
        /// Motions from the inner frame to this one.
        M6 X() const {
            M6 r = M6::Zero();
            r.template topLeftCorner<3, 3>() = r.template bottomRightCorner<3, 3>() = R.transpose();
            r.template bottomLeftCorner<3, 3>() = -R.transpose() * skew(p);
            return r;
        }
    };
    std::size_t n_;
    V3 gravity_;
    std::vector<Link> links_;
    std::vector<std::size_t> order_;
    std::map<std::string, Eigen::Index> place_;
};

double error(const Vector<double>& x, const Vector<long double>& truth) {
    return static_cast<double>((x.cast<long double>() - truth).cwiseAbs().maxCoeff() / truth.cwiseAbs().maxCoeff());
}

class AccuracyOf : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

TEST_P(AccuracyOf, IsThatOfThePlainRecursion) {
    const auto& [name, is_lopsided] = GetParam();
    model::Model m = read(project_root() + "/bench/models/" + name + "/model.toml");
    if (is_lopsided) {  // links of a gram between links of a ton
        const sym::PoolScope scope(*m.pool);
        for (std::size_t b = 1; b < m.bodies.size(); ++b) {
            const Expr scale = b % 3 == 0 ? Expr(sym::Rational(1, 1000)) : b % 3 == 1 ? Expr(1000) : Expr(1);
            m.bodies[b].mass *= scale;
            m.bodies[b].inertia = scale * m.bodies[b].inertia;
        }
    }
    const Subject s(std::move(m));
    const EquationsOfMotion& e = s.recursive;
    double plain_inverse = 0, plain_forward = 0, inverse = 0, forward = 0;
    for (std::uint64_t state = 1; state <= 5; ++state) {
        const Values v = s.random_values(state);
        const auto n = static_cast<Eigen::Index>(e.u.size());
        Vector<double> u(n), udot(n), tau = Vector<double>::Zero(n);
        const Vector<double> zero = Vector<double>::Zero(n);
        for (Eigen::Index i = 0; i < n; ++i) {
            u[i] = v.at(e.u[i].symbol().name);
            udot[i] = v.at(e.udot[i].symbol().name);
        }
        for (const model::Joint& joint : s.model.joints) {
            for (std::size_t k = 0; k < joint.forces.size(); ++k) {
                const auto at = std::ranges::find_if(e.u, [&](const Expr& x) { return x.symbol().name == joint.speeds[k].symbol().name; });
                const Expr& drive = joint.forces[k].actuator;
                tau[at - e.u.begin()] = drive.is_symbol() ? v.at(drive.symbol().name) : 0;
            }
        }
        const Plain<long double> exact(s, v);
        const Plain<double> plain(s, v);
        const auto in_doubles = [&](const std::vector<Expr>& roots) {
            const program::Program p = lowered(s, e, roots);  // inputs: q, u, u̇, w, t
            std::vector<double> in, out(roots.size());
            for (const auto* list : {&e.q, &e.u, &e.udot, &e.x}) {
                for (const Expr& x : *list) in.push_back(v.at(x.symbol().name));
            }
            for (const eom::Input& w : e.inputs) in.push_back(v.at(w.symbol.symbol().name));
            in.push_back(v.at(e.t.symbol().name));
            program::Interpreter{p}(in, out);
            return Vector<double>(Eigen::Map<Vector<double>>(out.data(), n));
        };
        const Vector<long double> wanted = exact.inverse(u.cast<long double>(), udot.cast<long double>()) - tau.cast<long double>();
        plain_inverse = std::max(plain_inverse, error(plain.inverse(u, udot) - tau, wanted));
        inverse = std::max(inverse, error(in_doubles(e.inverse), wanted));
        const Vector<long double> a = exact.forward(u.cast<long double>(), tau.cast<long double>());
        plain_forward = std::max(plain_forward, error(plain.forward(u, tau), a));
        forward = std::max(forward, error(in_doubles(eom::accelerations(e)), a));
    }
    EXPECT_LE(inverse, 10 * std::max(plain_inverse, 2e-16));
    EXPECT_LE(forward, 10 * std::max(plain_forward, 2e-16));
    std::cout << name << (is_lopsided ? " lopsided" : "") << ": inverse " << inverse << " plain " << plain_inverse << ", forward "
              << forward << " plain " << plain_forward << "\n";
}
INSTANTIATE_TEST_SUITE_P(Bench, AccuracyOf,
                         ::testing::Combine(::testing::Values("stanford6", "puma6", "iiwa7", "chain12", "chain30", "tree30f"),
                                            ::testing::Bool()),
                         [](const auto& p) { return std::get<0>(p.param) + (std::get<1>(p.param) ? "_lopsided" : ""); });

}  // namespace
}  // namespace linkwright::agree
