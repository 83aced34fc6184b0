#include "linkwright/solve/independent.hpp"

#include <algorithm>
#include <limits>

#include "linkwright/solve/scale.hpp"

namespace linkwright::solve {

Partition choose_independent(const MatrixXd& G, std::span<const Index> wished, const IndependentOptions& options) {
    const Index n = G.cols();
    Partition p{.dependent = {}, .independent = {}, .refused = {}, .why = {}};
    MatrixXd rest = row_scale(G, options.errors).asDiagonal() * G;
    const MatrixXd scaled = rest;
    const Independence plain = independent_columns(rest, rank_tolerance(G, options.errors, options.rank_tolerance));
    p.ok = plain.ok;
    p.why = plain.why;
    p.rank = plain.rank;
    p.condition = plain.condition;

    // Gram–Schmidt with a choice of pivot. `worth` of a column: 0 unwished, then dearer and dearer.
    std::vector<std::size_t> worth(static_cast<std::size_t>(n), 0);
    for (std::size_t k = 0; k < wished.size(); ++k) {
        if (wished[k] >= 0 && wished[k] < n) worth[wished[k]] = wished.size() - k;
    }
    std::vector<bool> is_taken(static_cast<std::size_t>(n), false);
    for (Index k = 0; k < p.rank; ++k) {
        const VectorXd size = rest.colwise().norm();
        double most = 0;
        for (Index j = 0; j < n; ++j) {
            if (!is_taken[j]) most = std::max(most, size(j));
        }
        Index pivot = -1;
        for (Index j = 0; j < n; ++j) {
            const auto at = static_cast<std::size_t>(j);
            if (is_taken[at] || size(j) < options.well_conditioned * most) continue;
            const auto best = static_cast<std::size_t>(pivot);
            if (pivot < 0 || worth[at] < worth[best] || (worth[at] == worth[best] && size(j) > size(pivot))) pivot = j;
        }
        is_taken[pivot] = true;
        p.dependent.push_back(pivot);
        if (worth[pivot] > 0) p.refused.push_back(pivot);
        const VectorXd q = rest.col(pivot).normalized();
        for (int twice = 0; twice < 2; ++twice) rest -= q * (q.transpose() * rest);
    }
    std::ranges::sort(p.dependent);
    std::ranges::sort(p.refused);
    for (Index j = 0; j < n; ++j) {
        if (!is_taken[j]) p.independent.push_back(j);
    }
    if (p.rank > 0) {
        const Svd block = make_svd(take_columns(scaled, p.dependent));
        p.condition = block.s(p.rank - 1) > 0 ? block.s(0) / block.s(p.rank - 1) : std::numeric_limits<double>::infinity();
    }
    return p;
}

}  // namespace linkwright::solve
