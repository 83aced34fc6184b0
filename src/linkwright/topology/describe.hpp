#pragma once
// The graph in words.

#include <string>

#include "linkwright/topology/topology.hpp"

namespace linkwright::topology {

/// Grübler's count: what the joints of the tree allow, less the rows that close loops and constrain. It sees the graph
/// and not the geometry: special dimensions (Bennett, Bricard, a parallelogram with a middle bar) move although it says
/// they do not, because their rows depend on each other.
struct FreedomCount {
    long tree = 0;          ///< speeds of the tree's joints
    long loop_rows = 0;     ///< 6 − f for a chord with f freedoms, 3 − f in a planar loop
    long other_rows = 0;    ///< rods, gears, holonomic constraints, wheels touching their plane
    long no_slip_rows = 0;  ///< nonholonomic: they take speeds but leave every position possible
    long prescribed = 0;    ///< speeds given by motions

    long positions() const { return tree - loop_rows - other_rows - prescribed; }
    long speeds() const { return positions() - no_slip_rows; }
};
FreedomCount count_freedoms(const model::Model& model, const Topology& t);

/// Rows that closing this loop takes before any of them turns out to be redundant.
long rows(const model::Model& model, const Loop& loop);

/// "closed by 'pin' (revolute) from 'coupler' to 'rocker'; the way round: coupler - B - crank - A -
/// ground - D - rocker; planar, 2 rows"
std::string describe(const model::Model& model, const Loop& loop);

/// Bodies, joints and loops, a line for each.
std::string describe_graph(const model::Model& model, const Topology& t);

/// "freedoms: 3 of the tree - 2 rows of loops = 1", and what to think of it when nothing is left.
std::string describe_count(const model::Model& model, const Topology& t);

/// Both: the graph, then the count.
std::string describe(const model::Model& model, const Topology& t);

}  // namespace linkwright::topology
