#include "linkwright/formulation/kane/kane.hpp"

#include "linkwright/formulation/second_order.hpp"

namespace linkwright::formulation::kane {

namespace {

/// For each freedom the bodies whose frames it moves in their inner bodies, and how.
std::vector<std::vector<std::pair<BodyIndex, Twist>>> moved_by(const Mechanism& m) {
    std::vector<std::vector<std::pair<BodyIndex, Twist>>> moved(m.freedoms.size());
    for (BodyIndex b = 1; b < m.across.size(); ++b) {
        for (const auto& [i, S] : m.across[b]) moved[i].emplace_back(b, S);
    }
    return moved;
}

/// Bᵀ M B. The composite inertia of a body is its own and that of everything outward. A unit rate of freedom j moves the
/// composite body as S_j; its momentum, carried inwards, meets every freedom on the way to the ground. What j moves inside a
/// body has its momentum there.
Matrix mass_matrix(const Mechanism& m) {
    const std::size_t n = m.freedoms.size();
    Matrix M = sym::zeros(n, n);
    std::vector<spatial::Inertia> composite = m.inertia;
    for (auto b = m.topology->order.rbegin(); b != m.topology->order.rend(); ++b) {
        if (*b == model::ground || m.topology->arc[*b]->inner == model::ground) continue;
        spatial::Inertia& inner = composite[m.topology->arc[*b]->inner];
        inner = inner + to_outer(m.X_inner[*b], composite[*b]);
    }
    // `momentum` of freedom j, at b. Where j itself moves b, those beside it meet it here, and j meets them on their turn.
    const auto meet = [&](std::size_t j, BodyIndex b, Wrench momentum, bool is_beside) {
        for (;; b = m.topology->arc[b]->inner, is_beside = false) {
            for (const auto& [i, S] : m.across[b]) {
                const Expr entry = dot(S, momentum);
                if (i == j) {  // a beam that hangs on one of its sections meets itself
                    if (!is_beside) M[j][j] += 2 * entry;
                    continue;
                }
                M[i][j] += entry;
                if (!is_beside) M[j][i] += entry;
            }
            if (b == model::ground || m.topology->arc[b]->inner == model::ground) return;
            momentum = to_outer(m.X_inner[b], momentum);
        }
    };
    const auto moved = moved_by(m);
    for (std::size_t j = 0; j < n; ++j) {
        const kinematics::Freedom& freedom = m.freedoms[j];
        if (freedom.is_own()) {
            for (std::size_t i = 0; i < n; ++i) {
                if (m.freedoms[i].of == freedom.of) M[i][j] += freedom.of->inertia(m.freedoms[i].column, freedom.column);
            }
            meet(j, freedom.body, freedom.of->partial_momentum(freedom.column), false);
        }
        for (const auto& [b, S] : moved[j]) {
            const Wrench momentum = composite[b] * S;
            M[j][j] += dot(S, momentum);
            meet(j, b, momentum, true);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < i; ++j) M[i][j] = M[j][i];
    }
    return M;
}

/// Bᵀ [f − M Ḃu − h]: gravity is an acceleration of the ground upwards. Or −Bᵀ [M Ḃu + h] of inertia alone.
std::vector<Expr> forcing(const System& s, bool of_inertia_alone) {
    const Mechanism& m = s.mechanism;
    const std::vector<Expr> still(m.freedoms.size());
    const std::vector<Twist> A = kinematics::accelerations(m, of_inertia_alone ? Vec3{} : -m.model->gravity, still);
    const std::vector<Wrench> W = joint_wrenches(s, A, of_inertia_alone ? std::vector<Wrench>(s.loads.on.size()) : s.loads.on, still);
    const auto moved = moved_by(m);
    std::vector<Expr> f = of_inertia_alone ? still : s.loads.tau;
    for (std::size_t i = 0; i < f.size(); ++i) {
        const kinematics::Freedom& freedom = m.freedoms[i];
        if (freedom.is_own()) {
            f[i] -= freedom.of->inertia_force(freedom.column, m.V[freedom.body], A[freedom.body], own_part(m, *freedom.of, still));
        }
        for (const auto& [b, S] : moved[i]) f[i] -= dot(S, W[b]);
    }
    return f;
}

}  // namespace

FormulatedEquations equations(const System& system) {
    const bool is_second = is_second_order(*system.mechanism.model);
    FormulatedEquations raw{mass_matrix(system.mechanism), forcing(system, is_second)};
    if (!is_second) return raw;
    truncate(system.mechanism, raw);
    const std::vector<Expr> rest = forces_at_rest(system);
    for (std::size_t i = 0; i < rest.size(); ++i) raw.f[i] += rest[i];
    return raw;
}

Derived derive(const model::Model& model, const topology::Topology& topology, const Options& options) {
    const sym::PoolScope scope(*model.pool);
    System system = set_up(model, topology);
    if (!system.problems.empty()) return {std::nullopt, std::move(system.problems)};
    FormulatedEquations raw = equations(system);
    return finish(system, std::move(raw), "kane", options);
}

}  // namespace linkwright::formulation::kane
