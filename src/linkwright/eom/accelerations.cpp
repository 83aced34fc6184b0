#include "linkwright/eom/accelerations.hpp"

#include "linkwright/sym/node_map.hpp"

namespace linkwright::eom {

namespace {

bool is_zero(const Expr& e) { return e.is_literally(0); }

/// The freedom with the fewest neighbours among those that are left; of several the last, which in a file that begins at the
/// ground is the outermost.
std::size_t next(const Matrix& A, const std::vector<std::size_t>& left) {
    std::size_t best = 0, fewest = left.size() + 1;
    for (std::size_t p = left.size(); p-- > 0;) {
        std::size_t neighbours = 0;
        for (const std::size_t j : left) neighbours += j != left[p] && !is_zero(A[left[p]][j]);
        if (neighbours < fewest) fewest = neighbours, best = p;
    }
    return best;
}

}  // namespace

std::vector<Expr> factored_accelerations(const Matrix& M, const std::vector<Expr>& f) {
    if (f.empty()) return {};
    const sym::PoolScope scope(f.front().pool());
    Matrix A = M;
    std::vector<Expr> x = f;
    struct Elimination {
        std::size_t k;
        Expr inverse;
        std::vector<std::pair<std::size_t, Expr>> row;  ///< neighbours, and the entry over the pivot
    };
    std::vector<Elimination> steps;
    std::vector<std::size_t> left(f.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    while (!left.empty()) {
        const std::size_t at = next(A, left), k = left[at];
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(at));
        Elimination step{k, 1 / A[k][k], {}};
        for (const std::size_t i : left) {
            if (!is_zero(A[k][i])) step.row.emplace_back(i, A[k][i] * step.inverse);
        }
        for (const auto& [i, a] : step.row) {
            for (const auto& [j, unused] : step.row) {
                if (j <= i) A[i][j] = A[j][i] = A[i][j] - a * A[k][j];
            }
            x[i] -= a * x[k];
        }
        steps.push_back(std::move(step));
    }
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        Expr& y = x[step->k];
        y *= step->inverse;
        for (const auto& [i, a] : step->row) y -= a * x[i];
    }
    return x;
}

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
