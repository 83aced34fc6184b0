#include "linkwright/program/count.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/formulation/recursive/base_parameters.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/program/hoist.hpp"
#include "linkwright/sym/readable.hpp"
#include "evaluation.hpp"
#include "session.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

struct Options {
    SharedOptions common;
    bool base_parameters = false;
    std::string evaluation;
};

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
        const program::Hoisted hoisted = program::hoisted(outputs, symbols, parameters);
        all.push_back({name, about, program::count(hoisted.run), program::count(hoisted.setup)});
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

nlohmann::ordered_json json_of(const std::vector<Counted>& all) {
    nlohmann::ordered_json j;
    for (const Counted& c : all) {
        j[c.name] = to_json(c.run);
        j[c.name]["setup"] = to_json(c.setup);
    }
    return j;
}

int count_one(const Options& options, const Loaded& loaded) {
    const auto equations = derive(options.common, loaded);
    if (!equations) return wrong_input;
    const std::vector<Counted> all = count_all(*equations);
    if (options.common.json) {
        nlohmann::ordered_json j;
        j["model"] = equations->name;
        j["formulation"] = equations->formulation;
        j["programs"] = json_of(all);
        return deliver(options.common, dump(j));
    }
    std::string out = fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}\n", equations->formulation, "add", "mul", "div", "sqrt", "sincos", "other", "total", "setup");
    for (const Counted& c : all) {
        const program::Operations& n = c.run;
        out += fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}   {}\n", c.name, n.add, n.mul, n.div, n.sqrt, n.sincos, n.other, n.total(), c.setup.total(), c.about);
    }
    out += "setup: operations on parameters alone, worked out once; none with --freeze all\n";
    return deliver(options.common, out);
}

/// Every formulation, a row for each: sums, products and quotients.
int count_formulations(Options options, const Loaded& loaded) {
    nlohmann::ordered_json j;
    j["model"] = loaded.model->name;
    std::string out = fmt::format("{:<22}{:>10}{:>10}{:>13}{:>9}\n", "add + mul + div", "forward", "inverse", "mass matrix", "setup");
    bool is_constrained = false;
    for (const formulation::Formulation& f : formulation::formulations()) {
        options.common.formulation = f.name;
        // In a pool of its own: a pool that folds would find again what another formulation has written, and count that.
        Loaded alone{std::make_unique<model::Model>(model::copy(*loaded.model, std::make_shared<sym::Pool>())), {}};
        alone.topology = std::move(*topology::analyse(*alone.model).topology);
        const auto equations = derive(options.common, alone);
        if (!equations) return wrong_input;
        const std::vector<Counted> all = count_all(*equations);
        j["formulations"][std::string(f.name)]["programs"] = json_of(all);
        const auto of = [](const program::Operations& n) { return n.add + n.mul + n.div; };
        out += fmt::format("{:<22}{:>10}{:>10}{:>13}{:>9}{}\n", f.name, of(all[0].run), of(all[1].run), of(all[2].run), of(all[0].setup),
                           equations->constraints.empty() ? "" : "   *");
        is_constrained |= !equations->constraints.empty();
    }
    if (options.common.json) return deliver(options.common, dump(j));
    if (is_constrained) out += "* constraints: forward is M, f, G, gamma; a linear system is solved after it\n";
    out += "setup: of forward, operations on parameters alone, worked out once; none with --freeze all\n";
    return deliver(options.common, out);
}

/// What the equations depend on.
int tell_base_parameters(const Options& options, const Loaded& loaded) {
    const auto base = formulation::recursive::base_parameters(*loaded.model);
    const auto written = [](const sym::Expr& e) {
        const auto formula = sym::readable(e);
        return formula ? sym::write(*formula) : sym::print(e);
    };
    if (options.common.json) {
        nlohmann::ordered_json j;
        j["model"] = loaded.model->name;
        j["standard"] = base.standard;
        j["base"] = base.all.size() + base.zeros;
        j["zero"] = base.zeros;
        j["parameters"] = nlohmann::ordered_json::array();
        for (const auto& p : base.all) j["parameters"].push_back({{"name", p.name}, {"definition", written(p.definition)}, {"value", p.value}});
        j["without_effect"] = base.without_effect;
        j["zeros_without_effect"] = base.zeros_without_effect;
        return deliver(options.common, dump(j));
    }
    std::string out = fmt::format("{} base parameters of {} inertial ones; {} of them are 0 in this model\n", base.all.size() + base.zeros, base.standard, base.zeros);
    std::size_t width = 0;
    for (const auto& p : base.all) width = std::max(width, p.name.size());
    for (const auto& p : base.all) out += fmt::format("{:<{}} {:>13.6g} = {}\n", p.name, width, p.value, written(p.definition));
    if (!base.without_effect.empty()) out += fmt::format("without effect: {}\n", fmt::join(base.without_effect, ", "));
    if (!base.zeros_without_effect.empty()) out += fmt::format("without effect and 0: {} more\n", base.zeros_without_effect.size());
    out += "M mass, X Y Z first moments, XX XY ... inertia of a link with all that counts with it, z along its joint's axis;\n"
           "XX is XX - YY where YY counts with the inner link\n";
    return deliver(options.common, out);
}

int run(const Options& options) {
    const bool is_all = options.common.formulation == "all";
    SharedOptions common = options.common;
    if (is_all) common.formulation = formulation::formulations().front().name;
    const auto loaded = load(common);
    if (!loaded) return wrong_input;
    if (!options.evaluation.empty()) return count_evaluation(options.common, *loaded, options.evaluation);
    if (options.base_parameters) return tell_base_parameters(options, *loaded);
    return is_all ? count_formulations(options, *loaded) : count_one(options, *loaded);
}

}  // namespace

Work declare_count(CLI::App& words) {
    auto options = std::make_shared<Options>();
    options->common.formulation = "recursive";
    declare(words, options->common);
    words.get_option("--formulation")->description("One of those of derive, or all for a table (default recursive; kane with --evaluation)");
    words.add_flag("--base-parameters", options->base_parameters, "The combinations of masses and inertias that the equations depend on, and what has no effect");
    words.add_option("--evaluation", options->evaluation, "Kane's M and f evaluated another way: expanded, matrices, intermediates, or all three")->type_name("NAME");
    return [options, formulation = words.get_option("--formulation")] {
        if (formulation->count() == 0 && !options->evaluation.empty()) options->common.formulation = "kane";
        return run(*options);
    };
}

}  // namespace linkwright::cli
