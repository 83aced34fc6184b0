#pragma once
// Shapes of a beam that come from elsewhere, a finite element program or a measurement, as a JSON file:
//
//     { "x": [0, 0.1, …], "phi": [[…], […]], "slope": [[…], […]] }
//
// x counts from the beginning of the elastic part, phi and slope have a list for each shape, and in it a number for each x. Without slopes those of
// the cubic spline are taken that passes through phi.

#include <optional>
#include <string>

#include "linkwright/model/beam.hpp"

namespace linkwright::model {

/// Empty, and `problem` says why, when the file cannot be read or means nothing.
std::optional<GivenShapes> read_modes(const std::string& path, std::string& problem);

}  // namespace linkwright::model
