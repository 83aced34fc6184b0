#pragma once
// Strings for the page: labels, numbers that fit the eye, lines that fit the page, prose in LaTeX.

#include <string>
#include <string_view>
#include <vector>

#include "linkwright/sym/formula.hpp"

namespace linkwright::present {

using sym::Style;

/// What stands left of "=": M[1][2], γ[1], e0'.
struct Label {
    std::string symbol;
    std::vector<std::string> index{};
};
std::string write(const Label& label, Style style);

/// The formula with constants that no eye can hold (fractions of more than 64 bits, from directions made exactly
/// orthonormal) as decimals of 17 digits. `was_rounded` is set when such a decimal is not the exact number. With
/// `fractions_in_front`, LaTeX puts rational coefficients in front: a fraction bar cannot be cut.
std::string write_rounded(const sym::Formula& formula, Style style, bool& was_rounded, bool fractions_in_front = false);

/// How wide a string stands on the page: characters; for LaTeX an estimate.
std::size_t width(std::string_view text, Style style);

/// A formula in pieces of at most `room` columns where that can be had: cut before + and −, outermost ones first; what
/// begins inside parentheses is indented. In LaTeX a pair of parentheses that is cut gets its \right. and \left., and a
/// fraction with too wide a numerator becomes 1 over its denominator times that in parentheses.
std::vector<std::string> broken(std::string_view formula, std::size_t room, Style style);

/// Prose in lines of at most `room` columns.
std::vector<std::string> wrapped(std::string_view prose, std::size_t room);

/// Prose as LaTeX takes it: special characters escaped, Greek and mathematical ones as commands, q̇ as $\dot{q}$.
std::string latex_prose(std::string_view prose);

}  // namespace linkwright::present
