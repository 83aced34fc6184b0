// Laws that hold for every expression, tried on thousands of seeded random ones.

#include <gtest/gtest.h>

#include <complex>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/formula.hpp"
#include "linkwright/sym/normal_form.hpp"
#include "linkwright/sym/parse.hpp"
#include "linkwright/sym/readable.hpp"
#include "linkwright/sym/substitute.hpp"
#include "linkwright/sym/taylor.hpp"
#include "support/print.hpp"
#include "support/random_expr.hpp"

namespace linkwright::sym::test {
namespace {

/// Every law in both kinds of pool.
class Laws : public testing::TestWithParam<bool> {
protected:
    Pool pool{{.fold = GetParam()}};
    PoolScope scope{pool};
};
INSTANTIATE_TEST_SUITE_P(Pools, Laws, testing::Bool(), [](const auto& kind) { return kind.param ? "Folding" : "Plain"; });

double number(const Expr& e, const RandomExpr& random, std::size_t point) { return evaluate<double>(e, random.at(point)); }

TEST_P(Laws, BuildingKeepsTheValue) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const Shadowed s = random(3 + seed % 15);
        for (std::size_t i = 0; i < points; ++i) {
            const double got = number(s.e, random, i);
            if (!is_tame(s.value[i]) || !is_tame(got)) continue;
            ++compared;
            EXPECT_TRUE(is_near(got, s.value[i])) << "seed " << seed << ": " << print(s.e) << " is " << got << ", asked for " << s.value[i];
        }
    }
    EXPECT_GT(compared, 6000);
}

TEST_P(Laws, DerivativeIsTheComplexStep) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomExpr random(pool, seed);
        const Shadowed s = random(3 + seed % 12);
        const Expr x = random.symbols()[seed % 4].e;
        const Expr d = derivative(s.e, x);
        constexpr double h = 1e-100;
        const auto stepped = evaluate<std::complex<double>>(
            s.e, [&](const Expr& symbol) { return std::complex<double>(random.at(0)(symbol), symbol == x ? h : 0.0); });
        const double expected = stepped.imag() / h, got = number(d, random, 0);
        if (!is_tame(s.value[0]) || !is_tame(expected)) continue;
        ++compared;
        EXPECT_TRUE(is_near(got, expected, 1e-6)) << "seed " << seed << ": d/d" << print(x) << " of " << print(s.e) << " is " << print(d);
    }
    EXPECT_GT(compared, 1000);
}

TEST_P(Laws, DerivativeIsTheFiniteDifferenceWhereThereAreKinks) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const Shadowed s = random(3 + seed % 8);
        const Expr x = random.symbols()[seed % 4].e;
        const auto shifted = [&](double h) {
            return evaluate<double>(s.e, [&](const Expr& symbol) { return random.at(0)(symbol) + (symbol == x ? h : 0.0); });
        };
        constexpr double h = 1e-5;
        const double left = (shifted(0) - shifted(-h)) / h, right = (shifted(h) - shifted(0)) / h;
        const double got = number(derivative(s.e, x), random, 0);
        const bool is_smooth_here = std::abs(left - right) < 1e-3 && is_tame(left) && is_tame(right) && std::abs(left) < 50;
        if (!is_smooth_here) continue;
        ++compared;
        EXPECT_NEAR(got, (left + right) / 2, 1e-4 * (1 + std::abs(got))) << "seed " << seed << ": " << print(s.e);
    }
    EXPECT_GT(compared, 700);
}

TEST_P(Laws, ReverseIsForward) {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = seed % 3 == 0});
        const Shadowed s = random(4 + seed % 12);
        const std::vector<Expr> symbols = random.symbol_list();
        const std::vector<Expr> reverse = gradient(s.e, symbols);
        const SparseMatrix row = jacobian(std::span(&s.e, 1), symbols);
        std::vector<Expr> forward(symbols.size(), Expr(pool, Pool::zero_id));
        for (const auto& entry : row.entries) forward[entry.column] = entry.value;
        for (std::size_t i = 0; i < symbols.size(); ++i) {
            EXPECT_EQ(forward[i], derivative(s.e, symbols[i]));
            EXPECT_NE(equal(forward[i], reverse[i]), Verdict::different) << "seed " << seed << ": " << print(s.e);
            if ((s.e.node().flags & Node::opaque) == 0 && !reverse[i].is_undefined()) {
                EXPECT_EQ(equal(forward[i], reverse[i]), Verdict::equal);
            }
        }
    }
}

TEST_P(Laws, DirectionalDerivativeIsTheSumOfPartials) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        RandomExpr random(pool, seed);
        const Shadowed s = random(4 + seed % 12);
        std::vector<Binding> directions;
        Expr sum(pool, Pool::zero_id);
        for (const Shadowed& x : random.symbols()) {
            const Expr direction = random(3).e;
            directions.emplace_back(x.e, direction);
            sum += derivative(s.e, x.e) * direction;
        }
        EXPECT_NE(equal(Tangent(directions)(s.e), sum), Verdict::different) << "seed " << seed;
    }
}

TEST_P(Laws, PrintedExpressionsReadBackAsThemselves) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const Expr e = random(2 + seed % 20).e;
        const std::string text = print(e);
        const Parsed back = parse(text, names_of(pool), pool);
        ASSERT_TRUE(back.expr) << text << "\n" << to_string(back.problems);
        EXPECT_EQ(*back.expr, e) << text << "\n" << print(*back.expr);
    }
}

TEST_P(Laws, SubstitutionCommutesWithEvaluation) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 800; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const Shadowed s = random(4 + seed % 12), by = random(4), also_by = random(4);
        const Expr x = random.symbols()[0].e, y = random.symbols()[1].e;
        Substitution substitute{{x, by.e}, {y, also_by.e}};
        const double after = number(substitute(s.e), random, 0);
        const double before = evaluate<double>(s.e, [&](const Expr& symbol) {
            return symbol == x ? by.value[0] : symbol == y ? also_by.value[0] : random.at(0)(symbol);
        });
        if (!is_tame(before) || !is_tame(after)) continue;
        ++compared;
        EXPECT_TRUE(is_near(after, before)) << "seed " << seed << ": " << print(s.e);
    }
    EXPECT_GT(compared, 500);
}

TEST_P(Laws, TaylorCoefficientsAreDerivatives) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        RandomExpr random(pool, seed);
        const Shadowed s = random(3 + seed % 7);
        const Expr x = random.symbols()[0].e, y = random.symbols()[1].e;
        const Expr dx = pool.symbol("dx"), dy = pool.symbol("dy");
        const std::array<Increment, 2> about{Increment{x, x, dx}, Increment{y, y, dy}};
        const std::vector<Expr> c = taylor(s.e, about, 3);
        ASSERT_EQ(c.size(), 4U);
        Tangent along{{x, dx}, {y, dy}};
        Expr derivative = s.e;
        Rational factorial(1);
        for (int k = 0; k <= 3; ++k) {
            const auto value = [&](const Expr& e) {
                return evaluate<double>(e, [&](const Expr& symbol) {
                    return symbol == dx ? 0.7 : symbol == dy ? -0.4 : random.at(0)(symbol);
                });
            };
            const double expected = value(derivative) / factorial.to_double(), got = value(c[k]);
            if (is_tame(expected) && is_tame(got)) {
                ++compared;
                EXPECT_TRUE(is_near(got, expected, 1e-6)) << "seed " << seed << " order " << k << ": " << print(s.e);
            }
            derivative = along(derivative);
            factorial *= Rational(k + 1);
        }
    }
    EXPECT_GT(compared, 500);
}

TEST_P(Laws, TransplantingChangesNothing) {
    Pool other({.fold = !GetParam(), .seed = 99});
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const Shadowed s = random(4 + seed % 12);
        const Expr copy = transplant(std::span(&s.e, 1), other).front();
        const double before = number(s.e, random, 0), after = number(copy, random, 0);
        if (!is_tame(before) || !is_tame(after)) continue;
        EXPECT_TRUE(is_near(before, after)) << "seed " << seed << ": " << print(s.e);
    }
}

// ------------------------------------------------------------------------------------ fingerprint against the normal form

constexpr Kinds polynomial_and_circular{.analytic_functions = false, .kinks = false, .quotients = true, .angles_are_linear = true};

TEST(Witnesses, AgreeOnRandomPairs) {
    Pool pool({.fold = false});
    int decided = 0, were_equal = 0;
    for (std::uint64_t seed = 0; seed < 1500; ++seed) {
        RandomExpr random(pool, seed, polynomial_and_circular);
        const Expr a = random(4 + seed % 6).e, b = random(3).e;
        // Two derivations of one thing, and of two things.
        for (const auto& [left, right] : {std::pair(a * (a + b), a * a + a * b), std::pair(a * (a + b), a * a + b)}) {
            const Verdict quick = equal(left, right);
            const ExactVerdict exact = equal_exactly(left, right, {.terms = 3000, .time = std::chrono::milliseconds(300)});
            if (quick == Verdict::unknown || exact.verdict == Verdict::unknown) continue;
            ++decided;
            were_equal += quick == Verdict::equal ? 1 : 0;
            EXPECT_EQ(quick, exact.verdict) << "seed " << seed << ": " << print(left) << "\nand " << print(right);
        }
    }
    EXPECT_GT(decided, 2000);
    EXPECT_GT(were_equal, 1000);
}

/// The same function written by another identity.
Expr disguised(const Expr& e, RandomExpr& random) {
    const Expr x = random.symbols()[random.below(4)].e, y = random.symbols()[random.below(4)].e;
    switch (random.below(8)) {
        case 0: return e * (pow(sin(x), 2) + pow(cos(x), 2));
        case 1: return e + sin(x + y) - sin(x) * cos(y) - cos(x) * sin(y);
        case 2: return e + sin(2 * x) - 2 * sin(x) * cos(x);
        case 3: return e + cos(3 * x) - 4 * pow(cos(x), 3) + 3 * cos(x);
        case 4: return e + pow(cos(x / 2), 2) - (1 + cos(x)) / 2;
        case 5: return (e * (x + y) - e * y) / x;
        case 6: return e + cos(x - pi() / 6) - sqrt(Expr(3)) / 2 * cos(x) - sin(x) / 2;
        default: return e + tan(x) * cos(x) + sin(-x);
    }
}

TEST(Witnesses, SeePlantedIdentitiesAndPlantedNearIdentities) {
    Pool pool({.fold = false});
    PoolScope scope(pool);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        RandomExpr random(pool, seed, polynomial_and_circular);
        const Expr e = random(3 + seed % 5).e;
        if (e.is_undefined()) continue;
        const Expr same = disguised(disguised(e, random), random);
        if (is_zero(e) == Verdict::unknown || is_zero(same) == Verdict::unknown) continue;
        EXPECT_EQ(equal(e, same), Verdict::equal) << "seed " << seed << ": " << print(e) << "\nand " << print(same);
        const Budget budget{.terms = 3000, .time = std::chrono::milliseconds(300)};
        EXPECT_NE(equal_exactly(e, same, budget).verdict, Verdict::different) << "seed " << seed << ": " << print(same);
        // One tiny term: 10⁻³⁰·x·y, far below what doubles could show.
        const Expr nearly = same + power(Rational(10), -30) * random.symbols()[0].e * random.symbols()[1].e;
        EXPECT_EQ(equal(e, nearly), Verdict::different);
        EXPECT_NE(equal_exactly(e, nearly, budget).verdict, Verdict::equal);
    }
}

TEST(Witnesses, FoldingFindsWhatTheNormalFormFinds) {
    Pool folding;
    PoolScope scope(folding);
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        RandomExpr random(folding, seed, polynomial_and_circular);
        const Expr e = random(3 + seed % 8).e;
        if (e.is_undefined()) continue;
        EXPECT_EQ(disguised(e, random), e) << "seed " << seed << ": " << print(e);
    }
}

TEST(Witnesses, ReadableFormIsTheSameFunction) {
    Pool pool({.fold = false});
    int arranged = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        RandomExpr random(pool, seed, seed % 2 == 0 ? polynomial_and_circular : Kinds{.analytic_functions = true, .kinks = true});
        const Expr e = random(3 + seed % 8).e;
        const auto formula = readable(e, {.terms = 500, .time = std::chrono::milliseconds(200)});
        if (!formula) continue;
        ++arranged;
        const Expr back = to_expr(*formula, pool);
        EXPECT_NE(equal(back, e), Verdict::different) << "seed " << seed << ": " << print(e) << "\nreads " << write(*formula);
        const bool is_transparent = (e.node().flags & Node::opaque) == 0;
        EXPECT_TRUE(!is_transparent || equal(back, e) == Verdict::equal) << print(e) << "\nreads " << write(*formula);
        const Parsed parsed = parse(write(*formula), names_of(pool), pool);
        ASSERT_TRUE(parsed.expr) << write(*formula);
        EXPECT_NE(equal(*parsed.expr, e), Verdict::different) << write(*formula);
    }
    EXPECT_GT(arranged, 250);
}

// -------------------------------------------------------------------------------------------------------- unit quaternions

class OnTheSphere : public testing::TestWithParam<bool> {
protected:
    Pool pool{{.fold = GetParam()}};
    PoolScope scope{pool};
    std::array<Expr, 4> e = pool.quaternion({"e0", "e1", "e2", "e3"});
    std::array<Expr, 3> w{symbol("wx", Role::speed), symbol("wy", Role::speed), symbol("wz", Role::speed)};
    /// ė = ½ (e0 ω + e × ω, −e·ω): stays on the sphere.
    std::vector<Binding> rates() const {
        return {{e[0], (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2},
                {e[1], (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2},
                {e[2], (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2},
                {e[3], (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2}};
    }
};
INSTANTIATE_TEST_SUITE_P(Pools, OnTheSphere, testing::Bool());

TEST_P(OnTheSphere, ColumnsOfTheRotationMatrixAreOrthonormal) {
    const Expr r00 = pow(e[0], 2) + pow(e[1], 2) - pow(e[2], 2) - pow(e[3], 2), r10 = 2 * (e[1] * e[2] + e[0] * e[3]);
    const Expr r20 = 2 * (e[1] * e[3] - e[0] * e[2]), r01 = 2 * (e[1] * e[2] - e[0] * e[3]);
    const Expr r11 = pow(e[0], 2) - pow(e[1], 2) + pow(e[2], 2) - pow(e[3], 2), r21 = 2 * (e[2] * e[3] + e[0] * e[1]);
    const Expr norm = r00 * r00 + r10 * r10 + r20 * r20, dot = r00 * r01 + r10 * r11 + r20 * r21;
    EXPECT_EQ(equal(norm, 1), Verdict::equal);
    EXPECT_EQ(is_zero(dot), Verdict::equal);
    EXPECT_EQ(equal_exactly(norm, 1).verdict, Verdict::equal);
    EXPECT_EQ(equal_exactly(norm, r00).verdict, Verdict::different);
}

/// The derivative along the sphere is that of the function, whatever was folded.
TEST_P(OnTheSphere, TangentialDerivativesAreComplexSteps) {
    Tangent along(rates());
    const Expr square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
    EXPECT_EQ(is_zero(along(square)), Verdict::equal);
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Expr> heap(e.begin(), e.end());
        for (int i = 0; i < 12; ++i) {
            const Expr a = heap[random() % heap.size()], b = heap[random() % heap.size()];
            heap.push_back(random() % 3 == 0 ? a + b : random() % 2 == 0 ? a * b : a * square - b);
        }
        const Expr f = heap.back();
        // A point of the sphere and a rate tangent to it.
        std::array<double, 4> at{0.1, -0.5, 0.7, 0.0};
        at[3] = std::sqrt(1 - at[0] * at[0] - at[1] * at[1] - at[2] * at[2]);
        const std::array<double, 3> omega{0.3, -1.1, 0.4};
        const auto values = [&](const Expr& s) {
            for (std::size_t i = 0; i < 4; ++i)
                if (s == e[i]) return at[i];
            for (std::size_t i = 0; i < 3; ++i)
                if (s == w[i]) return omega[i];
            return 0.0;
        };
        std::array<double, 4> rate{};
        const auto given = rates();
        for (std::size_t i = 0; i < 4; ++i) rate[i] = evaluate<double>(given[i].second, values);
        constexpr double h = 1e-100;
        const auto stepped = evaluate<std::complex<double>>(f, [&](const Expr& s) {
            for (std::size_t i = 0; i < 4; ++i)
                if (s == e[i]) return std::complex<double>(at[i], h * rate[i]);
            return std::complex<double>(values(s), 0);
        });
        EXPECT_TRUE(is_near(evaluate<double>(along(f), values), stepped.imag() / h, 1e-9)) << print(f);
    }
}

}  // namespace
}  // namespace linkwright::sym::test
