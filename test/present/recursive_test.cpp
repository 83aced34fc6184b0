// Straight-line code: the same function, names that are free, time that is linear.

#include "linkwright/present/recursive.hpp"

#include <cmath>
#include <ctime>
#include <functional>

#include "linkwright/present/words.hpp"
#include "present/pendulum.hpp"
#include "support/random_expr.hpp"

namespace linkwright::present::test {
namespace {

std::vector<Expr> put_back(const StraightLine& code, Pool& pool) {
    std::map<std::string, Expr> known;
    for (const auto& step : code.steps) known.insert({step.name, meaning(sym::write(step.value), pool, known)});
    std::vector<Expr> out;
    for (const Formula& f : code.values) out.push_back(meaning(sym::write(f), pool, known));
    return out;
}

bool is_used(const std::string& name, const StraightLine& code) {
    const auto is_in = [&](const Formula& f) {
        for (Formula::Part i = 0; i < f.size(); ++i) {
            if (f[i].kind == Formula::Kind::name && f[i].name == name) return true;
        }
        return false;
    };
    return std::ranges::any_of(code.values, is_in) || std::ranges::any_of(code.steps, [&](const auto& step) { return is_in(step.value); });
}

TEST(Recursive, RandomExpressionsKeepTheirValue) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Pool pool({.fold = seed % 2 == 0});
        const PoolScope scope(pool);
        sym::test::RandomExpr random(pool, seed, {.kinks = true});
        const std::vector roots{random(20).e, random(60).e, random(60).e};
        const StraightLine code = straight_line(roots);
        const std::vector<Expr> read = put_back(code, pool);
        for (const auto& step : code.steps) EXPECT_TRUE(is_used(step.name, code)) << seed << ' ' << step.name;
        for (std::size_t i = 0; i < roots.size(); ++i) {
            if (roots[i].is_undefined()) continue;
            EXPECT_NE(equal(read[i], roots[i]), Verdict::different) << seed;
            for (std::size_t p = 0; p < sym::test::points; ++p) {
                const double a = evaluate<double>(read[i], random.at(p)), b = evaluate<double>(roots[i], random.at(p));
                if (!std::isfinite(a) || !std::isfinite(b) || std::abs(b) > 1e6) continue;
                EXPECT_NEAR(a, b, 1e-6 * (1 + std::abs(b))) << seed;
            }
        }
    }
}

TEST(Recursive, EveryNameIsUsedTwiceOrLong) {
    Pool pool;
    const PoolScope scope(pool);
    const Expr a = symbol("a"), b = symbol("b"), q = symbol("q", Role::coordinate);
    const Expr shared = a + b * sin(q), once = cos(a * b + q);
    const StraightLine code = straight_line(std::vector{shared * once, sqrt(shared), -shared});
    ASSERT_EQ(code.steps.size(), 1U);
    EXPECT_EQ(sym::write(code.steps[0].value), "a + b*sin(q)");
    EXPECT_EQ(sym::write(code.values[0]), "z1*cos(q + a*b)");
    EXPECT_EQ(sym::write(code.values[1]), "sqrt(z1)");
    EXPECT_EQ(sym::write(code.values[2]), "-z1");
}

TEST(Recursive, NamesStayClearOfTheModel) {
    Pool pool;
    const PoolScope scope(pool);
    const Expr x = symbol("z2") + symbol("b") * symbol("zz");
    EXPECT_EQ(straight_line(std::vector{sin(x), cos(x)}).steps.at(0).name, "zz1");
    symbol("zz_17");
    EXPECT_EQ(straight_line(std::vector{sin(x), cos(x)}).steps.at(0).name, "zzz1");
}

TEST(Recursive, TakesAHundredThousandNodes) {
    EquationsOfMotion e;
    e.pool = std::make_shared<Pool>(Pool::Options{.fold = false});
    const PoolScope scope(*e.pool);
    const Expr a = symbol("a"), b = symbol("b"), q = symbol("q", Role::coordinate);
    Expr deep = q, wide = a, sum = a, product = q;
    for (int i = 1; i <= 10'000; ++i) {
        deep = sin(deep * a + b);
        wide = wide * wide + b;
        sum = sum + sin(i * q);
        product = product * cos(i * q);
    }
    e.f = {deep, wide, sum, product};
    e.M = {{deep + wide}};
    ASSERT_GT(e.pool->size(), 100'000U);
    for (const To to : {To::text, To::latex, To::markdown, To::json}) {
        std::string page;
        page = present(e, {.to = to, .form = Form::recursive});  // were it quadratic, it would take minutes
        EXPECT_GT(page.size(), 500'000U);
        EXPECT_LT(page.size(), 20'000'000U);
    }
}

TEST(Broken, OutermostCutsComeFirst) {
    EXPECT_EQ(broken("a + b*(c - d) - e", 100, Style::text), (std::vector<std::string>{"a + b*(c - d) - e"}));
    EXPECT_EQ(broken("a + b*(c - d) - e", 12, Style::text), (std::vector<std::string>{"a", "+ b*(c - d)", "- e"}));
    EXPECT_EQ(broken("a + b*(c - d) - e", 8, Style::text), (std::vector<std::string>{"a", "+ b*(c", "  - d)", "- e"}));
    EXPECT_EQ(broken("\\left(a + b\\right) c", 5, Style::latex), (std::vector<std::string>{"\\left(a \\right.", "\\left. + b\\right) c"}));
    EXPECT_EQ(broken("\\frac{a + b}{c}", 10, Style::latex), (std::vector<std::string>{"\\frac{a + b}{c}"}));
    EXPECT_EQ(broken("x - \\frac{a + b}{c}", 3, Style::latex),
              (std::vector<std::string>{"x", "- \\frac{1}{c}", "\\cdot \\left(a \\right.", "\\left. + b\\right)"}));
    EXPECT_EQ(broken("\\frac{a \\left(b + d\\right)}{c}", 3, Style::latex),
              (std::vector<std::string>{"\\frac{1}{c} a", "\\cdot \\left(b \\right.", "\\left. + d\\right)"}));
    EXPECT_EQ(broken("\\sqrt{a + b}", 3, Style::latex), (std::vector<std::string>{"\\left(a \\right.", "\\left. + b\\right)^{1/2}"}));
    EXPECT_EQ(broken("\\frac{1}{\\sqrt{a + b}}", 3, Style::latex),
              (std::vector<std::string>{"\\left(a \\right.", "\\left. + b\\right)^{-1/2}"}));
    EXPECT_EQ(broken("\\frac{c}{a + b}", 3, Style::latex),
              (std::vector<std::string>{"\\left(a \\right.", "\\left. + b\\right)^{-1}", "\\cdot c"}));
}

}  // namespace
}  // namespace linkwright::present::test
