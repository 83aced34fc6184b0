#include "linkwright/numeric/evaluate.hpp"

#include <fmt/format.h>

#include <iostream>

#include "start.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    std::string state;
    bool assemble = false;
};

nlohmann::ordered_json result(const numeric::CompiledEquations& numbers, const numeric::State& state, const numeric::Evaluation& r) {
    const eom::EquationsOfMotion& e = numbers.equations();
    nlohmann::ordered_json j;
    j["t"] = state.t;
    j["coordinates"] = names(e.q);
    j["speeds"] = names(e.u);
    j["acceleration_names"] = names(e.udot);
    j["state"]["values"] = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < e.q.size(); ++i) j["state"]["values"][e.q[i].symbol().name] = state.q[i];
    for (std::size_t i = 0; i < e.u.size(); ++i) j["state"]["values"][e.u[i].symbol().name] = state.u[i];
    j["mass_matrix"] = to_json(r.dynamics.M);
    j["forcing"] = to_json(r.dynamics.f);
    j["coordinate_rates"] = to_json(r.coordinate_rates);
    j["accelerations"] = to_json(r.accelerations);
    j["constraints"] = nlohmann::ordered_json::array();
    for (const eom::Constraint& c : e.constraints) j["constraints"].push_back(c.name);
    j["multipliers"] = to_json(r.multipliers);
    j["constraint_jacobian"] = to_json(r.dynamics.G);
    j["residual"] = {{"position", r.residuals.position()}, {"velocity", r.residuals.velocity()}};
    j["independent_speeds"] = r.independent;
    j["redundant_constraints"] = r.redundant;
    j["energy"] = {{"kinetic", r.kinetic}, {"potential", r.potential}, {"total", r.kinetic + r.potential}};
    j["power"] = r.power;
    j["momentum"] = {{"linear", to_json(Eigen::VectorXd(r.linear))}, {"angular", to_json(Eigen::VectorXd(r.angular))}};
    j["outputs"] = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < e.outputs.size(); ++i) j["outputs"][e.outputs[i].name] = r.outputs[i] + 0.0;
    if (r.is_ok) return j;
    j["accelerations"] = j["multipliers"] = j["power"] = nullptr;
    for (auto& value : j["outputs"]) {  // what is made of them
        if (!std::isfinite(value.get<double>())) value = nullptr;
    }
    return j;
}

/// Names of numbers that are not numbers, so that none goes out in silence.
void find_nan(const nlohmann::ordered_json& j, const std::string& path, std::vector<std::string>& found) {
    if (j.is_number_float() && !std::isfinite(j.get<double>())) found.push_back(path);
    if (!j.is_structured()) return;
    for (const auto& [key, value] : j.items()) find_nan(value, path.empty() ? key : fmt::format("{}.{}", path, key), found);
}

/// The same of a whole result; entries of lists by the speeds they belong to.
std::vector<std::string> not_numbers(const nlohmann::ordered_json& j) {
    std::vector<std::string> found;
    for (const auto& [key, value] : j.items()) {
        if (key != "forcing" && key != "accelerations") {
            find_nan(value, key, found);
            continue;
        }
        for (std::size_t i = 0; i < value.size(); ++i) find_nan(value[i], fmt::format("{} of {}", key, j["speeds"][i].get<std::string>()), found);
    }
    return found;
}

std::string as_text(const nlohmann::ordered_json& j) {
    std::string out;
    const auto number = [](double x) { return fmt::format("{:>15.8g}", std::isnan(x) ? std::abs(x) : x); };  // no "-nan"
    const auto list = [&](const char* title, const nlohmann::ordered_json& names_of, const nlohmann::ordered_json& values) {
        if (values.empty()) return;
        out += fmt::format("{}\n", title);
        for (std::size_t i = 0; i < values.size(); ++i) out += fmt::format("    {:<20}{}\n", names_of[i].get<std::string>(), number(values[i].get<double>()));
    };
    out += "state\n";
    out += fmt::format("    {:<20}{}\n", "t", number(j["t"].get<double>()));
    for (const auto& [name, value] : j["state"]["values"].items()) out += fmt::format("    {:<20}{}\n", name, number(value.get<double>()));
    out += "mass matrix\n";
    for (const auto& row : j["mass_matrix"]) {
        out += "   ";
        for (const auto& x : row) out += number(x.get<double>());
        out += "\n";
    }
    list("forcing", j["speeds"], j["forcing"]);
    list("accelerations", j["acceleration_names"], j["accelerations"]);
    list("multipliers", j["constraints"], j["multipliers"]);
    if (!j["constraints"].empty()) {
        out += fmt::format("residual            position {:.3g}, velocity {:.3g}\n", j["residual"]["position"].get<double>(), j["residual"]["velocity"].get<double>());
    }
    out += fmt::format("energy              kinetic {:.10g}, potential {:.10g}, total {:.10g}\n", j["energy"]["kinetic"].get<double>(),
                       j["energy"]["potential"].get<double>(), j["energy"]["total"].get<double>());
    for (const char* kind : {"linear", "angular"}) {
        const auto& p = j["momentum"][kind];
        out += fmt::format("{:<20}[{:.10g}, {:.10g}, {:.10g}]\n", std::string(kind) + " momentum", p[0].get<double>(), p[1].get<double>(), p[2].get<double>());
    }
    if (!j["outputs"].empty()) out += "outputs\n";
    for (const auto& [name, value] : j["outputs"].items()) {
        out += fmt::format("    {:<20}{}\n", name, value.is_null() ? fmt::format("{:>15}", "–") : number(value.get<double>()));
    }
    return out;
}

int evaluate(const Options& options) {
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations) return wrong_input;
    const numeric::CompiledEquations numbers(*equations);
    numeric::State state;
    int status = done;
    const auto warn = [&](const std::string& what) {
        if (!options.common.quiet) std::cerr << "linkwright: warning: " << what << '\n';
    };
    if (!options.state.empty() && !options.assemble) {
        const auto file = read_state(options.state, numbers, false);
        if (!file) return wrong_input;
        for (const std::string& warning : file->warnings) warn(warning);
        state = as_it_stands(*file, numbers);
    } else {
        const Start start = start_state(options.state, numbers, options.common.quiet);
        if (!start.has_state) return start.status;
        status = start.status;
        if (status != done) warn("the numbers are those of the nearest approach");
        state = start.state;
    }
    const Eigen::VectorXd branches = numbers.branches(state);
    for (Eigen::Index i = 0; i < branches.size(); ++i) {
        if (branches[i] > 0) continue;
        report_error(fmt::format("'{}' is on its wrong side at this state", equations->branches[i].name),
                   "a joint closed with its axes opposite, or a disk tilted past lying flat; begin there with [initial] if it is meant");
        status = numerical_failure;
    }
    const numeric::Evaluation r = numeric::evaluate(numbers, state);
    for (const std::string& warning : r.warnings) warn(warning);
    if (!r.is_ok) {
        report_error("no accelerations: " + r.why);
        status = numerical_failure;
    }
    if (!r.redundant.empty()) {
        warn(fmt::format("{} of {} rows of constraints say nothing new: multipliers, and reactions made of them, are the smallest of many "
                         "that hold the mechanism", r.redundant.size(), equations->constraints.size()));
    }
    const nlohmann::ordered_json j = result(numbers, state, r);
    std::vector<std::string> found = not_numbers(j);
    if (!found.empty()) {
        if (found.size() > 8) found.resize(8), found.emplace_back("…");
        report_error(fmt::format("not a number: {}", fmt::join(found, ", ")), "something is divided by zero or undefined at this state");
        status = numerical_failure;
    }
    const int delivered = deliver(options.common, options.common.json ? dump(j) : as_text(j));
    return delivered == done ? status : delivered;
}

}  // namespace

Work declare_evaluate(CLI::App& words) {
    auto options = std::make_shared<Options>();
    declare(words, options->common);
    words.add_option("--state", options->state, "Evaluate at this state, as it stands; without it: the assembled initial state")->type_name("FILE");
    words.add_flag("--assemble", options->assemble, "Close the loops of the given state first");
    return [options] { return evaluate(*options); };
}

}  // namespace linkwright::cli
