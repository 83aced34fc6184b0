#include "linkwright/program/count.hpp"

#include <fmt/format.h>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/program/hoist.hpp"
#include "linkwright/program/lower.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Counted {
    std::string name, about;
    program::Operations run, setup;
};

/// Every program of the equations: what runs for each state, and what depends on parameters only and runs once.
std::vector<Counted> count_all(const eom::EquationsOfMotion& e) {
    const sym::PoolScope scope(*e.pool);
    std::vector<sym::Expr> parameters, symbols{e.t};
    for (const eom::Parameter& p : e.parameters) parameters.push_back(p.symbol);
    for (const auto* list : {&e.q, &e.u, &e.udot}) symbols.insert(symbols.end(), list->begin(), list->end());
    for (const eom::Input& w : e.inputs) symbols.push_back(w.symbol);
    for (const eom::Constraint& c : e.constraints) symbols.push_back(c.lambda);
    std::vector<Counted> all;
    const auto add = [&](const char* name, const char* about, const std::vector<sym::Expr>& outputs) {
        const std::vector<sym::Expr> parts = program::fixed_parts(outputs, parameters);
        std::vector<sym::Expr> inputs = symbols;
        inputs.insert(inputs.end(), parts.begin(), parts.end());
        all.push_back({name, about, program::count(program::lower(outputs, inputs)), program::count(program::lower(parts, parameters))});
    };
    std::vector<sym::Expr> M, dynamics, inverse = e.inverse;
    for (std::size_t i = 0; i < e.M.size(); ++i) M.insert(M.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    dynamics = M;
    dynamics.insert(dynamics.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) {
        dynamics.insert(dynamics.end(), c.G.begin(), c.G.end());
        dynamics.push_back(c.gamma);
    }
    if (inverse.empty()) {
        for (std::size_t i = 0; i < e.u.size(); ++i) {
            sym::Expr sum = -e.f[i];
            for (std::size_t j = 0; j < e.u.size(); ++j) sum += e.M[i][j] * e.udot[j];
            inverse.push_back(sum);
        }
    }
    if (e.constraints.empty()) {
        add("forward", "u' from q, u and inputs", eom::accelerations(e));
    } else {
        add("forward", "M, f, G, gamma; a linear system is solved after it", dynamics);
    }
    add("inverse", "M u' - f from q, u, u'", inverse);
    add("mass_matrix", "M", M);
    add("forcing", "f", e.f);
    add("rates", "q' from q and u", e.qdot);
    add("energy", "T and V", {e.energy.kinetic, e.energy.potential});
    return all;
}

int run(const Common& common) {
    const auto loaded = load(common);
    if (!loaded) return wrong_input;
    const auto equations = derive(common, *loaded);
    if (!equations) return wrong_input;
    const std::vector<Counted> all = count_all(*equations);
    if (common.json) {
        nlohmann::ordered_json j;
        j["model"] = equations->name;
        j["formulation"] = equations->formulation;
        for (const Counted& c : all) {
            j["programs"][c.name] = to_json(c.run);
            j["programs"][c.name]["setup"] = to_json(c.setup);
        }
        return deliver(common, dump(j));
    }
    std::string out = fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}\n", equations->formulation, "add", "mul", "div", "sqrt", "sincos", "other", "total", "setup");
    for (const Counted& c : all) {
        const program::Operations& n = c.run;
        out += fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}   {}\n", c.name, n.add, n.mul, n.div, n.sqrt, n.sincos, n.other, n.total(), c.setup.total(), c.about);
    }
    out += "setup: operations on parameters alone, worked out once; none with --freeze all\n";
    return deliver(common, out);
}

}  // namespace

Work declare_count(CLI::App& words) {
    auto common = std::make_shared<Common>();
    common->formulation = "recursive";
    declare(words, *common);
    return [common] { return run(*common); };
}

}  // namespace linkwright::cli
