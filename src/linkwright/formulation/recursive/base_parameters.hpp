#pragma once
// What the equations of a tree really depend on. A body has ten inertial numbers (mass, first moments, inertia), but no
// motion shows them all: of what a joint's angle cannot turn and its rate cannot change only a sum with the inner link is
// ever felt. The combinations that are left are the base parameters [gautier90, khalil87]: M and f are linear in them, no
// fewer would do, and an experiment can find no more.
//
// The linkage regroups by joint types, exactly and in symbols. Further combinations depend on where axes lie: a first link feels
// nothing but its inertia about its axis, parallel axes never tilt a link, gravity along the first axis does nothing. These
// are found as linear dependences between the columns of the regressor at random states, in doubles.

#include "linkwright/formulation/system.hpp"

namespace linkwright::formulation::recursive {

struct BaseParameter {
    /// The body, and which of its link's numbers, about the link's own axes (z along the joint's): "b2.ZZ". M is a mass, X Y Z
    /// first moments, XX … ZZ moments and products of inertia. Where z is a joint's axis, XX stands for XX − YY. Or "hip.armature": the inertia of
    /// a drive that no link's number goes with.
    std::string name;
    Expr definition;  ///< in the model's parameters, and its bodies' numbers by name: b2.mass, b2.com.x, b2.inertia.xy
    double value = 0;
};

struct BaseParameters {
    std::shared_ptr<sym::Pool> pool;                ///< of the definitions
    std::vector<BaseParameter> all;                 ///< those that are 0, as the file has its zeros, left out
    std::size_t zeros = 0;                          ///< how many these are: with them, as many as the regressor has rank
    std::size_t standard = 0;                       ///< ten for each body that has a mass, one for each armature
    std::vector<std::string> without_effect;        ///< parameters and bodies' numbers that change nothing
    std::vector<std::string> zeros_without_effect;  ///< and those that are 0 anyway
};

/// Of the tree that is left when loops are cut; wheels count for what they are when locked. The model must be free of errors.
BaseParameters base_parameters(const model::Model& model);

}  // namespace linkwright::formulation::recursive
