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
/// recursively, with intermediates that all such entries share. Intermediates too are the long roots that readable entries
/// repeat (roots.hpp).
class Formulas {
public:
    Formulas(std::span<const Expr> expressions, const Options& options);

    const sym::Formula& of(const Expr& e) const { return written_.at(e).formula; }
    /// "more than 20000 terms": why e is not written as it was asked for; empty when it is.
    const std::string& why_not(const Expr& e) const { return written_.at(e).why_not; }
    const std::vector<StraightLine::Step>& intermediates() const { return intermediates_; }
    std::size_t number_of_refusals() const { return refusals_; }

private:
    void name_lengths(std::span<const Expr> expressions);

    struct Written {
        sym::Formula formula;
        std::string why_not;
    };
    std::unordered_map<Expr, Written> written_;
    std::vector<StraightLine::Step> intermediates_;
    std::size_t refusals_ = 0;
};

}  // namespace linkwright::present
