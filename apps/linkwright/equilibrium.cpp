#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <iostream>

#include "linkwright/model/values.hpp"
#include "operating_state.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using Json = nlohmann::ordered_json;
using linear::Equilibrium;

struct Options {
    SharedOptions common;
    EquilibriumWords words;
    std::string state;
    long starts = 1, seed = 1;
};

Json state_of(const eom::EquationsOfMotion& e, const numeric::State& s) {
    Json j;
    j["t"] = s.t;
    j["values"] = Json::object();
    for (std::size_t i = 0; i < e.q.size(); ++i) j["values"][e.q[i].symbol().name] = s.q[i] + 0.0;
    for (std::size_t i = 0; i < e.u.size(); ++i) j["values"][e.u[i].symbol().name] = s.u[i] + 0.0;
    j["inputs"] = Json::object();
    for (std::size_t i = 0; i < e.inputs.size(); ++i) j["inputs"][e.inputs[i].symbol.symbol().name] = s.w[i] + 0.0;
    return j;
}

Json one(const numeric::CompiledEquations& numbers, const Equilibrium& x) {
    const eom::EquationsOfMotion& e = numbers.equations();
    Json j;
    j["state"] = state_of(e, x.point.state);
    j["multipliers"] = Json::object();
    for (std::size_t i = 0; i < e.constraints.size(); ++i) j["multipliers"][e.constraints[i].name] = x.point.lambda[i] + 0.0;
    j["residual"] = x.residual;
    j["moving"] = Json::array();
    for (const std::size_t i : x.moving) j["moving"].push_back(e.q[i].symbol().name);
    j["energy"]["potential"] = numbers.invariants(x.point.state)[1];
    if (!x.is_ok) {
        j["found"] = false;
        j["why"] = x.why;
        return j;
    }
    j["stability"] = to_string(x.stability);
    j["verdict"] = x.verdict;
    j["poles"] = Json::array();
    for (const std::complex<double> p : x.poles) j["poles"].push_back({{"re", p.real() + 0.0}, {"im", p.imag() + 0.0}});
    j["notes"] = x.notes;
    return j;
}

/// Rotors that turn at a given speed are no freedoms, and yet part of what is steady.
using Spins = std::vector<std::pair<std::string, double>>;
Spins given_spins(const model::Model& model) {
    Spins spins;
    const model::ParameterValues values(model);
    for (const model::Body& body : model.bodies) {
        for (const model::Rotor& rotor : body.rotors) {
            if (rotor.speed) spins.emplace_back(body.name + ".rotor", values(*rotor.speed));
        }
    }
    std::erase_if(spins, [](const auto& s) { return !std::isfinite(s.second); });  // one that depends on more than parameters
    return spins;
}

std::string as_text(const numeric::CompiledEquations& numbers, const Equilibrium& x, const Spins& spins, std::size_t number, std::size_t of) {
    const eom::EquationsOfMotion& e = numbers.equations();
    const bool is_moving = !x.moving.empty() || (x.point.state.u.size() > 0 && x.point.state.u.lpNorm<Eigen::Infinity>() > 1e-10);
    std::string out = is_moving ? "steady motion" : "equilibrium";
    out += of > 1 ? fmt::format(" {} of {}\n", number, of) : "\n";
    std::size_t width = 20;
    const auto widen = [&](const std::string& name) { width = std::max(width, name.size() + 2); };
    for (const auto* list : {&e.q, &e.u}) {
        for (const sym::Expr& s : *list) widen(s.symbol().name);
    }
    for (const eom::Constraint& c : e.constraints) widen(c.name);
    const auto line = [&](const std::string& name, double value, const std::string& beside = {}) {
        out += fmt::format("    {:<{}}{:>15.8g}{}\n", name, width, std::abs(value) < 1e-15 ? 0.0 : value, beside.empty() ? "" : "  " + beside);
    };
    if (x.point.state.t != 0) line("t", x.point.state.t);
    for (std::size_t i = 0; i < e.q.size(); ++i) {
        const bool moves = std::ranges::find(x.moving, i) != x.moving.end();
        line(e.q[i].symbol().name, x.point.state.q[i], moves ? "moving" : "");
    }
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        if (is_moving) line(e.u[i].symbol().name, x.point.state.u[i]);
    }
    for (const auto& [name, spin] : spins) line(name, spin, "given");
    if (!e.inputs.empty()) out += "inputs\n";
    for (std::size_t i = 0; i < e.inputs.size(); ++i) line(e.inputs[i].symbol.symbol().name, x.point.state.w[i], e.inputs[i].unit);
    if (!e.constraints.empty()) out += "multipliers\n";
    for (std::size_t i = 0; i < e.constraints.size(); ++i) line(e.constraints[i].name, x.point.lambda[i]);
    out += fmt::format("residual            {:.2g}\n", x.residual);
    out += fmt::format("{}\n", x.verdict);
    for (const std::string& note : x.notes) out += fmt::format("note: {}\n", note);
    return out;
}

int equilibrium(const Options& options) {
    if (options.starts < 1 || options.starts > 100'000) {
        report_error(fmt::format("--starts {}: between 1 and 100000 are possible", options.starts));
        return wrong_input;
    }
    const auto loaded = load(options.common);
    if (!loaded) return wrong_input;
    const auto equations = derive(options.common, *loaded);
    if (!equations || !can_linearize(*equations)) return wrong_input;
    const numeric::CompiledEquations numbers(*equations, native_code(options.common.quiet));
    const Start start = start_state(options.state, numbers, options.common.quiet);
    if (!start.has_state || start.status != done) return start.status;
    const linear::Equilibria equilibria(numbers);
    auto asked = read_equilibrium(options.words, numbers, equilibria, options.common.quiet);
    if (!asked) return wrong_input;
    asked->starts = static_cast<std::size_t>(options.starts);
    asked->seed = static_cast<std::uint64_t>(options.seed);
    const std::vector<Equilibrium> found = equilibria.all(start.state, *asked);
    const Equilibrium& first = found.front();
    int status = done;
    if (!first.is_ok) {
        report_error(fmt::format("no equilibrium was found (residual {:.2g}): {}", first.residual, first.why), hint_without_equilibrium(first, *asked, numbers, equilibria));
        status = numerical_failure;
        if (!options.common.json) return status;
    }
    if (!options.common.json) {
        std::string text;
        const Spins spins = given_spins(*loaded->model);
        for (std::size_t i = 0; i < found.size(); ++i) text += (i > 0 ? "\n" : "") + as_text(numbers, found[i], spins, i + 1, found.size());
        return deliver(options.common, text);
    }
    Json j;
    j["model"] = equations->name;
    const Json top = one(numbers, first);
    for (const auto& [key, value] : top.items()) j[key] = value;
    j["coordinates"] = names(equations->q);
    j["speeds"] = names(equations->u);
    j["equilibria"] = Json::array();
    for (const Equilibrium& x : found) {
        if (x.is_ok) j["equilibria"].push_back(one(numbers, x));
    }
    const int delivered = deliver(options.common, dump(j));
    return delivered == done ? status : delivered;
}

}  // namespace

Work declare_equilibrium(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    declare(words, options->words);
    words.add_option("--starts", options->starts, "Look from N starts and list the different equilibria found (1)")->type_name("N");
    words.add_option("--seed", options->seed, "Of the further starts (1)")->type_name("N");
    words.add_option("--state", options->state, "Where to start; without it: [initial]")->type_name("FILE");
    return [options] { return equilibrium(*options); };
}

}  // namespace linkwright::cli
