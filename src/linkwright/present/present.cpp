#include "linkwright/present/present.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "linkwright/present/definition.hpp"
#include "linkwright/present/pen.hpp"
#include "linkwright/sym/parse.hpp"

namespace linkwright::present {

std::string Pen::value(const Entry& entry) {
    constexpr double worth_a_reference = 3;  // operations
    const Expr& e = entry.value;
    const std::string own = label(entry.label);
    const auto said = [&](const Expr& x) {
        const auto at = said_.find(x);
        // An output that happens to be an entry of a matrix is not explained by it.
        const bool is_chance = at != said_.end() && entry.label.index.empty() && !at->second.index.empty();
        return at == said_.end() || is_chance ? "" : label(at->second);
    };
    const auto [meaning, is_first] = meanings_.try_emplace(own, e);
    if (!is_first && meaning->second != e) {  // M of another step: nothing may refer to the former one by that name any more
        if (said(meaning->second) == own) said_.erase(meaning->second);
        meaning->second = e;
    }
    if (sym::operations(formulas_->of(e)) < worth_a_reference) return formula(e);
    if (const std::string same = said(e); !same.empty()) return same == own ? formula(e) : same;
    if (const auto x = negative_of(e)) {
        if (const std::string opposite = said(*x); !opposite.empty()) return (style() == Style::unicode ? "−" : "-") + opposite;
    }
    said_.try_emplace(e, entry.label);
    return formula(e);
}

std::string Pen::name_or_formula(std::string_view s) const {
    if (sym::is_name(s)) return name(s);
    return style() == Style::latex ? latex_definition(s) : std::string(s);
}

namespace {

/// Beyond so many characters a page is long: some two sides.
constexpr std::size_t long_page = 10'000;
/// Of so many intermediates a section is better told by its definition, unless it was asked for.
constexpr std::size_t many_intermediates = 40;

Formulas formulas_of(const Page& page, const Options& options) {
    const std::vector<std::vector<Expr>> sections = expressions(page);
    std::vector<Expr> all;
    for (const auto& section : sections) all.insert(all.end(), section.begin(), section.end());
    Formulas out(all, options);
    out.share_out(sections);
    return out;
}

/// A page, its formulas, and a sentence about their form.
struct Written {
    Page page;
    Formulas formulas;
    std::string form;
    bool is_recursive = false;
};

Written written(const eom::EquationsOfMotion& e, const eom::Derivation* derivation, const Options& options) {
    Page page = make_page(e, derivation, options);
    Formulas formulas = formulas_of(page, options);
    if (options.form == Form::recursive) return {std::move(page), std::move(formulas), "Recursive form.", true};
    const std::size_t length = options.form == Form::shorter ? formulas.length() : 0;
    const std::string readable = "Readable form.";
    if (length <= long_page) return {std::move(page), std::move(formulas), readable};
    Options recursively = options;
    recursively.form = Form::recursive;
    Formulas shorter = formulas_of(page, recursively);
    std::size_t shorter_length = shorter.length();
    if (shorter_length >= length) return {std::move(page), std::move(formulas), readable};
    const auto is_better_told = [&](std::size_t section) {
        return page.after[section].may_be_brief && shorter.intermediates_of(section).size() > many_intermediates;
    };
    bool is_brief = false;
    for (std::size_t i = 0; options.only.empty() && i < page.after.size(); ++i) is_brief = is_brief || is_better_told(i);
    if (is_brief) {
        page = make_page(e, derivation, options, true);
        shorter = formulas_of(page, recursively);
        shorter_length = shorter.length();
    }
    return {std::move(page), std::move(shorter),
            fmt::format(
                "Recursive form, with intermediates below what needs them: {} % as long as the readable one, which --form readable writes.",
                std::max<std::size_t>(1, 100 * shorter_length / length)),
            true};
}

/// arm.tip.y1' is no rate: the first derivative of the shape y1 along the beam, at its point `tip`.
void spell_shapes(const eom::EquationsOfMotion& e, Style style, Spellings& spellings) {
    for (const eom::Parameter& p : e.parameters) {
        const std::string& full = p.symbol.symbol().name;
        const std::string name = full.substr(0, full.find('\''));
        const std::size_t primes = full.size() - name.size(), shape = name.rfind('.'), point = name.rfind('.', shape - 1);
        if (!p.is_shape_constant || primes == 0 || shape == name.npos || shape == 0 || point == name.npos) continue;
        if (style == Style::unicode) {
            std::string text = name;
            for (std::size_t i = 0; i < primes; ++i) text += "\u2032";
            spellings.try_emplace(full, text);
        } else {
            spellings.try_emplace(
                full, fmt::format("\\phi{}_{{{},\\mathrm{{{}}}}}(\\mathrm{{{}}})", std::string(primes, '\''), name.substr(shape + 1),
                                  latex_prose(name.substr(0, point)), latex_prose(name.substr(point + 1, shape - point - 1))));
        }
    }
}

void check_parts(const Options& options) {
    for (const std::string& part : options.only) {
        if (std::ranges::find(parts(), part) == parts().end()) {
            throw std::invalid_argument(fmt::format("'{}' is not a part of the equations; there are {}", part, fmt::join(parts(), ", ")));
        }
    }
}

std::string subtitle_of(const eom::EquationsOfMotion& e, const Written& w) {
    return (e.formulation.empty() ? "" : "Formulation: " + e.formulation + ". ") + w.form;
}

std::string set(const eom::EquationsOfMotion& e, const eom::Derivation* derivation, const Options& options) {
    check_parts(options);
    if (options.to == To::json) return set_json(e, derivation, options);
    const Written w = written(e, derivation, options);
    const std::string subtitle = subtitle_of(e, w);
    const Style style = options.to != To::text ? Style::latex : options.unicode ? Style::unicode : Style::text;
    Spellings spellings = style == Style::latex ? options.spellings : Spellings{};
    if (style != Style::text) spell_shapes(e, style, spellings);
    const Notation notation{.style = style,
                            .digits = std::clamp<std::size_t>(options.digits, 1, 17),
                            .spellings = &spellings,
                            .short_sines = options.to == To::latex && w.is_recursive};
    const Pen pen(w.formulas, notation);
    switch (options.to) {
        case To::latex: return set_latex(w.page, subtitle, pen, options.fragment);
        case To::markdown: return set_markdown(w.page, subtitle, pen);
        default: return set_text(w.page, subtitle, pen);
    }
}

Sheet make_sheet(const eom::EquationsOfMotion& e, const eom::Derivation* derivation, const Options& options) {
    check_parts(options);
    const Written w = written(e, derivation, options);
    Spellings spellings = options.spellings;
    spell_shapes(e, Style::latex, spellings);
    const Notation notation{.style = Style::latex,
                            .digits = std::clamp<std::size_t>(options.digits, 1, 17),
                            .spellings = &spellings,
                            .short_sines = w.is_recursive};
    Sheet out = set_sheet(w.page, subtitle_of(e, w), Pen(w.formulas, notation));
    out.is_recursive = w.is_recursive;
    return out;
}

}  // namespace

std::string present(const eom::EquationsOfMotion& equations, const Options& options) { return set(equations, nullptr, options); }

std::string present(const eom::Derivation& derivation, const eom::EquationsOfMotion& equations, const Options& options) {
    return set(equations, &derivation, options);
}

Sheet sheet(const eom::EquationsOfMotion& equations, const Options& options) { return make_sheet(equations, nullptr, options); }

Sheet sheet(const eom::Derivation& derivation, const eom::EquationsOfMotion& equations, const Options& options) {
    return make_sheet(equations, &derivation, options);
}

}  // namespace linkwright::present
