// The parallel link mechanism of Lee: the motions that its loop allows, and motions by every way to keep it closed.

#include <numbers>

#include "linkwright/model/values.hpp"
#include "linkwright/solve/dense.hpp"
#include "linkwright/solve/eigen.hpp"
#include "motion/subject.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using namespace motion;

Json oracle() {
    std::ifstream file(project_root() + "/test/motion/lee_constraints.json");
    return Json::parse(file);
}

MatrixXd matrix_of(const Json& j) {
    MatrixXd m(static_cast<Index>(j.size()), static_cast<Index>(j[0].size()));
    for (Index i = 0; i < m.rows(); ++i) m.row(i) = vector_of(j[static_cast<std::size_t>(i)]).transpose();
    return m;
}

const Subject& rigid() {
    static const Subject s("models/lee_parallelogram/model.toml");
    return s;
}
const Subject& flexible() {
    static const Subject s("models/lee_flexible_parallelogram/model.toml");
    return s;
}

MatrixXd jacobian(const Subject& s, const VectorXd& q) {
    numeric::State at = s.numbers->zero_state();
    at.q = q;
    return s.numbers->dynamics(at).G;
}

/// I − G⁺G: bases of a null space are compared by what they span. By singular values and by QR.
MatrixXd projector(const MatrixXd& G) {
    const MatrixXd svd = solve::null_space(G), qr = solve::null_space_by_qr(G).z;
    EXPECT_LT((svd * svd.transpose() - qr * qr.transpose()).cwiseAbs().maxCoeff(), 1e-13);
    return svd * svd.transpose();
}

/// th1, th2 = th3 = −th4, and deflections: where the loop is closed when nothing is bent.
VectorXd position(double th1, double th2) {
    VectorXd q = VectorXd::Zero(10);
    q.head(4) << th1, th2, th2, -th2;
    return q;
}

constexpr double degree = std::numbers::pi / 180;

/// Whatever the position: th1 alone, and th2 = th3 = −th4.   [lee90 (3.20)]
TEST(Parallelogram, AllowsTheSameMotionsEverywhere) {
    VectorXd first = VectorXd::Zero(4), second(4);
    first[0] = 1;
    second << 0, 1, 1, -1;
    const MatrixXd expected = first * first.transpose() + second * second.transpose() / 3;
    for (const Json& test : oracle()["parallelogram"]["tests"]) {
        const MatrixXd G = jacobian(rigid(), vector_of(test["theta"]));
        EXPECT_LT((projector(G) - expected).cwiseAbs().maxCoeff(), 1e-13);
        // rows may be turned against theirs: the same motions, the same squares
        const MatrixXd J = matrix_of(test["J"]);
        EXPECT_LT((G.transpose() * G - J.transpose() * J).cwiseAbs().maxCoeff(), 1e-13);
    }
}

/// With links that bend, while they do not: the lower link's shapes take part, the others' do not, in any position.   [lee90 (3.22), (3.24)]
TEST(FlexibleParallelogram, AllowsWhatTheOracleSays) {
    const MatrixXd expected = matrix_of(oracle()["flexible"]["projector_theta2_135"]);
    for (const double th1 : {0.0, 1.1}) {
        for (const double th2 : {135 * degree, 60 * degree, -0.7}) {
            EXPECT_LT((projector(jacobian(flexible(), position(th1, th2))) - expected).cwiseAbs().maxCoeff(), 1e-12) << th1 << " " << th2;
        }
    }
}

/// Where the lower link is bent by a hundredth of its length they depend on the position.   [lee90 (3.23)]
TEST(FlexibleParallelogram, BentLinksAllowOtherMotions) {
    const double phi = oracle()["flexible"]["phi"][0].get<double>(), l = oracle()["parallelogram"]["l"][0].get<double>();
    const auto bent = [&](double th2) {
        VectorXd q = position(0.3, th2);
        q[4] = 0.01 * l / phi;
        return projector(jacobian(flexible(), q));
    };
    const MatrixXd straight = projector(jacobian(flexible(), position(0.3, 135 * degree)));
    EXPECT_GT((bent(135 * degree) - straight).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_GT((bent(135 * degree) - bent(60 * degree)).cwiseAbs().maxCoeff(), 1e-3);
    EXPECT_NEAR(bent(60 * degree).trace(), 8, 1e-12);
}

/// The motion by independent coordinates, and by an orthogonal basis of the null space, against projection.
TEST(FlexibleParallelogram, WaysToKeepItClosedAgree) {
    const Subject& s = flexible();
    SimulateOptions options;
    options.times = times_until(0.08, 4);
    options.tolerance = 1e-10;
    const Motion first = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(first.stop, Stop::reached) << first.why;
    EXPECT_GT(std::abs(first.rows.back()[column(first, "link1.y1")]), 1e-3);
    for (const auto keep : {ConstraintStabilization::partition, ConstraintStabilization::nullspace}) {
        options.keep = keep;
        const Motion other = simulate(*s.numbers, s.start(), options);
        ASSERT_EQ(other.stop, Stop::reached) << other.why;
        EXPECT_LT(difference(first, other, 10), 1e-7);  // coordinates
        EXPECT_LT(other.statistics.position, 1e-12);
        EXPECT_EQ(other.statistics.choices, 0);  // small deflections hardly change what the loop allows
        EXPECT_EQ(other.statistics.projections, 0);
    }
}

/// With a lower link so soft that it bends far, the null space turns: it is decomposed again, and how often is told.
TEST(FlexibleParallelogram, DecomposesAgainWhereLinksBendFar) {
    Subject s("models/lee_flexible_parallelogram/model.toml");
    for (const auto& [name, value] : {std::pair("EI1", "1000"), std::pair("EI2", "3e4"), std::pair("EI4", "5e3")})
        ASSERT_FALSE(model::set_value(*s.model, name, value));
    s.derive();
    SimulateOptions options;
    options.times = times_until(0.6, 5);
    options.tolerance = 1e-9;
    const Motion first = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(first.stop, Stop::reached) << first.why;
    EXPECT_EQ(first.statistics.choices, 0);
    EXPECT_GT(first.statistics.projections, 100);
    options.keep = ConstraintStabilization::nullspace;
    const Motion other = simulate(*s.numbers, s.start(), options);
    ASSERT_EQ(other.stop, Stop::reached) << other.why;
    EXPECT_GE(other.statistics.choices, 1);
    EXPECT_LE(other.statistics.choices, 20);
    EXPECT_LT(difference(first, other, 10), 1e-4);
}

}  // namespace
}  // namespace linkwright
