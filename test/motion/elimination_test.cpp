// Closed chains by straight-line code with pivots chosen on the way, beside the general solver.

#include <fmt/format.h>

#include <filesystem>

#include "linkwright/numeric/eliminated_dynamics.hpp"
#include "motion/subject.hpp"

namespace linkwright::motion {
namespace {

std::vector<Expr> system_of(const eom::EquationsOfMotion& e) {
    std::vector<Expr> list;
    for (std::size_t i = 0; i < e.u.size(); ++i)
        list.insert(list.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    list.insert(list.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) list.insert(list.end(), c.G.begin(), c.G.end()), list.push_back(c.gamma);
    return list;
}

std::span<const double> span_of(const VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

double apart(const VectorXd& a, const VectorXd& b, double scale = 1e-6) { return a.size() == 0 ? 0 : (a - b).norm() / (scale + b.norm()); }

std::vector<std::string> zoo() {
    std::vector<std::string> folders;
    for (const auto& entry : std::filesystem::directory_iterator(project_root() + "/models")) {
        if (std::filesystem::exists(entry.path() / "model.toml")) folders.push_back(entry.path().filename().string());
    }
    std::ranges::sort(folders);
    return folders;
}

/// Pivots chosen where a motion starts, used wherever it goes.
TEST(EliminatedDynamics, AgreesWithTheGeneralSolverAllOverTheZoo) {
    int chains = 0, states = 0;
    for (const std::string& folder : zoo()) {
        SCOPED_TRACE(folder);
        const Subject s("models/" + folder + "/model.toml");
        if (s.equations.constraints.empty() || s.equations.M.size() != s.equations.u.size()) continue;
        const numeric::State start = s.start();
        const std::vector<Expr> system = system_of(s.equations);
        const numeric::Dynamics d = s.numbers->dynamics(start);
        const Index rank = solve::solve_descriptor(d.M, d.f, d.G, d.gamma).rank;
        numeric::EliminatedDynamics elimination(*s.numbers, s.numbers->lower(system), rank);
        const VectorXd there = s.numbers->compile(system)(start);
        if (!elimination.choose(span_of(there))) {
            ADD_FAILURE() << elimination.why();
            continue;
        }
        ++chains;
        SimulateOptions options;
        options.times = times_until(0.2, 8);
        options.eliminates = false;
        const Motion m = simulate(*s.numbers, start, options);
        const numeric::Layout& at = s.numbers->layout();
        for (const VectorXd& row : m.rows) {
            numeric::State state = start;
            state.t = row[0], state.q = row.segment(1, at.nq), state.u = row.segment(1 + at.nq, at.nu);
            state.x = row.segment(1 + at.nq + at.nu, at.nx);
            const bool is_within = elimination.solve(span_of(numeric::arguments(at, state)));
            if (row[0] == 0) {
                EXPECT_TRUE(is_within) << "where the pivots were chosen";
            }
            if (!is_within) continue;
            ++states;
            const numeric::Dynamics now = s.numbers->dynamics(state);
            const solve::DescriptorSolution general = solve::solve_descriptor(now.M, now.f, now.G, now.gamma, rank);
            EXPECT_LT(apart(elimination.udot(), general.udot, now.f.norm() / now.M.diagonal().maxCoeff()), 1e-9) << "t = " << row[0];
            EXPECT_LT(apart(elimination.lambda(), general.lambda), 1e-9) << "t = " << row[0];
        }
    }
    EXPECT_GT(chains, 15);
    EXPECT_GT(states, 8 * chains / 2);
}

double largest_difference(const Motion& a, const Motion& b, Index columns) {
    EXPECT_EQ(a.rows.size(), b.rows.size());
    double most = 0;
    for (std::size_t k = 0; k < std::min(a.rows.size(), b.rows.size()); ++k)
        most = std::max(most, (a.rows[k] - b.rows[k]).head(columns).lpNorm<Eigen::Infinity>());
    return most;
}

/// A bob on a rod goes round: whichever of its speeds was taken for the dependent one, a quarter of a turn later it cannot be.
TEST(EliminatedDynamics, PivotsAreChosenAgainWhereTheyVanish) {
    const Subject s(
        model::read("format = 1\ngravity = [0, 0, -9.81]\n[ground]\npoints = { hook = [0, 0, 0] }\n[[body]]\nname = \"bob\"\nmass = 0.2\n"
                    "[[joint]]\nname = \"at\"\ntype = \"translation\"\nparent = \"ground\"\nchild = \"bob\"\n"
                    "[[rod]]\nname = \"string\"\nfrom = \"ground.hook\"\nto = \"bob\"\nlength = 1\n"
                    "[initial]\nat.x = 0\nat.y = 0\n\"at.x'\" = 8\n\"at.y'\" = 0.3\n[guess]\nat.z = -1\n"));
    const numeric::State start = s.start();
    for (const ConstraintStabilization keep :
         {ConstraintStabilization::projection, ConstraintStabilization::partition, ConstraintStabilization::nullspace}) {
        SimulateOptions options;
        options.times = times_until(6, 20);
        options.tolerance = 1e-10;
        options.keep = keep;
        const Motion quick = simulate(*s.numbers, start, options);
        options.eliminates = false;
        const Motion general = simulate(*s.numbers, start, options);
        ASSERT_EQ(quick.stop, Stop::reached) << quick.why;
        EXPECT_LT(largest_difference(quick, general, 1 + start.q.size() + start.u.size()), 1e-5);
        EXPECT_LT(quick.statistics.energy_error, 1e-6);
        EXPECT_GE(quick.statistics.pivot_choices, 2) << quick.statistics.eliminations << " of " << quick.statistics.evaluations;
        EXPECT_LT(quick.statistics.pivot_choices, quick.statistics.evaluations / 16) << "as often as patience allows: none is used again";
        EXPECT_GT(quick.statistics.eliminations, quick.statistics.evaluations / 4);
        EXPECT_LT(quick.statistics.eliminations, quick.statistics.evaluations);
        EXPECT_EQ(general.statistics.eliminations, 0);
        EXPECT_EQ(general.statistics.pivot_choices, 0);
    }
}

/// Beside a change point a row of constraints is short: what is left of its residual after a projection must be small against that, not against what the row was elsewhere.
TEST(EliminatedDynamics, ChangePointsArePassedAtEveryTolerance) {
    const auto link = [](const char* name, double com) {
        return fmt::format("[[body]]\nname = \"{}\"\nmass = 1\ninertia = [0, 0, 0.1]\ncom = [{}, 0, 0]\n", name, com);
    };
    const auto joint = [](const char* name, const char* parent, const char* child, double at) {
        return fmt::format("[[joint]]\nname = \"{}\"\ntype = \"revolute\"\nparent = \"{}\"\nchild = \"{}\"\nparent_at = [{}, 0, 0]\n", name,
                           parent, child, at);
    };
    const Subject s(model::read("format = 1\ngravity = [0, -9.81, 0]\n" + link("a", 0.5) + link("b", 1) + link("c", 0.5) +
                                joint("A", "ground", "a", 0) + joint("B", "a", "b", 1) + joint("C", "ground", "c", 2) +
                                joint("D", "b", "c", 2) + "child_at = [1, 0, 0]\n[initial]\nA = \"60*deg\"\n\"A'\" = -4\n" +
                                "[guess]\nB = \"-60*deg\"\nC = \"60*deg\"\n"));
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10}) {
        SCOPED_TRACE(tolerance);
        SimulateOptions options;
        options.times = times_until(2, 50);
        options.tolerance = tolerance;
        const Motion m = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(m.stop, Stop::reached) << m.why;
        EXPECT_EQ(m.statistics.passages, 4);
        EXPECT_GT(m.statistics.eliminations, 0);
        EXPECT_LT(m.statistics.energy_error, 1e4 * tolerance);
        for (const VectorXd& row : m.rows) EXPECT_NEAR(row[1], row[3], 1e-9);  // A = C: no antiparallelogram
    }
}

/// Rows that others imply, as in Bennett's linkage, are found, and multipliers are the shortest.
TEST(EliminatedDynamics, OverconstrainedLoopsMoveAsBefore) {
    const Subject s("models/bennett/model.toml");
    SimulateOptions options;
    options.times = times_until(1, 10);
    const Motion quick = simulate(*s.numbers, s.start(), options);
    options.eliminates = false;
    const Motion general = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(quick.stop, Stop::reached) << quick.why;
    EXPECT_GT(quick.statistics.eliminations, 0);
    EXPECT_LT(largest_difference(quick, general, quick.rows.front().size()), 1e-5);
    EXPECT_EQ(quick.warnings, general.warnings);
}

TEST(EliminatedDynamics, OnlyWhereItWasAskedFor) {
    const Subject s("models/four_bar/model.toml");
    SimulateOptions options;
    options.times = {0, 1};
    options.keep = ConstraintStabilization::baumgarte;
    EXPECT_EQ(simulate(*s.numbers, s.start(), options).statistics.eliminations, 0);
    options.keep = ConstraintStabilization::projection;
    options.solver.method = solve::DescriptorMethod::kkt;
    EXPECT_EQ(simulate(*s.numbers, s.start(), options).statistics.eliminations, 0);
}

}  // namespace
}  // namespace linkwright::motion
