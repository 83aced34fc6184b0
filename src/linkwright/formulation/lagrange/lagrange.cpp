#include "linkwright/formulation/lagrange/lagrange.hpp"

#include "linkwright/formulation/lagrange/lagrangian.hpp"
#include "linkwright/formulation/lagrange/structure.hpp"
#include "linkwright/formulation/second_order.hpp"

namespace linkwright::formulation::lagrange {

namespace {

/// Given momenta as ∂T/∂u of the part of T that is linear in u, and what they bring to f.
struct Gyroscopic {
    std::vector<Expr> momentum, force;
};

/// d/dt (h ∂σ/∂u_i) − h X_i σ, with σ the velocity that each given momentum h meets
Gyroscopic gyroscopic(const Mechanism& m, const Lagrangian& L, const QuasiSpeeds& speeds, std::span<const Expr> u) {
    Gyroscopic g{std::vector<Expr>(u.size()), std::vector<Expr>(u.size())};
    if (L.given_momenta.empty()) return g;
    sym::Tangent rate(kinematics::rates(m, false));
    for (const auto& [h, met] : L.given_momenta) {
        const std::vector<Expr> along = gradient(met, u), derivatives = speeds.derivatives(met);
        for (std::size_t i = 0; i < u.size(); ++i) {
            g.momentum[i] += h * along[i];
            g.force[i] += h * (derivatives[i] - rate(along[i])) - rate(h) * along[i];
        }
    }
    return g;
}

}  // namespace

VelocityTerms velocity_terms_for(std::size_t freedoms) { return freedoms <= 6 ? VelocityTerms::symbols : VelocityTerms::gradients; }

FormulatedEquations equations(const System& s, VelocityTerms by) {
    const Mechanism& m = s.mechanism;
    const std::size_t n = m.freedoms.size();
    const Lagrangian L = lagrangian(s);
    const QuasiSpeeds speeds(m);
    std::vector<Expr> u;
    for (const kinematics::Freedom& f : m.freedoms) u.push_back(f.u);
    Gyroscopic g = gyroscopic(m, L, speeds, u);

    FormulatedEquations raw{{}, L.forces};
    const std::vector<Expr> derivative = speeds.derivatives(L.potential);
    for (std::size_t i = 0; i < n; ++i) raw.f[i] += g.force[i] - derivative[i];
    std::vector<Expr>& p = g.momentum;
    if (by == VelocityTerms::symbols) {
        raw.M = mass_matrix(m);
        if (is_second_order(*m.model)) truncate(m, raw.M);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < n; ++j) p[i] += raw.M[i][j] * u[j];
        }
        for (const Symbol& c : velocity_coupling(raw.M, speeds).symbols) {
            if (c.value.is_literally(0)) continue;
            raw.f[c.i] -= c.value * (c.j == c.k ? pow(u[c.j], 2) : 2 * u[c.j] * u[c.k]);
        }
    } else {
        const std::vector<Expr> momentum = gradient(L.kinetic, u), pull = speeds.derivatives(L.kinetic);
        sym::Tangent rate(kinematics::rates(m, false));
        raw.M = sym::zeros(n, n);
        for (const auto& [i, j, value] : jacobian(momentum, u).entries) {
            if (i <= j) raw.M[i][j] = raw.M[j][i] = value;
        }
        for (std::size_t i = 0; i < n; ++i) {
            p[i] += momentum[i];
            raw.f[i] += pull[i] - rate(momentum[i]);
        }
    }
    for (const auto& [i, j, k, c] : speeds.brackets()) raw.f[i] -= c * u[j] * p[k];
    return raw;
}

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System system = set_up(model, topology);
    if (!system.problems.empty()) return {std::nullopt, std::move(system.problems)};
    FormulatedEquations raw = equations(system, velocity_terms_for(system.mechanism.freedoms.size()));
    return finish(system, std::move(raw), "lagrange", options);
}

}  // namespace linkwright::formulation::lagrange
