// Agreement of the interpreter with the slow, obvious evaluation of expressions.

#include "linkwright/program/interpreter.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <random>
#include <thread>

#include "linkwright/program/lower.hpp"
#include "linkwright/sym/derivative.hpp"
#include "support/random_expr.hpp"

namespace linkwright::program {
namespace {

using sym::Expr;
using sym::test::is_near;
using sym::test::is_tame;
using sym::test::RandomExpr;

class Interpret : public testing::TestWithParam<bool> {
protected:
    sym::Pool pool{{.fold = GetParam()}};
    sym::PoolScope scope{pool};
};
INSTANTIATE_TEST_SUITE_P(Pools, Interpret, testing::Bool(), [](const auto& kind) { return kind.param ? "Folding" : "Plain"; });

TEST_P(Interpret, AgreesWithEvaluate) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const std::vector<Expr> out{random(5 + seed % 30).e, random(8).e};
        const Interpreter f(lower(out, random.symbol_list()));
        for (std::size_t point = 0; point < sym::test::points; ++point) {
            std::vector<double> in, got(2);
            for (const auto& s : random.symbols()) in.push_back(s.value[point]);
            f(in, got);
            const auto expected = sym::evaluate<double>(std::span<const Expr>(out), random.at(point));
            for (std::size_t i = 0; i < 2; ++i) {
                if (!is_tame(expected[i])) continue;
                ++compared;
                EXPECT_TRUE(is_near(got[i], expected[i])) << "seed " << seed << ": " << got[i] << " for " << expected[i];
            }
        }
    }
    EXPECT_GT(compared, 8000);
}

TEST_P(Interpret, FoldedParametersGiveTheSameNumbers) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        RandomExpr random(pool, seed, {.analytic_functions = true, .kinks = true});
        const std::vector<Expr> out{random(5 + seed % 30).e}, all = random.symbol_list();
        std::vector<double> in, few;
        std::vector<Expr> inputs;
        std::vector<sym::Binding> constants;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const sym::Rational value(static_cast<std::int64_t>(random.below(9)) - 3, 2);  // zeros among them
            in.push_back(value.to_double());
            if (i % 2 == 0) {
                constants.emplace_back(all[i], Expr(value));
            } else {
                inputs.push_back(all[i]);
                few.push_back(value.to_double());
            }
        }
        const double expected = run<double>(lower(out, all), in)[0], got = run<double>(lower(out, inputs, constants), few)[0];
        if (!is_tame(expected)) continue;
        ++compared;
        EXPECT_TRUE(is_near(got, expected)) << "seed " << seed << ": " << got << " for " << expected;
    }
    EXPECT_GT(compared, 500);
}

TEST_P(Interpret, ComplexStepIsTheDerivative) {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        RandomExpr random(pool, seed);
        const std::vector<Expr> inputs = random.symbol_list();
        const Expr e = random(3 + seed % 12).e, d = derivative(e, inputs[0]);
        std::vector<std::complex<double>> in;
        std::vector<double> real;
        for (const auto& s : random.symbols()) in.emplace_back(s.value[0]), real.push_back(s.value[0]);
        in[0] += std::complex<double>(0, 1e-100);
        const auto stepped = run<std::complex<double>>(lower(std::span(&e, 1), inputs), in)[0];
        const double expected = stepped.imag() / 1e-100, got = run<double>(lower(std::span(&d, 1), inputs), real)[0];
        if (!is_tame(stepped.real()) || !is_tame(expected)) continue;
        ++compared;
        EXPECT_TRUE(is_near(got, expected, 1e-6)) << "seed " << seed << ": " << got << " for " << expected;
    }
    EXPECT_GT(compared, 300);
}

TEST_P(Interpret, BatchesAndThreadsGiveTheSameBits) {
    RandomExpr random(pool, 5, {.kinks = true});
    const std::vector<Expr> out{random(200).e, random(50).e, random(100).e};
    const Interpreter f(lower(out, random.symbol_list()));
    constexpr std::size_t points = 21;  // not a multiple of the block
    std::mt19937_64 bits(3);
    std::uniform_real_distribution<double> value(-1, 1);
    std::vector<double> in(points * f.inputs()), one(points * f.outputs()), many(one.size());
    for (double& v : in) v = value(bits);
    const auto same = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    for (std::size_t p = 0; p < points; ++p) {
        f(std::span(in).subspan(p * f.inputs(), f.inputs()), std::span(one).subspan(p * f.outputs(), f.outputs()));
    }
    f.batch(points, in, many);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(same(one[i], many[i])) << one[i] << " " << many[i];

    std::vector<std::vector<double>> results(4, std::vector<double>(one.size()));
    std::vector<std::thread> threads;
    for (auto& result : results) threads.emplace_back([&] { f.batch(points, in, result); });
    for (auto& thread : threads) thread.join();
    for (const auto& result : results) {
        for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(same(one[i], result[i]));
    }
    f.batch(0, {}, {});
}

TEST(Interpreter, RefusesWrongSizesAndWrongPrograms) {
    Program p;
    p.inputs = 1;
    p.lines = {{Op::neg, {0, 0, 0}}};
    p.outputs = {1};
    const Interpreter f(p);
    std::vector<double> one(1), two(2);
    EXPECT_THROW(f(two, one), std::invalid_argument);
    EXPECT_THROW(f(one, two), std::invalid_argument);
    EXPECT_THROW(f.batch(2, two, one), std::invalid_argument);
    p.lines[0].args[0] = 1;  // itself
    EXPECT_THROW(Interpreter{p}, std::invalid_argument);
    p.lines[0].args[0] = 0;
    p.outputs = {2};
    EXPECT_THROW(Interpreter{p}, std::invalid_argument);
}

TEST(Interpreter, EveryOperationMeansWhatItsNameSays) {
    const auto value = [](Op op, double a, double b = 0, double c = 0) {
        Program p;
        p.inputs = 3;
        p.lines = {{op, {0, 1, 2}}};
        p.outputs = {3};
        const std::vector<double> in{a, b, c};
        double out = 0;
        Interpreter{p}(in, std::span(&out, 1));
        return out;
    };
    EXPECT_EQ(value(Op::neg, 2), -2);
    EXPECT_EQ(value(Op::add, 2, 3), 5);
    EXPECT_EQ(value(Op::sub, 2, 3), -1);
    EXPECT_EQ(value(Op::mul, 2, 3), 6);
    EXPECT_EQ(value(Op::div, 3, 2), 1.5);
    EXPECT_EQ(value(Op::pow, 8, 1.0 / 3), std::pow(8, 1.0 / 3));
    EXPECT_EQ(value(Op::sqrt, 9), 3);
    EXPECT_EQ(value(Op::sin, 1), std::sin(1.0));
    EXPECT_EQ(value(Op::cos, 1), std::cos(1.0));
    EXPECT_EQ(value(Op::tan, 1), std::tan(1.0));
    EXPECT_EQ(value(Op::asin, 0.5), std::asin(0.5));
    EXPECT_EQ(value(Op::acos, 0.5), std::acos(0.5));
    EXPECT_EQ(value(Op::atan, 2), std::atan(2.0));
    EXPECT_EQ(value(Op::exp, 2), std::exp(2.0));
    EXPECT_EQ(value(Op::log, 2), std::log(2.0));
    EXPECT_EQ(value(Op::tanh, 2), std::tanh(2.0));
    EXPECT_EQ(value(Op::abs, -2), 2);
    EXPECT_EQ(value(Op::sign, -2), -1);
    EXPECT_EQ(value(Op::sign, 0), 0);
    EXPECT_EQ(value(Op::atan2, 1, -1), std::atan2(1, -1));
    EXPECT_EQ(value(Op::min, 2, -1), -1);
    EXPECT_EQ(value(Op::max, 2, -1), 2);
    EXPECT_EQ(value(Op::select, 1, 5, 6), 5);
    EXPECT_EQ(value(Op::select, 0, 5, 6), 6);
    EXPECT_EQ(name(Op::neg), "neg");
    EXPECT_EQ(name(Op::pow), "pow");
    EXPECT_EQ(name(Op::select), "select");
}

}  // namespace
}  // namespace linkwright::program
