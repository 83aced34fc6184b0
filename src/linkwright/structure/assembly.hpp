#pragma once
// Matrices of a structure: bodies side by side, what is between them, and which motions strain nothing.

#include <memory>

#include "linkwright/structure/structure.hpp"

namespace linkwright::structure {

/// A few rows of G that belong together: of a joint, a rod, a tie.
struct RowGroup {
    std::string name;
    Index first = 0, count = 0;
    std::vector<std::size_t> bodies;  ///< that it ties, the ground not among them
};

struct Assembly {
    std::shared_ptr<const Structure> of;
    std::vector<std::optional<flex::BeamMesh>> meshes;  ///< of each body that is a beam
    std::vector<Index> first;                           ///< where the displacements of each body begin; one more: how many there are
    double length = 1;                                  ///< what displacements are compared with turns by
    VectorXd scale;                                     ///< of each displacement: length, or 1 for a turn
    solve::Stiffness elements;                          ///< of the beams alone
    solve::Stiffness springs;                           ///< of springs and joints: strains between bodies; S: tension
    SparseMatrix M;
    SparseMatrix G;  ///< scaled: rows of displacements are divided by `length`
    std::vector<RowGroup> groups;
    std::vector<MatrixXd> rigid;  ///< of each body: its displacements as it moves rigidly, six columns, displacements in units of `length`

    Index size() const { return first.back(); }
    Index size(std::size_t body) const { return first[body + 1] - first[body]; }
    solve::Stiffness stiffness() const;  ///< of all
    /// Displacement and turn at a place, ground axes: six rows.
    SparseMatrix motion(const Place& place) const;
    /// The coordinate of a joint's freedom, as a row.
    SparseMatrix coordinate(const Joint& joint, std::size_t freedom) const;
};

Assembly assemble(Structure structure);

/// Motions that strain nothing, as columns of displacements, and who takes part.
struct RigidModes {
    MatrixXd vectors;                 ///< of all bodies' displacements
    std::vector<std::string> bodies;  ///< that move
    std::vector<std::string> joints;  ///< across which something moves
    Index count() const { return vectors.cols(); }
};
RigidModes rigid_modes(const Assembly& assembly);

}  // namespace linkwright::structure
