#include "linkwright/formulation/newton_euler/gauss.hpp"

#include "linkwright/eom/visit.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::formulation::newton_euler {

using sym::Expr;

eom::EquationsOfMotion least_constraint(const eom::EquationsOfMotion& equations, double weight, std::string name) {
    eom::EquationsOfMotion e = equations;
    const sym::PoolScope scope(*e.pool);
    while (e.pool->find_symbol(name)) name += "_";
    const Expr W = e.pool->symbol(name, sym::Role::parameter);
    std::vector<sym::Binding> multipliers;
    for (const eom::Constraint& c : equations.constraints) {
        std::vector<std::size_t> touched;
        for (std::size_t i = 0; i < e.u.size(); ++i) {
            if (!c.G[i].is_literally(0)) touched.push_back(i);
        }
        Expr miss = -c.gamma;
        for (const std::size_t i : touched) {
            miss += c.G[i] * e.udot[i];
            e.f[i] += W * c.G[i] * c.gamma;
            for (const std::size_t j : touched) {
                if (j >= i) e.M[i][j] = e.M[j][i] = e.M[i][j] + W * c.G[i] * c.G[j];
            }
        }
        multipliers.emplace_back(c.lambda, W * miss);
    }
    e.constraints.clear();
    e.a.clear();
    e.inverse.clear();
    e.formulation += ", least constraint";
    e.parameters.push_back({W, Expr(weight), "", "weight of the constraints"});
    // Elsewhere, so that no multiplier is left behind.
    auto pool = std::make_shared<sym::Pool>(equations.pool->options());
    sym::Transplant put_in(*pool);
    for (const sym::SymbolInfo& s : equations.pool->symbols()) {  // in their order
        if (s.role != sym::Role::multiplier) put_in(Expr(*equations.pool, s.node));
    }
    for (const sym::Binding& b : multipliers) put_in.replace(b.first, put_in(b.second));
    eom::for_each_expression(e, [&](Expr& x) { x = put_in(x); });
    e.pool = std::move(pool);
    return e;
}

}  // namespace linkwright::formulation::newton_euler
