#include "linkwright/proof/at_solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "linkwright/proof/linear_solve.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::proof {

namespace {

using Clock = std::chrono::steady_clock;
using sym::Residue;
using Matrix = std::vector<std::vector<Expr>>;

/// o = constant + Σ factor · unknown
struct Affine {
    std::string name;
    Expr constant;
    std::vector<std::pair<std::size_t, Expr>> terms;  ///< number of the unknown, factor
};

/// All of one side in terms of its unknowns, accelerations and multipliers; what is not affine in them is left out.
std::vector<Affine> affine(std::span<const Entry> entries, std::span<const Expr> unknowns, std::vector<std::string>& refused) {
    std::vector<Affine> result;
    if (entries.empty()) return result;
    std::vector<Expr> rows;
    std::vector<sym::Binding> nothing;
    for (const Entry& e : entries) rows.push_back(e.value);
    for (const Expr& x : unknowns) nothing.emplace_back(x, Expr(x.pool(), sym::Pool::zero_id));
    sym::Substitution at_rest(nothing);
    for (const Entry& e : entries) result.push_back({e.name, at_rest(e.value), {}});
    for (const auto& entry : jacobian(rows, unknowns).entries) result[entry.row].terms.emplace_back(entry.column, entry.value);
    std::vector<Affine> kept;
    for (Affine& a : result) {
        std::vector<Expr> factors;
        for (const auto& [column, factor] : a.terms) factors.push_back(factor);
        const bool is_affine = sparsity(factors, unknowns).empty();
        if (is_affine) {
            kept.push_back(std::move(a));
        } else {
            refused.push_back(a.name);
        }
    }
    return kept;
}

/// Everything that enters, as expressions: the numbers of either field are read off in the same order.
struct System {
    // relative
    Matrix M, G;
    std::vector<Expr> f, lambda;
    std::vector<Affine> of_relative;
    // maximal; unknowns are ṡ, then its multipliers
    Matrix of_rows;                    ///< G_max, all rows
    std::vector<Expr> out_of_balance;  ///< f_max − M_max (Ḃ s + ḃ) − M_max B ṡ: affine in ṡ
    std::vector<Affine> balance, of_maximal;
    std::vector<std::size_t> shared;   ///< for each row of the relative side, the row of the maximal one
    std::vector<bool> is_hinge;
};

struct OfResidues {
    using Number = Residue;
    std::vector<Number> operator()(std::span<const Expr> e) const {
        std::vector<Number> r;
        for (const Expr& x : e) r.push_back(x.node().residue);
        return r;
    }
};
struct OfDoubles {
    using Number = double;
    std::vector<double> operator()(std::span<const Expr> e) const {
        if (e.empty()) return {};
        return sym::evaluate<double>(e, [](const Expr& s) { return real_value(s, 2); });
    }
};

template <class S>
struct Outcome {
    std::vector<S> relative, maximal;  ///< outputs by name, in one order
    std::vector<S> missing;            ///< what the balances miss by
};

template <class Reader>
std::optional<Outcome<typename Reader::Number>> solve_both(const System& s, const Reader& read, std::string& why_not) {
    using S = typename Reader::Number;
    const auto values_of = [&](const std::vector<Affine>& list, const std::vector<S>& x) {
        std::vector<Expr> all;
        for (const Affine& a : list) {
            all.push_back(a.constant);
            for (const auto& [column, factor] : a.terms) all.push_back(factor);
        }
        const std::vector<S> numbers = read(all);
        std::vector<S> result;
        std::size_t at = 0;
        for (const Affine& a : list) {
            S sum = numbers[at++];
            for (const auto& [column, factor] : a.terms) sum = sum + numbers[at++] * x[column];
            result.push_back(sum);
        }
        return result;
    };
    const auto read_rows = [&](const Matrix& A) {
        std::vector<std::vector<S>> result;
        for (const auto& row : A) result.push_back(read(row));
        return result;
    };
    const std::size_t n = s.f.size(), m = s.G.size();
    const std::vector<std::vector<S>> G = read_rows(s.G);
    const std::vector<S> lambda = read(s.lambda);
    std::vector<S> b = read(s.f);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t r = 0; r < m; ++r) b[i] = b[i] - G[r][i] * lambda[r];
    }
    const auto relative = solve_linear(read_rows(s.M), std::move(b));
    if (!relative) {
        why_not = "a link without mass leaves M singular: wrenches of joints were not compared";
        return std::nullopt;
    }
    Outcome<S> result;
    std::vector<S> x = relative->x;
    x.insert(x.end(), lambda.begin(), lambda.end());
    result.relative = values_of(s.of_relative, x);

    x.assign(relative->x.begin(), relative->x.end());
    x.resize(n + s.of_rows.size());
    for (std::size_t r = 0; r < m; ++r) x[n + s.shared[r]] = lambda[r];
    std::vector<std::size_t> hinges;
    for (std::size_t r = 0; r < s.is_hinge.size(); ++r) {
        if (s.is_hinge[r]) hinges.push_back(r);
    }
    const std::vector<std::vector<S>> rows = read_rows(s.of_rows);
    std::vector<S> open = values_of(s.balance, x);
    std::vector<std::vector<S>> H(open.size(), std::vector<S>(hinges.size()));
    for (std::size_t i = 0; i < open.size(); ++i) {
        for (std::size_t r = 0; r < m; ++r) open[i] = open[i] - rows[s.shared[r]][i] * x[n + s.shared[r]];
        for (std::size_t k = 0; k < hinges.size(); ++k) H[i][k] = rows[hinges[k]][i];
    }
    const auto wrenches = solve_linear(std::move(H), std::move(open));
    if (!wrenches) {
        why_not = "rows of hinges depend on each other: wrenches of joints were not compared";
        return std::nullopt;
    }
    result.missing = wrenches->rest;
    for (std::size_t k = 0; k < hinges.size(); ++k) x[n + hinges[k]] = wrenches->x[k];
    result.maximal = values_of(s.of_maximal, x);
    return result;
}

double degree_of(const System& s, const sym::Rational& division) {
    // Cramer: every unknown is a quotient of determinants of as many rows as there are unknowns.
    double relative = 0, maximal = 0, outputs = 0;
    const auto largest = [&](std::span<const Expr> e, double& most) {
        for (const sym::FormalDegree& d : sym::formal_degrees(e, division)) most = std::max(most, d.numerator + d.denominator);
    };
    for (const auto& row : s.M) largest(row, relative);
    for (const auto& row : s.G) largest(row, relative);
    largest(s.f, relative);
    for (const auto& row : s.of_rows) largest(row, maximal);
    for (const auto* list : {&s.balance, &s.of_relative, &s.of_maximal}) {
        std::vector<Expr> all;
        for (const Affine& a : *list) {
            all.push_back(a.constant);
            for (const auto& [column, factor] : a.terms) all.push_back(factor);
        }
        largest(all, list == &s.balance ? maximal : outputs);
    }
    const auto first = static_cast<double>(s.f.size() + 1), second = static_cast<double>(s.of_rows.size() + 1);
    return 2 * (outputs + first * relative + second * maximal);
}

bool is_opaque(const Affine& a) {
    std::vector<Expr> all{a.constant};
    for (const auto& [column, factor] : a.terms) all.push_back(factor);
    return depends_opaquely(all);
}

/// In the balances: then nothing is known about the solution.
bool is_opaque(const System& s) {
    return std::ranges::any_of(s.balance, [](const Affine& a) { return is_opaque(a); }) || depends_opaquely(s.f) ||
           std::ranges::any_of(s.M, depends_opaquely) || std::ranges::any_of(s.G, depends_opaquely) || std::ranges::any_of(s.of_rows, depends_opaquely);
}

}  // namespace

void ask_for_reactions(model::Model& model) {
    const sym::PoolScope scope(*model.pool);
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        model::Output output;
        output.name = fmt::format("reaction of {}", model.joints[j].name);
        output.kind = model::Output::Kind::reaction;
        output.joint = j;
        model.outputs.push_back(std::move(output));
    }
}

Pair at_solution(const std::string& relative_name, const EquationsOfMotion& relative, const std::string& maximal_name, const Projection& p,
                 const sym::Rational& division) {
    const auto start = Clock::now();
    const EquationsOfMotion& e = *p.maximal;
    Pair pair{.a = relative_name, .b = maximal_name, .about = "both systems solved: balance of every body, outputs", .verdict = Verdict::equal,
              .witness = "fingerprint, two 61-bit primes"};
    System s;
    s.M = relative.M, s.f = relative.f;
    for (const eom::Constraint& c : relative.constraints) {
        const auto at = std::ranges::find(e.constraints, c.name, &eom::Constraint::name);
        if (at == e.constraints.end()) {
            pair.verdict = Verdict::unknown, pair.unknown = 1;
            pair.why = fmt::format("{} has no row {}", maximal_name, c.name);
            return pair;
        }
        s.shared.push_back(static_cast<std::size_t>(at - e.constraints.begin()));
        s.G.push_back(c.G), s.lambda.push_back(c.lambda);
    }
    s.is_hinge.assign(e.constraints.size(), true);
    for (const std::size_t r : s.shared) s.is_hinge[r] = false;
    std::vector<Expr> unknowns_of_relative = relative.udot, unknowns_of_maximal = e.reduction->sdot;
    for (const eom::Constraint& c : relative.constraints) unknowns_of_relative.push_back(c.lambda);
    for (const eom::Constraint& c : e.constraints) s.of_rows.push_back(c.G), unknowns_of_maximal.push_back(c.lambda);

    std::vector<std::string> refused;
    std::vector<Entry> of_relative, of_maximal, balance;
    for (const Entry& entry : entries(relative)) {
        const auto at = std::ranges::find(p.values, entry.name, &Entry::name);
        if (at == p.values.end()) continue;
        of_relative.push_back(entry);
        of_maximal.push_back(*at);
    }
    {
        const sym::PoolScope scope(*e.pool);
        std::vector<sym::Binding> speeds;
        for (std::size_t i = 0; i < e.u.size(); ++i) speeds.emplace_back(e.u[i], p.velocity[i]);
        sym::Substitution in_s(speeds);
        for (std::size_t i = 0; i < e.u.size(); ++i) {
            Expr sum = in_s(e.f[i]);
            for (std::size_t k = 0; k < e.u.size(); ++k) {
                if (!e.M[i][k].is_literally(0)) sum -= e.M[i][k] * p.acceleration[k];
            }
            balance.push_back({speed_name("balance", e.u[i]), sum});
        }
    }
    s.balance = affine(balance, unknowns_of_maximal, refused);
    s.of_relative = affine(of_relative, unknowns_of_relative, refused);
    s.of_maximal = affine(of_maximal, unknowns_of_maximal, refused);
    std::erase_if(s.of_relative, [&](const Affine& a) { return std::ranges::find(s.of_maximal, a.name, &Affine::name) == s.of_maximal.end(); });
    std::erase_if(s.of_maximal, [&](const Affine& a) { return std::ranges::find(s.of_relative, a.name, &Affine::name) == s.of_relative.end(); });
    if (!refused.empty()) pair.note = fmt::format("not compared, because it is not linear in accelerations and multipliers: {}", refused.front());

    std::string why_not;
    const auto outcome = solve_both(s, OfResidues{}, why_not);
    pair.time = Clock::now() - start;
    if (!outcome) {
        pair.note = why_not;
        return pair;
    }
    // A loop that gapes passes its forces on at two places, and their moment differs by the gap: whatever depends on accelerations or
    // multipliers agrees only where loops are closed, which this point is not.
    const bool has_loops = std::ranges::any_of(relative.constraints, &eom::Constraint::is_holonomic);
    const auto is_in_a_loop = [&](const Affine& a) { return has_loops && !a.terms.empty(); };
    std::vector<std::size_t> doubts;
    std::size_t set_aside = 0;
    for (std::size_t i = 0; i < outcome->relative.size(); ++i) {
        if (outcome->relative[i] == outcome->maximal[i]) continue;
        if (is_in_a_loop(s.of_relative[i])) {
            ++set_aside;
        } else {
            doubts.push_back(i);
        }
    }
    if (set_aside > 0) pair.note += fmt::format("{}{} outputs depend on forces in loops and agree only where those are closed: not compared", pair.note.empty() ? "" : "; ", set_aside);
    pair.entries = outcome->relative.size() + outcome->missing.size() - set_aside;
    const bool is_balanced = std::ranges::all_of(outcome->missing, [](const Residue& r) { return r.is_zero(); });
    const sym::FormalDegree degree{degree_of(s, division), 0, true};
    const sym::ErrorBound bound = sym::error_bound(degree, {}, static_cast<double>(pair.entries));
    pair.degree = bound.degree;
    pair.log2_error = bound.log2_error;
    if (!doubts.empty() || !is_balanced) {  // numbers decide, and show it
        const auto numbers = solve_both(s, OfDoubles{}, why_not);
        constexpr double close = 1e-7;
        const auto show = [&](const std::string& entry, double a, double b) {
            ++pair.differing;
            if (pair.verdict == Verdict::different) return;
            pair.verdict = Verdict::different;
            pair.difference = Difference{entry, a, b, {}};
            for (const Expr& x : symbols_in(relative.f)) pair.difference->state.emplace_back(x.symbol().name, real_value(x, 2));
        };
        double largest = 1;
        for (std::size_t i = 0; numbers && i < numbers->relative.size(); ++i) largest = std::max(largest, std::abs(numbers->relative[i]));
        bool is_settled = numbers && !is_opaque(s);
        for (const std::size_t i : doubts) {
            is_settled = is_settled && !is_opaque(s.of_relative[i]) && !is_opaque(s.of_maximal[i]);
            if (!numbers) continue;
            const double a = numbers->relative[i], b = numbers->maximal[i];
            if (std::abs(a - b) > close * largest) show(s.of_relative[i].name, a, b);
        }
        for (std::size_t i = 0; numbers && !is_balanced && i < numbers->missing.size(); ++i) {
            if (std::abs(numbers->missing[i]) > close * largest) show("balance of the bodies", 0, numbers->missing[i]);
        }
        if (pair.verdict != Verdict::different && is_settled) {
            pair.numeric = doubts.size() + (is_balanced ? 0 : outcome->missing.size());
            pair.numeric_gap = close;
        } else if (pair.verdict != Verdict::different) {
            pair.verdict = Verdict::unknown;
            pair.unknown = std::max<std::size_t>(1, doubts.size());
            pair.why = fmt::format("{}: opaque functions stand in the solution", doubts.empty() ? "balance of the bodies" : s.of_relative[doubts.front()].name);
        }
    }
    pair.time = Clock::now() - start;
    return pair;
}

}  // namespace linkwright::proof
