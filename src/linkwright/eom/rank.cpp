#include "linkwright/eom/rank.hpp"

namespace linkwright::eom {

SymbolicRank symbolic_rank(const EquationsOfMotion& e) {
    using F = sym::Field1;
    SymbolicRank result{true, 0, {}};
    std::vector<std::vector<F::Word>> basis;  // rows so far, each with a pivot that later ones lack
    std::vector<std::size_t> pivot;
    for (std::size_t r = 0; r < e.constraints.size(); ++r) {
        std::vector<F::Word> row;
        for (const Expr& g : e.constraints[r].G) {
            if ((g.node().flags & (sym::Node::opaque | sym::Node::no_residue)) != 0) return {};
            row.push_back(g.node().residue.r1);
        }
        for (std::size_t k = 0; k < basis.size(); ++k) {
            const F::Word factor = row[pivot[k]];
            if (factor == 0) continue;
            for (std::size_t j = 0; j < row.size(); ++j) row[j] = F::sub(row[j], F::mul(factor, basis[k][j]));
        }
        std::size_t first = 0;
        while (first < row.size() && row[first] == 0) ++first;
        if (first == row.size()) {
            result.redundant.push_back(r);
            continue;
        }
        const F::Word scale = F::inv(row[first]);
        for (F::Word& x : row) x = F::mul(x, scale);
        basis.push_back(std::move(row));
        pivot.push_back(first);
    }
    result.rank = basis.size();
    return result;
}

}  // namespace linkwright::eom
