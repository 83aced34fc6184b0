// Closed chains stay closed, whichever way they are kept, and every way leads to the same motion.

#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using namespace numeric;
using namespace motion;

constexpr std::array all_integrators{Integrator::adams, Integrator::bdf, Integrator::rk, Integrator::rk4, Integrator::ida};

Subject zoo(const std::string& name) { return Subject("models/" + name + "/model.toml"); }

Index states_of(const Subject& s) { return static_cast<Index>(s.equations.q.size() + s.equations.u.size()); }

/// The largest difference of states against the size of the largest state.
double relative_difference(const Subject& s, const Motion& a, const Motion& b) {
    double size = 1;
    for (const VectorXd& row : a.rows) size = std::max(size, row.segment(1, states_of(s)).cwiseAbs().maxCoeff());
    return difference(a, b, states_of(s)) / size;
}

TEST(Constraints, FourBarStaysClosedForAHundredSeconds) {
    const Subject s = zoo("four_bar");
    SimulateOptions options;
    options.times = times_until(100, 400);
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    EXPECT_LT(m.statistics.position, 1e-10);
    EXPECT_LT(m.statistics.velocity, 1e-9);
    EXPECT_LT(m.statistics.energy_error, 1e3 * options.tolerance * m.statistics.largest_kinetic);
    EXPECT_GT(m.statistics.projections, 100);
}

TEST(Constraints, WaysToKeepThemAgree) {
    for (const auto& [name, until] : std::vector<std::pair<std::string, double>>{{"four_bar", 5},
                                                                                 {"spatial_four_bar", 5},
                                                                                 {"slider_crank", 5},
                                                                                 {"andrews_squeezer", 0.03},
                                                                                 {"bennett", 3},
                                                                                 {"stewart_platform", 1},
                                                                                 {"driven_crank", 0.2},
                                                                                 {"rolling_disk", 2},
                                                                                 {"knife_edge_sleigh", 5}}) {
        const Subject s = zoo(name);
        const State start = s.start();
        SimulateOptions options;
        options.times = times_until(until, 10);
        options.tolerance = 1e-12;
        options.integrator = Integrator::rk;
        const Motion first = simulate(*s.numbers, start, options);
        ASSERT_EQ(first.stop, Stop::reached) << name << ": " << first.why;
        const std::size_t redundant = std::string(name) == "bennett" ? 1 : 0;
        ASSERT_EQ(first.warnings.size(), redundant) << name;
        if (redundant > 0) {
            EXPECT_THAT(first.warnings[0], testing::StartsWith("constraints are redundant: rank "));
        }
        for (const auto& [keep, allowed] :
             {std::pair(ConstraintStabilization::partition, 1e-7), std::pair(ConstraintStabilization::nullspace, 1e-7),
              std::pair(ConstraintStabilization::baumgarte, 1e-4), std::pair(ConstraintStabilization::none, 1e-4)}) {
            options.keep = keep;
            options.tolerance = keep == ConstraintStabilization::none ? 1e-8 : 1e-12;
            const Motion m = simulate(*s.numbers, start, options);
            ASSERT_EQ(m.stop, Stop::reached) << name << ": " << m.why;
            EXPECT_LT(relative_difference(s, first, m), allowed) << name << ' ' << static_cast<int>(keep);
            if (keep == ConstraintStabilization::partition || keep == ConstraintStabilization::nullspace) {
                EXPECT_LT(m.statistics.position, 1e-10) << name;
                EXPECT_LT(m.statistics.velocity, 1e-9) << name;
            }
            if (keep == ConstraintStabilization::none) {
                ASSERT_EQ(m.warnings.size(), 1 + redundant);
                EXPECT_THAT(m.warnings[0], testing::HasSubstr("drifted"));
                EXPECT_GE(m.statistics.velocity, first.statistics.velocity);
            }
        }
    }
}

TEST(Constraints, ChoicesAreMadeAgainOnTheWay) {
    // a pendulum as a free body on a rod turns through angles at which any choice of coordinates turns bad
    const Subject s = zoo("rod_pendulum");
    SimulateOptions options;
    options.times = times_until(6, 20);
    options.tolerance = 1e-11;
    const Motion first = simulate(*s.numbers, s.start(), options);
    options.keep = ConstraintStabilization::nullspace;
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    EXPECT_GT(m.statistics.choices, 0);
    EXPECT_LT(relative_difference(s, first, m), 1e-7);
}

TEST(Constraints, RedundantLoopKeepsItsEnergy) {
    const Subject s = zoo("bricard");
    for (const ConstraintStabilization keep :
         {ConstraintStabilization::projection, ConstraintStabilization::partition, ConstraintStabilization::nullspace}) {
        SimulateOptions options;
        options.times = times_until(12, 60);
        options.keep = keep;
        const Motion m = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_LT(m.statistics.energy_error, 1e3 * options.tolerance * m.statistics.largest_kinetic);
        EXPECT_LT(m.statistics.position, 1e-10);
    }
}

TEST(Integrators, Agree) {
    for (const char* name :
         {"double_pendulum", "satellite", "four_bar", "rolling_disk", "bennett", "ship_pendulum", "knife_edge_sleigh", "gear_train"}) {
        const Subject s = zoo(name);
        const State start = s.start();
        std::optional<Motion> first;
        for (const Integrator integrator : all_integrators) {
            SimulateOptions options;
            options.times = times_until(0.7, 7);
            options.tolerance = 1e-10;
            options.integrator = integrator;
            options.step = 2e-4;
            const Motion m = simulate(*s.numbers, start, options);
            ASSERT_EQ(m.stop, Stop::reached) << name << ": " << m.why;
            if (!first) first = m;
            EXPECT_LT(relative_difference(s, *first, m), 1e-6) << name << ' ' << static_cast<int>(integrator);
            EXPECT_LT(m.statistics.position, 1e-10) << name << ' ' << static_cast<int>(integrator);
            EXPECT_LT(m.statistics.energy_error, 1e4 * options.tolerance * m.statistics.largest_kinetic) << name;
            EXPECT_EQ(integrator == Integrator::bdf || integrator == Integrator::ida, m.statistics.jacobians > 0);
            EXPECT_GT(m.statistics.steps, 0);
            EXPECT_GT(m.statistics.evaluations, 0);
        }
    }
}

TEST(Integrators, TheExactJacobianSavesWork) {
    // with a wrong one Newton's method would crawl: as many Jacobians as steps
    for (const char* name : {"chain10", "four_bar", "satellite", "bricard", "driven_crank"}) {
        const Subject s = zoo(name);
        for (const ConstraintStabilization keep : {ConstraintStabilization::projection, ConstraintStabilization::baumgarte}) {
            SimulateOptions options;
            options.times = times_until(0.3, 3);
            options.integrator = Integrator::bdf;
            options.keep = keep;
            const Motion m = simulate(*s.numbers, s.start(), options);
            ASSERT_EQ(m.stop, Stop::reached) << name << ": " << m.why;
            EXPECT_LT(m.statistics.evaluations, 2.2 * static_cast<double>(m.statistics.steps) + 60) << name;
        }
    }
}

TEST(Integrators, StiffMotionIsForBackwardDifferences) {
    // a hanging bar with a damper so strong that the motion is a creep: rates of 1e5 against 1e-4 per second
    Subject s(model::read(R"(
format = 1
name = "creep"
gravity = [0, -9.81, 0]
[[body]]
name = "bar"
mass = 1
inertia = [0.1, 0, 0.1]
com = [0, -0.5, 0]
[[joint]]
name = "theta"
type = "revolute"
parent = "ground"
child = "bar"
axis = "z"
damping = 35000
[initial]
theta = 1.0
)"));
    SimulateOptions options;
    options.times = times_until(100, 5);
    options.integrator = Integrator::bdf;
    const Motion bdf = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(bdf.stop, Stop::reached) << bdf.why;
    EXPECT_LT(bdf.statistics.steps, 500);
    // c θ̇ = −m g l sin θ:  tan(θ/2) = tan(θ₀/2) exp(−m g l t/c)
    const double expected = 2 * std::atan(std::tan(0.5) * std::exp(-9.81 * 0.5 * 100 / 35000));
    EXPECT_NEAR(bdf.rows.back()[1], expected, 1e-6);
    options.integrator = Integrator::ida;
    const Motion ida = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(ida.stop, Stop::reached) << ida.why;
    EXPECT_NEAR(ida.rows.back()[1], expected, 1e-6);
}

TEST(Constraints, SolversOfTheDescriptorFormAgree) {
    for (const char* name : {"four_bar", "bricard", "rolling_disk", "stewart_platform"}) {
        const Subject s = zoo(name);
        std::optional<Motion> first;
        for (const auto method : {solve::DescriptorMethod::nullspace, solve::DescriptorMethod::schur, solve::DescriptorMethod::kkt}) {
            SimulateOptions options;
            options.times = times_until(0.5, 5);
            options.tolerance = 1e-10;
            options.solver.method = method;
            const Motion m = simulate(*s.numbers, s.start(), options);
            ASSERT_EQ(m.stop, Stop::reached) << name << ": " << m.why;
            if (!first) first = m;
            EXPECT_LT(relative_difference(s, *first, m), 1e-7) << name;
            for (std::size_t i = 0; i < m.rows.size(); ++i) {  // reactions among the outputs: the same λ
                EXPECT_LT((m.rows[i] - first->rows[i]).cwiseAbs().maxCoeff(), 1e-5 * (1 + first->rows[i].cwiseAbs().maxCoeff())) << name;
            }
        }
    }
}

TEST(Constraints, SleighSlidesAlongItsBlade) {
    // [neimark72]: v̇ = a ω², ω̇ = −(m a/(J + m a²)) v ω, an ellipse: v² + ω² (J + m a²)/m = const, and in closed form
    // v = K tanh(κ (t − t0)), ω = ω_max / cosh(κ (t − t0)), κ = a m K/(J + m a²).
    const Subject s = zoo("knife_edge_sleigh");
    SimulateOptions options;
    options.times = times_until(5, 50);
    options.tolerance = 1e-10;
    const Motion m = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(m.stop, Stop::reached) << m.why;
    const double mass = 3, J = 0.4, a = 0.3, I = J + mass * a * a, v0 = 1, w0 = 2;
    const double K = std::sqrt(v0 * v0 + w0 * w0 * I / mass), kappa = a * mass * K / I, t0 = -std::atanh(v0 / K) / kappa;
    const double w_max = K * std::sqrt(mass / I);
    const Index v = column(m, "v"), w = column(m, "heading'");
    for (const VectorXd& row : m.rows) {
        EXPECT_NEAR(row[v], K * std::tanh(kappa * (row[0] - t0)), 1e-8);
        EXPECT_NEAR(row[w], w_max / std::cosh(kappa * (row[0] - t0)), 1e-8);
        EXPECT_LT(row[column(m, "constraint.velocity")], 1e-10);
    }
}

TEST(Constraints, QuaternionsStayOnTheirSphere) {
    const Subject s = zoo("satellite");
    for (const Integrator integrator : all_integrators) {
        SimulateOptions options;
        options.keep = integrator == Integrator::rk ? ConstraintStabilization::partition
                                                    : ConstraintStabilization::projection;  // no matter for a tree
        options.times = times_until(20, 40);
        options.tolerance = 1e-6;
        options.integrator = integrator;
        options.step = 0.01;
        const Motion m = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        for (const VectorXd& row : m.rows) {
            double size = 0;
            for (const std::size_t i : s.equations.quaternions.at(0))
                size += row[1 + static_cast<Index>(i)] * row[1 + static_cast<Index>(i)];
            EXPECT_NEAR(size, 1, 1e-14);
        }
        const Index L = column(m, "momentum.angular.x"), P = column(m, "momentum.linear.x");
        EXPECT_LT((m.rows.back().segment(L, 3) - m.rows.front().segment(L, 3)).norm(), 1e-3 * m.rows.front().segment(L, 3).norm());
        EXPECT_LT((m.rows.back().segment(P, 3) - m.rows.front().segment(P, 3)).norm(), 1e-3);
    }
}

TEST(Zoo, EveryModelMovesAndKeepsItsBooks) {
    int count = 0;
    for (const auto& folder : std::filesystem::directory_iterator(project_root() + "/models")) {
        const std::string name = folder.path().filename();
        if (!std::filesystem::exists(folder.path() / "model.toml")) continue;
        const Subject s = zoo(name);
        SimulateOptions options;
        options.times = times_until(name == "andrews_squeezer" ? 0.03
                                    : name == "rotating_beam"  ? 5
                                    : name == "delta_robot"    ? 0.3
                                                               : 0.5,
                                    25);
        const Motion m = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(m.stop, Stop::reached) << name << ": " << m.why;
        ASSERT_EQ(m.rows.size(), 26U);
        EXPECT_EQ(m.rows[0].size(), static_cast<Index>(m.columns.size()));
        EXPECT_LE(m.statistics.energy_error, 1e3 * options.tolerance * m.statistics.largest_kinetic + 1e-11) << name;  // one stands still
        EXPECT_LT(m.statistics.position, 1e-10) << name;
        EXPECT_LT(m.statistics.velocity, 1e-9) << name;
        ++count;
    }
    EXPECT_GT(count, 25);
}

}  // namespace
}  // namespace linkwright
