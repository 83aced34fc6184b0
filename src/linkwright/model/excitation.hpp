#pragma once
// Given motions that are excited: a base that is shaken, a crank that is turned a little otherwise than planned.
//
// A motion E(t) becomes E(t) + z + ż τ + z̈ τ²/2 with τ = t − t₀, so that at the time t₀ its value, rate and acceleration deviate by z, ż, z̈:
// three inputs, independent of each other, that are 0. All that is differentiated by t, in trees and for joints that close a loop, then has them
// where they belong, and the derivatives of finished equations by z, ż, z̈ at t = t₀ are those of any small deviation z(t).

#include <array>
#include <string>
#include <vector>

#include "linkwright/model/model.hpp"

namespace linkwright::model {

struct Excitation {
    std::string name;                   ///< of the coordinate: "base"; of joints with Euler parameters "platform.given1", "platform.turn1"
    std::string unit;                   ///< of z: "m", "rad" or nothing
    std::array<std::size_t, 3> inputs;  ///< where z, ż, z̈ stand among the inputs
    Expr equals;                        ///< E(t)
};

/// Every given motion, in the order of the model. The inputs are those of the model, then three for each motion, then t₀, whose value is t.
std::vector<Excitation> excite(Model& model);
/// Whether an input is one of those: no input of anybody's.
bool is_deviation(const Expr& input);

}  // namespace linkwright::model
