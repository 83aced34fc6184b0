#pragma once
// The graph of a mechanism: bodies are vertices, joints are edges; a spanning tree from the ground, and chords.

#include <cstddef>
#include <optional>
#include <vector>

#include "linkwright/model/model.hpp"

namespace linkwright::topology {

using model::BodyIndex;

/// The joint through which the tree reaches a body.
struct Arc {
    std::size_t joint;
    BodyIndex inner;   ///< the body nearer to the ground
    bool is_reversed;  ///< the joint's parent is the outer body
};

/// A chord and the way round: from the chord's parent to its child along the tree.
struct Loop {
    std::size_t chord;                ///< the joint that was cut
    std::vector<std::size_t> joints;  ///< of the tree, along the way
    bool is_planar;                   ///< all its joints move in one plane, whatever the coordinates
};

/// A regular labelling: `order` begins with the ground, and a body stands after its inner body.
struct Topology {
    std::vector<BodyIndex> order;
    std::vector<std::optional<Arc>> arc;        ///< of each body; empty for the ground
    std::vector<std::vector<BodyIndex>> outer;  ///< the bodies next to each body, away from the ground
    std::vector<std::size_t> chords;            ///< joints not in the tree, in the order of the file
    std::vector<Loop> loops;                    ///< one for each chord
    std::vector<bool> is_cut;                   ///< of each joint
};

struct Analysis {
    std::optional<Topology> topology;  ///< empty exactly when there is an error
    Diagnostics problems;
};

/// The spanning tree: joints enter in the order of the file, those marked `cut` last. In a planar loop the chord is the
/// joint whose closure takes the fewest rows, unless the file marks one. Errors: bodies that no chain of joints ties to
/// the ground, joints that tie a body to itself, freedoms without inertia (massless.hpp).
Analysis analyse(const model::Model& model);

}  // namespace linkwright::topology
