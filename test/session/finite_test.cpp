// What is infinite or undefined never leaves a verb in silence: a failure, and the name of what is not finite.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "linkwright/linkwright.hpp"
#include "linkwright/session/finite.hpp"
#include "session/subject.hpp"

namespace linkwright::session {
namespace {

using test::first_error;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

TEST(NotFinite, EntriesAreNamed) {
    EXPECT_THAT(not_finite(Json{{"speeds", {"a'", "b'"}}, {"forcing", {1.0, nan}}, {"mass_matrix", {{1.0, infinity}, {0.0, 1.0}}}}),
                ElementsAre("forcing of b'", "mass_matrix[a', b']"));
    EXPECT_THAT(not_finite(Json{{"parameters", {"g", "l"}}, {"relative", {{{{"re", nan}, {"im", 0}}, 1.0}}}}),
                ElementsAre("relative[1, g].re"));
    EXPECT_THAT(not_finite(Json{{"energy", {{"total", -infinity}}}, {"poles", {1.0, nullptr}}}), ElementsAre("energy.total"));
    EXPECT_THAT(not_finite({"t", "x", "y"}, {Eigen::Vector3d(0, 1, 2), Eigen::Vector3d(0.5, 1, nan), Eigen::Vector3d(1, 1, nan)}),
                ElementsAre("y at t = 0.5"));
}

TEST(NotFinite, IsAFailureThatKeepsTheValue) {
    Report report;
    tell_not_finite({}, report);
    EXPECT_TRUE(report.is_ok());
    tell_not_finite(std::vector<std::string>(10, "x"), report);
    EXPECT_EQ(report.status, Status::numerical_failure);
    EXPECT_EQ(first_error(report), "not finite: x, x, x, x, x, x, x, x, and 2 more");
}

/// A spring so soft that its acceleration is no number any more.
TEST(NotFinite, AccelerationsTooLargeHaveNoLinearModel) {
    const Session blocks = test::opened("two_blocks/model.toml", {.set = {"kc=-1e308"}});
    const auto refused = [](const auto& r) {
        EXPECT_FALSE(r);
        EXPECT_EQ(r.status, Status::numerical_failure);
        return first_error(r);
    };
    EXPECT_THAT(refused(linearize(blocks)), HasSubstr("A[x', s] is not finite"));
    EXPECT_THAT(refused(modes(blocks)), HasSubstr("A[x', s] is not finite"));
    EXPECT_THAT(refused(sensitivity(blocks, {.to = {"all"}})), HasSubstr("A[x', s] is not finite"));
    EXPECT_EQ(perturb(blocks).status, Status::numerical_failure);
    const auto rest = equilibrium(blocks);
    ASSERT_TRUE(rest);
    EXPECT_THAT(rest->found.front().verdict, AllOf(StartsWith("not decided"), HasSubstr("A[x', s] is not finite")));
}

constexpr const char* block_text = R"(format = 1
name = "Block"
[inputs]
push = 0
[[body]]
name = "block"
mass = 0.5
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "block"
axis = "x"
stiffness = 1
damping = {}
actuator = "{}"
)";
Session block(const std::string& damping, const std::string& actuator) {
    const auto opened = open_text(fmt::format(block_text, damping, actuator), "block.toml");
    EXPECT_TRUE(opened) << to_string(opened.problems);
    return *opened;
}

TEST(NotFinite, CoefficientsAreNotTakenForDust) {
    const Session heavy = block("1e308", "push");
    const auto r = perturb(heavy);
    EXPECT_EQ(r.status, Status::numerical_failure);
    EXPECT_THAT(first_error(r), HasSubstr("a coefficient in the equation of mode 1 is not a finite number"));
    EXPECT_THAT(first_error(linearize(heavy)), HasSubstr("A[x', x'] is not finite"));
    EXPECT_THAT(first_error(frequency(heavy)), HasSubstr("A[x', x'] is not finite"));
}

TEST(NotFinite, TheRootAtZeroIsNamed) {
    const Session root = block("0", "-sqrt(x) + push");
    EXPECT_THAT(first_error(linearize(root, {.operating = {.at = linear::Operating::At::initial}})),
                HasSubstr("K[x', x] is not finite here: 1/sqrt(x) is infinite where x = 0"));
    EXPECT_THAT(first_error(modes(root, {.operating = {.at = linear::Operating::At::initial}})),
                HasSubstr("1/sqrt(x) is infinite where x = 0"));
    EXPECT_THAT(first_error(equilibrium(root)), HasSubstr("the force along x', 0, has no finite derivative there"));
}

/// λ is the smallest number there is, and nothing can be measured beside it.
TEST(NotFinite, RelativeSensitivitiesAreNamed) {
    const Session weightless = test::opened("spatial_four_bar/model.toml", {.set = {"g=5e-324"}});
    const auto r = sensitivity(weightless, {.operating = {.at = linear::Operating::At::initial}, .to = {"g", "L"}});
    EXPECT_EQ(r.status, Status::numerical_failure);
    EXPECT_THAT(first_error(r), AllOf(StartsWith("not finite: relative[1, g]"), HasSubstr("relative[1, L]")));
}

}  // namespace
}  // namespace linkwright::session
