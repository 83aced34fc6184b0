// Terms of ours in the writer's names, and those that are missing.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "linkwright/compare/term_repair.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/readable.hpp"

namespace linkwright::compare {

bool look_alike(std::string_view a, std::string_view b) {
    const auto shape = [](char c) {
        switch (c) {
            case 'l':
            case 'I':
            case 'i':
            case '|': return '1';
            case 'O':
            case 'o':
            case 'Q': return '0';
            case 'S':
            case 's': return '5';
            case 'Z':
            case 'z': return '2';
            case 'B': return '8';
            default: return c;
        }
    };
    return a != b && std::ranges::equal(a, b, [&](char x, char y) { return shape(x) == shape(y); });
}

std::string Repairer::spell(const Expr& e, std::size_t most_terms) const {
    sym::Pool& desk = binder_.ours().desk;
    const Language language = binder_.language();
    const auto form = sym::normal_form(e, desk, {.terms = 2000, .time = std::chrono::milliseconds(300)});
    if (!form || form->is_undefined || !form->denominators.empty() || form->numerator.size() > most_terms) return {};
    std::string out;
    for (const sym::Term& term : form->numerator) {
        const bool minus = term.coefficient.sign() < 0;
        const Rational size = minus ? -term.coefficient : term.coefficient;
        std::vector<std::string> factors;
        if (!size.numerator().is_one() || term.factors.empty()) factors.push_back(size.numerator().to_string());
        for (const sym::Factor& f : term.factors) {
            std::string text;
            for (const Atom& a : binder_.atoms()) {
                if (a.value.node().residue == f.generator.node().residue) {
                    text = a.spelling;
                    break;
                }
            }
            if (text.empty()) text = sym::print(f.generator);
            if (f.exponent != 1) {
                text = language == Language::c ? fmt::format("pow({}, {})", text, f.exponent)
                                               : fmt::format("{}{}{}", text, language == Language::fortran ? "**" : "^", f.exponent);
            }
            factors.push_back(std::move(text));
        }
        std::string text = fmt::format("{}", fmt::join(factors, "*"));
        if (!size.is_integer()) text += "/" + size.denominator().to_string();
        out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
        out += text;
    }
    return out.empty() ? "0" : out;
}

/// Terms that are missing as a whole. Something of theirs must stay: otherwise they would be missing from any formula.
void Repairer::tell_missing_terms(const Bound& bound, const Expr& theirs, const Expr& need, std::vector<Choice>& out) const {
    sym::Pool& desk = binder_.ours().desk;
    constexpr sym::Budget budget{.terms = 2000, .time = std::chrono::milliseconds(200)};
    const Expr missing = need - theirs;
    const auto difference = sym::normal_form(missing, desk, budget);
    if (!difference || difference->is_undefined || !difference->denominators.empty() || difference->numerator.size() > 12) return;
    const auto old = sym::normal_form(theirs, desk, budget), ours = sym::normal_form(need, desk, budget);
    const std::size_t added = difference->numerator.size();
    bool only_adds = false;
    if (old && ours) {
        if (added >= old->numerator.size() + ours->numerator.size()) return;  // nothing of theirs is left
        only_adds = added + old->numerator.size() == ours->numerator.size();
        if (only_adds && added > ours->numerator.size() / 2 + 1) return;
    }
    if (!only_adds && (added > 2 || (added == 2 && old && old->numerator.size() <= 2))) return;  // that is another formula
    std::string text;
    if (added > 2) {
        if (const auto formula = sym::readable(missing, {.terms = 400, .time = std::chrono::milliseconds(200)});
            formula && binder_.language() == Language::ours)
            text = sym::write(*formula);
    }
    if (text.empty()) text = spell(missing, 12);
    if (text.empty() || text.size() >= 300) return;
    const auto& tokens = bound.text->tokens;
    const Token& last = tokens[tokens.size() >= 2 ? tokens.size() - 2 : 0];
    const bool is_one = added == 1;
    const std::string shown = text.starts_with('-') ? "- " + text.substr(1) : "+ " + text;
    out.push_back({Repair{fmt::format("the term{} {} {} missing", is_one ? "" : "s", shown, is_one ? "is" : "are"), RepairKind::term,
                          last.where, last.width,
                          is_one      ? 2.0
                          : only_adds ? 2.8
                                      : 3.5}});
}

}  // namespace linkwright::compare
