#include "linkwright/formulation/invariants.hpp"

#include "linkwright/formulation/second_order.hpp"

#include "linkwright/sym/dependency.hpp"

namespace linkwright::formulation {

Vec3 com_velocity(const Mechanism& m, BodyIndex b) { return m.V[b].v + cross(m.V[b].w, m.model->bodies[b].com); }

eom::Energy energy(const System& s) {
    const Mechanism& m = s.mechanism;
    Expr twice_T = 0;
    for (BodyIndex b = 1; b < m.V.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        const Vec3 v = com_velocity(m, b), &w = m.V[b].w;
        twice_T += body.mass * dot(v, v) + dot(w, body.inertia * w);
        for (const auto& c : m.contributions[b]) twice_T += dot(m.V[b], c->locked_inertia() * m.V[b]) + c->twice_kinetic_energy(m.V[b]);
    }
    if (is_second_order(*m.model)) twice_T = Truncation(m)(twice_T, 2);
    for (const kinematics::Armature& a : s.armatures) twice_T += a.inertia * a.speed * a.speed;
    return {twice_T / 2, kinematics::gravity_potential(m) + s.loads.potential};
}

eom::Momentum momentum(const Mechanism& m) {
    Vec3 P, H;
    for (BodyIndex b = 1; b < m.V.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        Vec3 h = body.inertia * m.V[b].w, l = body.mass * com_velocity(m, b);
        for (const auto& c : m.contributions[b]) {
            const Wrench own = c->momentum() + c->locked_inertia() * m.V[b];
            h += own.t - cross(body.com, own.f);
            l += own.f;
        }
        const Vec3 p = m.X_W[b].R * l;
        P += p;
        H += cross(m.X_W[b] * body.com, p) + m.X_W[b].R * h;
    }
    if (is_second_order(*m.model)) {
        const Truncation cut(m);
        for (Vec3* v : {&P, &H}) {
            for (Expr& x : v->e) x = cut(x, 2);
        }
    }
    return {P.e, H.e};
}

Expr power_of_loads(const System& s, const std::vector<Twist>& A) {
    const Mechanism& m = s.mechanism;
    sym::Tangent rate(kinematics::rates(m, false));
    Expr power = rate(s.loads.potential);
    for (BodyIndex b = 1; b < m.V.size(); ++b) power += dot(m.V[b], s.loads.on[b]);
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) power += s.loads.tau[i] * m.freedoms[i].u;
    for (BodyIndex b = 1; b < m.V.size(); ++b) {
        for (const auto& c : m.contributions[b]) {
            if (c->has_motor()) power += c->motor_power(A[b]);
        }
    }
    const Vec3 gravity_rate{{rate(m.model->gravity[0]), rate(m.model->gravity[1]), rate(m.model->gravity[2])}};
    if (is_zero(gravity_rate)) return power;
    for (BodyIndex b = 1; b < m.V.size(); ++b) {
        power -= m.model->bodies[b].mass * dot(gravity_rate, m.X_W[b] * m.model->bodies[b].com);
        for (const auto& c : m.contributions[b]) {
            const spatial::Inertia own = c->locked_inertia();
            power -= dot(gravity_rate, own.m * m.X_W[b].p + m.X_W[b].R * own.h);
        }
    }
    return power;
}

}  // namespace linkwright::formulation
