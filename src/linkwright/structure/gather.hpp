#pragma once
// From a model and a state to a structure of numbers.
//
// Beams are taken straight, whatever their coordinates are at the state. A joint holds what its freedoms leave, and the freedoms that are driven by a
// [[motion]]; its own springs act along the others. What has no meaning in a structure (rolling wheels, constraints on speeds) is an error.

#include <map>

#include "linkwright/structure/structure.hpp"
#include "linkwright/topology/topology.hpp"

namespace linkwright::structure {

enum class Hold : std::uint8_t {
    as_modelled,  ///< its freedoms are free, those that a motion drives are held
    locked,       ///< nothing moves
    free,         ///< all its freedoms are free, driven or not
    open,         ///< it is taken away
};

struct GatherOptions {
    Hold hold = Hold::as_modelled;         ///< of every joint
    std::map<std::string, Hold> joints{};  ///< of some
    std::size_t elements = 20;             ///< of beams that say nothing themselves
    bool overrides = false;                ///< of those that do, too
    double t = 0;
    std::map<std::string, double> values{};  ///< coordinates and inputs by their names
};

struct Gathered {
    Structure structure;
    Diagnostics problems;
    std::vector<std::string> notes;  ///< what of the model plays no part
};

Gathered gather(const model::Model& model, const topology::Topology& topology, const GatherOptions& options);

}  // namespace linkwright::structure
