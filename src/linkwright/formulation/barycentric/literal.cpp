#include "linkwright/formulation/barycentric/barycentric.hpp"
#include "linkwright/formulation/barycentric/explain.hpp"
#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation::barycentric {

namespace {

using spatial::Mat3;

class Product {
public:
    explicit Product(const System& s) : s_(s), m_(s.mechanism), a_(augment(m_)), rate_(kinematics::rates(m_, false)), n_(m_.X_W.size()) {
        beyond_.assign(n_, std::vector<bool>(n_));
        d_.assign(n_, std::vector<Vec3>(n_));
        for (BodyIndex j = 0; j < n_; ++j) {
            for (BodyIndex k = 1; k < n_; ++k) {
                beyond_[j][k] = is_beyond(*m_.topology, j, k);
                d_[j][k] = m_.X_W[j].R * barycentric_vector(a_, *m_.topology, j, k);
            }
        }
        for (std::size_t i = 0; i < m_.freedoms.size(); ++i) {
            const spatial::Rotation& R = m_.X_W[m_.freedoms[i].body].R;
            p_.push_back(R * a_.modes[i].p);
            s_of_.push_back(R * a_.modes[i].s);
        }
    }

    Literal operator()() {
        const std::size_t n = m_.freedoms.size();
        Literal r{sym::zeros(n, n), s_.loads.tau};
        fill_blocks();
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t l = 0; l < n; ++l) r.M[i][l] = mass(i, l);
        }
        add_right_side(r.f);
        return r;
    }

private:
    /// Of the own freedom i with a turning that is given in ground axes.
    Expr coupling(std::size_t i, const Vec3& turning) const {
        const kinematics::Freedom& own = m_.freedoms[i];
        return own.of->coupling(own.column, {m_.X_W[own.body].R.back(turning), {}});
    }
    const model::Body& body(BodyIndex k) const { return m_.model->bodies[k]; }
    Vec3 rate(const Vec3& v) { return {{rate_(v[0]), rate_(v[1]), rate_(v[2])}}; }

    /// K_ij of (35) before it is collapsed.
    void fill_blocks() {
        K_.assign(n_, std::vector<Mat3>(n_));
        for (BodyIndex i = 1; i < n_; ++i) {
            for (BodyIndex j = 1; j < n_; ++j) {
                if (i == j) K_[i][j] = m_.X_W[j].R.congruence(body(j).inertia);
                for (BodyIndex k = 1; k < n_; ++k) {
                    if (beyond_[i][k] && beyond_[j][k]) K_[i][j] += (-body(k).mass) * (skew(d_[i][k]) * skew(d_[j][k]));
                }
            }
        }
    }

    Expr mass(std::size_t i, std::size_t l) const {
        const kinematics::Freedom &fi = m_.freedoms[i], &fl = m_.freedoms[l];
        if (fi.is_own() && fl.is_own()) return i == l ? fi.of->inertia(fi.column, fi.column) : Expr(0);
        if (fi.is_own()) return beyond_[fl.body][fi.body] ? coupling(i, p_[l]) : Expr(0);
        if (fl.is_own()) return mass(l, i);
        Expr sum;
        for (BodyIndex j = 1; j < n_; ++j) {
            for (BodyIndex k = 1; k < n_; ++k) {
                if (beyond_[fi.body][j] && beyond_[fl.body][k]) sum += dot(p_[i], K_[j][k] * p_[l]);
            }
        }
        for (BodyIndex k = 1; k < n_; ++k) {
            if (!beyond_[fi.body][k] || !beyond_[fl.body][k]) continue;
            const Expr& m = body(k).mass;
            sum += m * dot(s_of_[i], s_of_[l]);
            for (BodyIndex j = 1; j < n_; ++j) {
                if (beyond_[fi.body][j]) sum += m * dot(p_[i], cross(d_[j][k], s_of_[l]));
                if (beyond_[fl.body][j]) sum += m * dot(p_[l], cross(d_[j][k], s_of_[i]));
            }
        }
        return sum;
    }

    void add_right_side(std::vector<Expr>& f) {
        std::vector<Vec3> force(n_), torque(n_), alpha(n_);
        for (BodyIndex k = 1; k < n_; ++k) {
            const spatial::Pose& X = m_.X_W[k];
            const Wrench& load = s_.loads.on[k];
            force[k] = X.R * load.f + body(k).mass * (m_.model->gravity - rate(rate(X * body(k).com)));
            const Vec3 w = X.R * m_.V[k].w;
            Vec3 H = X.R * (body(k).inertia * m_.V[k].w);
            for (const auto& c : m_.contributions[k]) H += X.R * c->momentum().t;
            alpha[k] = rate(w);
            torque[k] = X.R * (load.t - cross(body(k).com, load.f)) - rate(H);
        }
        for (std::size_t i = 0; i < f.size(); ++i) {
            const BodyIndex b = m_.freedoms[i].body;
            if (m_.freedoms[i].is_own()) {
                f[i] -= coupling(i, alpha[b]);
                continue;
            }
            for (BodyIndex k = 1; k < n_; ++k) {
                if (!beyond_[b][k]) continue;
                f[i] += dot(p_[i], torque[k]) + dot(s_of_[i], force[k]);
            }
            for (BodyIndex j = 1; j < n_; ++j) {
                for (BodyIndex k = 1; k < n_; ++k) {
                    if (beyond_[b][j] && beyond_[j][k]) f[i] += dot(p_[i], cross(d_[j][k], force[k]));
                }
            }
        }
    }

    const System& s_;
    const Mechanism& m_;
    Augmented a_;
    sym::Tangent rate_;
    std::size_t n_;
    std::vector<std::vector<bool>> beyond_;  ///< [j][k]: k is beyond j, or j
    std::vector<std::vector<Vec3>> d_;       ///< ground axes from here on
    std::vector<std::vector<Mat3>> K_;
    std::vector<Vec3> p_, s_of_;  ///< of each freedom
};

}  // namespace

Literal multiply_out(const System& s) { return Product(s)(); }

}  // namespace linkwright::formulation::barycentric
