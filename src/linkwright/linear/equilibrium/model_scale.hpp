#pragma once
// What is large and what is small in a model: a length, a rate, and by them the size of every coordinate and speed.
//
//     length   the largest of: parameters in metres, places of bodies and their centres of mass, sliding coordinates, as they are at a
//              state; where a model has none, the distance over which its forces change by as much as they are; else 1 m
//     rate     the largest of: √(stiffness/inertia), √(acceleration/size), given speeds; else 1/s
//
// Coordinates that turn a body are measured in radians, the others by the length; speeds by the rate times that. Distances between
// states are measured so: `distance` is the root of the sum of squares.

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::linear {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct ModelScale {
    double length = 1, rate = 1;
    VectorXd q, eta, u;              ///< of coordinates, of displacements along each speed, of speeds
    std::vector<bool> is_turning;    ///< of coordinates: some body turns with it, or none moves
    std::vector<bool> slides_along;  ///< of speeds: they move coordinates that slide, and no others

    bool has_slides() const;
    /// "turns in radians, lengths in units of 0.5 m"
    std::string words(bool with_speeds) const;
};

/// What a model's scales are made of; compiled once.
class ModelScales {
public:
    explicit ModelScales(const numeric::CompiledEquations& numbers);

    /// Forces f, ∂f/∂η and the mass matrix at a state.
    struct Forces {
        VectorXd f;
        MatrixXd f_q, M;
    };
    ModelScale at(const numeric::State& state, const Forces& forces) const;

private:
    double length(const numeric::State& state, const Forces& forces) const;

    const numeric::CompiledEquations& numbers_;
    std::vector<bool> is_turning_;                 ///< coordinates
    std::vector<bool> slides_along_;               ///< speeds that move sliding coordinates only
    std::vector<std::size_t> lengths_;             ///< parameters in metres
    numeric::CompiledEquations::Function places_;  ///< of bodies and, from there, of their centres of mass
};

/// Angles as they are; quaternions by the angle between them, whatever their signs.
double distance(const eom::EquationsOfMotion& equations, const ModelScale& scale, const numeric::State& a, const numeric::State& b,
                bool with_speeds);

}  // namespace linkwright::linear
