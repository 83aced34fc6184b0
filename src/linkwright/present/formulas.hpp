#pragma once
// The formula that stands on the page for each of its expressions.

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "linkwright/present/present.hpp"
#include "linkwright/present/recursive.hpp"

namespace linkwright::present {

/// Every expression of a page, written in the form that was asked for; what is too large for the readable form is written
/// recursively, with intermediates that all such entries share. Intermediates too are long roots and sums that readable entries
/// repeat (roots.hpp, sums.hpp); JSON, which nobody reads, has the roots only.
class Formulas {
public:
    Formulas(std::span<const Expr> expressions, const Options& options);

    const sym::Formula& of(const Expr& e) const { return written_.at(e).formula; }
    /// "more than 20000 terms": why e is not written as it was asked for; empty when it is.
    const std::string& why_not(const Expr& e) const { return written_.at(e).why_not; }
    const std::vector<StraightLine::Step>& intermediates() const { return intermediates_; }
    std::size_t number_of_refusals() const { return refusals_; }

    /// Intermediates go to the sections of the page that need them first, and are numbered in that order.
    void share_out(std::span<const std::vector<Expr>> sections);
    std::span<const StraightLine::Step> intermediates_of(std::size_t section) const;
    /// Characters of all that is written.
    std::size_t length() const;

private:
    void name_parts(std::span<const Expr> expressions, bool sums_too);
    void write_recursively(std::vector<Expr>& expressions, bool short_sines);
    void even_all_scales();

    struct Written {
        sym::Formula formula;
        std::string why_not;
    };
    std::unordered_map<Expr, Written> written_;
    std::vector<StraightLine::Step> intermediates_;
    std::vector<std::size_t> ends_;  ///< where the intermediates of each section end
    std::size_t refusals_ = 0;
};

}  // namespace linkwright::present
