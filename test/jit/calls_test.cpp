// Programs that call routines, as native code: the numbers of the same program written out.

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "linkwright/jit/calls.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/jit/emit.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/roll.hpp"

namespace linkwright::jit {
namespace {

using program::Index;
using program::Line;
using program::Op;
using program::Program;

std::vector<double> numbers(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<double> list(count);
    for (double& x : list) x = between(random);
    return list;
}

std::vector<double> call(const program::Evaluator& f, std::span<const double> in) {
    std::vector<double> out(f.outputs(), NAN);
    f(in, out);
    return out;
}

/// Links that take x, an angle and a constant each; lines between them that belong to none, and are wanted by later ones.
struct Links {
    Program program;
    std::vector<program::Group> group;

    /// With so many lines more in each link.
    explicit Links(std::size_t count, std::size_t more = 0) {
        Program& p = program;
        p.inputs = count + 1;
        for (std::size_t i = 0; i < count; ++i) p.constants.push_back(0.3 + 0.001 * static_cast<double>(i));
        Index x = 0, sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const auto angle = static_cast<Index>(i + 1), c = static_cast<Index>(p.inputs + i);
            const Index s = add(i, Op::sin, angle), k = add(i, Op::cos, angle);
            x = add(i, Op::add, add(i, Op::mul, add(i, Op::mul, c, s), x), k);
            for (std::size_t n = 0; n < more; ++n) x = add(i, n % 2 == 0 ? Op::sub : Op::mul, x, k);
            if (i % 10 == 0) x = add(i, Op::sqrt, add(i, Op::abs, x));  // one of these alone is no routine
            if (i % 3 == 0) sum = add(program::no_group, Op::sub, s, sum);
        }
        p.outputs = {x, sum, 2, static_cast<Index>(p.inputs + 1), x};
    }
    Index add(std::size_t g, Op op, Index a, Index b = 0) {
        program.lines.push_back({op, {a, b, 0}});
        group.push_back(static_cast<program::Group>(g));
        return static_cast<Index>(program.values() - 1);
    }
};

void expect_the_numbers_of(const Program& straight, const Program& calling) {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    const program::Interpreter reference(straight);
    for (const unsigned registers : {16U, 32U}) {
        if (registers > vector_registers()) continue;
        const auto code = compile_calls(calling, registers);
        ASSERT_NE(code, nullptr);
        EXPECT_TRUE(is_native(*code));
        ASSERT_EQ(code->inputs(), straight.inputs);
        std::vector<double> all, singly;
        constexpr std::size_t points = 11;
        for (std::uint64_t p = 0; p < points; ++p) {
            const auto in = numbers(straight.inputs, p), got = call(*code, in), wanted = call(reference, in);
            ASSERT_EQ(got.size(), wanted.size());
            for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], wanted[k], 1e-13);
            all.insert(all.end(), in.begin(), in.end()), singly.insert(singly.end(), got.begin(), got.end());
        }
        std::vector<double> together(singly.size());
        code->batch(points, all, together);
        for (std::size_t k = 0; k < singly.size(); ++k)
            EXPECT_EQ(std::bit_cast<std::uint64_t>(together[k]), std::bit_cast<std::uint64_t>(singly[k]));
    }
}

TEST(Calls, GiveTheNumbersOfLinesWrittenOut) {
    for (const std::size_t count : {4, 9, 30, 200}) {
        const Links links(count);
        for (const auto shorten : {program::Shorten::no, program::Shorten::yes}) {
            const Program calling = rolled(links.program, links.group, shorten);
            ASSERT_FALSE(calling.calls.empty());
            expect_the_numbers_of(links.program, calling);
        }
    }
}

/// A routine that calls another; a constant where other calls pass a value; a routine that nobody calls; a call right behind a call.
TEST(Calls, TakeWhateverTheyArePassed) {
    auto library = std::make_shared<program::Library>();
    library->routines.push_back({"idle", "", {.inputs = 1, .constants = {}, .lines = {{Op::neg, {0, 0, 0}}}, .outputs = {1}}});
    library->routines.push_back(
        {"inner", "", {.inputs = 2, .constants = {3}, .lines = {{Op::mul, {0, 1, 0}}, {Op::add, {3, 2, 0}}}, .outputs = {3, 4}}});
    library->routines.push_back({"outer",
                                 "",
                                 {.inputs = 2,
                                  .constants = {},
                                  .lines = {{Op::result, {0, 0, 0}}, {Op::result, {0, 1, 0}}, {Op::sub, {2, 3, 0}}, {Op::sin, {1, 0, 0}}},
                                  .outputs = {4, 5, 0},
                                  .calls = {{1, {1, 0}}}}});
    Program p{.inputs = 2, .constants = {0.5, -2}, .lines = {}, .outputs = {}, .calls = {}, .library = library};
    const auto call_of = [&](std::size_t routine, std::vector<Index> args) {
        const std::size_t results = library->routines[routine].program.outputs.size();
        const auto first = static_cast<Index>(p.values());
        for (std::size_t r = 0; r < results; ++r)
            p.lines.push_back({Op::result, {static_cast<Index>(p.calls.size()), static_cast<Index>(r), 0}});
        p.calls.push_back({routine, std::move(args)});
        return first;
    };
    const Index a = call_of(2, {2, 0}), b = call_of(2, {a, 3}), c = call_of(1, {3, 2});
    p.lines.push_back({Op::mul, {b, c, 0}});
    const auto product = static_cast<Index>(p.values() - 1);
    const Index d = call_of(1, {product, 1});
    p.outputs = {a, b + 1, b + 2, c + 1, product, d, 3, 1};
    expect_the_numbers_of(program::inlined(p), p);
}

TEST(Calls, AreMadeWhenTheCodeWouldBeLong) {
    if (!why_not().empty()) GTEST_SKIP() << why_not();
    const Links few(100, 30), many(2000, 30);
    EXPECT_FALSE(is_calling(*compile(rolled(few.program, few.group, program::Shorten::yes))));
    const Program calling = rolled(many.program, many.group, program::Shorten::yes);
    const auto code = compile(calling);
    EXPECT_TRUE(is_calling(*code));
    EXPECT_TRUE(is_native(*code));
}

}  // namespace
}  // namespace linkwright::jit
