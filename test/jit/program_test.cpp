// Whole programs: native code against the interpreter.

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <thread>

#include "jit/random_program.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/jit/emit.hpp"
#include "linkwright/program/parallel.hpp"

namespace linkwright::jit {
namespace {

std::vector<double> call(const program::Evaluator& f, std::span<const double> in) {
    std::vector<double> out(f.outputs(), NAN);
    f(in, out);
    return out;
}

/// Equal to the last bit; NaN equals NaN.
void expect_same(std::span<const double> got, std::span<const double> wanted, const std::string& what) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (std::isnan(got[i]) && std::isnan(wanted[i])) continue;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[i]), std::bit_cast<std::uint64_t>(wanted[i]))
            << what << ", number " << i << ": " << got[i] << ", not " << wanted[i];
    }
}

/// Batches of these points, some of them more than once, agree with single calls to the last bit.
void expect_batches(const program::Evaluator& f, const std::vector<std::vector<double>>& in, const std::string& what) {
    for (const std::size_t points : {0, 1, 2, 3, 4, 5, 11}) {
        std::vector<double> all, wanted, got(points * f.outputs(), -77);
        for (std::size_t p = 0; p < points; ++p) {
            const auto& x = in[p % in.size()];
            all.insert(all.end(), x.begin(), x.end());
            const auto y = call(f, x);
            wanted.insert(wanted.end(), y.begin(), y.end());
        }
        f.batch(points, all, got);
        expect_same(got, wanted, what + " in a batch of " + std::to_string(points));
    }
}

/// Nothing falls back to something slower without a word.
void expect_native(const program::Evaluator& code, const Program& program) {
    if (!why_not().empty()) return;
    EXPECT_TRUE(is_native(code));
    EXPECT_TRUE(emit(make_plan(program), program, 4, vector_registers()));
    EXPECT_TRUE(emit(make_plan(program), program, 4, 16));
}

void expect_agreement(const RandomProgram& r, bool is_exact, const std::string& what) {
    const program::Interpreter reference(r.program);
    for (const unsigned registers : {16U, 32U}) {
        const auto code = compile(r.program, {registers});
        expect_native(*code, r.program);
        for (std::size_t p = 0; p < r.in.size(); ++p) {
            const auto got = call(*code, r.in[p]), wanted = call(reference, r.in[p]);
            if (is_exact) {
                expect_same(got, wanted, what);
                continue;
            }
            for (std::size_t k = 0; k < got.size(); ++k) {
                ASSERT_TRUE(std::isfinite(got[k])) << what;
                ASSERT_LE(std::abs(got[k] - wanted[k]), 2 * r.out[p][k].error) << what << ", output " << k;
                ASSERT_LE(std::abs(wanted[k] - r.out[p][k].value), r.out[p][k].error) << what << ", output " << k;
            }
        }
        expect_batches(*code, r.in, what);
    }
}

TEST(RandomPrograms, Agree) {
    for (const std::size_t lines : {1, 2, 3, 5, 10, 30, 100, 300, 1000, 3000}) {
        for (std::uint64_t seed = 0; seed < (lines <= 100 ? 40 : 4); ++seed) {
            for (const std::size_t reach : {0, 10, 60}) {
                Shape shape;
                shape.lines = lines;
                shape.reach = reach;
                shape.outputs = 1 + lines / 3;
                expect_agreement(random_program(shape, seed), false, std::to_string(lines) + " lines, seed " + std::to_string(seed));
                if (testing::Test::HasFatalFailure()) return;
                shape.exact = true;
                expect_agreement(random_program(shape, seed), true, std::to_string(lines) + " exact lines, seed " + std::to_string(seed));
                if (testing::Test::HasFatalFailure()) return;
            }
        }
    }
}

TEST(RandomPrograms, AgreeWhenLong) {
    for (const std::size_t reach : {0, 30, 400}) {
        Shape shape;
        shape.lines = 20000;
        shape.reach = reach;
        shape.inputs = 60;
        shape.constants = 40;
        shape.outputs = 500;
        shape.points = 2;
        expect_agreement(random_program(shape, 5), false, "reach " + std::to_string(reach));
        if (testing::Test::HasFatalFailure()) return;
        shape.exact = true;
        expect_agreement(random_program(shape, 6), true, "exact, reach " + std::to_string(reach));
        if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(RandomPrograms, AgreeWithLargeTables) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        Shape shape;
        shape.inputs = 700;
        shape.constants = 1700;
        shape.lines = 6000;
        shape.outputs = 900;
        shape.points = 2;
        if (seed > 1) shape.ops = {Op::add, Op::mul, Op::sub, Op::mul, Op::sin, Op::min};
        if (seed > 2) shape.ops.pop_back(), shape.ops.pop_back();
        expect_agreement(random_program(shape, seed), false, "large tables");
    }
}

TEST(RandomPrograms, OfOneOperationAgree) {
    for (int k = 0; k < 22; ++k) {
        Shape shape;
        shape.ops = {static_cast<Op>(k), Op::mul, Op::sub};
        shape.lines = 400;
        shape.outputs = 50;
        expect_agreement(random_program(shape, static_cast<std::uint64_t>(k)), false, std::string(program::name(static_cast<Op>(k))));
    }
}

/// Hundreds of values that live at once: all made, then all used, in three orders.
TEST(RegisterPressure, SpillsAndComesBack) {
    for (const Index size : {10, 15, 16, 17, 31, 33, 100, 700}) {
        for (int order = 0; order < 3; ++order) {
            for (const bool with_calls : {false, true}) {
                Program program{size, {}, {}, {}};
                for (Index i = 0; i < size; ++i) program.lines.push_back({Op::mul, {i, (i * 7 + 1) % size, 0}});
                for (Index i = 0; i < size; ++i) program.lines.push_back({Op::div, {size + i, (i * 3 + 2) % size, 0}});
                if (with_calls) program.lines.push_back({Op::exp, {3, 0, 0}});
                Index sum = size;
                for (Index i = 0; i < size; ++i) {
                    const Index at = order == 0 ? i : order == 1 ? size - 1 - i : (i * 7919) % size;
                    program.lines.push_back({Op::min, {size + at, 2 * size + at, 0}});
                    const auto last = static_cast<Index>(program.values() - 1);
                    program.lines.push_back({with_calls && i % 50 == 7 ? Op::atan2 : Op::max, {sum, last, 0}});
                    sum = last + 1;
                    program.outputs.push_back(last);
                    program.outputs.push_back(sum);
                }
                std::vector<std::vector<double>> in(5);
                for (std::size_t p = 0; p < in.size(); ++p) {
                    for (Index i = 0; i < size; ++i) in[p].push_back(std::sin(static_cast<double>(p * size + i + 1)));
                }
                const program::Interpreter reference(program);
                for (const unsigned registers : {16U, 32U}) {
                    const auto code = compile(program, {registers});
                    expect_native(*code, program);
                    for (const auto& x : in) expect_same(call(*code, x), call(reference, x), std::to_string(size));
                    expect_batches(*code, in, std::to_string(size));
                }
            }
        }
    }
}

TEST(Shapes, EmptyAndTrivial) {
    const auto nothing = compile(Program{});
    EXPECT_EQ(nothing->inputs(), 0U);
    EXPECT_EQ(nothing->outputs(), 0U);
    (*nothing)({}, {});
    nothing->batch(1001, {}, {});

    const auto blind = compile(Program{3, {2.5}, {{Op::add, {0, 3, 0}}}, {}});
    (*blind)(std::array{1.0, 2.0, 3.0}, {});
    blind->batch(5, std::vector<double>(15), {});

    const auto constant = compile(Program{0, {2.5, -0.0}, {{Op::mul, {0, 0, 0}}}, {0, 1, 2, 0}});
    expect_same(call(*constant, {}), std::array{2.5, -0.0, 6.25, 2.5}, "constants");
    expect_batches(*constant, {{}}, "constants");

    const auto copies = compile(Program{2, {7}, {{Op::sub, {0, 1, 0}}}, {1, 0, 1, 2, 3, 3, 0}});
    expect_same(call(*copies, std::array{5.0, 3.0}), std::array{3.0, 5.0, 3.0, 7.0, 2.0, 2.0, 5.0}, "copies");
    expect_batches(*copies, {{5, 3}, {NAN, 1}, {INFINITY, INFINITY}}, "copies");

    // Sines that are outputs at once, used later, used by other sines; a cosine alone; the same sine twice.
    const Program turns{2,
                        {},
                        {{Op::sin, {0, 0, 0}},
                         {Op::cos, {0, 0, 0}},
                         {Op::cos, {1, 0, 0}},
                         {Op::add, {2, 4, 0}},
                         {Op::sin, {5, 0, 0}},
                         {Op::sin, {0, 0, 0}},
                         {Op::mul, {6, 7, 0}},
                         {Op::cos, {8, 0, 0}},
                         {Op::sin, {1, 0, 0}}},
                        {2, 3, 9, 7, 8, 2, 10, 4}};
    const auto code = compile(turns);
    const auto got = call(*code, std::array{0.3, 0.4});
    const auto wanted = call(program::Interpreter(turns), std::array{0.3, 0.4});
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-15);
    expect_batches(*code, {{0.3, 0.4}, {1e9, 2e10}, {NAN, 1}, {-INFINITY, 0}}, "turns");
}

TEST(Shapes, LinesOutOfOrderAreRefused) {
    EXPECT_THROW(compile(Program{1, {}, {{Op::add, {0, 1, 0}}}, {1}}), std::invalid_argument);
    EXPECT_THROW(compile(Program{1, {}, {{Op::neg, {0, 99, 99}}}, {2}}), std::invalid_argument);
    EXPECT_NO_THROW(compile(Program{1, {}, {{Op::neg, {0, 99, 99}}}, {1}}));
    const auto code = compile(Program{1, {}, {}, {0}});
    std::array<double, 2> two{};
    EXPECT_THROW((*code)(two, std::span(two).first(1)), std::invalid_argument);
}

TEST(Shapes, UnusedLinesDoNoHarm) {
    Program program{
        2, {}, {{Op::div, {0, 1, 0}}, {Op::log, {0, 0, 0}}, {Op::sin, {3, 0, 0}}, {Op::mul, {0, 1, 0}}, {Op::mul, {5, 1, 0}}}, {5}};
    EXPECT_EQ(call(*compile(program), std::array{3.0, 4.0}), std::vector{12.0});
}

TEST(Batches, OfEveryLength) {
    Shape shape;
    shape.lines = 200;
    shape.inputs = 9;
    shape.outputs = 13;
    const RandomProgram r = random_program(shape, 3);
    const auto code = compile(r.program);
    std::mt19937_64 random(1);
    std::vector<double> in(1001 * 9);
    for (double& x : in) x = static_cast<double>(random() % 1000) / 250 - 2;
    std::vector<double> wanted(1001 * 13);
    for (std::size_t p = 0; p < 1001; ++p) (*code)(std::span(in).subspan(9 * p, 9), std::span(wanted).subspan(13 * p, 13));
    for (const std::size_t points : {0, 1, 3, 4, 5, 6, 7, 8, 1000, 1001}) {
        std::vector<double> got(points * 13 + 1, -77);
        code->batch(points, std::span(in).first(points * 9), std::span(got).first(points * 13));
        EXPECT_EQ(got.back(), -77);
        expect_same(std::span(got).first(points * 13), std::span(wanted).first(points * 13), std::to_string(points));
    }
}

TEST(Threads, ShareOneEvaluator) {
    Shape shape;
    shape.lines = 3000;
    shape.outputs = 100;
    const RandomProgram r = random_program(shape, 8);
    const auto first = compile(r.program), code = compile(r.program);
    const auto wanted = call(*first, r.in[0]);
    std::vector<double> five, five_wanted;
    for (int k = 0; k < 5; ++k)
        five.insert(five.end(), r.in[0].begin(), r.in[0].end()), five_wanted.insert(five_wanted.end(), wanted.begin(), wanted.end());
    std::vector<int> failures(8);
    {
        std::vector<std::jthread> threads;
        for (int& failed : failures) {
            threads.emplace_back([&] {  // the first batches race for the lane code
                std::vector<double> out(5 * wanted.size());
                for (int k = 0; k < 200; ++k) {
                    code->batch(5, five, out);
                    failed += std::memcmp(out.data(), five_wanted.data(), out.size() * sizeof(double)) != 0;
                    const auto one = call(*code, r.in[0]);
                    failed += std::memcmp(one.data(), wanted.data(), wanted.size() * sizeof(double)) != 0;
                }
            });
        }
    }
    EXPECT_EQ(failures, std::vector<int>(8));
}

TEST(Parallel, GivesTheNumbersOfOneThread) {
    Shape shape;
    shape.lines = 500;
    const RandomProgram r = random_program(shape, 4);
    const auto code = compile(r.program);
    for (const std::size_t points : {0, 1, 7, 100, 129, 5000, 30001}) {
        std::vector<double> in, wanted(points * code->outputs()), got(wanted);
        for (std::size_t p = 0; p < points; ++p) {
            for (const double x : r.in[p % 3]) in.push_back(x + 1e-3 * std::sin(static_cast<double>(p)));
        }
        code->batch(points, in, wanted);
        for (const unsigned threads : {0U, 1U, 2U, 7U}) {
            std::ranges::fill(got, -77);
            program::batch(*code, points, in, got, threads);
            expect_same(got, wanted, std::to_string(points));
        }
    }
    std::vector<double> wrong(3);
    EXPECT_THROW(program::batch(*code, 1000, wrong, wrong), std::invalid_argument);
}

}  // namespace
}  // namespace linkwright::jit
