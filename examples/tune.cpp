// How a double pendulum swings when it is touched, and what its lower rod has to do with it: the equilibrium, the linear model, its
// modes, and how their eigenvalues change with each parameter, exactly.

#include <fmt/format.h>

#include <numeric>

#include "linkwright/linear/equilibrium/equilibrium.hpp"
#include "linkwright/linear/design/sensitivity.hpp"
#include "linkwright/formulation/recursive/recursive.hpp"
#include "linkwright/jit/compile.hpp"
#include "linkwright/model/read.hpp"

int main() {
    using namespace linkwright;
    const model::Reading reading = model::read(R"(format = 1
gravity = [0, "-g", 0]
[parameters]
g = 9.81
a = 1
b = 0.5
[[body]]
name = "upper"
mass = 1
com = [0, "-a", 0]
[[body]]
name = "lower"
mass = 0.5
com = [0, "-b", 0]
[[joint]]
name = "hip"
type = "revolute"
parent = "ground"
child = "upper"
[[joint]]
name = "knee"
type = "revolute"
parent = "upper"
child = "lower"
parent_at = [0, "-a", 0]
[initial]
hip = "40*deg"
)");
    const auto tree = topology::analyse(*reading.model);
    const auto derived = formulation::recursive::derive(*reading.model, *tree.topology);
    const eom::EquationsOfMotion& e = *derived.equations;
    const auto compile = [](program::Program p) { return jit::compile(std::move(p)); };
    const numeric::CompiledEquations numbers(e, compile, numeric::Parameters::live);

    const linear::Equilibrium rest = find_equilibrium(numbers, assemble(numbers, wanted(numbers)).state, {});
    fmt::print("{}\n", rest.verdict);
    const linear::Linearizer linearizer(numbers);
    const linear::Linearization linear = linearizer(rest.point);
    const linear::Modes modes = linear::modes(linear);
    for (const linear::Mode& mode : modes.modes) fmt::print("{}: knee/hip {:.3f}\n", mode.words, (mode.q[1] / mode.q[0]).real());

    std::vector<std::size_t> all(e.parameters.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const linear::Sensitivity sensitivity(numbers, linearizer, compile);
    const auto derivatives = sensitivity.eigenvalues(linear, modes, equilibrium_sensitivity(numbers, rest, {}, all), all);
    for (std::size_t p = 0; p < all.size(); ++p) {
        const auto column = derivatives.frequency_hz.col(p);
        fmt::print("1 % more of {}: {:+.4f} and {:+.4f} Hz\n", e.parameters[p].symbol.symbol().name,
                   0.01 * numbers.parameters()[p] * column[0], 0.01 * numbers.parameters()[p] * column[1]);
    }
}
