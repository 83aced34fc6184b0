#include "linkwright/solve/zero_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linkwright/solve/products.hpp"
#include "linkwright/solve/scale.hpp"
#include "linkwright/solve/singular_values.hpp"

namespace linkwright::solve {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// Powers of two that make rows and columns of T⁻¹AT alike [parlett69].
VectorXd balancing(MatrixXd A) {
    const Index n = A.rows();
    VectorXd t = VectorXd::Ones(n);
    for (int pass = 0; pass < 100; ++pass) {
        bool is_moving = false;
        for (Index i = 0; i < n; ++i) {
            const double own = std::abs(A(i, i)), column = A.col(i).cwiseAbs().sum() - own, row = A.row(i).cwiseAbs().sum() - own;
            if (!(column > 0) || !(row > 0) || !std::isfinite(column + row)) continue;
            const double factor = std::exp2(std::round(std::log2(row / column) / 2));
            if (column * factor + row / factor >= 0.95 * (column + row)) continue;
            A.col(i) *= factor, A.row(i) /= factor, t[i] *= factor;
            is_moving = true;
        }
        if (!is_moving) break;
    }
    return t;
}

/// Column by column an entry becomes 1, and 0 in the other columns of its level and of those above.
void to_echelon(MatrixXd& basis, const std::vector<Index>& levels) {
    constexpr double dust = 1e-7;  // of a column's largest entry: vectors are worth less than ranks
    const Index count = basis.cols();
    std::vector<bool> is_pivot(static_cast<std::size_t>(basis.rows()), false);
    for (Index j = 0; j < count; ++j) {
        Index row = -1, column = j;
        double most = 0;
        for (Index k = j; k < count && levels[k] == levels[j]; ++k) {
            for (Index i = 0; i < basis.rows(); ++i) {
                if (is_pivot[i] || !(std::abs(basis(i, k)) > most * (1 + 1e-9))) continue;  // the first of equals
                most = std::abs(basis(i, k)), row = i, column = k;
            }
        }
        if (row < 0) continue;
        basis.col(j).swap(basis.col(column));
        basis.col(j) /= basis(row, j);
        is_pivot[row] = true;
        for (Index k = 0; k < count; ++k) {
            if (k == j || levels[k] < levels[j]) continue;
            basis.col(k) -= basis(row, k) * basis.col(j);
            basis(row, k) = 0;
        }
    }
    for (Index j = 0; j < count; ++j) {
        const double least = dust * basis.col(j).cwiseAbs().maxCoeff();
        for (Index i = 0; i < basis.rows(); ++i) {
            if (std::abs(basis(i, j)) <= least) basis(i, j) = 0;
        }
    }
}

}  // namespace

ZeroChains zero_chains(const MatrixXd& A, const MatrixXd& noise) {
    const Index n = A.rows();
    ZeroChains found;
    found.basis.resize(n, 0);
    const VectorXd t = balancing(A), inverse = t.cwiseInverse();
    const MatrixXd balanced = inverse.asDiagonal() * A * t.asDiagonal();
    MatrixXd W = MatrixXd::Identity(n, n), N = inverse.asDiagonal() * noise * t.asDiagonal();
    const MatrixXd size = sizes(balanced);
    std::vector<Index> per_level;
    double norm = 0;
    found.rest = balanced;
    while (W.cols() > 0) {
        const MatrixXd& a = found.rest;
        const SingularValues svd = singular_values(a, SingularVectors::full, SingularVectors::full);
        if (!svd.ok) break;
        norm = std::max(norm, svd.s[0]);
        std::vector<Index> none, some;
        const MatrixXd left = times(W, svd.u), right = times(W, svd.v);
        for (Index i = 0; i < svd.s.size(); ++i) {
            const double rounding = static_cast<double>(n) * epsilon *
                                    (norm + 4 * left.col(i).cwiseAbs().dot(size * right.col(i).cwiseAbs()));  // of the SVD, of Wᵀ A W
            const double worth = svd.u.col(i).cwiseAbs().dot(N * svd.v.col(i).cwiseAbs());
            (svd.s[i] <= worth + rounding ? none : some).push_back(i);
        }
        if (none.empty()) break;
        const MatrixXd V1 = take_columns(svd.v, some), V2 = take_columns(svd.v, none), U1 = take_columns(svd.u, some);
        const MatrixXd onto = transposed_times(V2, times(a, V1));  // from what is left into this level
        MatrixXd pseudo = U1.transpose();
        for (std::size_t k = 0; k < some.size(); ++k) pseudo.row(static_cast<Index>(k)) /= svd.s[some[k]];
        // V1ᵀ δA V1, and what the turning of V2 by δA makes of A: (A⁺ δA V2) V2ᵀ A V1
        const MatrixXd next = transposed_times(sizes(V1), times(N, sizes(V1))) + times(times(sizes(pseudo), N, sizes(V2)), sizes(onto));
        const Index before = found.basis.cols(), more = V2.cols();
        found.basis.conservativeResize(n, before + more);
        found.basis.rightCols(more) = t.asDiagonal() * times(W, V2);
        per_level.push_back(more);
        found.levels.insert(found.levels.end(), static_cast<std::size_t>(more), static_cast<Index>(per_level.size()));
        W = times(W, V1), N = next;
        found.rest = transposed_times(W, times(balanced, W));
    }
    for (Index chain = 0; !per_level.empty() && chain < per_level.front(); ++chain) {
        found.lengths.push_back(std::ranges::count_if(per_level, [&](Index in_level) { return in_level > chain; }));
    }
    to_echelon(found.basis, found.levels);
    return found;
}

}  // namespace linkwright::solve
