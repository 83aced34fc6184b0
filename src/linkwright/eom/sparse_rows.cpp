#include "linkwright/eom/sparse_rows.hpp"

#include <set>

namespace linkwright::eom {

using sym::Expr;

namespace {

/// The freedom with the fewest neighbours among those that are left; of several the last, which in a file that begins at the
/// ground is the outermost.
class Left {
public:
    explicit Left(const SparseRows& rows) : neighbours_(rows.size()) {
        for (std::size_t i = 0; i < rows.size(); ++i) put(i, rows[i]);
    }
    bool is_empty() const { return order_.empty(); }
    std::size_t take() {
        const std::size_t k = neighbours_.size() - 1 - order_.begin()->second;
        order_.erase(order_.begin());
        return k;
    }
    void change(std::size_t i, const std::map<std::size_t, Expr>& row) {
        order_.erase({neighbours_[i], neighbours_.size() - 1 - i});
        put(i, row);
    }

private:
    void put(std::size_t i, const std::map<std::size_t, Expr>& row) {
        neighbours_[i] = row.size() - row.count(i);
        order_.emplace(neighbours_[i], neighbours_.size() - 1 - i);
    }
    std::vector<std::size_t> neighbours_;
    std::set<std::pair<std::size_t, std::size_t>> order_;  ///< how many neighbours; the place, from the end
};

Expr entry(const std::map<std::size_t, Expr>& row, std::size_t column) {
    const auto at = row.find(column);
    return at == row.end() ? Expr(0) : at->second;
}

void put(SparseRows& A, std::size_t i, std::size_t j, const Expr& value) {
    if (value.is_literally(0)) {
        A[i].erase(j), A[j].erase(i);
    } else {
        A[i].insert_or_assign(j, value), A[j].insert_or_assign(i, value);
    }
}

}  // namespace

SparseRows sparse_rows(const sym::Matrix& matrix) {
    SparseRows rows(matrix.size());
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        for (std::size_t j = 0; j < matrix.size(); ++j) {
            if (!matrix[i][j].is_literally(0)) rows[i].emplace(j, matrix[i][j]);
        }
    }
    return rows;
}

FactoredRows::FactoredRows(SparseRows A, std::span<Expr> x) {
    Left left(A);
    while (!left.is_empty()) {
        const std::size_t k = left.take();
        Elimination step{k, 1 / entry(A[k], k), {}};
        for (const auto& [i, value] : A[k]) {
            if (i != k) step.row.emplace_back(i, value * step.inverse);
        }
        for (const auto& [i, a] : step.row) A[i].erase(k);
        for (const auto& [i, a] : step.row) {
            for (const auto& [j, unused] : step.row) {
                if (j <= i) put(A, i, j, entry(A[i], j) - a * entry(A[k], j));
            }
            if (!x.empty()) x[i] -= a * x[k];
        }
        for (const auto& [i, a] : step.row) left.change(i, A[i]);
        steps_.push_back(std::move(step));
    }
}

std::vector<Expr> FactoredRows::solve(std::vector<Expr> x) const {
    for (const Elimination& step : steps_) {
        for (const auto& [i, a] : step.row) x[i] -= a * x[step.k];
    }
    substitute_back(x);
    return x;
}

void FactoredRows::substitute_back(std::span<Expr> x) const {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
        Expr& y = x[step->k];
        y *= step->inverse;
        for (const auto& [i, a] : step->row) y -= a * x[i];
    }
}

sym::Matrix FactoredRows::inverse() const {
    const std::size_t n = steps_.size();
    sym::Matrix r = sym::zeros(n, n);
    // The freedom that was eliminated last comes first: what a force on one does to those before it is known, M⁻¹ being symmetric.
    for (std::size_t c = n; c-- > 0;) {
        const std::size_t k = steps_[c].k;
        for (std::size_t s = c + 1; s-- > 0;) {
            Expr y = s == c ? steps_[s].inverse : Expr(0);
            for (const auto& [i, a] : steps_[s].row) y -= a * r[i][k];
            r[steps_[s].k][k] = r[k][steps_[s].k] = y;
        }
    }
    return r;
}

std::vector<Expr> factored_accelerations(SparseRows A, const std::vector<Expr>& f) {
    if (f.empty()) return {};
    const sym::PoolScope scope(f.front().pool());
    std::vector<Expr> x = f;
    const FactoredRows factor(std::move(A), x);
    factor.substitute_back(x);
    return x;
}

}  // namespace linkwright::eom
