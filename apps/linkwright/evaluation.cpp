#include "evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linkwright/formulation/kane/evaluation.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/hoist.hpp"
#include "linkwright/program/lower.hpp"
#include "verbs.hpp"

namespace linkwright::cli {

namespace {

using formulation::kane::Evaluation;
using formulation::kane::Plan;

constexpr sym::Budget to_expand{.terms = 20'000, .time = std::chrono::seconds(4)};

void add(program::Operations& sum, const program::Operations& n) {
    sum.add += n.add, sum.mul += n.mul, sum.div += n.div, sum.sqrt += n.sqrt, sum.sincos += n.sincos, sum.other += n.other;
}

struct Cost {
    program::Operations run, setup;
    std::size_t matrices = 0, loops = 0;  ///< of `run`: operations in formulas and in loops
};

Cost cost(const Plan& plan) {
    Cost c;
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

int count_evaluation(const SharedOptions& common, const Loaded& loaded, const std::string& which) {
    static constexpr std::array all{Evaluation::expanded, Evaluation::matrices, Evaluation::intermediates};
    std::vector<Evaluation> wanted;
    for (const Evaluation e : all) {
        if (which == "all" || which == to_string(e)) wanted.push_back(e);
    }
    if (wanted.empty()) {
        report_error(fmt::format("--evaluation takes expanded, matrices, intermediates or all, not '{}'", which));
        return wrong_input;
    }
    if (common.formulation != "kane") {
        report_error(fmt::format("--evaluation is about Kane's equations, not '{}'", common.formulation), "--formulation kane");
        return wrong_input;
    }
    const sym::PoolScope scope(*loaded.model->pool);
    const formulation::System system = formulation::set_up(*loaded.model, loaded.topology);
    if (!system.problems.empty()) {
        for (const Diagnostic& problem : system.problems) report_error(problem.what, problem.hint);
        return wrong_input;
    }
    nlohmann::ordered_json j;
    j["model"] = loaded.model->name;
    j["formulation"] = "kane";
    std::string out = fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}\n", "M and f", "add", "mul", "div", "sqrt", "sincos", "other", "total", "setup");
    std::string remarks;
    for (const Evaluation e : wanted) {
        const Plan plan = formulation::kane::plan(system, e, to_expand);
        const Cost c = cost(plan);
        const program::Operations& n = c.run;
        const std::string name(to_string(e));
        j["evaluations"][name] = to_json(n);
        j["evaluations"][name]["setup"] = to_json(c.setup);
        out += fmt::format("{:<14}{:>8}{:>8}{:>6}{:>6}{:>8}{:>7}{:>9}{:>8}{}\n", name, n.add, n.mul, n.div, n.sqrt, n.sincos, n.other, n.total(), c.setup.total(),
                           plan.why_not.empty() ? "" : "   and more");
        if (e == Evaluation::expanded) {
            j["evaluations"][name]["terms"] = plan.terms;
            if (plan.why_not.empty()) remarks += fmt::format("expanded: {} products in all\n", plan.terms);
        }
        if (!plan.why_not.empty()) {
            j["evaluations"][name]["why_not"] = plan.why_not;
            remarks += fmt::format("expanded: {}\n", plan.why_not);
        }
        if (e == Evaluation::matrices) {
            j["evaluations"][name]["loops"] = {{"add", plan.loops.add}, {"mul", plan.loops.mul}};
            remarks += fmt::format("matrices: {} operations in the entries, {} in the loops that multiply them\n", c.matrices, c.loops);
        }
    }
    if (common.json) return deliver(common, dump(j));
    remarks += "setup: operations on parameters alone, worked out once; none with --freeze all\n";
    return deliver(common, out + remarks);
}

}  // namespace linkwright::cli
