// The zoo: values known without the program, and laws that hold for every model file of the project.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/write.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/solve/eigenvalues.hpp"
#include "support/project_root.hpp"

namespace linkwright {
namespace {

using Json = nlohmann::json;
using Eigen::Index;
using Eigen::VectorXd;
namespace fs = std::filesystem;

/// A model file, derived and ready for numbers.
struct Animal {
    explicit Animal(const fs::path& path, const Json& set = Json::object()) {
        model::Reading reading = model::read_file(path);
        EXPECT_TRUE(reading.model) << to_string(reading.problems);
        model = std::make_unique<model::Model>(std::move(*reading.model));
        for (const auto& [name, value] : set.items()) {
            const auto problem = model::set_value(*model, name, value.is_string() ? value.get<std::string>() : value.dump());
            EXPECT_FALSE(problem) << to_string(*problem);
        }
        topology::Analysis analysis = topology::analyse(*model);
        EXPECT_TRUE(analysis.topology) << to_string(analysis.problems);
        formulation::Derived derived = formulation::kane::derive(*model, *analysis.topology);
        EXPECT_TRUE(derived.equations) << to_string(derived.problems);
        equations = std::move(*derived.equations);
        numbers = std::make_unique<numeric::CompiledEquations>(equations);
    }
    std::unique_ptr<model::Model> model;
    eom::EquationsOfMotion equations;
    std::unique_ptr<numeric::CompiledEquations> numbers;
};

TEST(Zoo, ValuesKnownWithoutTheProgram) {
    std::ifstream file(project_root() + "/test/golden/zoo.json");
    const Json known = Json::parse(file);
    ASSERT_GT(known["values"].size(), 50U);
    for (const Json& v : known["values"]) {
        const Animal a(fs::path(project_root()) / v["model"].get<std::string>(), v.value("set", Json::object()));
        const numeric::AssembledState at = assemble(*a.numbers, wanted(*a.numbers));
        ASSERT_TRUE(at.is_ok()) << v << at.why;
        const numeric::Evaluation e = evaluate(*a.numbers, at.state);
        const std::string what = v["what"], name = v["name"];
        const auto at_name = [&](const auto& list, auto name_of, const VectorXd& values) {
            for (std::size_t i = 0; i < list.size(); ++i) {
                if (name_of(list[i]) == name) return values[i];
            }
            ADD_FAILURE() << "no " << what << " " << name;
            return 0.0;
        };
        const auto symbol = [](const sym::Expr& s) { return s.symbol().name; };
        const auto named = [](const auto& x) { return x.name; };
        double ours = 0;
        if (what == "acceleration") ours = at_name(a.equations.u, symbol, e.accelerations);
        if (what == "forcing") ours = at_name(a.equations.u, symbol, e.dynamics.f);
        if (what == "output") ours = at_name(a.equations.outputs, named, e.outputs);
        if (what == "multiplier") ours = at_name(a.equations.constraints, named, e.multipliers);
        if (what == "value") {
            const bool is_speed = std::ranges::any_of(a.equations.u, [&](const sym::Expr& s) { return s.symbol().name == name; });
            ours = is_speed ? at_name(a.equations.u, symbol, at.state.u) : at_name(a.equations.q, symbol, at.state.q);
        }
        if (what == "momentum") {
            const Eigen::Vector3d& p = name.starts_with("linear") ? e.linear : e.angular;
            ours = p[name.back() - 'x'];
        }
        const double value = v["value"];
        EXPECT_NEAR(ours, value, v["tolerance"].get<double>() * std::max(1.0, std::abs(value))) << v;
    }
}

std::vector<fs::path> zoo() {
    std::vector<fs::path> files;
    for (const fs::directory_entry& folder : fs::directory_iterator(fs::path(project_root()) / "models")) {
        if (!folder.is_directory()) continue;
        for (const fs::directory_entry& file : fs::directory_iterator(folder)) {
            if (file.path().extension() == ".toml") files.push_back(file.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

class EveryModel : public testing::TestWithParam<fs::path> {};
INSTANTIATE_TEST_SUITE_P(Zoo, EveryModel, testing::ValuesIn(zoo()),
                         [](const auto& p) { return p.param.parent_path().filename().string() + "_" + p.param.stem().string(); });

bool has_held_rotor(const model::Model& m) {
    for (const model::Body& body : m.bodies) {
        for (const model::Rotor& rotor : body.rotors) {
            if (rotor.speed) return true;
        }
    }
    return false;
}

/// The deflection of a beam is shaken by less than other coordinates, and does not help to close loops: kinetic energy to second order is none
/// for beams that bend far.
bool is_elastic(const Animal& a, const sym::Expr& q) {
    return std::ranges::any_of(a.model->bodies, [&](const model::Body& body) {
        return body.beam &&
               std::ranges::any_of(body.beam->elastic.coordinates, [&](const sym::Expr& s) { return s.symbol().name == q.symbol().name; });
    });
}

/// A state near the assembled one: coordinates shaken and closed again, speeds drawn and fitted.
std::optional<numeric::State> random_state(const Animal& a, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::vector<numeric::Wanted> guesses;
    const numeric::AssembledState at = assemble(*a.numbers, wanted(*a.numbers));
    const double t = std::abs(normal(random));
    for (std::size_t i = 0; i < a.equations.q.size(); ++i) {
        const bool bends = is_elastic(a, a.equations.q[i]);
        guesses.push_back({"", a.equations.q[i], at.state.q[i] + (bends ? 0.005 : 0.1) * normal(random), bends, false});
    }
    for (const sym::Expr& u : a.equations.u) guesses.push_back({"", u, normal(random), false, true});
    const numeric::AssembledState shaken = assemble(*a.numbers, guesses, t);
    if (!shaken.is_ok()) return std::nullopt;
    return shaken.state;
}

TEST_P(EveryModel, ObeysTheLaws) {
    const Animal a(GetParam());
    const eom::EquationsOfMotion& e = a.equations;
    std::mt19937_64 random(11);
    // Energy and residuals differentiated along the motion, by the graph: exact, and with no formulation's help.
    sym::Tangent rate(eom::rates(e));
    std::vector<sym::Expr> exact{rate(e.energy.total())};
    for (const eom::Constraint& c : e.constraints)
        exact.push_back(c.is_holonomic ? rate(c.phi) - c.rate : sym::Expr(*e.pool, sym::Pool::zero_id));
    for (const eom::Constraint& c : e.constraints) exact.push_back(rate(c.rate));
    eom::EquationsOfMotion asked = e;
    asked.outputs.clear();
    for (const sym::Expr& x : exact) asked.outputs.push_back({"", x});
    const numeric::CompiledEquations derivatives(asked);
    int tried = 0;
    for (int k = 0; k < 6; ++k) {
        const auto state = random_state(a, random);
        if (!state) continue;
        ++tried;
        const numeric::Evaluation at = evaluate(*a.numbers, *state);
        ASSERT_TRUE(at.is_ok) << at.why;
        const Eigen::MatrixXd& M = at.dynamics.M;
        EXPECT_LE((M - M.transpose()).cwiseAbs().maxCoeff(), 0.0);
        const Eigen::VectorXd lambda = solve::symmetric_eigen(M).values;
        EXPECT_GT(lambda.minCoeff(), -1e-12 * lambda.maxCoeff());
        const bool is_natural = a.model->motions.empty() && a.model->joint_motions.empty() && !has_held_rotor(*a.model);
        if (is_natural) {
            const double T = 0.5 * state->u.dot(M * state->u);
            EXPECT_NEAR(T, at.kinetic, 1e-10 * std::max(1.0, at.kinetic));
        }
        const VectorXd d = derivatives.outputs(*state, at.accelerations, at.multipliers);
        const double scale =
            std::max({1.0, std::abs(at.kinetic), std::abs(at.power), at.dynamics.f.cwiseAbs().maxCoeff() * state->u.cwiseAbs().maxCoeff()});
        EXPECT_NEAR(d[0], at.power, 1e-8 * scale) << "dE/dt is the power fed in";
        const auto m = static_cast<Index>(e.constraints.size());
        const double size = std::max(1.0, at.accelerations.cwiseAbs().maxCoeff());
        for (Index r = 0; r < m; ++r) {
            EXPECT_NEAR(d[1 + r], 0, 1e-9) << e.constraints[r].name;
            EXPECT_NEAR(d[1 + m + r], 0, 1e-8 * size) << "second derivative of " << e.constraints[r].name;
        }
        EXPECT_LT(at.residuals.position(), 1e-9);
        EXPECT_LT(at.residuals.velocity(), 1e-9);
    }
    EXPECT_GE(tried, 3);
}

TEST_P(EveryModel, IsWrittenAndReadBackTheSame) {
    const Animal a(GetParam());
    const std::string text = model::write(*a.model);
    model::Reading again = model::read(text, (fs::path(GetParam()).parent_path() / "again.toml").string());  // files beside it are found
    ASSERT_TRUE(again.model) << to_string(again.problems) << text;
    const auto topology = topology::analyse(*again.model).topology.value();
    const auto derived = formulation::kane::derive(*again.model, topology);
    ASSERT_TRUE(derived.equations) << to_string(derived.problems);
    const numeric::CompiledEquations numbers(*derived.equations);
    ASSERT_EQ(derived.equations->u.size(), a.equations.u.size());
    const numeric::State at = assemble(*a.numbers, wanted(*a.numbers)).state;
    const numeric::Dynamics d = a.numbers->dynamics(at), d2 = numbers.dynamics(at);
    EXPECT_LE((d.M - d2.M).cwiseAbs().maxCoeff(), 1e-12 * std::max(1.0, d.M.cwiseAbs().maxCoeff()));
    EXPECT_LE((d.f - d2.f).cwiseAbs().maxCoeff(), 1e-11 * std::max(1.0, d.f.cwiseAbs().maxCoeff()));
}

}  // namespace
}  // namespace linkwright
