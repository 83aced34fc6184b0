#pragma once
// Formulas made from formulas.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "linkwright/sym/formula.hpp"

namespace linkwright::present {

/// A part of another formula over again in `out`, with these arguments.
inline sym::Formula::Part copied(sym::Formula& out, const sym::Formula::Node& n, std::vector<sym::Formula::Part> args) {
    using Kind = sym::Formula::Kind;
    switch (n.kind) {
        case Kind::undefined: return out.undefined();
        case Kind::number: return out.number(n.number);
        case Kind::pi: return out.pi();
        case Kind::name: return out.name(n.name);
        case Kind::sum: return out.sum(std::move(args));
        case Kind::product: return out.product(std::move(args));
        case Kind::power: return out.power(args[0], n.number);
        case Kind::call: return out.call(n.function, std::move(args));
    }
    return out.undefined();
}

/// f with some parts replaced; `make` gives the new part, or nothing to keep the old one. What is below a replaced part goes.
template <class Make>
sym::Formula rebuilt(const sym::Formula& f, Make make) {
    using Part = sym::Formula::Part;
    sym::Formula out;
    std::vector<char> is_needed(f.size(), 0), is_replaced(f.size(), 0);
    is_needed[f.root] = 1;
    for (Part i = f.root + 1; i-- > 0;) {
        if (is_needed[i] == 0) continue;
        is_replaced[i] = make(out, i, false) ? 1 : 0;
        if (is_replaced[i] != 0) continue;
        for (const Part arg : f[i].args) is_needed[arg] = 1;
    }
    std::vector<Part> at(f.size(), 0);
    for (Part i = 0; i <= f.root; ++i) {
        if (is_needed[i] == 0) continue;
        if (is_replaced[i] != 0) {
            at[i] = *make(out, i, true);
            continue;
        }
        std::vector<Part> args;
        for (const Part arg : f[i].args) args.push_back(at[arg]);
        at[i] = copied(out, f[i], std::move(args));
    }
    out.root = at[f.root];
    out.keeps_association = f.keeps_association;
    return out;
}

/// c · part, as one product with its number in front.
inline sym::Formula::Part multiplied(sym::Formula& f, sym::Formula::Part part, sym::Rational c) {
    using Kind = sym::Formula::Kind;
    if (c.is_one()) return part;
    if (f[part].kind == Kind::number) return f.number(c * f[part].number);
    std::vector<sym::Formula::Part> factors{part};
    if (f[part].kind == Kind::product) {
        factors = f[part].args;
        if (f[factors[0]].kind == Kind::number) {
            c *= f[factors[0]].number;
            factors.erase(factors.begin());
        }
    }
    if (!c.is_one()) factors.insert(factors.begin(), f.number(c));
    return f.product(std::move(factors));
}

inline bool is_negative(const sym::Formula& f, sym::Formula::Part part) {
    using Kind = sym::Formula::Kind;
    const sym::Formula::Node& n = f[part];
    const sym::Formula::Node& front = n.kind == Kind::product ? f[n.args[0]] : n;
    return front.kind == Kind::number && front.number.sign() < 0;
}

/// b − a, not −a + b.
inline void put_positive_first(const sym::Formula& f, std::vector<sym::Formula::Part>& terms) {
    const auto positive = std::ranges::find_if(terms, [&](sym::Formula::Part part) { return !is_negative(f, part); });
    if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
}

}  // namespace linkwright::present
