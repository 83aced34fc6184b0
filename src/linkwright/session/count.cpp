#include "linkwright/session/count.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "linkwright/codegen/elimination.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/formulation/recursive/derivatives.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/program/elimination.hpp"
#include "linkwright/program/hoist.hpp"
#include "linkwright/session/eliminated.hpp"
#include "linkwright/session/watch.hpp"
#include "linkwright/session/workbench.hpp"
#include "linkwright/sym/readable.hpp"

namespace linkwright::session {

std::vector<CountedProgram> count_programs(const eom::EquationsOfMotion& equations) {
    const sym::PoolScope scope(*equations.pool);
    const eom::EquationsOfMotion e = codegen::with_states_as_speeds(equations);
    std::vector<sym::Expr> parameters, symbols{e.t};
    for (const eom::Parameter& p : e.parameters) parameters.push_back(p.symbol);
    for (const auto* list : {&e.q, &e.u, &e.udot}) symbols.insert(symbols.end(), list->begin(), list->end());
    for (const eom::Input& w : e.inputs) symbols.push_back(w.symbol);
    for (const eom::Constraint& c : e.constraints) symbols.push_back(c.lambda);
    std::vector<CountedProgram> all;
    const auto add = [&](const char* name, const char* about, const std::vector<sym::Expr>& outputs) {
        const program::Hoisted hoisted = program::hoisted(outputs, symbols, parameters);
        all.push_back({name, about, program::count(hoisted.run), program::count(hoisted.setup)});
    };
    std::vector<sym::Expr> M, dynamics;
    for (std::size_t i = 0; i < e.M.size(); ++i) M.insert(M.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    dynamics = M;
    dynamics.insert(dynamics.end(), e.f.begin(), e.f.end());
    for (const eom::Constraint& c : e.constraints) {
        dynamics.insert(dynamics.end(), c.G.begin(), c.G.end());
        dynamics.push_back(c.gamma);
    }
    if (e.constraints.empty()) {
        add("forward", "u' from q, u and inputs", eom::accelerations(e));
    } else {
        add("forward", "M, f, G, gamma; a linear system is solved after it", dynamics);
    }
    add("inverse", e.constraints.empty() ? "M u' - f from q, u, u'" : "M u' + G' lambda - f from q, u, u', lambda",
        codegen::missing_forces(e));
    add("mass_matrix", "M", M);
    add("forcing", "f", e.f);
    add("rates", "q' from q and u", e.qdot);
    add("energy", "T and V", {e.energy.kinetic, e.energy.potential});
    return all;
}

namespace {

/// u̇ with its derivatives, of what has them.
std::optional<CountedProgram> count_derivatives(Workbench& bench, const topology::Topology& topology) {
    const auto d = formulation::recursive::differentiate_accelerations(bench.model(), topology);
    if (!d) return std::nullopt;
    const sym::PoolScope scope(*d->pool);
    std::vector<sym::Expr> symbols{d->t}, outputs = d->a;
    for (const auto* list : {&d->q, &d->x, &d->u, &d->w}) symbols.insert(symbols.end(), list->begin(), list->end());
    for (const auto* m : {&d->by_q, &d->by_x, &d->by_u, &d->by_w, &d->by_tau}) {
        for (const auto& row : *m) outputs.insert(outputs.end(), row.begin(), row.end());
    }
    const program::Hoisted hoisted = program::hoisted(outputs, symbols, d->parameters);
    return CountedProgram{"derivatives", "u' and its derivatives by q, u, inputs and forces", program::count(hoisted.run),
                          program::count(hoisted.setup)};
}

Json json_of(const std::vector<CountedProgram>& all) {
    Json j;
    for (const CountedProgram& c : all) {
        j[c.name] = to_json(c.run);
        j[c.name]["setup"] = to_json(c.setup);
    }
    return j;
}

}  // namespace

Result<CountedFormulation> count(const Session& session, bool derivatives) {
    Report report;
    const Lease bench = borrow(session, "recursive", report);
    if (!bench) return report;
    const eom::EquationsOfMotion& e = bench->equations();
    CountedFormulation counted{e.name, e.formulation, !e.constraints.empty(), count_programs(e)};
    if (counted.has_constraints) {
        const Eliminated eliminated = eliminate_at_start(*bench);
        counted.pivots = eliminated.package.pivots, counted.why_no_pivots = eliminated.why_not;
        if (const codegen::Function* f = eliminated.package.find("elimination"))
            counted.programs.insert(counted.programs.begin() + 1, {"elimination", "u', lambda with M, f, G, gamma, by the pivots below",
                                                                   f->operations, counted.programs[0].setup});
    }
    if (!derivatives) return {report, std::move(counted)};
    std::optional<CountedProgram> more = count_derivatives(*bench, session.topology());
    if (!more) {
        report.error("--derivatives: accelerations of this model cannot be written out with their derivatives",
                     "that is for rigid trees whose speeds are those of their joints");
        return report;
    }
    counted.programs.insert(counted.programs.begin() + 1, std::move(*more));
    return {report, std::move(counted)};
}

Json to_json(const CountedFormulation& counted) {
    Json j;
    j["model"] = counted.model;
    j["formulation"] = counted.formulation;
    j["programs"] = json_of(counted.programs);
    if (!counted.has_constraints) return j;
    Json& e = j["elimination"];
    if (!counted.pivots) {
        e["why_not"] = counted.why_no_pivots;
        return j;
    }
    e["pivots"] = Json::array();
    for (const codegen::PivotChoice::Pair& p : counted.pivots->pairs)
        e["pivots"].push_back({{"speed", p.speed}, {"row", p.row}, {"value", p.value}, {"least", p.least}});
    e["independent"] = counted.pivots->independent;
    e["most_growth"] = program::Elimination::most_growth;
    return j;
}

Result<std::vector<CountedFormulation>> count_all(const Session& session, const OnStep& on_step) {
    Report report;
    Watch watch(on_step, "formulations");
    std::vector<CountedFormulation> all;
    for (const formulation::Formulation& f : formulation::formulations()) {
        if (!watch(all.size(), formulation::formulations().size())) return watch.tell(report), report;
        const model::Model alone = model::copy(session.model(), std::make_shared<sym::Pool>());
        const topology::Topology topology = std::move(*topology::analyse(alone).topology);
        const formulation::Derived derived = f.derive(alone, topology, {});
        report.add(derived.problems);
        if (!derived.equations) return report;
        all.push_back(
            {session.model().name, std::string(f.name), !derived.equations->constraints.empty(), count_programs(*derived.equations)});
    }
    return {report, std::move(all)};
}

Json to_json(const std::vector<CountedFormulation>& all) {
    Json j;
    j["model"] = all.front().model;
    for (const CountedFormulation& f : all) j["formulations"][f.formulation]["programs"] = json_of(f.programs);
    return j;
}

Result<formulation::recursive::BaseParameters> base_parameters(const Session& session) {
    Report report;
    for (const model::Body& body : session.model().bodies) {
        if (!body.beam) continue;
        report.error(fmt::format("base parameters are those of rigid bodies, and '{}' is a beam", body.name),
                     "what its equations depend on are its shape constants: linkwright check lists them");
        return report;
    }
    return {report, formulation::recursive::base_parameters(*own_model(session))};
}

std::string written(const sym::Expr& e) {
    const auto formula = sym::readable(e);
    return formula ? sym::write(*formula) : sym::print(e);
}

Json to_json(const formulation::recursive::BaseParameters& base, const std::string& model) {
    Json j;
    j["model"] = model;
    j["standard"] = base.standard;
    j["base"] = base.all.size() + base.zeros;
    j["zero"] = base.zeros;
    j["parameters"] = Json::array();
    for (const auto& p : base.all) j["parameters"].push_back({{"name", p.name}, {"definition", written(p.definition)}, {"value", p.value}});
    j["without_effect"] = base.without_effect;
    j["zeros_without_effect"] = base.zeros_without_effect;
    return j;
}

}  // namespace linkwright::session
