// Lynch's section 4.6 again: Kane's M and f by formulas multiplied out, by matrices multiplied in loops, by named intermediates;
// and, as he could not have it, by the recursion along the tree. Operations, and time by the interpreter and by native code.
//
//     strategies_bench [model.toml ...]
//
// Parameters have their values. Times are the least of many short runs.

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <random>
#include <string>

#include "linkwright/formulation/kane/evaluation.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/interpreter.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/topology/topology.hpp"

namespace {

using namespace linkwright;
using formulation::kane::Evaluation;
using formulation::kane::Plan;
using sym::Expr;
using Clock = std::chrono::steady_clock;

double least_time(const std::function<void()>& f) {
    const auto seconds = [](Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    int n = 1;
    for (;; n *= 2) {
        const auto begin = Clock::now();
        for (int k = 0; k < n; ++k) f();
        if (seconds(begin) > 5e-4) break;
    }
    double best = 1e9;
    for (int round = 0; round < 60; ++round) {
        const auto begin = Clock::now();
        for (int k = 0; k < n; ++k) f();
        best = std::min(best, seconds(begin) / n);
    }
    return best;
}

/// The stages of a plan as programs, and room for what they compute.
class Runner {
public:
    Runner(const Plan& plan, const model::Model& model, bool is_native) : plan_(plan) {
        const model::ParameterValues value(model);
        std::mt19937_64 random(3);
        std::uniform_real_distribution<double> between(-1, 1);
        std::vector<double> state;
        for (const Plan::Stage& stage : plan.stages) {
            const sym::PoolScope scope(stage.symbols[0].pool());
            std::vector<sym::Binding> constants;
            for (std::size_t i = 0; i < stage.parameters.size(); ++i)
                constants.emplace_back(stage.parameters[i], Expr(value(model.parameters[i].symbol)));
            std::vector<Expr> inputs = stage.symbols;
            inputs.insert(inputs.end(), stage.given.begin(), stage.given.end());
            const program::Program program = program::lower(stage.outputs, inputs, constants);
            const program::Operations n = program::count(program);
            operations += n.total();
            while (state.size() < stage.symbols.size()) state.push_back(between(random));
            std::vector<double>& in = in_.emplace_back(state);
            in.resize(inputs.size());
            out_.emplace_back(stage.outputs.size());
            run_.push_back(is_native ? jit::compile(program) : std::make_unique<program::Interpreter>(program));
        }
        operations += plan.loops.add + plan.loops.mul;
    }
    void operator()() {
        for (std::size_t i = 0; i < run_.size(); ++i) {
            const Plan::Stage& stage = plan_.stages[i];
            for (std::size_t k = 0; k < stage.from.size(); ++k)
                in_[i][stage.symbols.size() + k] = out_[stage.from[k].first][stage.from[k].second];
            if (!out_[i].empty()) (*run_[i])(in_[i], out_[i]);
        }
        if (plan_.loops.mul != 0) formulation::kane::multiply(plan_, out_[0]);
    }
    std::size_t operations = 0;

private:
    const Plan& plan_;
    std::vector<std::unique_ptr<program::Evaluator>> run_;
    std::vector<std::vector<double>> in_, out_;
};

void measure(const std::string& file) {
    const model::Reading reading = model::read_file(file);
    const model::Model& model = reading.model.value();
    const topology::Analysis analysis = topology::analyse(model);
    const sym::PoolScope scope(*model.pool);
    const formulation::System system = formulation::set_up(model, analysis.topology.value());
    fmt::print("{}: {} bodies, {} freedoms\n", model.name, model.bodies.size() - 1, system.mechanism.freedoms.size());
    fmt::print("  {:<16}{:>12}{:>12}{:>16}{:>14}\n", "", "plan, ms", "operations", "interpreter, us", "native, us");
    const auto row = [&](const std::string& name, double made, const Plan& plan) {
        Runner slow(plan, model, false), fast(plan, model, true);
        fmt::print("  {:<16}{:>12.2f}{:>12}{:>16.3f}{:>14.3f}{}\n", name, made * 1e3, slow.operations, least_time([&] { slow(); }) * 1e6,
                   least_time([&] { fast(); }) * 1e6, plan.why_not.empty() ? "" : "   as far as it got: " + plan.why_not);
    };
    for (const Evaluation e : {Evaluation::expanded, Evaluation::matrices, Evaluation::intermediates}) {
        const auto begin = Clock::now();
        const Plan plan = formulation::kane::plan(system, e, {.terms = 50'000, .time = std::chrono::seconds(20)});
        row(std::string(to_string(e)), std::chrono::duration<double>(Clock::now() - begin).count(), plan);
    }
    const auto begin = Clock::now();
    const formulation::Derived derived = formulation::kane::derive(model, *analysis.topology);
    const double made = std::chrono::duration<double>(Clock::now() - begin).count();
    const eom::EquationsOfMotion& e = derived.equations.value();
    Plan along_the_tree;
    Plan::Stage& stage = along_the_tree.stages.emplace_back();
    for (const auto* list : {&e.q, &e.u}) stage.symbols.insert(stage.symbols.end(), list->begin(), list->end());
    for (const eom::Input& w : e.inputs) stage.symbols.push_back(w.symbol);
    stage.symbols.push_back(e.t);
    for (const eom::Parameter& p : e.parameters) stage.parameters.push_back(p.symbol);
    for (std::size_t i = 0; i < e.M.size(); ++i)
        stage.outputs.insert(stage.outputs.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    stage.outputs.insert(stage.outputs.end(), e.f.begin(), e.f.end());
    row("along the tree", made, along_the_tree);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) {
        for (const char* name : {"lynch_triple_pendulum", "lynch_stanford_arm", "lynch_satellite"}) {
            files.push_back(fmt::format("{}/models/{}/lynch.toml", LINKWRIGHT_ROOT, name));
        }
    }
    for (const std::string& file : files) measure(file);
}
