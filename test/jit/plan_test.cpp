// What becomes one instruction, in which order, and when it is wanted next.

#include <gtest/gtest.h>

#include "linkwright/jit/plan.hpp"

namespace linkwright::jit {
namespace {

using program::Op;
using program::Program;

std::vector<Kind> kinds(const Plan& plan) {
    std::vector<Kind> list;
    for (const Step& s : plan.steps) list.push_back(s.kind);
    return list;
}

TEST(Plan, FusesProductsOfOneUse) {
    // a·b + c; a·b + c·d takes in the later product; a product used twice or put out stays.
    EXPECT_EQ(kinds(make_plan({3, {}, {{Op::mul, {0, 1, 0}}, {Op::add, {3, 2, 0}}}, {4}})), (std::vector{Kind::fma}));
    const Plan two = make_plan({4, {}, {{Op::mul, {0, 1, 0}}, {Op::mul, {2, 3, 0}}, {Op::sub, {4, 5, 0}}}, {6}});
    EXPECT_EQ(kinds(two), (std::vector{Kind::mul, Kind::fnma}));
    EXPECT_EQ(two.steps[1].args, (std::array<Index, 3>{2, 3, 4}));
    EXPECT_EQ(kinds(make_plan({2, {}, {{Op::mul, {0, 1, 0}}, {Op::add, {2, 2, 0}}}, {3}})), (std::vector{Kind::mul, Kind::add}));
    EXPECT_EQ(kinds(make_plan({2, {}, {{Op::mul, {0, 1, 0}}, {Op::add, {2, 0, 0}}}, {3, 2}})), (std::vector{Kind::mul, Kind::add}));
    // Signs go into sums: −(a·b) + c, c − (−a)·b
    EXPECT_EQ(kinds(make_plan({3, {}, {{Op::mul, {0, 1, 0}}, {Op::neg, {3, 0, 0}}, {Op::add, {4, 2, 0}}}, {5}})),
              (std::vector{Kind::fnma}));
    EXPECT_EQ(kinds(make_plan({3, {}, {{Op::neg, {0, 0, 0}}, {Op::mul, {3, 1, 0}}, {Op::sub, {2, 4, 0}}}, {5}})), (std::vector{Kind::fma}));
}

TEST(Plan, LeavesOutWhatNobodyNeeds) {
    const Plan plan = make_plan({2, {}, {{Op::mul, {0, 1, 0}}, {Op::sin, {2, 0, 0}}, {Op::sub, {0, 1, 0}}}, {4}});
    EXPECT_EQ(kinds(plan), (std::vector{Kind::sub}));
    EXPECT_FALSE(plan.has_calls);
}

TEST(Plan, TurnsAnglesFirstAndByFours) {
    // Five angles and a sixth that hangs on the sine of the first; products between them.
    Program p{5, {}, {}, {}};
    for (Index i = 0; i < 5; ++i) {
        p.lines.push_back({Op::mul, {i, i, 0}});
        p.lines.push_back({Op::sin, {i, 0, 0}});
        p.lines.push_back({Op::cos, {i, 0, 0}});
    }
    p.lines.push_back({Op::div, {6, 0, 0}});   // value 20, from sin x0
    p.lines.push_back({Op::cos, {20, 0, 0}});  // value 21
    for (Index v = 5; v < 22; ++v) p.outputs.push_back(v);
    const Plan plan = make_plan(p);
    using enum Kind;
    EXPECT_EQ(kinds(plan), (std::vector{turn, turn, div, turn, mul, mul, mul, mul, mul}));
    ASSERT_EQ(plan.turns.size(), 3U);
    EXPECT_EQ(plan.turns[0].size, 4);
    EXPECT_EQ(plan.turns[1].size, 1);
    EXPECT_EQ(plan.turns[2].angles[0].angle, 20U);
    EXPECT_EQ(plan.turns[2].angles[0].sine, none);
    EXPECT_EQ(plan.turns[0].angles[0].sine_first, 2U);  // the quotient
    EXPECT_EQ(plan.turns[0].angles[0].cosine_first, none);
    EXPECT_EQ(plan.turns[0].angles[1].next, 5U);  // x1·x1
    EXPECT_EQ(plan.steps[2].next, (std::array<Index, 3>{none, 4, none}));
    EXPECT_EQ(plan.steps[2].first_use, 3U);
}

}  // namespace
}  // namespace linkwright::jit
