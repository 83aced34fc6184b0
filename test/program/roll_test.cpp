// Groups of lines that do the same become routines: the same operations on the same numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "linkwright/program/count.hpp"
#include "linkwright/program/inline.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/roll.hpp"

namespace linkwright::program {
namespace {

using testing::HasSubstr;

/// A chain of links: each takes x from the link before, an input and two constants, and gives two values. Every fifth has a line more.
/// Constants of the even links are equal where those of the odd ones differ.
struct Links {
    Program program;
    std::vector<Group> group;

    /// With so many lines more in each link.
    explicit Links(std::size_t count, std::size_t more = 0) {
        Program& p = program;
        p.inputs = count + 1;
        for (std::size_t i = 0; i < count; ++i) {
            p.constants.push_back(0.1 + 0.01 * static_cast<double>(i));
            if (i % 2 != 0) p.constants.push_back(1.3 - 0.01 * static_cast<double>(i));
        }
        Index x = 0, constant = static_cast<Index>(p.inputs);
        std::vector<Index> sines;
        for (std::size_t i = 0; i < count; ++i) {
            const Index a = constant++, b = i % 2 != 0 ? constant++ : a;
            const Index angle = add(i, Op::mul, a, static_cast<Index>(i + 1));
            const Index s = add(i, Op::sin, angle), c = add(i, Op::cos, angle);
            x = add(i, Op::add, add(i, Op::mul, s, x), add(i, Op::mul, b, c));
            for (std::size_t k = 0; k < more; ++k) x = add(i, k % 2 == 0 ? Op::sub : Op::mul, x, c);
            if (i % 5 == 4) x = add(i, Op::neg, x);
            sines.push_back(s);
        }
        for (std::size_t i = count; i-- > 0;) x = add(2 * count - i, Op::sub, add(2 * count - i, Op::mul, sines[i], x), x);
        p.outputs = {x, sines[count / 2], 0, static_cast<Index>(p.inputs)};
    }
    Index add(std::size_t g, Op op, Index a, Index b = 0) {
        program.lines.push_back({op, {a, b, 0}});
        group.push_back(static_cast<Group>(g));
        return static_cast<Index>(program.values() - 1);
    }
};

std::vector<double> at(const Program& program, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<double> in(program.inputs);
    for (double& x : in) x = between(random);
    return run<double>(inlined(program), in);
}

TEST(Rolled, CallsWhatIsAlike) {
    const Links links(40);
    const Program program = rolled(links.program, links.group, Shorten::no);
    ASSERT_NE(program.library, nullptr);
    // with one constant or two, with and without the line more; outwards and inwards; the one whose sine is an output is like the others
    EXPECT_EQ(program.library->routines.size(), 5U);
    EXPECT_EQ(program.calls.size(), 80U);
    EXPECT_LT(length(program), 80U * 12U);
    for (const Routine& r : program.library->routines) EXPECT_LE(r.program.lines.size(), 7U);
    EXPECT_EQ(count(program), count(links.program));
}

TEST(Rolled, DoesTheSameOperationsOnTheSameNumbers) {
    for (const std::size_t count : {2, 7, 40}) {
        const Links links(count);
        const Program program = rolled(links.program, links.group, Shorten::no);
        for (const std::uint64_t seed : {1, 2, 3}) EXPECT_EQ(at(program, seed), at(links.program, seed));
        const Program shorter = rolled(links.program, links.group, Shorten::yes);
        const auto x = at(shorter, 1), y = at(links.program, 1);
        for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], 1e-13);
    }
}

/// Whatever groups the lines are said to be in: what an earlier group needs is done there.
TEST(Rolled, TakesAnyGroups) {
    Links links(12);
    std::mt19937_64 random(9);
    for (int k = 0; k < 50; ++k) {
        for (Group& g : links.group) g = random() % 7 == 0 ? no_group : static_cast<Group>(random() % (1 + k));
        const Program program = rolled(links.program, links.group, Shorten::no);
        EXPECT_EQ(at(program, 4), at(links.program, 4));
    }
}

TEST(Rolled, LeavesAloneWhatIsAlone) {
    const Links links(1);
    EXPECT_EQ(rolled(links.program, links.group, Shorten::no), links.program);
    const Links many(9);
    EXPECT_EQ(rolled(many.program, std::vector<Group>(many.group.size(), no_group), Shorten::yes), many.program);
}

TEST(Rolled, EqualConstantsAreNotTwo) {
    // c·x + c·y beside c·x + d·y
    Program p{.inputs = 4, .constants = {2, 3, 5}, .lines = {}, .outputs = {}};
    for (const auto& [c, d] : {std::pair<Index, Index>{4, 4}, {5, 5}, {6, 4}}) {
        p.lines.push_back({Op::mul, {c, 0, 0}});
        p.lines.push_back({Op::mul, {d, 1, 0}});
        p.lines.push_back({Op::add, {static_cast<Index>(p.values() - 2), static_cast<Index>(p.values() - 1), 0}});
        p.outputs.push_back(static_cast<Index>(p.values() - 1));
    }
    const Program program = rolled(p, {0, 0, 0, 1, 1, 1, 2, 2, 2}, Shorten::yes);
    ASSERT_NE(program.library, nullptr);
    ASSERT_EQ(program.library->routines.size(), 1U);
    EXPECT_EQ(program.library->routines[0].program.lines.size(), 2U);  // c·(x + y)
    EXPECT_EQ(program.calls.size(), 2U);
    EXPECT_EQ(at(program, 5), at(p, 5));
}

TEST(Rolled, RefusesWhatCannotBeMeant) {
    const auto message = [](auto&& f) -> std::string {
        try {
            f();
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "nothing was thrown";
    };
    const Links links(9);
    EXPECT_THAT(message([&] { rolled(links.program, {}, Shorten::no); }), HasSubstr("for each line"));
    const Program program = rolled(links.program, links.group, Shorten::no);
    EXPECT_THAT(message([&] { rolled(program, std::vector<Group>(program.lines.size()), Shorten::no); }), HasSubstr("calls already"));
}

TEST(Rolled, IsWorthCallingWhenItIsLong) {
    const Links few(40, 30), many(2000, 30), small(9000);
    EXPECT_FALSE(is_worth_calling(rolled(small.program, small.group, Shorten::no)));  // to call takes longer than to do it
    EXPECT_FALSE(is_worth_calling(few.program));
    EXPECT_FALSE(is_worth_calling(rolled(few.program, few.group, Shorten::yes)));
    EXPECT_TRUE(is_worth_calling(rolled(many.program, many.group, Shorten::yes)));
}

}  // namespace
}  // namespace linkwright::program
