#include "linkwright/present/even_scales.hpp"

#include <algorithm>
#include <cmath>

#include "linkwright/present/formula_parts.hpp"

namespace linkwright::present {

using sym::Formula, sym::Rational;
using Part = Formula::Part;
using Kind = Formula::Kind;

namespace {

constexpr std::size_t long_fraction = 64, product_of_directions = 160;  // bits
constexpr double smallest = 1e-4, largest = 1e6;
/// Directions are rounded to 2^−60 before they are made orthonormal (spatial/exact), so that each is within 2^−59 of what was meant. What
/// should cancel in products of k of them is left with at most about k·2^−59 of its neighbours: room for 500 in a row.
constexpr double lost_in_rounding = 0x1p-50;

bool is_odd(const Rational& c) {
    const double size = std::abs(c.to_double());
    return c.bits() > long_fraction && !(size >= smallest && size <= largest);
}

Rational coefficient(const Formula& f, Part i) {
    const Formula::Node& n = f[i];
    if (n.kind == Kind::number) return n.number;
    const bool has_number = n.kind == Kind::product && f[n.args[0]].kind == Kind::number;
    return has_number ? f[n.args[0]].number : Rational(1);
}

/// Sums without what is lost in the rounding of their neighbours.
std::vector<Part> those_that_count(const Formula& f, std::vector<Part> terms) {
    const auto size = [&](Part i) { return std::abs(coefficient(f, i).to_double()); };
    double most = 0;
    for (const Part i : terms) most = std::max(most, size(i));
    std::erase_if(terms, [&](Part i) { return coefficient(f, i).bits() > product_of_directions && size(i) < lost_in_rounding * most; });
    return terms;
}

}  // namespace

Formula even_scales(const Formula& f) {
    if (f.size() == 0) return f;
    std::vector<std::size_t> uses(f.size(), 0);
    std::vector<Rational> scale(f.size(), Rational(1));  // by which a part is to be multiplied
    uses[f.root] = 1;
    bool has_long = false;
    for (Part i = f.root + 1; i-- > 0;) {
        if (uses[i] == 0) continue;
        for (const Part arg : f[i].args) ++uses[arg];
        has_long = has_long || (f[i].kind == Kind::number && f[i].number.bits() > long_fraction);
    }
    if (!has_long) return f;
    const auto is_open = [&](Part i) { return f[i].kind == Kind::sum && uses[i] == 1; };
    for (Part i = f.root + 1; i-- > 0;) {
        if (uses[i] == 0 || f[i].kind != Kind::product) {
            if (uses[i] == 0 || f[i].kind != Kind::sum || scale[i].is_one()) continue;
            for (const Part arg : f[i].args) {
                if (uses[arg] == 1) scale[arg] = scale[i];
            }
            continue;
        }
        const Rational own = scale[i] * coefficient(f, i);
        const auto sum = std::ranges::find_if(f[i].args, is_open);
        if (!is_odd(own) || sum == f[i].args.end()) continue;
        scale[*sum] = own;
        scale[i] = Rational(1) / coefficient(f, i);  // what is left before the product is 1
    }
    Formula out;
    std::vector<Part> at(f.size(), 0);
    for (Part i = 0; i <= f.root; ++i) {
        if (uses[i] == 0) continue;
        std::vector<Part> args;
        for (const Part arg : f[i].args) {
            const bool is_shared_term = f[i].kind == Kind::sum && uses[arg] > 1;
            args.push_back(is_shared_term ? multiplied(out, at[arg], scale[i]) : at[arg]);
        }
        if (f[i].kind == Kind::sum) {
            at[i] = out.sum(those_that_count(out, std::move(args)));
        } else {
            at[i] = multiplied(out, copied(out, f[i], std::move(args)), scale[i]);
        }
    }
    out.root = at[f.root];
    out.keeps_association = f.keeps_association;
    return out;
}

}  // namespace linkwright::present
