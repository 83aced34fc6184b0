// The crane of the README, from outside: where it is after ten seconds.
#include <linkwright/linkwright.hpp>

#include <cstdio>
#include <iostream>

int main(int, char** argv) {
    const auto crane = linkwright::open(argv[1], {.set = {"drive=100"}});
    if (!crane) return std::cerr << to_string(crane.problems), 2;
    const auto motion = simulate(*crane, {.rows = {.until = 10}});
    std::printf("x = %.4f\n", motion->motion.rows.back()[1]);
}
