#include "linkwright/formulation/lagrange/lagrangian.hpp"

#include <algorithm>

#include "linkwright/formulation/invariants.hpp"
#include "linkwright/formulation/second_order.hpp"
#include "linkwright/kinematics/jacobians.hpp"

namespace linkwright::formulation::lagrange {

namespace {

/// Σ over the bodies of (partial velocity) · (wrench), for every freedom: the wrenches are summed inwards first.
std::vector<Expr> generalized(const Mechanism& m, const kinematics::Loads& loads) {
    std::vector<Wrench> sum = loads.on;
    std::vector<Expr> Q = loads.tau;
    for (auto b = m.topology->order.rbegin(); b != m.topology->order.rend(); ++b) {
        if (*b == model::ground) continue;
        for (const auto& [i, S] : m.across[*b]) Q[i] += dot(S, sum[*b]);
        const BodyIndex inner = m.topology->arc[*b]->inner;
        if (inner != model::ground) sum[inner] += to_outer(m.X_inner[*b], sum[*b]);
    }
    return Q;
}

}  // namespace

Lagrangian lagrangian(const System& s) {
    const Mechanism& m = s.mechanism;
    Lagrangian L;
    Expr twice = 0;
    for (BodyIndex b = 1; b < m.V.size(); ++b) {
        const model::Body& body = m.model->bodies[b];
        const Vec3 v = com_velocity(m, b), &w = m.V[b].w;
        twice += body.mass * dot(v, v) + dot(w, body.inertia * w);
        for (const auto& c : m.contributions[b]) {
            twice += dot(m.V[b], c->locked_inertia() * m.V[b]);
            if (auto given = c->given_momentum(m.V[b])) {
                L.given_momenta.push_back(*std::move(given));
            } else {
                twice += c->twice_kinetic_energy(m.V[b]);
            }
        }
    }
    L.kinetic = twice / 2;
    if (is_second_order(*m.model)) L.kinetic = Truncation(m)(L.kinetic, 2);
    const kinematics::Loads rest = kinematics::loads_without_potential(m, s.cut_joints);
    L.potential = kinematics::gravity_potential(m) + rest.potential;
    L.forces = generalized(m, rest);
    return L;
}

Matrix mass_matrix(const Mechanism& m) {
    const std::size_t n = m.freedoms.size();
    const std::vector<std::vector<kinematics::Column>> J = kinematics::jacobians(m);
    Matrix M = sym::zeros(n, n);
    const auto at = [&](std::size_t i, std::size_t j) -> Expr& { return M[std::min(i, j)][std::max(i, j)]; };
    for (BodyIndex b = 1; b < J.size(); ++b) {
        for (std::size_t c = 0; c < J[b].size(); ++c) {
            const auto& [j, S] = J[b][c];
            const Wrench momentum = m.inertia[b] * S;
            for (std::size_t a = 0; a <= c; ++a) at(J[b][a].freedom, j) += dot(J[b][a].S, momentum);
        }
    }
    for (std::size_t r = 0; r < n; ++r) {
        const kinematics::Freedom& freedom = m.freedoms[r];
        if (!freedom.is_own()) continue;
        for (std::size_t i = 0; i <= r; ++i) {
            if (m.freedoms[i].of == freedom.of) M[i][r] += freedom.of->inertia(m.freedoms[i].column, freedom.column);
        }
        for (const auto& [i, S] : J[freedom.body]) {
            const Expr entry = freedom.of->coupling(freedom.column, S);
            at(i, r) += i == r ? 2 * entry : entry;
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) M[i][j] = M[j][i];
    }
    return M;
}

}  // namespace linkwright::formulation::lagrange
