#pragma once
// The mechanism taken apart: every body has six speeds of its own, and rows hold the joints together.
//
// Positions stay those of the tree: its relative coordinates place every body, so that joints cannot drift apart. What moves
// them is read off the bodies' speeds. A row of a joint is a row of speeds; its position residual is zero by construction.

#include "linkwright/formulation/newton_euler/hinge.hpp"
#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::newton_euler {

/// What passes through a joint of the tree, on its child, axes and origin of C.
struct Passing {
    Wrench load;                                       ///< springs, dampers, actuators
    std::vector<std::pair<std::size_t, Wrench>> rows;  ///< −λ · on, for these rows of the system
};

/// `system` is what set_up() gave, with other speeds in it: its mechanism's freedoms are ω (body axes) and v of the centre of mass
/// (body axes) of every body but the ground, in the order of the file, then the bodies' own. V, the rates of the coordinates,
/// loads and cut joints are written in them. The speeds of the joints are still there as symbols: `defined` tells what they
/// are. Forces inside joints stand among the loads on both bodies.
///
/// So that a row of a closed loop is a row of two bodies only, the poses of bodies at cut joints are symbols as well, listed
/// among the coordinates and given as functions of the others; they too are put in at the end.
struct BodySystem {
    System system;
    std::vector<Expr> rates;         ///< velocity residual of each row
    std::size_t rows_of_joints = 0;  ///< they come first: joints of the tree in the order of the file
    std::vector<Hinge> hinges;       ///< of each body's joint to its inner body; the ground's is not used
    std::vector<Passing> passing;    ///< likewise
    std::vector<Twist> speeds;       ///< ω and v of the centre of mass of each body: symbols
    std::vector<Twist> rates_of_speeds;
};

BodySystem take_apart(const System& system);

}  // namespace linkwright::formulation::newton_euler
