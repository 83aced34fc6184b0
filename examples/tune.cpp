// How a double pendulum swings when it is touched, and what its lower rod has to do with it: the equilibrium, its modes, and how their
// eigenvalues change with each parameter, exactly.

#include <fmt/format.h>

#include "linkwright/linkwright.hpp"

int main() {
    const auto pendulum = linkwright::open_text(R"(format = 1
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
    fmt::print("{}\n", equilibrium(*pendulum)->found.front().verdict);
    const auto found = modes(*pendulum);
    for (const auto& mode : found->modes().modes) fmt::print("{}: knee/hip {:.3f}\n", mode.words, (mode.q[1] / mode.q[0]).real());

    const auto derivatives = sensitivity(*pendulum, {.to = {"all"}});
    for (std::size_t p = 0; p < derivatives->parameters.size(); ++p) {
        const auto column = derivatives->eigenvalues.frequency_hz.col(p);
        fmt::print("1 % more of {}: {:+.4f} and {:+.4f} Hz\n", derivatives->parameters[p], 0.01 * derivatives->values[p] * column[0],
                   0.01 * derivatives->values[p] * column[1]);
    }
}
