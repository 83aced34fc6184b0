#pragma once
// Natural frequencies and shapes of a structure: of all its elements, or of components that are put together.

#include "linkwright/structure/assembly.hpp"

namespace linkwright::structure {

struct NaturalModes {
    Index freedoms = 0;  ///< of the equations that were solved
    Index rigid = 0;     ///< so many modes of frequency zero come first
    VectorXd omega2;     ///< ω² in rad²/s², ascending; exactly 0 for rigid-body modes, negative where the structure is unstable
    MatrixXd shapes;     ///< displacements of all bodies, xᵀMx = 1
    bool ok = false;
    std::string why;

    /// √ω²/2π; 0 for negative ones.
    VectorXd frequencies() const;
};

/// Why there are no modes: a rigid motion costs nothing and weighs nothing.
inline constexpr const char* no_inertia =
    "something can move that has no inertia: a shaft that turns about its own axis needs torsion_inertia";

/// The lowest modes of the whole structure, rigid-body modes not counted.
NaturalModes full_modes(const Assembly& assembly, const RigidModes& rigid, Index count);

/// Kinetic energy of each body in each mode, as a part of the whole: bodies × modes.
MatrixXd energy_parts(const Assembly& assembly, const MatrixXd& shapes);

}  // namespace linkwright::structure
