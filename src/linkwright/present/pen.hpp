#pragma once
// What the three ways to set a page share: names and formulas in a style, and the memory of what has been said.

#include <fmt/format.h>

#include <string>
#include <unordered_map>

#include "linkwright/present/even_scales.hpp"
#include "linkwright/present/formulas.hpp"
#include "linkwright/present/page.hpp"
#include "linkwright/present/sheet.hpp"

namespace linkwright::present {

inline constexpr std::size_t latex_width = 75;  ///< of a line, as width() estimates it

class Pen {
public:
    Pen(const Formulas& formulas, const Notation& notation) : formulas_(&formulas), notation_(notation) {}

    std::string formula(const sym::Formula& f) {
        const std::string s = write_rounded(f, notation_, has_rounded_);
        const bool is_long = style() == Style::latex && width(s, style()) > latex_width;
        return is_long ? write_rounded(f, notation_, has_rounded_, true) : s;
    }
    std::string formula(const Expr& e) { return formula(formulas_->of(e)); }
    /// A value of a table. What a person gave is written with all its digits: 0.1 and not 1/10.
    std::string quantity(const Expr& e, bool is_given) {
        if (is_given && e.is_number() && !e.number().is_integer()) {
            const double x = e.number().to_double(), size = x < 0 ? -x : x;
            if (size >= 1e-4 && size < 1e6 && sym::Rational::from_double(x) == e.number()) return fmt::format("{}", x);
        }
        return formula(even_scales(sym::faithful(e)));
    }
    std::string name(std::string_view n) const { return write_name(n, style(), notation_.spellings); }
    std::string label(const Label& l) const { return write(l, style(), notation_.spellings); }
    /// The right-hand side of an entry: its formula, or ±the label under which a long one has been written already. A label
    /// that gets another value names the new one only, and no entry is said to equal itself.
    std::string value(const Entry& entry);
    /// Prose with names in this style; `quote` stands around each, `plain` sees to the rest. What stands between backticks
    /// and is no name is a formula as definition.hpp describes it.
    template <class Plain>
    std::string prose(std::string_view text, std::string_view quote, Plain plain) const {
        std::string out;
        while (!text.empty()) {
            const std::size_t open = text.find('`'), close = open == text.npos ? open : text.find('`', open + 1);
            if (close == text.npos) break;
            out += plain(text.substr(0, open));
            out += quote;
            out += name_or_formula(text.substr(open + 1, close - open - 1));
            out += quote;
            text.remove_prefix(close + 1);
        }
        return out + plain(text);
    }
    /// One sentence about an entry that could not be had in readable form; empty for the others.
    std::string notice(const Expr& e) const {
        const std::string& why = formulas_->why_not(e);
        return why.empty() ? "" : "too large to read (" + why + "); written with intermediates";
    }
    bool has_rounded() const { return has_rounded_; }
    Style style() const { return notation_.style; }
    std::size_t digits() const { return notation_.digits; }
    bool has_short_sines() const { return notation_.short_sines; }
    std::span<const StraightLine::Step> intermediates_of(std::size_t section) const { return formulas_->intermediates_of(section); }

private:
    std::string name_or_formula(std::string_view s) const;

    const Formulas* formulas_;
    Notation notation_;
    bool has_rounded_ = false;
    std::unordered_map<Expr, Label> said_;
    std::unordered_map<std::string, Expr> meanings_;  ///< of labels, as written
};

inline std::string rounding_remark(std::size_t digits) {
    return fmt::format(
        "Numbers of more than {0} digits are rounded to {0}; the option --digits shows more of them, and JSON has them exactly.", digits);
}

Sheet set_sheet(const Page& page, const std::string& subtitle, Pen pen);
std::string set_text(const Page& page, const std::string& subtitle, Pen pen);
std::string set_latex(const Page& page, const std::string& subtitle, Pen pen, bool is_fragment);
std::string set_markdown(const Page& page, const std::string& subtitle, Pen pen);
std::string set_json(const eom::EquationsOfMotion& equations, const eom::Derivation* derivation, const Options& options);

}  // namespace linkwright::present
