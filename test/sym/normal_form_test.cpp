// The normal form as the exact witness: identities it must see, differences it must not overlook, and forms worked out by
// hand.

#include "linkwright/sym/normal_form.hpp"

#include "linkwright/sym/readable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <stdexcept>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/evaluate.hpp"
#include "linkwright/sym/formula.hpp"
#include "support/print.hpp"
#include "support/random_expr.hpp"

namespace linkwright::sym::test {
namespace {

/// Terms by what they are made of: "cos(q)^2*m" → 3/2. Factors in alphabetical order.
using Sum = std::map<std::string, Rational>;

std::string letter(const Factor& f) {
    const std::string name = print(f.generator);
    return f.exponent == 1 ? name : name + "^" + std::to_string(f.exponent);
}
Sum sum_of(const Terms& terms) {
    Sum sum;
    for (const Term& t : terms) {
        std::vector<std::string> letters;
        for (const Factor& f : t.factors) letters.push_back(letter(f));
        std::ranges::sort(letters);
        std::string name;
        for (const std::string& l : letters) name += (name.empty() ? "" : "*") + l;
        EXPECT_FALSE(sum.contains(name)) << name << " stands there twice";
        sum[name] = t.coefficient;
    }
    return sum;
}

class NormalForms : public testing::TestWithParam<bool> {
protected:
    Pool pool{{.fold = GetParam()}};
    Pool plain{{.fold = false}};
    PoolScope scope{pool};
    Expr x = symbol("x"), y = symbol("y"), z = symbol("z"), m = symbol("m");
    Expr p = symbol("p", Role::coordinate), q = symbol("q", Role::coordinate);
    Expr u = symbol("u", Role::speed), v = symbol("v", Role::speed);

    NormalForm form(const Expr& e) {
        auto f = normal_form(e, plain);
        EXPECT_TRUE(f) << print(e) << ": " << f.why_not;
        return f ? *f : NormalForm{};
    }
    Sum numerator(const Expr& e) { return sum_of(form(e).numerator); }
    static Expr root(int n) { return sqrt(Expr(n)); }
    static Expr r(std::int64_t n, std::int64_t d) { return Expr(Rational(n, d)); }

    static void expect_equal(const Expr& a, const Expr& b) {
        const ExactVerdict v = equal_exactly(a, b);
        EXPECT_EQ(v.verdict, Verdict::equal) << print(a) << "\nand " << print(b) << "\n" << v.why_not;
    }
    static void expect_different(const Expr& a, const Expr& b) {
        EXPECT_EQ(equal_exactly(a, b).verdict, Verdict::different) << print(a) << "\nand " << print(b);
    }
    static void expect_unknown(const Expr& a, const Expr& b) {
        EXPECT_EQ(equal_exactly(a, b).verdict, Verdict::unknown) << print(a) << "\nand " << print(b);
    }
};
INSTANTIATE_TEST_SUITE_P(Pools, NormalForms, testing::Bool(), [](const auto& kind) { return kind.param ? "Folding" : "Plain"; });

// ------------------------------------------------------------------------------------------------------------ identities

TEST_P(NormalForms, SumsAndMultiplesOfAngles) {
    expect_equal(pow(sin(q), 2) + pow(cos(q), 2), 1);
    expect_equal(sin(p + q), sin(p) * cos(q) + cos(p) * sin(q));
    expect_equal(sin(p - q), sin(p) * cos(q) - cos(p) * sin(q));
    expect_equal(cos(p + q), cos(p) * cos(q) - sin(p) * sin(q));
    expect_equal(cos(p - q), cos(p) * cos(q) + sin(p) * sin(q));
    expect_equal(sin(3 * q), 3 * sin(q) - 4 * pow(sin(q), 3));
    expect_equal(cos(5 * q), 16 * pow(cos(q), 5) - 20 * pow(cos(q), 3) + 5 * cos(q));
    expect_equal(cos(2 * p - 3 * q), cos(2 * p) * cos(3 * q) + sin(2 * p) * sin(3 * q));
    expect_equal(sin(p + q) * sin(p - q), pow(sin(p), 2) - pow(sin(q), 2));
    expect_equal(sin(q + 1), sin(q) * cos(Expr(1)) + cos(q) * sin(Expr(1)));
    expect_equal(cos(x * y + q), cos(x * y) * cos(q) - sin(x * y) * sin(q));
    expect_different(sin(p + q), sin(p) * cos(q) - cos(p) * sin(q));
    expect_different(cos(p + q), cos(p) * cos(q) + sin(p) * sin(q));
    expect_different(sin(2 * q), 2 * sin(q));
    expect_different(sin(q), cos(q));
    expect_different(sin(q), q);
}

TEST_P(NormalForms, HalfAnglesAndOtherParts) {
    expect_equal(sin(q), 2 * sin(q / 2) * cos(q / 2));
    expect_equal(pow(cos(q / 2), 2), (1 + cos(q)) / 2);
    expect_equal(sin(q / 2), 3 * sin(q / 6) - 4 * pow(sin(q / 6), 3));
    expect_equal(cos((p + q) / 2) * cos((p - q) / 2), (cos(p) + cos(q)) / 2);
    expect_equal(cos(q / 2 + q / 3), cos(q / 2) * cos(q / 3) - sin(q / 2) * sin(q / 3));
    expect_different(sin(q / 2), sin(q) / 2);
    expect_different(pow(cos(q / 2), 2), (1 - cos(q)) / 2);
}

/// cos q and sin q by Chebyshev polynomials of cos(q/d), for both witnesses, whatever d shares with the circles' orders.
TEST_P(NormalForms, AnyPartOfAnAngle) {
    for (const int d : {2, 3, 4, 5, 7, 9, 11, 13, 17, 22, 35, 39, 101}) {
        const Expr c = cos(q / d);
        Expr before(1), chebyshev = c, sine_before(0), sine = sin(q / d);
        for (int n = 1; n < d; ++n) {
            const Expr next = 2 * c * chebyshev - before, next_sine = 2 * c * sine - sine_before;
            before = chebyshev;
            chebyshev = next;
            sine_before = sine;
            sine = next_sine;
        }
        expect_equal(cos(q), chebyshev);
        expect_equal(sin(q), sine);
        EXPECT_EQ(equal(sin(q), sine), Verdict::equal) << d;
        EXPECT_EQ(equal(cos(q), chebyshev), Verdict::equal) << d;
        EXPECT_EQ(equal(cos(q), chebyshev + c), Verdict::different) << d;
        EXPECT_EQ(equal(sin(-q / d + p), sin(p) * c - cos(p) * sin(q / d)), Verdict::equal) << d;
    }
    for (const int d : {128, 243, 98}) {  // beyond what the circles divide: opaque to the fingerprint, not to the form
        expect_equal(cos(2 * q / d), 2 * pow(cos(q / d), 2) - 1);
        EXPECT_NE(equal(cos(2 * q / d), 2 * pow(cos(q / d), 2) - 1), Verdict::different) << d;
        EXPECT_EQ(equal(sin(p - q / d), -sin(q / d - p)), Verdict::equal) << d;
        EXPECT_EQ(equal(cos(p - q / d), cos(q / d - p)), Verdict::equal) << d;
        EXPECT_EQ(equal(cos(p - q / d), cos(q / d + p)), Verdict::different) << d;
    }
}

TEST_P(NormalForms, MinusOneToAnyPower) {
    const Rational huge = *Rational::from_text("1e30");
    EXPECT_EQ(pow(Expr(-1), huge), Expr(1));
    EXPECT_EQ(pow(Expr(-1), huge + Rational(1)), Expr(-1));
    EXPECT_EQ(pow(Expr(-1), Rational(0) - huge), Expr(1));
}

TEST_P(NormalForms, PhasesOfPi) {
    expect_equal(sin(q + pi() / 2), cos(q));
    expect_equal(cos(q + pi()), -cos(q));
    expect_equal(sin(q + pi() / 6), root(3) / 2 * sin(q) + cos(q) / 2);
    expect_equal(cos(q - pi() / 4), (cos(q) + sin(q)) / root(2));
    expect_equal(sin(q + pi() / 12), sin(q) * (root(6) + root(2)) / 4 + cos(q) * (root(6) - root(2)) / 4);
    expect_equal(sin(q + 7 * pi() / 12) * 4, sin(q) * (root(2) - root(6)) + cos(q) * (root(6) + root(2)));
    expect_equal(sin(q) + sin(q + 2 * pi() / 3) + sin(q + 4 * pi() / 3), 0);
    expect_different(sin(q + pi() / 6), root(3) / 2 * sin(q) - cos(q) / 2);
    expect_different(sin(q + pi() / 12), sin(q) * (root(6) + root(2)) / 4 - cos(q) * (root(6) - root(2)) / 4);
    // π/5 is no multiple of π/12: an angle like any other, and nothing is claimed about what it is not.
    expect_equal(sin(q + pi() / 5), sin(q) * cos(pi() / 5) + cos(q) * sin(pi() / 5));
    EXPECT_NE(equal_exactly(4 * cos(pi() / 5), 1 + root(5)).verdict, Verdict::different);
}

TEST_P(NormalForms, Tangents) {
    expect_equal(tan(q) * cos(q), sin(q));
    expect_equal(1 + pow(tan(q), 2), 1 / pow(cos(q), 2));
    expect_equal(tan(p + q), (tan(p) + tan(q)) / (1 - tan(p) * tan(q)));
    expect_equal(tan(2 * q), 2 * tan(q) / (1 - pow(tan(q), 2)));
    expect_equal(tan(q / 2), sin(q) / (1 + cos(q)));
    expect_equal(sin(q), 2 * tan(q / 2) / (1 + pow(tan(q / 2), 2)));
    expect_different(tan(p + q), (tan(p) + tan(q)) / (1 + tan(p) * tan(q)));
    expect_different(tan(q), sin(q));
}

TEST_P(NormalForms, Fractions) {
    expect_equal(1 / x + 1 / y, (x + y) / (x * y));
    expect_equal(x / (x + y) + y / (x + y), 1);
    expect_equal((x * x - y * y) / (x - y), x + y);
    expect_equal(1 / (1 + 1 / (1 + 1 / x)), (x + 1) / (2 * x + 1));
    expect_equal(1 / (x / y), y / x);
    expect_equal((x / y) / (z / m), x * m / (y * z));
    expect_equal(1 / (x - y) - 1 / (x + y), 2 * y / (x * x - y * y));
    expect_equal((1 - cos(q)) / sin(q), sin(q) / (1 + cos(q)));  // equal only crosswise
    expect_equal((1 - pow(cos(q), 2)) / (1 - cos(q)), 1 + cos(q));
    expect_equal(pow(x / (y + 1), -3), pow(y + 1, 3) / pow(x, 3));
    expect_equal(1 / (2 * x + 2 * y) + 1 / (-3 * x - 3 * y), 1 / (6 * x + 6 * y));
    expect_different(1 / x + 1 / y, 2 / (x + y));
    expect_different((1 - cos(q)) / sin(q), sin(q) / (1 - cos(q)));
    expect_different(1 / (x - y), 1 / (y - x));
}

TEST_P(NormalForms, UnitQuaternions) {
    const auto e = pool.quaternion({"e0", "e1", "e2", "e3"});
    const auto f = pool.quaternion({"f0", "f1", "f2", "f3"});
    const auto square = [](const std::array<Expr, 4>& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]; };
    expect_equal(square(e), 1);
    expect_equal(square(e) * square(f), 1);
    expect_equal(pow(e[0], 4), pow(1 - e[1] * e[1] - e[2] * e[2] - e[3] * e[3], 2));
    expect_different(square(e) - 2 * pow(e[3], 2), 1);
    expect_different(e[0], e[1]);
    expect_different(pow(e[0], 2), pow(f[0], 2));
    const Expr s = e[0];
    const std::array<std::array<Expr, 3>, 3> R{{
        {1 - 2 * (e[2] * e[2] + e[3] * e[3]), 2 * (e[1] * e[2] - s * e[3]), 2 * (e[1] * e[3] + s * e[2])},
        {2 * (e[1] * e[2] + s * e[3]), 1 - 2 * (e[1] * e[1] + e[3] * e[3]), 2 * (e[2] * e[3] - s * e[1])},
        {2 * (e[1] * e[3] - s * e[2]), 2 * (e[2] * e[3] + s * e[1]), 1 - 2 * (e[1] * e[1] + e[2] * e[2])},
    }};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (std::size_t j = 0; j < 3; ++j) {
            expect_equal(R[i][0] * R[j][0] + R[i][1] * R[j][1] + R[i][2] * R[j][2], i == j ? 1 : 0);
            const std::size_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;  // R is its own matrix of cofactors
            expect_equal(R[i1][j1] * R[i2][j2] - R[i1][j2] * R[i2][j1], R[i][j]);
        }
    }
    // Only some of the four in sight: the relation is about all of them.
    EXPECT_EQ(numerator(e[0] * e[0]), (Sum{{"", 1}, {"e1^2", -1}, {"e2^2", -1}, {"e3^2", -1}}));
    EXPECT_EQ(numerator(e[1] * e[1]), (Sum{{"e1^2", 1}}));
    EXPECT_EQ(numerator(pow(e[0], 3)), (Sum{{"e0", 1}, {"e0*e1^2", -1}, {"e0*e2^2", -1}, {"e0*e3^2", -1}}));
}

TEST_P(NormalForms, Radicals) {
    const Expr w = sqrt(x + 1);
    expect_equal(root(2) * root(3), root(6));
    expect_equal((1 + root(2)) * (root(2) - 1), 1);
    expect_equal(1 / (root(2) - 1), 1 + root(2));
    expect_equal(pow(root(2) + root(3), 2), 5 + 2 * root(6));
    expect_equal(pow(pow(Expr(2), r(1, 3).number()), 3), 2);
    expect_equal(pow(pow(Expr(2), Rational(1, 3)) - 1, 3), 1 - 3 * pow(Expr(2), Rational(2, 3)) + 3 * pow(Expr(2), Rational(1, 3)));
    expect_equal(root(2) * pow(Expr(2), Rational(1, 3)), pow(Expr(2), Rational(5, 6)));
    expect_equal(pow(sqrt(x), 2), x);
    expect_equal((sqrt(x) + 1) * (sqrt(x) - 1), x - 1);
    expect_equal(w * w * w, (x + 1) * w);
    expect_equal(pow(1 + w, 2), 2 + x + 2 * w);
    expect_equal(pow(x, Rational(1, 2)) * pow(x, Rational(1, 3)), pow(x, Rational(5, 6)));
    expect_equal(pow(x, Rational(-1, 2)) * x, sqrt(x));
    expect_equal(1 / (sqrt(x) - 1), (sqrt(x) + 1) / (x - 1));
    expect_equal(pow(1 + sqrt(x + sqrt(y)), 2), 1 + x + sqrt(y) + 2 * sqrt(x + sqrt(y)));
    expect_equal(pow(x + sqrt(y), 2), x * x + y + 2 * x * sqrt(y));
    const Expr nested = sqrt(1 + w);
    expect_equal(pow(nested, 4), 1 + 2 * w + x + 1);
    expect_equal(pow(nested * (w + 2), 2), (1 + w) * (x + 5 + 4 * w));
    expect_different(root(2), root(3));
    expect_different(root(2) + root(3), root(5));
    expect_different(root(2), r(141'421'356, 100'000'000));
    expect_unknown(sqrt(x * x), x);
    expect_unknown(sqrt(x * x + 2 * x + 1), x + 1);
    EXPECT_EQ(numerator(w * w * w), (Sum{{"sqrt(x + 1)", 1}, {"sqrt(x + 1)*x", 1}}));
}

TEST_P(NormalForms, OpaqueFunctionsAreComparedByTheirArguments) {
    expect_equal(tanh(x * (y + 1)), tanh(x * y + x));
    expect_equal(exp(pow(x + y, 2)) * z, z * exp(x * x + 2 * x * y + y * y));
    expect_equal(abs(sin(p + q)), abs(sin(p) * cos(q) + cos(p) * sin(q)));
    expect_equal(atan2(x * (y + 1), cos(2 * q)), atan2(x + x * y, 2 * pow(cos(q), 2) - 1));
    expect_equal(min(x * (y + 1), z), min(z, x * y + x));
    expect_equal(select(x * (y + z), u, v), select(x * y + x * z, u, v));
    expect_equal(tanh(1 + exp(x * (y + 1))), tanh(exp(x * y + x) + 1));
    Expr a = x * (y + 1), b = x * y + x;
    for (int i = 0; i < 10; ++i) {
        a = tanh(a) + 1;
        b = tanh(b) + 1;
    }
    expect_equal(a, b);
    expect_equal((tanh(x) + 1) * (tanh(x) - 1), pow(tanh(x), 2) - 1);
    expect_unknown(tanh(x), tanh(y));
    expect_unknown(tanh(x * y + x), tanh(x * y - x));
    expect_unknown(exp(x) * exp(y), exp(x + y));
    expect_unknown(tanh(x), x);
    expect_unknown(tanh(x), atan(x));
    expect_unknown(atan2(x, y), atan2(y, x));
}

/// Nesting beyond what is followed is told as "unknown", never as "different", and costs no stack.
TEST(NormalForm, ComparesDeepNestingsWithoutEnd) {
    Pool pool({.fold = false});
    const Expr x = pool.symbol("x"), y = pool.symbol("y");
    for (const int depth : {40, 100'000}) {
        Expr a = x * (y + 1), b = x * y + x;
        for (int i = 0; i < depth; ++i) {
            a = tanh(a) + 1;
            b = tanh(b) + 1;
        }
        EXPECT_NE(equal_exactly(a, b).verdict, Verdict::different);
        EXPECT_EQ(equal_exactly(a, a).verdict, Verdict::equal);
    }
}

TEST(NormalForm, SaysWhetherItIsUnique) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr x = symbol("x"), y = symbol("y"), q = symbol("q", Role::coordinate);
    const auto e = pool.quaternion({"e0", "e1", "e2", "e3"});
    for (const Expr& f : {x + y, x / (1 + y), sin(q) * cos(q / 3), sin(x * y), tan(q), sin(q + pi() / 12), sqrt(Expr(2)) * x,
                          pow(Expr(7), Rational(1, 3)), e[0] * e[1], sin(Expr(1)), pi() * x, Expr(3)}) {
        EXPECT_TRUE(normal_form(f, pool)->is_unique) << print(f);
    }
    for (const Expr& f : {tanh(x), x + abs(y), sqrt(x), pow(x + y, Rational(1, 3)), sin(x * (y + 1)), sin(pi() / 5), sin(tanh(x)),
                          sin(sqrt(Expr(2))), atan2(x, y), min(x, y), select(x, y, q), x - exp(y)}) {
        EXPECT_FALSE(normal_form(f, pool)->is_unique) << print(f);
    }
}

TEST(NormalForm, SaysWhetherItIsUndefined) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr x = symbol("x"), q = symbol("q", Role::coordinate);
    const Expr hidden = pow(sin(q), 2) + pow(cos(q), 2) - 1;
    for (const Expr& f : {1 / hidden, x + 1 / (hidden * x), undefined(), pow(hidden, -2), sin(q) / (x * hidden)}) {
        EXPECT_TRUE(normal_form(f, pool)->is_undefined) << print(f);
        EXPECT_TRUE(to_expr(*normal_form(f, pool), pool).is_undefined());
        EXPECT_TRUE(expand(f, pool)->is_undefined());
        EXPECT_EQ(equal_exactly(f, f).verdict, Verdict::unknown);
        EXPECT_EQ(equal_exactly(f, x).verdict, Verdict::unknown);
        EXPECT_EQ(collect(f, std::array{x}, pool).why_not, "the expression is undefined");
    }
    for (const Expr& f : {hidden, x / x, hidden / x, 1 / (1 + hidden)}) EXPECT_FALSE(normal_form(f, pool)->is_undefined) << print(f);
}

// ------------------------------------------------------------------------------------------------------- forms as written

TEST_P(NormalForms, Expanding) {
    EXPECT_EQ(numerator(pow(x + y, 3)), (Sum{{"x^3", 1}, {"x^2*y", 3}, {"x*y^2", 3}, {"y^3", 1}}));
    EXPECT_EQ(numerator((x - 2) * (x + r(1, 2))), (Sum{{"x^2", 1}, {"x", Rational(-3, 2)}, {"", -1}}));
    EXPECT_EQ(numerator(pow(sin(q), 2)), (Sum{{"", 1}, {"cos(q)^2", -1}}));
    EXPECT_EQ(numerator(pow(sin(q), 3)), (Sum{{"sin(q)", 1}, {"cos(q)^2*sin(q)", -1}}));
    EXPECT_EQ(numerator(cos(p + q)), (Sum{{"cos(p)*cos(q)", 1}, {"sin(p)*sin(q)", -1}}));
    EXPECT_EQ(numerator(sin(q)), (Sum{{"sin(q)", 1}}));
    EXPECT_EQ(numerator(sin(q) + cos(q / 2)), (Sum{{"cos(q/2)*sin(q/2)", 2}, {"cos(q/2)", 1}}));
    EXPECT_EQ(numerator(pi() * x + pi() * y), (Sum{{"pi*x", 1}, {"pi*y", 1}}));
    EXPECT_EQ(numerator(root(6)), (Sum{{"sqrt(2)*sqrt(3)", 1}}));
    EXPECT_EQ(numerator(Expr(0)), Sum{});
    EXPECT_EQ(numerator(x - x * 1), Sum{});
    const NormalForm f = form(3 * x / (2 * y) * pow(x + y, -2) - 1 / y);
    // 3x/(2y(x+y)²) − 1/y  =  (3x/2 − (x+y)²) / (y (x+y)²)
    EXPECT_EQ(sum_of(f.numerator), (Sum{{"x", Rational(3, 2)}, {"x^2", -1}, {"x*y", -2}, {"y^2", -1}}));
    std::map<std::string, std::int64_t> below;
    for (const auto& d : f.denominators) below[print(to_expr(d.base, plain))] = d.power;
    EXPECT_EQ(below, (std::map<std::string, std::int64_t>{{"y", 1}, {"x + y", 2}}));
    EXPECT_TRUE(f.is_unique);
    EXPECT_EQ(print(*expand(x * (y + 1) + 2, plain)), "x + x*y + 2");
    EXPECT_EQ(print(*expand(x * (y - 1) / (z * x), plain)), "(y - 1)/z");
    EXPECT_EQ(&expand(x, plain)->pool(), &plain);
}

TEST_P(NormalForms, MergingAngles) {
    EXPECT_EQ(print(*merge_angles(cos(p) * cos(q) - sin(p) * sin(q), plain)), "cos(p + q)");
    EXPECT_EQ(print(*merge_angles(cos(p) * cos(q) + sin(p) * sin(q), plain)), "cos(p - q)");
    EXPECT_EQ(print(*merge_angles(sin(p) * cos(q) + cos(p) * sin(q), plain)), "sin(p + q)");
    EXPECT_EQ(print(*merge_angles(sin(p) * cos(q) - cos(p) * sin(q), plain)), "sin(p - q)");
    EXPECT_EQ(print(*merge_angles(2 * sin(q) * cos(q), plain)), "sin(2*q)");
    EXPECT_EQ(sum_of(normal_form(*merge_angles(m * sin(q / 2) * cos(q / 2), plain), plain)->numerator),
              (Sum{{"m*sin(q)", Rational(1, 2)}}));
    EXPECT_EQ(print(*merge_angles(pow(sin(q), 2) + pow(cos(q), 2), plain)), "1");
    const auto merged = [&](const Expr& e) { return sum_of(merged_angles(form(e).numerator, plain)); };
    const Rational half(1, 2), quarter(1, 4), eighth(1, 8);
    EXPECT_EQ(merged(pow(cos(q), 2)), (Sum{{"", half}, {"cos(2*q)", half}}));
    EXPECT_EQ(merged(pow(sin(q), 2)), (Sum{{"", half}, {"cos(2*q)", -half}}));
    EXPECT_EQ(merged(pow(cos(q), 3)), (Sum{{"cos(q)", Rational(3, 4)}, {"cos(3*q)", quarter}}));
    EXPECT_EQ(merged(pow(sin(q), 3)), (Sum{{"sin(q)", Rational(3, 4)}, {"sin(3*q)", -quarter}}));
    EXPECT_EQ(merged(x * cos(p) * cos(q)), (Sum{{"cos(p - q)*x", half}, {"cos(p + q)*x", half}}));
    EXPECT_EQ(merged(sin(p) * sin(q)), (Sum{{"cos(p - q)", half}, {"cos(p + q)", -half}}));
    EXPECT_EQ(merged(sin(p) * cos(q)), (Sum{{"sin(p - q)", half}, {"sin(p + q)", half}}));
    EXPECT_EQ(merged(pow(sin(q) * cos(q), 2)), (Sum{{"", eighth}, {"cos(4*q)", -eighth}}));
    EXPECT_EQ(merged(u * x), (Sum{{"u*x", 1}}));
    // Terms need not come from a normal form: squares of sines, cosines first.
    const Expr angle = plain.symbol("q", Role::coordinate);
    EXPECT_EQ(sum_of(merged_angles({{Rational(1), {{sin(angle), 2}}}}, plain)), (Sum{{"", half}, {"cos(2*q)", -half}}));
    EXPECT_EQ(sum_of(merged_angles({{Rational(1), {{cos(angle), 2}, {sin(angle), 1}}}}, plain)),
              (Sum{{"sin(q)", quarter}, {"sin(3*q)", quarter}}));
    EXPECT_EQ(sum_of(merged_angles({{Rational(4), {{sin(angle), 3}}}}, plain)), (Sum{{"sin(q)", 3}, {"sin(3*q)", -1}}));
    // The denominator is left as it is.
    expect_equal(*merge_angles(sin(q) * cos(q) / (1 + x), plain), *expand(sin(2 * q) / (2 + 2 * x), plain));
}

TEST_P(NormalForms, MergedAnglesAreTheSameFunction) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 200; ++i) {
        Expr e(0);
        for (int t = 0; t < 3; ++t) {
            Expr term = Expr(static_cast<int>(random() % 9) - 4) * (random() % 2 == 0 ? x : u);
            for (const Expr& angle : {p, q, x * y}) {
                term *= pow(sin(angle), static_cast<int>(random() % 3)) * pow(cos(angle), static_cast<int>(random() % 4));
            }
            e += term;
        }
        const auto merged = merge_angles(e, plain);
        ASSERT_TRUE(merged);
        expect_equal(*merged, *expand(e, plain));
        for (const Term& t : merged_angles(form(e).numerator, plain)) {
            std::int64_t circular = 0;
            for (const Factor& f : t.factors) circular += f.generator.op() == Op::sin || f.generator.op() == Op::cos ? f.exponent : 0;
            EXPECT_LE(circular, 1);
        }
    }
}

TEST_P(NormalForms, ShorterSquares) {
    const auto shorter = [&](const Expr& e) { return sum_of(shorter_squares(form(e).numerator)); };
    EXPECT_EQ(shorter(1 - pow(cos(q), 2)), (Sum{{"sin(q)^2", 1}}));
    EXPECT_EQ(shorter(pow(cos(q), 2)), (Sum{{"cos(q)^2", 1}}));
    EXPECT_EQ(shorter(pow(sin(q), 4)), (Sum{{"sin(q)^4", 1}}));
    EXPECT_EQ(shorter(pow(sin(q), 6) * x), (Sum{{"sin(q)^6*x", 1}}));
    EXPECT_EQ(shorter(pow(sin(q), 5)), (Sum{{"sin(q)^5", 1}}));
    EXPECT_EQ(shorter(pow(sin(q), 2) * cos(q)), (Sum{{"cos(q)*sin(q)^2", 1}}));
    EXPECT_EQ(shorter(pow(sin(p), 2) * pow(sin(q), 2)), (Sum{{"sin(p)^2*sin(q)^2", 1}}));
    EXPECT_EQ(shorter(x * pow(sin(q), 2) + y * pow(cos(q), 2)), (Sum{{"x", 1}, {"cos(q)^2*x", -1}, {"cos(q)^2*y", 1}}));
    EXPECT_EQ(shorter(x - y), (Sum{{"x", 1}, {"y", -1}}));
    // A degree nobody would write out stays as it is.
    const Terms high{{Rational(1), {{transplant(std::array{cos(q)}, plain).front(), 200}}}};
    EXPECT_EQ(sum_of(shorter_squares(high)), (Sum{{"cos(q)^200", 1}}));
    EXPECT_EQ(sum_of(merged_angles(high, plain)), (Sum{{"cos(q)^200", 1}}));
}

TEST_P(NormalForms, FactoringContent) {
    const auto [content, rest] = factor_content(form(r(6, 5) * x * x * y - r(9, 10) * x * y * y).numerator);
    EXPECT_EQ(content.coefficient, Rational(3, 10));
    EXPECT_EQ(sum_of({content}), (Sum{{"x*y", Rational(3, 10)}}));
    EXPECT_EQ(sum_of(rest), (Sum{{"x", 4}, {"y", -3}}));
    const auto negative = factor_content(form(-4 * x * x - 6 * x).numerator);
    EXPECT_EQ(sum_of({negative.content}), (Sum{{"x", -2}}));
    EXPECT_EQ(sum_of(negative.rest), (Sum{{"x", 2}, {"", 3}}));
    const auto single = factor_content(form(-7 * m * u * u / 3).numerator);
    EXPECT_EQ(sum_of({single.content}), (Sum{{"m*u^2", Rational(-7, 3)}}));
    EXPECT_EQ(sum_of(single.rest), (Sum{{"", 1}}));
    const auto none = factor_content({});
    EXPECT_TRUE(none.rest.empty());
    EXPECT_EQ(none.content.coefficient, Rational(1));
    EXPECT_TRUE(none.content.factors.empty());
    const auto nothing = factor_content(form(x + y).numerator);
    EXPECT_EQ(sum_of({nothing.content}), (Sum{{"", 1}}));
}

// -------------------------------------------------------------------------------------------------------------- collecting

class Collecting : public NormalForms {
protected:
    std::map<std::string, Expr> collected(const Expr& e, std::vector<Expr> by) {
        const auto groups = collect(e, by, plain);
        EXPECT_TRUE(groups) << groups.why_not;
        std::map<std::string, Expr> result;
        if (!groups) return result;
        Expr sum(plain, Pool::zero_id);
        for (const Collected& c : *groups) {
            EXPECT_TRUE(result.emplace(print(c.monomial), c.coefficient).second) << print(c.monomial);
            sum += c.monomial * c.coefficient;
            for (const Expr& s : by) {
                EXPECT_EQ(derivative(c.coefficient, transplant(std::array{s}, plain).front()), Expr(plain, Pool::zero_id));
            }
        }
        expect_equal(sum, transplant(std::array{e}, plain).front());
        return result;
    }
    void expect_coefficients(const Expr& e, const std::vector<Expr>& by, const std::vector<std::pair<std::string, Expr>>& expected) {
        const auto found = collected(e, by);
        EXPECT_EQ(found.size(), expected.size()) << print(e);
        for (const auto& [name, coefficient] : expected) {
            ASSERT_TRUE(found.contains(name)) << name;
            expect_equal(found.at(name), transplant(std::array{coefficient}, plain).front());
        }
    }
};
INSTANTIATE_TEST_SUITE_P(Pools, Collecting, testing::Bool(), [](const auto& kind) { return kind.param ? "Folding" : "Plain"; });

TEST_P(Collecting, BySpeeds) {
    const Expr T = m * (pow(u + v * cos(q), 2) + pow(v * sin(q), 2)) / 2 + x * u;
    expect_coefficients(T, {u, v}, {{"u^2", m / 2}, {"u*v", m * cos(q)}, {"v^2", m / 2}, {"u", x}});
    expect_coefficients(T, {u}, {{"u^2", m / 2}, {"u", m * v * cos(q) + x}, {"1", m * v * v / 2}});
    expect_coefficients(x * y, {u, v}, {{"1", x * y}});
    expect_coefficients(Expr(0), {u}, {});
}

TEST_P(Collecting, ByCoordinatesAndTheirSines) {
    const Expr e = x * sin(q) * u + y * q * q + z * sin(p) * cos(q) + m * cos(p) + 3;
    expect_coefficients(e, {q}, {{"sin(q)", x * u}, {"q^2", y}, {"cos(q)", z * sin(p)}, {"1", m * cos(p) + 3}});
    expect_coefficients(sin(p + q) * x, {q}, {{"sin(q)", x * cos(p)}, {"cos(q)", x * sin(p)}});
    expect_coefficients(cos(q / 2) * x + cos(q), {q}, {{"cos(q/2)", x}, {"cos(q/2)^2", Expr(2)}, {"1", Expr(-1)}});
    expect_coefficients(tanh(q) * x + tanh(p), {q}, {{"tanh(q)", x}, {"1", tanh(p)}});
    expect_coefficients(sqrt(q + 1) * x + y * sqrt(p), {q}, {{"sqrt(q + 1)", x}, {"1", y * sqrt(p)}});
}

TEST_P(Collecting, DenominatorsStayWithTheCoefficients) {
    expect_coefficients((u * u + x * u) / (m + 1), {u}, {{"u^2", 1 / (m + 1)}, {"u", x / (m + 1)}});
    expect_coefficients(u / m + u / x, {u}, {{"u", 1 / m + 1 / x}});
    for (const Expr& e : {1 / u, x / (1 + u), x / (y + sin(q)) + u, tan(q)}) {
        const auto none = collect(e, std::array{u, q}, plain);
        EXPECT_FALSE(none) << print(e);
        EXPECT_EQ(none.why_not, "a chosen symbol stands in a denominator");
    }
    EXPECT_TRUE(collect((u * u + u) / u, std::array{u}, plain));  // it cancels
    EXPECT_EQ(collect(pow(u + x, 40), std::array{u}, plain, {.terms = 10, .time = std::chrono::milliseconds(1000)}).why_not,
              "more than 10 terms");
}

// ----------------------------------------------------------------------------------------------------------------- budgets

using std::chrono::milliseconds;

TEST_P(NormalForms, BudgetsSayWhatRanOut) {
    const Budget small{.terms = 20, .time = milliseconds(2000)};
    EXPECT_EQ(normal_form(pow(x + y, 50), plain, small).why_not, "more than 20 terms");
    EXPECT_TRUE(normal_form(pow(x + y, 19), plain, small));
    EXPECT_FALSE(normal_form(pow(x + y, 20), plain, small));
    EXPECT_EQ(expand(pow(x + y, 50), plain, small).why_not, "more than 20 terms");
    EXPECT_EQ(merge_angles(pow(x + y, 50), plain, small).why_not, "more than 20 terms");
    const ExactVerdict verdict = equal_exactly(pow(x + y, 50), x, small);
    EXPECT_EQ(verdict.verdict, Verdict::unknown);
    EXPECT_EQ(verdict.why_not, "more than 20 terms");
    EXPECT_EQ(normal_form(sin(100'000 * q) + cos(q), plain).why_not, "an angle times more than 1000");
    EXPECT_EQ(normal_form(sin(pow(Expr(10), 30) * q) + cos(q), plain).why_not, "an angle times more than 1000");
    EXPECT_TRUE(normal_form(sin(100'000 * q), plain));  // alone, it is a letter
    EXPECT_EQ(normal_form(pow(pow(x * y, 1 << 20) + 1, 1 << 20), plain).why_not, "a degree above 2^32");
    EXPECT_EQ(normal_form(pow(x, Rational(std::int64_t{1} << 40)) * y, plain).why_not, "a degree above 2^32");
    EXPECT_EQ(normal_form(pow(x, *Rational::from_text("1e30")), plain).why_not, "a degree above 2^32");
    EXPECT_TRUE(normal_form(pow(x, 1 << 30), plain));
    Expr sum(0);
    for (int i = 0; i < 30; ++i) sum += symbol("s" + std::to_string(i));
    EXPECT_EQ(normal_form(sum, plain, small).why_not, "more than 20 generators");
    EXPECT_EQ(normal_form(x, plain).why_not, "");
    EXPECT_EQ(equal_exactly(x, y).why_not, "");
}

TEST_P(NormalForms, TimeRunsOut) {
    Expr product(1);
    for (int i = 0; i < 40; ++i) product *= x + symbol("a" + std::to_string(i)) * y + z;
    const auto start = std::chrono::steady_clock::now();
    const auto form = normal_form(product, plain, {.terms = 10'000'000, .time = milliseconds(50)});
    EXPECT_FALSE(form);
    EXPECT_TRUE(form.why_not.starts_with("out of time after ")) << form.why_not;  // of 50 ms some may have gone before the product
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_P(NormalForms, CoefficientsOfAThousandDigits) {
    const Expr big = pow(Expr(10), 1000) + 7;
    expect_equal(big * x * (x + 1), big * x * x + big * x);
    expect_equal(pow(big * x + 1, 2), big * big * x * x + 2 * big * x + 1);
    expect_equal((x / big + y) * big, x + big * y);
    expect_different(big * x, (big + 1) * x);
    expect_different(x + 1 / big, x);
    EXPECT_EQ(numerator(big * (x + 1)), (Sum{{"x", big.number()}, {"", big.number()}}));
}

TEST_P(NormalForms, TheTargetMustNotFold) {
    Pool folding;
    EXPECT_THROW(normal_form(x, folding), std::invalid_argument);
    EXPECT_THROW(expand(x, folding), std::invalid_argument);
    EXPECT_THROW(merge_angles(x, folding), std::invalid_argument);
    EXPECT_THROW(collect(x, std::array{x}, folding), std::invalid_argument);
}

// ------------------------------------------------------------------------------------------------------------------ chains

Expr kinetic_energy(std::span<const Expr> masses, std::span<const std::array<Expr, 3>> places, Tangent& rate) {
    Expr T(0);
    for (std::size_t i = 0; i < masses.size(); ++i) {
        for (const Expr& coordinate : places[i]) T += masses[i] * pow(rate(coordinate), 2) / 2;
    }
    return T;
}

/// Three rods in a plane, relative angles: I about the centre of mass, which is d along the rod of length l.
TEST_P(NormalForms, MassMatrixOfAPlanarChain) {
    std::array<Expr, 3> d{symbol("d1"), symbol("d2"), symbol("d3")}, l{symbol("l1"), symbol("l2"), symbol("l3")};
    std::array<Expr, 3> mass{symbol("m1"), symbol("m2"), symbol("m3")}, I{symbol("I1"), symbol("I2"), symbol("I3")}, angle{0, 0, 0},
        rates{0, 0, 0};
    std::vector<Binding> bindings;
    for (std::size_t i = 0; i < 3; ++i) {
        angle[i] = symbol("q" + std::to_string(i + 1), Role::coordinate);
        rates[i] = symbol("u" + std::to_string(i + 1), Role::speed);
        bindings.emplace_back(angle[i], rates[i]);
    }
    Tangent rate{std::span<const Binding>(bindings)};
    Expr X(0), Y(0), turned(0), T(0);
    std::array<std::array<Expr, 3>, 3> centre;
    for (std::size_t i = 0; i < 3; ++i) {
        turned += angle[i];
        centre[i] = {X + d[i] * cos(turned), Y + d[i] * sin(turned), Expr(0)};
        X += l[i] * cos(turned);
        Y += l[i] * sin(turned);
        T += I[i] * pow(rate(turned), 2) / 2;
    }
    T += kinetic_energy(mass, centre, rate);
    const auto M = [&](std::size_t i, std::size_t j) { return numerator(derivative(derivative(T, rates[i]), rates[j])); };
    // cos(q2 + q3) is written as cos(q2)·cos(q3) − sin(q2)·sin(q3).
    const Sum m22{{"I3", 1}, {"d3^2*m3", 1}};
    const Sum m12{{"I3", 1}, {"d3^2*m3", 1}, {"cos(q3)*d3*l2*m3", 1}};
    const Sum m02{{"I3", 1}, {"d3^2*m3", 1}, {"cos(q3)*d3*l2*m3", 1}, {"cos(q2)*cos(q3)*d3*l1*m3", 1}, {"d3*l1*m3*sin(q2)*sin(q3)", -1}};
    const Sum m11{{"I2", 1}, {"I3", 1}, {"d2^2*m2", 1}, {"d3^2*m3", 1}, {"l2^2*m3", 1}, {"cos(q3)*d3*l2*m3", 2}};
    Sum m01 = m11;
    m01.insert({{"cos(q2)*d2*l1*m2", 1}, {"cos(q2)*l1*l2*m3", 1}, {"cos(q2)*cos(q3)*d3*l1*m3", 1}, {"d3*l1*m3*sin(q2)*sin(q3)", -1}});
    Sum m00 = m11;
    m00.insert({{"I1", 1},
                {"d1^2*m1", 1},
                {"l1^2*m2", 1},
                {"l1^2*m3", 1},
                {"cos(q2)*d2*l1*m2", 2},
                {"cos(q2)*l1*l2*m3", 2},
                {"cos(q2)*cos(q3)*d3*l1*m3", 2},
                {"d3*l1*m3*sin(q2)*sin(q3)", -2}});
    EXPECT_EQ(M(0, 0), m00);
    EXPECT_EQ(M(0, 1), m01);
    EXPECT_EQ(M(0, 2), m02);
    EXPECT_EQ(M(1, 1), m11);
    EXPECT_EQ(M(1, 2), m12);
    EXPECT_EQ(M(2, 2), m22);
    EXPECT_EQ(M(2, 0), m02);
}

/// A column that turns, an upper arm and a forearm that pitch; masses at elbow (a) and hand (b), arms r and s.
TEST_P(NormalForms, MassMatrixOfASpatialChain) {
    const std::array mass{symbol("a"), symbol("b")};
    const Expr rr = symbol("r"), ss = symbol("s");
    const std::array angle{symbol("q1", Role::coordinate), symbol("q2", Role::coordinate), symbol("q3", Role::coordinate)};
    const std::array rates{symbol("u1", Role::speed), symbol("u2", Role::speed), symbol("u3", Role::speed)};
    std::vector<Binding> bindings;
    for (std::size_t i = 0; i < 3; ++i) bindings.emplace_back(angle[i], rates[i]);
    Tangent rate{std::span<const Binding>(bindings)};
    const auto at = [&](const Expr& reach, const Expr& height) {
        return std::array<Expr, 3>{cos(angle[0]) * reach, sin(angle[0]) * reach, height};
    };
    const Expr elevation = angle[1] + angle[2];
    const std::array places{at(rr * cos(angle[1]), rr * sin(angle[1])),
                            at(rr * cos(angle[1]) + ss * cos(elevation), rr * sin(angle[1]) + ss * sin(elevation))};
    const Expr T = kinetic_energy(mass, places, rate);
    const auto M = [&](std::size_t i, std::size_t j) { return numerator(derivative(derivative(T, rates[i]), rates[j])); };
    // a r² c2² + b (r c2 + s c23)², with c23² = 2 c2² c3² − 2 c2 c3 s2 s3 + 1 − c2² − c3².
    EXPECT_EQ(M(0, 0), (Sum{{"a*cos(q2)^2*r^2", 1},
                            {"b*cos(q2)^2*r^2", 1},
                            {"b*cos(q2)^2*cos(q3)*r*s", 2},
                            {"b*cos(q2)*r*s*sin(q2)*sin(q3)", -2},
                            {"b*cos(q2)^2*cos(q3)^2*s^2", 2},
                            {"b*cos(q2)*cos(q3)*s^2*sin(q2)*sin(q3)", -2},
                            {"b*s^2", 1},
                            {"b*cos(q2)^2*s^2", -1},
                            {"b*cos(q3)^2*s^2", -1}}));
    EXPECT_EQ(M(0, 1), Sum{});
    EXPECT_EQ(M(0, 2), Sum{});
    EXPECT_EQ(M(1, 1), (Sum{{"a*r^2", 1}, {"b*r^2", 1}, {"b*s^2", 1}, {"b*cos(q3)*r*s", 2}}));
    EXPECT_EQ(M(1, 2), (Sum{{"b*s^2", 1}, {"b*cos(q3)*r*s", 1}}));
    EXPECT_EQ(M(2, 2), (Sum{{"b*s^2", 1}}));
}

/// Whatever a folding pool made of it, the form is that of the plain one.
TEST(NormalForm, DoesNotDependOnTheSource) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Kinds kinds{.analytic_functions = false, .kinks = false, .quotients = false, .angles_are_linear = true};
        Pool folding, unfolded({.fold = false}), plain({.fold = false});
        const Expr a = RandomExpr(folding, seed, kinds)(4 + seed % 9).e, b = RandomExpr(unfolded, seed, kinds)(4 + seed % 9).e;
        // A sum that mentions every symbol gives both the same generators in the same angles.
        const auto f = normal_form(a, plain), g = normal_form(b, plain);
        if (!f || !g) continue;
        EXPECT_EQ(sum_of(f->numerator), sum_of(g->numerator)) << "seed " << seed << ": " << print(b);
    }
}

/// Products of lengths, masses, sines and cosines, as mass matrices are: expanding keeps the function, finds its own form
/// again, and a slip in one term is seen.
TEST_P(NormalForms, RandomMassMatrices) {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        std::mt19937_64 random(seed);
        const auto pick = [&](std::initializer_list<Expr> from) {
            return *(from.begin() + static_cast<std::ptrdiff_t>(random() % from.size()));
        };
        const auto arm = [&] {
            return x * cos(p) + pick({y, z}) * pick({cos(p + q), sin(p - q), cos(q), sin(2 * p + q)}) -
                   pick({x, z}) * pick({sin(q), cos(p / 2)});
        };
        const Expr e = m * pow(arm(), 2) + pick({m, z}) * arm() * arm() + symbol("J");
        const auto expanded = expand(e, plain);
        ASSERT_TRUE(expanded);
        const Expr copy = transplant(std::array{e}, plain).front();
        expect_equal(copy, *expanded);
        EXPECT_EQ(equal(copy, *expanded), Verdict::equal);
        EXPECT_EQ(sum_of(normal_form(*expanded, plain)->numerator), numerator(e));
        expect_different(copy, *expanded + transplant(std::array{x * y * sin(q) * pow(Expr(10), -30)}, plain).front());
    }
}

// --------------------------------------------------------------------------------------------------------- not yet so

/// x·(y·z) and (x·y)·z are one angle.
TEST(NormalForm, AnglesDoNotMindHowTheirProductsAreGrouped) {
    Pool pool({.fold = false});
    const Expr x = pool.symbol("x"), y = pool.symbol("y"), z = pool.symbol("z");
    EXPECT_EQ(equal_exactly(sin(x * (y * z)), sin((x * y) * z)).verdict, Verdict::equal);
}

/// A phase π/3 stays one when another angle has π/5.
TEST(NormalForm, PhasesBesideOtherFractionsOfPi) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr q = symbol("q", Role::coordinate), c = cos(pi() / 5), s = sin(pi() / 5);
    EXPECT_EQ(equal_exactly(sin(q + pi() / 3) + c, sin(q) / 2 + sqrt(Expr(3)) / 2 * cos(q) + c).verdict, Verdict::equal);
    // Five times π/5 is π: this is −sin(q + π/3).
    const Expr c5 = 16 * pow(c, 5) - 20 * pow(c, 3) + 5 * c, s5 = 16 * pow(s, 5) - 20 * pow(s, 3) + 5 * s;
    const Expr opposite = (sin(q) * c5 + cos(q) * s5) / 2 + (cos(q) * c5 - sin(q) * s5) * sqrt(Expr(3)) / 2;
    EXPECT_NE(equal_exactly(sin(q + pi() / 3), opposite).verdict, Verdict::equal);
}

/// Numbers too large to be split into primes under a root are no primes.
TEST(NormalForm, LargeRootsOfNumbers) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    EXPECT_NE(equal_exactly(pow(Expr(6), Rational(100'001, 2)), pow(Expr(6), 50'000) * sqrt(Expr(6))).verdict, Verdict::different);
    EXPECT_NE(equal_exactly(pow(Expr(Rational(1, 2)), Rational(100'001, 2)), pow(Expr(2), -50'001) * sqrt(Expr(2))).verdict,
              Verdict::different);
}

/// Angles that are π or 1 in disguise.
TEST(NormalForm, AnglesThatCancel) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr x = symbol("x"), y = symbol("y");
    const Expr half_turn = x * y * (pi() / y) / x, radian = x * y * ((1 / x) * (1 / y));
    EXPECT_EQ(equal(sin(half_turn), 0), Verdict::equal);
    EXPECT_EQ(equal_exactly(sin(half_turn), 0).verdict, Verdict::equal);
    EXPECT_EQ(equal(cos(half_turn / 3), Rational(1, 2)), Verdict::equal);
    EXPECT_EQ(equal_exactly(cos(half_turn / 3), Rational(1, 2)).verdict, Verdict::equal);
    EXPECT_EQ(equal(sin(radian), sin(Expr(1))), Verdict::equal);
    EXPECT_EQ(equal_exactly(sin(radian), sin(Expr(1))).verdict, Verdict::equal);
}

/// Phase constants stay what they are.
TEST(NormalForm, NumbersInAngles) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const Expr q = symbol("q", Role::coordinate);
    EXPECT_EQ(write(*readable(cos(q + Expr(0.7854)))), "cos(q + 0.7854)");
    EXPECT_EQ(write(*readable(sin(Expr(0.123) * q))), "sin(0.123*q)");
    EXPECT_EQ(equal_exactly(cos(q + Expr(0.3)), cos(q) * cos(Expr(0.3)) - sin(q) * sin(Expr(0.3))).verdict, Verdict::equal);
    EXPECT_EQ(equal_exactly(cos(Expr(0.3)), 2 * pow(cos(Expr(0.15)), 2) - 1).verdict, Verdict::equal);
    const Expr apart = cos(q + Expr(0.7854)) + cos(q + Expr(0.123));
    EXPECT_LT(write(*readable(apart)).size(), 200U);
    EXPECT_NE(equal_exactly(apart, cos(q)).verdict, Verdict::equal);
}

/// The squares of a unit quaternion are not independent, in angles neither.
TEST(NormalForm, AnglesOfQuaternions) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    const auto e = pool.quaternion({"e0", "e1", "e2", "e3"});
    const Expr square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    EXPECT_NE(equal_exactly(sin(square), sin(Expr(1))).verdict, Verdict::different);
    EXPECT_NE(equal(sin(square), sin(Expr(1))), Verdict::different);
}

/// The deadline counts from the first step, also while opaque functions are compared.
TEST(NormalForm, TimeRunsOutAmongOpaqueFunctions) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    Expr sum(0);
    for (int i = 0; i < 20'000; ++i) sum += tanh(symbol("p" + std::to_string(i)));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(normal_form(sum, pool, {.terms = 100'000, .time = milliseconds(300)}));
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace linkwright::sym::test
