// Through positions in which closed chains lose rank, along the branch that the motion came on.

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "linkwright/numeric/branches.hpp"
#include "motion/subject.hpp"
#include "support/n_four_bar.hpp"

namespace linkwright::motion {
namespace {

using numeric::State;
using test::n_four_bar;
using testing::HasSubstr;

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

/// Bricard's trihedral loop goes through all its positions. Their curve cos a + cos b + cos a cos b = 0 has no double point: one of five rows is redundant on the constraints
/// everywhere, and there is no place where another loses its rank.
TEST(SingularPassage, BricardHasNone) {
    std::ifstream file(project_root() + "/models/bricard/model.toml");
    std::string text{std::istreambuf_iterator(file), {}};
    text.insert(text.find("[initial]\n") + 10, "\"last.pin'\" = 12\n");
    const Subject s(model::read(text));
    SimulateOptions options;
    options.times = times_until(5, 200);
    options.tolerance = 1e-9;
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    EXPECT_TRUE(m.singular.empty());
    double most = 0;
    for (std::size_t row = 0; row < m.rows.size(); ++row) {
        EXPECT_NEAR(value(m, row, "relation"), 0, 1e-8) << "t = " << m.rows[row][0];
        most = std::max(most, std::abs(value(m, row, "last.pin") - value(m, 0, "last.pin")));
    }
    EXPECT_GT(most, 3.5);  // from -120 to 120 degrees, but for a little
    EXPECT_LT(m.statistics.energy_error, 1e-6 * m.statistics.largest_kinetic);
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

/// All rods of N parallelograms flat on the right, turning down as `speeds` say.
std::string flat_four_bars(int n, const std::string& speeds, double span = 1) {
    std::string text = n_four_bar(n, span);
    text.replace(text.find("[initial]"), std::string::npos, "[initial]\n");
    for (int i = 0; i <= n; ++i) text += fmt::format("a{} = 0\n", i);
    return text + speeds + "\n[guess]\nb1 = 0\n";
}

TEST(SingularStart, ListsTheBranches) {
    const Subject s(model::read(flat_four_bars(2, "", 2)));
    SimulateOptions options;
    options.times = {0, 1};
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, Stop::failed);
    EXPECT_THAT(m.why, HasSubstr("at t = 0 the motion begins in a singular position"));
    EXPECT_THAT(m.why, HasSubstr("from rest it is not determined"));
    EXPECT_EQ(m.notes.size(), 4U);  // each loop goes on as a parallelogram or as an antiparallelogram
    EXPECT_THAT(m.notes, testing::Contains(HasSubstr("a0' + a1' + a2'")));
    EXPECT_TRUE(m.rows.empty());
}

TEST(SingularStart, BranchesCloseNearby) {
    const Subject s(model::read(flat_four_bars(2, "", 2)));
    const State start = s.start();
    const numeric::Branches branches = find_branches(*s.numbers, start, rank_nearby(*s.numbers, start));
    ASSERT_EQ(branches.found.size(), 4U);
    EXPECT_TRUE(branches.is_complete);
    for (const numeric::Branch& branch : branches.found) {
        ASSERT_EQ(branch.speeds.cols(), 1);
        EXPECT_LT(s.numbers->residuals(branch.beside).position(), 1e-9);
        const VectorXd moved = branch.beside.q - start.q, along = branch.speeds.col(0);
        EXPECT_NEAR(std::abs(moved.normalized().dot(along.normalized())), 1, 0.01) << along.transpose();
        State there = branch.beside;
        there.u = along;
        EXPECT_LT(s.numbers->residuals(there).velocity(), 0.05);
    }
}

/// Rods and bars of one length fold: along the third branch here the first loop stays flat, and the rank stays low.
TEST(SingularStart, SaysWhenThereMayBeMoreBranches) {
    const Subject s(model::read(flat_four_bars(2, "")));
    const State start = s.start();
    const numeric::Branches branches = find_branches(*s.numbers, start, rank_nearby(*s.numbers, start));
    EXPECT_EQ(branches.found.size(), 2U);
    EXPECT_FALSE(branches.is_complete);
}

/// Flat is where the one-freedom solution is after a quarter of a turn.
TEST(SingularStart, GoesOnAlongTheBranchOfItsSpeeds) {
    for (const int n : {1, 2}) {
        SCOPED_TRACE(n);
        std::string speeds;
        for (int i = 0; i <= n; ++i) speeds += fmt::format("\"a{}'\" = -3\n", i);
        const Subject s(model::read(flat_four_bars(n, speeds)));
        SimulateOptions options;
        options.times = {0, 0.001, 0.2, 1, 2};
        options.tolerance = 1e-10;
        for (const ConstraintStabilization keep : every_stabilization) {
            options.keep = keep;
            const Motion m = simulate(*s.numbers, s.start(), options);
            ASSERT_EQ(m.stop, Stop::reached) << m.why;
            ASSERT_EQ(m.rows.size(), 5U);
            EXPECT_THAT(m.notes, testing::Contains(HasSubstr("begins in a singular position, and leaves it along the branch a0' + a1'")));
            const double k = ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n) * 9.81;
            double x = std::numbers::pi / 2, v = 3, t = 0;
            for (std::size_t row = 0; row < m.rows.size(); ++row) {
                const int steps = row == 0 ? 0 : 20000;
                const double h = steps == 0 ? 0 : (m.rows[row][0] - t) / steps;
                for (int i = 0; i < steps; ++i) {  // Störmer and Verlet, second order
                    v += h / 2 * k * std::sin(x);
                    x += h * v;
                    v += h / 2 * k * std::sin(x);
                }
                t = m.rows[row][0];
                EXPECT_NEAR(value(m, row, "a0"), std::numbers::pi / 2 - x, 2e-7) << "t = " << t;
                EXPECT_NEAR(value(m, row, "a0'"), -v, 2e-6) << "t = " << t;
            }
            EXPECT_LT(m.statistics.energy_error, 1e-7 * m.statistics.largest_kinetic);
        }
    }
}

TEST(SingularStart, GoesOnAsAnAntiparallelogramToo) {
    // a0 with the long way round: the other root of the quadratic form of one flat loop
    const Subject rest(model::read(flat_four_bars(1, "")));
    const State start = rest.start();
    const numeric::Branches branches = find_branches(*rest.numbers, start, rank_nearby(*rest.numbers, start));
    ASSERT_EQ(branches.found.size(), 2U);
    for (const numeric::Branch& branch : branches.found) {
        State from = start;
        from.u = 3 * branch.speeds.col(0);
        SimulateOptions options;
        options.times = times_until(0.3, 6);
        options.tolerance = 1e-10;
        const Motion m = simulate(*rest.numbers, from, options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_LT(m.statistics.energy_error, 1e-7 * m.statistics.largest_kinetic);
        EXPECT_LT(m.statistics.position, 1e-9);
        // the way it set out, and back the same way when time runs backwards
        State end = from;
        end.q = m.rows.back().segment(1, start.q.size());
        end.u = -m.rows.back().segment(1 + start.q.size(), start.u.size());
        const Motion back = simulate(*rest.numbers, end, options);
        // it arrives where it came from: at the singular position itself
        const std::size_t last = back.rows.size() - 1;
        EXPECT_NEAR(value(back, last, "a0"), 0, 1e-4) << back.why;
    }
}

TEST(SingularStart, SpeedsOffEveryBranchAreRefused) {
    const Subject s(model::read(flat_four_bars(1, "\"a0'\" = 1\n\"a1'\" = 0.5\n")));
    SimulateOptions options;
    options.times = {0, 1};
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, Stop::failed);
    EXPECT_THAT(m.why, HasSubstr("the speeds do not lie along one branch"));
    EXPECT_EQ(m.notes.size(), 2U);
}

TEST(SingularStart, StopsWhenAskedTo) {
    const Subject s(model::read(flat_four_bars(1, "\"a0'\" = 1\n\"a1'\" = 1\n")));
    SimulateOptions options;
    options.times = {0, 1};
    options.at_singular = AtSingular::stop;
    const Motion m = simulate(*s.numbers, s.start(), options);
    EXPECT_EQ(m.stop, Stop::failed);
    EXPECT_THAT(m.advice, HasSubstr("--singular pass"));
}

/// The slider in the crank's bearing: either it stays there and the crank turns, or it leaves.
TEST(SingularStart, SliderCrankOfEqualLengths) {
    std::string text = equal_slider_crank;
    text.replace(text.find("[initial]"), std::string::npos, "[initial]\ntheta = \"90*deg\"\nx = 0\n[guess]\nknee = \"180*deg\"\n");
    const Subject s(model::read(text));
    const State start = s.start();
    const numeric::Branches branches = find_branches(*s.numbers, start, rank_nearby(*s.numbers, start));
    EXPECT_EQ(branches.found.size(), 2U) << branches.why;
    for (const numeric::Branch& branch : branches.found) {
        State from = start;
        from.u = 2 * branch.speeds.col(0);
        SimulateOptions options;
        options.times = times_until(0.4, 8);
        const Motion m = simulate(*s.numbers, from, options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_LT(m.statistics.energy_error, 1e-6 * m.statistics.largest_kinetic);
    }
}

}  // namespace
}  // namespace linkwright::motion
