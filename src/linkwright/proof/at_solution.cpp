#include "linkwright/proof/at_solution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "linkwright/proof/linear_solve.hpp"
#include "linkwright/sym/dependency.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/long_real.hpp"
#include "linkwright/sym/substitute.hpp"

namespace linkwright::proof {

namespace {

using Clock = std::chrono::steady_clock;
using sym::Matrix;
using sym::Residue;
using Real = long double;

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
    std::vector<Expr> rows, factors;
    std::vector<sym::Binding> nothing;
    for (const Entry& e : entries) rows.push_back(e.value);
    for (const Expr& x : unknowns) nothing.emplace_back(x, Expr(x.pool(), sym::Pool::zero_id));
    sym::Substitution at_rest(nothing);
    for (const Entry& e : entries) result.push_back({e.name, at_rest(e.value), {}});
    std::vector<std::size_t> row_of;
    for (const auto& entry : jacobian(rows, unknowns).entries) {
        result[entry.row].terms.emplace_back(entry.column, entry.value);
        factors.push_back(entry.value), row_of.push_back(entry.row);
    }
    std::vector<bool> is_affine(entries.size(), true);
    if (!factors.empty()) {
        for (const auto& [factor, unknown] : sparsity(factors, unknowns)) is_affine[row_of[factor]] = false;
    }
    std::vector<Affine> kept;
    for (std::size_t i = 0; i < result.size(); ++i) {
        if (is_affine[i]) {
            kept.push_back(std::move(result[i]));
        } else {
            refused.push_back(result[i].name);
        }
    }
    return kept;
}

std::vector<Expr> expressions(std::span<const Affine> list) {
    std::vector<Expr> all;
    for (const Affine& a : list) {
        all.push_back(a.constant);
        for (const auto& [column, factor] : a.terms) all.push_back(factor);
    }
    return all;
}

struct OfResidues {
    using Number = Residue;
    std::vector<Number> operator()(std::span<const Expr> e) const {
        std::vector<Number> r;
        for (const Expr& x : e) r.push_back(x.node().residue);
        return r;
    }
};
struct OfReals {
    using Number = Real;
    std::vector<Real> operator()(std::span<const Expr> e) const {
        return sym::evaluate<Real>(e, [](const Expr& s) { return static_cast<Real>(real_value(s, 2)); });
    }
};

template <class Reader>
std::vector<std::vector<typename Reader::Number>> read_rows(const Matrix& A, const Reader& read) {
    const auto numbers = read(flat(A));
    std::vector<std::vector<typename Reader::Number>> result;
    auto at = numbers.begin();
    for (const auto& row : A) {
        const auto end = at + static_cast<std::ptrdiff_t>(row.size());
        result.emplace_back(at, end);
        at = end;
    }
    return result;
}

template <class Reader>
std::vector<typename Reader::Number> values_of(std::span<const Affine> list, const std::vector<typename Reader::Number>& x,
                                               const Reader& read) {
    using S = typename Reader::Number;
    const std::vector<S> numbers = read(expressions(list));
    std::vector<S> result;
    std::size_t at = 0;
    for (const Affine& a : list) {
        S sum = numbers[at++];
        for (const auto& [column, factor] : a.terms) sum = sum + numbers[at++] * x[column];
        result.push_back(sum);
    }
    return result;
}

double largest_degree(std::span<const Expr> e, const sym::Rational& division) {
    double most = 0;
    for (const sym::FormalDegree& d : sym::formal_degrees(e, division)) most = std::max(most, d.numerator + d.denominator);
    return most;
}

/// The relative side.
struct System {
    Matrix M, G;
    std::vector<Expr> f, lambda;
    std::vector<Affine> outputs;
    std::vector<std::size_t> shared;  ///< for each of its rows, the row of the maximal side
};

/// Accelerations with the multipliers given, and the outputs there.
template <class S>
struct Relative {
    std::vector<S> sdot, lambda, outputs;
};
template <class Reader>
std::optional<Relative<typename Reader::Number>> solve_relative(const System& s, const Reader& read) {
    using S = typename Reader::Number;
    const auto G = read_rows(s.G, read);
    Relative<S> result{{}, read(s.lambda), {}};
    std::vector<S> b = read(s.f);
    for (std::size_t i = 0; i < b.size(); ++i) {
        for (std::size_t r = 0; r < G.size(); ++r) b[i] = b[i] - G[r][i] * result.lambda[r];
    }
    auto solved = solve_linear(read_rows(s.M, read), std::move(b));
    if (!solved) return std::nullopt;
    result.sdot = std::move(solved->x);
    std::vector<S> x = result.sdot;
    x.insert(x.end(), result.lambda.begin(), result.lambda.end());
    result.outputs = values_of(s.outputs, x, read);
    return result;
}

/// What the maximal side makes of given ṡ and multipliers of shared rows.
template <class S>
struct Balanced {
    std::vector<S> sdot, lambda;  ///< given
    std::vector<std::size_t> shared;
    bool is_solved = false;
    std::vector<S> outputs, missing;  ///< what the balances miss by
    double load = 0;                  ///< the largest force in them
};

}  // namespace

/// The maximal side, prepared once for all partners.
struct Balance {
    const EquationsOfMotion* maximal;
    Matrix rows;                    ///< G_max
    std::vector<Expr> force, left;  ///< f_max at u = B s + b; Ḃ s + ḃ
    std::vector<Expr> sums;         ///< f_max − M_max (B ṡ + Ḃ s + ḃ)
    std::vector<Affine> values;     ///< unknowns are ṡ, then the multipliers
    std::vector<std::string> refused;

    // Partners mostly arrive with the same numbers: what was found for the last one is kept.
    mutable std::optional<Balanced<Residue>> in_fields{};
    mutable std::optional<Balanced<Real>> in_reals{};
    mutable std::optional<std::pair<sym::Rational, std::array<double, 2>>> degrees{};  ///< of the balances, of the values
    mutable std::optional<bool> branches{};
};

namespace {

/// f_max − M_max u̇ − G_maxᵀ λ = 0 for the multipliers of hinges.
template <class Reader>
Balanced<typename Reader::Number> balanced(const Balance& m, std::vector<typename Reader::Number> sdot,
                                           std::vector<typename Reader::Number> lambda, const std::vector<std::size_t>& shared,
                                           const Reader& read) {
    using S = typename Reader::Number;
    const EquationsOfMotion& e = *m.maximal;
    const std::size_t n = e.u.size(), speeds = sdot.size();
    const auto M = read_rows(e.M, read), B = read_rows(e.reduction->B, read), rows = read_rows(m.rows, read);
    std::vector<S> acceleration = read(m.left), open = read(m.force);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < speeds; ++j) {
            if (!is_nothing(B[i][j])) acceleration[i] = acceleration[i] + B[i][j] * sdot[j];
        }
    }
    Balanced<S> result{std::move(sdot), std::move(lambda), shared, false, {}, {}, 0};
    std::vector<bool> is_hinge(rows.size(), true);
    for (const std::size_t r : shared) is_hinge[r] = false;
    std::vector<std::size_t> hinges;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (is_hinge[r]) hinges.push_back(r);
    }
    std::vector<std::vector<S>> H(n, std::vector<S>(hinges.size()));
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (std::is_floating_point_v<S>) result.load = std::max(result.load, static_cast<double>(std::abs(open[i])));
        for (std::size_t k = 0; k < n; ++k) {
            if (!is_nothing(M[i][k])) open[i] = open[i] - M[i][k] * acceleration[k];
        }
        if constexpr (std::is_floating_point_v<S>) result.load = std::max(result.load, static_cast<double>(std::abs(open[i])));
        for (std::size_t r = 0; r < shared.size(); ++r) open[i] = open[i] - rows[shared[r]][i] * result.lambda[r];
        for (std::size_t k = 0; k < hinges.size(); ++k) H[i][k] = rows[hinges[k]][i];
    }
    auto wrenches = solve_linear(std::move(H), std::move(open));
    if (!wrenches) return result;
    result.is_solved = true;
    result.missing = std::move(wrenches->rest);
    std::vector<S> x = result.sdot;
    x.resize(speeds + rows.size());
    for (std::size_t r = 0; r < shared.size(); ++r) x[speeds + shared[r]] = result.lambda[r];
    for (std::size_t k = 0; k < hinges.size(); ++k) x[speeds + hinges[k]] = wrenches->x[k];
    result.outputs = values_of(m.values, x, read);
    return result;
}

template <class Reader>
const Balanced<typename Reader::Number>& balanced_once(std::optional<Balanced<typename Reader::Number>>& last, const Balance& m,
                                                       const Relative<typename Reader::Number>& given,
                                                       const std::vector<std::size_t>& shared, const Reader& read) {
    if (!last || last->sdot != given.sdot || last->lambda != given.lambda || last->shared != shared) {
        last = balanced(m, given.sdot, given.lambda, shared, read);
    }
    return *last;
}

double degree_of(const System& s, const Balance& m, const sym::Rational& division) {
    // Cramer: every unknown is a quotient of determinants of as many rows as there are unknowns.
    if (!m.degrees || m.degrees->first != division) {
        const double balance = std::max(largest_degree(flat(m.rows), division), largest_degree(m.sums, division));
        m.degrees = {division, {balance, largest_degree(expressions(m.values), division)}};
    }
    const auto [maximal, values] = m.degrees->second;
    double relative = std::max(largest_degree(flat(s.M), division), largest_degree(s.f, division));
    if (!s.G.empty()) relative = std::max(relative, largest_degree(flat(s.G), division));
    const double outputs = std::max(values, largest_degree(expressions(s.outputs), division));
    const auto first = static_cast<double>(s.f.size() + 1), second = static_cast<double>(m.rows.size() + 1);
    return 2 * (outputs + first * relative + second * maximal);
}

/// Opaque, and not smooth: then the numbers of one state say nothing about others.
bool may_branch(std::span<const Expr> e) { return depends_opaquely(e) && has_branches(e); }
bool may_branch(const Affine& a) { return may_branch(expressions(std::span(&a, 1))); }
/// In the balances: then nothing is known about the solution.
bool may_branch(const System& s, const Balance& m) {
    if (!m.branches) m.branches = may_branch(m.sums) || may_branch(flat(m.rows));
    return *m.branches || may_branch(s.f) || may_branch(flat(s.M)) || may_branch(flat(s.G));
}

/// "a, b and 3 more"
std::string listed(std::span<const std::string> names) {
    constexpr std::size_t most = 6;
    std::string text = fmt::format("{}", fmt::join(names.first(std::min(most, names.size())), ", "));
    if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
    return text;
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

std::shared_ptr<const Balance> prepare(const Projection& p) {
    const EquationsOfMotion& e = *p.maximal;
    const sym::PoolScope scope(*e.pool);
    auto m = std::make_shared<Balance>();
    m->maximal = &e, m->left = p.left;
    std::vector<Expr> unknowns = e.reduction->sdot;
    for (const eom::Constraint& c : e.constraints) m->rows.push_back(c.G), unknowns.push_back(c.lambda);
    std::vector<sym::Binding> speeds;
    for (std::size_t i = 0; i < e.u.size(); ++i) speeds.emplace_back(e.u[i], p.velocity[i]);
    sym::Substitution in_s(speeds);
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        m->force.push_back(in_s(e.f[i]));
        Expr sum = m->force.back();
        for (std::size_t k = 0; k < e.u.size(); ++k) {
            if (!e.M[i][k].is_literally(0)) sum -= e.M[i][k] * p.acceleration[k];
        }
        m->sums.push_back(sum);
    }
    m->values = affine(p.values, unknowns, m->refused);
    return m;
}

Pair at_solution(const std::string& relative_name, const EquationsOfMotion& relative, const std::string& maximal_name, const Projection& p,
                 const sym::Rational& division) {
    const auto start = Clock::now();
    const EquationsOfMotion& e = *p.maximal;
    const Balance& m = *p.balance;
    Pair pair{.a = relative_name,
              .b = maximal_name,
              .about = "both systems solved: balance of every body, outputs",
              .verdict = Verdict::equal,
              .witness = "fingerprint, two 61-bit primes"};
    const auto add_note = [&](const std::string& text) { pair.note += (pair.note.empty() ? "" : "; ") + text; };
    System s;
    s.M = relative.M, s.f = relative.f;
    std::vector<Expr> unknowns = relative.udot;
    for (const eom::Constraint& c : relative.constraints) {
        const auto at = std::ranges::find(e.constraints, c.name, &eom::Constraint::name);
        if (at == e.constraints.end()) {
            pair.verdict = Verdict::unknown, pair.unknown = 1;
            pair.why = fmt::format("{} has no row {}", maximal_name, c.name);
            return pair;
        }
        s.shared.push_back(at - e.constraints.begin());
        s.G.push_back(c.G), s.lambda.push_back(c.lambda), unknowns.push_back(c.lambda);
    }
    std::vector<std::string> refused = m.refused;
    std::vector<Entry> outputs;
    std::unordered_map<std::string, std::size_t> place;  // among the values of the maximal side
    for (std::size_t i = 0; i < m.values.size(); ++i) place.emplace(m.values[i].name, i);
    for (const Entry& entry : entries(relative)) {
        if (place.contains(entry.name)) outputs.push_back(entry);
    }
    s.outputs = affine(outputs, unknowns, refused);
    if (!refused.empty())
        add_note(fmt::format("not compared, because it is not linear in accelerations and multipliers: {}", listed(refused)));

    const auto mine = solve_relative(s, OfResidues{});
    const Balanced<Residue>* theirs = mine ? &balanced_once(m.in_fields, m, *mine, s.shared, OfResidues{}) : nullptr;
    if (theirs == nullptr || !theirs->is_solved) {
        add_note(theirs == nullptr ? "a link without mass leaves M singular: wrenches of joints were not compared"
                                   : "rows of hinges depend on each other: wrenches of joints were not compared");
        pair.time = Clock::now() - start;
        return pair;
    }
    // A loop that gapes passes its forces on at two places, and their moment differs by the gap: whatever depends on accelerations or
    // multipliers agrees only where loops are closed, which this point is not.
    const bool has_loops = std::ranges::any_of(relative.constraints, &eom::Constraint::is_holonomic);
    std::vector<std::size_t> doubts;
    std::vector<std::string> set_aside;
    for (std::size_t i = 0; i < s.outputs.size(); ++i) {
        if (mine->outputs[i] == theirs->outputs[place.at(s.outputs[i].name)]) continue;
        if (has_loops && !s.outputs[i].terms.empty()) {
            set_aside.push_back(s.outputs[i].name);
        } else {
            doubts.push_back(i);
        }
    }
    if (!set_aside.empty()) {
        add_note(fmt::format("not compared, because forces in a loop are determined only where it is closed: {}", listed(set_aside)));
    }
    pair.entries = s.outputs.size() + theirs->missing.size() - set_aside.size();
    const bool is_balanced = std::ranges::all_of(theirs->missing, [](const Residue& r) { return r.is_zero(); });
    const sym::FormalDegree degree{degree_of(s, m, division), 0, true};
    const sym::ErrorBound bound = sym::error_bound(degree, {}, static_cast<double>(pair.entries));
    pair.degree = bound.degree;
    pair.log2_error = bound.log2_error;
    if (!doubts.empty() || !is_balanced) {  // numbers decide, and show it
        constexpr double close = 1e-10, far = 1e-7;
        const auto a = solve_relative(s, OfReals{});
        const Balanced<Real>* b = a ? &balanced_once(m.in_reals, m, *a, s.shared, OfReals{}) : nullptr;
        if (b != nullptr && !b->is_solved) b = nullptr;
        double largest = b == nullptr ? 1 : std::max(1.0, b->load), gap = b == nullptr ? std::nan("") : 0;
        for (std::size_t i = 0; b != nullptr && i < a->outputs.size(); ++i) {
            if (std::isfinite(a->outputs[i])) largest = std::max(largest, static_cast<double>(std::abs(a->outputs[i])));
        }
        const auto look = [&](const std::string& entry, Real x, Real y) {
            const auto apart = static_cast<double>(std::abs(x - y)) / largest;
            if (!(apart <= gap)) gap = apart;
            if (!(apart > far)) return;
            ++pair.differing;
            if (pair.verdict == Verdict::different) return;
            pair.verdict = Verdict::different;
            pair.difference = Difference{entry, static_cast<double>(x), static_cast<double>(y), {}};
            for (const Expr& symbol : symbols_in(relative.f))
                pair.difference->state.emplace_back(symbol.symbol().name, real_value(symbol, 2));
        };
        bool has_branch = may_branch(s, m);
        for (const std::size_t i : doubts) {
            const std::size_t at = place.at(s.outputs[i].name);
            has_branch = has_branch || may_branch(s.outputs[i]) || may_branch(m.values[at]);
            if (b != nullptr) look(s.outputs[i].name, a->outputs[i], b->outputs[at]);
        }
        for (std::size_t i = 0; b != nullptr && !is_balanced && i < b->missing.size(); ++i) look("balance of the bodies", 0, b->missing[i]);
        if (pair.verdict != Verdict::different && gap <= close && !has_branch) {
            pair.numeric = doubts.size() + (is_balanced ? 0 : theirs->missing.size());
            pair.numeric_gap = gap;
        } else if (pair.verdict != Verdict::different) {
            pair.verdict = Verdict::unknown;
            pair.unknown = std::max<std::size_t>(1, doubts.size());
            pair.why = fmt::format("{}: {}", doubts.empty() ? "balance of the bodies" : s.outputs[doubts.front()].name,
                                   has_branch     ? "the solution contains opaque functions"
                                   : b == nullptr ? "there are no numbers for it"
                                                  : fmt::format("the numbers agree only to {:.0e}", gap));
        }
    }
    pair.time = Clock::now() - start;
    return pair;
}

}  // namespace linkwright::proof
