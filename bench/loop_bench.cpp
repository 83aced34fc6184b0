// Closed chains: what an evaluation of u̇ takes, and a second of motion at 1e-8.
//
//     loop_bench [MODEL…]     folders of models/; a few of them unless told
//
// "program" is compiled code for M, f, G, γ; "system" takes M and G apart and solves for u̇ and λ. In a motion there are also the integrator,
// projections and rows. Seconds of CPU, the least of several runs.

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "least_time.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace {

using namespace linkwright;
using bench::least_time;

eom::EquationsOfMotion equations_of(const std::string& folder) {
    const model::Reading reading = model::read_file(LINKWRIGHT_ROOT "/models/" + folder + "/model.toml");
    const topology::Analysis analysis = topology::analyse(reading.model.value());
    return formulation::recursive::derive(*reading.model, analysis.topology.value(), {}).equations.value();
}

std::vector<sym::Expr> matrices(const eom::EquationsOfMotion& e) {
    std::vector<sym::Expr> list = e.f;
    for (std::size_t i = 0; i < e.M.size(); ++i)
        list.insert(list.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    for (const eom::Constraint& c : e.constraints) list.insert(list.end(), c.G.begin(), c.G.end()), list.push_back(c.gamma);
    return list;
}

std::string row(const std::string& folder) {
    const eom::EquationsOfMotion e = equations_of(folder);
    const sym::PoolScope scope(*e.pool);
    const numeric::CompiledEquations numbers(e, jit::native());
    const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers), 0);
    if (!start.is_ok()) throw std::runtime_error(folder + ": " + start.why);
    const std::vector<sym::Expr> all = matrices(e);
    const auto program = numbers.compile(all);
    std::vector<double> in{0.0}, out(all.size());
    for (const Eigen::VectorXd* part : {&start.state.q, &start.state.x, &start.state.u, &start.state.w})
        in.insert(in.end(), part->begin(), part->end());
    const double compiled = least_time(2e-3, 9, [&] { program(in, out); });
    const numeric::Dynamics d = numbers.dynamics(start.state);
    const Eigen::Index rank = solve::solve_descriptor(d.M, d.f, d.G, d.gamma).rank;
    solve::DescriptorFactor factor;
    Eigen::VectorXd udot, lambda;
    const double system = least_time(2e-3, 9, [&] { factor.factor(d.M, d.G, rank), factor.solve(d.f, d.gamma, udot, lambda); });
    motion::SimulateOptions o;
    o.tolerance = 1e-8;
    o.times = {0, 1};
    motion::Motion motion;
    const double run = least_time(0.02, 3, [&] { motion = motion::simulate(numbers, start.state, o); });
    if (!motion.is_ok()) throw std::runtime_error(folder + ": " + motion.why);
    return fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {} | {:.2f} |\n", folder, e.u.size(), e.constraints.size(), rank,
                       compiled * 1e6, system * 1e6, (compiled + system) * 1e6, motion.statistics.evaluations, run * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> folders(argv + 1, argv + argc);
    if (folders.empty()) folders = {"four_bar", "spatial_four_bar", "bennett", "andrews_squeezer", "stewart_platform", "baruh_four_bar_b"};
    fmt::print(
        "| | speeds | rows | rank | program, µs | system, µs | u̇, µs | evaluations in 1 s | 1 s of motion, ms "
        "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const std::string& folder : folders) fmt::print("{}", row(folder));
}
