// Six mechanisms at given states: sums that six independent engines agree on to seven digits
// (bench/models/*/check.json).

#include <fstream>
#include <nlohmann/json.hpp>

#include "linkwright/numeric/evaluate.hpp"
#include "print/subject.hpp"

namespace linkwright::print {
namespace {

class CheckSums : public testing::TestWithParam<const char*> {};

Eigen::Index index_of(const std::vector<Expr>& symbols, const std::string& name) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
        if (symbols[i].symbol().name == name) return static_cast<Eigen::Index>(i);
    }
    return -1;
}

TEST_P(CheckSums, AreThoseAgreedOn) {
    const std::string folder = std::string("bench/models/") + GetParam();
    const Subject s = subject(folder + "/model.toml");
    const eom::EquationsOfMotion& e = s.equations;
    std::ifstream file(root() + "/" + folder + "/check.json");
    const auto check = nlohmann::json::parse(file);
    const numeric::CompiledEquations numbers(e);
    numeric::State at = numbers.zero_state();
    for (const auto& [name, value] : check["forward"]["state"]["values"].items()) {
        const Eigen::Index q = index_of(e.q, name), u = index_of(e.u, name);
        ASSERT_TRUE(q >= 0 || u >= 0) << name;
        (q >= 0 ? at.q[q] : at.u[u]) = value.get<double>();
    }
    for (const auto& [name, value] : check["forward"]["state"]["inputs"].items()) {
        std::size_t i = 0;
        while (i < e.inputs.size() && e.inputs[i].symbol.symbol().name != name) ++i;
        ASSERT_LT(i, e.inputs.size()) << name;
        at.w[i] = value.get<double>();
    }
    const numeric::Evaluation found = numeric::evaluate(numbers, at);
    ASSERT_TRUE(found.is_ok) << found.why;

    const auto expect_close = [](double ours, const nlohmann::json& agreed, const char* what) {
        EXPECT_NEAR(ours / agreed.get<double>(), 1, 1e-7) << what << ": ours " << ours << ", agreed " << agreed;
    };
    double accelerations = 0;  // of the joints, not of a floating base
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        if (e.u[i].symbol().name.starts_with("q")) accelerations += found.accelerations[i];
    }
    expect_close(accelerations, check["forward"]["sum_of_actuated_accelerations"], "accelerations");
    expect_close(found.dynamics.M.sum(), check["mass_matrix"]["sum_of_all_entries"], "mass matrix");

    // Inverse dynamics at the same place: τ = M u̇ − f without actuators; the floating base does not accelerate.
    numeric::State undriven = at;
    undriven.w.setZero();
    Eigen::VectorXd wanted = Eigen::VectorXd::Zero(at.u.size());
    for (const auto& [name, value] : check["inverse"]["accelerations"].items()) wanted[index_of(e.u, name)] = value.get<double>();
    const numeric::Dynamics d = numbers.dynamics(undriven);
    const Eigen::VectorXd tau = d.M * wanted - d.f;
    double torques = 0;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        if (e.u[i].symbol().name.starts_with("q")) torques += tau[i];
    }
    expect_close(torques, check["inverse"]["sum_of_torques"], "torques");
}

INSTANTIATE_TEST_SUITE_P(Bench, CheckSums, testing::Values("chain12", "chain30", "iiwa7", "puma6", "stanford6", "tree30f"),
                         [](const auto& model) { return std::string(model.param); });

}  // namespace
}  // namespace linkwright::print
