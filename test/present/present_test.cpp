// The page in every style: what is printed reads back as what was derived.

#include "linkwright/present/present.hpp"
#include "linkwright/present/even_scales.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "linkwright/present/words.hpp"
#include "present/pendulum.hpp"

namespace linkwright::present::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::size_t count(const std::string& text, std::string_view word) {
    std::size_t n = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++n;
    return n;
}

/// Reads the text form back: every label, with intermediates and references to earlier labels put in.
std::map<std::string, Expr> reading(const std::string& text, Pool& pool) {
    const auto right_sides = equations_of(text);
    std::map<std::string, Expr> intermediates, out;
    for (std::size_t i = 1; right_sides.contains("z" + std::to_string(i)); ++i) {
        const std::string name = "z" + std::to_string(i);
        intermediates.insert({name, meaning(right_sides.at(name), pool, intermediates)});
    }
    for (const auto& [label, right] : right_sides) {
        if (intermediates.contains(label) || right.starts_with('[')) continue;
        const bool is_negated = right.starts_with("-") && right_sides.contains(right.substr(1));
        const auto referred = right_sides.find(is_negated ? right.substr(1) : right);
        const bool is_reference = referred != right_sides.end() && right.find('[') != right.npos;
        const Expr e = meaning(is_reference ? referred->second : right, pool, intermediates);
        out.insert({label, is_negated ? -e : e});
    }
    return out;
}

void expect_equal(const std::map<std::string, Expr>& read, const std::string& label, const Expr& e) {
    ASSERT_TRUE(read.contains(label)) << label;
    EXPECT_EQ(equal(read.at(label), e), Verdict::equal) << label;
}

// -------------------------------------------------------------------------------------------------------------- text

TEST(Text, DoublePendulumReads) {
    const std::string text = present(double_pendulum(), {});
    EXPECT_THAT(text, HasSubstr("Double pendulum\n===============\nFormulation: kane. Readable form.\n\n  M u' = f\n"));
    EXPECT_THAT(text, HasSubstr("  q   coordinates: q1, q2\n  u   speeds: q1', q2'\n  w   inputs: tau\n"));
    EXPECT_THAT(text, HasSubstr("  g  = 9.81  m/s^2\n"));
    EXPECT_THAT(text, HasSubstr("The rate of every coordinate is its speed.\n"));
    EXPECT_THAT(text, HasSubstr("  M = [ l1^2*(m1/3 + m2) + m2*l2^2/3 + m2*l1*l2*cos(q2)  m2*l2*(l2/3 + l1*cos(q2)/2) ]\n"
                                "      [ m2*l2*(l2/3 + l1*cos(q2)/2)                      m2*l2^2/3                   ]\n"));
    EXPECT_THAT(text, Not(HasSubstr("M[1][1]")));
    EXPECT_THAT(text, Not(HasSubstr("where")));
    EXPECT_THAT(present(double_pendulum(), {.unicode = true}), HasSubstr("  m₂·l₂·(l₂/3 + l₁·cos(q₂)/2) ]\n"));
}

TEST(Text, MatricesThatDoNotFitAreListed) {
    EquationsOfMotion e = double_pendulum();
    for (auto& row : e.M) {
        for (Expr& x : row) x = x * e.parameters[0].symbol + e.f[0];
    }
    const std::string text = present(e, {.only = {"M"}});
    EXPECT_THAT(text, HasSubstr("M is symmetric: the entries on and above the diagonal.\n  M[1][1] = "));
    EXPECT_THAT(text, Not(HasSubstr("M[2][1]")));
    for (const std::string& line : lines_of(text)) EXPECT_LE(line.size(), 100U) << line;
    expect_equal(reading(text, *e.pool), "M[2][2]", e.M[1][1]);
}

TEST(Text, ReadsBackInBothForms) {
    const EquationsOfMotion e = double_pendulum();
    for (const Form form : {Form::readable, Form::recursive}) {
        const auto read = reading(present(e, {.form = form, .only = {"M", "f", "energy", "outputs"}}), *e.pool);
        expect_equal(read, "M[1][1]", e.M[0][0]);
        expect_equal(read, "M[1][2]", e.M[0][1]);
        expect_equal(read, "M[2][2]", e.M[1][1]);
        expect_equal(read, "f[1]", e.f[0]);
        expect_equal(read, "f[2]", e.f[1]);
        expect_equal(read, "T", e.energy.kinetic);
        expect_equal(read, "V", e.energy.potential);
        expect_equal(read, "tip.x", e.outputs[0].value);
    }
}

TEST(Text, RecursiveFormIsCodeThatAPersonCanFollow) {
    EXPECT_THAT(present(double_pendulum(), {.form = Form::recursive, .only = {"M", "f"}}), HasSubstr(R"(
Mass matrix
-----------
  M = [ z2 + z3 + m1*l1^2/3 + m2*l1^2  z2/2 + z3 ]
      [ z2/2 + z3                      z3        ]

where
  z1 = m2*l1*l2
  z2 = z1*cos(q2)
  z3 = m2*l2^2/3

Forcing
-------
)"));
}

TEST(Text, OnlyWhatIsAskedFor) {
    const EquationsOfMotion e = double_pendulum();
    EXPECT_EQ(present(e, {.only = {"power"}}),
              "Double pendulum\n===============\nFormulation: kane. Readable form.\n\nPower\n-----\n"
              "Power supplied by actuators, dampers and given motions: d(T + V)/dt = P.\n  P = tau*q2'\n");
    EXPECT_THAT(present(e, {.only = {"momentum"}}), HasSubstr("  p[x] = 0\n"));
    for (const To to : {To::text, To::markdown, To::latex, To::json}) {
        for (const std::string_view part : parts()) EXPECT_NE(present(e, {.to = to, .only = {std::string(part)}}), "");
        EXPECT_NE(present(EquationsOfMotion{}, {.to = to}), "");  // nothing moves
    }
    EXPECT_THROW(present(e, {.only = {"mass"}}), std::invalid_argument);
}

TEST(Text, ZerosAndTwins) {
    EquationsOfMotion e = double_pendulum();
    const Expr a = e.M[0][0], b = e.M[0][1], o = Expr(*e.pool, Pool::zero_id);
    e.M = {{a, b, o, o}, {b, a, -b, o}, {o, -b, a, o}, {o, o, o, b}};
    e.f = {o, o, b, a};
    const std::string text = present(e, {.only = {"M", "f"}});
    EXPECT_THAT(text, HasSubstr("  M = [ a  b   .   . ]\n      [ b  a   -b  . ]\n"
                                "      [ .  -b  a   . ]\n      [ .  .   .   b ]\n"));  // four times a are too wide for the page
    EXPECT_THAT(text, HasSubstr("  M[1][3] = 0\n"));
    EXPECT_THAT(text, HasSubstr("  M[2][2] = M[1][1]\n"));
    EXPECT_THAT(text, HasSubstr("  M[2][3] = -M[1][2]\n"));
    EXPECT_THAT(text, HasSubstr("  f[1] = 0\n  f[2] = 0\n  f[3] = M[1][2]\n  f[4] = M[1][1]\n"));
    expect_equal(reading(text, *e.pool), "M[2][3]", -b);

    e.M.assign(8, std::vector<Expr>(8, o));
    for (std::size_t i = 0; i < 8; ++i) e.M[i][i] = b * pow(a, static_cast<int>(i));
    const std::string large = present(e, {.only = {"M"}});
    EXPECT_THAT(large, HasSubstr("All other entries of M are 0."));
    EXPECT_THAT(large, Not(HasSubstr("M[1][2]")));
}

TEST(Text, LongLinesAreBroken) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    Expr sum = 0, inner = 0;
    for (int i = 0; i < 30; ++i) {
        const std::string n = std::to_string(i);
        sum += symbol("mass_of_" + n) * sin(symbol("angle_of_" + n, Role::coordinate));
        inner += symbol("length_of_" + n);
    }
    e.f = {sum, symbol("stiffness") * inner};
    for (const bool unicode : {false, true}) {
        const std::string text = present(e, {.only = {"f"}, .unicode = unicode});
        for (const std::string& line : lines_of(text)) EXPECT_LE(width(line, Style::text), 100U) << line;
        EXPECT_GT(lines_of(text).size(), 15U);
        if (unicode) continue;
        const auto read = reading(text, *e.pool);
        expect_equal(read, "f[1]", e.f[0]);
        expect_equal(read, "f[2]", e.f[1]);
    }
}

TEST(Text, TooLargeToReadFallsBack) {
    const EquationsOfMotion e = double_pendulum();
    const Budget small{.terms = 3, .time = std::chrono::milliseconds(2000)};
    const std::string text = present(e, {.only = {"M", "f"}, .budget = small});
    EXPECT_THAT(text, HasSubstr("(too large to read ("));
    EXPECT_THAT(text, HasSubstr("\nwhere\n"));
    const auto read = reading(text, *e.pool);
    expect_equal(read, "M[1][1]", e.M[0][0]);
    expect_equal(read, "f[1]", e.f[0]);
    EXPECT_THAT(present(e, {.only = {"f"}, .patience = std::chrono::milliseconds(0)}), HasSubstr("out of time"));
}

TEST(Text, HugeNumbersAreDecimals) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Rational s = *Rational::from_text("38268343236508977172845998403/100000000000000000000000000007");
    const Expr x = symbol("x");
    const Expr G = *Rational::from_text("66743e-15");
    e.f = {Expr(s) * x, -Expr(s), G * x, Expr(Rational(1, 3)) * x, symbol("y") - Expr(s) * x};
    const std::string text = present(e, {.only = {"f"}, .digits = 17});
    EXPECT_THAT(text, HasSubstr("  f[1] = 0.38268343236508978*x\n  f[2] = -0.38268343236508978\n"
                                "  f[3] = 6.6743e-11*x\n  f[4] = x/3\n"));
    EXPECT_THAT(text, HasSubstr("rounded to 17"));
    expect_equal(reading(text, *e.pool), "f[3]", e.f[2]);
    const std::string latex = present(e, {.to = To::latex, .only = {"f"}, .digits = 17});
    EXPECT_THAT(latex, HasSubstr("f_{1} & = 0.38268343236508978 x"));
    EXPECT_THAT(latex, HasSubstr("6.6743 \\cdot 10^{-11} x"));
    const json j = json::parse(present(e, {.to = To::json, .only = {"f"}}));
    EXPECT_EQ(meaning(j["forcing"][0], *e.pool), e.f[0]);
    EXPECT_THAT(present(e, {.only = {"f"}, .digits = 17, .unicode = true}), HasSubstr("y − 0.38268343236508978·x"));
}

TEST(Text, DigitsAreSixAndWhatIsShortIsExact) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Expr x = symbol("x");
    const auto times_x = [&](const char* number) { return Expr(*Rational::from_text(number)) * x; };
    e.f = {times_x("0.99944490697915433"), times_x("0.000123456"), times_x("5000/1651"), times_x("11/13"),
           times_x("210000000000"),        times_x("0.99999999"),  times_x("1.5e-7")};
    const std::string text = present(e, {.only = {"f"}});
    EXPECT_THAT(text, HasSubstr("  f[1] = 0.999445*x\n  f[2] = 0.000123456*x\n  f[3] = 3.02847*x\n  f[4] = 11*x/13\n"
                                "  f[5] = 210000000000*x\n  f[6] = 1.00000*x\n  f[7] = 1.5e-7*x\n"));
    EXPECT_THAT(text, HasSubstr("more than 6 digits are rounded"));
    EXPECT_THAT(present(e, {.only = {"f"}, .digits = 3}), HasSubstr("  f[1] = 0.999*x\n  f[2] = 0.000123*x\n"));
    EXPECT_THAT(present(double_pendulum(), {}), Not(HasSubstr("rounded")));
}

TEST(EvenScales, MultiplyTheTermsOfTheSum) {
    const Rational small = *Rational::from_text("1/300000000000000000000000000000000000007"), large = Rational(1) / small;
    sym::Formula f;
    const auto times = [&](const Rational& c, const char* name) { return f.product({f.number(c), f.name(name)}); };
    const auto x = times(large * Rational(3), "x"), y = times(large * Rational(2), "y");
    const auto sum = f.sum({x, y});
    f.root = f.product({f.number(small), sum});
    const sym::Formula even = even_scales(f);
    ASSERT_EQ(even[even.root].kind, sym::Formula::Kind::sum);
    std::vector<double> coefficients;
    for (const auto term : even[even.root].args) coefficients.push_back(even[even[term].args.at(0)].number.to_double());
    EXPECT_THAT(coefficients, testing::ElementsAre(3, 2));
}

/// Common factors that a normal form takes out of long fractions.
TEST(Text, FactorsFarFromOneGoIntoTheirSums) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Expr x = symbol("x"), y = symbol("y");
    const Rational small = *Rational::from_text("1/300000000000000000000000000000000000007"), large = Rational(1) / small + Rational(1);
    const Expr sum = Expr(large) * x + Expr(large * Rational(2)) * y;
    e.f = {Expr(small) * sum, x};
    const std::string text = present(e, {.only = {"f"}});
    EXPECT_THAT(text, Not(HasSubstr("e-"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("e38"))) << text;
}

TEST(Text, CoordinatesOfCutJointsAreShownWhenAskedFor) {
    EquationsOfMotion e = double_pendulum();
    e.outputs.push_back({"lid", e.q[0] + e.q[1]});
    const Options options{.cut = {"lid"}};
    EXPECT_THAT(present(e, options), AllOf(HasSubstr("  tip.x = "), Not(HasSubstr("  lid = "))));
    Options asked = options;
    asked.only = {"cut"};
    EXPECT_THAT(present(e, asked), AllOf(HasSubstr("Coordinates and speeds of cut joints\n"), HasSubstr("  lid = q1 + q2\n")));
    Options as_json = options;
    as_json.to = To::json;
    EXPECT_TRUE(json::parse(present(e, as_json))["outputs"].contains("lid"));
}

/// Where every entry written out is long, intermediates are shorter; the page says what it did.
TEST(Text, TheShorterFormIsTaken) {
    EquationsOfMotion e = double_pendulum();
    EXPECT_THAT(present(e, {.form = Form::shorter}), HasSubstr("Readable form.\n"));
    const PoolScope scope(*e.pool);
    Expr sum = 0;
    for (int i = 0; i < 12; ++i) sum += symbol("length_of_" + std::to_string(i)) * cos(symbol("angle_of_" + std::to_string(i)));
    e.f.clear();
    for (int k = 0; k < 60; ++k) e.f.push_back(sin(sum) * symbol("b" + std::to_string(k)));
    const std::string text = present(e, {.form = Form::shorter, .only = {"f"}});
    EXPECT_THAT(text, AllOf(HasSubstr("Recursive form, with intermediates"), HasSubstr("--form readable")));
}

TEST(Text, KinematicsThatAreNotTrivial) {
    EquationsOfMotion e;
    e.pool = std::make_shared<Pool>();
    const PoolScope scope(*e.pool);
    const auto p = e.pool->quaternion({"e0", "e1", "e2", "e3"});
    const Expr w = symbol("wx", Role::speed), x = symbol("x", Role::coordinate), v = symbol("x'", Role::speed);
    e.q = {p[0], p[1], p[2], p[3], x};
    e.u = {w, v};
    e.quaternions = {{0, 1, 2, 3}};
    e.qdot = {-p[1] * w / 2, p[0] * w / 2, p[3] * w / 2, -p[2] * w / 2, v};
    e.M = {{1, 0}, {0, 1}};
    e.f = {0, 0};
    const std::string text = present(e, {});
    EXPECT_THAT(text, HasSubstr("e0, e1, e2, e3 are a unit quaternion, the scalar first.\n"
                                "The rate of every coordinate that is not listed is its speed.\n  e0' = -e1*wx/2\n"));
    EXPECT_THAT(text, Not(HasSubstr("  x' = ")));
    EXPECT_THAT(present(e, {.to = To::latex}), HasSubstr("\\dot{e}_{0} & = -\\frac{e_{1} w_{x}}{2}"));
}

EquationsOfMotion with_a_loop() {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Expr l1 = symbol("l1"), q1 = e.q[0], u1 = e.u[0];
    const Expr rod = symbol("rod.lambda1", Role::multiplier), wheel = symbol("wheel.lambda1", Role::multiplier);
    const Expr x = l1 * sin(q1), y = l1 * cos(q1);
    e.constraints = {{"rod.x", "", true, x - 1, y * u1, {y, 0}, x * u1 * u1, rod}, {"wheel", "", false, 0, u1 - e.u[1], {1, -1}, 0, wheel}};
    return e;
}

TEST(Text, Constraints) {
    const EquationsOfMotion e = with_a_loop();
    const std::string text = present(e, {});
    EXPECT_THAT(text, HasSubstr("  M u' + G^T lambda = f,   G u' = gamma\n"));
    EXPECT_THAT(text, HasSubstr("Row 1: rod.x, holonomic.\nRow 2: wheel, nonholonomic.\n  phi[1] = l1*sin(q1) - 1\n"
                                "  G = [ l1*cos(q1)  0  ]\n      [ 1           -1 ]\n"));
    EXPECT_THAT(text, HasSubstr("  gamma[1] = l1*q1'^2*sin(q1)\n  gamma[2] = 0\n"));
    const json j = json::parse(present(e, {.to = To::json, .only = {"G"}}));
    EXPECT_EQ(j["constraints"][0]["name"], "rod.x");
    EXPECT_EQ(j["constraints"][1]["holonomic"], false);
    EXPECT_EQ(meaning(j["constraints"][0]["gamma"], *e.pool), e.constraints[0].gamma);
    EXPECT_EQ(j["constraints"][1]["G"], json({"1", "-1"}));
}

// -------------------------------------------------------------------------------------------------------------- JSON

TEST(Json, ReadsBackInBothForms) {
    const EquationsOfMotion e = double_pendulum();
    for (const Form form : {Form::readable, Form::recursive}) {
        const json j = json::parse(present(e, {.to = To::json, .form = form}));
        EXPECT_EQ(j["name"], "Double pendulum");
        EXPECT_EQ(j["formulation"], "kane");
        EXPECT_EQ(j["coordinates"], json({"q1", "q2"}));
        EXPECT_EQ(j["speeds"], json({"q1'", "q2'"}));
        EXPECT_EQ(j["kinematics"]["q1"], "q1'");
        EXPECT_EQ(j["intermediates"].empty(), form == Form::readable);
        std::map<std::string, Expr> steps;
        for (const json& s : j["intermediates"]) steps.insert({s["name"], meaning(s["value"], *e.pool, steps)});
        const auto expect = [&](const json& text, const Expr& x) {
            EXPECT_EQ(equal(meaning(text, *e.pool, steps), x), Verdict::equal) << text;
        };
        for (std::size_t i = 0; i < 2; ++i) {
            for (std::size_t k = 0; k < 2; ++k) expect(j["mass_matrix"][i][k], e.M[i][k]);
            expect(j["forcing"][i], e.f[i]);
        }
        expect(j["energy"]["kinetic"], e.energy.kinetic);
        expect(j["energy"]["potential"], e.energy.potential);
        expect(j["power"], e.power);
        expect(j["outputs"]["tip.x"], e.outputs[0].value);
        EXPECT_EQ(j["momentum"]["linear"], json({"0", "0", "0"}));
    }
    EXPECT_FALSE(json::parse(present(e, {.to = To::json, .only = {"M"}})).contains("forcing"));
}

// ------------------------------------------------------------------------------------------------- LaTeX and Markdown

void expect_balanced(const std::string& latex) {
    for (const std::string& row : lines_of(latex)) {
        EXPECT_EQ(count(row, "\\left") - count(row, "\\leftarrow"), count(row, "\\right") - count(row, "\\rightarrow")) << row;
        EXPECT_EQ(count(row, "{") - count(row, "\\{"), count(row, "}") - count(row, "\\}")) << row;
        EXPECT_EQ((count(row, "$") - count(row, "\\$")) % 2, 0U) << row;
    }
    for (const std::string what : {"document", "align*", "align", "equation", "multicols", "aligned", "pmatrix", "longtable", "cases"}) {
        EXPECT_EQ(count(latex, "\\begin{" + what + "}"), count(latex, "\\end{" + what + "}")) << what;
    }
}

eom::Derivation derivation(const EquationsOfMotion& e) {
    const Expr q = e.q[0], o(*e.pool, Pool::zero_id), i(*e.pool, Pool::one_id);
    eom::Derivation d;
    d.steps.push_back({"Rotation of upper_arm",
                       "The frame turns by `q1`; ω = q̇ k & Ḃ u is 0 (100%).",
                       {{"R_upper", {{cos(q), -sin(q), o}, {sin(q), cos(q), o}, {o, o, i}}}, {"T", {{e.energy.kinetic}}}},
                       "lynch88 (4.14)"});
    return d;
}

TEST(Latex, IsBalanced) {
    EquationsOfMotion e = with_a_loop();
    const PoolScope scope(*e.pool);
    Expr sum = 0;
    for (int i = 0; i < 40; ++i) sum += symbol("a" + std::to_string(i)) * e.u[0] / 3;
    e.name = "100% {odd} name_with $ & #";
    e.outputs.push_back({"long", sin(e.q[0]) * pow(symbol("b") + sum, 2)});
    e.outputs.push_back({"kink", 2 * select(e.q[0], e.u[0], abs(e.u[1]))});
    for (const Form form : {Form::readable, Form::recursive}) {
        const std::string latex = present(derivation(e), e, {.to = To::latex, .form = form});
        expect_balanced(latex);
        EXPECT_THAT(latex, HasSubstr("\\Large 100\\% \\{odd\\} name\\_with \\$ \\& \\#\\end{center}"));
        EXPECT_THAT(latex, HasSubstr("G^{T} \\lambda = f"));
        expect_balanced(present(derivation(e), e, {.to = To::markdown, .form = form}));
    }
}

TEST(Latex, LongSumsAreCutInsideParentheses) {
    EquationsOfMotion e = double_pendulum();
    Expr sum = e.parameters[0].symbol;
    for (int k = 1; k <= 30; ++k) sum = sum + e.pool->symbol("a" + std::to_string(k), sym::Role::parameter);
    e.energy.kinetic = sum / 6;
    const std::string latex = present(e, {.to = To::latex, .only = {"energy"}});
    EXPECT_THAT(latex, HasSubstr("T & = \\frac{1}{6} \\left("));
    EXPECT_THAT(latex, HasSubstr(" \\right. \\notag \\\\\n  & \\quad {} \\left. + "));
    expect_balanced(latex);
}

TEST(Latex, EquationsAreNumberedAndAFragmentIsNoDocument) {
    const EquationsOfMotion e = with_a_loop();
    const std::string page = present(e, {.to = To::latex}), fragment = present(e, {.to = To::latex, .fragment = true});
    EXPECT_THAT(page, AllOf(HasSubstr("\\documentclass"), HasSubstr("\\begin{equation}\nM = \\begin{pmatrix}"),
                            HasSubstr("\\begin{align}\nf_{1}")));
    EXPECT_THAT(fragment, AllOf(Not(HasSubstr("\\documentclass")), Not(HasSubstr("{document}")), HasSubstr("\\begin{align}\nf_{1}")));
    expect_balanced(fragment);
}

TEST(Latex, NamesAreSpelledAsTold) {
    const EquationsOfMotion e = double_pendulum();
    const std::string latex =
        present(e, {.to = To::latex, .only = {"f", "parameters"}, .spellings = {{"m2", "m_\\ell"}, {"q1", "\\vartheta"}}});
    EXPECT_THAT(latex, AllOf(HasSubstr("$m_\\ell$ & $= 2$"), HasSubstr("\\dot{\\vartheta}"), HasSubstr("\\sin \\vartheta"),
                             Not(HasSubstr("m_{2}"))));
    EXPECT_THAT(present(e, {.only = {"f"}, .spellings = {{"m2", "m_\\ell"}}}), HasSubstr("m2"));
}

/// The derivative of a shape along its beam is no rate.
TEST(Latex, SlopesOfShapesHaveNoDot) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Expr slope = symbol("arm.tip.y1'");
    e.parameters.push_back({slope, 2, "1/m", "phi' at tip", true});
    e.f = {slope * e.u[0], e.u[1]};
    EXPECT_THAT(present(e, {.to = To::latex, .only = {"f"}}), HasSubstr("f_{1} & = \\phi'_{y1,\\mathrm{arm}}(\\mathrm{tip}) \\dot{q}_{1}"));
    EXPECT_THAT(present(e, {.only = {"f"}, .unicode = true}), HasSubstr("arm.tip.y1\u2032"));
    EXPECT_THAT(present(e, {.only = {"f"}}), HasSubstr("arm.tip.y1'*q1'"));
}

/// Many short intermediates stand in columns, with s and c for sines of a coordinate.
TEST(Latex, RecursiveFormIsCompact) {
    EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    std::vector<Expr> names;
    for (int i = 0; i < 30; ++i) {
        const Expr a = symbol("a" + std::to_string(i)), s = sin(e.q[0]), c = a * s;
        names.push_back(c + e.u[1]);
    }
    Expr sum = 0;
    for (const Expr& x : names) sum += x * x * e.u[0];
    for (const Expr& x : names) sum += x * cos(e.q[1]);
    e.f = {sum, e.u[1]};
    const std::string latex = present(e, {.to = To::latex, .form = Form::recursive, .only = {"f"}});
    EXPECT_THAT(latex, AllOf(HasSubstr("\\mathrm{s}_{q_{1}}"), HasSubstr("\\mathrm{s}_{x} = \\sin x"), HasSubstr("\\begin{multicols}{3}")));
    expect_balanced(latex);
}

// ------------------------------------------------------------------------------------------------------------- steps

TEST(Steps, AreNumberedMatricesWithTheirSource) {
    const EquationsOfMotion e = double_pendulum();
    const eom::Derivation d = derivation(e);
    EXPECT_THAT(present(d, e, {.only = {"M"}}), HasSubstr(R"(
Step 1. Rotation of upper_arm
-----------------------------
The frame turns by q1; ω = q̇ k & Ḃ u is 0 (100%).
  R_upper = [ cos(q1)  -sin(q1)  0 ]
            [ sin(q1)  cos(q1)   0 ]
            [ 0        0         1 ]
  T = )"));
    EXPECT_THAT(present(d, e, {}), AllOf(HasSubstr("[Lynch 1988, eq. (4.14)]\n"), HasSubstr("References\n"),
                                         HasSubstr("Alan G. Lynch: A symbolic formulation")));
    const std::string latex = present(d, e, {.to = To::latex});
    EXPECT_THAT(latex, HasSubstr("R_{\\mathrm{upper}} = \\begin{pmatrix}\n\\cos q_{1} & -\\sin q_{1} & 0 \\\\\n"));
    EXPECT_THAT(latex, HasSubstr("$q_{1}$; $\\omega$ = $\\dot{q}$ k \\& $\\dot{B}$ u is 0 (100\\%)."));
    const json j = json::parse(present(d, e, {.to = To::json}));
    EXPECT_EQ(j["steps"][0]["lines"][0]["value"][0], json({"cos(q1)", "-sin(q1)", "0"}));
    EXPECT_EQ(j["steps"][0]["citation"], "lynch88 (4.14)");
}

/// A matrix of two steps under one name, and a name that gets another meaning.
TEST(Steps, NothingIsSaidToEqualItself) {
    const EquationsOfMotion e = double_pendulum();
    const PoolScope scope(*e.pool);
    const Expr wide = sin(e.q[0]) * e.u[0] + cos(e.q[1]) * e.u[1] * e.parameters[0].symbol + e.f[0];
    const eom::Derivation d{{{"First", "", {{"X", {{wide}}}}, ""},
                             {"Again", "", {{"X", {{wide}}}, {"Z", {{wide}}}}, ""},
                             {"Another", "", {{"X", {{wide + e.q[0]}}}, {"Z2", {{wide}}}}, ""}}};
    const std::string text = present(d, e, {.only = {"q"}});
    EXPECT_EQ(text.find("X = X"), std::string::npos) << text;
    EXPECT_NE(text.find("Z = X"), std::string::npos) << text;
    EXPECT_EQ(text.find("Z2 = X"), std::string::npos) << text;
    for (const To to : {To::latex, To::markdown}) {
        const std::string page = present(d, e, {.to = to, .only = {"q"}});
        EXPECT_EQ(page.find("X & = X"), std::string::npos) << page;
        EXPECT_NE(page.find("Z & = X"), std::string::npos) << page;
    }
}

TEST(Steps, PartialVelocities) {
    EquationsOfMotion e = double_pendulum();
    const Expr o(*e.pool, Pool::zero_id), i(*e.pool, Pool::one_id), c = cos(e.q[0]);
    eom::PartialVelocities p{"upper", {}, {o, o, o, o, o, o}, {o, o, o, o, o, e.u[0]}};
    p.B = {{{o, o}, {o, o}, {i, o}, {c, o}, {o, o}, {o, o}}};
    e.partial_velocities = {p};
    e.axes = "body";
    const std::string text = present(e, {.only = {"B"}});
    EXPECT_THAT(text, HasSubstr("(body axes)"));
    EXPECT_THAT(text, HasSubstr("  B_upper = [ 0        0 ]\n            [ 0        0 ]\n"
                                "            [ 1        0 ]\n            [ cos(q1)  0 ]\n"));
    EXPECT_THAT(present(e, {.to = To::markdown, .only = {"B"}}), HasSubstr("B_{\\mathrm{upper}} = \\begin{pmatrix}"));
}

TEST(Operations, AreThoseOfTheReadableForm) {
    const EquationsOfMotion e = double_pendulum();
    EXPECT_EQ(*operations(std::vector<Expr>{e.M[1][1]}), 3);  // m2*l2^2/3: two products and a square
    EXPECT_EQ(*operations(e.M), *operations(std::vector{e.M[0][0], e.M[0][1], e.M[1][0], e.M[1][1]}));
    EXPECT_FALSE(operations(e.M, {.terms = 1, .time = std::chrono::milliseconds(1000)}));
}

}  // namespace
}  // namespace linkwright::present::test
