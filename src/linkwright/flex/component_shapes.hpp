#pragma once
// Shapes of one beam in one direction from its own finite elements, in its frame: what component mode synthesis would give it.
//
//     free     the lowest modes with nothing at the interfaces but the beam's own masses
//     loaded   the same with the inertia of what hangs at each interface added there [lee90 (4.10)–(4.12)]
//     fixed    a static shape for each displacement of each interface, the others held; then the lowest modes with all of them held [craig68]
//
// The frame holds the beam while its shapes are found: deflection and slope at its beginning (tangent), deflection at both ends (chord), or
// nothing, and motions of the whole are left out (mean). Stretch and twist are held at the beginning, but in a mean frame.
//
// Shapes of bending are cubic in each element, with the slopes of its nodes. Those of stretch and twist are linear there; they get the slopes of parabolas through
// neighbouring nodes and are cubic as well. The largest value of a shape is 1.

#include "linkwright/flex/beam_mesh.hpp"

namespace linkwright::flex {

enum class ComponentInterface : std::uint8_t { fixed, free, loaded };
enum class ComponentDirection : std::uint8_t { y, z, x, twist };

/// Where something is attached to a beam, and what: six by six, displacement and turn of the section there, body axes.
struct InterfaceLoad {
    double at = 0;
    Eigen::Matrix<double, 6, 6> inertia = Eigen::Matrix<double, 6, 6>::Zero();
    std::array<bool, 6> passes{true, true, true, true, true, true};  ///< which displacements and turns the joint passes on
};

struct ComponentShapes {
    std::vector<double> x;                        ///< from 0 to the length of the elastic part
    std::vector<std::vector<double>> phi, slope;  ///< of each shape, at every x
    std::vector<double> omega2;                   ///< of each; 0 for a static one
    bool ok = false;
    std::string why;
};

ComponentShapes component_shapes(const BeamNumbers& beam, ComponentDirection direction, ComponentInterface interface, std::size_t count,
                                 std::size_t elements, const std::vector<InterfaceLoad>& loads);

}  // namespace linkwright::flex
