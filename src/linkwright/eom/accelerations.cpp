#include "linkwright/eom/accelerations.hpp"

#include "linkwright/eom/sparse_rows.hpp"
#include "linkwright/sym/node_map.hpp"

namespace linkwright::eom {

std::vector<Expr> factored_accelerations(const Matrix& M, const std::vector<Expr>& f) { return factored_accelerations(sparse_rows(M), f); }

std::vector<Expr> factored_accelerations(const EquationsOfMotion& e) { return factored_accelerations(e.M, e.f); }

std::vector<Expr> accelerations(const EquationsOfMotion& e) { return e.a.empty() ? factored_accelerations(e) : e.a; }

std::size_t arithmetic(std::span<const Expr> expressions) {
    std::size_t count = 0;
    sym::NodeMap<std::uint8_t> varies;
    for (const Expr& e : sym::nodes_below(expressions)) {
        bool does = e.is_symbol() && e.symbol().role != sym::Role::parameter;
        for (std::size_t i = 0; i < e.arity(); ++i) does |= varies.at(e.arg(i).id()) != 0;
        varies.insert(e.id(), does ? 1 : 0);
        if (!does) continue;
        const bool is_sign = e.op() == sym::Op::mul && e.arg(0).is_literally(-1);  // goes into a sum
        if ((e.op() == sym::Op::add || e.op() == sym::Op::mul || e.op() == sym::Op::pow) && !is_sign) ++count;
    }
    return count;
}

}  // namespace linkwright::eom
