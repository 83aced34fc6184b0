// Through positions in which closed chains lose rank, along the branch that the motion came on.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "motion/subject.hpp"

namespace linkwright::motion {
namespace {

using numeric::State;
using testing::HasSubstr;

/// N parallelograms side by side, the benchmark A02 of the IFToMM: N + 1 rods stand on the ground, N more join their ends; each has length 1 m and
/// mass 1 kg. They all lie in one line, N loops singular at once, whenever the rods are horizontal.
std::string n_four_bar(int n) {
    std::string text = "format = 1\ngravity = [0, -9.81, 0]\n";
    const auto rod = [&](const std::string& name) {
        text += fmt::format(
            "[[body]]\nname = \"{}\"\nmass = 1\ninertia = [0, \"1/12\", \"1/12\"]\ncom = [0.5, 0, 0]\n"
            "points = {{ end = [1, 0, 0] }}\n",
            name);
    };
    const auto joint = [&](const std::string& name, const std::string& parent, const std::string& at, const std::string& child,
                           const std::string& child_at) {
        text +=
            fmt::format("[[joint]]\nname = \"{}\"\ntype = \"revolute\"\nparent = \"{}\"\nparent_at = {}\nchild = \"{}\"\nchild_at = {}\n",
                        name, parent, at, child, child_at);
    };
    for (int i = 0; i <= n; ++i) rod(fmt::format("rod{}", i));
    for (int i = 1; i <= n; ++i) rod(fmt::format("bar{}", i));
    for (int i = 0; i <= n; ++i) joint(fmt::format("a{}", i), "ground", fmt::format("[{}, 0, 0]", i), fmt::format("rod{}", i), "[0, 0, 0]");
    for (int i = 1; i <= n; ++i) {
        joint(fmt::format("b{}", i), fmt::format("rod{}", i - 1), "\"end\"", fmt::format("bar{}", i), "[0, 0, 0]");
        joint(fmt::format("c{}", i), fmt::format("bar{}", i), "\"end\"", fmt::format("rod{}", i), "\"end\"");
    }
    text += "[[output]]\nname = \"B0\"\nposition = \"rod0.end\"\n[initial]\na0 = \"90*deg\"\n\"a0'\" = -1\n[guess]\n";
    for (int i = 1; i <= n; ++i) text += fmt::format("a{0} = \"90*deg\"\nb{0} = \"-90*deg\"\n", i);
    return text;
}

/// θ(t) from the vertical, of ((N+1)/3 + N) θ'' = ((N+1)/2 + N) g sin θ, by the classical Runge–Kutta method in short steps.
double angle_of_rods(int n, double until) {
    const double k = ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n) * 9.81;
    const int steps = static_cast<int>(until * 20000);
    const double h = until / steps;
    double x = 0, v = 1;
    for (int i = 0; i < steps; ++i) {
        const double a1 = k * std::sin(x), v2 = v + h / 2 * a1, a2 = k * std::sin(x + h / 2 * v), v3 = v + h / 2 * a2,
                     a3 = k * std::sin(x + h / 2 * v2), v4 = v + h * a3, a4 = k * std::sin(x + h * v3);
        x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

double value(const Motion& m, std::size_t row, const std::string& column) {
    const auto at = std::ranges::find(m.columns, column);
    EXPECT_NE(at, m.columns.end()) << column;
    return m.rows[row][at - m.columns.begin()];
}

void expect_rods(const Motion& m, int n, double tolerance) {
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    ASSERT_EQ(m.rows.size(), 4U);
    for (std::size_t row = 1; row < m.rows.size(); ++row) {
        const double angle = angle_of_rods(n, m.rows[row][0]);
        EXPECT_NEAR(value(m, row, "B0.x"), std::sin(angle), tolerance) << "t = " << m.rows[row][0];
        EXPECT_NEAR(value(m, row, "B0.y"), std::cos(angle), tolerance) << "t = " << m.rows[row][0];
    }
    const double turns = angle_of_rods(n, 10) / std::numbers::pi;  // horizontal twice a turn
    EXPECT_NEAR(static_cast<double>(m.singular.size()), turns, 1.01);
    EXPECT_EQ(m.statistics.passages, static_cast<long>(m.singular.size()));
    EXPECT_LT(m.statistics.energy_error, 1e-6 * m.statistics.largest_kinetic);
    EXPECT_THAT(m.notes, testing::Contains(HasSubstr("a singular position was passed along the smooth branch: t = ")));
}

SimulateOptions benchmark_options() {
    SimulateOptions options;
    options.times = {0, 1, 4, 10};
    options.tolerance = 1e-10;
    return options;
}

constexpr std::array every_stabilization{ConstraintStabilization::projection, ConstraintStabilization::partition,
                                         ConstraintStabilization::nullspace};
constexpr std::array every_integrator{Integrator::adams, Integrator::bdf, Integrator::rk, Integrator::ida};

TEST(SingularPassage, TwoFourBarsInEveryWay) {
    const Subject s(model::read(n_four_bar(2)));
    for (const ConstraintStabilization keep : every_stabilization) {
        for (const Integrator integrator : every_integrator) {
            if (integrator == Integrator::ida && keep != ConstraintStabilization::projection) continue;
            SCOPED_TRACE(fmt::format("keep {}, integrator {}", static_cast<int>(keep), static_cast<int>(integrator)));
            SimulateOptions options = benchmark_options();
            options.keep = keep;
            options.integrator = integrator;
            expect_rods(simulate(*s.numbers, s.start(), options), 2,
                        integrator == Integrator::bdf || integrator == Integrator::ida ? 1e-4 : 1e-6);
        }
    }
}

TEST(SingularPassage, FortyFourBars) {
    const Subject s(model::read(n_four_bar(40)));
    expect_rods(simulate(*s.numbers, s.start(), benchmark_options()), 40, 1e-6);
}

TEST(SingularPassage, StopsWhenAskedTo) {
    const Subject s(model::read(n_four_bar(2)));
    SimulateOptions options = benchmark_options();
    options.at_singular = AtSingular::stop;
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, Stop::failed);
    EXPECT_THAT(m.why, HasSubstr("from there the motion is not determined"));
    EXPECT_NEAR(angle_of_rods(2, m.t), std::numbers::pi / 2, 1e-4);
}

/// Crank and rod of the same length: the slider stands in the crank's bearing when the crank is upright, and might stay there.
constexpr const char* equal_slider_crank = R"(
format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "crank"
mass = 1
inertia = [0, 0, 0.05]
com = [0.25, 0, 0]
[[body]]
name = "rod"
mass = 0.5
inertia = [0, 0, 0.02]
com = [0.25, 0, 0]
[[body]]
name = "slider"
mass = 0.3
inertia = [0, 0, 0.001]
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "crank"
[[joint]]
name = "knee"
type = "revolute"
parent = "crank"
parent_at = [0.5, 0, 0]
child = "rod"
[[joint]]
name = "x"
type = "prismatic"
axis = "x"
parent = "ground"
child = "slider"
[[joint]]
name = "pin"
type = "revolute"
parent = "rod"
parent_at = [0.5, 0, 0]
child = "slider"
[initial]
theta = 0.4
"theta'" = 9
[guess]
knee = -0.8
x = 0.9
)";

TEST(SingularPassage, SliderCrankOfEqualLengths) {
    const Subject s(model::read(equal_slider_crank));
    SimulateOptions options;
    options.times = times_until(3, 600);
    options.tolerance = 1e-9;
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    EXPECT_GE(m.singular.size(), 5U);
    for (std::size_t row = 0; row < m.rows.size(); ++row)
        EXPECT_NEAR(value(m, row, "x"), std::cos(value(m, row, "theta")), 1e-8) << "t = " << m.rows[row][0];
    EXPECT_LT(m.statistics.energy_error, 1e-5 * m.statistics.largest_kinetic);
}

/// A driven crank, and a row asked for exactly where all bars lie in a line.
TEST(SingularPassage, RowsInASingularPosition) {
    std::string text = n_four_bar(1);
    text.replace(text.find("[initial]"), std::string::npos,
                 "[[motion]]\ncoordinate = \"a0\"\nequals = \"90*deg - pi*t\"\n[[output]]\nname = \"R\"\nreaction = \"a1\"\n[guess]\na1 = "
                 "\"90*deg\"\nb1 = \"-90*deg\"\n");
    const Subject s(model::read(text));
    SimulateOptions options;
    options.times = times_until(2, 8);  // rods lie flat at 0.5 and 1.5
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    ASSERT_EQ(m.rows.size(), 9U);
    for (std::size_t row = 0; row < m.rows.size(); ++row) {
        const double angle = std::numbers::pi / 2 - std::numbers::pi * m.rows[row][0];
        EXPECT_NEAR(value(m, row, "B0.x"), std::cos(angle), 1e-7);
        EXPECT_NEAR(value(m, row, "a1"), angle, 1e-7);
        EXPECT_NEAR(value(m, row, "a1'"), -std::numbers::pi, 1e-6);
    }
    ASSERT_EQ(m.singular.size(), 2U);
    EXPECT_NEAR(m.singular[0], 0.5, 1e-5);
    EXPECT_NEAR(m.singular[1], 1.5, 1e-5);
}

}  // namespace
}  // namespace linkwright::motion
