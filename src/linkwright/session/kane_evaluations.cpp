#include "linkwright/session/kane_evaluations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "linkwright/program/hoist.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/session/watch.hpp"
#include "linkwright/session/workbench.hpp"

namespace linkwright::session {

namespace {

using formulation::kane::Evaluation;
using formulation::kane::Plan;

constexpr sym::Budget to_expand{.terms = 20'000, .time = std::chrono::seconds(4)};

void add(program::Operations& sum, const program::Operations& n) {
    sum.add += n.add, sum.mul += n.mul, sum.div += n.div, sum.sqrt += n.sqrt, sum.sincos += n.sincos, sum.other += n.other;
}

KaneEvaluationCount count(Evaluation evaluation, const Plan& plan) {
    KaneEvaluationCount c{.evaluation = evaluation,
                          .run = {},
                          .setup = {},
                          .loop_add = plan.loops.add,
                          .loop_mul = plan.loops.mul,
                          .terms = plan.terms,
                          .why_not = plan.why_not};
    for (const Plan::Stage& stage : plan.stages) {
        if (stage.outputs.empty()) continue;
        const sym::PoolScope scope(stage.outputs[0].pool());
        std::vector<sym::Expr> inputs = stage.symbols, parts = program::fixed_parts(stage.outputs, stage.parameters);
        inputs.insert(inputs.end(), stage.given.begin(), stage.given.end());
        std::erase_if(parts, [&](const sym::Expr& e) { return std::ranges::find(stage.given, e) != stage.given.end(); });
        inputs.insert(inputs.end(), parts.begin(), parts.end());
        add(c.run, program::count(program::lower(stage.outputs, inputs)));
        add(c.setup, program::count(program::lower(parts, stage.parameters)));
    }
    c.matrices = c.run.total();
    c.loops = plan.loops.add + plan.loops.mul;
    c.run.add += plan.loops.add;
    c.run.mul += plan.loops.mul;
    return c;
}

}  // namespace

Result<KaneEvaluations> count_kane_evaluations(const Session& session, const std::string& which, const OnStep& on_step) {
    Report report;
    Watch watch(on_step, "evaluations");
    static constexpr std::array all{Evaluation::expanded, Evaluation::matrices, Evaluation::intermediates};
    std::vector<Evaluation> wanted;
    for (const Evaluation e : all) {
        if (which == "all" || which == to_string(e)) wanted.push_back(e);
    }
    if (wanted.empty())
        return report.error(fmt::format("--evaluation takes expanded, matrices, intermediates or all, not '{}'", which)), report;
    if (const std::string name = formulation_of(session, "kane"); name != "kane") {
        return report.error(fmt::format("--evaluation is about Kane's equations, not '{}'", name), "--formulation kane"), report;
    }
    const std::unique_ptr<model::Model> model = own_model(session);
    const sym::PoolScope scope(*model->pool);
    const formulation::System system = formulation::set_up(*model, session.topology());
    if (!system.problems.empty()) {
        for (const Diagnostic& problem : system.problems) report.error(problem.what, problem.hint);
        return report;
    }
    KaneEvaluations r{.model = model->name, .counts = {}};
    for (const Evaluation e : wanted) {
        if (!watch(r.counts.size(), wanted.size())) return watch.tell(report), report;
        r.counts.push_back(count(e, formulation::kane::plan(system, e, to_expand)));
    }
    return {report, std::move(r)};
}

Json to_json(const KaneEvaluations& r) {
    Json j;
    j["model"] = r.model;
    j["formulation"] = "kane";
    for (const KaneEvaluationCount& c : r.counts) {
        Json& k = j["evaluations"][std::string(to_string(c.evaluation))];
        k = to_json(c.run);
        k["setup"] = to_json(c.setup);
        if (c.evaluation == Evaluation::expanded) k["terms"] = c.terms;
        if (!c.why_not.empty()) k["why_not"] = c.why_not;
        if (c.evaluation == Evaluation::matrices) k["loops"] = {{"add", c.loop_add}, {"mul", c.loop_mul}};
    }
    return j;
}

}  // namespace linkwright::session
