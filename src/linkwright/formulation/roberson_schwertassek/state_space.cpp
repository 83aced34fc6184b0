#include "linkwright/formulation/roberson_schwertassek/state_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/matrix.hpp"

namespace linkwright::formulation::roberson_schwertassek {

namespace {

/// How little one likes to divide by e: numbers, parameters, functions of the position.
enum Reluctance : std::uint8_t { none, little, some };
Reluctance reluctance(const Expr& e) {
    if (e.is_number()) return none;
    for (const Expr& s : sym::symbols_in(e)) {
        if (s.symbol().role != sym::Role::parameter) return some;
    }
    return little;
}

struct Choice {
    std::vector<std::size_t> rows, columns;  ///< of the pivots, in their order
    bool is_known = true;                    ///< false: an entry has no residue to go by
};

/// Gaussian elimination with full pivoting on the residues, to see which columns can be solved for.
Choice choose(const Matrix& G, std::span<const std::size_t> wanted) {
    using F = sym::Field1;
    using Cost = std::tuple<bool, int, std::size_t>;  // wanted, reluctance, symbols
    constexpr std::size_t unknown_size = 1'000'000;
    Choice choice;
    std::vector<std::vector<F::Word>> words;
    std::vector<std::vector<Cost>> costs;
    for (const auto& row : G) {
        words.emplace_back();
        costs.emplace_back();
        for (std::size_t j = 0; j < row.size(); ++j) {
            const Expr& g = row[j];
            if ((g.node().flags & sym::Node::no_residue) != 0) return {{}, {}, false};
            words.back().push_back(g.node().residue.r1);
            const bool is_wanted = std::ranges::find(wanted, j) != wanted.end();
            costs.back().emplace_back(is_wanted, reluctance(g), g.is_number() ? 0 : sym::symbols_in(g).size());
        }
    }
    std::vector<bool> is_used(G.size(), false), is_taken(sym::columns_of(G), false);
    for (;;) {
        std::optional<std::pair<Cost, std::size_t>> best;  // and how far from the end
        std::size_t row = 0, column = 0;
        for (std::size_t i = 0; i < G.size(); ++i) {
            for (std::size_t j = 0; j < G[i].size(); ++j) {
                if (is_used[i] || is_taken[j] || words[i][j] == 0) continue;
                const auto cost = std::pair(costs[i][j], G[i].size() - j);
                if (!best || cost < *best) best = cost, row = i, column = j;
            }
        }
        if (!best) return choice;
        is_used[row] = is_taken[column] = true;
        choice.rows.push_back(row);
        choice.columns.push_back(column);
        const F::Word scale = F::inv(words[row][column]);
        for (std::size_t i = 0; i < G.size(); ++i) {
            if (is_used[i] || words[i][column] == 0) continue;
            const F::Word factor = F::mul(words[i][column], scale);
            for (std::size_t j = 0; j < G[i].size(); ++j) {
                if (is_taken[j] || words[row][j] == 0) continue;
                words[i][j] = F::sub(words[i][j], F::mul(factor, words[row][j]));
                costs[i][j] = {std::get<0>(costs[i][j]), some, unknown_size};
            }
        }
    }
}

}  // namespace

Reduced reduce(const eom::EquationsOfMotion& e, std::span<const std::size_t> wanted) {
    const sym::PoolScope scope(*e.pool);
    const std::size_t n = e.u.size();
    StateSpace s;
    Matrix G;
    for (const eom::Constraint& c : e.constraints) G.push_back(c.G);
    const Choice choice = choose(G, wanted);
    s.dependent = choice.columns;
    std::ranges::sort(s.dependent);
    for (std::size_t j = 0; j < n; ++j) {
        if (!std::ranges::binary_search(s.dependent, j)) s.independent.push_back(j);
    }
    if (!choice.is_known) return {std::nullopt, "the constraints contain roots or other functions whose zeros cannot be decided"};
    if (s.independent.empty() && n > 0) {
        return {std::nullopt, fmt::format("the {} constraints leave none of the {} speeds free, unless some depend on the others "
                                          "where the mechanism closes; that cannot be seen from the equations alone",
                                          e.constraints.size(), n)};
    }
    // G_d u̇_d = γ − G_i u̇_i
    const std::size_t r = s.dependent.size();
    Matrix G_d = sym::zeros(r, r);
    for (std::size_t i = 0; i < r; ++i) {
        for (std::size_t k = 0; k < r; ++k) G_d[i][k] = G[choice.rows[i]][s.dependent[k]];
    }
    const auto inverse = sym::inverse(G_d);
    if (!inverse) return {std::nullopt, "the constraints cannot be solved for the dependent speeds"};
    for (const auto& row : *inverse) {
        for (const Expr& x : row) {
            if (x.is_undefined()) return {std::nullopt, "the constraints cannot be solved for the dependent speeds"};
        }
    }
    s.B = sym::zeros(n, s.independent.size());
    s.b.assign(n, 0);
    for (std::size_t k = 0; k < s.independent.size(); ++k) s.B[s.independent[k]][k] = 1;
    for (std::size_t i = 0; i < r; ++i) {
        for (std::size_t j = 0; j < r; ++j) {
            const Expr& x = (*inverse)[i][j];
            if (x.is_literally(0)) continue;
            const eom::Constraint& c = e.constraints[choice.rows[j]];
            s.b[s.dependent[i]] += x * c.gamma;
            for (std::size_t k = 0; k < s.independent.size(); ++k) s.B[s.dependent[i]][k] -= x * c.G[s.independent[k]];
        }
    }
    Matrix in_order = sym::zeros(r, r);
    for (std::size_t i = 0; i < r; ++i) {
        for (std::size_t k = 0; k < r; ++k) in_order[i][k] = G[choice.rows[i]][choice.columns[k]];
    }
    s.determinant = sym::determinant_by_pivots(std::move(in_order));
    // Roots and their like have residues that do not tell whether a sum of them vanishes; numbers do.
    if (sym::is_zero(s.determinant) != sym::Verdict::different) {
        return {std::nullopt, "the constraints contain roots or other functions whose zeros cannot be decided"};
    }
    // J_I = Bᵀ M B, χ = Bᵀ (f − M b)
    const std::size_t m = s.independent.size();
    Matrix MB = sym::zeros(n, m);
    std::vector<Expr> f = e.f;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            if (e.M[i][k].is_literally(0)) continue;
            f[i] -= e.M[i][k] * s.b[k];
            for (std::size_t j = 0; j < m; ++j) MB[i][j] += e.M[i][k] * s.B[k][j];
        }
    }
    s.J_I = sym::zeros(m, m);
    s.chi.assign(m, 0);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t k = 0; k < n; ++k) s.chi[i] += s.B[k][i] * f[k];
        for (std::size_t j = i; j < m; ++j) {
            Expr sum = 0;
            for (std::size_t k = 0; k < n; ++k) sum += s.B[k][i] * MB[k][j];
            s.J_I[i][j] = s.J_I[j][i] = sum;
        }
    }
    return {std::move(s), ""};
}

}  // namespace linkwright::formulation::roberson_schwertassek
