#include "linkwright/formulation/roberson_schwertassek/terms.hpp"

namespace linkwright::formulation::roberson_schwertassek {

using spatial::Mat3;

namespace {

Vec3 signed_by(int T, const Vec3& v) { return T > 0 ? v : -v; }

/// (a·b) 1 − b aᵀ: what −ã b̃ is.
Mat3 minus_tilde_tilde(const Vec3& a, const Vec3& b) { return dot(a, b) * spatial::identity() - outer(b, a); }

class Calculation {
public:
    explicit Calculation(const System& system) : s_(system), m_(system.mechanism), model_(*m_.model), rate_(kinematics::rates(m_, false)) {
        const std::size_t n = m_.X_W.size();
        t_.arcs.resize(n);
        t_.bodies.resize(n);
        t_.carried.resize(n);
        t_.alpha.resize(n);
    }

    Terms calculate() && {
        for (const BodyIndex b : m_.topology->order) {
            if (b == model::ground) continue;
            attach(b);
            move(b);
            accelerate(b);
            load(b);
        }
        gather();
        gather_moving_modes();
        carry();
        return std::move(t_);
    }

private:
    Vec3 rate(const Vec3& v) { return {{rate_(v[0]), rate_(v[1]), rate_(v[2])}}; }
    Vec3 com(BodyIndex b) const { return b == model::ground ? Vec3{} : model_.bodies[b].com; }
    const spatial::Rotation& R(BodyIndex b) const { return m_.X_inner[b].R; }

    void attach(BodyIndex b) {
        ArcTerms& a = t_.arcs[b];
        const topology::Arc& arc = *m_.topology->arc[b];
        a.outer = b;
        a.inner = arc.inner;
        a.joint = arc.joint;
        a.T = arc.is_reversed ? 1 : -1;
        a.freedoms = m_.freedoms_of[b];
        const Vec3& P = model_.joints[a.joint].child_at;  // a point of the body the arc runs to
        const Vec3 P_outer = a.T < 0 ? P : m_.X_inner[b].inverse() * P;
        a.c_outer = P_outer - com(b);
        a.c_inner = (a.T < 0 ? m_.X_inner[b] * P : P) - com(a.inner);
        for (const auto& [i, S] : m_.across[b]) {  // of the outer body in the inner one, outer axes
            const Twist at_P{S.w, S.v + cross(S.w, P_outer)};
            const Twist phi = a.T < 0 ? Twist{R(b) * at_P.w, R(b) * at_P.v} : -at_P;
            const Twist phidot{rate(phi.w), rate(phi.v)};
            a.phi.push_back(phi);
            a.phidot.push_back(phidot);
            a.G += m_.freedoms[i].u * phi;
            a.moving += m_.freedoms[i].u * phidot;
        }
    }

    void move(BodyIndex b) {
        const ArcTerms& a = t_.arcs[b];
        t_.bodies[b].w = R(b).back(t_.bodies[a.inner].w) - signed_by(a.T, to_outer_body(m_, a, a.G.w));
    }

    /// Q_I … Q_V of a body from those of its inner body: the sums over the way to the ground differ by one arc.
    void accelerate(BodyIndex b) {
        const ArcTerms& a = t_.arcs[b];
        const BodyTerms& inner = t_.bodies[a.inner];
        BodyTerms& t = t_.bodies[b];
        const Vec3 &w = t.w, &w_from = t_.bodies[a.from()].w;

        const model::Joint& joint = model_.joints[a.joint];
        const auto of_attachment = [&](BodyIndex body) {  // 2 ω × ċ + c̈ of a point that is fixed in its body
            const Vec3 c = (body == joint.child ? joint.child_at : joint.parent_at) - com(body), v = rate(c);
            return 2 * cross(t_.bodies[body].w, v) + rate(v);
        };
        t.Q_I = R(b).back(inner.Q_I + of_attachment(a.inner)) - of_attachment(b);

        Vec3 H = model_.bodies[b].inertia * w;
        for (const auto& c : m_.contributions[b]) {
            H += c->momentum().t;
            t.Q_II += c->momentum_rate(m_.V[b]).t;
        }
        t.Q_II += cross(w, H);

        t.Q_III = R(b).back(inner.Q_III) + signed_by(a.T, to_outer_body(m_, a, cross(a.G.w, w_from)));
        const auto turned = [](const Vec3& omega, const Vec3& c) { return cross(omega, cross(omega, c)); };
        t.Q_IV = R(b).back(inner.Q_IV + turned(inner.w, a.c_inner)) - turned(w, a.c_outer);
        t.Q_V = R(b).back(inner.Q_V) - 2 * signed_by(a.T, to_outer_body(m_, a, cross(w_from, a.G.v)));
        t.lever = R(b).back(inner.lever - cross(a.c_inner, inner.Q_III)) + cross(a.c_outer, t.Q_III);
    }

    void load(BodyIndex b) {
        BodyTerms& t = t_.bodies[b];
        const model::Body& body = model_.bodies[b];
        const Wrench& load = s_.loads.on[b];
        t.L = load.t - cross(body.com, load.f);
        t.F = load.f + m_.X_W[b].R.back(body.mass * model_.gravity);
    }

    /// Σ over the bodies behind each arc, from outside in. `own` is each body's torque without the sums over other bodies, and
    /// force; what comes back has those sums in it, and `behind` their totals.
    void sum_inwards(std::vector<Wrench>& own, std::vector<Wrench>& behind) const {
        behind.assign(own.size(), {});
        for (auto b = m_.topology->order.rbegin(); b != m_.topology->order.rend(); ++b) {
            if (*b == model::ground) continue;
            own[*b].t -= cross(t_.arcs[*b].c_outer, own[*b].f);
            Wrench total = own[*b];
            for (const BodyIndex c : m_.topology->outer[*b]) {
                const Wrench from_c{R(c) * behind[c].t, R(c) * behind[c].f};
                const Vec3 along = cross(step(t_, c), from_c.f);
                own[*b].t -= along;
                total.t += from_c.t - along;
                total.f += from_c.f;
            }
            behind[*b] = total;
        }
    }

    Wrench on_arc(const ArcTerms& a, const Wrench& behind) const {
        return {signed_by(a.T, to_from(m_, a, behind.t)), signed_by(a.T, to_from(m_, a, behind.f))};
    }

    /// Q″, Q′ of the bodies and Q of the arcs.
    void gather() {
        const std::size_t n = t_.bodies.size();
        std::vector<Wrench> second(n), prime(n), behind_second, behind_prime;
        for (BodyIndex b = 1; b < n; ++b) {
            const BodyTerms& t = t_.bodies[b];
            const model::Body& body = model_.bodies[b];
            second[b] = {t.Q_II + body.inertia * t.Q_III, body.mass * (t.lever + t.Q_I + t.Q_IV + t.Q_V)};
            prime[b] = {-t.L, -t.F};
        }
        sum_inwards(second, behind_second);
        sum_inwards(prime, behind_prime);
        for (BodyIndex b = 1; b < n; ++b) {
            t_.bodies[b].Q_second = second[b];
            t_.bodies[b].Q_prime = prime[b];
            t_.arcs[b].Q = on_arc(t_.arcs[b], behind_second[b] + behind_prime[b]);
        }
    }

    /// X = Q − Σ_b J[a,b] φ̇[b] g[b]: J is not needed for it, only what bodies would do if each G changed by φ̇ g.
    void gather_moving_modes() {
        const std::size_t n = t_.bodies.size();
        std::vector<Vec3> alpha(n), beta(n);
        std::vector<Wrench> own(n), behind;
        for (const BodyIndex b : m_.topology->order) {
            if (b == model::ground) continue;
            const ArcTerms& a = t_.arcs[b];
            alpha[b] = R(b).back(alpha[a.inner]) - signed_by(a.T, to_outer_body(m_, a, a.moving.w));
            beta[b] = R(b).back(beta[a.inner] - cross(a.c_inner, alpha[a.inner])) + cross(a.c_outer, alpha[b]) -
                      signed_by(a.T, to_outer_body(m_, a, a.moving.v));
            own[b] = {model_.bodies[b].inertia * alpha[b], model_.bodies[b].mass * beta[b]};
            t_.alpha[b] = t_.bodies[b].Q_III + alpha[b];
        }
        sum_inwards(own, behind);
        for (BodyIndex b = 1; b < n; ++b) t_.arcs[b].X = t_.arcs[b].Q + on_arc(t_.arcs[b], behind[b]);
    }

    void carry() {
        for (auto b = m_.topology->order.rbegin(); b != m_.topology->order.rend(); ++b) {
            if (*b == model::ground) continue;
            Carried& here = t_.carried[*b];
            const model::Body& body = model_.bodies[*b];
            const Vec3& c = t_.arcs[*b].c_outer;
            here = {body.inertia + body.mass * minus_tilde_tilde(c, c), body.mass * c, body.mass};
            for (const BodyIndex o : m_.topology->outer[*b]) {
                const Carried& there = t_.carried[o];
                const Vec3 d = step(t_, o), S = R(o) * there.S;
                const Mat3 K = minus_tilde_tilde(d, S);  // Σ K[b,k] over the bodies k behind o
                here.D += there.mu * minus_tilde_tilde(d, d) + R(o).congruence(there.D) + K + transpose(K);
                here.S += there.mu * d + S;
                here.mu += there.mu;
            }
        }
    }

    const System& s_;
    const Mechanism& m_;
    const model::Model& model_;
    sym::Tangent rate_;
    Terms t_;
};

}  // namespace

Vec3 to_from(const Mechanism& m, const ArcTerms& a, const Vec3& v) { return a.T < 0 ? m.X_inner[a.outer].R * v : v; }
Vec3 to_outer_body(const Mechanism& m, const ArcTerms& a, const Vec3& v) { return a.T < 0 ? m.X_inner[a.outer].R.back(v) : v; }

Vec3 step(const Terms& t, BodyIndex b) { return t.arcs[t.arcs[b].inner].c_outer - t.arcs[b].c_inner; }

Terms calc_terms(const System& system) { return Calculation(system).calculate(); }

Matrix generalized_inertia(const System& s, const Terms& t) {
    const Mechanism& m = s.mechanism;
    const std::size_t n = m.freedoms.size();
    Matrix J = sym::zeros(n, n);
    // T[a,·] φ in the axes of the outer body: what a mode does to every body behind its arc, but for the sign.
    std::vector<Twist> mode(n);
    for (const ArcTerms& a : t.arcs) {
        for (std::size_t k = 0; k < a.freedoms.size(); ++k) {
            const Twist in_outer{to_outer_body(m, a, a.phi[k].w), to_outer_body(m, a, a.phi[k].v)};
            mode[a.freedoms[k]] = {signed_by(a.T, in_outer.w), signed_by(a.T, in_outer.v)};
        }
    }
    // Column j of J, as torque about the arc's point and force, from its own arc b inwards: for arc a nearer to the ground
    //     Σ_k over the way  K[i,k] = (S·d) 1 − S dᵀ,   so   J[a,b] φ = (t − e × f, f)   with e = Σ d from b to a.
    const auto meet = [&](std::size_t j, BodyIndex b, Wrench W) {
        for (;;) {
            for (const std::size_t i : m.freedoms_of[b]) J[i][j] = J[j][i] = dot(mode[i], W);
            const BodyIndex inner = t.arcs[b].inner;
            if (inner == model::ground) return;
            const spatial::Rotation& R = m.X_inner[b].R;
            W = {R * W.t, R * W.f};
            W.t -= cross(step(t, b), W.f);
            b = inner;
        }
    };
    for (std::size_t j = 0; j < n; ++j) {
        const kinematics::Freedom& freedom = m.freedoms[j];
        const BodyIndex b = freedom.body;
        if (freedom.is_own()) {
            J[j][j] = freedom.of->inertia(freedom.column, freedom.column);
            // As if it were a last mode of its body's arc: ω̇ of the body is −Σ T A Ω̇, hence the sign.
            if (b != model::ground) meet(j, b, {-freedom.of->partial_momentum(freedom.column).t, {}});
            continue;
        }
        const Carried& c = t.carried[b];
        const Twist& p = mode[j];
        meet(j, b, {c.D * p.w - cross(c.S, p.v), cross(c.S, p.w) + c.mu * p.v});
    }
    return J;
}

std::vector<Expr> generalized_forces(const System& s, const Terms& t) {
    const Mechanism& m = s.mechanism;
    std::vector<Expr> f = s.loads.tau;
    for (const ArcTerms& a : t.arcs) {
        for (std::size_t k = 0; k < a.freedoms.size(); ++k) f[a.freedoms[k]] += dot(a.phi[k], a.X);
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
        const kinematics::Freedom& freedom = m.freedoms[i];
        if (freedom.is_own()) f[i] -= freedom.of->coupling(freedom.column, {t.alpha[freedom.body], {}});
    }
    return f;
}

}  // namespace linkwright::formulation::roberson_schwertassek
