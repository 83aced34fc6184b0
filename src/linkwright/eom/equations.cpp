#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

namespace {

std::vector<Expr> joined(std::vector<Expr> a, const std::vector<Expr>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

}  // namespace

std::vector<Expr> inertias(const EquationsOfMotion& e) {
    if (e.M.empty()) return e.inertias;
    std::vector<Expr> diagonal;
    for (std::size_t i = 0; i < e.M.size(); ++i) diagonal.push_back(e.M[i][i]);
    return diagonal;
}

std::vector<Expr> q_and_x(const EquationsOfMotion& e) { return joined(e.q, e.x); }
std::vector<Expr> qdot_and_xdot(const EquationsOfMotion& e) { return joined(e.qdot, e.xdot); }

std::vector<sym::Binding> rates(const EquationsOfMotion& e) {
    std::vector<sym::Binding> r;
    for (std::size_t i = 0; i < e.q.size(); ++i) r.emplace_back(e.q[i], e.qdot[i]);
    for (std::size_t i = 0; i < e.u.size(); ++i) r.emplace_back(e.u[i], e.udot[i]);
    for (std::size_t i = 0; i < e.x.size(); ++i) r.emplace_back(e.x[i], e.xdot[i]);
    r.emplace_back(e.t, Expr(1));
    return r;
}

}  // namespace linkwright::eom
