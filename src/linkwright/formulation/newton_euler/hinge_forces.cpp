#include "linkwright/formulation/newton_euler/hinge_forces.hpp"

#include "linkwright/sym/matrix.hpp"

namespace linkwright::formulation::newton_euler {

namespace {

/// Entries that are not 0, by row.
using Sparse = std::vector<std::vector<std::pair<std::size_t, Expr>>>;

}  // namespace

std::optional<HingeForces> hinge_forces(const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    auto M_inverse = sym::inverse(e.M);
    if (!M_inverse) return std::nullopt;
    const std::size_t n = e.u.size(), m = e.constraints.size();
    HingeForces r{{}, {}, std::move(*M_inverse), {}};
    Sparse G(m), inverse(n);
    for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t i = 0; i < n; ++i) {
            if (!e.constraints[k].G[i].is_literally(0)) G[k].emplace_back(i, e.constraints[k].G[i]);
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            if (!r.M_inverse[i][j].is_literally(0)) inverse[i].emplace_back(j, r.M_inverse[i][j]);
        }
    }
    r.A = sym::zeros(m, m);
    r.b.resize(m);
    std::vector<Expr> left = e.f;  // f − Gᵀλ
    for (std::size_t k = 0; k < m; ++k) {
        std::vector<Expr> row(n);  // of G M⁻¹
        for (const auto& [i, g] : G[k]) {
            for (const auto& [j, x] : inverse[i]) row[j] += g * x;
            left[i] -= g * e.constraints[k].lambda;
        }
        r.b[k] = -e.constraints[k].gamma;
        for (std::size_t j = 0; j < n; ++j) {
            if (!row[j].is_literally(0)) r.b[k] += row[j] * e.f[j];
        }
        for (std::size_t l = k; l < m; ++l) {
            Expr sum = 0;
            for (const auto& [j, g] : G[l]) {
                if (!row[j].is_literally(0)) sum += row[j] * g;
            }
            r.A[k][l] = r.A[l][k] = sum;
        }
    }
    r.udot.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        for (const auto& [j, x] : inverse[i]) r.udot[i] += x * left[j];
    }
    return r;
}

}  // namespace linkwright::formulation::newton_euler
