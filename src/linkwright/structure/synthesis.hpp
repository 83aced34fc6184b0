#pragma once
// Component mode synthesis: few shapes for each component, put together [craig81 ch. 11, 12].
//
//     fixed           shapes with interfaces held, and one static shape for each interface displacement [craig68]
//     free            shapes with nothing at the interfaces, rigid ones among them [hou69]
//     free_residual   the same and the flexibility that they leave out, for forces at the interfaces [macneal71, craig77]
//     loaded          a component bears what hangs on it: mass and stiffness of its branches, which follow its interfaces statically, are added to
//                     its own; a branch adds shapes with that interface held [benfield71], [lee90 (4.1)–(4.30)]
//
// Each gives the displacements of a component as y = Φ ξ. Interface rows J y = 0 between components become rows between the ξ, and what these
// leave free is solved with K and M of the whole structure projected onto it, springs between components included. So every frequency is an upper
// bound of that of all elements, and all methods meet it with enough shapes. Rigid motions of a component are always kept; `modes` counts
// the elastic ones.
//
// Loaded: components bear those that stand later in the file. Where one hangs on two earlier ones, each bears it with the other held.

#include "linkwright/structure/components.hpp"
#include "linkwright/structure/natural_modes.hpp"

namespace linkwright::structure {

enum class Method : std::uint8_t { full, fixed, free, free_residual, loaded };

/// "free-residual"
std::string_view to_string(Method method);
std::optional<Method> method_by(std::string_view word);

struct ComponentModes {
    std::string name;    ///< of the body
    Index rigid = 0;     ///< motions without strain that are kept beside
    Index statical = 0;  ///< shapes that follow interface displacements or forces
    VectorXd omega2;     ///< of the elastic shapes that were kept
};

struct Synthesis {
    NaturalModes modes;
    std::vector<ComponentModes> components;
    MatrixXd basis;  ///< displacements of all bodies for each freedom of the reduced equations
};

/// So many elastic shapes of each beam; the `count` lowest modes of the whole, as far as there are so many.
Synthesis synthesize(const Assembly& assembly, const RigidModes& rigid, Method method, Index modes, Index count);

}  // namespace linkwright::structure
