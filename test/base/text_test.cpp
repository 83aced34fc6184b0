#include "linkwright/base/text.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "linkwright/base/diagnostic.hpp"

namespace linkwright {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
    EXPECT_EQ(edit_distance("hip", "hip"), 0U);
    EXPECT_EQ(edit_distance("hip", "hips"), 1U);
    EXPECT_EQ(edit_distance("hip", "hp"), 1U);
    EXPECT_EQ(edit_distance("hip", "hop"), 1U);
    EXPECT_EQ(edit_distance("hip", "ihp"), 1U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(DidYouMean, NamesTheNearestAndStaysSilentWhenNothingIsNear) {
    const std::vector<std::string> names{"stiffness", "damping", "mass", "g"};
    EXPECT_EQ(did_you_mean("stifness", names), "stiffness");
    EXPECT_EQ(did_you_mean("Mass", names), "mass");
    EXPECT_EQ(did_you_mean("velocity", names), std::nullopt);
    EXPECT_EQ(did_you_mean("q", names), std::nullopt);
    EXPECT_EQ(did_you_mean(std::string(1'000'000, 'a'), names), std::nullopt);
}

TEST(Position, CountsLinesAndCharacters) {
    EXPECT_EQ(position_at("ab\ncd", 4), (Position{.line = 2, .column = 2}));
    EXPECT_EQ(position_at("γω + 1", 5), (Position{.line = 1, .column = 4}));
    EXPECT_EQ(position_at("ab", 99), (Position{.line = 1, .column = 3}));
}

TEST(Diagnostic, ReadsAsAPersonExpects) {
    const Diagnostic d{.file = "arm.toml", .where = {3, 7}, .what = "unknown name 'stifness'", .hint = "did you mean 'stiffness'?"};
    EXPECT_EQ(to_string(d), "arm.toml:3:7: error: unknown name 'stifness'\n    hint: did you mean 'stiffness'?");
}

}  // namespace
}  // namespace linkwright
