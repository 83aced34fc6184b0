#include "linkwright/formulation/user_speeds.hpp"

#include "linkwright/kinematics/small_solve.hpp"
#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"

namespace linkwright::formulation {

std::optional<UserSpeeds> choose_speeds(std::span<const Expr> u, std::span<const Expr> udot,
                                        std::span<const model::UserSpeed> definitions, sym::Pool& pool) {
    const std::size_t n = u.size(), k = definitions.size();
    if (k > n) return std::nullopt;
    std::vector<std::vector<Expr>> Y(k, std::vector<Expr>(n));
    std::vector<sym::Binding> at_rest;
    for (const Expr& speed : u) at_rest.emplace_back(speed, Expr(0));
    sym::Substitution without_speeds(at_rest);
    std::vector<Expr> z(n);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < n; ++j) Y[i][j] = derivative(definitions[i].definition, u[j]);
    }
    // Gauss, by fingerprint: which natural speed each definition replaces.
    std::vector<std::vector<Expr>> A = Y;
    std::vector<std::optional<std::size_t>> replaces(k);
    std::vector<bool> is_replaced(n, false);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < n && !replaces[i]; ++j) {
            if (!is_replaced[j] && is_zero(A[i][j]) != sym::Verdict::equal) replaces[i] = j;
        }
        if (!replaces[i]) return std::nullopt;
        const std::size_t p = *replaces[i];
        is_replaced[p] = true;
        for (std::size_t l = i + 1; l < k; ++l) {
            if (A[l][p].is_literally(0)) continue;
            const Expr factor = A[l][p] / A[i][p];
            for (std::size_t j = 0; j < n; ++j) A[l][j] -= factor * A[i][j];
        }
    }
    UserSpeeds result{{u.begin(), u.end()}, {udot.begin(), udot.end()}, {}, std::vector<Expr>(n)};
    std::vector<std::vector<Expr>> full(n, std::vector<Expr>(n));
    for (std::size_t j = 0; j < n; ++j) full[j][j] = is_replaced[j] ? 0 : 1;
    for (std::size_t i = 0; i < k; ++i) {
        const std::size_t row = *replaces[i];
        full[row] = Y[i];
        z[row] = without_speeds(definitions[i].definition);
        result.s[row] = definitions[i].symbol;
        result.sdot[row] = pool.symbol(definitions[i].symbol.symbol().name + "'", sym::Role::acceleration);
    }
    auto N = kinematics::inverse(full);
    if (!N) return std::nullopt;
    result.N = std::move(*N);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) result.nu[i] -= result.N[i][j] * z[j];
    }
    return result;
}

}  // namespace linkwright::formulation
