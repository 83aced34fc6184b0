// A motion that gets nowhere says where it is, and why.

#include <fmt/format.h>

#include "linkwright/linkwright.hpp"
#include "linkwright/motion/pace.hpp"
#include "session/subject.hpp"

namespace linkwright::session {
namespace {

using test::first_error;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Dampers on angles that turn over their pole.
std::string wrist(const std::string& axes, bool is_cut) {
    const std::string fly = "[[joint]]\nname = 'fly'\ntype = 'free'\nparent = 'ground'\nchild = 'hand'\n";
    return fmt::format(R"(format = 1
name = "Wrist"
[parameters]
a = 0.3
[[body]]
name = "hand"
mass = 1
inertia = [0.4, 0.7, 0.9]
{}[[joint]]
name = "wrist"
type = "gimbal"
parent = "ground"
child = "hand"
axes = {}
damping = [0.3, 0.1, 0.4]
{}
[initial]
"wrist.2" = {}
"wrist.1'" = 0.2
"wrist.2'" = 2
"wrist.3'" = 0.7
)",
                       is_cut ? fly : "", axes, is_cut ? "cut = true" : "", axes == "['z', 'y', 'x']" ? 1.1 : -0.5);
}

TEST(Creeping, AtAGimbalLockIsTold) {
    for (const bool is_cut : {false, true}) {
        for (const char* axes : {"['z', 'y', 'x']", "['x', 'y', 'x']", "['x', [0, 'cos(a)', 'sin(a)'], 'z']"}) {
            if (is_cut && axes == std::string("['x', 'y', 'x']")) continue;  // all at zero is its lock: it does not close from there
            SCOPED_TRACE(fmt::format("{} {}", axes, is_cut));
            const auto opened = open_text(wrist(axes, is_cut), "wrist.toml");
            ASSERT_TRUE(opened) << to_string(opened.problems);
            const auto r = simulate(*opened, {.rows = {.until = 5, .samples = 100}});
            EXPECT_EQ(r.status, Status::numerical_failure);
            EXPECT_THAT(first_error(r), AllOf(HasSubstr("the gimbal joint 'wrist' is near its singularity"), HasSubstr("(wrist.2 = "),
                                              HasSubstr("the steps are down to")));
            EXPECT_THAT(r.problems.back().hint, AllOf(HasSubstr("\"spherical\""), HasSubstr("rows up to that time are kept")));
            ASSERT_TRUE(r);
            EXPECT_GE(r->motion.rows.size(), 5U);
            EXPECT_LT(r->motion.statistics.steps, 120'000);
        }
    }
}

TEST(Creeping, ForAnotherReasonIsToldWithoutOne) {
    const auto opened = open_text(R"toml(format = 1
name = "Heavy damper"
[[body]]
name = "feather"
mass = 1e-9
[[joint]]
name = "x"
type = "prismatic"
parent = "ground"
child = "feather"
axis = "x"
stiffness = 1
damping = 100
actuator = "sin(t)"
)toml");
    ASSERT_TRUE(opened) << to_string(opened.problems);
    const auto r = simulate(*opened, {.rows = {.until = 100, .samples = 10}});
    EXPECT_EQ(r.status, Status::numerical_failure);
    EXPECT_THAT(first_error(r), AllOf(HasSubstr("something is stiff there, or nearly singular"), Not(HasSubstr("gimbal"))));
    EXPECT_THAT(r.problems.back().hint, HasSubstr("bdf"));
    EXPECT_TRUE(r && !r->motion.rows.empty());
    EXPECT_TRUE(simulate(*opened, {.rows = {.until = 100, .samples = 10}, .integrator = motion::Integrator::bdf}).is_ok());
}

TEST(Creeping, IsMeasuredByWhatIsLeft) {
    using motion::Pace;
    Pace even(1, 1'000'000);
    for (int k = 1; k <= 1'000'000; ++k) ASSERT_EQ(even.step(k * 1e-6), Pace::Going::well) << k;
    Pace slow(1, 1'000'000);
    double t = 0;
    int k = 0;
    for (; slow.step(t) == Pace::Going::well; ++k) t += 1e-9;
    EXPECT_EQ(k, 999);
    for (; slow.step(t) == Pace::Going::creeping; ++k) t += 1e-9;
    EXPECT_NEAR(k, 100'000, 2);
    EXPECT_NEAR(slow.shortest(), 1e-9, 2e-12);
    for (int i = 0; i < 1000; ++i) slow.step(t += 1e-4);
    EXPECT_EQ(slow.step(t), Pace::Going::well);
}

}  // namespace
}  // namespace linkwright::session
