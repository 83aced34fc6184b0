#pragma once

#include <string>

#include "linkwright/topology/topology.hpp"

namespace linkwright::topology {

/// The graph as Graphviz draws it (`dot -Tsvg`): bodies are boxes, the ground is shaded, joints are arrows from parent
/// to child with name and type, chords are dashed, rods dotted.
std::string to_dot(const model::Model& model, const Topology& t);

}  // namespace linkwright::topology
