#include "linkwright/formulation/coriolis.hpp"

#include "linkwright/formulation/quasi_speeds.hpp"

namespace linkwright::formulation {

namespace {

/// X_j p_i, u being constant.
Matrix derivatives(const QuasiSpeeds& speeds, std::span<const Expr> p) {
    Matrix P;
    for (const Expr& momentum : p) P.push_back(speeds.derivatives(momentum));
    return P;
}

/// Σ_kl (c^l_kj M_li − c^l_ki M_lj − c^l_ji M_lk) u_k
void add_brackets(const QuasiSpeeds& speeds, const Matrix& M, std::span<const Expr> u, std::span<const Expr> p, Matrix& twice) {
    for (const auto& [a, b, l, c] : speeds.brackets()) {
        for (std::size_t i = 0; i < u.size(); ++i) {
            const Expr term = c * u[a] * M[l][i];
            twice[i][b] += term;
            twice[b][i] -= term;
        }
        twice[b][a] -= c * p[l];
    }
}

/// Γ of what motors hold at its speed, and what changing these speeds takes.
void add_held_wheels(const Mechanism& m, const QuasiSpeeds& speeds, std::span<const Expr> u, VelocityForces& result) {
    const std::size_t n = u.size();
    sym::Tangent in_time({{m.model->t, Expr(1)}});
    std::vector<Expr> sum(n);  // h a, of all wheels
    for (BodyIndex b = 1; b < m.contributions.size(); ++b) {
        for (const auto& c : m.contributions[b]) {
            const auto given = c->given_momentum(m.V[b]);
            if (!given) continue;
            const std::vector<Expr> a = gradient(given->along, u);
            const Matrix along = derivatives(speeds, a);
            const Expr rate = in_time(given->momentum);
            for (std::size_t i = 0; i < n; ++i) {
                sum[i] += given->momentum * a[i];
                result.spin_up[i] -= rate * a[i];
                for (std::size_t j = 0; j < n; ++j) result.C[i][j] += given->momentum * (along[i][j] - along[j][i]);
            }
        }
    }
    for (const auto& [i, j, l, c] : speeds.brackets()) result.C[i][j] += c * sum[l];
}

}  // namespace

VelocityForces velocity_forces(const Mechanism& m, const Matrix& M) {
    const std::size_t n = m.freedoms.size();
    const QuasiSpeeds speeds(m);
    std::vector<Expr> u, p(n);
    for (const kinematics::Freedom& f : m.freedoms) u.push_back(f.u);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) p[i] += M[i][j] * u[j];
    }
    std::vector<sym::Binding> motion;
    for (const kinematics::Coordinate& c : m.coordinates) motion.emplace_back(c.q, c.rate);
    sym::Tangent rate(motion);
    const Matrix P = derivatives(speeds, p);
    Matrix twice = sym::zeros(n, n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) twice[i][j] = rate(M[i][j]) + P[i][j] - P[j][i];
    }
    add_brackets(speeds, M, u, p, twice);
    VelocityForces result{sym::zeros(n, n), std::vector<Expr>(n)};
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) result.C[i][j] = twice[i][j] / 2;
    }
    add_held_wheels(m, speeds, u, result);
    return result;
}

}  // namespace linkwright::formulation
