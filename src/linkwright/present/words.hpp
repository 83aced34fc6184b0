#pragma once
// Strings for the page: labels, numbers that fit the eye, lines that fit the page, prose in LaTeX.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "linkwright/sym/formula.hpp"

namespace linkwright::present {

using sym::Style;

/// What stands left of "=": M[1][2], γ[1], e0'.
struct Label {
    std::string symbol;
    std::vector<std::string> index{};
};
/// Names that are not written as sym::write_name() would, in the style of the page: mu as m_u.
using Spellings = std::unordered_map<std::string, std::string>;

std::string write(const Label& label, Style style, const Spellings* spellings = nullptr);

/// A name; one with a spelling, or a rate of one, is spelled so.
std::string write_name(std::string_view name, Style style, const Spellings* spellings = nullptr);

/// How formulas are spelled on a page.
struct Notation {
    Style style = Style::text;
    std::size_t digits = 6;  ///< of numbers that are rounded
    const Spellings* spellings = nullptr;
    bool short_sines = false;  ///< s_q for sin q in LaTeX
};

/// A letter of LaTeX with one more index, whether it has one already or not.
std::string with_index(const std::string& letter, const std::string& index);

/// The formula with its numbers as they are and names as they are spelled.
std::string write_spelled(const sym::Formula& formula, const Notation& notation);

/// The formula with numbers of at most `digits` significant digits: decimals and fractions that are no longer are written exactly, as integers are; what
/// is longer (directions made exactly orthonormal) is rounded, and `was_rounded` is set. With `fractions_in_front`, LaTeX puts rational
/// coefficients in front: a fraction bar cannot be cut.
std::string write_rounded(const sym::Formula& formula, const Notation& notation, bool& was_rounded, bool fractions_in_front = false);

/// How wide a string stands on the page: characters; for LaTeX columns of 6 pt, by the widths of its letters.
std::size_t width(std::string_view text, Style style);

/// A formula in pieces of at most `room` columns where that can be had: cut before + and −, outermost ones first; what
/// begins inside parentheses is indented. In LaTeX a pair of parentheses that is cut gets its \right. and \left., a
/// fraction with too wide a numerator becomes 1 over its denominator times that in parentheses, and a product without a sum in
/// it is cut between two factors, with a dot before the second.
std::vector<std::string> broken(std::string_view formula, std::size_t room, Style style);

/// Prose in lines of at most `room` columns.
std::vector<std::string> wrapped(std::string_view prose, std::size_t room);

/// Prose as LaTeX takes it: special characters escaped, Greek and mathematical ones as commands, q̇ as $\dot{q}$. A character
/// that LaTeX's fonts lack is told by its number.
std::string latex_prose(std::string_view prose);

/// A unit between dollars: kg*m^2 is $\mathrm{kg\,m^{2}}$; nothing of nothing.
std::string latex_unit(std::string_view unit);

/// From \documentclass to the title. It defines \fitted{0.8}{x}: x, made smaller where it is wider than 0.8 of the line.
std::string latex_opening(std::string_view title);

/// What a piece of a document begins with: the packages it needs, in a comment, and \fitted.
std::string latex_fragment_opening(std::string_view title);

}  // namespace linkwright::present
