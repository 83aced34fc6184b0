// The program of the README: a trolley with a load on a rope, described, derived, evaluated.
#include <iostream>

#include "linkwright/numeric/evaluate.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/sym/readable.hpp"

int main() {
    using namespace linkwright;
    using namespace linkwright::model;
    Model crane = empty_model("Crane");
    const Expr g = parameter(crane, "g", 9.81), M = parameter(crane, "M", 120), m = parameter(crane, "m", 80);
    const Expr l = parameter(crane, "l", 4), drive = input(crane, "drive", 100);
    crane.gravity = {{0, -g, 0}};
    const BodyIndex trolley = body(crane, "trolley", {.mass = M});
    const BodyIndex load = body(crane, "load", {.mass = m, .com = {{0, -l, 0}}});
    joint(crane, JointType::prismatic, "x", ground, trolley, {.axes = {spatial::unit(0)}, .actuator = {drive}});
    joint(crane, JointType::revolute, "theta", trolley, load, {.axes = {spatial::unit(2)}});

    const auto tree = topology::analyse(crane);
    const auto derived = formulation::kane::derive(crane, *tree.topology);
    const eom::EquationsOfMotion& e = *derived.equations;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = 0; j < e.u.size(); ++j) std::cout << write(*readable(e.M[i][j])) << (j + 1 < e.u.size() ? ", " : "");
        std::cout << "   |   " << write(*readable(e.f[i])) << "\n";
    }
    const numeric::CompiledEquations numbers(e);
    std::cout << "accelerations at rest: " << evaluate(numbers, numbers.zero_state()).accelerations.transpose() << "\n";
}
