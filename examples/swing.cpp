// A model file becomes native code and moves: how long a pendulum takes there and back, and how well its energy is kept.

#include <fmt/format.h>

#include "linkwright/linkwright.hpp"

int main() {
    const auto pendulum = linkwright::open_text(R"(format = 1
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
    const auto result = simulate(*pendulum, {.rows = {.times = {0, 10}}, .tolerance = 1e-10, .record = {"falling bottom=hip"}});
    const auto& motion = result->motion;
    fmt::print("there and back: {:.6f} s\n", motion.events[1].t - motion.events[0].t);  // 4 K(sin 45°)/√g
    fmt::print("energy kept: {}\n", motion.statistics.energy_error < 1e-6 ? "yes" : "no");
}
