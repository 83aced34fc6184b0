// Derivatives of forward dynamics by coordinates, speeds and forces beside one evaluation and beside differences.
//
//     derivatives_bench [--manners] [MODEL…]     folders of bench/models or models
//
// Trees: one program gives u̇, ∂u̇/∂q, ∂u̇/∂u, M⁻¹ and derivatives by inputs. "differences" are forward ones, an evaluation of u̇ for each q and u and one more, which
// have no M⁻¹ and half of the digits; "graph" is how many operations the expression graph's own derivatives of M u̇ − f would take, before anything is
// multiplied by M⁻¹. Closed chains: one evaluation is M, f, G, γ and the linear system; derivatives solve it for each column with the same factor.
// CPU time, the least of several runs. --manners lists what each way to write the derivatives takes.

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "least_time.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/derivatives.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/numeric/acceleration_derivatives.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/interpreter.hpp"

namespace {

using namespace linkwright;
using bench::least_time;
using formulation::recursive::differentiate_accelerations;
using formulation::recursive::Manner;

struct Subject {
    model::Model model;
    topology::Topology topology;
    eom::EquationsOfMotion e;

    explicit Subject(const std::string& name) {
        const std::string own = fmt::format("{}/bench/models/{}/model.toml", LINKWRIGHT_ROOT, name);
        const std::string path = std::filesystem::exists(own) ? own : fmt::format("{}/models/{}/model.toml", LINKWRIGHT_ROOT, name);
        model = model::read_file(path).model.value();
        topology = topology::analyse(model).topology.value();
        e = formulation::recursive::derive(model, topology).equations.value();
    }
};

std::size_t cost(const program::Program& p) {
    const program::Operations n = program::count(p);
    return n.add + n.mul + n.div;
}

/// States in turn: a loop over one state lets the processor learn too much.
constexpr std::size_t states = 16;

std::vector<double> random_states(const eom::EquationsOfMotion& e, std::size_t size) {
    std::mt19937_64 random(1);
    std::vector<double> in(states * size);
    for (double& x : in) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    for (std::size_t k = 0; k < states; ++k) {
        for (const auto& group : e.quaternions) {
            double square = 0;
            for (const std::size_t i : group) square += in[k * size + 1 + i] * in[k * size + 1 + i];
            for (const std::size_t i : group) in[k * size + 1 + i] /= std::sqrt(square);
        }
    }
    return in;
}

std::string tree_row(const std::string& name) {
    const Subject s(name);
    const sym::PoolScope scope(*s.e.pool);
    const numeric::CompiledEquations numbers(s.e, jit::native());
    const program::Program forward = numbers.lower(eom::accelerations(s.e));
    const numeric::DerivativeProgram derivatives = numeric::lower(differentiate_accelerations(s.model, s.topology).value(), numbers);
    std::vector<sym::Expr> columns = s.e.q, entries;
    columns.insert(columns.end(), s.e.u.begin(), s.e.u.end());
    for (const auto& entry : sym::jacobian(s.e.inverse, columns).entries) entries.push_back(entry.value);
    const std::size_t graph = cost(numbers.lower(entries, true));

    const auto run = jit::compile(forward), run_all = jit::compile(derivatives.program),
               run_single = jit::compile(derivatives.program, {.packs = false});
    const std::vector<double> in = random_states(s.e, forward.inputs);
    std::vector<double> a(forward.outputs.size()), all(derivatives.program.outputs.size()), b(a);
    std::size_t k = 0;
    const auto next = [&] { return std::span<const double>(in).subspan(forward.inputs * (k++ % states), forward.inputs); };
    const double one = least_time(2e-3, 15, [&] { (*run)(next(), a); });
    const double everything = least_time(2e-3, 15, [&] { (*run_all)(next(), all); });
    const double singly = least_time(2e-3, 15, [&] { (*run_single)(next(), all); });
    std::vector<double> moved(forward.inputs);
    const double differences = least_time(2e-3, 15, [&] {
        const auto x = next();
        (*run)(x, a);
        moved.assign(x.begin(), x.end());
        for (std::size_t j = 1; j <= s.e.q.size() + s.e.x.size() + s.e.u.size(); ++j) {
            moved[j] += 1e-8;
            (*run)(moved, b);
            moved[j] = x[j];
        }
    });
    const auto x = next();
    (*run)(x, a), (*run_all)(x, all);
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!(std::abs(a[i] - all[i]) <= 1e-8 * (1 + std::abs(a[i])))) throw std::runtime_error(name + ": accelerations differ");
    }
    const std::size_t few = cost(forward), many = cost(derivatives.program);
    return fmt::format("| {} | {} | {} | {} | {:.2f} | {} | {:.0f} | {:.0f} | {:.0f} | {:.2f} | {:.2f} |", name, s.e.u.size(), few, many,
                       static_cast<double>(many) / static_cast<double>(few), graph, 1e9 * one, 1e9 * singly, 1e9 * everything,
                       everything / one, differences / one);
}

std::string loop_row(const std::string& name) {
    const Subject s(name);
    const sym::PoolScope scope(*s.e.pool);
    const numeric::CompiledEquations numbers(s.e, jit::native());
    const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers), 0);
    if (!start.is_ok()) throw std::runtime_error(name + ": " + start.why);
    std::vector<sym::Expr> matrices = sym::flat(s.e.M);
    matrices.insert(matrices.end(), s.e.f.begin(), s.e.f.end());
    for (const eom::Constraint& c : s.e.constraints) matrices.insert(matrices.end(), c.G.begin(), c.G.end()), matrices.push_back(c.gamma);
    const auto program = numbers.compile(matrices);
    const Eigen::VectorXd in = numeric::arguments(numbers.layout(), start.state);
    const std::span<const double> x(in.data(), static_cast<std::size_t>(in.size()));
    std::vector<double> out(matrices.size());
    const numeric::Dynamics d = numbers.dynamics(start.state);
    const Eigen::Index rank = solve::solve_descriptor(d.M, d.f, d.G, d.gamma).rank;
    solve::DescriptorFactor factor;
    Eigen::VectorXd udot, lambda;
    const double one =
        least_time(2e-3, 9, [&] { program(x, out), factor.factor(d.M, d.G, rank), factor.solve(d.f, d.gamma, udot, lambda); });
    // the same by straight-line code
    std::vector<sym::Expr> system;
    std::vector<double> reference;
    const std::size_t n = s.e.u.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) system.push_back(s.e.M[i][j]), reference.push_back(d.M(i, j));
    }
    system.insert(system.end(), s.e.f.begin(), s.e.f.end());
    reference.insert(reference.end(), d.f.begin(), d.f.end());
    for (std::size_t r = 0; r < s.e.constraints.size(); ++r) {
        const eom::Constraint& c = s.e.constraints[r];
        system.insert(system.end(), c.G.begin(), c.G.end()), system.push_back(c.gamma);
        for (std::size_t j = 0; j < n; ++j) reference.push_back(d.G(r, j));
        reference.push_back(d.gamma[r]);
    }
    numeric::EliminatedDynamics eliminated(numbers, numbers.lower(system), rank);
    if (!eliminated.choose(reference)) throw std::runtime_error(name + ": " + eliminated.why());
    const double lean = least_time(2e-3, 9, [&] { eliminated.solve(x); });
    numeric::AccelerationDerivatives derivatives(numbers, jit::native());
    numeric::AccelerationDerivatives::Values values;
    if (!derivatives(x, values)) throw std::runtime_error(name + ": " + derivatives.why());
    const double general = least_time(1e-6, 4, [&] { derivatives(x, values); });
    for (int k = 0; k < 100 && !derivatives.is_eliminated(); ++k) derivatives(x, values);
    const double everything = least_time(2e-3, 9, [&] { derivatives(x, values); });
    const auto evaluations = static_cast<double>(s.e.q.size() + s.e.x.size() + s.e.u.size() + 1);
    return fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.0f} |", name, s.e.u.size(),
                       s.e.constraints.size(), 1e6 * one, 1e6 * lean, 1e6 * general, 1e6 * everything, everything / one, everything / lean,
                       evaluations);
}

void print_manners(const std::string& name) {
    const Subject s(name);
    const numeric::CompiledEquations numbers(s.e);
    fmt::print("{:10}", name);
    for (const Manner manner : {Manner{false, false}, Manner{false, true}, Manner{true, false}, Manner{true, true},
                                Manner{false, false, true}, Manner{true, false, true}}) {
        fmt::print(" {:8}", cost(numeric::lower(differentiate_accelerations(s.model, s.topology, manner).value(), numbers).program));
    }
    fmt::print("\n");
}

}  // namespace

int main(int argc, char** argv) try {
    bool manners = false;
    std::vector<std::string> trees, loops;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--manners")
            manners = true;
        else
            (Subject(argv[i]).e.constraints.empty() ? trees : loops).emplace_back(argv[i]);
    }
    if (trees.empty() && loops.empty()) {
        trees = {"stanford6", "puma6", "iiwa7", "chain12", "chain30", "tree30f"};
        loops = {"four_bar", "andrews_squeezer", "delta_robot", "stewart_platform"};
    }
    if (manners) {
        fmt::print(
            "operations: from joint to joint, with compliances, from the ground, with compliances, by inverse dynamics, from the ground\n");
        for (const std::string& name : trees) print_manners(name);
        return 0;
    }
    if (const std::string why = jit::why_not(); !why.empty()) {
        fmt::print("{}\n", why);
        return 0;
    }
    if (!trees.empty()) {
        fmt::print(
            "| tree | speeds | operations u̇ | with derivatives | ratio | graph | u̇, ns | with derivatives, line by line, ns | with packs, "
            "ns | ratio "
            "| differences, ratio |\n");
        fmt::print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        for (const std::string& name : trees) fmt::print("{}\n", tree_row(name)), std::fflush(stdout);
    }
    if (!loops.empty()) {
        fmt::print(
            "\n| closed chain | speeds | rows | u̇ and λ, µs | eliminated, µs | with derivatives, µs | eliminated, µs | ratio | of the "
            "eliminated "
            "| differences, ratio |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
        for (const std::string& name : loops) fmt::print("{}\n", loop_row(name)), std::fflush(stdout);
    }
    return 0;
} catch (const std::exception& problem) {
    fmt::print(stderr, "derivatives_bench: {}\n", problem.what());
    return 1;
}
