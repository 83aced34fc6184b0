// Base parameters: as many as the equations of another formulation have independent derivatives, and all that these depend on.

#include "linkwright/formulation/recursive/base_parameters.hpp"

#include <gmock/gmock.h>

#include <Eigen/Dense>

#include "agree/subject.hpp"
#include "linkwright/model/build.hpp"
#include "support/beams.hpp"
#include "support/project_root.hpp"
#include "support/random_model.hpp"

namespace linkwright::agree {
namespace {

using formulation::recursive::base_parameters;

/// Every body that has a mass gets ten parameters of its own, and every drive one, whatever they were.
std::vector<std::string> make_generic(model::Model& m, std::uint64_t seed) {
    const sym::PoolScope scope(*m.pool);
    laws::Random random(seed);
    std::vector<std::string> names;
    for (std::size_t b = 1; b < m.bodies.size(); ++b) {
        model::Body& body = m.bodies[b];
        bool is_massless = body.mass.is_literally(0);
        for (const auto& row : body.inertia.e) {
            for (const Expr& x : row) is_massless = is_massless && x.is_literally(0);
        }
        if (is_massless) continue;
        const auto name = [&](Expr& x, double from, double to) {
            names.push_back("p" + std::to_string(names.size() + 1) + "_of_body");
            x = model::parameter(m, names.back(), Expr(random.real(from, to)));
        };
        name(body.mass, 1, 2);
        for (Expr& x : body.com.e) name(x, 0.1, 0.6);
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = i; j < 3; ++j) {
                name(body.inertia[i][j], i == j ? 1 : 0.1, i == j ? 1.5 : 0.2);
                body.inertia[j][i] = body.inertia[i][j];
            }
        }
    }
    for (model::Joint& joint : m.joints) {
        for (Expr& x : joint.armature) {
            names.push_back("p" + std::to_string(names.size() + 1) + "_of_drive");
            x = model::parameter(m, names.back(), Expr(random.real(0.5, 1)));
        }
    }
    return names;
}

/// Derivatives of `roots`, at most quadratic in each name: central differences are exact, but for rounding.
Eigen::MatrixXd jacobian(std::span<const Expr> roots, const std::vector<std::string>& names, const Values& v) {
    const auto at = [&](const Values& values) {
        const std::vector<double> x = sym::evaluate<double>(roots, [&](const Expr& s) { return values.at(s.symbol().name); });
        return Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    Eigen::MatrixXd J(roots.size(), names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
        Values up = v, down = v;
        up[names[k]] += 0.5, down[names[k]] -= 0.5;
        J.col(k) = at(up) - at(down);
    }
    return J;
}

Eigen::Index rank(Eigen::MatrixXd A) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
        if (const double n = A.row(i).norm(); n > 1e-9) A.row(i) /= n;
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(A);
    qr.setThreshold(1e-9);
    return qr.rank();
}

void expect_minimal(model::Model m, std::uint64_t seed) {
    const std::vector<std::string> names = make_generic(m, seed);
    const auto base = base_parameters(m);
    EXPECT_EQ(base.zeros, 0u);
    EXPECT_EQ(base.standard, names.size());
    const Subject s(std::move(m));
    const EquationsOfMotion& e = s.kane;
    const sym::PoolScope scope(*e.pool);
    std::vector<Expr> residual = e.f;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        residual[i] = -residual[i];
        for (std::size_t j = 0; j < e.u.size(); ++j) residual[i] += e.M[i][j] * e.udot[j];
    }
    const model::ParameterValues parameters(s.model);
    const auto values = [&](std::uint64_t state) {
        Values v = s.random_values(state);
        for (const model::Parameter& p : s.model.parameters) v[p.symbol.symbol().name] = parameters(p.symbol);
        return v;
    };
    const std::size_t states = 2 * names.size() / residual.size() + 3;
    Eigen::MatrixXd Y(residual.size() * states, names.size());
    for (std::size_t k = 0; k < states; ++k) {
        const auto rows = static_cast<Eigen::Index>(residual.size());
        Y.middleRows(static_cast<Eigen::Index>(k) * rows, rows) = jacobian(residual, names, values(k + 1));
    }
    // as many, and nothing else: the regressor adds no direction to their gradients
    EXPECT_EQ(static_cast<Eigen::Index>(base.all.size()), rank(Y));
    std::vector<Expr> definitions;
    for (const auto& p : base.all) definitions.push_back(p.definition);
    const Eigen::MatrixXd B = jacobian(definitions, names, values(1));
    EXPECT_EQ(rank(B), B.rows());
    Eigen::MatrixXd both(Y.rows() + B.rows(), Y.cols());
    both << Y, B;
    EXPECT_EQ(rank(both), B.rows());
    // a number without effect is one whose column is nothing
    for (std::size_t k = 0; k < names.size(); ++k) {
        const bool is_idle = Y.col(k).norm() < 1e-9 * Y.norm();
        EXPECT_EQ(is_idle, std::ranges::find(base.without_effect, names[k]) != base.without_effect.end()) << names[k];
    }
}

/// Three to five bodies, joints of every type between frames of numbers.
model::Model random_tree_of_joints(std::uint64_t seed) {
    using model::JointType;
    laws::Random random(seed);
    model::Model m = model::empty_model("random");
    const sym::PoolScope scope(*m.pool);
    m.gravity = random.below(3) == 0 ? spatial::Vec3{{0, 0, -9}} : random.vector(9);
    static constexpr std::array types{JointType::revolute,  JointType::prismatic, JointType::screw,    JointType::cylindrical,
                                      JointType::universal, JointType::planar,    JointType::gimbal,   JointType::spherical,
                                      JointType::free,      JointType::weld,      JointType::revolute, JointType::revolute};
    const std::size_t n = 3 + random.below(3);
    for (std::size_t b = 1; b <= n; ++b) {
        model::BodyOptions body{.mass = 1, .inertia = random.inertia(), .com = random.vector(0.4)};
        const model::BodyIndex outer = model::body(m, "b" + std::to_string(b), body),
                               inner = random.below(3) == 0 ? random.below(outer) : outer - 1;
        const JointType type = types[random.below(types.size())];
        model::JointOptions joint{.parent_at = random.vector(0.5), .child_at = random.vector(0.5)};
        if (type == JointType::universal)
            joint.axes = random.orthogonal(2);
        else if (type == JointType::gimbal)
            joint.axes = random.orthogonal(3);
        else if (type != JointType::spherical && type != JointType::free && type != JointType::weld)
            joint.axes = {spatial::unit(random.below(3))};
        if (type == JointType::screw) joint.pitch = random.number(0.1, 0.5);
        const bool is_reversed = random.below(3) == 0;
        model::joint(m, type, "j" + std::to_string(b), is_reversed ? outer : inner, is_reversed ? inner : outer, joint);
    }
    return m;
}

class BaseParametersOf : public ::testing::TestWithParam<std::filesystem::path> {};
TEST_P(BaseParametersOf, AreTheRankOfTheRegressor) {
    model::Model m = read(GetParam());
    if (!m.motions.empty() || !m.joint_motions.empty() || !m.speeds.empty()) GTEST_SKIP() << "its equations are not those of the tree";
    if (m.bodies.size() > 10) GTEST_SKIP() << "long";
    expect_minimal(std::move(m), 1);
}
INSTANTIATE_TEST_SUITE_P(Zoo, BaseParametersOf, ::testing::ValuesIn(without_beams(files("/models"))),
                         [](const auto& p) { return p.param.parent_path().filename().string() + "_" + p.param.stem().string(); });
INSTANTIATE_TEST_SUITE_P(Bench, BaseParametersOf, ::testing::ValuesIn(files("/bench/models")),
                         [](const auto& p) { return p.param.parent_path().filename().string(); });

/// Trees at random: every joint, either way round, massless links, frames of every kind.
class BaseParametersAtRandom : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(BaseParametersAtRandom, AreTheRankOfTheRegressor) { expect_minimal(random_tree_of_joints(GetParam()), GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, BaseParametersAtRandom, ::testing::Range<std::uint64_t>(0, 25));

TEST_P(BaseParametersAtRandom, HaveDrives) {
    model::Model m = random_tree_of_joints(GetParam());
    for (std::size_t j = GetParam() % 2; j < m.joints.size(); j += 2) m.joints[j].armature.assign(m.joints[j].speeds.size(), 1);
    expect_minimal(std::move(m), GetParam());
}

/// What the literature has for the PUMA's arm.
TEST(BaseParameters, OfThePumaAreThirtySix) {
    const auto base = base_parameters(read(project_root() + "/bench/models/puma6/model.toml"));
    EXPECT_EQ(base.all.size() + base.zeros, 36u);
    EXPECT_EQ(base.standard, 60u);
    EXPECT_THAT(base.without_effect, ::testing::ElementsAre("b1.com.z", "b1.inertia.xx", "b1.inertia.yy"));
    EXPECT_THAT(base.zeros_without_effect, ::testing::ElementsAre("b1.inertia.xy", "b1.inertia.xz", "b1.inertia.yz"));
}

}  // namespace
}  // namespace linkwright::agree
