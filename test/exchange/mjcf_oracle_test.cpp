// MJCF files against what MuJoCo made of them: bench/mjcf_oracle.cpp printed the numbers beside the models.
//
// The rates of a free joint are v along the axes of the world and ω along those of the body in MuJoCo, and ω, v along those of the body here: ũ = T u. With
// M̃ of MuJoCo, its bias c̃ and its other forces τ̃: M = Tᵀ M̃ T and f = Tᵀ(τ̃ − c̃ − M̃ Ṫ u), where Ṫ u = R (ω × v).

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "linkwright/exchange/formats.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/topology/topology.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Json = nlohmann::json;

const std::string folder = project_root() + "/test/exchange/mjcf/";

VectorXd vector(const Json& j) {
    const auto all = j.get<std::vector<double>>();
    return Eigen::Map<const VectorXd>(all.data(), static_cast<Index>(all.size()));
}

MatrixXd matrix(const Json& j, Index columns) {
    MatrixXd m(static_cast<Index>(j.size()), columns);
    for (Index i = 0; i < m.rows(); ++i) m.row(i) = vector(j[static_cast<std::size_t>(i)]).transpose();
    return m;
}

/// Values by name, and indices of names.
using Values = std::map<std::string, double>;

template <class Symbols>
VectorXd pick(const Symbols& symbols, const Values& values) {
    VectorXd v = VectorXd::Zero(static_cast<Index>(symbols.size()));
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        const auto place = values.find(symbols[i].symbol().name);
        if (place != values.end()) v[static_cast<Index>(i)] = place->second;
    }
    return v;
}

struct Subject {
    explicit Subject(const std::string& name, std::string_view how = "kane") {
        std::ifstream file(folder + name + ".json");
        oracle = Json::parse(file);
        translation = exchange::translate_file(folder + name + ".xml");
        model::Reading reading = exchange::read(translation);
        for (const Diagnostic& d : reading.problems) EXPECT_NE(d.severity, Diagnostic::Severity::error) << to_string(d);
        if (!reading.model) return;
        model = std::make_unique<model::Model>(std::move(*reading.model));
        for (const model::Joint& joint : model->joints)
            if (!joint.cut && joint.type != model::JointType::weld) joints.push_back(&joint);
        const auto topology = topology::analyse(*model).topology.value();
        equations = formulation::find_formulation(how)->derive(*model, topology, {}).equations.value();
        numbers = std::make_unique<numeric::CompiledEquations>(equations);
        for (std::size_t i = 0; i < equations.u.size(); ++i) speeds[equations.u[i].symbol().name] = static_cast<Index>(i);
    }

    /// Names of a joint's values, in the order of the model.
    static std::string name(const sym::Expr& symbol) { return symbol.symbol().name; }

    /// The state of MuJoCo in our coordinates, and T with Ṫ u.
    struct Mapped {
        numeric::State state;
        MatrixXd T;
        VectorXd Tdot_u;
    };
    Mapped map(const Json& at) const {
        const VectorXd qpos = vector(at["qpos"]), qvel = vector(at["qvel"]), ctrl = vector(at["ctrl"]), act = vector(at["act"]);
        Values q, u;
        Mapped m{numbers->zero_state(), MatrixXd::Zero(qvel.size(), static_cast<Index>(equations.u.size())), VectorXd::Zero(qvel.size())};
        for (std::size_t j = 0; j < joints.size(); ++j) {
            const Json& theirs = oracle["joints"][j];
            const model::Joint& ours = *joints[j];
            const Index a = theirs["qpos"].get<Index>(), d = theirs["dof"].get<Index>();
            const std::string type = theirs["type"];
            if (type != "free") {
                for (std::size_t i = 0; i < ours.coordinates.size(); ++i) q[name(ours.coordinates[i])] = qpos[a + static_cast<Index>(i)];
                for (std::size_t i = 0; i < ours.speeds.size(); ++i) {
                    u[name(ours.speeds[i])] = qvel[d + static_cast<Index>(i)];
                    m.T(d + static_cast<Index>(i), speeds.at(name(ours.speeds[i]))) = 1;
                }
                continue;
            }
            for (std::size_t i = 0; i < 7; ++i) q[name(ours.coordinates[i])] = qpos[a + static_cast<Index>(i)];
            const Eigen::Matrix3d R = Quaterniond(qpos[a + 3], qpos[a + 4], qpos[a + 5], qpos[a + 6]).toRotationMatrix();
            const Vector3d w = qvel.segment<3>(d + 3), v = R.transpose() * qvel.segment<3>(d);
            for (Index i = 0; i < 3; ++i) {
                u[name(ours.speeds[static_cast<std::size_t>(i)])] = w[i];
                u[name(ours.speeds[static_cast<std::size_t>(i + 3)])] = v[i];
                m.T(d + 3 + i, speeds.at(name(ours.speeds[static_cast<std::size_t>(i)]))) = 1;
                for (Index k = 0; k < 3; ++k) m.T(d + k, speeds.at(name(ours.speeds[static_cast<std::size_t>(i + 3)]))) = R(k, i);
            }
            m.Tdot_u.segment<3>(d) = R * w.cross(v);
        }
        m.state.q = pick(equations.q, q);
        m.state.u = pick(equations.u, u);
        for (std::size_t i = 0; i < equations.inputs.size(); ++i) m.state.w[static_cast<Index>(i)] = ctrl[static_cast<Index>(i)];
        if (act.size() > 0) m.state.x = act;
        return m;
    }

    Json oracle;
    exchange::Translation translation;
    std::unique_ptr<model::Model> model;
    std::vector<const model::Joint*> joints;  ///< that move, of the tree
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;
    std::map<std::string, Index> speeds;
};

double gap(const MatrixXd& a, const MatrixXd& b) {
    if (a.rows() != b.rows() || a.cols() != b.cols()) return 1e300;
    return a.size() == 0 ? 0 : (a - b).cwiseAbs().maxCoeff() / (1 + b.cwiseAbs().maxCoeff());
}

class Mujoco : public ::testing::TestWithParam<const char*> {};

TEST_P(Mujoco, MassMatrixAndForces) {
    const Subject subject(GetParam());
    ASSERT_TRUE(subject.model);
    ASSERT_EQ(subject.joints.size(), subject.oracle["joints"].size());
    ASSERT_EQ(subject.equations.inputs.size(), subject.oracle["actuators"].size());
    ASSERT_EQ(subject.oracle["states"].size(), 3);
    for (const Json& at : subject.oracle["states"]) {
        const auto [state, T, Tdot_u] = subject.map(at);
        const numeric::Dynamics ours = subject.numbers->dynamics(state);
        const MatrixXd M = matrix(at["M"], T.rows());
        EXPECT_LT(gap(ours.M, T.transpose() * M * T), 1e-10);
        const VectorXd force = vector(at["passive"]) + vector(at["actuator"]) - vector(at["bias"]);
        EXPECT_LT(gap(ours.f, T.transpose() * (force - M * Tdot_u)), 1e-10);
    }
}

// At states that MuJoCo closed ours are closed too, and what its rows allow ours allow.
TEST_P(Mujoco, Constraints) {
    const Subject subject(GetParam());
    ASSERT_TRUE(subject.model);
    for (const Json& at : subject.oracle["states"]) {
        const auto [state, T, unused] = subject.map(at);
        const MatrixXd J = matrix(at["J"], T.rows()) * T;
        const numeric::Dynamics ours = subject.numbers->dynamics(state);
        if (J.rows() == 0) {
            EXPECT_EQ(ours.G.rows(), 0);
            continue;
        }
        EXPECT_LT(subject.numbers->residuals(state).position(), 1e-10);
        EXPECT_LT(subject.numbers->residuals(state).velocity(), 1e-10);
        const auto rank = [](const MatrixXd& A) {
            Eigen::ColPivHouseholderQR<MatrixXd> factored(A);
            factored.setThreshold(1e-9);
            return factored.rank();
        };
        MatrixXd both(J.rows() + ours.G.rows(), J.cols());
        both << J, ours.G;
        EXPECT_EQ(rank(J), rank(ours.G));
        EXPECT_EQ(rank(both), rank(J));
    }
}

// The keyframe, or else what the file shows, is where it starts.
TEST_P(Mujoco, Start) {
    const Subject subject(GetParam());
    ASSERT_TRUE(subject.model);
    const VectorXd start = vector(subject.oracle.contains("key") ? subject.oracle["key"] : subject.oracle["qpos0"]);
    Values given;
    for (const auto* list : {&subject.model->initial, &subject.model->guess})
        for (const auto& value : *list) given[Subject::name(value.symbol)] = subject.numbers->constant(value.value);
    for (std::size_t j = 0; j < subject.joints.size(); ++j) {
        const auto& coordinates = subject.joints[j]->coordinates;
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const std::string name = Subject::name(coordinates[i]);
            const double otherwise = name.ends_with(".e0") ? 1 : 0;
            const double ours = given.contains(name) ? given[name] : otherwise;
            EXPECT_NEAR(ours, start[subject.oracle["joints"][j]["qpos"].get<Index>() + static_cast<Index>(i)], 1e-12) << name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, Mujoco,
                         ::testing::Values("arm2", "panda_like", "quadruped", "humanoid", "hand", "linkage", "servos", "scene", "meshes",
                                           "global", "spring_dampers"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace linkwright
