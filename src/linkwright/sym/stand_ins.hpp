#pragma once
// Letters in place of roots and denominators, so that a formula may keep them apart.
//
// The normal form brings a sum over one denominator. With two springs between points that is the product of two squared
// lengths, multiplied out, and nobody can read it. With a letter for each root ℓ = x^(1/d) of a sum x, and another for
// each inverse, k·(1 − l0/ℓ1)·(x + a) + k·(1 − l0/ℓ2)·(x − a) is a polynomial, and different denominators never meet. The
// letters are independent as far as polynomials know, except for ℓ · 1/ℓ = 1. Letters for sums in products and powers as
// well keep an expression as it stands: nothing in parentheses is multiplied out.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/terms.hpp"

namespace linkwright::sym {

/// letter = base^(1/degree), inverse = 1/letter. The base is a symbol (which is its own letter), or a sum, or, below a root,
/// a product with sums in it.
struct StandIn {
    Expr base;
    Rational degree;
    Expr letter, inverse;
};

class StandIns {
public:
    enum class For : std::uint8_t { roots_and_inverses, all_sums };
    /// For what sums and products of e lead to; e is of a pool that does not fold, and so are the letters.
    StandIns(const Expr& e, For what);

    std::span<const StandIn> all() const { return all_; }
    bool empty() const { return all_.empty(); }
    /// e with its letters.
    const Expr& lettered() const { return lettered_; }
    /// ℓ · 1/ℓ gone, and equal terms gathered.
    Terms reduced(const Terms& terms) const;
    /// A spring of rest length σ has a force C/σ·(σ/ℓ − 1): where terms come so, (σ/ℓ − 1) gets a letter too, one more of all().
    /// Nothing when no terms do.
    std::optional<Terms> with_stretches(const Terms& reduced);
    /// A formula in letters, with the bases put back: bases[i] is how that of all()[i] is written.
    Formula opened(const Formula& formula, std::span<const Formula> bases) const;

private:
    using Place = std::size_t;
    void collect(const Expr& e);
    void meet(const Expr& base, const Rational& exponent);
    bool is_replaced(const Expr& base, const Rational& exponent, Op around) const;
    void name_letters(Pool& pool);
    bool stretch(Terms& terms, const StandIn& of);
    Expr rebuilt(const Expr& e) const;

    For what_;
    std::vector<StandIn> all_;
    std::string prefix_ = "r";
    std::unordered_map<NodeId, Place> by_base_;
    struct Spelling {
        Place place;
        int sign;  // −1: the inverse
    };
    std::unordered_map<std::string, Spelling> by_name_;
    Expr lettered_;
};

/// Whether sums stand in e itself, below products and powers: not a monomial.
bool has_sums(const Expr& e);

}  // namespace linkwright::sym
