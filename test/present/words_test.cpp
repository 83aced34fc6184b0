// Words and formulas as LaTeX takes them.

#include "linkwright/present/words.hpp"

#include <gtest/gtest.h>

namespace linkwright::present::test {
namespace {

using Lines = std::vector<std::string>;

TEST(LatexWords, ALetterHasOneIndex) {  // TeX refuses two subscripts, and takes braces from around an accent
    EXPECT_EQ(with_index("\\dot{B}", "4,1"), "\\dot{B}_{4,1}");
    EXPECT_EQ(with_index("\\dot{B}_{\\mathrm{rod}}", "4,1"), "\\dot{B}_{\\mathrm{rod},4,1}");
    EXPECT_EQ(with_index("\\dot{B}_{i}^{T}", "2"), "{{}\\dot{B}_{i}^{T}}_{2}");
    EXPECT_EQ(with_index("c_{1} (i,j)", "2"), "{{}c_{1} (i,j)}_{2}");
    EXPECT_EQ(write(Label{"Bdot[rod]", {"4", "1"}}, Style::latex), "\\dot{B}_{\\mathrm{rod},4,1}");
    EXPECT_EQ(write(Label{"B_upper", {"1", "2"}}, Style::latex), "B_{\\mathrm{upper},1,2}");
}

TEST(LatexWords, UnitsAreUpright) {
    EXPECT_EQ(latex_unit("kg*m^2"), "$\\mathrm{kg\\,m^{2}}$");
    EXPECT_EQ(latex_unit("N*m/rad"), "$\\mathrm{N\\,m/rad}$");
    EXPECT_EQ(latex_unit("s^-1"), "$\\mathrm{s^{-1}}$");
    EXPECT_EQ(latex_unit("m^(1/2)"), "$\\mathrm{m^{(1/2)}}$");
    EXPECT_EQ(latex_unit("°"), "$\\mathrm{\\text{\\textdegree{}}}$");
    EXPECT_EQ(latex_unit("m^"), "$\\mathrm{m^{}}$");
    EXPECT_EQ(latex_unit(""), "");
}

TEST(LatexWords, WhatFontsLackIsToldByItsNumber) {
    EXPECT_EQ(latex_prose("Größe ω 中"), "Größe $\\omega$ [U+4E2D]");
    EXPECT_EQ(latex_prose("a\tb"), "a b");
    EXPECT_EQ(latex_prose("ε^2, m^-1, a^b"), "$\\epsilon$\\textsuperscript{2}, m\\textsuperscript{-1}, a\\textasciicircum{}b");
}

TEST(LatexWords, ProductsAreCutBetweenFactors) {
    EXPECT_EQ(broken("a b \\sin q \\, c", 3, Style::latex), (Lines{"a b", "\\cdot \\sin q", "\\cdot c"}));
    EXPECT_EQ(broken("a b + c d", 4, Style::latex), (Lines{"a b", "+ c d"}));              // sums first
    EXPECT_EQ(broken("\\sum_{i} a_{i} = \\text{all of } b", 1, Style::latex).size(), 1U);  // not beside a sign or words
}

}  // namespace
}  // namespace linkwright::present::test
