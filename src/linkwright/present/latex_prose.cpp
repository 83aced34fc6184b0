#include <algorithm>
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

std::string_view first_character(std::string_view s) {
    std::size_t length = 1;
    while (length < s.size() && (static_cast<unsigned char>(s[length]) & 0xC0U) == 0x80U) ++length;
    return s.substr(0, length);
}

}  // namespace

std::string latex_prose(std::string_view prose) {
    constexpr std::string_view dot = "\u0307", two_dots = "\u0308";
    std::string out;
    while (!prose.empty()) {
        const std::string_view c = first_character(prose);
        prose.remove_prefix(c.size());
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
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace linkwright::present
