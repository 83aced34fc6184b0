#include "linkwright/present/formulas.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "linkwright/present/roots.hpp"
#include "linkwright/sym/readable.hpp"

namespace linkwright::present {

using Clock = std::chrono::steady_clock;

Formulas::Formulas(std::span<const Expr> expressions, const Options& options) {
    const auto deadline = Clock::now() + options.patience;
    std::vector<Expr> recursive;
    std::vector<std::string> reasons;
    for (const Expr& e : expressions) {
        if (e.arity() == 0) {
            written_.try_emplace(e, Written{sym::faithful(e), ""});
            continue;
        }
        if (options.form == Form::recursive) {
            recursive.push_back(e);
            continue;
        }
        if (written_.contains(e)) continue;
        sym::Budget budget = options.budget;
        budget.time = std::min(budget.time, std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()));
        const bool may_try = budget.time.count() > 0 && goes_on(options.goes_on, written_.size(), expressions.size());
        auto formula = may_try ? sym::readable(e, budget) : sym::Affordable<sym::Formula>{std::nullopt, "out of patience"};
        const bool is_refused = !formula;
        if (is_refused) recursive.push_back(e);
        written_.try_emplace(e, is_refused ? Written{{}, formula.why_not} : Written{std::move(*formula.value), ""});
        refusals_ += is_refused ? 1 : 0;
    }
    if (options.form == Form::readable && !expressions.empty()) name_lengths(expressions);
    if (recursive.empty()) return;
    // One pool at a time: that of the equations. Whatever comes from elsewhere is written as it is.
    const sym::Pool* home = &recursive.front().pool();
    const auto is_foreign = [&](const Expr& e) { return &e.pool() != home; };
    for (const Expr& e : recursive) {
        if (is_foreign(e)) written_[e].formula = sym::faithful(e);
    }
    std::erase_if(recursive, is_foreign);
    StraightLine line = straight_line(recursive, intermediates_.size() + 1);
    for (std::size_t i = 0; i < recursive.size(); ++i) written_[recursive[i]].formula = std::move(line.values[i]);
    std::ranges::move(line.steps, std::back_inserter(intermediates_));
}

void Formulas::name_lengths(std::span<const Expr> expressions) {
    std::vector<sym::Formula*> readable;
    std::unordered_set<Expr> seen;
    for (const Expr& e : expressions) {
        if (Written& w = written_.at(e); w.why_not.empty() && seen.insert(e).second) readable.push_back(&w.formula);
    }
    intermediates_ = name_roots(readable, free_prefix(expressions.front().pool()));
}

sym::Affordable<double> operations(std::span<const Expr> entries, sym::Budget budget) {
    double sum = 0;
    for (const Expr& e : entries) {
        const auto formula = sym::readable(e, budget);
        if (!formula) return {std::nullopt, formula.why_not};
        sum += sym::operations(*formula);
    }
    return {sum, ""};
}

sym::Affordable<double> operations(const sym::Matrix& rows, sym::Budget budget) {
    std::vector<Expr> entries;
    for (const auto& row : rows) entries.insert(entries.end(), row.begin(), row.end());
    return operations(entries, budget);
}

}  // namespace linkwright::present
