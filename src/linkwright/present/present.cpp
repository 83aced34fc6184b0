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
    const std::string own = write(entry.label, style_);
    const auto said = [&](const Expr& x) {
        const auto at = said_.find(x);
        // An output that happens to be an entry of a matrix is not explained by it.
        const bool is_chance = at != said_.end() && entry.label.index.empty() && !at->second.index.empty();
        return at == said_.end() || is_chance ? "" : write(at->second, style_);
    };
    const auto [meaning, is_first] = meanings_.try_emplace(own, e);
    if (!is_first && meaning->second != e) {  // M of another step: nothing may refer to the former one by that name any more
        if (said(meaning->second) == own) said_.erase(meaning->second);
        meaning->second = e;
    }
    if (sym::operations(formulas_->of(e)) < worth_a_reference) return formula(e);
    if (const std::string label = said(e); !label.empty()) return label == own ? formula(e) : label;
    if (const auto x = negative_of(e)) {
        if (const std::string label = said(*x); !label.empty()) return (style_ == Style::unicode ? "−" : "-") + label;
    }
    said_.try_emplace(e, entry.label);
    return formula(e);
}

std::string Pen::name_or_formula(std::string_view s) const {
    if (sym::is_name(s)) return sym::write_name(s, style_);
    return style_ == Style::latex ? latex_definition(s) : std::string(s);
}

namespace {

std::string set(const eom::EquationsOfMotion& e, const eom::Derivation* derivation, const Options& options) {
    for (const std::string& part : options.only) {
        if (std::ranges::find(parts(), part) == parts().end()) {
            throw std::invalid_argument(fmt::format("'{}' is no part of the equations; there are {}", part, fmt::join(parts(), ", ")));
        }
    }
    if (options.to == To::json) return set_json(e, derivation, options);
    const Page page = make_page(e, derivation, options);
    const Formulas formulas(expressions(page), options);
    const std::string subtitle = (e.formulation.empty() ? "" : "Formulation: " + e.formulation + ". ") +
                                 std::string(options.form == Form::readable ? "Readable form." : "Recursive form.");
    switch (options.to) {
        case To::latex: return set_latex(page, subtitle, formulas);
        case To::markdown: return set_markdown(page, subtitle, formulas);
        default: return set_text(page, subtitle, Pen(formulas, options.unicode ? Style::unicode : Style::text));
    }
}

}  // namespace

std::string present(const eom::EquationsOfMotion& equations, const Options& options) { return set(equations, nullptr, options); }

std::string present(const eom::Derivation& derivation, const eom::EquationsOfMotion& equations, const Options& options) {
    return set(equations, &derivation, options);
}

}  // namespace linkwright::present
