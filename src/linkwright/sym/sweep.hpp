#pragma once
// A part of the graph laid flat: nodes in topological order with their arguments as positions. What every pass over all
// of it (derivatives of many symbols, dependency, evaluation) runs along; no hashing inside the loop.

#include <array>
#include <span>
#include <vector>

#include "linkwright/sym/expr.hpp"

namespace linkwright::sym {

struct Sweep {
    struct Step {
        NodeId id;
        std::uint8_t arity;
        std::array<std::uint32_t, 3> args;  ///< positions in `steps`, all before this one
    };
    std::vector<Step> steps;
    std::vector<std::uint32_t> roots;  ///< where the roots stand
};

/// Everything below `roots`, which must share a pool.
Sweep sweep(std::span<const Expr> roots);

}  // namespace linkwright::sym
