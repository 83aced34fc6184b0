#include "linkwright/formulation/second_order.hpp"

#include <algorithm>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/sym/taylor.hpp"

namespace linkwright::formulation {

bool is_second_order(const model::Model& model) {
    return std::ranges::any_of(model.bodies, [](const model::Body& b) { return b.beam && b.beam->order == model::BeamOrder::second; });
}

Truncation::Truncation(const Mechanism& m) : is_elastic_(m.freedoms.size()) {
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        const kinematics::Freedom& f = m.freedoms[i];
        if (!f.is_own() || !f.of->moves_mass()) continue;
        is_elastic_[i] = true;
        symbols_.push_back(f.u);
        if (const auto& q = f.of->freedoms()[f.column].q) symbols_.push_back(*q);
    }
}

Expr Truncation::operator()(const Expr& e, std::size_t degree) const {
    std::vector<sym::Increment> about;
    for (const Expr& s : symbols_) about.push_back({s, Expr(0), s});
    Expr sum = 0;
    for (const Expr& c : sym::taylor(e, about, degree)) sum += c;
    return sum;
}

void truncate(const Mechanism& m, Matrix& M) {
    const Truncation cut(m);
    for (std::size_t i = 0; i < M.size(); ++i) {
        const std::size_t degree = cut.is_elastic(i) ? 1 : 2;
        for (std::size_t j = 0; j <= i; ++j) M[i][j] = M[j][i] = cut(M[i][j], degree - (cut.is_elastic(j) ? 1 : 0));
    }
}

void truncate(const Mechanism& m, FormulatedEquations& raw) {
    const Truncation cut(m);
    truncate(m, raw.M);
    for (std::size_t i = 0; i < raw.f.size(); ++i) raw.f[i] = cut(raw.f[i], cut.is_elastic(i) ? 1 : 2);
}

std::vector<Expr> forces_at_rest(const System& s) {
    const Mechanism& m = s.mechanism;
    std::vector<Expr> f = s.loads.tau;
    std::vector<Wrench> W = s.loads.on;
    std::vector<Twist> weight(W.size());
    for (BodyIndex b = 1; b < W.size(); ++b) {
        weight[b] = {{}, m.X_W[b].R.back(m.model->gravity)};
        W[b] += m.inertia[b] * weight[b];
    }
    for (std::size_t i = 0; i < f.size(); ++i) {
        const kinematics::Freedom& freedom = m.freedoms[i];
        if (freedom.is_own()) f[i] += freedom.of->coupling(freedom.column, weight[freedom.body]);
    }
    for (auto b = m.topology->order.rbegin(); b != m.topology->order.rend(); ++b) {
        if (*b == model::ground) continue;
        for (const auto& [i, S] : m.across[*b]) f[i] += dot(S, W[*b]);
        W[m.topology->arc[*b]->inner] += to_outer(m.X_inner[*b], W[*b]);
    }
    return f;
}

std::vector<Expr> factored(const Mechanism& m, const FormulatedEquations& raw) {
    std::vector<std::size_t> free;
    std::vector<Expr> a;
    for (std::size_t i = 0; i < m.freedoms.size(); ++i) {
        a.push_back(m.freedoms[i].udot);
        if (!m.freedoms[i].given) free.push_back(i);
    }
    Matrix M;
    std::vector<Expr> f;
    for (const std::size_t i : free) {
        M.emplace_back();
        for (const std::size_t j : free) M.back().push_back(raw.M[i][j]);
        f.push_back(raw.f[i]);
        for (std::size_t g = 0; g < m.freedoms.size(); ++g) {
            if (m.freedoms[g].given) f.back() -= raw.M[i][g] * m.freedoms[g].udot;
        }
    }
    const std::vector<Expr> solved = eom::factored_accelerations(M, f);
    for (std::size_t i = 0; i < free.size(); ++i) a[free[i]] = solved[i];
    return a;
}

}  // namespace linkwright::formulation
