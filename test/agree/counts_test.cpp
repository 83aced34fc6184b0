// How many operations each formulation takes on every model that comes with the project: a table that may only fall.

#include <nlohmann/json.hpp>

#include "agree/subject.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/model/copy.hpp"
#include "support/project_root.hpp"

namespace linkwright::agree {
namespace {

const std::filesystem::path table_file = project_root() + "/test/agree/counts.json";

/// Of a model and a formulation: sums, products and quotients with parameters as numbers. With constraints `forward` is M, f, G
/// and γ, otherwise the accelerations.
nlohmann::ordered_json count(const model::Model& given, const formulation::Formulation& formulation) {
    const model::Model m = model::copy(given, std::make_shared<sym::Pool>());  // what others have derived would be found again
    const topology::Analysis analysis = topology::analyse(m);
    const formulation::Derived derived = formulation.derive(m, *analysis.topology, {});
    if (!derived.equations) return {};
    const EquationsOfMotion& e = *derived.equations;
    const sym::PoolScope scope(*e.pool);
    std::vector<Expr> inputs{e.t}, forward, inverse = e.inverse;
    for (const auto* list : {&e.q, &e.u, &e.udot, &e.x}) inputs.insert(inputs.end(), list->begin(), list->end());
    for (const eom::Input& w : e.inputs) inputs.push_back(w.symbol);
    for (const eom::Constraint& c : e.constraints) inputs.push_back(c.lambda);
    std::vector<sym::Binding> constants;
    const model::ParameterValues parameters(m);
    for (std::size_t i = 0; i < e.parameters.size(); ++i)
        constants.emplace_back(e.parameters[i].symbol, Expr(parameters(m.parameters[i].symbol)));
    if (e.constraints.empty()) {
        forward = eom::accelerations(e);
    } else {
        forward = flat(e.M);
        forward.insert(forward.end(), e.f.begin(), e.f.end());
        for (const eom::Constraint& c : e.constraints) {
            forward.insert(forward.end(), c.G.begin(), c.G.end());
            forward.push_back(c.gamma);
        }
    }
    for (std::size_t i = 0; e.inverse.empty() && i < e.u.size(); ++i) {
        inverse.push_back(-e.f[i]);
        for (std::size_t j = 0; j < e.u.size(); ++j) inverse[i] += e.M[i][j] * e.udot[j];
    }
    const auto of = [&](const std::vector<Expr>& x) { return cost(program::lower(x, inputs, constants)); };
    return {{"inverse", of(inverse)}, {"forward", of(forward)}, {"mass matrix", of(flat(e.M))}};
}

std::string name_of(const std::filesystem::path& p) {
    return p.stem() == "model" ? p.parent_path().filename().string() : p.parent_path().filename().string() + "_" + p.stem().string();
}

nlohmann::ordered_json table() {
    return std::filesystem::exists(table_file) ? nlohmann::ordered_json::parse(std::ifstream(table_file)) : nlohmann::ordered_json();
}

/// One line for each formulation.
void write(const nlohmann::ordered_json& table) {
    std::ofstream out(table_file);
    out << "{";
    const char* between_models = "\n";
    for (const auto& [model, rows] : table.items()) {
        out << between_models << "  " << nlohmann::json(model) << ": {";
        between_models = ",\n";
        const char* between_rows = "\n";
        for (const auto& [formulation, row] : rows.items()) {
            out << between_rows << "    " << nlohmann::json(formulation) << ": " << row.dump();
            between_rows = ",\n";
        }
        out << "\n  }";
    }
    out << "\n}\n";
}

class CountsOf : public ::testing::TestWithParam<std::filesystem::path> {};

/// Never more than before. UPDATE=1 writes the table anew.
TEST_P(CountsOf, OnlyFall) {
    const model::Model m = read(GetParam());
    const std::string name = name_of(GetParam());
    nlohmann::ordered_json all = table();
    nlohmann::ordered_json before = all.contains(name) ? all[name] : nlohmann::ordered_json::object(),
                           now = nlohmann::ordered_json::object();
    std::string news;
    for (const formulation::Formulation& f : formulation::formulations()) {
        const std::string by(f.name);
        const nlohmann::ordered_json found = count(m, f);
        if (found.is_null()) continue;
        now[by] = found;
        if (!before.contains(by)) {
            news += by + " is new; ";
            continue;
        }
        for (const auto& [what, n] : found.items()) {
            const auto old = before[by].value(what, std::size_t{0});
            if (std::getenv("UPDATE") == nullptr) {
                EXPECT_LE(n.get<std::size_t>(), old) << name << ", " << by << ", " << what;
            }
            if (n.get<std::size_t>() < old) news += by + " " + what + " " + std::to_string(old) + " -> " + n.dump() + "; ";
        }
    }
    if (std::getenv("UPDATE") != nullptr) {
        all[name] = now;
        write(all);
    } else if (!news.empty()) {
        std::cout << name << ": " << news << "UPDATE=1 keeps that\n";
    }
}

std::string label(const ::testing::TestParamInfo<std::filesystem::path>& p) { return name_of(p.param); }
INSTANTIATE_TEST_SUITE_P(Zoo, CountsOf, ::testing::ValuesIn(files("/models")), label);
INSTANTIATE_TEST_SUITE_P(Bench, CountsOf, ::testing::ValuesIn(files("/bench/models")), label);

/// What is asked of the recursive formulation, inverse and forward.
TEST(Counts, AreAsFewAsPromised) {
    struct Bar {
        const char* model;
        std::size_t inverse, forward;
    };
    for (const Bar& bar : {Bar{"stanford6", 225, 400}, Bar{"puma6", 320, 560}, Bar{"iiwa7", 545, 1045}, Bar{"chain12", 1225, 2780},
                           Bar{"chain30", 3290, 7800}, Bar{"tree30f", 2640, 5900}}) {
        const auto n =
            count(read(project_root() + "/bench/models/" + bar.model + "/model.toml"), *formulation::find_formulation("recursive"));
        EXPECT_LE(n["inverse"], bar.inverse) << bar.model;
        EXPECT_LE(n["forward"], bar.forward) << bar.model;
    }
}

}  // namespace
}  // namespace linkwright::agree
