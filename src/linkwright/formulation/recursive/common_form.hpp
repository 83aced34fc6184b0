#pragma once
// One task for many chains that are alike: where they agree it says what they say, where they differ it has a symbol, and for each chain
// there is a list of what the symbols stand for: the least general form that has all of them as cases.

#include "linkwright/formulation/recursive/repeated.hpp"

namespace linkwright::formulation::recursive {

/// A chain cut out of a task and brought to the shape that all chains like it share:
///
///     move 0           root
///     move 1           the carrier: a joint with six given ways, the first six freedoms
///     moves 2 to 8     the mounting, in full: slides along x, y, z, a rotation, turns about z, x, z
///     the others       as in the source, but a first link that turns about z always has a slide along it
///
/// What moves the carrier is given by its motion, so that recursions over this task are those of the chain alone. The forces of the
/// first six freedoms are then the wrench that the chain needs from its carrier.
struct Cut {
    Task task;
    Motion carrier;
    std::vector<std::size_t> origin;    ///< of each move: the source's, or none
    std::vector<std::size_t> freedoms;  ///< of each freedom from the seventh on: the source's
};
Cut cut_out(const Task& source, const Branches& branches, std::size_t start, std::span<const std::size_t> shape_class,
            const Motion& carrier);

/// Where chains differ, or what is not for them to compute.
struct Slot {
    Expr symbol;                  ///< a parameter when all arguments are made of parameters and numbers, otherwise auxiliary
    std::vector<Expr> arguments;  ///< one for each chain
};

struct CommonForm {
    Task task;  ///< as of a cut; mountings that are none are left out
    std::vector<Slot> slots;
    std::vector<std::size_t> origin;  ///< of each move, that of the first chain
};
/// Built in `pool`. The cuts have the same shape. Numbers that all share stay; everything made of parameters becomes one slot, so
/// that it can be worked out beforehand; of the rest only what differs, and what is the same expression everywhere.
CommonForm common_form(std::span<const Cut> cuts, sym::Pool& pool);

}  // namespace linkwright::formulation::recursive
