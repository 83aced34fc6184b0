#pragma once
// A beam of expressions as a beam of numbers, for its finite elements.

#include <functional>

#include "linkwright/flex/beam_mesh.hpp"
#include "linkwright/model/beam.hpp"

namespace linkwright::model {

/// With the values of the model's parameters.
flex::BeamNumbers beam_numbers(const Beam& beam, const std::function<double(const Expr&)>& value);

}  // namespace linkwright::model
