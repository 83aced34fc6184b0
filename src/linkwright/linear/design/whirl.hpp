#pragma once
// Which way round a mode goes.
//
// In a mode of a rotor every point runs on an ellipse, Re(d e^{iωt}) with a complex d. Its sense about an axis a is the sign of
//
//     a · (x × ẋ) = ω a · (Im d × Re d)
//
// the same at all times. A body's tilt runs on an ellipse as well. Rotors are the bodies with angular momentum about their own centres of mass at the
// operating point, wheels inside them included, and each is held against its own: a mode whirls forward when all orbits turn as their rotors do, backward
// when all turn against them; where all are lines, it does not whirl [genta05].
//
// Rotors that spin opposite ways on one shaft have no such common answer: an orbit that is forward for one is backward for the other. Then the mode is told
// as seen from the rotor it lives on, that with the most kinetic energy, m|d|² + φᴴIφ. Where orbits go different ways round in space as well, the mode
// is mixed. Where no body spins by itself, a mass that is carried round, all are held against the angular momentum of the whole.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "linkwright/linear/modes.hpp"
#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::linear {

enum class Whirl : std::uint8_t { none, forward, backward, mixed };
const char* to_string(Whirl whirl);  ///< "none", "forward", …

/// What makes a rotor of a body, beside its pose.
struct SpinningBody {
    sym::Expr mass;
    std::array<std::array<sym::Expr, 3>, 3> inertia;  ///< about the centre of mass, body axes
    std::array<sym::Expr, 3> wheels;                  ///< angular momentum of the wheels in it, relative to the body, body axes
};

class WhirlSense {
public:
    /// One of `bodies` for each pose of the equations, in their pool; or none: then no body is taken to spin by itself.
    WhirlSense(const numeric::CompiledEquations& numbers, std::span<const SpinningBody> bodies);

    /// Of a mode with this shape in all coordinates, ω > 0. Where nothing turns, no mode whirls.
    Whirl operator()(const numeric::State& state, const Eigen::VectorXcd& q) const;

private:
    struct Rotor;
    std::vector<Rotor> rotors(const numeric::State& state, const Eigen::VectorXcd& q) const;

    const numeric::CompiledEquations& numbers_;
    std::size_t bodies_ = 0;
    /// Of each body R, its rate and its inertia by rows, wheels and mass; then derivatives of R and of the centre of mass, q by q.
    numeric::CompiledEquations::Function places_;
};

/// Of a pole: the mode that has it tells. Of a pole that several modes have, and of one that does not oscillate, none does.
Whirl whirl_of(std::complex<double> pole, const Modes& found, const WhirlSense& sense, const numeric::State& state);

}  // namespace linkwright::linear
