// The formulations beside one another: how long each derives, how large the graph becomes, how many operations its programs
// take, and how long native code needs for one state.
//
//     formulations_bench [model.toml ...]
//
// Parameters have their values. Each formulation works in a pool of its own. Times are the least of several runs.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>

#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/formulations.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/copy.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/model/values.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/lower.hpp"

namespace {

using namespace linkwright;
using sym::Expr;
using Clock = std::chrono::steady_clock;

double least_time(double shortest, const std::function<void()>& f) {
    double best = 1e9;
    for (int round = 0; round < 25; ++round) {
        int n = 0;
        const auto begin = Clock::now();
        double seconds = 0;
        do {
            f(), ++n;
            seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        } while (seconds < shortest);
        best = std::min(best, seconds / n);
    }
    return best;
}

struct Measured {
    std::size_t operations;
    double microseconds;
};

Measured measure(const model::Model& model, const eom::EquationsOfMotion& e, const std::vector<Expr>& outputs) {
    const sym::PoolScope scope(*e.pool);
    const model::ParameterValues value(model);
    std::vector<sym::Binding> constants;
    for (const eom::Parameter& p : e.parameters) {  // equations may live in another pool, and need not have all parameters
        const auto named = [&](const model::Parameter& x) { return x.symbol.symbol().name == p.symbol.symbol().name; };
        constants.emplace_back(p.symbol, Expr(value(std::ranges::find_if(model.parameters, named)->symbol)));
    }
    std::vector<Expr> inputs{e.t};
    for (const auto* list : {&e.q, &e.u}) inputs.insert(inputs.end(), list->begin(), list->end());
    for (const eom::Input& w : e.inputs) inputs.push_back(w.symbol);
    const program::Program program = program::lower(outputs, inputs, constants);
    const auto run = jit::compile(program);
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<double> in(inputs.size()), out(outputs.size());
    for (double& x : in) x = between(random);
    const program::Operations n = program::count(program);
    return {n.add + n.mul + n.div, least_time(2e-4, [&] { (*run)(in, out); }) * 1e6};
}

void measure(const std::string& file) {
    const model::Reading reading = model::read_file(file);
    const model::Model& model = reading.model.value();
    const topology::Analysis analysis = topology::analyse(model);
    fmt::print("\n{}\n\n| | derive, ms | nodes | M f G γ | μs | u̇ of the tree | μs |\n|---|---:|---:|---:|---:|---:|---:|\n", model.name);
    for (const formulation::Formulation& f : formulation::formulations()) {
        std::optional<model::Model> copied;
        formulation::Derived derived;
        const double seconds = least_time(0, [&] {
            derived = {};
            copied = model::copy(model, std::make_shared<sym::Pool>());
            derived = f.derive(*copied, *analysis.topology, {});
        });
        const eom::EquationsOfMotion& e = derived.equations.value();
        std::vector<Expr> dynamics = e.f;
        for (std::size_t i = 0; i < e.M.size(); ++i)
            dynamics.insert(dynamics.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
        for (const eom::Constraint& c : e.constraints) {
            dynamics.insert(dynamics.end(), c.G.begin(), c.G.end());
            dynamics.push_back(c.gamma);
        }
        const std::size_t nodes = e.pool->size();
        const Measured all = measure(*copied, e, dynamics);
        fmt::print("| {} | {:.2f} | {} | {} | {:.3f} | ", f.name, seconds * 1e3, nodes, all.operations, all.microseconds);
        if (e.constraints.empty()) {
            const sym::PoolScope scope(*e.pool);
            const Measured forward = measure(*copied, e, eom::accelerations(e));
            fmt::print("{} | {:.3f} |\n", forward.operations, forward.microseconds);
        } else {
            fmt::print("– | – |\n");
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) {
        for (const char* name : {"models/triple_pendulum", "models/satellite", "models/four_bar", "bench/models/puma6",
                                 "bench/models/chain12", "bench/models/tree30f"}) {
            files.push_back(fmt::format("{}/{}/model.toml", LINKWRIGHT_ROOT, name));
        }
    }
    for (const std::string& file : files) measure(file);
}
