// Terms of ours in the writer's names, and those that are missing.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "linkwright/compare/monomials.hpp"
#include "linkwright/compare/term_repair.hpp"
#include "linkwright/sym/formula.hpp"
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

/// In the writer's names.
std::string Repairer::spell(const sym::Terms& terms) const {
    std::string out;
    for (const sym::Term& term : terms) {
        bool minus = term.coefficient.sign() < 0;
        const Rational size = minus ? -term.coefficient : term.coefficient;
        std::vector<std::string> factors, divisors;
        if (!size.is_integer()) divisors.push_back(size.denominator().to_string());
        for (const sym::Factor& f : term.factors) {
            const auto [text, turns] = spell_letter(f.generator);
            minus ^= turns && f.exponent % 2 != 0;
            (f.exponent > 0 ? factors : divisors).push_back(raised(text, std::abs(f.exponent)));
        }
        if (!size.numerator().is_one() || factors.empty()) factors.insert(factors.begin(), size.numerator().to_string());
        out += out.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
        out += fmt::format("{}", fmt::join(factors, "*"));
        for (const std::string& d : divisors) out += "/" + d;
    }
    return out.empty() ? "0" : out;
}

/// A letter in the writer's names, and whether it is the negative of what they call so: sin(b - a) for sin(a - b).
std::pair<std::string, bool> Repairer::spell_letter(const Expr& letter) const {
    const sym::Residue value = letter.node().residue;
    for (const Atom& a : binder_.atoms()) {
        if (a.value.node().residue == value || a.value.node().residue == -value) return {a.spelling, a.value.node().residue != value};
    }
    return {sym::print(letter), false};
}

std::string Repairer::raised(const std::string& base, std::int64_t power) const {
    return power == 1 ? base : write_power(base, std::to_string(power), binder_.language());
}

/// "the term + m2*l2^2/3 is missing", at the end of the statement. Empty when it is too long to be told.
Repair Repairer::told_missing(const Bound& bound, const sym::Terms& missing, double cost) const {
    std::string text;
    if (missing.size() > 2 && binder_.language() == Language::ours) {
        if (const auto formula = sym::readable(sym::to_expr(missing, binder_.ours().desk), {.terms = 400, .time = std::chrono::seconds(2)}))
            text = sym::write(*formula);
    }
    if (text.empty()) text = spell(missing);
    const auto& tokens = bound.text->tokens;
    const Token& last = tokens[tokens.size() >= 2 ? tokens.size() - 2 : 0];
    const bool is_one = missing.size() == 1;
    const std::string shown = text.starts_with('-') ? "- " + text.substr(1) : "+ " + text;
    return {fmt::format("the term{} {} {} missing{}", is_one ? "" : "s", shown, is_one ? "is" : "are",
                        bound.role == Bound::Role::equation ? " on the left side" : ""),
            RepairKind::term, last.where, last.width, cost};
}

/// Terms that are missing as a whole. Something of theirs must stay: otherwise they would be missing from any formula.
void Repairer::tell_missing_terms(const Bound& bound, const Expr& theirs, const Expr& need, std::vector<Choice>& out) const {
    sym::Pool& desk = binder_.ours().desk;
    const Angles angles = shorter_angles(need - theirs, desk);
    const auto missing = monomials(need - theirs, angles, desk), old = monomials(theirs, angles, desk),
               ours = monomials(need, angles, desk);
    if (!missing || missing->size() > 12) return;
    const std::size_t added = missing->size();
    bool only_adds = theirs.is_literally(0) && added <= 4;
    if (old && ours && !only_adds) {
        const std::size_t before = old->size(), after = ours->size();
        if (added >= before + after) return;  // nothing of theirs is left
        only_adds = added + before == after;
        if (only_adds && added > after / 2 + 1) return;
    }
    if (!only_adds && (added > 2 || (added == 2 && old && old->size() <= 2))) return;  // that is another formula
    Repair told = told_missing(bound, *missing, added == 1 ? 2.0 : only_adds ? 2.8 : 4.6);
    if (told.what.size() < 330) out.push_back({std::move(told)});
}

}  // namespace linkwright::compare
