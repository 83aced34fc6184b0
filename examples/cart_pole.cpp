// The program of the README: a cart with a pole on it, described, derived, evaluated.
#include <iostream>

#include "linkwright/analysis/evaluate.hpp"
#include "linkwright/formulation/kane/kane.hpp"
#include "linkwright/model/build.hpp"
#include "linkwright/sym/readable.hpp"

int main() {
    using namespace linkwright;
    using namespace linkwright::model;
    Model m = empty_model("Cart and pole");
    const Expr g = parameter(m, "g", 9.81), M = parameter(m, "M", 2), mp = parameter(m, "m", 0.5), l = parameter(m, "l", 0.4);
    const Expr push = input(m, "push", 1);
    m.gravity = {{0, -g, 0}};
    const BodyIndex cart = body(m, "cart", {.mass = M});
    const BodyIndex pole = body(m, "pole", {.mass = mp, .com = {{0, -l, 0}}});
    joint(m, JointType::prismatic, "x", ground, cart, {.axes = {spatial::unit(0)}, .actuator = {push}});
    joint(m, JointType::revolute, "theta", cart, pole, {.axes = {spatial::unit(2)}});

    const auto tree = topology::analyse(m);
    const auto derived = formulation::kane::derive(m, *tree.topology);
    const eom::EquationsOfMotion& e = *derived.equations;
    for (std::size_t i = 0; i < e.u.size(); ++i) {
        for (std::size_t j = 0; j < e.u.size(); ++j) std::cout << write(*readable(e.M[i][j])) << (j + 1 < e.u.size() ? ", " : "");
        std::cout << "   |   " << write(*readable(e.f[i])) << "\n";
    }
    const analysis::Numbers numbers(e);
    std::cout << "accelerations at rest: " << evaluate(numbers, numbers.zero_state()).accelerations.transpose() << "\n";
}
