// The program of the README: a trolley with a load on a rope, read, derived, moved, and asked how it swings.
#include <iostream>

#include "linkwright/linkwright.hpp"

int main() {
    const auto crane = linkwright::open("crane.toml", {.set = {"drive=100"}});
    if (!crane) return std::cerr << to_string(crane.problems), 2;
    std::cout << *derive(*crane, {.only = {"M", "f"}});
    std::cout << "\nat the start: accelerations " << evaluate(*crane)->evaluation.accelerations.transpose() << "\n";
    const auto motion = simulate(*crane, {.rows = {.until = 10}});
    std::cout << "after ten seconds: x = " << motion->motion.rows.back()[1] << "\n";
    const auto hanging = modes(*crane, {.operating = {.equilibrium = {.trim = {"drive"}}}});
    for (const auto& mode : hanging->modes().modes) std::cout << "a mode: " << mode.words << "\n";
}
