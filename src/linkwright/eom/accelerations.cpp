#include "linkwright/eom/accelerations.hpp"

namespace linkwright::eom {

std::vector<Expr> accelerations(const EquationsOfMotion& equations) { return equations.a.empty() ? factored_accelerations(equations) : equations.a; }

std::vector<Expr> factored_accelerations(const EquationsOfMotion& e) {
    // M = LᵀDL from the last row to the first
    const std::size_t n = e.u.size();
    std::vector<std::vector<Expr>> L = e.M;
    std::vector<Expr> x = e.f;
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t i = k; i-- > 0;) {
            if (L[k][i].is_literally(0)) continue;
            const Expr a = L[k][i] / L[k][k];
            for (std::size_t j = 0; j <= i; ++j) L[i][j] -= a * L[k][j];
            x[i] -= a * x[k];
        }
    }
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < k; ++j) x[k] -= L[k][j] * x[j];
        x[k] /= L[k][k];
    }
    return x;
}

}  // namespace linkwright::eom
