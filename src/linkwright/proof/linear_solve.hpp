#pragma once
// Small linear systems in any field: residues in two primes at once, or real numbers.

#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "linkwright/sym/residue.hpp"

namespace linkwright::proof {

inline sym::Residue reciprocal(const sym::Residue& x) { return *sym::inverse(x); }
inline double reciprocal(double x) { return 1 / x; }
inline long double reciprocal(long double x) { return 1 / x; }
inline bool is_nothing(const sym::Residue& x) { return x.is_zero(); }
inline bool is_nothing(double x) { return x == 0; }
inline bool is_nothing(long double x) { return x == 0; }
/// How good a pivot this is; nothing is none at all.
inline double strength(const sym::Residue& x) { return x.r1 != 0 && x.r2 != 0 ? 1 : 0; }
inline double strength(double x) { return std::abs(x); }
inline double strength(long double x) { return static_cast<double>(std::abs(x)); }

template <class S>
struct Solution {
    std::vector<S> x;
    std::vector<S> rest;  ///< of the equations that were not needed: what they miss by
};

/// x with A x = b, by elimination with pivots; A may have more rows than columns. Empty when x is not unique. Zeros are skipped, so
/// the matrix of a chain in its order costs little more than its bandwidth.
template <class S>
std::optional<Solution<S>> solve_linear(std::vector<std::vector<S>> A, std::vector<S> b) {
    const std::size_t rows = A.size(), columns = rows == 0 ? 0 : A.front().size();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows; ++i) order.push_back(i);
    for (std::size_t k = 0; k < columns; ++k) {
        std::size_t best = rows;
        for (std::size_t i = k; i < rows; ++i) {
            const double s = strength(A[order[i]][k]);
            if (s > 0 && (best == rows || s > strength(A[order[best]][k]))) best = i;
        }
        if (best == rows) return std::nullopt;
        std::swap(order[k], order[best]);
        const std::vector<S>& pivot = A[order[k]];
        const S scale = reciprocal(pivot[k]);
        std::vector<std::size_t> filled;
        for (std::size_t j = k + 1; j < columns; ++j) {
            if (!is_nothing(pivot[j])) filled.push_back(j);
        }
        for (std::size_t i = k + 1; i < rows; ++i) {
            std::vector<S>& row = A[order[i]];
            if (is_nothing(row[k])) continue;
            const S factor = row[k] * scale;
            for (const std::size_t j : filled) row[j] = row[j] - factor * pivot[j];
            b[order[i]] = b[order[i]] - factor * b[order[k]];
            row[k] = S{};
        }
    }
    Solution<S> result{std::vector<S>(columns), {}};
    for (std::size_t k = columns; k-- > 0;) {
        S sum = b[order[k]];
        for (std::size_t j = k + 1; j < columns; ++j) {
            if (!is_nothing(A[order[k]][j])) sum = sum - A[order[k]][j] * result.x[j];
        }
        result.x[k] = sum * reciprocal(A[order[k]][k]);
    }
    for (std::size_t i = columns; i < rows; ++i) result.rest.push_back(b[order[i]]);
    return result;
}

}  // namespace linkwright::proof
