#include "linkwright/sym/parse.hpp"
#include "support/print.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace linkwright::sym {
namespace {

std::string repeated(std::string_view piece, std::size_t times) {
    std::string s;
    s.reserve(piece.size() * times);
    for (std::size_t i = 0; i < times; ++i) s += piece;
    return s;
}

/// A pool that does not fold, so that a wrong grouping cannot hide behind an identity.
class Parse : public testing::Test {
protected:
    Parsed read(std::string_view text) { return parse(text, names, pool); }
    Expr expr(std::string_view text) {
        const Parsed parsed = read(text);
        EXPECT_TRUE(parsed.expr) << text << "\n" << to_string(parsed.problems);
        return parsed.expr.value_or(undefined());
    }
    void expect_problem(std::string_view text, Position where, std::string_view what, std::string_view hint) {
        const Parsed parsed = read(text);
        EXPECT_FALSE(parsed.expr) << text;
        ASSERT_EQ(parsed.problems.size(), 1U) << text << "\n" << to_string(parsed.problems);
        EXPECT_EQ(parsed.problems[0].where, where) << text << "\n" << to_string(parsed.problems);
        EXPECT_EQ(parsed.problems[0].what, what) << text;
        EXPECT_EQ(parsed.problems[0].hint, hint) << text;
        EXPECT_EQ(parsed.problems[0].severity, Diagnostic::Severity::error);
    }

    Pool pool{{.fold = false}};
    PoolScope scope{pool};
    Names names = names_of(pool);
    Expr x = symbol("x"), y = symbol("y"), z = symbol("z"), t = symbol("t", Role::time);
    Expr hip = symbol("hip", Role::coordinate), hip1 = symbol("hip'", Role::speed), hip2 = symbol("hip''", Role::acceleration);
    Expr wx = symbol("fly.wx", Role::speed), arm1 = symbol("arm.1", Role::coordinate);
};

TEST_F(Parse, CompiledEquations) {
    const std::pair<std::string_view, Rational> good[]{
        {"0", 0},
        {"12", 12},
        {"007", 7},
        {"9.81", {981, 100}},
        {".5", {1, 2}},
        {"2.", 2},
        {"1e-3", {1, 1000}},
        {"1E+3", 1000},
        {"2.5e2", 250},
        {"2.e1", 20},
        {"1e0000000000000000002", 100},
        {"0.1 + 0.2", {3, 10}},
        {"2/3", {2, 3}},
        {"-7", -7},
        {"123456789012345678901234567890", *Rational::from_text("123456789012345678901234567890")},
    };
    for (const auto& [text, value] : good) EXPECT_EQ(expr(text), Expr(value)) << text;
    EXPECT_EQ(expr("1e10000*1e-10000"), Expr(1));
}

TEST_F(Parse, NamesAndConstants) {
    EXPECT_EQ(expr("x"), x);
    EXPECT_EQ(expr(" \t\r\n x \n"), x);
    EXPECT_EQ(expr("t"), t);
    EXPECT_EQ(expr("hip"), hip);
    EXPECT_EQ(expr("hip'"), hip1);
    EXPECT_EQ(expr("hip''"), hip2);
    EXPECT_EQ(expr("fly.wx"), wx);
    EXPECT_EQ(expr("2*arm.1"), 2 * arm1);
    EXPECT_EQ(expr("pi"), pi());
    EXPECT_EQ(expr("30*deg"), pi() / 6);
    EXPECT_EQ(expr("undefined"), undefined());
    EXPECT_EQ(expr("x + undefined"), undefined());
    EXPECT_EQ(expr("1/0"), undefined());
}

TEST_F(Parse, OperatorsGroupAsUsual) {
    const std::pair<std::string_view, Expr> good[]{
        {"x + y + z", (x + y) + z},
        {"x - y - z", (x - y) - z},
        {"x - (y - z)", x - (y - z)},
        {"x + y*z", x + y * z},
        {"(x + y)*z", (x + y) * z},
        {"x*y*z", (x * y) * z},
        {"x/y/z", (x / y) / z},
        {"x/y*z", (x / y) * z},
        {"x/(y*z)", x / (y * z)},
        {"x - y*z + t", (x - y * z) + t},
        {"x^2", pow(x, 2)},
        {"x^(1/2)", sqrt(x)},
        {"x^1/2", x / 2},
        {"x^-1", 1 / x},
        {"2^-3", Rational(1, 8)},
        {"2^3^2", 512},
        {"(2^3)^2", 64},
        {"2^-2^2", Rational(1, 16)},
        {"2^-x*y", pow(2, -x) * y},
        {"x^y^z", pow(x, pow(y, z))},
        {"x^y", exp(y * log(x))},
        {"2*x^2*y", 2 * pow(x, 2) * y},
        {"-x^2", -pow(x, 2)},
        {"(-x)^3", -pow(x, 3)},
        {"-2^2", -4},
        {"-x*y", -(x * y)},
        {"-x + y", y - x},
        {"x*-y", -(x * y)},
        {"x/-2", x / -2},
        {"x - -y", x + y},
        {"x--y", x + y},
        {"x++y", x + y},
        {"+x", x},
        {"+-+-x", x},
        {"x^+2", pow(x, 2)},
        {"((x))", x},
        {"x\n+\ny", x + y},
    };
    for (const auto& [text, value] : good) EXPECT_EQ(expr(text), value) << text;
}

TEST_F(Parse, Functions) {
    const std::pair<std::string_view, Expr> good[]{
        {"sin(x)", sin(x)},
        {"cos (x)", cos(x)},
        {"tan(x)", tan(x)},
        {"asin(x)", asin(x)},
        {"acos(x)", acos(x)},
        {"atan(x)", atan(x)},
        {"atan2(y, x)", atan2(y, x)},
        {"sqrt(x)", sqrt(x)},
        {"exp(x)", exp(x)},
        {"log(x)", log(x)},
        {"tanh(x)", tanh(x)},
        {"abs(x)", abs(x)},
        {"sign(x)", sign(x)},
        {"min(x, y)", min(x, y)},
        {"max(x, y, z, 1)", max(max(max(x, y), z), 1)},
        {"-sin(x)^2", -pow(sin(x), 2)},
        {"sin(-x + (y - 1)*2)/2", sin(-x + (y - 1) * 2) / 2},
        {"sin(cos(x) + min(x*y, sqrt(z)))", sin(cos(x) + min(x * y, sqrt(z)))},
        {"sin(pi/4)", sin(pi() / 4)},
    };
    for (const auto& [text, value] : good) EXPECT_EQ(expr(text), value) << text;
}

TEST_F(Parse, Conditions) {
    const std::pair<std::string_view, Expr> good[]{
        {"if(x, y, z)", select(x, y, z)},
        {"if(x > 0, y, z)", select(x, y, z)},
        {"if(x > y, 1, 2)", select(x - y, 1, 2)},
        {"if(x < y, 1, 2)", select(y - x, 1, 2)},
        {"if(x >= y, 1, 2)", select(y - x, 2, 1)},
        {"if(x <= y, 1, 2)", select(x - y, 2, 1)},
        {"if(x < 0, 1, 2)", select(-x, 1, 2)},
        {"if(x <-1, 1, 2)", select(-1 - x, 1, 2)},
        {"if(x + 1 > 2*y, -x, +x)", select(x + 1 - 2 * y, -x, x)},
        {"if(if(x > 0, y, z) > if(y <= 0, x, z), x*y, z)", select(select(x, y, z) - select(y, z, x), x * y, z)},
        {"if(x > 0, if(y > 0, 1, 2), 3)", select(x, select(y, 1, 2), 3)},
        {"if(3 >= 3, x, y)", x},
        {"if(3 > 3, x, y)", y},
        {"if(3 <= 3, x, y)", x},
        {"if(3 < 3, x, y)", y},
    };
    for (const auto& [text, value] : good) EXPECT_EQ(expr(text), value) << text;
}

TEST_F(Parse, AWordBeforeAParenthesisIsAFunctionAndOtherwiseAName) {
    const Expr min = symbol("min");
    EXPECT_EQ(expr("min + 1"), min + 1);
    EXPECT_EQ(expr("min(x, y)"), sym::min(x, y));
}

TEST_F(Parse, ProblemsAreToldKindly) {
    struct Bad {
        std::string_view text;
        Position where;
        std::string_view what, hint;
    };
    const Bad bad[]{
        // a value is missing
        {"", {1, 1}, "the expression is empty", ""},
        {" \n ", {1, 1}, "the expression is empty", ""},
        {"x +", {1, 3}, "a value is missing after '+'", ""},
        {"x +  \n", {1, 3}, "a value is missing after '+'", ""},
        {"-", {1, 1}, "a value is missing after '-'", ""},
        {"* x", {1, 1}, "a value is missing before '*'", ""},
        {"x + / y", {1, 5}, "a value is missing between '+' and '/'", ""},
        {"x * * y", {1, 5}, "a value is missing between '*' and '*'", ""},
        {"(x + )", {1, 4}, "a value is missing after '+'", ""},
        {"(* x)", {1, 2}, "a value is missing before '*'", ""},
        {"()", {1, 1}, "there is nothing between these parentheses", ""},
        {"x + ()", {1, 5}, "there is nothing between these parentheses", ""},
        {"max(, x)", {1, 5}, "a value is missing before ','", ""},
        {"max(x, )", {1, 6}, "a value is missing after ','", ""},
        {"max(x,, y)", {1, 6}, "a value is missing after ','", ""},
        {"if(x >, 1, 2)", {1, 6}, "a value is missing after '>'", ""},
        {"if(> 0, 1, 2)", {1, 4}, "a value is missing before '>'", ""},
        // an operator is missing
        {"2x", {1, 2}, "an operator is missing between '2' and 'x'", "write 2*x for a product"},
        {"2 x", {1, 3}, "an operator is missing between '2' and 'x'", "write 2*x for a product"},
        {"x 2", {1, 3}, "an operator is missing between 'x' and '2'", "write x*2 for a product"},
        {"x y", {1, 3}, "an operator is missing between 'x' and 'y'", "write x*y for a product"},
        {"2(x + 1)", {1, 2}, "an operator is missing between '2' and '('", "write 2*(...) for a product"},
        {"(x)(y)", {1, 4}, "an operator is missing between ')' and '('", "write (...)*(...) for a product"},
        {"(x) y", {1, 5}, "an operator is missing between ')' and 'y'", "write (...)*y for a product"},
        {"2sin(x)", {1, 2}, "an operator is missing between '2' and 'sin'", "write 2*sin for a product"},
        {"2exp(x)", {1, 2}, "an operator is missing between '2' and 'exp'", "write 2*exp for a product"},
        {"hip'y", {1, 5}, "an operator is missing between \"hip'\" and 'y'", "write hip'*y for a product"},
        {"1 000",
         {1, 3},
         "an operator is missing between '1' and '000'",
         "write a number without spaces, or an operator between two numbers"},
        {"if(x and y, 1, 2)",
         {1, 6},
         "an operator is missing between 'x' and 'and'",
         "to ask for two conditions at once, put one if inside another"},
        // parentheses and commas
        {"(x", {1, 1}, "this '(' is never closed", "add a ')'"},
        {"x*((y)", {1, 3}, "this '(' is never closed", "add a ')'"},
        {"(", {1, 1}, "this '(' is never closed", "add a ')'"},
        {"1 + sin(x", {1, 5}, "the '(' after 'sin' is never closed", "add a ')'"},
        {"sin(", {1, 1}, "the '(' after 'sin' is never closed", "add a ')'"},
        {"x)", {1, 2}, "this ')' closes nothing", "remove it, or add the '(' that belongs to it"},
        {")", {1, 1}, "this ')' closes nothing", "remove it, or add the '(' that belongs to it"},
        {"x, y", {1, 2}, "a comma stands only between the arguments of a function", ""},
        {"(x, y)", {1, 3}, "a comma stands only between the arguments of a function", ""},
        {"1,5", {1, 2}, "a comma stands only between the arguments of a function", "write the decimal mark as a point"},
        // functions
        {"sin()", {1, 1}, "sin takes 1 argument, not 0", "write sin(x)"},
        {"sin(x, y)", {1, 1}, "sin takes 1 argument, not 2", "write sin(x)"},
        {"1 + atan2(x)", {1, 5}, "atan2 takes 2 arguments, not 1", "write atan2(y, x)"},
        {"min(x)", {1, 1}, "min takes at least 2 arguments, not 1", "write min(a, b)"},
        {"if(x > 0, y)", {1, 1}, "if takes 3 arguments, not 2", "write if(c > 0, a, b)"},
        {"if(x > 0)", {1, 1}, "if takes 3 arguments, not 1", "write if(c > 0, a, b)"},
        {"sin x", {1, 1}, "sin needs parentheses around its argument", "write sin(x)"},
        {"2*sin hip'", {1, 3}, "sin needs parentheses around its argument", "write sin(hip')"},
        {"sqrt 2", {1, 1}, "sqrt needs parentheses around its argument", "write sqrt(2)"},
        {"sin + 1", {1, 1}, "sin needs parentheses around its argument", "write sin(x)"},
        {"sin^2(x)", {1, 1}, "sin needs parentheses around its argument", "write sin(x)^2"},
        {"if x > 0 then 1", {1, 1}, "if needs parentheses around its arguments", "write if(c > 0, a, b)"},
        {"Sin(x)", {1, 1}, "unknown function 'Sin'", "did you mean 'sin'?"},
        {"sqrrt(x)", {1, 1}, "unknown function 'sqrrt'", "did you mean 'sqrt'?"},
        {"ln(x)", {1, 1}, "unknown function 'ln'", "the natural logarithm is log(x)"},
        {"arctan(x)", {1, 1}, "unknown function 'arctan'", "write atan"},
        {"ArcTan(x)", {1, 1}, "unknown function 'ArcTan'", "write atan"},
        {"pow(x, 2)", {1, 1}, "unknown function 'pow'", "write x^y for a power"},
        {"sinh(x)", {1, 1}, "unknown function 'sinh'", "write (exp(x) - exp(-x))/2"},
        {"spline(x)",
         {1, 1},
         "unknown function 'spline'",
         "the functions are sin cos tan asin acos atan atan2 sqrt exp log tanh abs sign min max if"},
        {"spline()",
         {1, 1},
         "unknown function 'spline'",
         "the functions are sin cos tan asin acos atan atan2 sqrt exp log tanh abs sign min max if"},
        {"x(3)", {1, 1}, "'x' is not a function", "write x*(...) for a product"},
        {"hip'(3)", {1, 1}, "\"hip'\" is not a function", "write hip'*(...) for a product"},
        {"deg(30)", {1, 1}, "'deg' is not a function", "write deg*(...) for a product"},
        // names
        {"hop", {1, 1}, "unknown name 'hop'", "did you mean 'hip'?"},
        {"fly.wz", {1, 1}, "unknown name 'fly.wz'", "did you mean 'fly.wx'?"},
        {"1 + hip'''", {1, 5}, "unknown name \"hip'''\"", "did you mean \"hip''\"?"},
        {"PI", {1, 1}, "unknown name 'PI'", "did you mean 'pi'?"},
        {"true", {1, 1}, "unknown name 'true'", "there are no truth values; write 1, or a comparison inside if"},
        {"velocity", {1, 1}, "unknown name 'velocity'", ""},
        {"e", {1, 1}, "unknown name 'e'", "write exp(1)"},
        {"x. + 1", {1, 2}, "'.' has no meaning in an expression", ""},
        {"x..y", {1, 2}, "'.' has no meaning in an expression", ""},
        {"x.^2", {1, 2}, "'.^' has no meaning in an expression", "write ^ without a dot"},
        // numbers
        {"1..2", {1, 1}, "the number '1..2' has more than one decimal point", ""},
        {"x + 1.2.3", {1, 5}, "the number '1.2.3' has more than one decimal point", ""},
        {"1e", {1, 1}, "the exponent of '1e' has no digits", "write 1e3 for a number, 1*e for a product"},
        {"1e+", {1, 1}, "the exponent of '1e' has no digits", "write 1e3 for a number, 1*e for a product"},
        {"2E*x", {1, 1}, "the exponent of '2E' has no digits", "write 2E3 for a number, 2*E for a product"},
        {"1e5.5", {1, 1}, "the exponent of '1e5.5' is not a whole number", ""},
        {"1e999999999", {1, 1}, "the exponent of '1e999999999' is out of range", "decimal exponents reach from -10000 to 10000"},
        {"x*1e-99999999999999999999",
         {1, 3},
         "the exponent of '1e-99999999999999999999' is out of range",
         "decimal exponents reach from -10000 to 10000"},
        {".", {1, 1}, "'.' has no meaning in an expression", ""},
        {"2'", {1, 2}, "\"'\" has no meaning in an expression", "a prime stands only at the end of a name, as in hip'"},
        // comparisons
        {"x > y", {1, 3}, "a comparison stands only in the first argument of if", "write if(a > b, x, y)"},
        {"if((x > y), 1, 2)", {1, 7}, "a comparison stands only in the first argument of if", "write if(a > b, x, y)"},
        {"if(x, y > z, 2)", {1, 9}, "a comparison stands only in the first argument of if", "write if(a > b, x, y)"},
        {"if(x > 1, y < z, 2)", {1, 13}, "a comparison stands only in the first argument of if", "write if(a > b, x, y)"},
        {"max(x < y, z)", {1, 7}, "a comparison stands only in the first argument of if", "write if(a > b, x, y)"},
        {"if(x < y < z, 1, 2)", {1, 10}, "only two values are compared at a time", "put one if inside another"},
        {"x == y", {1, 3}, "'==' has no meaning in an expression", "numbers are compared with > >= < or <=, inside if"},
        {"if(x != y, 1, 2)", {1, 6}, "'!=' has no meaning in an expression", "numbers are compared with > >= < or <=, inside if"},
        {"x = y", {1, 3}, "'=' has no meaning in an expression", "an expression has no sides; bring the right one over with -"},
        // signs and characters of elsewhere
        {"x**2", {1, 2}, "'**' has no meaning in an expression", "write ^ for a power"},
        {"$x", {1, 1}, "'$' has no meaning in an expression", "names are written bare: mass, not $mass"},
        {"[x]", {1, 1}, "'[' has no meaning in an expression", "write round parentheses"},
        {"|x|", {1, 1}, "'|' has no meaning in an expression", "write abs(x) for the absolute value"},
        {"x; y", {1, 2}, "';' has no meaning in an expression", ""},
        {"x − y", {1, 3}, "'−' has no meaning in an expression", "write -"},
        {"x·y", {1, 2}, "'·' has no meaning in an expression", "write *"},
        {"2*π", {1, 3}, "'π' has no meaning in an expression", "write pi"},
        {"x²", {1, 2}, "'²' has no meaning in an expression", "write ^2"},
        {"30°", {1, 3}, "'°' has no meaning in an expression", "write 30*deg"},
        {"hip’", {1, 4}, "'’' has no meaning in an expression", "write '"},
        {"θ", {1, 1}, "'θ' has no meaning in an expression", "write theta"},
        {"é", {1, 1}, "'é' has no meaning in an expression", "names are made of the letters A to Z, digits and _"},
        {"x\u00A0+ 1", {1, 2}, "the character U+00A0 has no meaning in an expression", "this is a no-break space; write a plain one"},
        {"x + \xFF", {1, 5}, "the byte 0xFF is not UTF-8 text", ""},
        {"x\x80", {1, 2}, "the byte 0x80 is not UTF-8 text", ""},
        {"\xE2\x88", {1, 1}, "the byte 0xE2 is not UTF-8 text", ""},
        {{"x\0", 2}, {1, 2}, "the character U+0000 has no meaning in an expression", ""},
        {"x\x1B", {1, 2}, "the character U+001B has no meaning in an expression", ""},
        // places
        {"x +\n  y z", {2, 5}, "an operator is missing between 'y' and 'z'", "write y*z for a product"},
        {"x\r\n\r\n +", {3, 2}, "a value is missing after '+'", ""},
    };
    for (const auto& [text, where, what, hint] : bad) expect_problem(text, where, what, hint);
}

TEST_F(Parse, AllUnknownNamesAreReportedTogetherAndEachOnce) {
    const Parsed parsed = read("a1 + x*hop - hop +\n ln(fly.wz, a1) + y z");
    EXPECT_FALSE(parsed.expr);
    EXPECT_EQ(to_string(parsed.problems),
              "1:1: error: unknown name 'a1'\n"
              "1:8: error: unknown name 'hop'\n    hint: did you mean 'hip'?\n"
              "2:2: error: unknown function 'ln'\n    hint: the natural logarithm is log(x)\n"
              "2:5: error: unknown name 'fly.wz'\n    hint: did you mean 'fly.wx'?\n"
              "2:21: error: an operator is missing between 'y' and 'z'\n    hint: write y*z for a product\n");
}

TEST_F(Parse, ProblemsStandInTheOrderOfTheText) {
    const Parsed parsed = read("(q1 + x");
    ASSERT_EQ(parsed.problems.size(), 2U);
    EXPECT_EQ(parsed.problems[0].what, "this '(' is never closed");
    EXPECT_EQ(parsed.problems[1].what, "unknown name 'q1'");
}

TEST_F(Parse, TheListOfUnknownNamesEnds) {
    std::string text = "0";
    for (int i = 0; i < 100'000; ++i) text += "+ unknown" + std::to_string(i);
    const Parsed parsed = read(text);
    ASSERT_EQ(parsed.problems.size(), 21U);
    EXPECT_EQ(parsed.problems.back().what, "more problems follow");
}

TEST_F(Parse, AMisusedNameIsReportedOnce) {
    expect_problem(std::string("1") + repeated(" + x(y)", 100), {1, 5}, "'x' is not a function", "write x*(...) for a product");
}

TEST_F(Parse, PositionsStartWhereTheTextDoes) {
    const auto where = [&](std::string_view text) { return parse(text, names, pool, {7, 11}).problems.at(0).where; };
    EXPECT_EQ(where("x + $"), (Position{7, 15}));
    EXPECT_EQ(where("x +\n $"), (Position{8, 2}));
    EXPECT_EQ(where(""), (Position{7, 11}));
}

TEST_F(Parse, NamesAreAskedForLazily) {
    int asked = 0;
    const Names own{.find = [&](std::string_view name) { return name == "k" ? std::optional(x) : std::nullopt; },
                    .all = [&] { return ++asked, std::vector<std::string>{"k"}; }};
    EXPECT_EQ(parse("k^2 + pi", own, pool).expr, pow(x, 2) + pi());
    EXPECT_EQ(asked, 0);
    EXPECT_EQ(parse("K", own, pool).problems.at(0).hint, "did you mean 'k'?");
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(parse("k", {}, pool).problems.at(0).what, "unknown name 'k'");
}

TEST_F(Parse, WritesIntoTheGivenPoolOnly) {
    Pool other;
    const Expr a = other.symbol("a");
    const std::size_t before = pool.size();
    const Parsed parsed = parse("a^2/3 + 17*deg - min(a, 5, .25)", names_of(other), other);
    ASSERT_TRUE(parsed.expr);
    EXPECT_EQ(&parsed.expr->pool(), &other);
    EXPECT_EQ(pool.size(), before);
    EXPECT_EQ(*parsed.expr, pow(a, 2) / Expr(other, other.make_number(3)) +
                                Expr(other, other.make_number({17, 180})) * Expr(other, Pool::pi_id) - min(min(a, 5), Rational(1, 4)));
}

TEST_F(Parse, DepthCostsNoCallStack) {
    constexpr std::size_t deep = 1'000'000;
    EXPECT_EQ(expr(repeated("(", deep) + "x" + repeated(")", deep)), x);
    EXPECT_EQ(expr(repeated("-", deep) + "x"), x);
    EXPECT_EQ(expr(repeated("2^", deep) + "0").op(), Op::exp);
    EXPECT_EQ(expr(repeated("x^", deep) + "x").op(), Op::exp);
    EXPECT_EQ(expr(repeated("sin(", deep) + "x" + repeated(")", deep)).op(), Op::sin);
    EXPECT_EQ(expr(repeated("if(x > ", deep) + "y" + repeated(", 1, y)", deep)).op(), Op::select);
    EXPECT_EQ(expr(repeated("x*(y + ", deep) + "z" + repeated(")", deep)).op(), Op::mul);
    expect_problem(repeated("(", deep), {1, deep}, "this '(' is never closed", "add a ')'");
    expect_problem(repeated("(", deep) + "x" + repeated(")", deep + 1), {1, 2 * deep + 2}, "this ')' closes nothing",
                   "remove it, or add the '(' that belongs to it");
}

TEST_F(Parse, LengthCostsLinearTime) {
    constexpr std::size_t length = 1'000'000;
    EXPECT_EQ(expr(std::string("x") + repeated(" + x", length)), Expr(static_cast<std::int64_t>(length + 1)) * x);
    EXPECT_EQ(expr(std::string("min(x") + repeated(", y", length) + ")").op(), Op::min);
    EXPECT_EQ(expr(repeated("\n", length) + "x"), x);
    EXPECT_EQ(expr(std::string("0.") + repeated("0", 90'000) + "1*x").op(), Op::mul);
    expect_problem(repeated("\n", length) + "$", {length + 1, 1}, "'$' has no meaning in an expression",
                   "names are written bare: mass, not $mass");
    expect_problem(repeated("9", length), {1, 1}, "this number has more than 100000 digits", "");
    expect_problem(repeated("a", length), {1, 1}, std::string("unknown name '") + repeated("a", 40) + "…'", "");
    expect_problem(std::string("x ") + repeated("y", length), {1, 3},
                   std::string("an operator is missing between 'x' and '") + repeated("y", 40) + "…'",
                   std::string("write x*") + repeated("y", 40) + "… for a product");
}

TEST_F(Parse, HugeNumbersStayBounded) {
    EXPECT_EQ(expr("9^9^9^9^9").op(), Op::exp);
    EXPECT_EQ(expr("(((9^9999)^9999)^9999)").op(), Op::pow);
    EXPECT_NE(expr(std::string("1") + repeated("*1e5000", 1000)).op(), Op::undefined);
    EXPECT_NE(expr(std::string("9^20000") + repeated("+1", 1000)).op(), Op::undefined);
}

TEST(IsName, AcceptsWhatAnExpressionReadsAsOneName) {
    for (const char* name : {"x", "_", "x1", "hip'", "hip''", "fly.wx", "arm.1'", "link1.rod", "sin", "t"}) {
        EXPECT_TRUE(is_name(name)) << name;
    }
    for (const char* name : {"", "1x", "x.", ".x", "x..y", "x'y", "'", "x y", " x", "pi", "deg", "undefined", "é", "x-y"}) {
        EXPECT_FALSE(is_name(name)) << name;
    }
}

}  // namespace
}  // namespace linkwright::sym
