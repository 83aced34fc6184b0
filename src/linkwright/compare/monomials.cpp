#include "linkwright/compare/monomials.hpp"

#include <algorithm>

#include "linkwright/sym/normal_form.hpp"

namespace linkwright::compare {

namespace {

/// term/divisor^power
void divide(sym::Term& term, const sym::Term& divisor, std::int64_t power) {
    for (std::int64_t k = 0; k < power; ++k) term.coefficient = term.coefficient / divisor.coefficient;
    for (const sym::Factor& f : divisor.factors) {
        const auto at = std::ranges::find(term.factors, f.generator, &sym::Factor::generator);
        if (at == term.factors.end())
            term.factors.push_back({f.generator, -f.exponent * power});
        else
            at->exponent -= f.exponent * power;
    }
    std::erase_if(term.factors, [](const sym::Factor& f) { return f.exponent == 0; });
}

}  // namespace

std::optional<sym::Terms> monomials(const sym::Expr& e, Angles angles, sym::Pool& desk, std::size_t most) {
    const auto form = sym::normal_form(e, desk, {.terms = most, .time = std::chrono::seconds(2)});
    const auto is_sum = [](const sym::NormalForm::Denominator& d) { return d.base.size() != 1; };
    if (!form || form->is_undefined || std::ranges::any_of(form->denominators, is_sum)) return std::nullopt;
    sym::Terms terms = angles == Angles::merged ? sym::merged_angles(form->numerator, desk) : form->numerator;
    for (const sym::NormalForm::Denominator& d : form->denominators) {
        for (sym::Term& t : terms) divide(t, d.base.front(), d.power);
    }
    return terms.size() <= most ? std::optional(std::move(terms)) : std::nullopt;
}

Angles shorter_angles(const sym::Expr& e, sym::Pool& desk) {
    const auto merged = monomials(e, Angles::merged, desk), opened = monomials(e, Angles::opened, desk);
    return merged && opened && opened->size() < merged->size() ? Angles::opened : Angles::merged;
}

}  // namespace linkwright::compare
