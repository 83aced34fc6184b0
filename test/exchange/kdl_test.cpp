// Robots against KDL with its own reader of URDF: robots/*.json are what bench/kdl_oracle printed.

#include <nlohmann/json.hpp>

#include "subject.hpp"

namespace linkwright::exchange {
namespace {

using Json = nlohmann::json;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Outputs for the pose of every link that KDL has.
std::string pose_outputs(const Json& oracle) {
    std::string text;
    for (const auto& [link, pose] : oracle["states"][0]["poses"].items()) {
        if (link == "world") continue;
        text += "\n[[output]]\nname = \"at_" + link + "\"\nposition = \"" + link + "\"\n[[output]]\nname = \"axes_" + link +
                "\"\norientation = \"" + link + "\"\n";
    }
    return text;
}

class Kdl : public testing::TestWithParam<const char*> {};

TEST_P(Kdl, FindsTheSameMassesForcesAndPoses) {
    const std::string name = GetParam();
    const Json oracle = Json::parse(bytes_of(path_of(name + ".json")));
    const Subject robot(translate_file(path_of(name + ".urdf")), pose_outputs(oracle));
    ASSERT_TRUE(robot.numbers);
    const std::vector<std::string> speeds = robot.speeds();
    std::vector<Index> at;  // where KDL's joints are among ours
    std::vector<double> damping;
    for (const Json& joint : oracle["joints"]) {
        const auto found = std::ranges::find(speeds, joint.get<std::string>() + "'");
        ASSERT_NE(found, speeds.end()) << joint;
        at.push_back(found - speeds.begin());
        const auto own = std::ranges::find(robot.model->joints, joint.get<std::string>(), &model::Joint::name);
        damping.push_back(own->forces.empty() ? 0 : own->forces[0].damping.number().to_double());
    }
    const auto n = static_cast<Index>(at.size());
    for (const Json& state : oracle["states"]) {
        numeric::State s = robot.numbers->zero_state();
        const std::vector<std::string> coordinates = robot.coordinates();
        for (Index i = 0; i < n; ++i) {
            const std::string joint = oracle["joints"][i];
            s.q[std::ranges::find(coordinates, joint) - coordinates.begin()] = state["q"][i];
            s.u[at[i]] = state["u"][i];
        }
        const numeric::Dynamics moving = robot.numbers->dynamics(s);
        numeric::State rest = s;
        rest.u.setZero();
        const VectorXd f_rest = robot.numbers->dynamics(rest).f;
        for (Index i = 0; i < n; ++i) {
            for (Index j = 0; j < n; ++j) EXPECT_NEAR(moving.M(at[i], at[j]), state["M"][i][j].get<double>(), 1e-9) << i << " " << j;
            EXPECT_NEAR(-f_rest[at[i]], state["gravity"][i].get<double>(), 1e-9);
            EXPECT_NEAR(f_rest[at[i]] - moving.f[at[i]] - damping[i] * s.u[at[i]], state["bias"][i].get<double>(), 1e-9);
        }
        const VectorXd none = VectorXd::Zero(s.u.size()), held = VectorXd::Zero(moving.G.rows());
        const VectorXd outputs = robot.numbers->outputs(s, none, held);
        const auto output = [&](const std::string& of) {
            const auto& all = robot.equations.outputs;
            return outputs[std::ranges::find(all, of, &eom::Output::name) - all.begin()];
        };
        for (const auto& [link, pose] : state["poses"].items()) {
            if (link == "world") continue;
            std::size_t k = 0;
            for (const char a : std::string("xyz")) EXPECT_NEAR(output("at_" + link + "." + a), pose[k++].get<double>(), 1e-9) << link;
            for (const char a : std::string("xyz")) {
                for (const char b : std::string("xyz"))
                    EXPECT_NEAR(output("axes_" + link + "." + a + b), pose[k++].get<double>(), 1e-9) << link;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Robots, Kdl,
                         testing::Values("arm7", "humanoid", "gripper", "quadruped", "quadruped_carried", "parallel_gripper", "cart"));

}  // namespace
}  // namespace linkwright::exchange
