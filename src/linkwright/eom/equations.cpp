#include "linkwright/eom/equations.hpp"

namespace linkwright::eom {

std::vector<sym::Binding> rates(const EquationsOfMotion& e) {
    std::vector<sym::Binding> r;
    for (std::size_t i = 0; i < e.q.size(); ++i) r.emplace_back(e.q[i], e.qdot[i]);
    for (std::size_t i = 0; i < e.u.size(); ++i) r.emplace_back(e.u[i], e.udot[i]);
    r.emplace_back(e.t, Expr(1));
    return r;
}

}  // namespace linkwright::eom
