#include "linkwright/formulation/roberson_schwertassek/literal.hpp"

namespace linkwright::formulation::roberson_schwertassek {

using spatial::Mat3;

namespace {

class Writing {
public:
    Writing(const System& system, const Terms& terms) : m_(system.mechanism), t_(terms), n_(terms.bodies.size()) {
        l_.graph = topology::incidence(*m_.model, *m_.topology);
    }

    Literal write() && {
        attachment_vectors();
        inertias();
        body_terms();
        sums();
        return std::move(l_);
    }

private:
    const Mat3& A(BodyIndex i) const { return m_.X_W[i].R.matrix(); }
    const model::Body& body(BodyIndex i) const { return m_.model->bodies[i]; }
    const Vec3& w(BodyIndex i) const { return t_.bodies[i].w; }

    void attachment_vectors() {
        l_.a_hat.assign(n_, std::vector<Vec3>(n_));
        l_.d = l_.a_hat;
        for (BodyIndex a = 1; a < n_; ++a) {
            const ArcTerms& arc = t_.arcs[a];
            for (BodyIndex j = 1; j < n_; ++j) {
                const int T = l_.T(a, j);
                if (T == 0) continue;
                l_.a_hat[arc.outer][j] += Expr(l_.S(arc.outer, a) * T) * arc.c_outer;
                l_.a_hat[arc.inner][j] += Expr(l_.S(arc.inner, a) * T) * arc.c_inner;
            }
        }
        for (BodyIndex i = 0; i < n_; ++i) {
            for (BodyIndex j = 1; j < n_; ++j) l_.d[i][j] = A(i) * l_.a_hat[i][j];
        }
    }

    void inertias() {
        l_.K.assign(n_, std::vector<Mat3>(n_));
        for (BodyIndex i = 1; i < n_; ++i) {
            l_.K[i][i] = m_.X_W[i].R.congruence(body(i).inertia);
            for (BodyIndex k = 1; k < n_; ++k) {
                for (BodyIndex j = 1; j < n_; ++j) {
                    const Vec3 &dk = l_.d[k][j], &di = l_.d[i][j];
                    if (is_zero(dk) || is_zero(di)) continue;
                    l_.K[i][k] += body(j).mass * (dot(dk, di) * spatial::identity() - outer(dk, di));
                }
            }
        }
    }

    void body_terms() {
        for (auto* Q : {&l_.Q_I, &l_.Q_II, &l_.Q_III, &l_.Q_IV, &l_.Q_V}) Q->assign(n_, {});
        for (BodyIndex i = 1; i < n_; ++i) {
            l_.Q_I[i] = A(i) * t_.bodies[i].Q_I;
            l_.Q_II[i] = A(i) * t_.bodies[i].Q_II;
            for (BodyIndex a = 1; a < n_; ++a) {
                const int T = l_.T(a, i);
                if (T == 0) continue;
                const ArcTerms& arc = t_.arcs[a];
                const BodyIndex f = arc.from();
                l_.Q_III[i] += Expr(T) * (A(f) * cross(arc.G.w, w(f)));
                l_.Q_V[i] += Expr(-2 * T) * (A(f) * cross(w(f), arc.G.v));
            }
            for (BodyIndex j = 1; j < n_; ++j) {
                const Vec3& a = l_.a_hat[j][i];
                if (is_zero(a)) continue;
                l_.Q_IV[i] += A(j) * ((dot(w(j), w(j)) * spatial::identity() - outer(w(j), w(j))) * a);
            }
        }
    }

    void sums() {
        l_.Q_second.resize(n_);
        l_.Q_prime.resize(n_);
        l_.Q.resize(n_);
        for (BodyIndex i = 1; i < n_; ++i) {
            Wrench &second = l_.Q_second[i], &prime = l_.Q_prime[i];
            const Vec3 F = A(i) * t_.bodies[i].F;
            second = {l_.Q_II[i], body(i).mass * (l_.Q_I[i] + l_.Q_IV[i] + l_.Q_V[i])};
            prime = {-(A(i) * t_.bodies[i].L), -F};
            for (BodyIndex k = 1; k < n_; ++k) {
                second.t += l_.K[i][k] * l_.Q_III[k];
                second.t -= body(k).mass * cross(l_.d[i][k], l_.Q_I[k] + l_.Q_IV[k] + l_.Q_V[k]);
                second.f += body(i).mass * cross(l_.d[k][i], l_.Q_III[k]);
                prime.t += cross(l_.d[i][k], A(k) * t_.bodies[k].F);
            }
        }
        for (BodyIndex a = 1; a < n_; ++a) {
            Wrench sum;
            for (BodyIndex i = 1; i < n_; ++i) {
                const Wrench both = l_.Q_second[i] + l_.Q_prime[i];
                sum += {Expr(l_.T(a, i)) * both.t, Expr(l_.T(a, i)) * both.f};
            }
            const Mat3& A_f = A(t_.arcs[a].from());
            l_.Q[a] = {transposed_times(A_f, sum.t), transposed_times(A_f, sum.f)};
        }
    }

    const Mechanism& m_;
    const Terms& t_;
    std::size_t n_;
    Literal l_;
};

}  // namespace

Literal write_out(const System& system, const Terms& terms) { return Writing(system, terms).write(); }

Blocks inertia_between(const System& s, const Terms& t, const Literal& l, BodyIndex a, BodyIndex b) {
    const Mechanism& m = s.mechanism;
    Blocks J;
    for (BodyIndex i = 1; i < t.bodies.size(); ++i) {
        const Expr& mass = m.model->bodies[i].mass;
        for (BodyIndex k = 1; k < t.bodies.size(); ++k) {
            const Expr T = l.T(a, i) * l.T(b, k);
            if (T.is_literally(0)) continue;
            J.J_11 += T * l.K[i][k];
            J.J_12 += (-T * m.model->bodies[k].mass) * skew(l.d[i][k]);
            J.J_21 += (T * mass) * skew(l.d[k][i]);
        }
        J.J_22 += Expr(l.T(a, i) * l.T(b, i)) * (mass * spatial::identity());
    }
    const Mat3 A_0f = transpose(m.X_W[t.arcs[a].from()].R.matrix()), &A_fb = m.X_W[t.arcs[b].from()].R.matrix();
    for (Mat3* block : {&J.J_11, &J.J_12, &J.J_21, &J.J_22}) *block = A_0f * *block * A_fb;
    return J;
}

Wrench operator*(const Blocks& J, const Twist& phi) { return {J.J_11 * phi.w + J.J_12 * phi.v, J.J_21 * phi.w + J.J_22 * phi.v}; }

}  // namespace linkwright::formulation::roberson_schwertassek
