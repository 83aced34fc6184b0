#pragma once
// Where a formula has a real value, as it was written. Building simplifies exp(log(x)) to x and √x·√x to x, which is right where both
// sides have a value; what the writer's computer would say for a negative x is found only in the text.

#include "linkwright/compare/bind.hpp"
#include "linkwright/compare/real.hpp"

namespace linkwright::compare {

class Domain {
public:
    /// Of the formula that a statement gives, the lines that it uses included.
    Domain(const std::vector<Bound>& statements, std::size_t statement);

    /// No root, logarithm or the like stands in it.
    bool is_everywhere() const { return steps_.empty(); }
    /// What decides: whose values is_outside() wants, in this order.
    const std::vector<Expr>& asked() const { return asked_; }
    /// Certainly no real value.
    bool is_outside(std::span<const Real> values) const;

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// A part of a tree: without a value if one of `args` has none, or what is asked lies outside [from, to]. Of a branch only the
    /// condition and the argument it picks count.
    struct Step {
        std::vector<std::size_t> args;
        std::size_t asked = none;
        double from = 0, to = 0;
        bool is_branch = false;
    };
    void add(const Bound& bound, Tree::Part part, const std::vector<std::size_t>& done, std::span<const std::size_t> roots);

    std::vector<Step> steps_;  ///< arguments first
    std::vector<Expr> asked_;
};

}  // namespace linkwright::compare
