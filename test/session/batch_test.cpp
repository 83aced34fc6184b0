// Many states at once: the numbers of single ones, whatever the threads; and inputs that are functions of time.

#include "linkwright/session/batch.hpp"

#include <atomic>
#include <numeric>
#include <random>

#include "linkwright/program/parallel.hpp"
#include "linkwright/session/evaluate.hpp"
#include "linkwright/session/simulate.hpp"
#include "session/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::session {
namespace {

using test::first_error;
using testing::HasSubstr;

struct Drawn {
    std::vector<double> q, u, w, t;
};

Drawn draw(const BatchFunction& f, std::size_t points) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> at(-1, 1);
    const auto some = [&](std::size_t n) {
        std::vector<double> x(points * n);
        for (double& y : x) y = at(random);
        return x;
    };
    return {some(f.layout().nq), some(f.layout().nu), some(f.layout().nw), some(1)};
}

/// The state as evaluate takes it.
StateWords words(const BatchFunction& f, const Drawn& s, std::size_t i) {
    NamedState state{.t = s.t[i]};
    const Names& n = f.names();
    for (std::size_t k = 0; k < n.coordinates.size(); ++k) state.values.emplace_back(n.coordinates[k], s.q[i * n.coordinates.size() + k]);
    for (std::size_t k = 0; k < n.speeds.size(); ++k) state.values.emplace_back(n.speeds[k], s.u[i * n.speeds.size() + k]);
    for (std::size_t k = 0; k < n.inputs.size(); ++k) state.inputs.emplace_back(n.inputs[k], s.w[i * n.inputs.size() + k]);
    return {.values = state};
}

TEST(Batch, OfATreeIsWhatSingleStatesAre) {
    const auto arm = *open(test::model_path("stanford_arm/model.toml"));
    const auto f = *compile_batch(arm, {.what = {"accelerations", "mass_matrix", "forcing"}});
    const std::size_t points = 777, n = f.layout().nu;
    const Drawn s = draw(f, points);
    std::vector<double> out(points * f.outputs()), again(out.size());
    EXPECT_EQ(f({.points = points, .t = s.t, .q = s.q, .u = s.u, .w = s.w}, out).count, 0U);
    for (const std::size_t i : {0UL, 400UL, 776UL}) {
        const auto at = evaluate(arm, {.state = words(f, s, i)});
        ASSERT_TRUE(at);
        for (std::size_t k = 0; k < n; ++k) {
            const double* row = out.data() + i * f.outputs();
            EXPECT_NEAR(row[f.parts()[0].at + k], at->evaluation.accelerations[k], 1e-9 * at->evaluation.accelerations.norm());
            EXPECT_NEAR(row[f.parts()[1].at + n * k + 1], at->evaluation.dynamics.M(k, 1), 1e-12 * at->evaluation.dynamics.M.norm());
            EXPECT_NEAR(row[f.parts()[2].at + k], at->evaluation.dynamics.f[k], 1e-11 * at->evaluation.dynamics.f.norm());
        }
    }
    f({.points = points, .t = s.t, .q = s.q, .u = s.u, .w = s.w}, again, 5);
    EXPECT_EQ(out, again);
}

TEST(Batch, ReadsPackedStatesAndInputsForAll) {
    const auto crane = *open(project_root() + "/examples/crane.toml", {.set = {"drive=3*t"}});
    const auto f = *compile_batch(crane);
    const std::size_t points = 300;
    Drawn s = draw(f, points);
    for (std::size_t i = 0; i < points; ++i) s.w[i] = 3 * s.t[i];
    std::vector<double> packed;
    for (std::size_t i = 0; i < points; ++i)
        packed.insert(packed.end(), {s.t[i], s.q[2 * i], s.q[2 * i + 1], s.u[2 * i], s.u[2 * i + 1], s.w[i]});
    std::vector<double> a(2 * points), b(a), c(a), d(a), e(a);
    f({.points = points, .t = s.t, .q = s.q, .u = s.u, .w = s.w}, a);
    f({.points = points, .packed = packed}, b);
    f({.points = points, .t = s.t, .q = s.q, .u = s.u}, c);  // the model's own
    EXPECT_EQ(a, b);
    EXPECT_EQ(a, c);
    const std::vector<double> time{2}, push{6};
    f({.points = points, .t = time, .q = s.q, .u = s.u}, d);
    f({.points = points, .q = s.q, .u = s.u, .w = push}, e);
    EXPECT_EQ(d, e);
    EXPECT_NE(a, d);
}

TEST(Batch, OfLoopsSolvesForMultipliers) {
    const auto four_bar = *open(test::model_path("four_bar/model.toml"));
    const auto f = *compile_batch(four_bar, {.what = {"multipliers", "accelerations"}});
    const auto start = *initial_state(four_bar);
    std::vector<double> q(start.q.begin(), start.q.end()), u(start.u.begin(), start.u.end()), out(f.outputs());
    EXPECT_EQ(f({.points = 1, .q = q, .u = u}, out).count, 0U);
    const auto at = evaluate(four_bar);
    ASSERT_EQ(f.parts()[0].name, "multipliers");
    for (const BatchPart& part : f.parts()) {
        const Eigen::VectorXd& expected = part.name == "multipliers" ? at->evaluation.multipliers : at->evaluation.accelerations;
        for (std::size_t k = 0; k < part.size(); ++k)
            EXPECT_NEAR(out[part.at + k], expected[static_cast<Eigen::Index>(k)], 1e-8 * (1 + expected.norm())) << part.name << k;
    }
}

/// All the way round, through states where the pivots of the start are not good; and where redundant rows leave it to the general solver.
TEST(Batch, OfLoopsHoldsEverywhere) {
    for (const auto& [name, until] :
         {std::pair{"four_bar", 1.0}, std::pair{"stewart_platform", 0.3}, std::pair{"andrews_squeezer", 0.03}, std::pair{"bennett", 1.0}}) {
        SCOPED_TRACE(name);
        const auto s = *open(test::model_path(std::string(name) + "/model.toml"));
        const auto f = *compile_batch(s, {.what = {"accelerations", "multipliers"}});
        const auto motion = *simulate(s, {.rows = {.until = until, .samples = 60}});
        const std::size_t nq = f.names().coordinates.size(), nu = f.names().speeds.size(), nw = f.names().inputs.size();
        Drawn states;
        for (const auto& row : motion.motion.rows) {
            states.t.push_back(row[0]);
            states.q.insert(states.q.end(), row.data() + 1, row.data() + 1 + nq);
            states.u.insert(states.u.end(), row.data() + 1 + nq, row.data() + 1 + nq + nu);
        }
        const std::size_t points = states.t.size();
        states.w.assign(points * nw, 3);
        std::vector<double> out(points * f.outputs());
        EXPECT_EQ(f({.points = points, .t = states.t, .q = states.q, .u = states.u, .w = states.w}, out).count, 0U);
        for (std::size_t p = 0; p < points; ++p) {
            const auto one = evaluate(s, {.state = words(f, states, p)});
            ASSERT_TRUE(one.value) << p;
            for (const BatchPart& part : f.parts()) {
                const Eigen::VectorXd& expected = part.name == "multipliers" ? one->evaluation.multipliers : one->evaluation.accelerations;
                for (std::size_t k = 0; k < part.size(); ++k)
                    EXPECT_NEAR(out[p * f.outputs() + part.at + k], expected[static_cast<Eigen::Index>(k)], 1e-8 * (1 + expected.norm()))
                        << part.name << k << " of state " << p;
            }
        }
    }
}

TEST(Batch, TellsWhichStatesHaveNoAccelerations) {
    const auto four_bar = *open(test::model_path("four_bar/model.toml"));
    const auto f = *compile_batch(four_bar);
    const auto start = *initial_state(four_bar);
    std::vector<double> q, u;
    for (int i = 0; i < 500; ++i) {
        q.insert(q.end(), start.q.begin(), start.q.end());
        u.insert(u.end(), start.u.begin(), start.u.end());
    }
    const std::size_t n = start.q.size();
    for (const std::size_t bad : {300UL, 450UL}) q[bad * n] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> out(500 * f.outputs());
    const BatchFailures failures = f({.points = 500, .q = q, .u = u}, out, 4);
    EXPECT_EQ(failures.count, 2U);
    EXPECT_EQ(failures.first, 300U);
    EXPECT_FALSE(failures.why.empty());
    EXPECT_TRUE(std::isnan(out[300 * f.outputs()]));
    EXPECT_TRUE(std::isfinite(out[301 * f.outputs()]));
}

TEST(Batch, RefusesWhatMakesNoSense) {
    const auto p = test::pendulum();
    EXPECT_THAT(first_error(compile_batch(p, {.what = {"acceleration"}})), HasSubstr("acceleration"));
    EXPECT_EQ(compile_batch(p, {.what = {}}).status, Status::wrong_input);
    EXPECT_EQ(compile_batch(p, {.what = {"energy", "energy"}}).status, Status::wrong_input);
    const auto f = *compile_batch(p);
    std::vector<double> one(1), two(2);
    EXPECT_THROW(f({.points = 1, .q = two, .u = one}, one), std::invalid_argument);
    EXPECT_THROW(f({.points = 1, .q = one, .u = one}, two), std::invalid_argument);
    EXPECT_THROW(f({.points = 1, .packed = two}, one), std::invalid_argument);
}

TEST(Parts, CoverEverythingOnce) {
    for (const std::size_t points : {0UL, 1UL, 128UL, 129UL, 5000UL}) {
        std::vector<std::atomic<int>> seen(points);
        program::run_in_parts(
            points,
            [&](std::size_t from, std::size_t to) {
                for (std::size_t i = from; i < to; ++i) ++seen[i];
            },
            4);
        for (const auto& count : seen) EXPECT_EQ(count, 1);
    }
}

TEST(Simulate, IsDrivenByFunctionsOfTime) {
    const std::string path = project_root() + "/examples/crane.toml";
    const auto written = *simulate(*open(path, {.set = {"drive=50*sin(2*t)"}}), {.rows = {.until = 3}});
    const auto push = [](double t) { return 50 * std::sin(2 * t); };
    const auto driven = *simulate(*open(path), {.rows = {.until = 3}, .drive = {{"drive", push}}});
    EXPECT_NEAR(written.motion.rows.back()[1], driven.motion.rows.back()[1], 1e-6);
    EXPECT_GT(std::abs(driven.motion.rows.back()[1]), 0.1);
    const auto wrong = simulate(*open(path), {.rows = {.until = 3}, .drive = {{"drve", push}}});
    EXPECT_THAT(first_error(wrong), HasSubstr("drve"));
    EXPECT_EQ(simulate(*open(path), {.rows = {.until = 3}, .drive = {{"drive", push}, {"drive", push}}}).status, Status::wrong_input);
    EXPECT_EQ(simulate(*open(path), {.rows = {.until = 3}, .inputs = "x.csv", .drive = {{"drive", push}}}).status, Status::wrong_input);
}

}  // namespace
}  // namespace linkwright::session
