// Independently computed numbers for five mechanisms at random states, against the equations of every formulation.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "linkwright/formulation/formulations.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using Json = nlohmann::json;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Json oracle(const std::string& name) {
    std::ifstream file(project_root() + "/test/oracles/" + name + ".json");
    return Json::parse(file);
}

VectorXd vector(const Json& j) {
    VectorXd v(static_cast<Index>(j.size()));
    for (Index i = 0; i < v.size(); ++i) v[i] = j[i].get<double>();
    return v;
}

MatrixXd matrix(const Json& j) {
    MatrixXd m(static_cast<Index>(j.size()), static_cast<Index>(j[0].size()));
    for (Index i = 0; i < m.rows(); ++i) m.row(i) = vector(j[i]).transpose();
    return m;
}

/// A model file, derived.
struct Subject {
    Subject(const std::string& path, std::string_view name) : formulation(formulation::find_formulation(name)) {
        model::Reading reading = model::read_file(project_root() + "/models/" + path);
        for (const Diagnostic& d : reading.problems) {
            EXPECT_EQ(d.severity, Diagnostic::Severity::warning) << to_string(d);
        }
        model = std::make_unique<model::Model>(std::move(reading.model.value()));
        derive();
    }
    void derive() {
        const auto topology = topology::analyse(*model).topology.value();
        equations = formulation->derive(*model, topology, {.partial_velocities = true}).equations.value();
        numbers = std::make_unique<numeric::CompiledEquations>(equations);
    }
    /// With the speeds of the joints, whatever those of the equations are: u = B s, and then Bᵀ M B, Bᵀ (f − M Ḃ s), the rows of the loops.
    numeric::Dynamics dynamics(numeric::State& at, const VectorXd& s) const {
        at.u = s;
        if (!equations.reduction) return numbers->dynamics(at);
        const eom::Reduction& r = *equations.reduction;
        const sym::PoolScope scope(*equations.pool);
        std::vector<sym::Expr> all;
        sym::Tangent rate(eom::rates(equations));
        for (const auto& row : r.B) {
            for (const sym::Expr& x : row) all.push_back(x), all.push_back(rate(x));
        }
        at.u = VectorXd::Zero(equations.u.size());
        const auto rows = static_cast<Index>(equations.u.size());
        MatrixXd B(rows, s.size()), Bdot(rows, s.size());
        const auto fill = [&] {
            const VectorXd flat = numbers->compile(all)(at);
            for (Index i = 0; i < rows; ++i) {
                for (Index j = 0; j < s.size(); ++j) B(i, j) = flat[2 * (i * s.size() + j)], Bdot(i, j) = flat[2 * (i * s.size() + j) + 1];
            }
        };
        fill();
        at.u = B * s;
        fill();
        numeric::Dynamics d = numbers->dynamics(at);
        d.f = B.transpose() * (d.f - d.M * Bdot * s);
        d.M = B.transpose() * d.M * B;
        const MatrixXd G = d.G * B;  // the rows of the tree's joints vanish
        std::vector<Index> left;
        for (Index i = 0; i < G.rows(); ++i) {
            if (G.row(i).cwiseAbs().maxCoeff() > 1e-12) left.push_back(i);
        }
        d.G = G(left, Eigen::all);
        return d;
    }
    const formulation::Formulation* formulation;
    std::unique_ptr<model::Model> model;
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;
};

void expect_close(const MatrixXd& ours, const MatrixXd& theirs, const std::string& what) {
    ASSERT_EQ(ours.rows(), theirs.rows()) << what;
    ASSERT_EQ(ours.cols(), theirs.cols()) << what;
    const double scale = std::max(1.0, theirs.cwiseAbs().maxCoeff());
    EXPECT_LT((ours - theirs).cwiseAbs().maxCoeff(), 1e-10 * scale) << what << "\nours\n" << ours << "\ntheirs\n" << theirs;
}

/// Their speeds of a free base are v, ω; ours ω, v.
std::vector<Index> order_of(const eom::EquationsOfMotion& e) {
    std::vector<Index> order;
    for (std::size_t i = 0; i < (e.reduction ? e.reduction->s : e.u).size(); ++i) order.push_back(i);
    if (!e.quaternions.empty()) {
        for (Index i = 0; i < 3; ++i) order[i] = i + 3, order[static_cast<std::size_t>(i) + 3] = i;
    }
    return order;
}

void compare(const Subject& s, const Json& states, bool is_closed) {
    const std::vector<Index> order = order_of(s.equations);
    const auto ours_first = [&](const VectorXd& theirs) {
        VectorXd v(theirs.size());
        for (Index i = 0; i < v.size(); ++i) v[i] = theirs[order[i]];
        return v;
    };
    for (const Json& state : states) {
        numeric::State at = s.numbers->zero_state();
        at.q = vector(state["q"]);
        const VectorXd tau = ours_first(vector(state["tau"]));
        const numeric::Dynamics d = s.dynamics(at, ours_first(vector(state["u"])));
        const MatrixXd M = matrix(state["M"]);
        MatrixXd M_ours_first(M.rows(), M.cols());
        for (Index i = 0; i < M.rows(); ++i) {
            for (Index j = 0; j < M.cols(); ++j) M_ours_first(i, j) = M(order[i], order[j]);
        }
        expect_close(d.M, M_ours_first, "mass matrix");
        expect_close(d.f, -ours_first(vector(state["h"])), "forcing");
        const VectorXd udot = ours_first(vector(state["u_dot"]));
        if (is_closed) {
            const VectorXd lambda = vector(state["lam"]);
            expect_close(d.M * udot + matrix(state["Phi_u"]).transpose() * lambda, d.f + tau, "equations");
            expect_close(d.G.cwiseAbs(), matrix(state["Phi_u"]).cwiseAbs(), "constraint Jacobian up to sign");
            EXPECT_LT(s.numbers->residuals(at).position(), 1e-12);
            EXPECT_LT(s.numbers->residuals(at).velocity(), 1e-12);
        } else {
            expect_close(d.M.ldlt().solve(d.f + tau), udot, "accelerations");
        }
        expect_close(s.numbers->coordinate_rates(at), vector(state["q_dot"]), "rates of the coordinates");
        const VectorXd invariants = s.numbers->invariants(at);
        EXPECT_NEAR(invariants[0], state["T"].get<double>(), 1e-10 * std::max(1.0, std::abs(state["T"].get<double>())));
        const double V = state["V_gravity"].get<double>() + state["V_springs"].get<double>();
        EXPECT_NEAR(invariants[1], V, 1e-10 * std::max(1.0, std::abs(V)));
        expect_close(invariants.segment(2, 3), vector(state["P"]), "linear momentum");
        expect_close(invariants.segment(5, 3), vector(state["H_origin"]), "angular momentum about the origin");

        std::vector<sym::Expr> wanted;
        for (const eom::BodyPose& pose : s.equations.poses) wanted.insert(wanted.end(), pose.com.begin(), pose.com.end());
        const VectorXd centres = s.numbers->compile(wanted)(at);
        for (std::size_t b = 0; b < s.equations.poses.size(); ++b) {
            expect_close(centres.segment(3 * b, 3), vector(state["bodies"][b]["r"]), "centre of mass");
        }
        // B_lynch: for each body v (3 rows) then ω (3 rows), body axes; ours ω then v
        wanted.clear();
        const MatrixXd B = matrix(state["B_lynch"]);
        for (const eom::PartialVelocities& p : s.equations.partial_velocities) {
            for (const std::size_t row : {3, 4, 5, 0, 1, 2}) wanted.insert(wanted.end(), p.B[row].begin(), p.B[row].end());
        }
        if (s.equations.reduction) continue;  // there the bodies' speeds are their own
        const VectorXd flat = s.numbers->compile(wanted)(at);
        MatrixXd ours(B.rows(), B.cols());
        ASSERT_EQ(flat.size(), B.size());
        for (Index i = 0; i < B.rows(); ++i) {
            for (Index j = 0; j < B.cols(); ++j) ours(i, order[j]) = flat[i * B.cols() + j];
        }
        expect_close(ours, B, "partial velocities");
    }
}

class Oracle : public ::testing::TestWithParam<std::string> {};

TEST_P(Oracle, TriplePendulumOfLynch) {
    compare(Subject("lynch_triple_pendulum/lynch.toml", GetParam()), oracle("triple_pendulum")["states"], false);
}
TEST_P(Oracle, StanfordArmOfLynch) {
    compare(Subject("lynch_stanford_arm/lynch.toml", GetParam()), oracle("stanford_arm")["states"], false);
}
TEST_P(Oracle, SatelliteOfLynch) { compare(Subject("lynch_satellite/lynch.toml", GetParam()), oracle("satellite")["states"], false); }
TEST_P(Oracle, FourBarOfLynch) { compare(Subject("lynch_four_bar/lynch.toml", GetParam()), oracle("fourbar")["states"], true); }

TEST_P(Oracle, TriplePendulumWithSprings) {
    const Json with_springs = oracle("triple_pendulum")["with_springs"];
    Subject s("lynch_triple_pendulum/lynch.toml", GetParam());
    const std::array<std::string, 3> pairs{"21", "32", "43"};
    for (std::size_t i = 0; i < 3; ++i) {
        const Json& spring = with_springs["joint_springs"][i];
        const auto set = [&](const std::string& name, const char* key) {
            const auto problem = model::set_value(*s.model, name, spring[key].dump());
            EXPECT_FALSE(problem) << to_string(*problem);
        };
        set("KR" + pairs[i], "k");
        set("CR" + pairs[i], "c");
        set("PHI0" + pairs[i].substr(0, 1), "q0");
    }
    s.derive();
    compare(s, with_springs["states"], false);
}

INSTANTIATE_TEST_SUITE_P(By, Oracle, ::testing::ValuesIn([] {
                             std::vector<std::string> names;
                             for (const formulation::Formulation& f : formulation::formulations()) names.emplace_back(f.name);
                             return names;
                         }()),
                         [](const auto& p) { return p.param; });

}  // namespace
}  // namespace linkwright
