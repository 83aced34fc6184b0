#include "linkwright/formulation/user_speeds.hpp"

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::formulation {

std::optional<UserSpeeds> choose_speeds(std::span<const Expr> u, std::span<const Expr> udot, std::span<const model::UserSpeed> definitions,
                                        sym::Pool& pool) {
    const std::size_t n = u.size(), k = definitions.size();
    if (k > n) return std::nullopt;
    Matrix Y = sym::zeros(k, n);
    std::vector<sym::Binding> at_rest;
    for (const Expr& speed : u) at_rest.emplace_back(speed, Expr(0));
    sym::Substitution without_speeds(at_rest);
    std::vector<Expr> z(n);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < n; ++j) Y[i][j] = derivative(definitions[i].definition, u[j]);
    }
    // Gauss, by fingerprint: which natural speeds leave. Entries that are numbers first.
    Matrix A = Y;
    std::vector<bool> is_used(k, false), leaves(n, false);
    for (std::size_t step = 0; step < k; ++step) {
        std::size_t row = k, column = n;
        for (const bool numbers_only : {true, false}) {
            for (std::size_t i = 0; i < k && row == k; ++i) {
                for (std::size_t j = 0; j < n && row == k && !is_used[i]; ++j) {
                    if (leaves[j] || (numbers_only && !A[i][j].is_number()) || is_zero(A[i][j]) == sym::Verdict::equal) continue;
                    row = i, column = j;
                }
            }
        }
        if (row == k) return std::nullopt;
        is_used[row] = leaves[column] = true;
        for (std::size_t l = 0; l < k; ++l) {
            if (is_used[l] || A[l][column].is_literally(0)) continue;
            const Expr factor = A[l][column] / A[row][column];
            for (std::size_t j = 0; j < n; ++j) A[l][j] -= factor * A[row][j];
        }
    }
    UserSpeeds result{{}, {}, {}, std::vector<Expr>(n)};
    Matrix full;
    for (std::size_t i = 0; i < k; ++i) {
        full.push_back(Y[i]);
        z[i] = without_speeds(definitions[i].definition);
        result.s.push_back(definitions[i].symbol);
        result.sdot.push_back(pool.symbol(definitions[i].symbol.symbol().name + "'", sym::Role::acceleration));
    }
    for (std::size_t j = 0; j < n; ++j) {
        if (leaves[j]) continue;
        std::vector<Expr> row(n);
        row[j] = 1;
        full.push_back(std::move(row));
        result.s.push_back(u[j]);
        result.sdot.push_back(udot[j]);
    }
    auto N = sym::inverse(full);
    if (!N) return std::nullopt;
    result.N = std::move(*N);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) result.nu[i] -= result.N[i][j] * z[j];
    }
    return result;
}

}  // namespace linkwright::formulation
