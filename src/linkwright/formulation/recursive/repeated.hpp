#pragma once
// Chains that a mechanism has more than once: arms of a satellite, legs, fingers.
//
// Two sub-trees of moves are alike when they differ in numbers and names only: the same kinds of moves about the same axes,
// the same freedoms free or given, zeros of masses and directions in the same places. How a chain is mounted on its carrier
// does not count, as long as it is a place and two or three turns; nor where its coordinates are zero, nor what acts on it.
// So instances of one [[chain]] are found as well as arms that were written out one by one.

#include "linkwright/formulation/recursive/passes.hpp"

namespace linkwright::formulation::recursive {

struct Repeated {
    struct Instance {
        std::size_t owner;  ///< none: the mechanism; otherwise the chain whose first instance carries this one
        std::size_t start;  ///< its first move
    };
    struct Chain {
        std::vector<Instance> instances;  ///< two at least
        std::size_t freedoms;
    };
    std::vector<Chain> chains;             ///< larger ones first, so that owners stand before what they carry
    std::vector<std::size_t> shape_class;  ///< of each move: equal numbers, equal sub-trees
};

/// What begins where each move ends.
struct Branches {
    explicit Branches(const Linkage& linkage);
    std::vector<std::vector<std::size_t>> outer;
    std::size_t only(std::size_t move) const {
        return outer[move].size() == 1 ? outer[move][0] : none;
    }  ///< none when there are several or none
};

/// Chains are worth a routine when that is likely to be shorter than writing them out. Of chains in a chain only those of its first
/// instance are listed.
Repeated find_repeated(const Task& task);

/// The move and all outward of it, inner ones first; sub-trees in the order of their likeness.
std::vector<std::size_t> sub_tree(const Branches& branches, std::size_t start, std::span<const std::size_t> shape_class);

/// The fixed moves at the beginning of a chain that only say where it is mounted: slides along x, y, z, a rotation, turns about z, x, z,
/// each at most once and in this order. `place` tells which of the seven.
struct Mounting {
    std::vector<std::size_t> moves, place;
    std::size_t core;  ///< the first move after it
};
Mounting mounting(const Linkage& linkage, std::size_t start, const Branches& branches);

/// A chain that begins with a turn about z: where along it the first link has its frame depends on the mounting as well, so that some
/// instances have a slide there and others none.
struct FirstLink {
    std::size_t joint = none;  ///< none when it begins otherwise
    std::size_t last = none;   ///< the slide, or the joint itself
};
FirstLink first_link(const Linkage& linkage, std::size_t core, const Branches& branches);

}  // namespace linkwright::formulation::recursive
