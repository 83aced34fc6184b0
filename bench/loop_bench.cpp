// Closed chains: what an evaluation of u̇ takes, and a second of motion at 1e-8.
//
//     loop_bench [MODEL…]     folders of models/; a few of them unless told
//
// "program" is compiled code for M, f, G, γ; "system" takes M and G apart and solves for u̇ and λ. In a motion there are also the integrator,
// projections and rows. Seconds of CPU, the least of several runs.
//
// The second table is one evaluation of dynamics with multipliers, M, f, G, γ included, in three ways that must agree first: a general solver for whatever
// M and G (solve_descriptor with the rank known, Eigen's pivoted QR), the library's reflections with memory of their own, and straight-line code with pivots chosen at
// a state (program/elimination.hpp).

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
#include "linkwright/numeric/eliminated_dynamics.hpp"
#include "linkwright/solve/descriptor.hpp"
#include "n_four_bar.hpp"

namespace {

using namespace linkwright;
using bench::least_time;

eom::EquationsOfMotion equations_of(const std::string& name) {
    const std::string rows = "n_four_bar ";
    const model::Reading reading = name.starts_with(rows) ? model::read(bench::n_four_bar(std::stoi(name.substr(rows.size()))))
                                                          : model::read_file(LINKWRIGHT_ROOT "/models/" + name + "/model.toml");
    const topology::Analysis analysis = topology::analyse(reading.model.value());
    return formulation::recursive::derive(*reading.model, analysis.topology.value(), {}).equations.value();
}

std::vector<sym::Expr> matrices(const eom::EquationsOfMotion& e) {
    std::vector<sym::Expr> list;
    for (std::size_t i = 0; i < e.M.size(); ++i)
        list.insert(list.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    list.insert(list.end(), e.f.begin(), e.f.end());
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

/// M, f, G, γ where a program has left them.
void spread(const std::vector<double>& out, numeric::Dynamics& d) {
    const Eigen::Index n = d.M.rows(), m = d.G.rows();
    std::size_t k = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
        for (Eigen::Index j = 0; j <= i; ++j) d.M(i, j) = d.M(j, i) = out[k++];
    }
    for (Eigen::Index i = 0; i < n; ++i) d.f[i] = out[k++];
    for (Eigen::Index r = 0; r < m; ++r) {
        for (Eigen::Index j = 0; j < n; ++j) d.G(r, j) = out[k++];
        d.gamma[r] = out[k++];
    }
}

std::string compared(const std::string& name) {
    const eom::EquationsOfMotion e = equations_of(name);
    const sym::PoolScope scope(*e.pool);
    const numeric::CompiledEquations numbers(e, jit::native());
    const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers), 0);
    if (!start.is_ok()) throw std::runtime_error(name + ": " + start.why);
    const std::vector<sym::Expr> all = matrices(e);
    const auto program = numbers.compile(all);
    const Eigen::VectorXd in = numeric::arguments(numbers.layout(), start.state);
    const std::span<const double> at(in.data(), static_cast<std::size_t>(in.size()));
    std::vector<double> out(all.size());
    program(at, out);
    numeric::Dynamics d = numbers.dynamics(start.state);
    const Eigen::Index rank = solve::solve_descriptor(d.M, d.f, d.G, d.gamma).rank;
    solve::DescriptorSolution general;
    solve::DescriptorFactor factor;
    Eigen::VectorXd udot, lambda;
    const auto by_general = [&] {
        program(at, out), spread(out, d);
        general = solve::solve_descriptor(d.M, d.f, d.G, d.gamma, rank);
    };
    const auto by_reflections = [&] {
        program(at, out), spread(out, d);
        factor.factor(d.M, d.G, rank), factor.solve(d.f, d.gamma, udot, lambda);
    };
    program::Program system = numbers.lower(all);
    const double made = least_time(0, 1, [&] { numeric::EliminatedDynamics(numbers, system, rank).choose(out); });
    numeric::EliminatedDynamics elimination(numbers, std::move(system), rank);
    if (!elimination.choose(out)) throw std::runtime_error(name + ": " + elimination.why());
    by_general(), by_reflections();
    if (!elimination.solve(at)) throw std::runtime_error(name + ": not in the domain of the state where pivots were chosen");
    const auto apart = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& l) {
        return std::max((a - udot).norm() / (1e-3 + udot.norm()), (l - lambda).norm() / (1e-3 + lambda.norm()));
    };
    const double difference = std::max(apart(elimination.udot(), elimination.lambda()), apart(general.udot, general.lambda));
    if (!(difference < 1e-9)) throw std::runtime_error(fmt::format("{}: the ways differ by {:.2g}", name, difference));
    const double a = least_time(2e-3, 9, by_general), b = least_time(2e-3, 9, by_reflections),
                 c = least_time(2e-3, 9, [&] { elimination.solve(at); });
    return fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.3f} | {:.1f} | {:.1f} | {:.1e} | {:.1f} |\n", name, e.u.size(),
                       e.constraints.size(), a * 1e6, b * 1e6, c * 1e6, a / c, b / c, difference, made * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> folders(argv + 1, argv + argc);
    if (folders.empty()) folders = {"four_bar", "spatial_four_bar", "bennett", "andrews_squeezer", "stewart_platform", "baruh_four_bar_b"};
    fmt::print(
        "| | speeds | rows | rank | program, µs | system, µs | u̇, µs | evaluations in 1 s | 1 s of motion, ms "
        "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const std::string& folder : folders) fmt::print("{}", row(folder));
    if (argc == 1)
        folders = {"four_bar", "stewart_platform", "bennett", "andrews_squeezer", "n_four_bar 2", "n_four_bar 10", "n_four_bar 40"};
    fmt::print(
        "\n| u̇ and λ | speeds | rows | general solver, µs | reflections, µs | elimination, µs | general / elimination | reflections / "
        "elimination | "
        "difference | made in, ms |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (const std::string& folder : folders) fmt::print("{}", compared(folder));
}
