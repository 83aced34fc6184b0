// A model file becomes native code and moves: how long a pendulum takes there and back, and how well its energy is kept.

#include <fmt/format.h>

#include "linkwright/numeric/assemble.hpp"
#include "linkwright/motion/simulate.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"

int main() {
    using namespace linkwright;
    const model::Reading reading = model::read(R"(format = 1
gravity = [0, -9.81, 0]
[[body]]
name = "bob"
mass = 1
com = [0, -1, 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "bob"
[initial]
hip = "90*deg"
)");
    const auto tree = topology::analyse(*reading.model);
    const auto derived = formulation::recursive::derive(*reading.model, *tree.topology);
    const eom::EquationsOfMotion& e = *derived.equations;
    const numeric::CompiledEquations numbers(e, [](program::Program p) { return jit::compile(std::move(p)); });

    motion::SimulateOptions options;
    options.times = {0, 10};
    options.tolerance = 1e-10;
    options.events = {{.name = "bottom", .when = e.q[0], .direction = eom::Event::Direction::down}};
    const motion::Motion motion = simulate(numbers, assemble(numbers, wanted(numbers)).state, options);
    fmt::print("there and back: {:.6f} s\n", motion.events[1].t - motion.events[0].t);  // 4 K(sin 45°)/√g
    fmt::print("energy kept: {}\n", motion.statistics.energy_error < 1e-6 ? "yes" : "no");
}
