#include "linkwright/structure/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace linkwright::structure {

namespace {

using Eigen::Index;
using Row = std::map<Index, double>;

/// Scaled entries; those that were eliminated in terms of others, which may have been eliminated later.
class Eliminating {
public:
    explicit Eliminating(Index n) : when_(static_cast<std::size_t>(n), never) {}

    /// Puts in what is known until nothing that is known is left.
    void put_in(Row& row) const {
        std::map<std::size_t, double> todo;  // by when it was eliminated: what is put in was eliminated later, or not at all
        const auto sort_in = [&](Index j, double c, Row& out) { when_[j] == never ? out[j] += c : todo[when_[j]] += c; };
        Row left;
        for (const auto& [j, c] : row) sort_in(j, c, left);
        while (!todo.empty()) {
            const auto [k, c] = *todo.begin();
            todo.erase(todo.begin());
            for (const auto& [j, d] : formula_[k]) sort_in(j, c * d, left);
        }
        row = std::move(left);
    }

    /// Whether the row says something new; then an entry is eliminated by it.
    bool take(Row row, double tolerance) {
        double size = 0;
        for (const auto& [j, c] : row) size = std::max(size, std::abs(c));
        put_in(row);
        std::erase_if(row, [&](const auto& entry) { return std::abs(entry.second) <= 1e-14 * size; });
        double most = 0;
        for (const auto& [j, c] : row) most = std::max(most, std::abs(c));
        if (most <= tolerance * size || size == 0) return false;
        Index pivot = 0;
        for (const auto& [j, c] : row) {
            if (std::abs(c) >= (1 - 1e-9) * most) pivot = j;  // the last of equals: what is farther from the ground
        }
        const double divisor = row.at(pivot);
        row.erase(pivot);
        for (auto& [j, c] : row) c = -c / divisor;
        when_[pivot] = formula_.size();
        formula_.push_back(std::move(row));
        pivots_.push_back(pivot);
        return true;
    }

    /// Every formula in terms of what was never eliminated.
    void finish() {
        for (std::size_t k = formula_.size(); k-- > 0;) put_in(formula_[k]);
    }

    bool is_kept(Index j) const { return when_[j] == never; }
    const Row& formula(Index j) const { return formula_[when_[j]]; }

private:
    static constexpr std::size_t never = -1;
    std::vector<std::size_t> when_;
    std::vector<Row> formula_;
    std::vector<Index> pivots_;
};

}  // namespace

Elimination eliminate(const solve::SparseMatrix& G, const Eigen::VectorXd& scale, double tolerance) {
    const Index n = G.cols();
    std::vector<Row> rows(static_cast<std::size_t>(G.rows()));
    for (Index j = 0; j < n; ++j) {
        for (solve::SparseMatrix::InnerIterator at(G, j); at; ++at) {
            if (at.value() != 0) rows[at.row()][j] = at.value() * scale[j];
        }
    }
    Eliminating e(n);
    Elimination result;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (e.take(rows[i], tolerance)) result.independent.push_back(static_cast<Index>(i));
    }
    e.finish();
    std::vector<Index> column(static_cast<std::size_t>(n), -1);
    for (Index j = 0; j < n; ++j) {
        if (e.is_kept(j)) column[j] = static_cast<Index>(result.kept.size());
        (e.is_kept(j) ? result.kept : result.eliminated).push_back(j);
    }
    std::vector<solve::Triplet> entries;
    for (Index j = 0; j < n; ++j) {
        if (e.is_kept(j)) {
            entries.emplace_back(j, column[j], 1.0);
            continue;
        }
        for (const auto& [k, c] : e.formula(j)) entries.emplace_back(j, column[k], c * scale[j] / scale[k]);
    }
    result.T = solve::make_sparse(n, static_cast<Index>(result.kept.size()), entries);
    return result;
}

}  // namespace linkwright::structure
