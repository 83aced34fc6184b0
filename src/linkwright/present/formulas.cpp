#include "linkwright/present/formulas.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_set>

#include "linkwright/present/even_scales.hpp"
#include "linkwright/present/intermediates.hpp"
#include "linkwright/present/roots.hpp"
#include "linkwright/present/sums.hpp"
#include "linkwright/present/words.hpp"
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
        auto formula = may_try ? sym::readable(e, budget) : sym::Affordable<sym::Formula>{std::nullopt, "out of time"};
        const bool is_refused = !formula;
        if (is_refused) recursive.push_back(e);
        written_.try_emplace(e, is_refused ? Written{{}, formula.why_not} : Written{std::move(*formula.value), ""});
        refusals_ += is_refused ? 1 : 0;
    }
    const bool is_page = options.to != To::json;
    if (is_page) even_all_scales();
    if (options.form != Form::recursive && !expressions.empty()) name_parts(expressions, is_page);
    if (!recursive.empty()) write_recursively(recursive, options.to == To::latex);
    if (is_page && !recursive.empty()) even_all_scales();
}

void Formulas::write_recursively(std::vector<Expr>& recursive, bool short_sines) {
    // One pool at a time: that of the equations. Whatever comes from elsewhere is written as it is.
    const sym::Pool* home = &recursive.front().pool();
    const auto is_foreign = [&](const Expr& e) { return &e.pool() != home; };
    for (const Expr& e : recursive) {
        if (is_foreign(e)) written_[e].formula = sym::faithful(e);
    }
    std::erase_if(recursive, is_foreign);
    StraightLine line = straight_line(recursive, intermediates_.size() + 1, short_sines);
    for (std::size_t i = 0; i < recursive.size(); ++i) written_[recursive[i]].formula = std::move(line.values[i]);
    std::ranges::move(line.steps, std::back_inserter(intermediates_));
}

void Formulas::even_all_scales() {
    for (auto& [e, written] : written_) written.formula = even_scales(written.formula);
    for (StraightLine::Step& step : intermediates_) step.value = even_scales(step.value);
}

void Formulas::share_out(std::span<const std::vector<Expr>> sections) {
    std::unordered_map<std::string, std::size_t> place;  // of a name among the intermediates
    for (std::size_t i = 0; i < intermediates_.size(); ++i) place.emplace(intermediates_[i].name, i);
    const std::size_t nowhere = sections.size();
    std::vector<std::size_t> section(intermediates_.size(), nowhere);
    const auto needs = [&](const sym::Formula& f, std::size_t here) {
        for (std::size_t i = 0; i < f.size(); ++i) {
            const auto known = f[static_cast<sym::Formula::Part>(i)].kind == sym::Formula::Kind::name
                                   ? place.find(f[static_cast<sym::Formula::Part>(i)].name)
                                   : place.end();
            if (known != place.end()) section[known->second] = std::min(section[known->second], here);
        }
    };
    for (std::size_t s = 0; s < sections.size(); ++s) {
        for (const Expr& e : sections[s]) needs(of(e), s);
    }
    for (std::size_t i = intermediates_.size(); i-- > 0;) needs(intermediates_[i].value, section[i]);  // each is made of earlier ones
    std::vector<std::size_t> order(intermediates_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return section[i]; });
    NewNames renamed;  // where names change
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (order[k] != k) renamed.emplace(intermediates_[order[k]].name, intermediates_[k].name);
    }
    for (auto& [e, written] : written_) rename(written.formula, renamed);
    std::vector<StraightLine::Step> steps;
    ends_.assign(sections.size(), 0);
    for (const std::size_t i : order) {
        rename(intermediates_[i].value, renamed);
        steps.push_back({intermediates_[steps.size()].name, std::move(intermediates_[i].value)});
        for (std::size_t s = section[i]; s < sections.size(); ++s) ends_[s] = steps.size();
    }
    intermediates_ = std::move(steps);
}

std::span<const StraightLine::Step> Formulas::intermediates_of(std::size_t section) const {
    const std::size_t first = section == 0 ? 0 : ends_[section - 1];
    return std::span(intermediates_).subspan(first, ends_[section] - first);
}

std::size_t Formulas::length() const {
    std::size_t sum = 0;
    bool was_rounded = false;
    for (const auto& [e, written] : written_) sum += write_rounded(written.formula, {}, was_rounded).size();
    for (const StraightLine::Step& step : intermediates_) sum += step.name.size() + write_rounded(step.value, {}, was_rounded).size();
    return sum;
}

void Formulas::name_parts(std::span<const Expr> expressions, bool sums_too) {
    std::vector<sym::Formula*> readable;
    std::unordered_set<Expr> seen;
    for (const Expr& e : expressions) {
        if (Written& w = written_.at(e); w.why_not.empty() && seen.insert(e).second) readable.push_back(&w.formula);
    }
    const std::string prefix = free_prefix(expressions.front().pool());
    intermediates_ = name_roots(readable, prefix);
    if (sums_too) name_sums(readable, intermediates_, prefix);
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
