#include "linkwright/formulation/barycentric/barycentric.hpp"

#include "linkwright/sym/derivative.hpp"

namespace linkwright::formulation::barycentric {

namespace {

BodyIndex inner_of(const Mechanism& m, BodyIndex b) { return m.topology->arc[b]->inner; }

/// Σ over everything beyond a body's inner hinge: b_k, and K_jk of all pairs; axes of the body.
struct Beyond {
    Vec3 b;
    Mat3 K;
};

std::vector<Beyond> sums_beyond(const Mechanism& m, const Augmented& a) {
    std::vector<Beyond> sum(a.bodies.size());
    for (BodyIndex j = 1; j < sum.size(); ++j) sum[j] = {a.bodies[j].b, a.bodies[j].K};
    for (auto k = m.topology->order.rbegin(); k != m.topology->order.rend(); ++k) {
        if (*k == model::ground || inner_of(m, *k) == model::ground) continue;
        Beyond& inner = sum[inner_of(m, *k)];
        const Vec3 &d = a.bodies[*k].arm, b = m.X_inner[*k].R * sum[*k].b;
        inner.b += b;
        // The inner body with all beyond this hinge: −d̃ Σb̃, and the same transposed
        const Expr db = 2 * dot(d, b);
        inner.K += m.X_inner[*k].R.congruence(sum[*k].K) + (spatial::diagonal(db, db, db) - outer(d, b) - outer(b, d));
    }
    return sum;
}

}  // namespace

Matrix mass_matrix(const Mechanism& m, const Augmented& a) {
    const std::size_t n = m.freedoms.size();
    const std::vector<Beyond> beyond = sums_beyond(m, a);
    Matrix M = sym::zeros(n, n);
    // Torque t on the bodies beyond a hinge and force f across it: seen by the freedoms there, and by all on the way in
    const auto meet = [&](std::size_t l, BodyIndex b, Vec3 t, Vec3 f) {
        for (;; b = inner_of(m, b)) {
            for (const std::size_t i : m.freedoms_of[b]) M[i][l] = M[l][i] = dot(a.modes[i].p, t) + dot(a.modes[i].s, f);
            if (inner_of(m, b) == model::ground) return;
            f = m.X_inner[b].R * f;
            t = m.X_inner[b].R * t + cross(a.bodies[b].arm, f);
        }
    };
    for (std::size_t l = 0; l < n; ++l) {
        const kinematics::Freedom& freedom = m.freedoms[l];
        const BodyIndex b = freedom.body;
        if (freedom.is_own()) {
            meet(l, b, freedom.of->partial_momentum(freedom.column).t, {});
            M[l][l] = freedom.of->inertia(freedom.column, freedom.column);
        } else {
            const Mode& mode = a.modes[l];
            meet(l, b, beyond[b].K * mode.p + cross(beyond[b].b, mode.s), a.bodies[b].mass * mode.s + cross(mode.p, beyond[b].b));
        }
    }
    return M;
}

std::vector<Motion> motion_at_rest(const Mechanism& m, const Augmented& a) {
    sym::Tangent rate(kinematics::rates(m, false));
    const auto rate_of = [&](const Vec3& v) { return Vec3{{rate(v[0]), rate(v[1]), rate(v[2])}}; };
    std::vector<Motion> motion(a.bodies.size());
    motion[model::ground].fall = m.model->gravity;
    for (const BodyIndex j : m.topology->order) {
        if (j == model::ground) continue;
        const Motion& inner = motion[inner_of(m, j)];
        Motion& own = motion[j];
        Vec3 turning, sliding, turning_rate, sliding_rate;  // across the joint: Σ p u, Σ s u, Σ ṗ u, Σ ṡ u
        for (const std::size_t i : m.freedoms_of[j]) {
            const Expr& u = m.freedoms[i].u;
            turning += u * a.modes[i].p;
            sliding += u * a.modes[i].s;
            turning_rate += u * rate_of(a.modes[i].p);
            sliding_rate += u * rate_of(a.modes[i].s);
        }
        const spatial::Rotation& R = m.X_inner[j].R;
        const Vec3& d = a.bodies[j].arm;
        const Vec3 w = R.back(inner.w);
        own.w = w + turning;  // [mufti83 (60)]
        own.alpha = R.back(inner.alpha) + cross(w, turning) + turning_rate;
        own.slide = 2 * cross(w, sliding) + cross(turning, sliding) + sliding_rate;
        own.fall = R.back(inner.fall - cross(inner.alpha, d) - cross(inner.w, cross(inner.w, d))) - own.slide;
    }
    return motion;
}

std::vector<Burden> burdens(const System& s, const Augmented& a, const std::vector<Motion>& motion) {
    const Mechanism& m = s.mechanism;
    std::vector<Burden> burden(a.bodies.size());
    for (BodyIndex j = 1; j < burden.size(); ++j) {
        const AugmentedBody& body = a.bodies[j];
        const auto& [w, alpha, slide, fall] = motion[j];
        const Wrench& load = s.loads.on[j];
        Vec3 inside;  // momentum of what spins there
        for (const auto& c : m.contributions[j]) {
            inside += c->momentum().t;
            burden[j].t -= c->momentum_rate(m.V[j]).t;
        }
        // d_jj × F + G; gravity at the barycentre; ĥ = ω × K ω  [mufti83 (38)]
        burden[j].t += load.t - cross(body.hinge, load.f) + cross(body.b, fall) - body.K * alpha - cross(w, body.K * w + inside);
        burden[j].f = load.f - cross(alpha, body.b) - cross(w, cross(w, body.b));
    }
    for (auto k = m.topology->order.rbegin(); k != m.topology->order.rend(); ++k) {
        if (*k == model::ground || inner_of(m, *k) == model::ground) continue;
        // What is beyond the hinge pulls at the arm: Σ_k d_jk × (F_k − m_k r̈_k), the part of j's own turning is in K_jj
        const Vec3 pull = m.X_inner[*k].R * (burden[*k].f - a.bodies[*k].mass * motion[*k].slide);
        Burden& inner = burden[inner_of(m, *k)];
        inner.t += cross(a.bodies[*k].arm, pull);
        inner.f += pull;
    }
    return burden;
}

std::vector<Expr> forcing(const System& s, const Augmented& a) {
    const Mechanism& m = s.mechanism;
    const std::vector<Motion> motion = motion_at_rest(m, a);
    const std::vector<Burden> burden = burdens(s, a, motion);
    std::vector<Vec3> torque(burden.size());  // −T of them: everything beyond a hinge  [mufti83 (57)]
    for (BodyIndex j = 1; j < torque.size(); ++j) torque[j] = burden[j].t;
    for (auto k = m.topology->order.rbegin(); k != m.topology->order.rend(); ++k) {
        if (*k != model::ground && inner_of(m, *k) != model::ground) torque[inner_of(m, *k)] += m.X_inner[*k].R * torque[*k];
    }
    std::vector<Expr> f = s.loads.tau;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const BodyIndex b = m.freedoms[i].body;
        if (m.freedoms[i].is_own()) {
            f[i] -= m.freedoms[i].of->coupling(m.freedoms[i].column, {motion[b].alpha, {}});
        } else {
            f[i] += dot(a.modes[i].p, torque[b]) + dot(a.modes[i].s, burden[b].f + a.bodies[b].mass * motion[b].fall);
        }
    }
    return f;
}

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System system = set_up(model, topology);
    if (!system.problems.empty()) return {std::nullopt, std::move(system.problems)};
    if (Diagnostics beams = only_rigid(system, "barycentric"); !beams.empty()) return {std::nullopt, std::move(beams)};
    const Augmented augmented = augment(system.mechanism);
    FormulatedEquations raw{mass_matrix(system.mechanism, augmented), forcing(system, augmented)};
    return finish(system, std::move(raw), "barycentric", options);
}

}  // namespace linkwright::formulation::barycentric
