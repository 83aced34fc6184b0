// Mechanisms with beams: how long they take to derive, to evaluate and to run, against shapes and beams.
//
//     elastic_bench              the tables
//     elastic_bench --values     the four-bar's state after 0.1 s, for elastic_scipy.py to be laid beside
//
// Times are the least of several runs. The four-bar is that of Baruh and Radisavljevic with every order of the shortening kept. Lee gives six
// minutes of a VAX for a second of his arm with two beams of two shapes.

#include <fmt/format.h>

#include <string_view>

#include "least_time.hpp"
#include "linkwright/eom/accelerations.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/numeric/assemble.hpp"
#include "linkwright/program/count.hpp"
#include "linkwright/program/lower.hpp"
#include "linkwright/solve/descriptor.hpp"

namespace {

using namespace linkwright;
using bench::least_time;

eom::EquationsOfMotion derive(const std::string& text) {
    const model::Reading reading = model::read(text, "bench.toml");
    const topology::Analysis analysis = topology::analyse(reading.model.value());
    return formulation::recursive::derive(*reading.model, analysis.topology.value(), {}).equations.value();
}

/// Either u̇ of a tree, or M, f, G, γ of a loop: what is compiled.
std::vector<sym::Expr> right_side(const eom::EquationsOfMotion& e) {
    if (e.constraints.empty()) return eom::accelerations(e);
    std::vector<sym::Expr> list = e.f;
    for (std::size_t i = 0; i < e.M.size(); ++i)
        list.insert(list.end(), e.M[i].begin(), e.M[i].begin() + static_cast<std::ptrdiff_t>(i) + 1);
    for (const eom::Constraint& c : e.constraints) list.insert(list.end(), c.G.begin(), c.G.end()), list.push_back(c.gamma);
    return list;
}

struct Figures {
    std::size_t speeds = 0, operations = 0;
    double derive = 0;   ///< s, from the text of the file to the equations
    double program = 0;  ///< s, the compiled program at a state
    double solved = 0;   ///< s, that and the linear system of a loop
    double run = 0;      ///< s, for a second of motion at 1e-8
};

Figures measure(const std::string& text, bool runs) {
    Figures r;
    r.derive = least_time(0, 3, [&] { r.speeds = derive(text).u.size(); });
    const eom::EquationsOfMotion e = derive(text);
    const sym::PoolScope scope(*e.pool);
    const numeric::CompiledEquations numbers(e, jit::native());
    const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers), 0);
    const std::vector<sym::Expr> all = right_side(e);
    const program::Operations n = program::count(numbers.lower(all));
    r.operations = n.add + n.mul + n.div;
    const auto program = numbers.compile(all);
    std::vector<double> in{0.0}, out(all.size());
    in.insert(in.end(), start.state.q.begin(), start.state.q.end());
    in.insert(in.end(), start.state.u.begin(), start.state.u.end());
    in.insert(in.end(), start.state.w.begin(), start.state.w.end());
    r.program = least_time(1e-3, 9, [&] { program(in, out); });
    r.solved = r.program;
    if (!e.constraints.empty()) {
        const numeric::Dynamics d = numbers.dynamics(start.state);
        solve::DescriptorFactor factor;
        Eigen::VectorXd udot, lambda;
        const auto rank = static_cast<Eigen::Index>(e.constraints.size());
        r.solved += least_time(1e-3, 9, [&] { factor.factor(d.M, d.G, rank), factor.solve(d.f, d.gamma, udot, lambda); });
    }
    if (!runs) return r;
    motion::SimulateOptions o;
    o.tolerance = 1e-8;
    o.times = {0, 1};
    r.run = least_time(0, 3, [&] { (void)motion::simulate(numbers, start.state, o); });
    return r;
}

std::string beam(std::string_view name, std::string_view length, std::string_view frame, std::string_view family, int shapes,
                 std::string_view more = "") {
    return fmt::format(
        "[[body]]\nname = \"{}\"\ntype = \"beam\"\nlength = \"{}\"\nmass_per_length = \"mu\"\nbending = {{ y = \"EI\" }}\nframe = \"{}\"\n"
        "shapes = {{ y = {{ family = \"{}\", count = {} }} }}\n{}\n",
        name, length, frame, family, shapes, more);
}

std::string four_bar() {
    std::string text =
        "format = 1\n[parameters]\nmu = 0.6264\nEI = 88.32\nL1 = 1\nL2 = 1.2\nd = 1.2\n[ground]\npoints = { right = [\"d\", 0, 0] }\n";
    const std::string tip = "points = { tip = { at = \"L1\", turns = false } }",
                      longer = "points = { tip = { at = \"L2\", turns = false } }";
    text += beam("link1", "L1", "chord", "pinned-pinned", 2, tip) + beam("link2", "L2", "chord", "pinned-pinned", 2, longer) +
            beam("link3", "L1", "chord", "pinned-pinned", 2, tip);
    return text +
           "[[joint]]\nname = \"a\"\ntype = \"revolute\"\nparent = \"ground\"\nchild = \"link1\"\n"
           "[[joint]]\nname = \"b\"\ntype = \"revolute\"\nparent = \"link1\"\nparent_at = \"tip\"\nchild = \"link2\"\n"
           "[[joint]]\nname = \"c\"\ntype = \"revolute\"\nparent = \"ground\"\nparent_at = \"right\"\nchild = \"link3\"\n"
           "[[joint]]\nname = \"e\"\ntype = \"revolute\"\nparent = \"link2\"\nparent_at = \"tip\"\nchild = \"link3\"\nchild_at = "
           "\"tip\"\ncut = true\n"
           "[initial]\na = \"60*deg\"\n\"a'\" = 1.5\n\"link1.y1\" = 0.005\n\"link1.y2\" = 0.0001\n\"link2.y1\" = 0.005\n\"link2.y2\" = "
           "0.0001\n"
           "\"link3.y1\" = 0.05\n\"link3.y2\" = 0.0001\n";
}

std::string arm(int beams, int shapes, std::string_view order, std::string_view shortening = "true") {
    std::string text = "format = 1\ngravity = [0, -9.81, 0]\n[parameters]\nmu = 1\nEI = 100\nL = 1\n";
    for (int i = 1; i <= beams; ++i)
        text += beam(fmt::format("b{}", i), "L", "tangent", "clamped-free", shapes,
                     fmt::format("order = \"{}\"\nshortening = {}", order, shortening));
    for (int i = 1; i <= beams; ++i) {
        text += fmt::format("[[joint]]\nname = \"q{}\"\ntype = \"revolute\"\nparent = \"{}\"\nchild = \"b{}\"\n{}", i,
                            i == 1 ? "ground" : fmt::format("b{}", i - 1), i, i == 1 ? "" : "parent_at = \"tip\"\n");
    }
    return text + "[initial]\nq1 = -1\n";
}

std::string row(const std::string& name, const Figures& f) {
    return fmt::format("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {} |\n", name, f.speeds, f.operations, f.derive * 1e3, f.program * 1e6,
                       f.solved * 1e6, f.run > 0 ? fmt::format("{:.1f}", f.run * 1e3) : "–");
}

constexpr const char* head =
    "| | speeds | operations | derive, ms | program, μs | u̇, μs | 1 s of motion, ms |\n|---|---:|---:|---:|---:|---:|---:|\n";

void print_values() {
    const eom::EquationsOfMotion e = derive(four_bar());
    const numeric::CompiledEquations numbers(e, jit::native());
    const numeric::AssembledState start = numeric::assemble(numbers, numeric::wanted(numbers), 0);
    motion::SimulateOptions o;
    o.tolerance = 1e-11;
    o.times = {0, 0.1};
    const motion::Motion m = motion::simulate(numbers, start.state, o);
    for (Eigen::Index i = 1; i <= 9; ++i) fmt::print("{:.12g}\n", m.rows.back()[i]);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--values") return print_values(), 0;
    const Figures bar = measure(four_bar(), true), lee = measure(arm(2, 2, "all", "false"), true);
    fmt::print("{}{}{}", head, row("four-bar, three beams of two shapes, all orders", bar),
               row("arm, two beams of two shapes, no shortening", lee));
    fmt::print(
        "\nThe four-bar runs {:.0f} times as fast as its motion at a tolerance of 1e-8. A second of the arm took Lee's VAX 360 s, here "
        "{:.4f} s.\n\n",
        1 / bar.run, lee.run);
    fmt::print("{}", head);
    for (const int shapes : {1, 2, 3, 4, 6, 8, 10}) {
        for (const char* order : {"all", "second"})
            fmt::print("{}", row(fmt::format("one beam, {} shapes, {}", shapes, order), measure(arm(1, shapes, order), false)));
    }
    fmt::print("\n{}", head);
    for (const int beams : {1, 2, 5, 10, 20, 50})
        fmt::print("{}", row(fmt::format("{} beams of two shapes", beams), measure(arm(beams, 2, "all"), false)));
}
