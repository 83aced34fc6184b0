#pragma once
// Which way round a mode goes.
//
// In a mode of a rotor every point runs on an ellipse, Re(d e^{iωt}) with a complex d. Its sense about an axis a is the sign of
//
//     a · (x × ẋ) = ω a · (Im d × Re d)
//
// the same at all times. A body's tilt runs on an ellipse as well. A mode whirls forward when all of them turn as the rotor does, backward when all
// turn against it; where some do this and some that, it is mixed; where all are lines, it does not whirl [genta05].
//
// The rotor turns about its angular momentum at the operating point.

#include <cstdint>
#include <optional>

#include "linkwright/numeric/compiled_equations.hpp"

namespace linkwright::linear {

enum class Whirl : std::uint8_t { none, forward, backward, mixed };
const char* to_string(Whirl whirl);  ///< "none", "forward", …

class WhirlSense {
public:
    explicit WhirlSense(const numeric::CompiledEquations& numbers);

    /// The direction of the angular momentum; nothing when there is none.
    std::optional<Eigen::Vector3d> axis(const numeric::State& state) const;
    /// Of a mode with this shape in all coordinates, ω > 0.
    Whirl operator()(const numeric::State& state, const Eigen::VectorXcd& q, const Eigen::Vector3d& axis) const;

private:
    const numeric::CompiledEquations& numbers_;
    std::size_t bodies_ = 0;
    numeric::CompiledEquations::Function places_;  ///< of each body R by rows; then derivatives of R and of the centre of mass, q by q
};

}  // namespace linkwright::linear
