// The program of the README: a pendulum's kinetic energy, differentiated, proved and printed.
#include <iostream>

#include "linkwright/sym/derivative.hpp"
#include "linkwright/sym/fingerprint.hpp"
#include "linkwright/sym/readable.hpp"

int main() {
    using namespace linkwright::sym;
    const Expr q = symbol("q", Role::coordinate), u = symbol("u", Role::speed), m = symbol("m"), l = symbol("l");

    Tangent rate{{q, u}};                                    // d/dt, with q' = u
    const Expr x = rate(l * sin(q)), y = rate(-l * cos(q));  // velocity of the bob
    const Expr T = m * (x * x + y * y) / 2;

    std::cout << "T      = " << print(T) << "\n"
              << "       = " << write(*readable(T)) << "\n"
              << "dT/du  = " << write(*readable(derivative(T, u)), {.style = Style::latex}) << "\n"
              << "T = m l^2 u^2 / 2 is " << to_string(equal(T, m * l * l * u * u / 2)) << "\n"
              << "T = m l^2 u / 2   is " << to_string(equal(T, m * l * l * u / 2)) << "\n";
}
