#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "linkwright/present/words.hpp"

namespace linkwright::present {

namespace {

struct Letter {
    std::string_view character, latex;
};
constexpr Letter outside_mathematics[] = {
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"\\", "\\textbackslash{}"},
    {"–", "--"},
    {"—", "---"},
    {"…", "\\ldots{}"},
    {"°", "\\textdegree{}"},
    {"§", "\\S{}"},
};
constexpr Letter in_mathematics[] = {
    {"α", "\\alpha"},
    {"β", "\\beta"},
    {"γ", "\\gamma"},
    {"δ", "\\delta"},
    {"ε", "\\epsilon"},
    {"ζ", "\\zeta"},
    {"η", "\\eta"},
    {"θ", "\\theta"},
    {"ι", "\\iota"},
    {"κ", "\\kappa"},
    {"λ", "\\lambda"},
    {"μ", "\\mu"},
    {"ν", "\\nu"},
    {"ξ", "\\xi"},
    {"π", "\\pi"},
    {"ρ", "\\rho"},
    {"σ", "\\sigma"},
    {"τ", "\\tau"},
    {"φ", "\\phi"},
    {"χ", "\\chi"},
    {"ψ", "\\psi"},
    {"ω", "\\omega"},
    {"Γ", "\\Gamma"},
    {"Δ", "\\Delta"},
    {"Θ", "\\Theta"},
    {"Λ", "\\Lambda"},
    {"Ξ", "\\Xi"},
    {"Π", "\\Pi"},
    {"Σ", "\\Sigma"},
    {"Φ", "\\Phi"},
    {"Ψ", "\\Psi"},
    {"Ω", "\\Omega"},
    {"Ḃ", "\\dot{B}"},
    {"Ṁ", "\\dot{M}"},
    {"ẋ", "\\dot{x}"},
    {"ẍ", "\\ddot{x}"},
    {"ẏ", "\\dot{y}"},
    {"ż", "\\dot{z}"},
    {"Ṫ", "\\dot{T}"},
    {"Ġ", "\\dot{G}"},
    {"Ṗ", "\\dot{P}"},
    {"Ṙ", "\\dot{R}"},
    {"ṙ", "\\dot{r}"},
    {"Ḣ", "\\dot{H}"},
    {"ṗ", "\\dot{p}"},
    {"Ṅ", "\\dot{N}"},
    {"∂", "\\partial"},
    {"∇", "\\nabla"},
    {"∑", "\\sum"},
    {"∫", "\\int"},
    {"√", "\\surd"},
    {"×", "\\times"},
    {"·", "\\cdot"},
    {"−", "-"},
    {"±", "\\pm"},
    {"≠", "\\ne"},
    {"≤", "\\le"},
    {"≥", "\\ge"},
    {"≈", "\\approx"},
    {"→", "\\to"},
    {"∈", "\\in"},
    {"∞", "\\infty"},
    {"½", "\\tfrac{1}{2}"},
    {"¼", "\\tfrac{1}{4}"},
    {"ᵀ", "{}^{T}"},
    {"⁻", "{}^{-}"},
    {"⁰", "{}^{0}"},
    {"¹", "{}^{1}"},
    {"²", "{}^{2}"},
    {"³", "{}^{3}"},
    {"⁴", "{}^{4}"},
    {"⁵", "{}^{5}"},
    {"⁶", "{}^{6}"},
    {"⁷", "{}^{7}"},
    {"⁸", "{}^{8}"},
    {"⁹", "{}^{9}"},
    {"₀", "{}_{0}"},
    {"₁", "{}_{1}"},
    {"₂", "{}_{2}"},
    {"₃", "{}_{3}"},
    {"₄", "{}_{4}"},
    {"₅", "{}_{5}"},
    {"₆", "{}_{6}"},
    {"₇", "{}_{7}"},
    {"₈", "{}_{8}"},
    {"₉", "{}_{9}"},
    {"<", "<"},
    {">", ">"},
    {"|", "|"},
    {"ᵢ", "{}_{i}"},
    {"ⱼ", "{}_{j}"},
};

constexpr std::string_view opening = R"(\documentclass[a4paper,10pt]{{article}}
\usepackage[T1]{{fontenc}}
\usepackage[utf8]{{inputenc}}
\usepackage{{textcomp,longtable,array,graphicx,multicol}}
\usepackage[fleqn]{{amsmath}}
\usepackage[hmargin=2cm,top=1.5cm,bottom=1.7cm,footskip=0.8cm]{{geometry}}
\allowdisplaybreaks
\setcounter{{MaxMatrixCols}}{{100}}
\setlength{{\parindent}}{{0pt}}
\setlength{{\mathindent}}{{1em}}
\setlength{{\multicolsep}}{{4pt}}
\setlength{{\LTpre}}{{2pt}}
\setlength{{\LTpost}}{{2pt}}
\sloppy
\AtBeginDocument{{\setlength{{\abovedisplayskip}}{{4pt plus 2pt}}\setlength{{\belowdisplayskip}}{{4pt plus 2pt}}}}
\AtBeginDocument{{\setlength{{\abovedisplayshortskip}}{{2pt plus 2pt}}\setlength{{\belowdisplayshortskip}}{{4pt plus 2pt}}}}
{}
\begin{{document}}
\begin{{center}}\Large {}\end{{center}}
)";
constexpr std::string_view fragment_opening = R"(% {}
% Packages: amsmath, array, graphicx, longtable, multicol, textcomp
\setcounter{{MaxMatrixCols}}{{100}}
{}
)";
constexpr std::string_view fitted =
    R"(\ifdefined\fittedbox\else\newsavebox{\fittedbox}\fi
\providecommand{\fitted}[2]{\sbox{\fittedbox}{$\displaystyle #2$}\ifdim\wd\fittedbox>#1\linewidth\resizebox{#1\linewidth}{!}{\usebox{\fittedbox}}\else\usebox{\fittedbox}\fi}
\providecommand{\closerows}{\setlength{\jot}{0pt}\setlength{\abovedisplayskip}{1pt}\setlength{\belowdisplayskip}{1pt}\setlength{\abovedisplayshortskip}{1pt}\setlength{\belowdisplayshortskip}{1pt}\ifdefined\mathindent\setlength{\mathindent}{0pt}\fi})";

std::string_view first_character(std::string_view s) {
    std::size_t length = 1;
    while (length < s.size() && (static_cast<unsigned char>(s[length]) & 0xC0U) == 0x80U) ++length;
    return s.substr(0, length);
}

/// Of the integer that the text begins with; 0 when it does not.
std::size_t integer_length(std::string_view s) {
    const std::size_t sign = s.starts_with('-') ? 1 : 0;
    std::size_t n = sign;
    while (n < s.size() && s[n] >= '0' && s[n] <= '9') ++n;
    return n > sign ? n : 0;
}

std::uint32_t code_point(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (first < 0x80U) return first;
    std::uint32_t code = first & (character.size() == 2 ? 0x1FU : character.size() == 3 ? 0x0FU : 0x07U);
    for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3FU);
    return code;
}

/// Whether the fonts of T1 and textcomp have it: Latin letters and the usual signs of punctuation.
bool is_in_fonts(std::uint32_t code) {
    constexpr std::uint32_t signs[] = {0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E, 0x2020,
                                       0x2021, 0x2022, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122};
    constexpr std::uint32_t missing[] = {0xA0, 0xAD, 0x126, 0x127, 0x138, 0x13F, 0x140, 0x149, 0x166, 0x167};
    if (code < 0x80) return code >= 0x20 && code != 0x7F;
    if (code <= 0x17E) return code >= 0xA0 && std::ranges::find(missing, code) == std::end(missing);
    return std::ranges::find(signs, code) != std::end(signs);
}

}  // namespace

std::string latex_prose(std::string_view prose) {
    constexpr std::string_view dot = "\u0307", two_dots = "\u0308";
    std::string out;
    while (!prose.empty()) {
        const std::string_view c = first_character(prose);
        prose.remove_prefix(c.size());
        if (const std::size_t n = c == "^" ? integer_length(prose) : 0; n > 0) {  // m^2
            out += "\\textsuperscript{" + std::string(prose.substr(0, n)) + "}";
            prose.remove_prefix(n);
            continue;
        }
        if (c == "-" && prose.starts_with('-')) {  // two hyphens, not a dash
            out += "-{}";
            continue;
        }
        const auto* plain = std::ranges::find(outside_mathematics, c, &Letter::character);
        const auto* maths = std::ranges::find(in_mathematics, c, &Letter::character);
        const bool is_dotted = prose.starts_with(dot) || prose.starts_with(two_dots);
        std::string inner = maths != std::end(in_mathematics) ? std::string(maths->latex) : std::string(c);
        if (is_dotted) {
            inner.insert(0, prose.starts_with(dot) ? "\\dot{" : "\\ddot{");
            inner += '}';
            prose.remove_prefix(dot.size());
        }
        if (plain != std::end(outside_mathematics)) {
            out += plain->latex;
        } else if (maths != std::end(in_mathematics) || is_dotted) {
            out += "$" + inner + "$";
        } else if (const std::uint32_t code = code_point(c); is_in_fonts(code)) {
            out += c;
        } else {
            out += code <= 0x20 || code == 0xA0 ? " " : fmt::format("[U+{:04X}]", code);
        }
    }
    return out;
}

std::string latex_unit(std::string_view unit) {
    if (unit.empty()) return "";
    std::string out;
    while (!unit.empty()) {
        const std::string_view c = first_character(unit);
        unit.remove_prefix(c.size());
        if (c == "*") {
            out += "\\,";
        } else if (c == "^") {
            const std::size_t n = unit.starts_with('(') ? std::min(unit.find(')'), unit.size() - 1) + 1 : integer_length(unit);
            out += "^{" + std::string(unit.substr(0, n)) + "}";
            unit.remove_prefix(n);
        } else {
            const bool is_plain = c.size() == 1 && ((c[0] >= 'a' && c[0] <= 'z') || (c[0] >= 'A' && c[0] <= 'Z') ||
                                                    std::string_view("0123456789/().-").find(c[0]) != std::string_view::npos);
            out += is_plain ? std::string(c) : "\\text{" + latex_prose(c) + "}";
        }
    }
    return "$\\mathrm{" + out + "}$";
}

std::string latex_opening(std::string_view title) { return fmt::format(opening, fitted, latex_prose(title)); }

std::string latex_fragment_opening(std::string_view title) {
    std::string line;
    for (const char c : title) line += c == '\n' || c == '\r' ? ' ' : c;
    return fmt::format(fragment_opening, line, fitted);
}

}  // namespace linkwright::present
