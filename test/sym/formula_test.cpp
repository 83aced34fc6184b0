// What stands on the page: golden strings in the three styles, and what every string must keep to.

#include "linkwright/sym/formula.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/matrix.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/readable.hpp"
#include "support/print.hpp"
#include "support/random_expr.hpp"

namespace linkwright::sym::test {
namespace {

class Printing : public testing::Test {
protected:
    Pool pool{{.fold = false}};
    PoolScope scope{pool};
    Expr a = symbol("a"), b = symbol("b"), c = symbol("c"), x = symbol("x"), q = symbol("q", Role::coordinate);

    struct Golden {
        Expr e;
        std::string text, unicode, latex;
    };
    static void expect(const std::vector<Golden>& table) {
        for (const auto& [e, text, unicode, latex] : table) {
            EXPECT_EQ(print(e), text);
            EXPECT_EQ(print(e, {.style = Style::unicode}), unicode) << text;
            EXPECT_EQ(print(e, {.style = Style::latex}), latex) << text;
        }
    }
};

// ------------------------------------------------------------------------------------------------------------ golden

TEST_F(Printing, SumsAndDifferences) {
    const Expr minus = a - b, plus = a + b;  // factors stand in the order they were made in
    expect({
        {a + b, "a + b", "a + b", "a + b"},
        {a - b, "a - b", "a − b", "a - b"},
        {b - a, "b - a", "b − a", "b - a"},
        {(a + b) + c, "a + b + c", "a + b + c", "a + b + c"},
        {a + (b + c), "b + c + a", "b + c + a", "b + c + a"},
        {(a + b) + (c + x), "a + b + (c + x)", "a + b + (c + x)", "a + b + \\left(c + x\\right)"},
        {a - (b - c), "a - (b - c)", "a − (b − c)", "a - \\left(b - c\\right)"},
        {(a - b) - c, "a - b - c", "a − b − c", "a - b - c"},
        {-(a + b), "-(a + b)", "−(a + b)", "-\\left(a + b\\right)"},
        {-a - b, "-(a + b)", "−(a + b)", "-\\left(a + b\\right)"},
        {a + 1, "a + 1", "a + 1", "a + 1"},
        {a - 1, "a - 1", "a − 1", "a - 1"},
        {1 - a, "1 - a", "1 − a", "1 - a"},
        {2 * a - 3 * b, "2*a - 3*b", "2·a − 3·b", "2 a - 3 b"},
        {a - Rational(1, 3), "a - 1/3", "a − 1/3", "a - \\frac{1}{3}"},
        {a * (b + c) - c, "a*(b + c) - c", "a·(b + c) − c", "a \\left(b + c\\right) - c"},
        {minus * plus, "(a - b)*(a + b)", "(a − b)·(a + b)", "\\left(a - b\\right) \\left(a + b\\right)"},
        {-a, "-a", "−a", "-a"},
        {-(a * b), "-a*b", "−a·b", "-a b"},
        {a - b * c, "a - b*c", "a − b·c", "a - b c"},
        {a + b * c * -2, "a - 2*b*c", "a − 2·b·c", "a - 2 b c"},
    });
}

TEST_F(Printing, ProductsAndQuotients) {
    const Expr below_a = 1 / a, below_b = 1 / b;
    expect({
        {a * b * c, "a*b*c", "a·b·c", "a b c"},
        {a * (b * c), "b*c*a", "b·c·a", "b c a"},
        {(a * b) * (c * x), "a*b*(c*x)", "a·b·(c·x)", "a b c x"},
        {a / b, "a/b", "a/b", "\\frac{a}{b}"},
        {1 / a, "1/a", "1/a", "\\frac{1}{a}"},
        {-1 / a, "-1/a", "−1/a", "-\\frac{1}{a}"},
        {a / (b * c), "a/(b*c)", "a/(b·c)", "\\frac{a}{b c}"},
        {a / b / c, "a/b/c", "a/b/c", "\\frac{a}{b c}"},
        {1 / (a * b), "1/(a*b)", "1/(a·b)", "\\frac{1}{a b}"},
        {below_a * below_b, "1/a/b", "1/a/b", "\\frac{1}{a b}"},
        {a / (b / c), "a/(b/c)", "a/(b/c)", "\\frac{a}{\\frac{b}{c}}"},
        {a / (b + c), "a/(b + c)", "a/(b + c)", "\\frac{a}{b + c}"},
        {(a + b) / c, "(a + b)/c", "(a + b)/c", "\\frac{a + b}{c}"},
        {(a + b) / (a - c), "(a + b)/(a - c)", "(a + b)/(a − c)", "\\frac{a + b}{a - c}"},
        {a / 2, "a/2", "a/2", "\\frac{a}{2}"},
        {2 * a / 3, "2*a/3", "2·a/3", "\\frac{2 a}{3}"},
        {-2 * a / 3, "-2*a/3", "−2·a/3", "-\\frac{2 a}{3}"},
        {(a + b) / 2, "(a + b)/2", "(a + b)/2", "\\frac{a + b}{2}"},
        {2 / (3 * a), "2/(3*a)", "2/(3·a)", "\\frac{2}{3 a}"},
        {below_a / (1 + below_b), "1/a/(1/b + 1)", "1/a/(1/b + 1)", "\\frac{1}{a \\left(\\frac{1}{b} + 1\\right)}"},
        {a * (b / c), "b/c*a", "b/c·a", "\\frac{b a}{c}"},
        {a * (b - c) / 2, "a*(b - c)/2", "a·(b − c)/2", "\\frac{a \\left(b - c\\right)}{2}"},
    });
}

TEST_F(Printing, Powers) {
    expect({
        {pow(x, 2), "x^2", "x²", "x^{2}"},
        {pow(x, 12), "x^12", "x¹²", "x^{12}"},
        {pow(-x, 2), "x^2", "x²", "x^{2}"},
        {-pow(x, 2), "-x^2", "−x²", "-x^{2}"},
        {pow(-x, Rational(3, 2)), "(-x)^(3/2)", "(−x)^(3/2)", "\\left(-x\\right)^{3/2}"},
        {pow(a + b, 2), "(a + b)^2", "(a + b)²", "\\left(a + b\\right)^{2}"},
        {pow(a * b, 2), "(a*b)^2", "(a·b)²", "\\left(a b\\right)^{2}"},
        {pow(a / b, 2), "(a/b)^2", "(a/b)²", "\\left(\\frac{a}{b}\\right)^{2}"},
        {pow(x, -2), "1/x^2", "1/x²", "\\frac{1}{x^{2}}"},
        {pow(a + b, -2), "1/(a + b)^2", "1/(a + b)²", "\\frac{1}{\\left(a + b\\right)^{2}}"},
        {a / pow(b + c, 3), "a/(b + c)^3", "a/(b + c)³", "\\frac{a}{\\left(b + c\\right)^{3}}"},
        {sqrt(x), "sqrt(x)", "√(x)", "\\sqrt{x}"},
        {sqrt(Expr(2)), "sqrt(2)", "√(2)", "\\sqrt{2}"},
        {sqrt(a + b), "sqrt(a + b)", "√(a + b)", "\\sqrt{a + b}"},
        {a / sqrt(x), "a/sqrt(x)", "a/√(x)", "\\frac{a}{\\sqrt{x}}"},
        {pow(x, Rational(-1, 2)), "1/sqrt(x)", "1/√(x)", "\\frac{1}{\\sqrt{x}}"},
        {pow(x, Rational(3, 2)), "x^(3/2)", "x^(3/2)", "x^{3/2}"},
        {pow(x, Rational(-3, 2)), "1/x^(3/2)", "1/x^(3/2)", "\\frac{1}{x^{3/2}}"},
        {pow(pow(x, 2), Rational(3, 2)), "(x^2)^(3/2)", "(x²)^(3/2)", "\\left(x^{2}\\right)^{3/2}"},
        {pow(1 / x, Rational(3, 2)), "(1/x)^(3/2)", "(1/x)^(3/2)", "\\left(\\frac{1}{x}\\right)^{3/2}"},
        {sqrt(sqrt(x)), "sqrt(sqrt(x))", "√(√(x))", "\\sqrt{\\sqrt{x}}"},
        {sqrt(Expr(2)) / 2, "sqrt(2)/2", "√(2)/2", "\\frac{\\sqrt{2}}{2}"},
        {pow(1 + sqrt(x), 2), "(sqrt(x) + 1)^2", "(√(x) + 1)²", "\\left(\\sqrt{x} + 1\\right)^{2}"},
        {a * pow(x, 2) / 2, "a*x^2/2", "a·x²/2", "\\frac{a x^{2}}{2}"},
    });
}

TEST_F(Printing, CompiledEquations) {
    expect({
        {Expr(0), "0", "0", "0"},
        {Expr(17), "17", "17", "17"},
        {Expr(9.81), "9.81", "9.81", "9.81"},
        {Expr(0.05), "0.05", "0.05", "0.05"},
        {Expr(0.5), "1/2", "1/2", "\\frac{1}{2}"},
        {Expr(Rational(1, 3)), "1/3", "1/3", "\\frac{1}{3}"},
        {Expr(Rational(22, 7)), "22/7", "22/7", "\\frac{22}{7}"},
        {Expr(Rational(1, 17)), "1/17", "1/17", "\\frac{1}{17}"},
        {Expr(Rational(1, 32)), "0.03125", "0.03125", "0.03125"},
        {Expr(1e-9), "0.000000001", "0.000000001", "0.000000001"},
        {Expr(1e-12), "1/1000000000000", "1/1000000000000", "\\frac{1}{1000000000000}"},
        {Expr(123.456), "123.456", "123.456", "123.456"},
        {a * 9.81, "9.81*a", "9.81·a", "9.81 a"},
        {b - 9.81 * a, "b - 9.81*a", "b − 9.81·a", "b - 9.81 a"},
        {a / 9.81, "100*a/981", "100·a/981", "\\frac{100 a}{981}"},
        {-a / 3, "-a/3", "−a/3", "-\\frac{a}{3}"},
        {0.15 / a, "0.15/a", "0.15/a", "\\frac{0.15}{a}"},
        {pow(Expr(10), 20) * a, "100000000000000000000*a", "100000000000000000000·a", "100000000000000000000 a"},
        {pi(), "pi", "π", "\\pi"},
        {pi() / 2, "pi/2", "π/2", "\\frac{\\pi}{2}"},
        {2 * pi() * a, "2*pi*a", "2·π·a", "2 \\pi a"},
        {undefined(), "undefined", "undefined", "\\mathrm{undefined}"},
    });
    EXPECT_EQ(print(Expr(-3)), "-3");
    EXPECT_EQ(print(Expr(-9.81)), "-9.81");
    EXPECT_EQ(print(Expr(Rational(-1, 3))), "-1/3");
    EXPECT_EQ(print(Expr(Rational(-1, 3)), {.style = Style::latex}), "-\\frac{1}{3}");
}

TEST_F(Printing, Functions) {
    expect({
        {sin(q), "sin(q)", "sin(q)", "\\sin q"},
        {pow(sin(q), 2), "sin(q)^2", "sin(q)²", "\\sin^{2} q"},
        {pow(cos(2 * q), 3), "cos(2*q)^3", "cos(2·q)³", "\\cos^{3}\\left(2 q\\right)"},
        {1 / pow(cos(q), 2), "1/cos(q)^2", "1/cos(q)²", "\\frac{1}{\\cos^{2} q}"},
        {sqrt(sin(q)), "sqrt(sin(q))", "√(sin(q))", "\\sqrt{\\sin q}"},
        {a * sin(q), "a*sin(q)", "a·sin(q)", "a \\sin q"},
        {sin(q + a), "sin(a + q)", "sin(a + q)", "\\sin\\left(a + q\\right)"},
        {sin(a * q), "sin(a*q)", "sin(a·q)", "\\sin\\left(a q\\right)"},
        {tan(q), "tan(q)", "tan(q)", "\\tan q"},
        {asin(a), "asin(a)", "asin(a)", "\\arcsin a"},
        {acos(a), "acos(a)", "acos(a)", "\\arccos a"},
        {atan(a), "atan(a)", "atan(a)", "\\arctan a"},
        {log(a), "log(a)", "log(a)", "\\ln a"},
        {log(pi()), "log(pi)", "log(π)", "\\ln \\pi"},
        {pow(log(a), 2), "log(a)^2", "log(a)²", "\\ln^{2} a"},
        {tanh(a / b), "tanh(a/b)", "tanh(a/b)", "\\tanh\\left(\\frac{a}{b}\\right)"},
        {exp(-a), "exp(-a)", "exp(−a)", "e^{-a}"},
        {b * exp(-a / 2), "b*exp(-a/2)", "b·exp(−a/2)", "b e^{-\\frac{a}{2}}"},
        {abs(a - b), "abs(a - b)", "abs(a − b)", "\\left|a - b\\right|"},
        {pow(abs(a), 3), "abs(a)^3", "abs(a)³", "\\left|a\\right|^{3}"},
        {sign(a), "sign(a)", "sign(a)", "\\operatorname{sign}\\left(a\\right)"},
        {atan2(a, b), "atan2(a, b)", "atan2(a, b)", "\\operatorname{atan2}\\left(a, b\\right)"},
        {min(a, b - c), "min(a, b - c)", "min(a, b − c)", "\\operatorname{min}\\left(a, b - c\\right)"},
        {max(a, b), "max(a, b)", "max(a, b)", "\\operatorname{max}\\left(a, b\\right)"},
        {select(a - b, x, -x), "if(a - b > 0, x, -x)", "if(a − b > 0, x, −x)",
         "\\begin{cases}x & a - b > 0 \\\\ -x & \\text{otherwise} \\end{cases}"},
    });
}

TEST(Names, OnThePage) {
    struct Golden {
        std::string_view name, unicode, latex;
    };
    const Golden table[]{
        {"x", "x", "x"},
        {"omega", "ω", "\\omega"},
        {"omega1", "ω₁", "\\omega_{1}"},
        {"Omega", "Ω", "\\Omega"},
        {"theta", "θ", "\\theta"},
        {"theta'", "θ\u0307", "\\dot{\\theta}"},
        {"q10", "q₁₀", "q_{10}"},
        {"q2'", "q\u0307₂", "\\dot{q}_{2}"},
        {"q1''", "q\u0308₁", "\\ddot{q}_{1}"},
        {"hip", "hip", "\\mathit{hip}"},
        {"hip'", "hip\u0307", "\\dot{\\mathit{hip}}"},
        {"hip''", "hip\u0308", "\\ddot{\\mathit{hip}}"},
        {"q'''", "q'''", "{q^{(3)}}"},
        {"fly.wx", "fly.wx", "w_{x,\\mathrm{fly}}"},
        {"fly.w", "fly.w", "w_{\\mathrm{fly}}"},
        {"fly.omega1'", "fly.ω\u0307₁", "\\dot{\\omega}_{1,\\mathrm{fly}}"},
        {"link1.rod'", "link1.rod\u0307", "\\dot{\\mathit{rod}}_{\\mathrm{link1}}"},
        {"lambda.close.x", "λ.close.x", "\\lambda_{\\mathrm{close.x}}"},
        {"lambda.rod", "λ.rod", "\\lambda_{\\mathrm{rod}}"},
        {"leg1.u.2", "leg1.u.2", "u_{2,\\mathrm{leg1}}"},
        {"leg1.2'", "leg1.2\u0307", "\\dot{\\mathit{leg}}_{1,2}"},
        {"arm.link_2.q", "arm.link_2.q", "q_{\\mathrm{arm.link\\_2}}"},
        {"body_1", "body₁", "\\mathit{body}_{1}"},
        {"m_1", "m₁", "m_{1}"},
        {"ml", "ml", "m_{l}"},
        {"Jx", "Jx", "J_{x}"},
        {"Izz2", "Izz₂", "I_{zz2}"},
        {"EI", "EI", "\\mathit{EI}"},
        {"mu", "μ", "\\mu"},
        {"dt'", "dt\u0307", "\\dot{d}_{t}"},
        {"m_a", "m_a", "m_{\\mathit{a}}"},
        {"fly.m_a1'", "fly.m_a\u0307₁", "\\dot{m}_{\\mathit{a1},\\mathrm{fly}}"},
        {"x1y2", "x1y₂", "\\mathit{x1y}_{2}"},
        {"arm.y1", "arm.y₁", "y_{1,\\mathrm{arm}}"},
        {"arm.S.y1", "arm.S.y₁", "S_{y1,\\mathrm{arm}}"},
        {"arm.H.x.y1y2", "arm.H.x.y1y₂", "H_{x,y1y2,\\mathrm{arm}}"},
        {"arm.H.y1y1.y1y2", "arm.H.y1y1.y1y₂", "H_{y1y1,y1y2,\\mathrm{arm}}"},
        {"east.arm_2.J.twist1twist2", "east.arm_2.J.twist1twist₂", "J_{\\theta 1\\theta 2,\\mathrm{east.arm\\_2}}"},
        {"arm.tip.z1z1", "arm.tip.z1z₁", "h_{z1z1,\\mathrm{arm.tip}}"},
        {"alphabet", "alphabet", "\\mathit{alphabet}"},
    };
    for (const auto& [name, unicode, latex] : table) {
        EXPECT_EQ(write_name(name, Style::text), name);
        EXPECT_EQ(write_name(name, Style::unicode), unicode) << name;
        EXPECT_EQ(write_name(name, Style::latex), latex) << name;
    }
}

TEST(Names, StandInFormulas) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr m1 = symbol("m1"), u = symbol("fly.w", Role::speed), rate = symbol("theta'", Role::speed);
    EXPECT_EQ(print(m1 * pow(rate, 2) / 2), "m1*theta'^2/2");
    EXPECT_EQ(print(m1 * pow(rate, 2) / 2, {.style = Style::unicode}), "m₁·θ\u0307²/2");
    EXPECT_EQ(print(m1 * pow(rate, 2) / 2, {.style = Style::latex}), "\\frac{m_{1} \\dot{\\theta}^{2}}{2}");
    EXPECT_EQ(print(pow(u, 2), {.style = Style::latex}), "w_{\\mathrm{fly}}^{2}");
    // names of several letters stand apart: "ml rl g" is a product of three
    const Expr mass = symbol("mass"), g = symbol("g"), ml = symbol("ml"), rl = symbol("rl");
    const Expr weight = mass * g;
    EXPECT_EQ(print(weight, {.style = Style::latex}), "\\mathit{mass} \\, g");
    const Expr moment = ml * rl * g;
    EXPECT_EQ(print(moment, {.style = Style::latex}), "m_{l} r_{l} g");
    const Expr ratio = g * pow(mass, -2) / m1;
    EXPECT_EQ(print(ratio, {.style = Style::latex}), "\\frac{g}{\\mathit{mass}^{2} \\, m_{1}}");
}

TEST_F(Printing, PartsOfAFormula) {
    Formula f;
    EXPECT_EQ(f[f.sum({})].number, Rational(0));
    EXPECT_EQ(f[f.product({})].number, Rational(1));
    const Formula::Part name = f.name("x");
    EXPECT_EQ(f.sum({name}), name);
    EXPECT_EQ(f.product({name}), name);
    EXPECT_EQ(f.power(name, 1), name);
    f.root = f.product({f.number(Rational(-2, 3)), name, f.power(f.sum({name, f.number(1)}), -1), f.power(f.name("y"), -2)});
    EXPECT_EQ(write(f), "-2*x/(3*(x + 1)*y^2)");
    EXPECT_EQ(write(f, {.style = Style::latex}), "-\\frac{2 x}{3 \\left(x + 1\\right) y^{2}}");
    f.root = f.sum({f.root, f.product({f.number(-1), f.sum({name, f.pi()})}), f.number(-4)});
    EXPECT_EQ(write(f), "-2*x/(3*(x + 1)*y^2) - (x + pi) - 4");
}

// --------------------------------------------------------------------------------------------------------------- length

TEST_F(Printing, TheLongestIsKept) {
    const Expr e = a * x + b * pow(x, 2) - c;
    const std::string whole = print(e);
    EXPECT_EQ(print(e, {.style = Style::text, .longest = whole.size()}), whole);
    for (std::size_t longest = 0; longest + 1 < whole.size(); ++longest) {
        const std::string cut = print(e, {.style = Style::text, .longest = longest});
        ASSERT_TRUE(cut.ends_with("…")) << cut;
        const std::string kept = cut.substr(0, cut.size() - std::string_view("…").size());
        EXPECT_EQ(kept, whole.substr(0, kept.size())) << longest;
        EXPECT_EQ(kept.size(), longest);
    }
}

/// A cut never splits a character.
TEST_F(Printing, ACutLeavesWholeCharacters) {
    const Expr e = symbol("theta1", Role::coordinate) - 2 * symbol("omega'", Role::speed) + pow(x, 12) + pow(x + 10 * a, 3);
    const std::string whole = print(e, {.style = Style::unicode});
    for (std::size_t longest = 0; longest + 8 < whole.size(); ++longest) {
        std::string cut = print(e, {.style = Style::unicode, .longest = longest});
        ASSERT_TRUE(cut.ends_with("…"));
        cut.resize(cut.size() - std::string_view("…").size());
        EXPECT_LE(cut.size(), longest);
        EXPECT_GE(cut.size() + 4, longest);
        EXPECT_EQ(cut, whole.substr(0, cut.size()));
        const bool at_a_boundary = (static_cast<unsigned char>(whole[cut.size()]) & 0xC0U) != 0x80U;
        EXPECT_TRUE(at_a_boundary) << longest << ": " << cut;
    }
}

TEST_F(Printing, OperationsAreThoseAsWritten) {
    const std::pair<Expr, double> table[]{
        {a, 0},
        {Expr(7), 0},
        {pi(), 0},
        {a + b, 1},
        {a + b + c, 2},
        {-a, 0},
        {a - b, 1},
        {2 * a, 1},
        {-a * b, 1},
        {a * b * c, 2},
        {a / b, 2},
        {pow(a, 2), 1},
        {pow(a, 3), 2},
        {pow(a, 8), 3},
        {pow(a, 9), 4},
        {sqrt(a), 1},
        {1 / a, 1},
        {pow(a, -2), 1},
        {sin(a + b), 2},
        {atan2(a, b), 1},
        {select(a, b, c), 1},
        {sin(a) * sin(a) + cos(a), 4},  // written twice, counted twice
    };
    for (const auto& [e, count] : table) EXPECT_EQ(operations(faithful(e)), count) << print(e);
    EXPECT_EQ(operations(Formula()), 0);
    Expr shared = a;
    for (int i = 0; i < 100; ++i) shared = sin(shared) * tanh(shared);
    EXPECT_GT(operations(faithful(shared)), 1e30);  // a tree of 2^100, counted without growing it
}

/// The longest is the longest, also when the last piece is what goes beyond it.
TEST_F(Printing, TheLongestHoldsForTheLastPieceToo) {
    EXPECT_EQ(print(symbol("a_rather_long_name"), {.style = Style::text, .longest = 8}), "a_rather…");
}

// ----------------------------------------------------------------------------------------- what a reader would misread

TEST_F(Printing, LatexSaysOneThing) {
    const Expr s = sin(q), k = symbol("k"), jerk = symbol("w'''"), choice = select(a, b, c);
    const auto latex = [](const Expr& e) { return print(e, {.style = Style::latex}); };
    EXPECT_EQ(latex(s * k), "k \\sin q");  // not the sine of q·k
    EXPECT_EQ(latex(1 / (s * k)), "\\frac{1}{k \\sin q}");
    EXPECT_EQ(latex(s * (k + a)), "\\left(a + k\\right) \\sin q");
    EXPECT_EQ(latex(pow(s, 2) * k), "k \\sin^{2} q");
    EXPECT_EQ(latex(pow(s, Rational(3, 2))), "\\left(\\sin q\\right)^{3/2}");  // not the sine of a power
    EXPECT_EQ(latex(pow(sign(a), 2)), "\\operatorname{sign}\\left(a\\right)^{2}");
    EXPECT_EQ(latex(pow(jerk, 2)), "{w^{(3)}}^{2}");  // TeX refuses two superscripts on one letter
    EXPECT_EQ(latex(pow(exp(a), Rational(1, 3))), "\\left(e^{a}\\right)^{1/3}");
    EXPECT_EQ(latex(choice * k), "k \\left(\\begin{cases}b & a > 0 \\\\ c & \\text{otherwise} \\end{cases}\\right)");
}

/// 2·2^(1/3) is not 22^(1/3); and the minus sign of a number is that of a letter.
TEST_F(Printing, DigitsAndSigns) {
    EXPECT_NE(print(2 * pow(Expr(2), Rational(1, 3)), {.style = Style::latex}), "2 2^{1/3}");
    EXPECT_EQ(print(Expr(-3), {.style = Style::unicode}), "−3");
}

// ----------------------------------------------------------------------------------------------------- random formulas

/// Empty, or what is wrong: braces, \left \right, environments.
std::string fault_of_latex(const std::string& s) {
    std::vector<std::string> open;
    const auto close = [&](const std::string& expected) {
        if (open.empty() || open.back() != expected) return false;
        open.pop_back();
        return true;
    };
    for (std::size_t i = 0; i < s.size(); ++i) {
        const auto starts = [&](std::string_view word) { return s.compare(i, word.size(), word) == 0; };
        if (starts("\\left|") || starts("\\right|") || starts("\\left(") || starts("\\right)")) {
            const bool left = starts("\\left");
            const char fence = s[i + (left ? 5 : 6)];
            if (left) open.push_back(fence == '|' ? "\\right|" : "\\right)");
            if (!left && !close(fence == '|' ? "\\right|" : "\\right)")) return "a fence that was not opened";
            i += left ? 5 : 6;
        } else if (starts("\\begin{cases}")) {
            open.push_back("cases");
            i += 12;
        } else if (starts("\\end{cases}")) {
            if (!close("cases")) return "cases that were not begun";
            i += 10;
        } else if (s[i] == '{') {
            open.push_back("}");
        } else if (s[i] == '}') {
            if (!close("}")) return "a brace that was not opened";
        } else if (s[i] == '(' || s[i] == ')') {
            return "a parenthesis that does not grow";
        }
    }
    return open.empty() ? "" : "not closed: " + open.back();
}

TEST(RandomFormulas, LatexIsBalanced) {
    Pool pool({.fold = false});
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const Expr e = random(2 + seed % 20).e;
        const std::string faithfully = print(e, {.style = Style::latex});
        EXPECT_EQ(fault_of_latex(faithfully), "") << faithfully;
        if (seed % 8 != 0) continue;
        const auto formula = readable(e, {.terms = 300, .time = std::chrono::milliseconds(100)});
        if (!formula) continue;
        const std::string readably = write(*formula, {.style = Style::latex});
        EXPECT_EQ(fault_of_latex(readably), "") << readably;
    }
    EXPECT_NE(fault_of_latex("\\left(a"), "");
    EXPECT_NE(fault_of_latex("\\frac{a}{b"), "");
    EXPECT_NE(fault_of_latex("\\left(a\\right|"), "");
    EXPECT_NE(fault_of_latex("a}"), "");
}

TEST(RandomFormulas, UnicodeIsTheTextInOtherLetters) {
    Pool pool({.fold = false});
    const std::pair<std::string_view, std::string_view> letters[]{{"·", "*"}, {"−", "-"}, {"√", "sqrt"}, {"π", "pi"}};
    const std::string_view digits[]{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const Expr e = random(2 + seed % 16).e;
        std::string s = print(e, {.style = Style::unicode});
        const auto replace_all = [&](std::string_view from, std::string_view to) {
            for (std::size_t at = s.find(from); at != std::string::npos; at = s.find(from, at + to.size())) s.replace(at, from.size(), to);
        };
        for (const auto& [from, to] : letters) replace_all(from, to);
        for (std::size_t d = 0; d < 10; ++d) replace_all(digits[d], "^" + std::to_string(d));
        EXPECT_EQ(s, print(e));
    }
}

TEST(RandomFormulas, ReadableTextReadsBackAsTheSameFunction) {
    Pool pool({.fold = false});
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomExpr random(pool, seed,
                          {.analytic_functions = seed % 3 == 0, .kinks = seed % 6 == 0, .quotients = true, .angles_are_linear = true});
        const Shadowed s = random(3 + seed % 9);
        const auto formula = readable(s.e, {.terms = 1000, .time = std::chrono::milliseconds(200)});
        if (!formula) continue;
        const std::string text = write(*formula);
        const Parsed back = parse(text, names_of(pool), pool);
        ASSERT_TRUE(back.expr) << text << "\n" << to_string(back.problems);
        EXPECT_NE(equal(*back.expr, s.e), Verdict::different) << "seed " << seed << ": " << print(s.e) << "\nread as " << text;
        if ((s.e.node().flags & Node::opaque) == 0 && !back.expr->is_undefined()) {
            ++compared;
            EXPECT_EQ(equal(*back.expr, s.e), Verdict::equal) << "seed " << seed << ": " << print(s.e) << "\nread as " << text;
        }
        EXPECT_NE(equal(to_expr(*formula, pool), *back.expr), Verdict::different);  // the formula says what its text says
    }
    EXPECT_GT(compared, 500);
}

// ------------------------------------------------------------------------------------------------------------- readable

class Readable : public testing::Test {
protected:
    Pool pool;
    PoolScope scope{pool};

    std::string text(const Expr& e, Style style = Style::text) {
        const auto formula = readable(e);
        EXPECT_TRUE(formula) << formula.why_not;
        if (!formula) return "";
        EXPECT_EQ(equal(to_expr(*formula, pool), e), Verdict::equal) << write(*formula);
        return write(*formula, {.style = style});
    }
};

/// A chain of point masses in a plane, hanging from a pivot; angles from the vertical, or each from the link before.
struct Pendulum {
    std::vector<Expr> m, l, q, u, a;
    Expr g, T, V;
    Matrix M;
    std::vector<Expr> f;  // M·a = f

    Pendulum(Pool& pool, int n, bool relative) : g(pool.symbol("g")), T(0), V(0) {
        std::vector<Binding> rates;
        for (int i = 1; i <= n; ++i) {
            const std::string index = std::to_string(i);
            m.push_back(pool.symbol("m" + index));
            l.push_back(pool.symbol("l" + index));
            q.push_back(pool.symbol("q" + index, Role::coordinate));
            u.push_back(pool.symbol("q" + index + "'", Role::speed));
            a.push_back(pool.symbol("q" + index + "''", Role::acceleration));
            rates.insert(rates.end(), {{q.back(), u.back()}, {u.back(), a.back()}});
        }
        Tangent rate = time_derivative(pool, rates);
        Expr x(0), y(0), angle(0);
        for (std::size_t i = 0; i < q.size(); ++i) {
            angle = relative ? angle + q[i] : q[i];
            x += l[i] * sin(angle);
            y -= l[i] * cos(angle);
            T += m[i] * (pow(rate(x), 2) + pow(rate(y), 2)) / 2;
            V += m[i] * g * y;
        }
        for (std::size_t i = 0; i < q.size(); ++i) {
            const Expr momentum = derivative(T, u[i]);
            Expr force = derivative(T - V, q[i]) - rate(momentum);
            M.emplace_back();
            for (std::size_t j = 0; j < q.size(); ++j) {
                M.back().push_back(derivative(momentum, u[j]));
                force += M.back().back() * a[j];
            }
            f.push_back(force);
        }
    }
};

TEST_F(Readable, DoublePendulumWithAbsoluteAngles) {
    const Pendulum p(pool, 2, false);
    EXPECT_EQ(text(p.M[0][0]), "l1^2*(m1 + m2)");
    EXPECT_EQ(text(p.M[0][1]), "l1*m2*l2*cos(q1 - q2)");
    EXPECT_EQ(text(p.M[1][0]), "l1*m2*l2*cos(q1 - q2)");
    EXPECT_EQ(text(p.M[1][1]), "m2*l2^2");
    EXPECT_EQ(text(p.f[1]), "m2*l2*(l1*q1'^2*sin(q1 - q2) - g*sin(q2))");
    EXPECT_EQ(text(p.V), "-g*(l1*(m1 + m2)*cos(q1) + m2*l2*cos(q2))");
    EXPECT_EQ(text(p.M[0][1], Style::unicode), "l₁·m₂·l₂·cos(q₁ − q₂)");
    EXPECT_EQ(text(p.M[0][1], Style::latex), "l_{1} m_{2} l_{2} \\cos\\left(q_{1} - q_{2}\\right)");
    EXPECT_EQ(text(p.f[1], Style::latex),
              "m_{2} l_{2} \\left(l_{1} \\dot{q}_{1}^{2} \\sin\\left(q_{1} - q_{2}\\right) - g \\sin q_{2}\\right)");
}

TEST_F(Readable, DoublePendulumWithRelativeAngles) {
    const Pendulum p(pool, 2, true);
    EXPECT_EQ(text(p.M[0][0]), "l1^2*(m1 + m2) + m2*l2^2 + 2*l1*m2*l2*cos(q2)");
    EXPECT_EQ(text(p.M[0][1]), "m2*l2*(l2 + l1*cos(q2))");
    EXPECT_EQ(text(p.M[1][1]), "m2*l2^2");
    EXPECT_EQ(text(p.f[1]), "-m2*l2*(g*sin(q1 + q2) + l1*q1'^2*sin(q2))");
    EXPECT_EQ(text(p.V), "-g*(m2*l2*cos(q1 + q2) + l1*(m1 + m2)*cos(q1))");
    text(p.T);
    text(p.f[0]);
}

TEST_F(Readable, TriplePendulum) {
    const Pendulum absolute(pool, 3, false);
    EXPECT_EQ(text(absolute.M[0][0]), "l1^2*(m1 + m2 + m3)");
    EXPECT_EQ(text(absolute.M[0][1]), "l1*l2*(m2 + m3)*cos(q1 - q2)");
    EXPECT_EQ(text(absolute.M[1][2]), "l2*m3*l3*cos(q2 - q3)");
    EXPECT_EQ(text(absolute.f[2]), "m3*l3*(l1*q1'^2*sin(q1 - q3) + l2*q2'^2*sin(q2 - q3) - g*sin(q3))");
    EXPECT_EQ(text(absolute.f[1]), "l2*(l1*q1'^2*(m2 + m3)*sin(q1 - q2) - m3*l3*q3'^2*sin(q2 - q3) - g*(m2 + m3)*sin(q2))");
    const Pendulum relative(pool, 3, true);
    EXPECT_EQ(text(relative.M[0][2]), "m3*l3*(l3 + l1*cos(q2 + q3) + l2*cos(q3))");
    EXPECT_EQ(text(relative.M[1][1]), "l2^2*(m2 + m3) + m3*l3^2 + 2*l2*m3*l3*cos(q3)");
    for (std::size_t i = 0; i < 3; ++i) {  // long ones: only that they are right
        text(relative.f[i]);
        for (std::size_t j = 0; j < 3; ++j) text(relative.M[i][j]);
    }
}

TEST_F(Readable, FactorsAndSigns) {
    const Expr x = symbol("x"), y = symbol("y"), k = symbol("k"), q = symbol("q", Role::coordinate);
    EXPECT_EQ(text(k * (x * x + 2 * x * y + y * y)), "k*(x + y)^2");
    EXPECT_EQ(text((x * x - y * y) / (x - y)), "x + y");
    EXPECT_EQ(text(1 / (y * pow(x + y, 2))), "1/(y*(x + y)^2)");
    EXPECT_EQ(text(-1 / (k * pow(cos(q), 2) - k - y)), "1/(k*sin(q)^2 + y)");
    EXPECT_EQ(text(y - 4 * x), "y - 4*x");
    EXPECT_EQ(text(-x - 4 * y), "-(x + 4*y)");
}

TEST_F(Readable, SquaresAndTops) {
    const Expr J = symbol("J"), K = symbol("K"), q = symbol("q", Role::coordinate), u = symbol("u", Role::speed);
    EXPECT_EQ(text(J * pow(sin(q), 2) + J * pow(cos(q), 2)), "J");
    EXPECT_EQ(text(J * pow(sin(q), 2) + K * pow(cos(q), 2)), "J + (K - J)*cos(q)^2");
    EXPECT_EQ(text(J * pow(cos(q), 2) - J), "-J*sin(q)^2");
    EXPECT_EQ(text(pow(sin(q), 2) - 1), "-cos(q)^2");
    EXPECT_EQ(text(pow(cos(q), 4) - pow(sin(q), 4)), "cos(2*q)");
    EXPECT_EQ(text(2 * sin(q) * cos(q) * u * u * (J - K)), "u^2*(J - K)*sin(2*q)");
    const Expr A = symbol("A"), C = symbol("C"), m = symbol("m"), g = symbol("g"), l = symbol("l");
    const Expr theta = symbol("theta", Role::coordinate);
    const Expr up = symbol("phi'", Role::speed), ut = symbol("theta'", Role::speed), us = symbol("psi'", Role::speed);
    const Expr T = A * (pow(ut, 2) + pow(up * sin(theta), 2)) / 2 + C * pow(us + up * cos(theta), 2) / 2;
    EXPECT_EQ(text(derivative(T, up)), "phi'*(A + (C - A)*cos(theta)^2) + C*psi'*cos(theta)");
    EXPECT_EQ(text(derivative(T, us)), "C*(psi' + phi'*cos(theta))");
    EXPECT_EQ(text(derivative(T - m * g * l * cos(theta), theta)), "(phi'^2*(A - C)*cos(theta) - C*phi'*psi' + m*g*l)*sin(theta)");
    EXPECT_EQ(text(derivative(derivative(T, up), up), Style::latex), "A + \\left(C - A\\right) \\cos^{2} \\theta");
}

TEST_F(Readable, FractionsAndNumbers) {
    const Expr x = symbol("x"), y = symbol("y"), m = symbol("m"), l = symbol("l"), q = symbol("q", Role::coordinate);
    EXPECT_EQ(text((x * x - y * y) / (x + y)), "x - y");
    EXPECT_EQ(text(1 / (x + y) + 1 / (x - y)), "2*x/((x + y)*(x - y))");
    EXPECT_EQ(text(1 / (1 + 1 / x)), "x/(x + 1)");
    EXPECT_EQ(text(m * l * l / 12 + m * l * l / 4), "m*l^2/3");
    EXPECT_EQ(text(x / 3 + y / 3), "(x + y)/3");
    EXPECT_EQ(text(x / 2 + y / 4), "(2*x + y)/4");
    EXPECT_EQ(text(tan(q) * cos(q) * x), "x*sin(q)");
    EXPECT_EQ(text(tan(q) * x), "x*sin(q)/cos(q)");
    EXPECT_EQ(text(9.81 * m * sin(q)), "9.81*m*sin(q)");
    EXPECT_EQ(text(pi() * x * x / 4), "pi*x^2/4");
    EXPECT_EQ(text(x - x), "0");
    EXPECT_EQ(text(Expr(-1)), "-1");
    EXPECT_EQ(text(-(x + y)), "-(x + y)");
    EXPECT_EQ(text(exp(-x) * y + exp(-x) * x), "exp(-x)*(x + y)");
    EXPECT_EQ(text(sin(q + pi() / 6) + sin(q - pi() / 6)), "sqrt(3)*sin(q)");
    EXPECT_EQ(text(sin(q / 2) * cos(q / 2) * x), "x*sin(q)/2");
}

TEST_F(Readable, TheChoiceIsTheShorterOne) {
    const Expr a = symbol("a"), b = symbol("b"), p = symbol("p", Role::coordinate), q = symbol("q", Role::coordinate);
    const Expr sp = sin(p), cp = cos(p), sq = sin(q), cq = cos(q);
    EXPECT_EQ(text(cp * cq - sp * sq), "cos(p + q)");
    EXPECT_EQ(text(cp * cq + sp * sq), "cos(p - q)");
    EXPECT_EQ(text(sp * cq + cp * sq), "sin(p + q)");
    EXPECT_EQ(text(sp * cq - cp * sq), "sin(p - q)");
    EXPECT_EQ(text(cp * cq), "cos(p)*cos(q)");
    EXPECT_EQ(operations(*readable(a * cp * cq + b * sp * sq)), 9);  // no angle sum is shorter
    EXPECT_EQ(text(sin(p + q) * a + sin(p - q) * a), "2*a*sin(p)*cos(q)");
    EXPECT_EQ(text(cp * cp * cq - cq), "-cos(q)*sin(p)^2");
}

TEST_F(Readable, NothingWhenItIsTooLarge) {
    const Expr x = symbol("x"), y = symbol("y");
    const auto none = readable(pow(x + y, 50), {.terms = 20, .time = std::chrono::milliseconds(1000)});
    EXPECT_FALSE(none);
    EXPECT_EQ(none.why_not, "more than 20 terms");
    EXPECT_EQ(write(*readable(undefined())), "undefined");
    Pool other;
    EXPECT_TRUE(to_expr(faithful(x), other).is_undefined());  // no such name there
    EXPECT_TRUE(to_expr(Formula(), other).is_undefined());
    EXPECT_EQ(to_expr(faithful(min(x, y) + select(x, y, pi()) * exp(x)), pool), min(x, y) + select(x, y, pi()) * exp(x));
}

}  // namespace
}  // namespace linkwright::sym::test
