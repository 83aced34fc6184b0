// Definitions as LaTeX sets them, and the lines of a derivation that carry one.

#include "linkwright/present/definition.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "present/pendulum.hpp"

namespace linkwright::present::test {
namespace {

using testing::HasSubstr;

TEST(Definition, IsSetAsMathematics) {
    struct Pair {
        const char *text, *latex;
    };
    for (const auto& [text, latex] : {
             Pair{"sum over i, k of T[a,i] T[b,k] K[i,k]", "\\sum_{i, k} T_{a,i} T_{b,k} K_{i,k}"},
             Pair{"B[i]' M[i] B[i]", "B_{i}^{T} M_{i} B_{i}"},
             Pair{"M u' + G^T lambda = f", "M \\dot{u} + G^{T} \\lambda = f"},
             Pair{"(A d)' A", "(A d)^{T} A"},
             Pair{"Bdot u + S_A^-1", "\\dot{B} u + S_{\\mathrm{A}}^{-1}"},
             Pair{"phidot[b] g[b]", "\\dot{\\phi}_{b} g_{b}"},
             Pair{"a_hat[i,j] x Q_IV[k]", "\\hat{a}_{i,j} \\times Q_{\\mathrm{IV},k}"},
             Pair{"Q1_prime[bar_2] + Q1_second[upper arm]",
                  "Q_{1,\\mathrm{bar\\_2}}^{\\prime} + Q_{1,\\mathrm{upper arm}}^{\\prime\\prime}"},
             Pair{"u[theta1']", "u_{\\dot{\\theta}_{1}}"},
             Pair{"d L / d u[i]", "d L / d u_{i}"},
             Pair{"d B[i] / dt", "d B_{i} / dt"},
             Pair{"1/2 m[i] v[i]^2", "1 / 2 m_{i} v_{i}^{2}"},
             Pair{"the inertia of body i", "\\text{the inertia of body } i"},
             Pair{"what is free in a hinge, and a x b", "\\text{what is free in a hinge}, \\text{ and } a \\times b"},
             Pair{"ω × J ω", "\\omega \\times J \\omega"},
             Pair{"100 % & $", "100 \\% \\& \\$"},
         }) {
        EXPECT_EQ(latex_definition(text), latex);
    }
    EXPECT_EQ(latex_sentence("f_f - M_fg u_g', where f_f are the rows, of B[i]^T (f, g)"),
              "$f_{\\mathrm{f}} - M_{\\mathrm{fg}} \\dot{u}_{\\mathrm{g}}$, where $f_{\\mathrm{f}}$ are the rows, of $B_{i}^{T} (f, g)$");
    EXPECT_GT(longest_prose("how far the body turns when the joint turns by one, and m[i]"), 40u);
    EXPECT_EQ(longest_prose("A[0,1] B"), 0u);
}

TEST(Definition, IsBalancedWhateverItSays) {
    constexpr std::string_view characters = "aAxT[],()^'_-+ *{}\\$%&#~.1\"`sum over of ";
    std::mt19937 random(3);
    for (int k = 0; k < 3000; ++k) {
        std::string text;
        for (std::size_t n = random() % 30; n > 0; --n) text += characters[random() % characters.size()];
        const std::string latex = latex_definition(text);
        long depth = 0;
        for (std::size_t i = 0; i < latex.size(); ++i) {
            if (latex[i] == '\\')
                ++i;
            else if (latex[i] == '{')
                ++depth;
            else if (latex[i] == '}')
                --depth;
            else
                EXPECT_TRUE(latex[i] != '$' && latex[i] != '%' && latex[i] != '#' && latex[i] != '&') << text;
            EXPECT_GE(depth, 0) << text;
        }
        EXPECT_EQ(depth, 0) << text << " -> " << latex;
        EXPECT_EQ(latex.find("^{}"), latex.npos);
    }
}

TEST(Definition, StandsBeforeItsValueAndTheNoteAfter) {
    const EquationsOfMotion e = double_pendulum();
    const Expr o(*e.pool, Pool::zero_id);
    eom::Derivation d;
    d.steps.push_back({"Inertia",
                       "",
                       {{"K[1,2]", {{e.M[0][1]}}, "sum over j of m[j] c[1,j]^T c[2,j]", "", "forehand (58)"},
                        {"Q_V", {{o}, {o}}, "", "Zero: no joint slides; `q1` turns and `Q_V[i]` is gone.", "forehand (84)"},
                        {"E", {}, "the unit matrix", "", ""}},
                       ""});
    const std::string text = present(d, e, {.only = {"power"}});
    EXPECT_THAT(text, HasSubstr("  K[1,2] = sum over j of m[j] c[1,j]^T c[2,j]   [Forehand et al., eq. (58)]\n"
                                "  K[1,2] = m2*l2*(l2/3 + l1*cos(q2)/2)\n"
                                "  Q_V = [ 0 ]   [Forehand et al., eq. (84)]\n        [ 0 ]\n"
                                "    Zero: no joint slides; q1 turns and Q_V[i] is gone.\n"
                                "  E = the unit matrix\n"));
    const std::string latex = present(d, e, {.to = To::latex, .only = {"power"}});
    EXPECT_THAT(latex, HasSubstr("K_{1,2} = \\sum_{j} m_{j} c_{1,j}^{T} c_{2,j} \\qquad \\text{[Forehand et al., eq. (58)]}\n"));
    EXPECT_THAT(latex, HasSubstr("K_{1,2} & = m_{2}"));
    EXPECT_THAT(latex, HasSubstr("$q_{1}$ turns and $Q_{\\mathrm{V},i}$ is gone."));
    const auto j = nlohmann::json::parse(present(d, e, {.to = To::json, .only = {"power"}}));
    EXPECT_EQ(j["steps"][0]["lines"][0]["definition"], "sum over j of m[j] c[1,j]^T c[2,j]");
    EXPECT_EQ(j["steps"][0]["lines"][0]["citation"], "forehand (58)");
    EXPECT_EQ(j["steps"][0]["lines"][1]["note"], "Zero: no joint slides; `q1` turns and `Q_V[i]` is gone.");
}

}  // namespace
}  // namespace linkwright::present::test
