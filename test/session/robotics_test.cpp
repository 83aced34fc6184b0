// Quantities on request, in numbers: Jacobians against differences of positions, what a mechanism weighs at a tool, what is refused.

#include <Eigen/Core>

#include "linkwright/eom/operational_inertia.hpp"
#include "linkwright/linkwright.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "session/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright::session {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::first_error;
using testing::HasSubstr;

Session example(const std::string& path) {
    auto session = open(project_root() + "/" + path);
    if (!session) throw std::runtime_error(to_string(session.problems));
    return *session;
}

EvaluatedState at(const Session& session, const StateWords& state, std::vector<std::string> also, std::vector<std::string> frames = {}) {
    auto r = evaluate(session, {.state = state, .quantities = {.also = std::move(also), .frames = std::move(frames)}});
    if (!r) throw std::runtime_error(to_string(r.problems));
    return *std::move(r);
}

StateWords words(const EvaluatedState& r, double dt) {  // the state a moment later
    NamedState s{.t = r.state.t + dt};
    for (std::size_t i = 0; i < r.names.coordinates.size(); ++i)
        s.values.emplace_back(r.names.coordinates[i], r.state.q[i] + dt * r.evaluation.coordinate_rates[i]);
    for (std::size_t i = 0; i < r.names.speeds.size(); ++i) s.values.emplace_back(r.names.speeds[i], r.state.u[i]);
    return {.values = s};
}

TEST(Robotics, JacobiansAreDifferencesOfPositions) {
    const Session arm = example("models/stanford_arm/model.toml");
    EvaluatedState start = at(arm, {}, {"J"}, {"grip"});
    NamedState moving;
    for (std::size_t i = 0; i < start.names.coordinates.size(); ++i)
        moving.values.emplace_back(start.names.coordinates[i], start.state.q[i] + 0.1 * static_cast<double>(i + 1));
    for (std::size_t i = 0; i < start.names.speeds.size(); ++i) moving.values.emplace_back(start.names.speeds[i], 0.3 * (i + 1.0) - 1);
    const EvaluatedState here = at(arm, {.values = moving}, {"J"}, {"grip"});
    constexpr double h = 1e-5;
    const EvaluatedState before = at(arm, words(here, -h), {"J"}, {"grip"}), after = at(arm, words(here, h), {"J"}, {"grip"});
    const EvaluatedFrame& frame = here.quantities.frames.at(0);
    const VectorXd v = frame.J * here.state.u;
    std::size_t first = 0;
    while (here.names.outputs[first] != "grip.x") ++first;
    for (Eigen::Index k = 0; k < 3; ++k) {
        const Eigen::Index i = static_cast<Eigen::Index>(first) + k;
        EXPECT_NEAR((after.evaluation.outputs[i] - before.evaluation.outputs[i]) / (2 * h), v[k], 1e-7);
    }
    const MatrixXd rate = (after.quantities.frames[0].J - before.quantities.frames[0].J) / (2 * h);
    EXPECT_LT((rate - frame.Jdot).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_LT((frame.Jdot * here.state.u - frame.bias).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Robotics, AForceAtATreesToolAcceleratesItByTheInverseOfItsInertia) {
    const EvaluatedState r = at(example("examples/two_links.toml"), {}, {"J", "C", "g"});
    const EvaluatedFrame& tip = r.quantities.frames.at(0);
    EXPECT_THAT(tip.moved, testing::ElementsAre(0U, 1U));  // vz of a planar arm vanishes
    const MatrixXd J = tip.J.topRows(2), &M = r.evaluation.dynamics.M;
    EXPECT_LT((J.transpose() * tip.inertia * J - M).cwiseAbs().maxCoeff(), 1e-12);  // J is square: Λ = J⁻ᵀ M J⁻¹
    const VectorXd f = -r.quantities.C * r.state.u - r.quantities.g;
    EXPECT_NEAR(f[0], r.evaluation.dynamics.f[0], 1e-12);
    EXPECT_NEAR(f[1] - 0.2 * r.state.u[1], r.evaluation.dynamics.f[1], 1e-12);  // friction
}

TEST(Robotics, AClosedChainWeighsWhatItsKineticEnergySays) {
    const Session chain = example("models/lee_parallelogram/model.toml");
    const EvaluatedState r = at(chain, {}, {"J"});
    ASSERT_FALSE(r.quantities.frames.empty());
    std::size_t found = 0;
    for (const EvaluatedFrame& frame : r.quantities.frames) {
        if (frame.inertia.size() == 0) continue;
        ++found;
        ASSERT_EQ(frame.inertia.rows(), 2);  // two freedoms, two directions: the frame's velocity tells the whole motion
        const solve::DescriptorSolution s =
            solve::solve_descriptor(r.evaluation.dynamics.M, VectorXd::Ones(frame.J.cols()), r.evaluation.dynamics.G,
                                    VectorXd::Zero(r.evaluation.dynamics.G.rows()));
        const VectorXd v = frame.J.topRows(2) * s.udot;  // of a motion that the constraints allow
        EXPECT_NEAR(v.dot(frame.inertia * v), s.udot.dot(r.evaluation.dynamics.M * s.udot), 1e-10 * v.dot(frame.inertia * v));
    }
    EXPECT_GT(found, 0U);
}

/// Λ as formula, in the interpreter and in native code, is Λ as `evaluate` finds it in numbers.
TEST(Robotics, InertiaAsFormulaIsInertiaInNumbers) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> cases{{"examples/two_links.toml", {"tip", "upper.elbow"}},
                                                                              {"models/stanford_arm/model.toml", {"hand"}},
                                                                              {"models/satellite/model.toml", {"bus", "arm2.com"}},
                                                                              {"models/motor_driven_arm/model.toml", {}},
                                                                              {"models/flexible_spatial_arm/model.toml", {}}};
    std::size_t weighed = 0;
    for (const auto& [path, frames] : cases) {
        const Session session = example(path);
        const EvaluatedState there = at(session, {}, {"Lambda"}, frames);
        const auto equations = session.equations("kane", {.all_frames = frames.empty(), .frames = frames});
        ASSERT_TRUE(equations) << to_string(equations.problems);
        Report report;
        for (const bool is_native : {false, true}) {
            const numeric::CompiledEquations numbers(**equations, is_native ? native_code(report) : numeric::interpret);
            for (std::size_t k = 0; k < there.quantities.frames.size(); ++k) {
                const EvaluatedFrame& frame = there.quantities.frames[k];
                const eom::OperationalInertia weight = eom::operational_inertia(**equations, (**equations).jacobians[k]);
                EXPECT_EQ(weight.moved, frame.moved) << frame.name;
                if (weight.inertia.empty()) {
                    EXPECT_EQ(frame.inertia.size(), 0) << path << " " << frame.name << ": " << weight.why_none;
                    continue;
                }
                if (frame.inertia.size() == 0) continue;  // singular here
                const VectorXd ours = numbers.compile(sym::flat(weight.inertia))(there.state),
                               pivots = numbers.compile(weight.pivots)(there.state);
                const VectorXd theirs = frame.inertia.reshaped();
                EXPECT_LT((ours - theirs).norm(), 1e-8 * theirs.norm()) << path << " " << frame.name;
                const eom::OperationalInertia to_read = eom::readable_inertia(**equations, (**equations).jacobians[k]);
                EXPECT_LT((numbers.compile(sym::flat(to_read.inertia))(there.state) - theirs).norm(), 1e-8 * theirs.norm()) << path;
                EXPECT_GT(pivots.minCoeff(), 1e-10);
                EXPECT_LE(pivots.maxCoeff(), 1 + 1e-12);
                ++weighed;
            }
        }
    }
    EXPECT_GE(weighed, 10U);
}

/// Of two links J is square, Λ = J⁻ᵀ M J⁻¹ with det J = l a sin q2.
TEST(Robotics, InertiaIsWrittenAsAFormula) {
    const Session arm = example("examples/two_links.toml");
    const auto page = derive(arm, {.only = {"Lambda"}});
    ASSERT_TRUE(page) << to_string(page.problems);
    EXPECT_THAT(*page, HasSubstr("Lambda = (J M^-1 J^T)^-1"));
    EXPECT_THAT(*page, HasSubstr("Rows and columns vx, vy."));
    EXPECT_THAT(*page, HasSubstr("/(2*l^2*a^2*sin(q2)^2)"));
    EXPECT_THAT(*page, testing::Not(HasSubstr("too large")));
    const auto none = derive(arm, {.only = {"Lambda"}, .frames = {"lower.tip"}});
    ASSERT_TRUE(none);
    EXPECT_THAT(*none, HasSubstr("There is none: 3 directions and 2 speeds"));
    const auto chain = derive(example("models/four_bar/model.toml"), {.only = {"Lambda"}, .frames = {"coupler"}});
    ASSERT_TRUE(chain) << to_string(chain.problems);
    EXPECT_THAT(*chain, HasSubstr("There is none: the mechanism has closed"));
}

TEST(Robotics, NoInertiaHasAReason) {
    const Session arm = example("examples/two_links.toml");
    const EvaluatedState stretched = at(arm, {.values = NamedState{.values = {{"q1", 0.3}, {"q2", 0}}}}, {"J"});
    EXPECT_EQ(stretched.quantities.frames[0].inertia.size(), 0);
    EXPECT_THAT(stretched.quantities.frames[0].why_no_inertia,
                HasSubstr("cannot be moved in all of these directions at this state, not along vy"));
    const EvaluatedState pose = at(arm, {}, {"J"}, {"lower.tip"});
    EXPECT_THAT(pose.quantities.frames[0].why_no_inertia, HasSubstr("3 directions and 2 speeds"));
    const Json j = to_json(pose);
    EXPECT_TRUE(j["jacobians"][0]["inertia"].is_null());
    EXPECT_FALSE(j.contains("velocity_matrix"));
}

TEST(Robotics, NonsenseIsTold) {
    const Session arm = example("examples/two_links.toml");
    const auto error = [&](const Quantities& quantities) {
        const auto r = evaluate(arm, {.quantities = quantities});
        EXPECT_EQ(r.status, Status::wrong_input);
        return first_error(r);
    };
    EXPECT_EQ(error({.also = {"K"}}), "--also: unknown quantity 'K'");
    EXPECT_EQ(error({.also = {"C"}, .frames = {"tip"}}), "--frame is for Jacobians and operational-space inertia");
    EXPECT_EQ(error({.also = {"J"}, .frames = {"tap"}}), "there is no frame 'tap'");
    EXPECT_THAT(first_error(derive(arm, {.frames = {"tip"}})), HasSubstr("--frame is for Jacobians"));
    EXPECT_THAT(first_error(evaluate(test::pendulum(), {.quantities = {.also = {"J"}}})), HasSubstr("no frame is given"));
}

}  // namespace
}  // namespace linkwright::session
