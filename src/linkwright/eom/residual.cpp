#include "linkwright/eom/residual.hpp"

namespace linkwright::eom {

std::vector<Expr> unconstrained_residual(const EquationsOfMotion& e) {
    if (!e.inverse.empty()) return e.inverse;
    std::vector<Expr> rows;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        Expr r = -e.f[i];
        for (std::size_t j = 0; j < e.u.size(); ++j) r += e.M[i][j] * e.udot[j];
        rows.push_back(r);
    }
    return rows;
}

std::vector<Expr> force_residual(const EquationsOfMotion& e) {
    std::vector<Expr> rows = unconstrained_residual(e);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const Constraint& c : e.constraints) rows[i] += c.G[i] * c.lambda;
    }
    return rows;
}

std::vector<Expr> acceleration_residual(const EquationsOfMotion& e) {
    std::vector<Expr> rows;
    for (const Constraint& c : e.constraints) {
        Expr s = -c.gamma;
        for (std::size_t j = 0; j < e.u.size(); ++j) s += c.G[j] * e.udot[j];
        rows.push_back(s);
    }
    return rows;
}

}  // namespace linkwright::eom
