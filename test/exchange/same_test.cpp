// A mechanism that is written in another format and read again is proved to be the same: entry by entry, in one point of the prime fields. Where decimals are
// rounded on the way entries agree as numbers; the list says which are exact.

#include <gtest/gtest.h>

#include <string>

#include "linkwright/session/exchange.hpp"
#include "linkwright/session/same.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

std::string root() { return project_root() + "/"; }

struct Written {
    const char* file;
    const char* format;
    bool is_exact;  ///< proved, not only equal as numbers
};

std::ostream& operator<<(std::ostream& out, const Written& w) { return out << w.file << " as " << w.format; }

class Same : public testing::TestWithParam<Written> {};

TEST_P(Same, IsProved) {
    const auto first = open(root() + GetParam().file);
    ASSERT_TRUE(first) << to_string(first.problems);
    const auto text = session::export_robot(*first, GetParam().format);
    ASSERT_TRUE(text) << to_string(text.problems);
    const auto second = open_text(*text, "written.xml");
    ASSERT_TRUE(second) << to_string(second.problems) << *text;
    const auto pair = session::prove_same(*first, *second, {.seed = 7});
    ASSERT_TRUE(pair) << to_string(pair.problems);
    EXPECT_EQ(pair->verdict, sym::Verdict::equal) << pair->why << (pair->difference ? pair->difference->entry : "") << "\n" << *text;
    EXPECT_GT(pair->entries, 5U);
    if (GetParam().is_exact) {
        EXPECT_TRUE(pair->is_proved()) << pair->numeric << " of " << pair->entries << " as numbers, to " << pair->numeric_gap;
        EXPECT_LT(pair->log2_error, -40);
    } else {
        EXPECT_LT(pair->numeric_gap, 1e-11);
    }
}

INSTANTIATE_TEST_SUITE_P(Robots, Same,
                         testing::Values(Written{"examples/two_link.urdf", "urdf", true}, Written{"examples/two_link.urdf", "sdf", true},
                                         Written{"examples/two_link.urdf", "mjcf", true},
                                         Written{"test/exchange/robots/gripper.urdf", "urdf", false},
                                         Written{"test/exchange/robots/gripper.urdf", "mjcf", false},
                                         Written{"test/exchange/robots/cart.urdf", "sdf", false},
                                         Written{"test/exchange/robots/arm7.urdf", "urdf", false}));
INSTANTIATE_TEST_SUITE_P(Trees, Same,
                         testing::Values(Written{"models/double_pendulum/model.toml", "mjcf", false},
                                         Written{"models/cart_pole/model.toml", "mjcf", false},
                                         Written{"models/gear_train/model.toml", "mjcf", true},
                                         Written{"models/stanford_arm/model.toml", "mjcf", true}));
INSTANTIATE_TEST_SUITE_P(Loops, Same,
                         testing::Values(Written{"models/four_bar/model.toml", "mjcf", false},
                                         Written{"models/spatial_four_bar/model.toml", "mjcf", false},
                                         Written{"models/rod_pendulum/model.toml", "mjcf", false}));

// Actuators, tendons with springs, carried weight.
INSTANTIATE_TEST_SUITE_P(
    Driven, Same,
    testing::Values(Written{"test/exchange/mjcf/arm2.xml", "mjcf", true}, Written{"test/exchange/mjcf/linkage.xml", "mjcf", false},
                    Written{"test/exchange/mjcf/meshes.xml", "mjcf", false}, Written{"test/exchange/mjcf/panda_like.xml", "mjcf", false},
                    Written{"test/exchange/mjcf/quadruped.xml", "mjcf", false}, Written{"test/exchange/mjcf/scene.xml", "mjcf", false}));

// Something false is found: another mass.
TEST(SameMechanism, AnotherMassIsFound) {
    const auto first = open(root() + "examples/two_link.urdf");
    ASSERT_TRUE(first);
    std::string text = *session::export_robot(*first, "sdf");
    const auto at = text.find("<mass>");
    ASSERT_NE(at, std::string::npos);
    text.insert(at + 6, "1");
    const auto second = open_text(text, "written.sdf");
    ASSERT_TRUE(second) << to_string(second.problems);
    const auto pair = session::prove_same(*first, *second, {.seed = 7});
    ASSERT_TRUE(pair.value);
    EXPECT_EQ(pair->verdict, sym::Verdict::different);
    ASSERT_TRUE(pair->difference);
    const auto other = open(root() + "models/cart_pole/model.toml");
    EXPECT_EQ(session::prove_same(*first, *other)->verdict, sym::Verdict::unknown);
}

}  // namespace
}  // namespace linkwright
