// A parallelogram stretched flat is at a change point: its rows depend on each other there and nowhere else. That is not redundancy.

#include "linkwright/session/equilibrium.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/inspect.hpp"
#include "session/subject.hpp"

namespace linkwright {
namespace {

session::Session parallelogram(const std::string& at) {
    const auto opened = session::open_text(R"(format = 1
name = "Parallelogram"
gravity = [0, -9.81, 0]
[[body]]
name = "crank"
mass = 1.2
com = [0.15, 0, 0]
inertia = [0, 0, 0.009]
[[body]]
name = "coupler"
mass = 2.5
com = [0.25, 0, 0]
inertia = [0, 0, 0.052]
[[body]]
name = "rocker"
mass = 1.8
com = [0.15, 0, 0]
inertia = [0, 0, 0.0135]
[[joint]]
name = "a"
type = "revolute"
parent = "ground"
child = "crank"
[[joint]]
name = "b"
type = "revolute"
parent = "crank"
parent_at = [0.3, 0, 0]
child = "coupler"
[[joint]]
name = "c"
type = "revolute"
parent = "ground"
parent_at = [0.5, 0, 0]
child = "rocker"
[[joint]]
name = "pin"
type = "revolute"
parent = "coupler"
parent_at = [0.5, 0, 0]
child = "rocker"
child_at = [0.3, 0, 0]
cut = true
[initial]
a = )" + at + "\n[guess]\nb = \"-(" + at +
                                               ")\"\nc = " + at + "\n",
                                           "parallelogram.toml");
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

TEST(SingularPosition, IsToldFromRedundancy) {
    const auto flat = session::inspect(parallelogram("0"));
    ASSERT_TRUE(flat);
    EXPECT_TRUE(flat->nearby.is_singular());
    EXPECT_EQ(flat->nearby.here, 1);
    EXPECT_EQ(flat->freedoms, 1U);
    EXPECT_EQ(flat->redundant(), 3);
    for (const char* at : {"0.001", "0.01", "0.1", "1.3"}) {
        const auto beside = session::inspect(parallelogram(at));
        ASSERT_TRUE(beside);
        EXPECT_FALSE(beside->nearby.is_singular()) << at;
        EXPECT_EQ(beside->rank, 2U) << at;
        EXPECT_EQ(beside->freedoms, 1U) << at;
        EXPECT_EQ(beside->redundant(), 3) << at;
    }
}

TEST(SingularPosition, HasNoAccelerationsToShow) {
    const auto flat = session::evaluate(parallelogram("0"));
    EXPECT_FALSE(flat.is_ok());
    EXPECT_THAT(test::first_error(flat), ::testing::HasSubstr("the position is singular"));
    EXPECT_TRUE(session::evaluate(parallelogram("0.01")).is_ok());
}

TEST(SingularPosition, IsNoEquilibriumBecauseRowsVanish) {
    session::EquilibriumOptions options;
    options.starts = 30;
    const auto found = session::equilibrium(parallelogram("0.7"), options);
    ASSERT_TRUE(found) << to_string(found.problems);
    EXPECT_GE(found->found.size(), 2U);
    for (const linear::Equilibrium& x : found->found) EXPECT_LT(x.point.lambda.lpNorm<Eigen::Infinity>(), 1e3);
}

}  // namespace
}  // namespace linkwright
